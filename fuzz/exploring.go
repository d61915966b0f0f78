package fuzz

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
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
	made      atomic.Int64 // runs, whatever came of them

	workers []*explorer

	mu    sync.Mutex
	found map[string]*finding // by signature
}

// An explorer is what one worker runs the property with.
type explorer struct {
	runner  *props.Runner
	last    props.Result
	skipped int
	skips   string // the last reason given
	keeps   bool   // the property had something that remembers
}

func newExploring(tb testing.TB, e Exploration, s settings, property func(*props.T)) *exploring {
	x := &exploring{checker: newChecker(tb, s, property), Exploration: e, found: map[string]*finding{}}
	x.verdict.Failures = map[string]int{}
	x.inputs = newInputs(x.worker(0).runner, s.seed, e.Inputs, func() bool { return x.bound() != "" })
	return x
}

// worker returns worker i, which is one more than there were or one of those.
func (x *exploring) worker(i int) *explorer {
	if i == len(x.workers) {
		x.workers = append(x.workers, &explorer{runner: props.NewRunner(x.t.Name(), x.property)})
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
	case x.runs > 0 && int(x.made.Load()) >= x.runs:
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
		if x.States != NoStates && x.inputs.keeps {
			x.t.Fatal(cannotCompare)
		}
		x.verdict.Watched = x.verdict.Watched || x.inputs.watches && x.reduces()
		v := x.one()
		x.verdict.add(&v)
		complete = complete && v.Complete
		if v.Nondeterminism != "" || v.Clash != "" || v.Bound == "failure" {
			break
		}
	}
	if x.inputs.cut && x.verdict.Bound == "" {
		x.verdict.Bound = x.bound()
	}
	x.verdict.Complete = complete && x.verdict.Bound == "" && x.verdict.Inputs > 0
	x.settleFindings()
	x.verdict.Sampled = x.inputs.sampled
	x.verdict.Skipped = x.inputs.skipped
	x.verdict.Elapsed = time.Since(x.start)
}

const cannotCompare = "states cannot be compared under a property with Eventually, a monitor or a history: what they have seen " +
	"is no part of a state, so that two runs in one state may be judged otherwise; leave States out, or say it by Always"

// one explores one input.
func (x *exploring) one() explore.Verdict {
	x.t.Helper()
	o := x.options()
	o.Seed = x.seed
	if x.runs > 0 {
		o.Runs = x.runs - int(x.made.Load())
	}
	if !x.deadline.IsZero() {
		o.Time = max(1, time.Until(x.deadline))
	}
	if x.settings.workers > 1 {
		o.Workers = x.settings.workers
		busy := 1
		o.More = func() explore.Program {
			busy++
			return x.program(x.worker(busy - 1))
		}
	}
	v, err := explore.Explore(x.program(x.workers[0]), o)
	if err != nil {
		x.t.Fatal(err)
	}
	if v.Bound == "" && len(x.found) > 0 && !x.KeepOn {
		v.Bound, v.Complete = "failure", false // in a run that was given up
	}
	return v
}

// program is the property with the current input, as one worker runs it.
func (x *exploring) program(w *explorer) explore.Program {
	plan := props.Plan{Inputs: x.inputs.drawn}
	return func(s pulse.Strategy) explore.Run {
		x.made.Add(1)
		plan.Strategy = s
		w.last = w.runner.Run(plan)
		if w.last.Failure != nil || w.last.Skipped || w.last.Stray != "" || len(w.last.Inputs) != len(plan.Inputs) {
			x.note(w, plan.Inputs)
		}
		w.keeps = w.keeps || w.last.Remembers
		return explore.Run{System: w.last.System, Failure: w.last.Failure}
	}
}

// note looks at a run that is not like most.
func (x *exploring) note(w *explorer, drawn []choice.Input) {
	res := &w.last
	if text := drawsDiffer(res.Inputs, drawn); text != "" {
		res.Failure = &pulse.Failure{Kind: pulse.Misuse, Step: -1, Text: text}
	}
	switch {
	case res.Failure == nil:
		w.skipped++
		if n := len(res.Logs); n > 0 {
			w.skips = res.Logs[n-1]
		}
	case res.Failure.Kind != pulse.Nondeterminism: // else the exploration has given up the run
		x.keepFinding(res)
	}
}

// drawsDiffer says how the draws of a run differ from what was drawn when its
// input was chosen, "" when they do not.
func drawsDiffer(run, chosen []choice.Input) string {
	const why = "what a property draws must follow from its earlier draws alone"
	for i := range min(len(run), len(chosen)) {
		if run[i].Label != chosen[i].Label {
			return fmt.Sprintf("draw %d is %q, and was %q in the run before: %s", i, run[i].Label, chosen[i].Label, why)
		}
	}
	if len(run) != len(chosen) {
		return fmt.Sprintf("there are %s, and were %d in the run before: %s", plural(len(run), "draw"), len(chosen), why)
	}
	return ""
}

// keepFinding keeps the first failure of each signature, whether package
// explore takes the run for one that came to its end or has given it up after
// the property had complained. Of several workers none is first; then it is
// the shortest run that is kept.
func (x *exploring) keepFinding(res *props.Result) {
	x.mu.Lock()
	defer x.mu.Unlock()
	signature := res.Failure.Signature()
	if old := x.found[signature]; old != nil && (x.settings.workers == 1 || !isShorter(res.System, old)) {
		return
	}
	f := newFinding(x.t.Name(), "explore", x.seed, res)
	f.index = int(x.made.Load()) - 1
	x.found[signature] = f
}

// isShorter says whether a run comes before a finding: it has fewer steps, or
// as many and, so that it does not depend on which was first, a lower hash.
func isShorter(s *pulse.System, f *finding) bool {
	if s == nil || f.trace == nil {
		return s == nil && f.trace != nil
	}
	t := s.Trace()
	return len(t.Steps) < f.steps() || len(t.Steps) == f.steps() && t.Hash < f.trace.Hash
}

// judge says what was found and fails the test accordingly.
func (x *exploring) judge() {
	x.t.Helper()
	x.complain()
	v := &x.verdict
	for _, f := range slices.SortedFunc(maps.Values(x.found), func(a, b *finding) int { return a.index - b.index }) {
		x.keep(f, x.workers[0].runner, x.which(f))
	}
	switch {
	case v.Nondeterminism != "":
		x.fail(x.divergence(), fmt.Sprintf("run %d of %d %s, %s", x.made.Load(), x.made.Load(), x.how(), rounded(v.Elapsed)), "")
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

// settleFindings makes the verdict and the findings agree. Where the first
// failure ends the exploration, several workers may have found others
// meanwhile; and package explore does not count what failed in a run that it
// has given up.
func (x *exploring) settleFindings() {
	counted := x.verdict.Failures
	one := !x.KeepOn && len(counted) > 0
	for signature := range x.found {
		switch {
		case one && counted[signature] == 0:
			delete(x.found, signature)
		case counted[signature] == 0:
			counted[signature] = 1
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
	run := fmt.Sprintf("run %d of %d", f.index+1, x.made.Load())
	if x.settings.workers > 1 { // which it was depends on how fast each worker is
		run = fmt.Sprintf("one of %d runs", x.made.Load())
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
		return w.last.Failure != nil && w.last.Failure.Kind == pulse.Nondeterminism
	})
	w := x.workers[max(i, 0)]
	f := newFinding(x.t.Name(), "explore", x.seed, &w.last)
	f.failure = &pulse.Failure{Kind: pulse.Nondeterminism, Step: -1, Text: "the program does not repeat itself"}
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
