package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// exploring is one exploration of a property.
type exploring struct {
	*checker
	Exploration
	benchmark bool
	verdict   Verdict
	inputs    *inputs
	deadline  time.Time
	reporter  *reporter // nil unless somebody wants to know how far it is
	made      int       // runs for the inputs that are done with, whatever came of them

	workers []*explorer

	mu     sync.Mutex          // of what follows, and of what explorers have skipped
	found  map[string]*finding // by signature
	ended  int                 // runs that came to their end
	before int                 // the same, of the inputs that are done with
}

func newExploring(tb testing.TB, e Exploration, s settings, property func(*props.T)) *exploring {
	x := &exploring{checker: newChecker(tb, s, property), Exploration: e, found: map[string]*finding{}}
	x.verdict.Failures = map[string]int{}
	_, x.benchmark = tb.(*testing.B)
	x.reporter = x.newReporter()
	x.inputs = newInputs(x.worker(0).runner, s.seed, e.Inputs, func() bool { return x.bound() != "" })
	return x
}

// worker returns worker i, which is one more than there were or one of those.
func (x *exploring) worker(i int) *explorer {
	if i == len(x.workers) {
		x.workers = append(x.workers, &explorer{all: x, runner: props.NewRunner(x.t.Name(), x.property)})
	}
	return x.workers[i]
}

func (x *exploring) close() {
	for _, w := range x.workers {
		w.runner.Close()
	}
}

// bound says which bound of all inputs together was hit, "" for none.
func (x *exploring) bound() string {
	switch {
	case x.runs > 0 && x.made >= x.runs:
		return "runs"
	case !x.deadline.IsZero() && time.Now().After(x.deadline):
		return "time"
	}
	return ""
}

// explore goes through all inputs until something ends that.
func (x *exploring) explore() {
	x.t.Helper()
	x.start = time.Now()
	if x.budget > 0 {
		x.deadline = x.start.Add(x.budget)
	}
	complete := true
	for x.inputs.next() {
		x.refuse()
		x.verdict.Watched = x.verdict.Watched || x.inputs.watches && x.reduces()
		v := x.one()
		x.verdict.add(&v)
		x.made += madeBy(&v)
		complete = complete && v.Complete
		if v.Nondeterminism != "" || v.Clash != "" || v.Bound == "failure" {
			break
		}
	}
	if x.inputs.cut && x.verdict.Bound == "" {
		x.verdict.Bound = x.bound()
	}
	x.verdict.Complete = complete && x.verdict.Bound == "" && x.verdict.Inputs > 0
	maps.DeleteFunc(x.found, func(signature string, _ *finding) bool { return x.verdict.Failures[signature] == 0 })
	x.verdict.Sampled = x.inputs.sampled
	x.verdict.Skipped = x.inputs.skipped
	x.verdict.more = !x.inputs.single()
	x.verdict.Elapsed = max(x.verdict.Elapsed, time.Since(x.start)) // it is more when the search was gone on with
	x.reporter.end(&x.verdict)
}

// madeBy is how many runs one input took.
func madeBy(v *explore.Result) int {
	runs := v.Runs
	if len(v.Levels) > 0 { // then the verdict's are those of the last
		runs = 0
		for _, l := range v.Levels {
			runs += l.Runs
		}
	}
	return runs + v.Wasted + v.Cut
}

// refuse fails the test when the property is not one that can be explored as
// it was asked for.
func (x *exploring) refuse() {
	x.t.Helper()
	switch {
	case x.States != NoStates && x.inputs.keeps:
		x.t.Fatal(cannotCompare)
	case x.File != "" && !x.inputs.single():
		x.t.Fatal(cannotKeep)
	}
}

const cannotCompare = "states cannot be compared under a property with Eventually, a monitor or a history: what they have seen " +
	"is no part of a state, so that two runs in one state may be judged otherwise; leave States out, or say it by Always"

const cannotKeep = "an exploration can be kept in a file only when there is one input, and this property draws: " +
	"a file holds what is left of one tree of orders; fix what is drawn, or leave File out"

// one explores one input.
func (x *exploring) one() explore.Result {
	x.t.Helper()
	x.before = x.ended
	var workers []explore.Worker
	for i := range max(1, x.settings.workers) {
		workers = append(workers, x.worker(i))
	}
	for _, w := range x.workers {
		w.before, w.plan = w.skipped, props.Plan{Inputs: x.inputs.drawn}
	}
	o := x.options()
	o.Seed = x.seed
	if x.runs > 0 {
		o.Runs = x.runs - x.made
	}
	if !x.deadline.IsZero() {
		o.Time = max(1, time.Until(x.deadline))
	}
	if x.reporter != nil {
		o.Progress = x.tell
	}
	v, err := explore.Explore(o, workers...)
	if err != nil {
		x.t.Fatal(err)
	}
	if v.Nondeterminism != "" {
		x.noteLast(&v)
	}
	return v
}

