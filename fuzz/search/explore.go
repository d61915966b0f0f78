package search

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/props"
)

// ExploreOptions configure Explore.
type ExploreOptions struct {
	// Method is how the tree of orders of one input is searched.
	Method explore.Method
	// Runs is the maximum number of runs, over all inputs; zero means no bound but the
	// context's.
	Runs int
	// For properties that use draws other than OneOf, Inputs is how many random inputs
	// are tried per combination of OneOf values; zero means 10. Seed determines them.
	Inputs int
	Seed   uint64
	// Workers is how many goroutines run the property concurrently; zero means one.
	Workers int
	// KeepOn continues after a failure.
	KeepOn bool
	// Estimate makes Verdict.Estimate.
	Estimate bool
	// File saves the rest of the exploration, to continue from there.
	File string
	// Progress is called with the progress of the exploration. It may be nil.
	Progress func(explore.Progress)
	// Passed is called for each run that passed. It may be nil.
	Passed func(arm string, res *props.Result)
	// Met is called with the first run of each failure as soon as it ends, by one
	// goroutine at a time. The final finding may be another run of the same failure,
	// and confirmed. It may be nil.
	Met func(*finding.Finding)
}

// An Exploration is the result of exploring the orders of a property.
type Exploration struct {
	Verdict Verdict
	// Found is the first failing run of each signature, confirmed, in an order
	// independent of the workers' speed.
	Found []Found
	// Divergence is the run that showed that the program is nondeterministic; nil if
	// none did.
	Divergence *Found
	// Complaints say why the exploration proves less than it seems to. Lost are
	// failures known only by their signature. A test should fail for each.
	Complaints, Lost []string
}

// A Found is a finding and a description of its run.
type Found struct {
	*finding.Finding
	Run string
}

var (
	errKeeps = errors.New("states cannot be compared for a property with Eventually, a monitor or a history: what they have seen " +
		"is not part of a state, so two runs in one state may differ in outcome; leave States out, or use Always")
	errManyInputs = errors.New("an exploration can be saved in a file only if there is one input, and this property draws: " +
		"a file holds the rest of one tree of orders; fix the draws, or leave File out")
)

// Explore runs a property in every order that the options ask for. The inputs take turns
// until all are done, a failure ends the exploration, the runs are used up or the context is
// done. If the exploration is complete but has pruned orders, more runs confirm it, unless
// the runs are used up: all orders if they are few, and random ones. The error says why the
// property cannot be explored as asked.
func Explore(ctx context.Context, p Property, o ExploreOptions) (Exploration, error) {
	x := newExploring(ctx, p, o)
	defer x.close()
	if err := x.all(); err != nil {
		return Exploration{Verdict: x.verdict}, err
	}
	x.confirm()
	return x.result(), nil
}

// exploring is one call of Explore.
type exploring struct {
	ExploreOptions
	ctx      context.Context
	property Property
	began    time.Time
	deadline time.Time // zero: none
	verdict  Verdict
	inputs   *inputs
	workers  []*explorer
	made     int // runs, whatever their results

	begun      int      // inputs
	open       []*input // inputs that were begun and are not done
	turn       *input   // the current one
	done       []*input // the first of the completed ones; see confirm
	ended      bool     // no input is to be continued
	incomplete bool     // some input is incomplete

	mu  sync.Mutex
	met map[string]bool // the signatures reported to Met

	// The following fields are for Exhaust.
	noDraws     bool             // ends at an input that is not by OneOf alone
	earlyTimers int              // given to runs
	orders      map[uint64]bool  // of the runs, by orderOf; nil if not needed
	seen        *coverage.Orders // of the runs; nil if not needed
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

// bound returns which bound of all inputs together was reached.
func (x *exploring) bound() explore.Bound {
	switch {
	case x.Runs > 0 && x.made >= x.Runs:
		return explore.BoundRuns
	case !x.deadline.IsZero() && time.Now().After(x.deadline):
		return explore.BoundTime
	case x.ctx.Err() != nil:
		return explore.BoundStop
	}
	return explore.NoBound
}

// reduces reports whether the search is asked to prune orders.
func (x *exploring) reduces() bool { return x.Method.Reduction != explore.Everything || x.Method.Sleep }

// noteWatched notes in the verdict whether orders were pruned that an observer of several
// actors might distinguish, and whether the property has one.
func (x *exploring) noteWatched(in *input) {
	if in.result.Reduction == explore.Everything && !in.result.Sleep {
		return
	}
	for _, w := range x.workers {
		x.verdict.Watched = x.verdict.Watched || w.between || in.between
		x.verdict.looked = x.verdict.looked || w.looks
	}
}

// madeBy returns how many runs one input has taken so far.
func madeBy(r *explore.Result) int {
	runs := r.Runs
	if len(r.Levels) > 0 { // then the result's counts are those of the last level
		runs = 0
		for _, l := range r.Levels {
			runs += l.Runs
		}
	}
	return runs + r.Wasted + r.Cut + r.Probes
}

// refusal returns why the property cannot be explored as asked.
func (x *exploring) refusal() error {
	switch {
	case x.Method.States != explore.NoStates && x.inputs.keeps:
		return errKeeps
	case x.File != "" && !x.inputs.single():
		return errManyInputs
	}
	return nil
}

// meet reports a finding to Met, if it is the first of its signature.
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

// tell reports the progress of the exploration, including completed inputs. If there may
// be further inputs, the total number of runs is unknown.
func (x *exploring) tell(p explore.Progress) {
	if x.inputs.single() {
		if !p.Done { // the end is reported with the verdict
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

// result returns the result of the exploration.
func (x *exploring) result() Exploration {
	out := Exploration{Verdict: x.verdict}
	v := &out.Verdict
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
		out.Found = append(out.Found, Found{f.Finding, x.which(f)})
	}
	out.Lost = x.lost(found)
	if v.Nondeterminism != "" {
		out.Divergence = x.divergence()
	}
	return out
}

// merged returns the first failing run of each signature.
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

// finishedRuns returns how many runs ended by themselves.
func (x *exploring) finishedRuns() (n int) {
	for _, w := range x.workers {
		n += w.finished
	}
	return n
}
