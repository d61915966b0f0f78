package pulse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A crasher picks the oldest message a given number of times. Then Pick returns
// the crash of an actor, or the given other answer.
type crasher struct {
	after, actor, instead int
	picks, asked          int
}

func (c *crasher) Needs() pulse.Needs { return pulse.Needs{Record: true, Strikes: true} }
func (c *crasher) Begin(uint64)       { c.picks, c.asked = 0, 0 }
func (c *crasher) Choose(k choice.Kind, n int) int {
	if k == choice.Fault {
		c.asked++
	}
	return 0
}

func (c *crasher) Pick(e *pulse.Enabled) int {
	c.picks++
	if c.picks == c.after+1 && e.Strikes() > 0 {
		for i := range e.Strikes() {
			if e.Strike(i) == c.actor {
				return e.Len() + i
			}
		}
		return c.instead
	}
	if e.Len() == 0 {
		return pulse.Hold
	}
	return e.Oldest()
}

// answered is a strategy that replays a run's answers to Choose.
type answered struct {
	list []choice.Choice
	at   int
}

func (a *answered) Begin(uint64)              { a.at = 0 }
func (a *answered) Pick(e *pulse.Enabled) int { return e.Oldest() }
func (a *answered) Choose(choice.Kind, int) int {
	a.at++
	return int(a.list[a.at-1].Value)
}

// passesOn spawns an actor that sends a message to another actor when it is
// told to.
func passesOn(sys *pulse.System) {
	last := sys.Spawn("last", pulse.Func(func(*pulse.Ctx, any) {}))
	sys.Send(sys.Spawn("first", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Send(last, m) })), blast{})
}

// TestPickedStrikes checks when Pick of a strategy with Needs.Strikes can
// choose strikes. A strategy without Needs.Strikes makes the same run if
// it gives the same answers.
func TestPickedStrikes(t *testing.T) {
	crash := pulse.Faults{Crash: 1}
	for _, c := range []struct {
		name         string
		options      pulse.Options
		after, actor int // after this number of picks, the strategy crashes this actor
		want         string
		picks, asked int
	}{
		{"before the first step", pulse.Options{Faults: crash}, 0, 2, "crash of first", 1, 0},
		{"the other before the first step", pulse.Options{Faults: crash}, 0, 1, "crash of last; first ← blast", 1, 0},
		{"in place of a single message", pulse.Options{Faults: crash}, 1, 2, "first ← blast; crash of first; last ← blast", 2, 0},
		{"at rest", pulse.Options{Faults: crash}, 2, 1, "first ← blast; last ← blast; crash of last", 3, 0},
		{"never", pulse.Options{Faults: crash}, 9, 1, "first ← blast; last ← blast", 3, 0},
		{"where it may be restarted", pulse.Options{Faults: pulse.Faults{Crash: 1, RestartKept: 1}}, 0, 1, "first ← blast; last ← blast", 0, 3},
		{"with partitions", pulse.Options{Faults: pulse.Faults{Crash: 1, Partition: 1}}, 0, 1, "crash of last; first ← blast", 1, 0},
		{"with partitions, the other at rest", pulse.Options{Faults: pulse.Faults{Crash: 1, Partition: 1}}, 2, 2, "first ← blast; last ← blast; crash of first", 3, 0},
		{"partitions alone", pulse.Options{Faults: pulse.Faults{Partition: 1}}, 0, 1, "first ← blast; last ← blast", 0, 0},
		{"with early timers", pulse.Options{EarlyTimers: 1, Faults: crash}, 0, 1, "first ← blast; last ← blast", 0, 3},
		{"without faults", pulse.Options{}, 0, 1, "first ← blast; last ← blast", 0, 0},
	} {
		s := &crasher{after: c.after, actor: c.actor}
		c.options.Strategy, c.options.Record = s, true
		sys := pulse.New(c.options)
		passesOn(sys)
		sys.Run()
		if got := stepsOf(sys.Trace()); got != c.want || s.picks != c.picks || s.asked != c.asked {
			t.Errorf("%s: %s, %d picks and %d questions; want %s, %d and %d", c.name, got, s.picks, s.asked, c.want, c.picks, c.asked)
		}
		c.options.Strategy = &answered{list: append([]choice.Choice(nil), sys.Record().Choices...)}
		again := pulse.New(c.options)
		passesOn(again)
		if again.Run(); again.Trace().Hash != sys.Trace().Hash || stepsOf(again.Trace()) != c.want {
			t.Errorf("%s: by its answers the run is another: %s", c.name, stepsOf(again.Trace()))
		}
		sys.Close()
		again.Close()
	}
}

