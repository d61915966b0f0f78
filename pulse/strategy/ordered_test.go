package strategy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// stepsOf runs a program in plain order and returns its steps by label, without
// numbers: "writer ← flush".
func stepsOf(t *testing.T, o pulse.Options, body func(*pulse.System)) map[string]uint64 {
	t.Helper()
	o.Record = true
	sys := pulse.New(o)
	defer sys.Close()
	body(sys)
	must(t, sys.Failure())
	ids, tr := map[string]uint64{}, sys.Trace()
	for i := range tr.Steps {
		s := &tr.Steps[i]
		ids[tr.Name(s.Actor)+" ← "+trace.Label(tr.Sends[s.Send].Body)] = s.ID
	}
	return ids
}

// TestOrderedWriter checks, for schedules with constraints or priorities and
// for many seeds, that the writer fails if and only if the schedule puts flush
// before write.
func TestOrderedWriter(t *testing.T) {
	for _, c := range []writer.Config{{}, {Mended: true}} {
		ids := stepsOf(t, pulse.Options{}, func(sys *pulse.System) { c.Build(sys); sys.Run() })
		flushFirst := choice.Constraint{First: ids["writer ← flush"], Second: ids["writer ← write(1)"]}
		tests := []struct {
			name   string
			s      choice.Schedule
			breaks bool
			unmet  []choice.Constraint // the unmet constraints when the program has no bug
		}{
			{"flush before write", choice.Schedule{Before: []choice.Constraint{flushFirst}}, true, []choice.Constraint{flushFirst}},
			{"write before flush", choice.Schedule{Before: []choice.Constraint{flushFirst.Turned()}}, false, nil},
			{"write late", choice.Schedule{Priorities: []choice.Priority{{ID: flushFirst.Second}}}, true, nil},
			{"write early", choice.Schedule{Priorities: []choice.Priority{{ID: flushFirst.Second, P: 1<<64 - 1}}}, false, nil},
			{"a constraint beats a priority", choice.Schedule{
				Priorities: []choice.Priority{{ID: flushFirst.Second, P: 1<<64 - 1}},
				Before:     []choice.Constraint{flushFirst}}, true, []choice.Constraint{flushFirst}},
		}
		for _, test := range tests {
			order := strategy.Ordered(&test.s)
			sys := newRecorded(order)
			for seed := range uint64(40) {
				test.s.Seed = seed // the first seed is zero, which means plain order
				if test.s.Before == nil && seed > 0 {
					break // without constraints the result is known only in plain order, which is seed zero
				}
				sys.Reset(0)
				check := c.Build(sys)
				sys.Run()
				must(t, sys.Failure())
				unmet := test.unmet
				if !c.Mended {
					unmet = nil
				}
				if broken := check() != nil; broken != (test.breaks && !c.Mended) || !slices.Equal(order.Unmet(), unmet) {
					t.Errorf("mended %v, %s, seed %d: broken %v, unmet %v", c.Mended, test.name, seed, broken, order.Unmet())
				}
			}
			sys.Close()
		}
	}
}

// letters is a program that sends the test's letters to one sink, each over a
// channel of its own, so that all are deliverable from the start.
func letters(list ...any) func(*pulse.System) {
	return func(sys *pulse.System) {
		sink := sys.Spawn("sink", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if d, ok := msg.(time.Duration); ok {
				ctx.After(d, fmt.Sprint("after ", d))
			}
		}))
		for _, letter := range list {
			sys.Send(sink, letter)
		}
		sys.Run()
	}
}

