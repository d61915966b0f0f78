package strategy

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Repeat runs a program twice, the second time by a strict replay of the first
// run. It returns a failure of kind pulse.KindNondeterminism when the runs differ
// in a step, in what a step did, or in their end; nil when they are the same,
// even if both fail. Body spawns, sends and runs, on a new system that is
// recorded; state that it keeps from one call to the next shows as a difference.
//
// If the strategy in o gives an impossible answer, that is the failure.
func Repeat(o pulse.Options, seed uint64, body func(*pulse.System)) *pulse.Failure {
	o.Seed, o.Record = seed, true
	first := pulse.New(o)
	defer first.Close()
	body(first)
	if f := first.Failure(); f != nil && f.Kind == pulse.KindStrategy {
		return f
	}
	replay := Replay(first.Record(), ReplayOptions{Trace: first.Trace()})
	o.Strategy = replay
	second := pulse.New(o)
	defer second.Close()
	body(second)
	return compare(first, second, replay)
}

// compare returns a failure when two runs of the same case differ.
func compare(first, second *pulse.System, replay *Replayer) *pulse.Failure {
	a, b := first.Trace(), second.Trace()
	d, differ := trace.Diff(a, b)
	stray := replay.Done()
	ends := differentEnds(first.Failure(), second.Failure())
	switch {
	case differ && d.Step >= 0 && (stray == nil || replay.at < 0 || d.Step < replay.at):
		return differently(a, d.Step, d.String(), ends)
	case stray != nil:
		return differently(a, replay.at, stray.Error(), ends)
	case ends != "":
		return differently(a, int(trace.None), ends, "")
	case differ:
		return differently(a, d.Step, d.String(), "")
	}
	return nil
}

func differently(first *trace.Trace, step int, how, ends string) *pulse.Failure {
	f := &pulse.Failure{
		Kind: pulse.KindNondeterminism,
		Text: "the same case ran differently: " + how,
		Site: site(first, step),
		Step: step,
	}
	if ends != "" {
		f.Detail = "    " + ends + "\n"
	}
	f.Detail += "    a step must follow from its message and its actor's state alone; look there for\n" +
		"    the order of a map, the clock (time.Now), math/rand, other goroutines, and for\n" +
		"    variables that outlive a run"
	return f
}

// differentEnds returns in words how two runs ended, "" when they ended in the
// same way. A second run that the replay has ended does not count as different.
func differentEnds(first, second *pulse.Failure) string {
	a, b := end(first), end(second)
	if a == b || second != nil && second.Kind == pulse.KindNondeterminism {
		return ""
	}
	return fmt.Sprintf("%s in the first run, %s in the second", a, b)
}

func end(f *pulse.Failure) string {
	if f == nil {
		return "no failure"
	}
	return "failed: " + f.Signature()
}

// site names a step by types alone, so that edits elsewhere do not change it.
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
