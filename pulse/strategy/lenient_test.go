package strategy_test

import (
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A repair is a program before and after a change. A run of the first
// form, newest message first, is replayed leniently in the second.
type repair struct {
	name          string
	before, after func(*pulse.System)
	recorded      pulse.Options
	replayed      pulse.Options
	answers       []int // the strategy's answers in the recorded run
	unknown       bool  // the replay is not given the recorded run's trace
	order         []string
	stale         []string
	whole         bool
}

var crash = pulse.Options{Faults: pulse.Faults{Crash: 1}}

var repairs = []repair{
	{name: "nothing changed", whole: true, before: sends(write{1}, flush{}), after: sends(write{1}, flush{}),
		order: []string{"action.2#1 ← kick", "writer#1 ← flush", "action.1#1 ← kick", "writer#2 ← write(1)"}},
	{name: "another message", before: sends(write{1}, flush{}), after: sends(write{1}, get{2}),
		order: []string{"action.2#1 ← kick", "action.1#1 ← kick", "writer#1 ← write(1)", "writer#2 ← get(2)"},
		stale: []string{"delivery 1 of the record, writer ← flush, was not made", "step 3, writer#2 ← get(2), is not in the record"}},
	{name: "another message, no trace", before: sends(write{1}, flush{}), after: sends(write{1}, get{2}), unknown: true,
		order: []string{"action.2#1 ← kick", "action.1#1 ← kick", "writer#1 ← write(1)", "writer#2 ← get(2)"},
		stale: []string{"delivery 1 of the record, identity #, was not made", "step 3, writer#2 ← get(2), is not in the record"}},
	{name: "one less", before: sends(write{1}, flush{}), after: sends(write{1}),
		order: []string{"action#1 ← kick", "writer#1 ← write(1)"},
		stale: []string{"delivery 0 of the record, action.2 ← kick, was not made", "delivery 1 of the record, writer ← flush, was not made"}},
	{name: "one more", whole: true, before: sends(write{1}, write{2}), after: sends(write{1}, write{2}, write{3}),
		order: []string{"action.2#1 ← kick", "writer#1 ← write(2)", "action.1#1 ← kick", "writer#2 ← write(1)",
			"action.3#1 ← kick", "writer#3 ← write(3)"},
		stale: []string{"step 4, action.3#1 ← kick, is not in the record", "step 5, writer#3 ← write(3), is not in the record"}},
	{name: "an order that cannot be", recorded: pulse.Options{Delivery: pulse.DeliveryUnordered},
		before: trial.Bunch(3), after: trial.Bunch(3),
		order: []string{"writer#1 ← write(0)", "writer#2 ← write(1)", "writer#3 ← write(2)"},
		stale: []string{"delivery 1 of the record, writer ← write(1), came before an earlier delivery of the record",
			"delivery 2 of the record, writer ← write(0), came before an earlier delivery of the record"}},
	{name: "fewer answers", before: trial.Answered(5, 5), after: trial.Answered(3, 5), answers: []int{4, 3},
		order: []string{"chooser#1 ← kick", "2", "3"},
		stale: []string{"the record has value 4 for choose of 5, the run asks for choose of 3: 2 was chosen"}},
	{name: "more questions", before: trial.Answered(5), after: trial.Answered(6, 2), answers: []int{4},
		order: []string{"chooser#1 ← kick", "4", "0"},
		stale: []string{"the record has value 4 for choose of 5, the run asks for choose of 6: 4 was chosen",
			"the record has no choice for choose of 2: 0 was chosen"}},
	{name: "all answers", before: trial.Answered(5, 7), after: trial.Answered(5, 7), answers: []int{4, 3}, whole: true,
		order: []string{"chooser#1 ← kick", "4", "3"}},
	{name: "more questions after answers of zero", before: trial.Answered(5), after: trial.Answered(5, 2), answers: []int{0}, whole: true,
		order: []string{"chooser#1 ← kick", "0", "0"},
		stale: []string{"the record has no choice for choose of 2: 0 was chosen"}},
	{name: "fewer questions", before: trial.Answered(5, 7), after: trial.Answered(5), answers: []int{4, 3},
		order: []string{"chooser#1 ← kick", "4"},
		stale: []string{"choice 1 of the record, choose of 7, was not made"}},
	{name: "a fault that struck elsewhere", before: trial.Answered(5), after: sends(flush{}), answers: []int{1},
		recorded: crash, replayed: crash,
		order: []string{"action#1 ← kick", "writer#1 ← flush"},
		stale: []string{
			"the record has value 1 for fault of 2, the run asks for fault of 3: 0 was chosen",
			"the record has no choice for fault of 3: 0 was chosen",
			"the record has no choice for fault of 3: 0 was chosen",
			"step 0, action#1 ← kick, is not in the record", "step 1, writer#1 ← flush, is not in the record"}},
}

// TestLenient checks what is kept of a record when the program has changed, and
// what Stale returns about the rest.
func TestLenient(t *testing.T) {
	for _, c := range repairs {
		t.Run(c.name, func(t *testing.T) {
			c.recorded.Record, c.recorded.Strategy = true, &scripted{answers: c.answers, newest: true}
			sys := pulse.New(c.recorded)
			defer sys.Close()
			c.before(sys)
			must(t, sys.Failure())
			o := strategy.ReplayOptions{Lenient: true}
			if !c.unknown {
				o.Trace = sys.Trace()
			}
			replay := strategy.Replay(sys.Record(), o)
			c.replayed.Strategy = replay
			second := pulse.New(c.replayed)
			defer second.Close()
			for range 2 { // the second time shows that Begin resets
				second.Reset(0)
				c.after(second)
				must(t, second.Failure())
				c.check(t, second, replay)
			}
		})
	}
}

func (c *repair) check(t *testing.T, sys *pulse.System, replay *strategy.Replayer) {
	t.Helper()
	var order []string
	for i := range sys.Trace().Steps {
		order = append(order, sys.Trace().StepLabel(i))
	}
	for _, note := range sys.Trace().Notes {
		order = append(order, note.Text)
	}
	if !slices.Equal(order, c.order) {
		t.Errorf("the order is\n%q, expected\n%q", order, c.order)
	}
	if replay.Whole() != c.whole {
		t.Errorf("the whole record was made: %t", !c.whole)
	}
	stale := replay.Stale()
	for i := range stale {
		stale[i] = blankIDs(stale[i])
	}
	if !slices.Equal(stale, c.stale) {
		t.Errorf("stale is\n%q, expected\n%q", stale, c.stale)
	}
}

// TestStaleIsBounded checks that Stale is short, even if nothing in the record
// applies. Naming each step of the record used to take quadratic time.
func TestStaleIsBounded(t *testing.T) {
	record := &choice.Record{}
	for i := range uint64(50_000) {
		record.Deliveries = append(record.Deliveries, i+1)
	}
	replay := strategy.Replay(record, strategy.ReplayOptions{Lenient: true})
	sys := pulse.New(pulse.Options{Strategy: replay})
	defer sys.Close()
	sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	for i := range 50_000 {
		sys.Send(sink, i)
	}
	sys.Run()
	list := replay.Stale()
	if n := len(list); n != 101 || list[100] != "and 99900 more" {
		t.Errorf("%d lines, the last %q", n, list[n-1])
	}
}
