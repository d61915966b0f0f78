package search

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

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

// manyRuns is the minimum number of runs after which an incomplete exploration reports the
// situations that no run reached.
const manyRuns = 1000

// complaints returns reasons why the exploration proves less than it seems to.
func (x *exploring) complaints(v *Verdict, failed bool) (list []string) {
	var runners []*props.Runner
	reason := x.inputs.skips
	for _, w := range x.workers {
		runners = append(runners, w.runner.Runner)
		v.Skipped += w.skipped
		if w.reason != "" {
			reason = w.reason
		}
		if w.keeps && x.Method.States != explore.NoStates {
			list = append(list, errKeeps.Error())
		}
	}
	for _, f := range late(runners) {
		list = append(list, f.Error())
	}
	if why := v.doubt(); why != "" {
		list = append(list, why)
	}
	list = append(list, rejections(x.inputs.rejected, x.inputs.tooLarge, x.inputs.tries)...)
	switch tested := v.Runs - (v.Skipped - x.inputs.skipped); {
	case v.Skipped == 0:
	case v.Runs == 0:
		list = append(list, fmt.Sprintf("nothing was tested: %s, and all skipped (%s)", words.Count(v.Skipped, "input"), reason))
	case tested == 0:
		list = append(list, fmt.Sprintf("nothing was tested: %s, and all skipped (%s)", words.Count(v.Skipped, "run"), reason))
	default:
		list = append(list, skips(tested, v.Runs, reason)...)
	}
	v.crowded = isCrowded(runners)
	if !failed && v.Nondeterminism == "" && (v.Complete || v.Runs >= manyRuns) {
		if names := missed(runners); v.Watched { // a pruned order may reach one of the missed situations
			v.Unreached = names
		} else {
			list = append(list, neverReached(names, v.Runs)...)
		}
	}
	return list
}

// lost describes failures that are counted but missing in found. They were counted before
// the exploration continued from its file, by a process that was killed before it reported
// them.
func (x *exploring) lost(found map[string]*placed) (list []string) {
	for _, signature := range slices.Sorted(maps.Keys(x.verdict.Failures)) {
		if found[signature] == nil {
			list = append(list, fmt.Sprintf("%s failed (%s) before this exploration continued from %s, and nothing else is known of them: explore without this file to see such a run",
				words.Count(x.verdict.Failures[signature], "run"), signature, x.File))
		}
	}
	return list
}

// describe returns a finding with a description of its run, such as "run 3 of 24 (explore, optimal), 0.2ms".
func (x *exploring) describe(f *placed) Found {
	all, number := max(1, x.finishedRuns()), f.index+1
	several := len(x.workers) > 1 // with several workers, the index depends on their speed
	if several {
		number = all
	}
	run := fmt.Sprintf("run %d of %d", number, all)
	switch {
	case f.probe && x.verdict.refuted != noDoubt:
		run = fmt.Sprintf("a confirming run after %s", words.Count(number, "run"))
	case f.probe:
		run = fmt.Sprintf("a random run, in addition to %s", words.Count(number, "run"))
	case several:
		run = fmt.Sprintf("one of %s", words.Count(all, "run"))
	}
	run += fmt.Sprintf(" %s, %s", x.how(), words.Elapsed(x.verdict.Elapsed))
	if x.KeepOn {
		run += fmt.Sprintf(", %s failed so", words.Count(x.verdict.Failures[f.Failure.Signature()], "run"))
	}
	if f.probe || several {
		number = 0
	}
	return Found{f.Finding, run, number}
}

func (x *exploring) how() string { return fmt.Sprintf("(explore, %v)", x.verdict.Reduction) }

// divergence returns the finding that is reported for a nondeterministic program. It says
// how two runs differ, if known.
func (x *exploring) divergence() *Found {
	w := x.workers[0]
	for _, other := range x.workers {
		if f := other.last.Failure; f != nil && f.Kind == pulse.KindNondeterminism {
			w = other
			break
		}
	}
	if w.last.Failure == nil {
		w.last.Failure = &pulse.Failure{Kind: pulse.KindNondeterminism}
	}
	f := w.finding()
	f.Failure = &pulse.Failure{Kind: pulse.KindNondeterminism, Step: -1, Text: "the program does not repeat itself"}
	f.Location, f.Differs = pulse.Frame{}, x.verdict.Nondeterminism
	if how := f.Difference(w.runner.Runner); how != "" {
		f.Differs = how
	}
	n := x.finishedRuns() + 1
	return &Found{f, fmt.Sprintf("run %d of %d %s, %s", n, n, x.how(), words.Elapsed(x.verdict.Elapsed)), n}
}
