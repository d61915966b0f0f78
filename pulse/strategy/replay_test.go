package strategy_test

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

type (
	write struct{ n int }
	flush struct{}
	get   struct{ n int }
)

// again strictly replays a copy of a record on a new system.
func again(t *testing.T, o pulse.Options, sys *pulse.System, original *trace.Trace, body func(*pulse.System)) (*pulse.System, *strategy.Replayer) {
	t.Helper()
	record := sys.Record().Clone()
	replay := strategy.Replay(record, strategy.ReplayOptions{Trace: original})
	o.Strategy = replay
	second := pulse.New(o)
	t.Cleanup(second.Close)
	body(second)
	return second, replay
}

func failureText(sys *pulse.System) string {
	if f := sys.Failure(); f != nil {
		return f.Error()
	}
	return ""
}

// TestRoundTrip checks for each strategy that a copy of a record replays to the
// same trace and the same failure, both with and without the trace of the first
// run.
func TestRoundTrip(t *testing.T) {
	for _, s := range all() {
		for name, o := range trial.Settings() {
			t.Run(s.name+" "+name, func(t *testing.T) {
				o.Strategy, o.Record = s.make(), true
				sys := pulse.New(o)
				defer sys.Close()
				for seed := range runs(20) {
					sys.Reset(uint64(seed))
					trial.Rich(sys)
					for _, original := range []*trace.Trace{nil, sys.Trace()} {
						second, replay := again(t, o, sys, original, trial.Rich)
						if err := replay.Done(); err != nil {
							t.Fatalf("seed %d: %v", seed, err)
						}
						if a, b := failureText(sys), failureText(second); a != b {
							t.Fatalf("seed %d: failed with %q, again with %q", seed, a, b)
						}
						if a, b := sys.Trace().Hash, second.Trace().Hash; a != b {
							d, _ := trace.Diff(sys.Trace(), second.Trace())
							t.Fatalf("seed %d: %v", seed, d)
						}
						second.Close()
					}
				}
			})
		}
	}
}

// untimely holds back all messages until a timer has fired.
type untimely struct{ fired bool }

func (u *untimely) Begin(uint64)                {}
func (u *untimely) Needs() pulse.Needs          { return pulse.Needs{Single: true} }
func (u *untimely) Choose(choice.Kind, int) int { return 0 }
func (u *untimely) Pick(e *pulse.Enabled) int {
	for i := range e.Len() {
		u.fired = u.fired || e.Send(i).Kind.IsTimer()
	}
	if !u.fired && e.Step() > 0 {
		return pulse.Hold
	}
	return e.Len() - 1
}

// TestReplayOfHolding checks replays of a run in which timers fired early:
// from its record with Holds, and from an older record without Holds, where
// only a delivered timer shows that it fired early.
func TestReplayOfHolding(t *testing.T) {
	body := func(sys *pulse.System) {
		timed := sys.Spawn("timed", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == any(kick{}) {
				ctx.After(time.Second, flush{})
				ctx.Send(ctx.Self(), write{1})
			}
		}))
		sys.Send(timed, kick{})
		sys.Run()
	}
	o := pulse.Options{Strategy: &untimely{}, Record: true, EarlyTimers: 1}
	sys := pulse.New(o)
	defer sys.Close()
	body(sys)
	must(t, sys.Failure())
	second, replay := again(t, o, sys, nil, body)
	must(t, second.Failure())
	if err := replay.Done(); err != nil || sys.Trace().Hash != second.Trace().Hash || sys.Now() != time.Second {
		t.Errorf("%v, after %v\n%s", err, sys.Now(), second.Trace().Text())
	}
	isHold := func(id uint64) bool { return id == choice.Hold }
	old := sys.Record()
	if !slices.ContainsFunc(old.Deliveries, isHold) {
		t.Errorf("no Hold in %x", old.Deliveries)
	}
	old.Deliveries = slices.DeleteFunc(old.Deliveries, isHold)
	o.Strategy = strategy.Replay(old, strategy.ReplayOptions{})
	third := pulse.New(o)
	defer third.Close()
	body(third)
	must(t, third.Failure())
	if sys.Trace().Hash != third.Trace().Hash || third.Now() != time.Second {
		t.Errorf("by the old record, after %v\n%s", third.Now(), third.Trace().Text())
	}
}