// TestOrderedLetters checks the exact order in which Ordered delivers letters,
// for schedules with priorities and constraints.
func TestOrderedLetters(t *testing.T) {
	type pair [2]string
	o := pulse.Options{Delivery: pulse.DeliveryUnordered}
	tests := []struct {
		name  string
		sent  []any
		high  string // letters with priorities above all others, highest first
		low   string // letters with priorities below all others, lowest first
		pairs []pair
		order string
		unmet []pair
		early int
	}{
		{name: "nothing said", sent: []any{"a", "b", "c"}, order: "abc"},
		{name: "high and low", sent: []any{"a", "b", "c", "d", "e"}, high: "dc", low: "ab", order: "dceba"},
		{name: "one constraint", sent: []any{"a", "b", "c"}, pairs: []pair{{"c", "a"}}, order: "bca"},
		{name: "a chain", sent: []any{"a", "b", "c", "d"}, pairs: []pair{{"d", "c"}, {"c", "b"}, {"b", "a"}}, order: "dcba"},
		{name: "two before one", sent: []any{"a", "b", "c"}, pairs: []pair{{"b", "a"}, {"c", "a"}}, order: "bca"},
		{name: "one before two", sent: []any{"a", "b", "c"}, pairs: []pair{{"c", "a"}, {"c", "b"}}, order: "cab"},
		{name: "one said twice", sent: []any{"a", "b"}, pairs: []pair{{"b", "a"}, {"b", "a"}}, order: "ba"},
		{name: "a circle", sent: []any{"a", "b", "c"}, pairs: []pair{{"a", "b"}, {"b", "a"}}, order: "cab", unmet: []pair{{"b", "a"}}},
		{name: "the circle's other end", sent: []any{"a", "b", "c"}, high: "b", pairs: []pair{{"a", "b"}, {"b", "a"}},
			order: "cba", unmet: []pair{{"a", "b"}}},
		{name: "before itself", sent: []any{"a", "b"}, pairs: []pair{{"a", "a"}}, order: "ba", unmet: []pair{{"a", "a"}}},
		{name: "after what never comes", sent: []any{"a", "b", "c"}, pairs: []pair{{"?", "a"}, {"c", "b"}, {"?", "?"}},
			order: "cba", unmet: []pair{{"?", "a"}}},
		{name: "after a timer", sent: []any{time.Second, "b"}, pairs: []pair{{"after 1s", "b"}}, early: 1, order: "1s after 1s b"},
		{name: "after a timer that may not fire early", sent: []any{time.Second, "b"}, pairs: []pair{{"after 1s", "b"}},
			order: "1s b after 1s", unmet: []pair{{"after 1s", "b"}}},
		{name: "after two timers", sent: []any{time.Second, time.Minute, "b"}, pairs: []pair{{"after 1m0s", "b"}}, early: 2,
			order: "1s 1m0s after 1s after 1m0s b"},
		{name: "after two timers of which one may fire early", sent: []any{time.Second, time.Minute, "b"}, pairs: []pair{{"after 1m0s", "b"}}, early: 1,
			order: "1s 1m0s after 1s b after 1m0s", unmet: []pair{{"after 1m0s", "b"}}},
		{name: "a timer after it", sent: []any{time.Second, "b"}, pairs: []pair{{"b", "after 1s"}}, order: "1s b after 1s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ids := stepsOf(t, o, letters(test.sent...))
			id := func(letter string) uint64 { return ids["sink ← "+trace.Label(letter)] }
			var s choice.Schedule
			for i, letter := range test.high {
				s.Priorities = append(s.Priorities, choice.Priority{ID: id(string(letter)), P: 1<<64 - 1 - uint64(i)})
			}
			for i, letter := range test.low {
				s.Priorities = append(s.Priorities, choice.Priority{ID: id(string(letter)), P: uint64(i)})
			}
			for _, p := range test.pairs {
				s.Before = append(s.Before, choice.Constraint{First: id(p[0]), Second: id(p[1])})
			}
			var unmet []choice.Constraint
			for _, p := range test.unmet {
				unmet = append(unmet, choice.Constraint{First: id(p[0]), Second: id(p[1])})
			}
			order := strategy.Ordered(&s)
			o.Strategy, o.EarlyTimers = order, test.early
			sys := pulse.New(o)
			defer sys.Close()
			for range 2 { // run twice, since Begin must reset the strategy
				sys.Reset(0)
				letters(test.sent...)(sys)
				must(t, sys.Failure())
				if got := received(sys.Trace()); got != test.order {
					t.Errorf("the order is %q, expected %q", got, test.order)
				}
				if !slices.Equal(order.Unmet(), unmet) {
					t.Errorf("unmet are %v, expected %v", order.Unmet(), unmet)
				}
			}
		})
	}
}

// received returns what was received, with spaces between words of several
// letters.
func received(t *trace.Trace) (list string) {
	for i := range t.Steps {
		word := fmt.Sprint(t.Sends[t.Steps[i].Send].Body)
		if len(word) > 1 && i > 0 || i > 0 && list[len(list)-1] == 's' {
			list += " "
		}
		list += word
	}
	return list
}

