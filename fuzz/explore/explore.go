package explore

import (
	"fmt"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Program runs what is explored, once, with a strategy that makes its
// decisions. It must do the same whenever it is decided the same.
type Program func(s pulse.Strategy) Run

// A Run is what came of one run.
type Run struct {
	// System has the trace; nil when the program has made none.
	System *pulse.System
	// Failure is nil when what must hold did.
	Failure *pulse.Failure
	// Index counts the runs that came to an end, from 0. With several workers
	// it counts those of one subtree, and Subtree says which, from 1: then the
	// first run is that with the smallest numbers, whatever ended first.
	Index   int
	Subtree int
	// Cut says that the run did not come to its end, but had failed by then.
	Cut bool
	// Try counts how often the search has begun again with another reduction:
	// what runs of an earlier try came to does not count.
	Try int
}

// Explore runs a program in all orders that the options ask for.
func Explore(program Program, o Options) (Result, error) {
	if err := o.check(); err != nil {
		return Result{}, err
	}
	x := newExplorer(program, o)
	if err := x.open(); err != nil {
		return Result{}, err
	}
	x.measure()
	x.levels()
	x.verdict.Elapsed = time.Since(x.began)
	x.conclude()
	return x.verdict, x.file.close(x)
}

// An explorer goes through one tree, or one subtree of it.
type explorer struct {
	options  Options
	program  Program
	walker   walker
	strategy pulse.Strategy
	finder   finder
	verdict  Result
	classes  map[uint64]struct{} // of the distinct orders, if they are counted so
	began    time.Time
	clock    clock
	trees    []subtree // that were handed out
	team     *team     // nil unless this is one of several workers
	subtree  int       // which a worker goes through, from 1; 0 for what is above all subtrees
	from     int       // the first step in which the run may differ from the last
	recorded bool
	// instead is the reduction to go over to, when it is not that of the options.
	instead  Reduction
	try      int       // how often the search has begun again
	meter    *meter    // nil unless somebody wants to know how far it is
	brancher *brancher // of a search by random branches
	file     *keeper   // nil unless the search is kept in a file
}

func newExplorer(program Program, o Options) *explorer {
	x := &explorer{}
	x.begin(program, o, time.Now())
	return x
}

// begin makes an explorer ready to go through a tree from its root.
func (x *explorer) begin(program Program, o Options, began time.Time) {
	*x = explorer{options: o, program: program, began: began, meter: x.meter, file: x.file}
	x.walker.options, x.instead = &x.options, o.Reduction
	x.verdict.Failures, x.verdict.Reduction = map[string]int{}, o.Reduction
	x.recorded = o.Record || o.Reduction != Everything || o.Sleep || o.States != NoStates || o.CountDistinct || o.Preemptions != 0
	if o.CountDistinct && !o.sleeps() {
		x.classes = map[uint64]struct{}{}
	}
	x.walker.inTurn = o.Reduction == Everything && !o.Sleep && !o.bounded() && o.Ordering == OrderFIFO && o.States == NoStates
	x.walker.needs = pulse.Needs{Record: x.recorded, States: o.States != NoStates,
		Single: o.Depth > 0 || o.States != NoStates && !o.BigSteps}
	x.strategy = &x.walker
}

// search runs one path after the other until the tree is done. It says
// whether it is.
func (x *explorer) search() bool {
	for {
		run, ok := x.run()
		if !ok || x.finish(run) || x.clashes() {
			return false
		}
		if x.recorded && run.System != nil {
			x.reduce(run)
		}
		if x.instead != x.options.Reduction {
			return false
		}
		if !x.walker.next() {
			return true
		}
		x.from = x.branch()
		if x.bound() {
			return false
		}
	}
}

// clashes says whether two states were found to have one hash.
func (x *explorer) clashes() bool {
	x.verdict.States = len(x.walker.seen.entries)
	x.verdict.Clash = x.walker.seen.clash
	return x.verdict.Clash != ""
}

// branch is the first step that the next run does not share with the last.
func (x *explorer) branch() int {
	w := &x.walker
	if p := w.lastPick(); p >= 0 {
		return int(w.nodes[p].step)
	}
	return 0
}

// run takes one path. It is false when the program did not repeat itself.
func (x *explorer) run() (Run, bool) {
	x.walker.start()
	run := x.program(x.strategy)
	w := &x.walker
	if w.out == ended && w.at < len(w.nodes) {
		w.out, w.differs = diverged, endedEarly(run)
	}
	x.verdict.Nondeterminism = w.differs
	return run, w.out != diverged
}

// endedEarly says how a run ended before it had come to where the last one
// left its path.
func endedEarly(run Run) string {
	how := "with nothing left to deliver"
	if run.Failure != nil {
		how = "with: " + run.Failure.Text
	}
	if run.System == nil {
		return "the run had no system, " + how
	}
	return fmt.Sprintf("the run ended after %d steps, %s", run.System.Steps(), how)
}

// stepsOf is how many steps a run took.
func stepsOf(run Run) int {
	if run.System == nil {
		return 0
	}
	return run.System.Steps()
}

// finish counts a run. It says whether that was the last.
func (x *explorer) finish(run Run) (stop bool) {
	w, v := &x.walker, &x.verdict
	steps := stepsOf(run)
	v.Steps += steps - min(steps, x.from)
	switch {
	case w.out == handed:
		x.hand(run.System.Trace())
		v.Steps -= steps - min(steps, x.from) // the worker counts them
		return false
	case w.out == blocked:
		v.Wasted++
		return false
	case w.out != ended:
		v.Cut++
		run.Cut = true
		return run.Failure != nil && run.Failure.Kind != pulse.KindNondeterminism && x.fail(x.show(run))
	case x.options.sleeps() && run.System != nil && w.oversleeps(run.System.Trace()):
		v.Wasted++
		w.out = blocked
		return false
	}
	if last := len(w.nodes) - 1; last >= 0 {
		w.nodes[last].leaves++
	}
	if o := x.options.Ordering; (o == OrderHMS || o == OrderSGR) && run.System != nil {
		w.habits.learn(run.System.Trace())
	}
	if x.options.States != NoStates && run.System != nil && (run.Failure == nil || rested(run.System.Trace())) {
		w.seen.end(run.System, x.options.States == Checked)
	}
	run = x.show(run)
	v.Runs++
	x.count(run)
	return run.Failure != nil && x.fail(run)
}

// show says which run it was, and shows it to whoever wants to see it.
func (x *explorer) show(run Run) Run {
	run.Index, run.Subtree, run.Try = x.verdict.Runs, x.subtree, x.try
	if x.options.Done == nil {
		return run
	}
	if x.team != nil {
		x.team.mu.Lock()
		defer x.team.mu.Unlock()
	}
	x.options.Done(run)
	return run
}

// fail counts a run that failed. It says whether that was the last.
func (x *explorer) fail(run Run) (stop bool) {
	x.verdict.Failures[run.Failure.Signature()]++
	if x.options.KeepOn {
		return false
	}
	x.verdict.Bound = "failure"
	if x.team != nil {
		x.team.ends(int64(x.subtree) - 1)
	}
	return true
}

// count counts a distinct order.
func (x *explorer) count(run Run) {
	switch {
	case x.options.sleeps():
		x.verdict.Distinct = x.verdict.Runs
	case x.classes != nil && run.System != nil:
		x.classes[Class(run.System.Trace())] = struct{}{}
		x.verdict.Distinct = len(x.classes)
	default:
		x.verdict.Distinct = -1
	}
}

// reduce takes up, at the nodes of the run, what its races call for.
func (x *explorer) reduce(run Run) {
	w, t := &x.walker, run.System.Trace()
	if len(t.Touches) > 0 && x.options.sleeps() {
		w.touches.keep(&w.stack, t)
	}
	if x.options.Reduction == Everything {
		return
	}
	if run.Failure != nil && w.out == ended && !rested(t) || w.out == known || w.out == tooDeep {
		w.openPath() // what would have followed is not known
	}
	if run.System.Options().EarlyTimers != 0 {
		w.openPath() // in another order a step may come after a timer that this run came to rest for
	}
	x.finder.learn(&w.stack, t, x.from)
	if !x.finder.onlyMessages(x.from) {
		x.instead = Everything
		return
	}
	x.finder.limit = int32(len(t.Steps))
	if w.out == blocked {
		x.finder.limit = w.nodes[w.lastPick()].step + 1
	}
	races := x.finder.find(x.from)
	switch x.options.Reduction {
	case PersistentSets:
		x.addSends(x.from, x.addActor)
	case DCUTE:
		x.addSends(x.from, x.addDelay)
	}
	for _, r := range races {
		if n := x.nodeOf(r.step); n != nil {
			x.addRace(n, r)
		}
	}
}

// addRace takes up, at the pick of a race's step, what leads to its message
// coming first.
func (x *explorer) addRace(n *node, r race) {
	switch x.options.Reduction {
	case Optimal, SourceSets:
		x.addSource(n, r)
	case GoodSiblings:
		x.addSibling(n, r)
	}
}

// nodeOf returns the pick that a step came of; nil when there was nothing to
// pick, or all of it is taken up anyway.
func (x *explorer) nodeOf(step int32) *node {
	i := x.finder.node[step]
	if i < int32(x.walker.floor) {
		return nil
	}
	if n := &x.walker.nodes[i]; !n.open {
		return n
	}
	return nil
}

// rested says whether a run has come to rest.
func rested(t *trace.Trace) bool {
	n := len(t.Rests)
	return n > 0 && int(t.Rests[n-1]) == len(t.Steps)
}

// openPath takes up all candidates of all picks.
func (w *walker) openPath() {
	for i := w.floor; i < len(w.nodes); i++ {
		if n := &w.nodes[i]; n.kind == picks {
			w.open(n)
		}
	}
}

// Class is a number for a distinct order: for each actor, what it has
// received in which order.
func Class(t *trace.Trace) uint64 {
	sum := uint64(0)
	for i := range t.Actors {
		sum += mix(0, t.Actors[i].ID)
	}
	for i := range t.Steps {
		st := &t.Steps[i]
		prev := uint64(1)
		if st.Prev >= 0 {
			prev = t.Steps[st.Prev].ID
		}
		sum += mix(mix(mix(t.Actors[st.Actor].ID, prev), st.ID), uint64(st.Time))
	}
	return mix(sum, uint64(len(t.Steps)))
}