// TestHoldsThatCannotBe: the record has a Hold at a point where no timer may fire
// early. A strict replay reports a difference, and a lenient replay ignores the Hold.
func TestHoldsThatCannotBe(t *testing.T) {
	body := func(sys *pulse.System) {
		sys.Send(sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {})), kick{})
		sys.Run()
	}
	kicked := stepsOf(t, pulse.Options{}, body)["sink ← kick"]
	for _, c := range []struct {
		name       string
		deliveries []uint64
		failure    string
		done       string
	}{
		{"before a message", []uint64{choice.Hold, 7}, "step 0 wanted an early timer; deliverable were: sink ← kick",
			"step 0 wanted an early timer; deliverable were: sink ← kick"},
		{"after the last", []uint64{kicked, choice.Hold}, "", "the run ended after 1 delivery, but the record has more: next is an early timer"},
		{"between two", []uint64{kicked, choice.Hold, 7}, "", "the run ended after 1 delivery, but the record has 1 more: next is an early timer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			record := &choice.Record{Deliveries: c.deliveries}
			for _, lenient := range []bool{false, true} {
				replay := strategy.Replay(record, strategy.ReplayOptions{Lenient: lenient})
				sys := pulse.New(pulse.Options{Strategy: replay})
				defer sys.Close()
				body(sys)
				switch err := replay.Done(); {
				case lenient && (failureText(sys) != "" || replay.Whole()):
					t.Errorf("fails with %q, and the whole record was made: %t", failureText(sys), replay.Whole())
				case !lenient && (err == nil || err.Error() != c.done || failureText(sys) != c.failure):
					t.Errorf("fails with %q, and Done says %v", failureText(sys), err)
				}
			}
		})
	}
}

// A change is a program before and after a change. A run of the first form is replayed in the second.
type change struct {
	name          string
	before, after func(*pulse.System)
	options       pulse.Options
	known         bool // the replay is given the recorded run's trace
	failure       string
	step          int
	done          string // the text that Done returns if the run does not fail
}

// sends is a program with one actor for each message. Each actor forwards its
// message to a writer.
func sends(msgs ...any) func(*pulse.System) {
	return func(sys *pulse.System) {
		writer := sys.Spawn("writer", pulse.Func(func(*pulse.Ctx, any) {}))
		for _, msg := range msgs {
			sys.Send(sys.Spawn("action", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(writer, msg) })), kick{})
		}
		sys.Run()
	}
}

// chooses is a program with an actor that makes choices with given numbers of
// alternatives.
func chooses(ns ...int) func(*pulse.System) {
	return func(sys *pulse.System) {
		sys.Send(sys.Spawn("chooser", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			for _, n := range ns {
				ctx.Choose(n)
			}
			if msg == any(kick{}) {
				ctx.Send(ctx.Self(), flush{})
			}
		})), kick{})
		sys.Run()
	}
}

// rounds is a program of n runs. The test sends one message before each.
func rounds(n int) func(*pulse.System) {
	return func(sys *pulse.System) {
		writer := sys.Spawn("writer", pulse.Func(func(*pulse.Ctx, any) {}))
		for i := range n {
			sys.Send(writer, write{i})
			sys.Run()
		}
	}
}