// setsTimer spawns an actor that sends a message to another actor and sets a
// timer for itself.
func setsTimer(sys *pulse.System) {
	last := sys.Spawn("last", pulse.Func(func(*pulse.Ctx, any) {}))
	sys.Send(sys.Spawn("first", pulse.Func(func(ctx *pulse.Ctx, m any) {
		if m == (blast{}) {
			ctx.Send(last, m)
			ctx.After(1, "due")
		}
	})), blast{})
}

func pass(before, seq int32, how trace.PassKind) trace.Pass {
	return trace.Pass{Before: before, Seq: seq, How: how}
}

// TestPickedPasses checks when a strategy with Needs.Strikes may pick an early
// timer, and how the trace shows it. It also checks that the same answers give
// the same run.
func TestPickedPasses(t *testing.T) {
	for _, c := range []struct {
		name         string
		options      pulse.Options
		after, actor int
		last         int64 // the time at which the last message was received
		passes       []trace.Pass
		picks        int
	}{
		{"before a message", pulse.Options{EarlyTimers: 1}, 0, -1, 1, []trace.Pass{pass(0, 1, trace.ByTest), pass(1, 2, trace.Early)}, 2},
		{"before a message, as often as it likes", pulse.Options{EarlyTimers: -1}, 0, -1, 1, []trace.Pass{pass(0, 1, trace.ByTest), pass(1, 2, trace.Early)}, 2},
		{"at rest", pulse.Options{EarlyTimers: 1}, 9, -1, 0, []trace.Pass{pass(0, 1, trace.ByTest), pass(2, 2, trace.AtRest)}, 1},
		{"never early", pulse.Options{}, 0, -1, 0, nil, 0},
		{"with faults", pulse.Options{EarlyTimers: 1, Faults: pulse.Faults{Drop: 1}}, 0, -1, 0, nil, 0},
	} {
		s := &crasher{after: c.after, actor: c.actor}
		c.options.Strategy = s
		sys := pulse.New(c.options)
		setsTimer(sys)
		sys.Run()
		at := int64(-1)
		for _, st := range sys.Trace().Steps {
			if sys.Trace().Name(st.Actor) == "last" {
				at = st.Time
			}
		}
		if at != c.last || !slices.Equal(sys.Trace().Passes, c.passes) || s.picks != c.picks {
			t.Errorf("%s: at %d, %v, %d picks; want %d, %v, %d", c.name, at, sys.Trace().Passes, s.picks, c.last, c.passes, c.picks)
		}
		c.options.Strategy, c.options.Record = &answered{list: append([]choice.Choice(nil), sys.Record().Choices...)}, true
		again := pulse.New(c.options)
		setsTimer(again)
		if again.Run(); again.Trace().Hash != sys.Trace().Hash || len(again.Trace().Passes) > 0 {
			t.Errorf("%s: by its answers the run is another: %s", c.name, stepsOf(again.Trace()))
		}
		sys.Close()
		again.Close()
	}
}

// An unrecorded is the strategy crasher without Needs.Record, so that the
// system does not record the run.
type unrecorded struct{ crasher }

func (*unrecorded) Needs() pulse.Needs { return pulse.Needs{Strikes: true} }

// TestPickedPassesUnrecorded checks that timers fire early also in a run that is
// not recorded.
func TestPickedPassesUnrecorded(t *testing.T) {
	s := &unrecorded{crasher{actor: -1}}
	sys := pulse.New(pulse.Options{EarlyTimers: 1, Strategy: s})
	defer sys.Close()
	setsTimer(sys)
	if !sys.Run() || s.picks != 2 || sys.Now() != 1 {
		t.Errorf("%d picks, it is %d; want 2 and 1", s.picks, sys.Now())
	}
}

