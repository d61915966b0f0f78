package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A planted fault deletes a part of each trace before the search learns from the trace. The search then misses
// orders.
type planted struct {
	family, name string
	lose         func(*trace.Trace)
}

// plantedFaults are the faults that TestAgreement must detect: at least one in each family.
func plantedFaults() []planted {
	what := func(w trace.Touched) func(*trace.Trace) {
		return touches(func(_ *trace.Trace, x trace.Touch) bool { return x.What == w })
	}
	all := touches(func(*trace.Trace, trace.Touch) bool { return true })
	return []planted{
		{"plain", "lives", what(trace.ItsLife)},
		{"plain", "waits", waits},
		{"polls", "waits", waits},
		{"nemeses", "lives", what(trace.ItsLife)},
		{"nemeses", "all touches", all},
		{"mailboxes", "room", what(trace.ItsRoom)},
		{"mailboxes", "steps of another", what(trace.ItsSteps)},
		{"unwatch", "lives", what(trace.ItsLife)},
		{"send after", "lives", what(trace.ItsLife)},
		{"send after", "waits", waits},
		{"ask", "all steps before an answer", what(trace.AllSteps)},
		{"ask", "lives", what(trace.ItsLife)},
		{"matches", "waits", waits},
		{"survivors", "all touches", all},
		{"early timers", "who sets timers", what(trace.TheTimers)},
		{"early timers", "that a rest is none for others", rests},
		{"passes", "who reads time", what(trace.TheTime)},
		{"passes", "who sets timers", what(trace.TheTimers)},
		{"passes", "what came due", dues},
		{"passes", "that a rest is none for others", rests},
		{"lives", "questions", touches(func(_ *trace.Trace, x trace.Touch) bool { return x.Reads })},
		{"lives", "lives", what(trace.ItsLife)},
		{"histories", "events", what(trace.TheTest)},
		{"objects", "uses of objects", what(trace.AnObject)},
		{"objects", "first uses of objects", what(trace.NewObjects)},
		{"foolish", "all touches", all},
		{"crashes", "lives", touches(func(t *trace.Trace, x trace.Touch) bool {
			return x.What == trace.ItsLife && t.Steps[x.Step].Kind == trace.Crash
		})},
		{"crashes", "ends", endings},
		{"crashes", "the steps of its actor", crashedSteps},
		{"partitions", "timers", timersSent},
		{"courses", "what else could come", what(trace.TheRest)},
		{"courses", "all steps before", touches(func(t *trace.Trace, x trace.Touch) bool {
			return x.What == trace.AllSteps && isAnswer(t, x.Step) || x.What == trace.TheRest
		})},
	}
}

// touches returns a function that deletes from a trace the touches for which the function lost
// returns true.
func touches(lost func(*trace.Trace, trace.Touch) bool) func(*trace.Trace) {
	return func(t *trace.Trace) {
		t.Touches = slices.DeleteFunc(t.Touches, func(x trace.Touch) bool { return lost(t, x) })
	}
}

// isAnswer reports whether a step is an answer to an Ask of the test.
func isAnswer(t *trace.Trace, step int32) bool {
	return t.Steps[step].Actor == trace.Test && t.Sends[t.Steps[step].Send].Kind == trace.Reply
}

// waits deletes from a trace what messages the processes waited for.
func waits(t *trace.Trace) {
	for i := range t.Steps {
		t.Steps[i].Wanted = trace.Nothing
	}
}

// endings deletes from a trace the steps in which actors ended.
func endings(t *trace.Trace) {
	for i := range t.Actors {
		t.Actors[i].Ended = trace.None
	}
}

// crashedSteps deletes from a trace the step that precedes each crash at its actor.
func crashedSteps(t *trace.Trace) {
	for i := range t.Steps {
		if t.Steps[i].Kind == trace.Crash {
			t.Steps[i].Prev = trace.None
		}
	}
}

// timersSent makes the timers in a trace look like messages.
func timersSent(t *trace.Trace) {
	for i := range t.Sends {
		if d := &t.Sends[i]; d.Kind == trace.Timer {
			d.Kind = trace.Message
		}
	}
}

// dues deletes from a trace which timers came due together.
func dues(t *trace.Trace) {
	for i := range t.Sends {
		if t.Sends[i].Kind == trace.Timer {
			t.Sends[i].Seq = 0
		}
	}
}

// rests makes the trace say that the test advanced the clock, where the clock advanced because no
// message was deliverable.
func rests(t *trace.Trace) {
	for i := range t.Passes {
		if t.Passes[i].How == trace.AtRest {
			t.Passes[i].How = trace.ByTest
		}
	}
}

// TestPlantedFaults checks that TestAgreement detects each planted fault in half of the programs that
// it compares by day. At night it checks that at least five of the first 400 programs show each
// fault.
func TestPlantedFaults(t *testing.T) {
	trial.Long(t)
	unseen := families()
	var seen strings.Builder
	for _, p := range plantedFaults() {
		at := slices.IndexFunc(families(), func(f family) bool { return f.name == p.family })
		f := families()[at]
		unseen = slices.DeleteFunc(unseen, func(x family) bool { return x.name == f.name })
		if nightly() {
			if found := p.programs(&f, 400, 500, 400); len(found) < 5 {
				t.Errorf("%s, %s: %d of 400 programs show it, want at least 5", f.name, p.name, len(found))
			}
			continue
		}
		found := p.programs(&f, f.day/2, agreementOrders(), 1)
		if len(found) == 0 {
			t.Errorf("%s, %s: none of the first %d programs shows it: compare more by day", f.name, p.name, f.day/2)
			continue
		}
		fmt.Fprintf(&seen, "%s, without %s: TestAgreement sees it in program %d of %d\n", f.name, p.name, found[0]+1, f.day)
	}
	for _, f := range unseen {
		t.Errorf("%s: no fault is planted", f.name)
	}
	if !nightly() {
		golden.File(t, "testdata/planted.golden", seen.String())
	}
}

// programs returns the positions of programs that show the fault, at most `most` of them. It compares the first
// programs of the family that have at most the given number of orders.
func (p *planted) programs(f *family, first, orders, most int) (found []int) {
	e, r := &enumerator{}, &rig{}
	defer e.close()
	defer r.close()
	compared := 0
	for seed := f.first(); compared < first && len(found) < most; seed++ {
		q := f.draw(seed)
		e.drives, r.drives = q.drives(), q.drives()
		all, ok := e.enumerate(q.options(), q.Build, orders)
		if !ok {
			continue
		}
		w := r.worker(q.options(), q.Build)
		run := w.run
		w.run = func(s pulse.Strategy) explore.Run {
			run := run(s)
			p.lose(run.System.Trace())
			return run
		}
		if exploreWith(explore.Options{}, nil, w).misses(all) != "" {
			found = append(found, compared)
		}
		compared++
	}
	return found
}
