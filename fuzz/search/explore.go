package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// ExploreOptions configure Explore.
type ExploreOptions struct {
	// Method says how to search the tree of orders of one input.
	Method explore.Method
	// Runs is the maximum number of runs, over all inputs; zero means that only the
	// context limits the exploration.
	Runs int
	// Inputs is the number of random inputs per combination of OneOf values, for
	// properties that also use other draws; zero means 10.
	Inputs int
	// Seed determines the random inputs and all random runs.
	Seed uint64
	// Workers is the number of goroutines that run the property concurrently; zero
	// means one.
	Workers int
	// KeepOn makes the exploration continue after a failure.
	KeepOn bool
	// Estimate asks for an estimated total number of runs in Verdict.Estimate.
	Estimate bool
	// File is the file in which the state of the exploration is saved. If the file
	// exists, the exploration continues from the saved state.
	File string
	// Progress is called with the progress of the exploration. It may be nil.
	Progress func(explore.Progress)
	// Passed is called for each run that passed. It may be nil.
	Passed func(arm string, res *props.Result)
	// Met is called with the first failing run of each signature, as soon as the run
	// ends. Calls do not overlap. The final finding may be another run with the same
	// signature, and is confirmed by replays. Met may be nil.
	Met func(*finding.Finding)
}

// An Exploration is the result of exploring the orders of a property.
type Exploration struct {
	Verdict Verdict
	// Found lists the first failing run of each signature, confirmed by replays. The
	// order of the list does not depend on the speed of the workers.
	Found []Found
	// Divergence is the run that showed that the program is nondeterministic; nil if no
	// run did.
	Divergence *Found
	// Complaints lists reasons why the exploration proves less than it seems to. A
	// test should fail for each.
	Complaints []string
	// Lost lists failures of which only the signature is known. A test should fail
	// for each.
	Lost []string
}

// A Found is a finding with a description of its run.
type Found struct {
	*finding.Finding
	Run    string
	Number int // the number of the run, from 1; 0 if unknown
}

var (
	errKeeps = errors.New("states cannot be compared for a property with Eventually, a monitor or a history: what they have seen " +
		"is not part of a state, so two runs in one state may differ in outcome; leave States out, or use Always")
	errManyInputs = errors.New("an exploration can be saved in a file only if there is one input, and this property draws: " +
		"a file holds the rest of one tree of orders; fix the draws, or leave File out")
)

// Explore runs a property in every order that o.Method asks for. Inputs take turns, a few
// runs each. Explore ends when all inputs are done, a run fails (unless o.KeepOn is set),
// o.Runs runs were performed or the context is done. If the exploration is complete but
// has pruned orders, Explore confirms it with further runs: all orders if they are few,
// and random ones. It does not confirm an exploration that used up o.Runs. The error says
// why the property cannot be explored with these options.
func Explore(ctx context.Context, p Property, o ExploreOptions) (Exploration, error) {
	x := newExploring(ctx, p, o)
	defer x.close()
	if err := x.all(); err != nil {
		return Exploration{Verdict: x.verdict}, err
	}
	x.confirm()
	return x.result(), nil
}

// An exploring is the state of one call to Explore.
type exploring struct {
	ExploreOptions
	ctx      context.Context
	property Property
	began    time.Time
	deadline time.Time // zero if there is none
	verdict  Verdict
	inputs   *inputs
	workers  []*explorer
	made     int // the number of runs, including wasted runs and probes: see madeBy

	begun      int      // the number of inputs begun
	open       []*input // the inputs that were begun and are not done
	turn       *input   // the current input
	done       []*input // the first completed inputs, which confirm runs again
	ended      bool     // set if the exploration must not make further runs
	incomplete bool     // set if some input is incomplete

	mu  sync.Mutex
	met map[string]bool // the signatures that were already reported to Met

	// The following fields are for Exhaust.
	noDraws     bool             // set to stop at the first input with a draw other than OneOf
	earlyTimers int              // the maximum number of early timers in a run
	orders      map[uint64]bool  // the orders of the runs, as hashes made by orderOf; nil if not needed
	seen        *coverage.Orders // the receive pairs of the runs; nil if not needed
}

func newExploring(ctx context.Context, p Property, o ExploreOptions) *exploring {
	x := &exploring{ExploreOptions: o, ctx: ctx, property: p, began: time.Now()}
	x.deadline, _ = ctx.Deadline()
	x.verdict.Failures, x.met = map[string]int{}, map[string]bool{}
	x.verdict.Reduction, x.verdict.asked = o.Method.Reduction, o.Method
	for i := range max(1, o.Workers) {
		r := &counted{Runner: p.NewRunner(), slot: p.Recorder.Slot(i), phase: flight.Explore}
		x.workers = append(x.workers, &explorer{exploring: x, runner: r, found: map[string]*placed{}})
	}
	x.inputs = newInputs(x.workers[0].runner, o.Seed, o.Inputs, func() bool { return x.bound() != explore.NoBound })
	return x
}

