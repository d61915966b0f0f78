package search

import (
	"cmp"
	"fmt"
	"maps"
	"math"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// An explorer is a worker of an exploration. It runs the property with the current input,
// in the orders that package explore asks for.
type explorer struct {
	*exploring
	runner  *counted
	inputs  []choice.Input
	last    props.Result
	keeps   bool // set if Result.Remembers was set for some run (the property also checks earlier states)
	between bool // set if Result.Between was set for some run (the property checks states between steps)
	looks   bool // set if Result.Looks was set for some run (for example, the property reads the trace)
	doubts  bool // set if some run used a feature for which a reduction may be wrong
	timed   bool // set if some run had timers
	early   int  // the maximum number of early timers in a run; MaxInt means no bound

	counts                    // the counts of all inputs together
	own    *counts            // the counts of the current input
	number int                // the number of the current input
	found  map[string]*placed // the first failing run of each signature
}

// A counted is a runner that numbers its runs for a flight recorder.
type counted struct {
	*props.Runner
	slot  flight.Slot
	phase flight.Phase
	runs  int // the number of runs begun so far
}

// Run runs the property once.
func (c *counted) Run(plan props.Plan) props.Result {
	c.slot.Begin(c.phase, c.runs)
	c.runs++
	return c.Runner.Run(plan)
}

// counts has the numbers of the finished and skipped runs of a search.
type counts struct {
	finished int    // the number of runs that went through an order to its end; probes (random runs) do not count
	skipped  int    // the number of skipped runs
	reason   string // the last reason given for a skip
}

// A placed is a finding with its place in the exploration.
type placed struct {
	*finding.Finding
	index int // the index of the run among the finished runs
	place place
	probe bool // set if the failing run was a probe (random run)
}

// A place is the position of a failing run in an exploration. If several failing runs
// have the same signature, the run with the smallest place is reported. The place does
// not depend on the speed of the workers. With one worker, subtree is 0, and index is the
// number of finished runs.
type place struct{ input, subtree, index int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.input, q.input), cmp.Compare(p.subtree, q.subtree), cmp.Compare(p.index, q.index))
}

// turnTo switches the worker to an input. own has the counts of the runs of that input so
// far.
func (w *explorer) turnTo(in *input, own *counts) {
	w.inputs, w.number, w.own = in.drawn, in.number, own
}

// Run runs the property once.
func (w *explorer) Run(s pulse.Strategy) explore.Run { return w.run(props.Plan{Strategy: s}) }

// run runs the property once with the current input and the given plan.
func (w *explorer) run(plan props.Plan) explore.Run {
	plan.Inputs, plan.EarlyTimers = w.inputs, w.earlyTimers
	w.last = w.runner.Run(plan)
	res := &w.last
	if text := drawsDiffer(res.Inputs, w.inputs); text != "" {
		res.Failure = &pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: text}
	}
	w.keeps, w.between, w.looks = w.keeps || res.Remembers, w.between || res.Between, w.looks || res.Looks
	w.doubts = w.doubts || res.Watches || res.Unproven()
	if res.System != nil && res.System.Timers() > 0 {
		w.timed = true
		if n := res.System.Options().EarlyTimers; n < 0 {
			w.early = math.MaxInt
		} else {
			w.early = max(w.early, n)
		}
	}
	return explore.Run{System: res.System, Failure: res.Failure, Watched: true}
}

// Done counts a run of the search, and stores it as a finding if it failed.
func (w *explorer) Done(run explore.Run) {
	if !run.Cut && !run.Probe {
		w.finished++
		w.own.finished++
		if w.orders != nil {
			w.orders[orderOf(&w.last)] = true
			if run.System != nil {
				w.seen.Add(run.System.Trace(), coverage.Run{})
			}
		}
	}
	switch {
	case run.Failure != nil && len(w.workers) > 1:
		w.keep(place{w.number, run.Subtree, run.Index}, run.Probe)
	case run.Failure != nil:
		w.keep(place{input: w.number, index: w.finished}, run.Probe)
	case w.last.Skipped:
		w.skipped++
		w.own.skipped++
		if w.last.Reason != "" {
			w.reason = w.last.Reason
		}
	case w.Passed != nil && !run.Cut:
		w.Passed("explore", &w.last)
	}
}

// Again drops the results for the current input, because its search restarts.
func (w *explorer) Again() {
	w.finished -= w.own.finished
	w.skipped -= w.own.skipped
	*w.own = counts{}
	maps.DeleteFunc(w.found, func(_ string, f *placed) bool { return f.place.input == w.number })
}

// keep stores the last run, which failed, unless an earlier failing run has the same
// signature.
func (w *explorer) keep(at place, probe bool) {
	signature := w.last.Failure.Signature()
	if old := w.found[signature]; old == nil || at.compare(old.place) < 0 {
		f := w.finding()
		w.meet(signature, f)
		w.found[signature] = &placed{f, max(0, w.finished-1), at, probe}
	}
}

func (w *explorer) finding() *finding.Finding {
	p := &w.property
	return finding.From(finding.Origin{Property: p.Name, Test: p.Test, Strategy: "explore", Seed: w.Seed}, &w.last)
}

// noteLast stores the last run if it failed and r has not counted its failure. It is called
// if r ended because the program is nondeterministic.
func (w *explorer) noteLast(r *explore.Result) {
	f := w.last.Failure
	if f == nil || f.Kind == pulse.KindNondeterminism || r.Failures[f.Signature()] > 0 {
		return
	}
	r.Failures[f.Signature()] = 1
	w.keep(place{input: w.number, subtree: math.MaxInt}, false)
}

// drawsDiffer says how the draws of a run differ from the draws of the chosen input. It
// returns "" if they are the same.
func drawsDiffer(run, chosen []choice.Input) string {
	const why = "a property's draws must depend on its earlier draws alone"
	for i := range min(len(run), len(chosen)) {
		if run[i].Label != chosen[i].Label {
			return fmt.Sprintf("draw %d is %q, and was %q in the previous run: %s", i, run[i].Label, chosen[i].Label, why)
		}
	}
	if len(run) != len(chosen) {
		return fmt.Sprintf("there are %s, and were %d in the previous run: %s", words.Count(len(run), "draw"), len(chosen), why)
	}
	return ""
}