// judge says what was found and fails the test accordingly.
func (x *exploring) judge() {
	x.t.Helper()
	x.complain()
	v := &x.verdict
	for _, f := range slices.SortedFunc(maps.Values(x.found), func(a, b *finding) int { return a.place.compare(b.place) }) {
		x.keep(f, x.workers[0].runner, x.which(f))
	}
	x.complainOfLost()
	switch {
	case v.Nondeterminism != "":
		x.fail(x.divergence(), fmt.Sprintf("run %d of %d %s, %s", x.ended+1, x.ended+1, x.how(), rounded(v.Elapsed)), "")
	case v.Clash != "":
		x.t.Error(v.Clash)
	case x.MustComplete && !v.Complete && len(v.Failures) == 0:
		x.t.Error(v)
		return
	}
	if !x.benchmark || !v.Complete {
		x.t.Log(v)
	}
	if b, ok := x.t.(*testing.B); ok && v.Distinct >= 0 {
		b.ReportMetric(float64(v.Distinct), "orders/op")
	}
}

// complainOfLost fails the test for failures that were counted before the
// exploration was gone on with, by a process that was killed before it could
// show them.
func (x *exploring) complainOfLost() {
	x.t.Helper()
	for _, signature := range slices.Sorted(maps.Keys(x.verdict.Failures)) {
		if x.found[signature] == nil {
			x.t.Errorf("%s failed (%s) before this exploration went on from %s, and nothing else is known of them: explore without it to see one",
				plural(x.verdict.Failures[signature], "run"), signature, x.File)
		}
	}
}

// manyRuns is how many runs must have missed a situation for that to be said
// of an exploration that is not complete.
const manyRuns = 1000

// complain fails a test that did not test what it seems to.
func (x *exploring) complain() {
	x.t.Helper()
	var runners []*props.Runner
	v, skips := &x.verdict, x.inputs.skips
	for _, w := range x.workers {
		runners = append(runners, w.runner)
		v.Skipped += w.skipped
		if w.skips != "" {
			skips = w.skips
		}
		if w.keeps && x.States != NoStates {
			x.t.Error(cannotCompare)
		}
	}
	x.complainOfLate(runners)
	x.complainOfRejected(x.inputs.rejected, x.inputs.tries)
	if v.Skipped-x.inputs.skipped == v.Runs && v.Skipped > 0 {
		what := "run"
		if v.Runs == 0 {
			what = "input"
		}
		x.t.Errorf("nothing was tested: %s, and all skipped (%s)", plural(v.Skipped, what), skips)
	}
	if len(x.found) == 0 && v.Nondeterminism == "" && (v.Complete || v.Runs >= manyRuns) {
		x.complainOfMissed(runners, v.Runs)
	}
}

// which says of a finding which run it was, and how many failed so.
func (x *exploring) which(f *finding) string {
	run := fmt.Sprintf("run %d of %d", f.index+1, max(1, x.ended))
	if x.settings.workers > 1 { // which it was depends on how fast each worker is
		run = fmt.Sprintf("one of %d runs", max(1, x.ended))
	}
	run += fmt.Sprintf(" %s, %s", x.how(), rounded(x.verdict.Elapsed))
	if x.KeepOn {
		run += fmt.Sprintf(", %s failed so", plural(x.verdict.Failures[f.failure.Signature()], "run"))
	}
	return run
}

func (x *exploring) how() string { return fmt.Sprintf("(explore, %v)", x.Reduction) }

// divergence is what is said of a program that does not repeat itself: the
// run in which that was noticed, and how two runs of it differ, if they do.
func (x *exploring) divergence() *finding {
	i := slices.IndexFunc(x.workers, func(w *explorer) bool {
		return w.last.Failure != nil && w.last.Failure.Kind == pulse.KindNondeterminism
	})
	w := x.workers[max(i, 0)]
	f := newFinding(x.t.Name(), "explore", x.seed, &w.last)
	f.failure = &pulse.Failure{Kind: pulse.KindNondeterminism, Step: -1, Text: "the program does not repeat itself"}
	f.location = ""
	f.differs = x.verdict.Nondeterminism
	if f.trace != nil {
		if d := differenceOf(w.runner, f); d != "" {
			f.differs = d
		}
	}
	return f
}

// timesCompared is how often a run is repeated to see how it differs.
const timesCompared = 10

// differenceOf makes the same decisions again and again and says what is
// different, "" when nothing is.
func differenceOf(r *props.Runner, f *finding) string {
	var first *trace.Trace
	for range timesCompared {
		again := strategy.Replay(&f.kase.Record, strategy.ReplayOptions{Lenient: true})
		res := r.Run(props.Plan{Inputs: f.kase.Inputs, Strategy: again})
		if res.System == nil {
			return ""
		}
		if first == nil {
			first = res.System.Trace().Clone()
			continue
		}
		if d, differ := trace.Diff(first, res.System.Trace()); differ {
			return d.String()
		}
	}
	return ""
}