func stepsOf(t *trace.Trace) string {
	var list []string
	for i := range t.Steps {
		list = append(list, strings.ReplaceAll(strings.ReplaceAll(t.StepLabel(i), "pulse_test.", ""), "#1", ""))
	}
	return strings.Join(list, "; ")
}

// TestWrongStrikes checks that a strategy fails the run if it picks a strike
// that does not exist, or returns Hold where it may not.
func TestWrongStrikes(t *testing.T) {
	for after, want := range map[int]string{0: "picked 3 of 1", 2: "picked 3 of 0"} {
		sys := pulse.New(pulse.Options{Strategy: &crasher{after: after, actor: 9, instead: 3}, Faults: pulse.Faults{Crash: 1}})
		passesOn(sys)
		if sys.Run(); sys.Failure() == nil || !strings.Contains(sys.Failure().Text, want) {
			t.Errorf("after %d picks: %v, want %q", after, sys.Failure(), want)
		}
		sys.Close()
	}
	sys := pulse.New(pulse.Options{Strategy: &crasher{actor: 9, instead: pulse.Hold}, Faults: pulse.Faults{Crash: 1}})
	passesOn(sys)
	if sys.Run(); sys.Failure() == nil || !strings.Contains(sys.Failure().Text, "picked -1 of 1") {
		t.Errorf("holding back: %v", sys.Failure())
	}
	sys.Close()
}

// TestStrikesAtTheBound checks that a fault counts as a step toward Options.Steps, at any place in
// a run and however the strategy chooses it. So orders with the same steps also end at the same
// step.
func TestStrikesAtTheBound(t *testing.T) {
	crash, cut := pulse.Faults{Crash: 1}, pulse.Faults{Partition: 1}
	for _, c := range []struct {
		name     string
		steps    int
		faults   pulse.Faults
		strategy pulse.Strategy
		want     string
		passes   bool
	}{
		{"nothing comes at rest", 2, crash, &crasher{after: 9}, "first ← blast; last ← blast", true},
		{"no pick at the bound", 1, crash, &crasher{after: 1, actor: 2}, "first ← blast", false},
		{"no question at the bound", 1, crash, answering(0, 1), "first ← blast", false},
		{"a pick before the end", 2, crash, &crasher{after: 1, actor: 2}, "first ← blast; crash of first", false},
		{"a pick at rest", 2, crash, &crasher{after: 2, actor: 2}, "first ← blast; last ← blast; crash of first", false},
		{"an answer at rest", 2, crash, answering(0, 0, 2), "first ← blast; last ← blast; crash of first", false},
		{"a pick at rest within the bound", 3, crash, &crasher{after: 2, actor: 2}, "first ← blast; last ← blast; crash of first", true},
		{"the end of a partition", 3, cut, answering(0, 0, 1), "first ← blast; last ← blast; partition of last; heal of last", false},
		{"the end of a partition within the bound", 4, cut, answering(0, 0, 1), "first ← blast; last ← blast; partition of last; heal of last", true},
	} {
		sys := pulse.New(pulse.Options{Steps: c.steps, Faults: c.faults, Strategy: c.strategy, Record: true})
		passesOn(sys)
		if ok := sys.Run(); stepsOf(sys.Trace()) != c.want || ok != c.passes || !ok && sys.Failure().Kind != pulse.KindBudget {
			t.Errorf("%s: %s; %v, %v; want %s, passes: %v", c.name, stepsOf(sys.Trace()), ok, sys.Failure(), c.want, c.passes)
		}
		sys.Close()
	}
}

// answering gives fixed answers to Choose.
func answering(values ...uint32) *answered {
	a := &answered{}
	for _, v := range append(values, 0, 0, 0) {
		a.list = append(a.list, choice.Choice{Value: v})
	}
	return a
}