var changes = []change{
	{name: "another type", before: sends(flush{}), after: sends(write{1}), known: true, step: 1,
		failure: "step 1 wanted writer ← flush; deliverable were: writer ← write(1)"},
	{name: "another type, no trace", before: sends(flush{}), after: sends(write{1}), step: 1,
		failure: "step 1 wanted another message (identity #); deliverable were: writer ← write(1) (identity #)"},
	{name: "a look-alike", before: sends(flush{}, write{1}), after: func(sys *pulse.System) {
		sys.Spawn("another", pulse.Func(func(*pulse.Ctx, any) {}))
		sends(flush{}, write{1})(sys)
	}, known: true, step: 0,
		failure: "step 0 wanted action.1 ← kick (identity #); deliverable were: action.1 ← kick (identity #), action.2 ← kick (identity #)"},
	{name: "goes on", before: rounds(1), after: rounds(2), step: 1, known: true,
		failure: "step 1 wanted no more (the record has 1 delivery); deliverable were: writer ← write(1)"},
	{name: "many deliverable", before: sends(), after: sends(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), step: 0,
		failure: "step 0 wanted no more (the record has 0 deliveries); deliverable were: action.1 ← kick, action.2 ← kick, " +
			"action.3 ← kick, action.4 ← kick, action.5 ← kick, action.6 ← kick, action.7 ← kick, action.8 ← kick, 2 more"},
	{name: "ends early", before: sends(flush{}, write{1}), after: sends(flush{}), known: true, step: 1,
		failure: "step 1 wanted action.2 ← kick; deliverable were: writer ← flush"},
	{name: "ends early at rest", before: chooses(), after: func(sys *pulse.System) {
		sys.Send(sys.Spawn("chooser", pulse.Func(func(*pulse.Ctx, any) {})), kick{})
		sys.Run()
	}, known: true, step: 1,
		failure: "the run ended after 1 delivery, but the record has 1 more: next is chooser ← flush"},
	{name: "ends early at rest, no trace", before: chooses(), after: func(sys *pulse.System) {
		sys.Send(sys.Spawn("chooser", pulse.Func(func(*pulse.Ctx, any) {})), kick{})
		sys.Run()
	}, done: "the run ended after 1 delivery, but the record has 1 more: next is another message"},
	{name: "a round less", before: rounds(3), after: rounds(2), known: true,
		done: "the run ended after 2 deliveries, but the record has 1 more: next is writer ← write(2)"},
	{name: "nothing runs", before: rounds(1), after: func(sys *pulse.System) {}, known: true,
		done: "the run ended after 0 deliveries, but the record has 1 more: next is writer ← write(0)"},
	{name: "another choice", before: chooses(3), after: chooses(4), step: 1,
		failure: "in step 0, choice 0: the record has choose with 3 answers, the run asks for choose with 4 answers"},
	{name: "another choice in the last step", before: rounds(1), after: func(sys *pulse.System) {
		sys.Send(sys.Spawn("writer", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Choose(2) })), write{0})
		sys.Run()
	}, step: 1,
		failure: "in step 0, choice 0: the record has ended, the run asks for choose with 2 answers"},
	{name: "choices left", before: chooses(3, 4), after: chooses(3),
		failure: "in step 1, choice 1: the record has choose with 4 answers, the run asks for choose with 3 answers", step: 2},
	{name: "choices unasked", before: chooses(3), after: chooses(),
		done: "the run ended without asking for 2 choices of the record: next is choose with 3 answers"},
	{name: "a fault", before: rounds(2), after: rounds(2), options: pulse.Options{Faults: pulse.Faults{Crash: 1}},
		failure: "before step 0, choice 0: the record has ended, the run asks for fault with 2 answers", step: 0},
}

// blankIDs removes identities, which depend on the names of types.
func blankIDs(s string) string {
	return regexp.MustCompile(`identity [0-9a-f]{16}`).ReplaceAllString(s, "identity #")
}

// TestStrictDifferences checks the error text for each way in which a run can
// differ from the record of a strict replay.
func TestStrictDifferences(t *testing.T) {
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			sys := pulse.New(pulse.Options{Record: true, Strategy: &scripted{}})
			defer sys.Close()
			c.before(sys)
			must(t, sys.Failure())
			var original *trace.Trace
			if c.known {
				original = sys.Trace()
			}
			second, replay := again(t, c.options, sys, original, c.after)
			f := second.Failure()
			if c.failure == "" {
				if err := replay.Done(); f != nil || err == nil || err.Error() != c.done {
					t.Errorf("Done says\n%v, expected\n%s\nthe run fails with %v", err, c.done, f)
				}
				return
			}
			if f == nil || f.Kind != pulse.KindNondeterminism || f.Step != c.step || blankIDs(f.Text) != c.failure {
				t.Errorf("fails with\n%v\nat step %d, expected\n%s\nat step %d", f, f.Step, c.failure, c.step)
			}
			if err := replay.Done(); err == nil || f != nil && err.Error() != f.Text {
				t.Errorf("Done says %v", err)
			}
		})
	}
}
