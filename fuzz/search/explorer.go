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

// An explorer runs the property with one input in the orders that package explore asks
// for.
type explorer struct {
	*exploring
	runner *counted
	inputs []choice.Input
	last   props.Result
	keeps  bool // the property has something that remembers
	// between and looks are Result.Between and Result.Looks, of any run.
	between, looks bool
	doubts         bool // a run had something that a reduction may be wrong about
	timed          bool // a run had timers
	early          int  // the maximum number of early timers in a run; MaxInt means no bound

	counts                    // of all inputs
	own    *counts            // of the input
	number int                // of the input
	found  map[string]*placed // by signature
}

// A counted is a runner that numbers its runs for a flight recorder.
type counted struct {
	*props.Runner
	slot  flight.Slot
	phase flight.Phase
	runs  int // that have begun
}

// Run runs the property once.
func (c *counted) Run(plan props.Plan) props.Result {
	c.slot.Begin(c.phase, c.runs)
	c.runs++
	return c.Runner.Run(plan)
}

// counts are counts of the search's runs; package explore also makes other runs.
type counts struct {
	finished int // ended by themselves
	skipped  int
	reason   string // the last one given for a skip
}

// A placed is a finding with its place in the exploration.
type placed struct {
	*finding.Finding
	index int // of the run among those that ended by themselves
	place place
	probe bool // a probe found it
}

// A place orders failing runs independently of the workers' speed. With one worker, runs
// come one after the other.
type place struct{ input, subtree, index int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.input, q.input), cmp.Compare(p.subtree, q.subtree), cmp.Compare(p.index, q.index))
}

// turnTo switches to another input with its counts so far.
func (w *explorer) turnTo(in *input, own *counts) {
	w.inputs, w.number, w.own = in.drawn, in.number, own
}

// Run runs the property once.
func (w *explorer) Run(s pulse.Strategy) explore.Run { return w.run(props.Plan{Strategy: s}) }

// run runs the property once with the input, by the given plan.
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

// Done counts a run of the search, and keeps it if it failed.
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

// Again forgets the results for the input so far.
func (w *explorer) Again() {
	w.finished -= w.own.finished
	w.skipped -= w.own.skipped
	*w.own = counts{}
	maps.DeleteFunc(w.found, func(_ string, f *placed) bool { return f.place.input == w.number })
}

// keep keeps the first failure of each signature.
func (w *explorer) keep(at place, probe bool) {
	signature := w.last.Failure.Signature()
	if old := w.found[signature]; old == nil || at.compare(old.place) < 0 {
		f := w.finding()
		w.meet(signature, f)
		w.found[signature] = &placed{f, max(0, w.finished-1), at, probe}
	}
}

// finding returns the last run as a finding.
func (w *explorer) finding() *finding.Finding {
	p := &w.property
	return finding.From(finding.Origin{Property: p.Name, Test: p.Test, Strategy: "explore", Seed: w.Seed}, &w.last)
}

// noteLast keeps the run that showed nondeterminism if it also failed.
func (w *explorer) noteLast(r *explore.Result) {
	f := w.last.Failure
	if f == nil || f.Kind == pulse.KindNondeterminism || r.Failures[f.Signature()] > 0 {
		return
	}
	r.Failures[f.Signature()] = 1
	w.keep(place{input: w.number, subtree: math.MaxInt}, false)
}

// drawsDiffer returns how the draws of a run differ from those of the chosen input, "" if
// they do not.
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

// manyRuns is how many runs of an incomplete exploration must have missed a situation to
// report it.
const manyRuns = 1000

// complaints returns why the exploration proves less than it seems to.
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
		if names := missed(runners); v.Watched { // a pruned order may reach them in between
			v.Unreached = names
		} else {
			list = append(list, neverReached(names, v.Runs)...)
		}
	}
	return list
}

// lost describes failures that were counted before the exploration continued from its file,
// by a process that was killed before it could show them.
func (x *exploring) lost(found map[string]*placed) (list []string) {
	for _, signature := range slices.Sorted(maps.Keys(x.verdict.Failures)) {
		if found[signature] == nil {
			list = append(list, fmt.Sprintf("%s failed (%s) before this exploration continued from %s, and nothing else is known of them: explore without it to see one",
				words.Count(x.verdict.Failures[signature], "run"), signature, x.File))
		}
	}
	return list
}

// which says which run a finding was, and how many failed in the same way.
func (x *exploring) which(f *placed) string {
	all, number := max(1, x.finishedRuns()), f.index+1
	several := len(x.workers) > 1 // then the number depends on the workers' speed
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
	return run
}

func (x *exploring) how() string { return fmt.Sprintf("(explore, %v)", x.verdict.Reduction) }

// divergence returns what is reported for a nondeterministic program: the run that showed
// it, and how two runs differ, if they do.
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
	return &Found{f, fmt.Sprintf("run %d of %d %s, %s", n, n, x.how(), words.Elapsed(x.verdict.Elapsed))}
}