// TestOrderedPrograms checks for random programs and random constraints that
// each constraint is met or reported as unmet, and that a replay is
// identical. A constraint between two concurrent steps is met.
func TestOrderedPrograms(t *testing.T) {
	kept := 0
	for n := range uint64(runs(1500)) {
		o := pulse.Options{Strategy: strategy.Random(), Seed: n, Record: true, Delivery: pulse.Delivery(n % 2)}
		body := func(sys *pulse.System) { trial.Sparks(sys, n, 4); sys.Run() }
		sys := pulse.New(o)
		body(sys)
		must(t, sys.Failure())
		original := sys.Trace()
		s := choice.Schedule{Seed: n % 4, Choices: sys.Record().Clone().Choices}
		r := rand.New(rand.NewPCG(n, 1))
		for range r.IntN(6) {
			a, b := original.Steps[r.IntN(len(original.Steps))].ID, original.Steps[r.IntN(len(original.Steps))].ID
			s.Before = append(s.Before, choice.Constraint{First: a, Second: b})
			s.Priorities = append(s.Priorities, choice.Priority{ID: a, P: r.Uint64()})
		}
		order := strategy.Ordered(&s)
		o.Strategy = order
		second := pulse.New(o)
		body(second)
		must(t, second.Failure())
		kept += checkOrder(t, &s, order, second.Trace())
		first := second.Trace().Hash
		second.Reset(0)
		body(second)
		if second.Trace().Hash != first {
			t.Errorf("program %d: the same schedule makes another run", n)
		}
		sys.Close()
		second.Close()
	}
	if kept < runs(1000) {
		t.Errorf("only %d constraints were kept: the test shows little", kept)
	}
}

// checkOrder compares the result of Unmet with the trace, and counts
// constraints that were met.
func checkOrder(t *testing.T, s *choice.Schedule, order *strategy.Orderer, tr *trace.Trace) (kept int) {
	t.Helper()
	at := map[uint64]int{}
	for i := range tr.Steps {
		at[tr.Steps[i].ID] = i + 1
	}
	unmet := order.Unmet()
	for _, c := range s.Before {
		first, second := at[c.First], at[c.Second]
		came := second > 0 && (first == 0 || first >= second)
		if came != slices.Contains(unmet, c) {
			t.Errorf("first at %d, second at %d, but reported as unmet: %v", first, second, !came)
		}
		if first > 0 && second > first {
			kept++
		}
	}
	return kept
}

// TestOrderedRaces checks that both orders of two racing steps are possible,
// for every pair of a random run. A constraint stays unmet only if the first
// step cannot come while the second step is held back.
func TestOrderedRaces(t *testing.T) {
	turned := 0
	for n := range uint64(runs(300)) {
		o := pulse.Options{Strategy: strategy.Random(), Seed: n, Record: true, Delivery: pulse.DeliveryUnordered}
		body := func(sys *pulse.System) { trial.Sparks(sys, n, 3); sys.Run() }
		sys := pulse.New(o)
		body(sys)
		tr := sys.Trace().Clone()
		choices := sys.Record().Clone().Choices
		sys.Close()
		if len(choices) > 0 {
			continue // skip: the recorded choices belong to certain actors in this order, and may go to other actors in another order
		}
		for b := range tr.Steps {
			a := int(tr.Steps[b].Prev)
			if a < 0 || !tr.Swappable(a, b) {
				continue
			}
			s := choice.Schedule{Seed: n, Before: []choice.Constraint{{First: tr.Steps[b].ID, Second: tr.Steps[a].ID}}}
			order := strategy.Ordered(&s)
			o.Strategy = order
			second := pulse.New(o)
			body(second)
			must(t, second.Failure())
			if len(order.Unmet()) > 0 {
				t.Errorf("program %d: step %d does not come before step %d", n, b, a)
			}
			turned++
			second.Close()
		}
	}
	if turned < runs(300) {
		t.Errorf("only %d pairs were turned around", turned)
	}
}

// TestOrderedAnswers checks where answers come from: first the schedule's next
// choice of the kind, then the seed; with seed zero, zero.
func TestOrderedAnswers(t *testing.T) {
	s := &choice.Schedule{Choices: []choice.Choice{
		{Kind: choice.Clock, N: 2, Value: 1}, {Kind: choice.Program, N: 9, Value: 3}, {Kind: choice.Program, N: 9, Value: 8}}}
	sys := newRecorded(strategy.Ordered(s))
	defer sys.Close()
	for range 2 {
		sys.Reset(0)
		trial.Answered(9, 5, 5)(sys)
		must(t, sys.Failure())
		var got []string
		for _, note := range sys.Trace().Notes {
			got = append(got, note.Text)
		}
		if !slices.Equal(got, []string{"3", "4", "0"}) {
			t.Errorf("answers %v", got)
		}
	}
}