func (x *exploring) close() {
	for _, w := range x.workers {
		w.runner.Close()
	}
}

// bound returns the bound on the whole exploration that was reached, or NoBound.
func (x *exploring) bound() explore.Bound {
	switch {
	case x.Runs > 0 && x.made >= x.Runs:
		return explore.BoundRuns
	case !x.deadline.IsZero() && !time.Now().Before(x.deadline):
		return explore.BoundTime
	case x.ctx.Err() != nil:
		return explore.BoundStop
	}
	return explore.NoBound
}

// reduces reports whether the search is asked to prune orders.
func (x *exploring) reduces() bool { return x.Method.Reduction != explore.Everything || x.Method.Sleep }

// noteWatched sets Verdict.Watched if orders were pruned and the property observes states
// between the steps of several actors. An observer might tell the pruned orders apart.
func (x *exploring) noteWatched(in *input) {
	if in.result.Reduction == explore.Everything && !in.result.Sleep {
		return
	}
	for _, w := range x.workers {
		x.verdict.Watched = x.verdict.Watched || w.between || in.between
		x.verdict.looked = x.verdict.looked || w.looks
	}
}

// madeBy returns the number of all runs made for one input so far, including wasted runs,
// cut runs and probes.
func madeBy(r *explore.Result) int {
	runs := r.Runs
	if len(r.Levels) > 0 { // if a bound was raised, r.Runs counts only the runs with the last bound
		runs = 0
		for _, l := range r.Levels {
			runs += l.Runs
		}
	}
	return runs + r.Wasted + r.Cut + r.Probes
}

// refusal returns an error if the property cannot be explored with these options.
func (x *exploring) refusal() error {
	switch {
	case x.Method.States != explore.NoStates && x.inputs.keeps:
		return errKeeps
	case x.File != "" && !x.inputs.single():
		return errManyInputs
	}
	return nil
}

// meet calls Met with a finding if it is the first with its signature.
func (x *exploring) meet(signature string, f *finding.Finding) {
	if x.Met == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.met[signature] {
		x.met[signature] = true
		x.Met(f)
	}
}

// tell reports the progress p of the current input together with that of all other inputs.
// If there may be several inputs, the total number of runs is unknown.
func (x *exploring) tell(p explore.Progress) {
	if x.inputs.single() {
		if !p.Done { // the end of the exploration is reported with the verdict
			x.Progress(p)
		}
		return
	}
	p.Elapsed, p.Estimate, p.Left, p.Done = time.Since(x.began), 0, 0, false
	for _, in := range x.open {
		if in != x.turn {
			p.Runs += in.result.Runs
			p.Wasted += in.result.Wasted + in.result.Cut
			p.Probes += in.result.Probes
			for _, n := range in.result.Failures {
				p.Failures += n
			}
		}
	}
	x.verdict.addTo(&p)
	x.Progress(p)
}

// result confirms the findings and returns the result of the exploration.
func (x *exploring) result() Exploration {
	out := Exploration{Verdict: x.verdict}
	v := &out.Verdict
	v.existing = x.property.Existing
	for _, w := range x.workers {
		v.timed, v.early = v.timed || w.timed, max(v.early, w.early)
	}
	found := x.merged()
	for signature := range found {
		if v.Failures[signature] == 0 {
			delete(found, signature)
		}
	}
	out.Complaints = x.complaints(v, len(found) > 0)
	for _, f := range sortedByPlace(found) {
		f.Confirm(x.workers[0].runner.Runner)
		out.Found = append(out.Found, x.describe(f))
	}
	out.Lost = x.lost(found)
	if v.Nondeterminism != "" {
		out.Divergence = x.divergence()
	}
	return out
}

// merged returns the first failing run of each signature among the runs of all workers.
func (x *exploring) merged() map[string]*placed {
	all := map[string]*placed{}
	for _, w := range x.workers {
		for signature, f := range w.found {
			if old := all[signature]; old == nil || f.place.compare(old.place) < 0 {
				all[signature] = f
			}
		}
	}
	return all
}

func sortedByPlace(found map[string]*placed) []*placed {
	var list []*placed
	for _, f := range found {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *placed) int { return a.place.compare(b.place) })
	return list
}

// finishedRuns returns the number of finished runs: see counts.
func (x *exploring) finishedRuns() (n int) {
	for _, w := range x.workers {
		n += w.finished
	}
	return n
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
