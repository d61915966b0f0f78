package strategy

import (
	"errors"
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Repeat runs a program twice, the second time by a strict replay of the
// first, and returns a failure of kind pulse.Nondeterminism if it did not do
// the same: nil when each step was the same, did the same, and the end was
// the same, be it a failure. Body spawns, sends and runs, on a system that is
// new and recorded; what it keeps from one call to the next is a difference.
//
// When the strategy in o decides what it must not, that is the failure.
func Repeat(o pulse.Options, seed uint64, body func(*pulse.System)) *pulse.Failure {
	o.Seed, o.Record = seed, true
	first := pulse.New(o)
	defer first.Close()
	body(first)
	if f := first.Failure(); f != nil && f.Kind == pulse.Decision {
		return f
	}
	replay := Replay(first.Record(), ReplayOptions{Trace: first.Trace()})
	o.Strategy = replay
	second := pulse.New(o)
	defer second.Close()
	body(second)
	return compare(first, second, replay.Done())
}

// compare says how two runs of the same case differ. The error is what the
// replay has to say of the second.
func compare(first, second *pulse.System, stray error) *pulse.Failure {
	a, b := first.Trace(), second.Trace()
	d, differ := trace.Diff(a, b)
	switch {
	case differ && (stray == nil || d.Step >= 0 && d.Step < len(b.Steps)):
		return differently(first, second, d.Step, errors.New(d.String()))
	case stray != nil:
		return differently(first, second, len(b.Steps), stray)
	case end(first) != end(second):
		return differently(first, second, -1, errors.New("all steps are the same, the ends are not"))
	}
	return nil
}

func differently(first, second *pulse.System, step int, how error) *pulse.Failure {
	f := &pulse.Failure{
		Kind: pulse.Nondeterminism,
		Text: fmt.Sprintf("the same case ran differently: %v", how),
		Site: site(first.Trace(), step),
		Step: step,
	}
	if x, y := end(first), end(second); x != y {
		f.Detail = "    the first run ended with " + x + ", the second with " + y + "\n"
	}
	f.Detail += "    a step must follow from its message and its actor's state alone; look there for\n" +
		"    the order of a map, the clock (time.Now), math/rand, other goroutines, and for\n" +
		"    variables that outlive a run"
	return f
}

// end says how a run ended.
func end(s *pulse.System) string {
	if f := s.Failure(); f != nil {
		return f.Signature()
	}
	return "no failure"
}

// site names a step by types alone, which an edit elsewhere does not change.
func site(t *trace.Trace, step int) string {
	if step < 0 || step >= len(t.Steps) {
		return "the end"
	}
	s := &t.Steps[step]
	name := t.Actors[s.Actor].Type
	if s.Send < 0 {
		return s.Kind.String() + " of " + name
	}
	return name + " ← " + trace.TypeLabel(t.Sends[s.Send].Body)
}
