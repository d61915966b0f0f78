package explore

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Several workers share a tree by subtrees (Eta, section 6). The first levels
// are gone through by one, who takes up all that does not sleep there, so that
// nothing that is found in a subtree calls for anything outside of it: workers
// have nothing to tell each other and there is no lock on the tree, at which
// Eta's workers queued.

// A subtree is what a worker is given: the path to its root.
type subtree struct {
	frame   *frame // of the optimal search
	from    int    // the first step of the frame's run that is new
	stack   stack  // of the others
	touches touches
	verdict Result
	classes map[uint64]struct{}
	done    bool
	cut     bool      // something was left out because of a bound
	instead Reduction // to go over to, if it is not that of the search
}

// wantedSubtrees is how many subtrees there should be at least: enough that
// none is a large part of the whole. It does not depend on the number of
// workers, so that what they come to does not either.
const wantedSubtrees = 128

// mostLevels bounds the search for as many subtrees.
const mostLevels = 12

// A team is what the workers of one search have in common.
type team struct {
	trees []subtree
	next  atomic.Int64 // the first subtree that nobody has taken
	first atomic.Int64 // the first that ends the search: later ones are of no interest
	runs  atomic.Int64 // all that were made
	mu    sync.Mutex   // of Done
}

// ends notes that a subtree ends the search, by its first failure or because
// the program is beyond the reduction. Those before it are gone through: what
// the search comes to does not depend on who was faster.
func (tm *team) ends(number int64) {
	for {
		first := tm.first.Load()
		if number >= first || tm.first.CompareAndSwap(first, number) {
			return
		}
	}
}

// split goes through the first levels and returns the subtrees below. It is
// false when it was stopped there.
func (x *explorer) split() ([]subtree, bool) {
	level := 1
	for ; level < mostLevels; level++ {
		silent := x.options
		silent.Done, silent.Progress, silent.KeepOn = nil, nil, true
		y := x.upTo(level, silent)
		if finished := y.search(); !finished || len(y.trees) == 0 || len(y.trees) >= wantedSubtrees {
			break
		}
	}
	y := x.upTo(level, x.options)
	finished := y.search()
	x.adopt(y)
	return y.trees, finished
}

// upTo returns an explorer of the first levels.
func (x *explorer) upTo(level int, o Options) *explorer {
	y := newExplorer(x.program, o)
	y.began, y.walker.budget, y.walker.handOut, y.try = x.began, x.walker.budget, level, x.try
	return y
}

// adopt takes over what another explorer has come to.
func (x *explorer) adopt(y *explorer) {
	x.verdict, x.classes, x.walker.cut, x.walker.habits = y.verdict, y.classes, y.walker.cut, y.walker.habits
	x.instead = y.instead
}

// hand notes the subtree that the run has come to.
func (x *explorer) hand(t *trace.Trace) {
	w := &x.walker
	if w.options.sleeps() && len(t.Touches) > 0 {
		w.touches.keep(&w.stack, t)
	}
	x.trees = append(x.trees, subtree{
		stack:   stack{slices.Clone(w.nodes), slices.Clone(w.cands)},
		touches: touches{sets: slices.Clone(w.touches.sets), known: maps.Clone(w.touches.known)},
	})
}

// share has workers go through the subtrees and adds up what they come to.
func (x *explorer) share() bool {
	split := x.split
	if x.options.Reduction == Optimal {
		split = x.splitOptimal
	}
	trees, ok := split()
	if !ok {
		return false
	}
	tm := &team{trees: trees}
	tm.first.Store(int64(len(trees)))
	tm.runs.Store(int64(x.verdict.Runs + x.verdict.Wasted + x.verdict.Cut))
	var all sync.WaitGroup
	for i := range x.options.Workers {
		program := x.program
		if i > 0 {
			program = x.options.More()
		}
		all.Go(func() { x.work(tm, program) })
	}
	all.Wait()
	if i := tm.first.Load(); i < int64(len(trees)) && trees[i].instead != x.options.Reduction {
		x.instead = trees[i].instead
		return false
	}
	return x.sum(tm)
}

// splitOptimal goes through one frame after the other, each without those that
// it leads to, until there are enough. A frame has nothing to do with others.
func (x *explorer) splitOptimal() ([]subtree, bool) {
	v := x.newVarier()
	v.handOut, v.handed = true, []subtree{{frame: &frame{}}}
	for len(v.handed) > 0 && len(v.handed) < wantedSubtrees {
		tree := v.handed[0]
		v.handed = v.handed[1:]
		if !v.through(tree.frame, tree.from) {
			return nil, false
		}
	}
	return v.handed, true
}

// work takes one subtree after the other.
func (x *explorer) work(tm *team, program Program) {
	for {
		i := tm.next.Add(1) - 1
		if i >= int64(len(tm.trees)) {
			return
		}
		tree := &tm.trees[i]
		y := newExplorer(program, x.options)
		y.began, y.team, y.subtree, y.meter, y.try = x.began, tm, int(i)+1, x.meter, x.try
		finished := y.through(tree, x.walker.budget)
		y.note()
		if tree.instead = y.instead; tree.instead != x.options.Reduction {
			tm.ends(i)
		}
		tree.verdict, tree.classes, tree.done = y.verdict, y.classes, finished
		tree.cut = y.walker.cut
		tree.frame, tree.stack, tree.touches = nil, stack{}, touches{}
	}
}

// through goes through one subtree.
func (x *explorer) through(tree *subtree, budget int32) bool {
	if tree.frame != nil {
		return x.newVarier().through(tree.frame, tree.from)
	}
	w := &x.walker
	w.stack, w.touches = tree.stack, tree.touches
	w.floor, w.budget = len(tree.stack.nodes), budget
	x.from = x.branch()
	return x.search()
}

// sum adds up the subtrees up to the first in which a failure was found.
func (x *explorer) sum(tm *team) bool {
	finished := true
	for i := range tm.trees {
		if int64(i) > tm.first.Load() {
			break
		}
		tree := &tm.trees[i]
		x.verdict.add(&tree.verdict)
		for class := range tree.classes {
			x.classes[class] = struct{}{}
		}
		x.walker.cut = x.walker.cut || tree.cut
		finished = finished && tree.done
	}
	switch {
	case x.options.sleeps():
		x.verdict.Distinct = x.verdict.Runs
	case x.classes != nil:
		x.verdict.Distinct = len(x.classes)
	default:
		x.verdict.Distinct = -1
	}
	return finished
}

// add adds what another part of the tree came to.
func (v *Result) add(o *Result) {
	v.Runs += o.Runs
	v.Wasted += o.Wasted
	v.Cut += o.Cut
	v.Steps += o.Steps
	for signature, n := range o.Failures {
		v.Failures[signature] += n
	}
	if v.Bound == "" {
		v.Bound = o.Bound
	}
	if v.Nondeterminism == "" {
		v.Nondeterminism = o.Nondeterminism
	}
}
