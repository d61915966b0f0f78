package explore

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Several workers share a tree by subtrees (Eta, section 6). One worker goes
// through the first levels, and marks everything there that does not sleep.
// Then nothing that is found in a subtree calls for anything outside of it:
// workers have nothing to tell each other, and the tree needs no lock, at
// which Eta's workers queued.

// wantedSubtrees is how many subtrees there should be at least, so that none is
// a large part of the whole. It does not depend on the number of workers, so
// that the result does not either.
const wantedSubtrees = 128

// mostLevels bounds how many levels of picks may lie above the subtrees.
const mostLevels = 12

// A tree that one worker goes through in so many runs and steps is not split: all
// that is taken above the subtrees may be a thousand times of what a reduction leaves.
const (
	smallRuns  = 1000
	smallSteps = 20_000
)

// firstRound is how many runs of each subtree the first round makes. Each round
// makes twice as many as the one before, so that no subtree, however large, has
// the others wait; and none begins while a failure of the round before is known.
// The rounds do not depend on the number of workers either.
const firstRound = 16

// A subtree is where one begins, and what it came to so far.
type subtree struct {
	start    func(*search) way // returns the way to go through it; nil once that is begun
	search   *search           // nil before
	way      way
	done     bool // it is finished, or was ended by something else than a pause
	finished bool
}

// A team is several workers that go through one tree.
type team struct {
	*search // of what is above the subtrees and, after each round, of all
	workers []Worker
	meter   *meter // nil unless somebody wants to know how far the search is
	isSplit bool
	above   tally // of what is above the subtrees
	trees   []subtree
	open    []int        // the subtrees of the round
	round   int          // how many runs of each subtree it makes
	isLarge bool         // the tree has turned out to be: see prober
	next    atomic.Int64 // the first open subtree that no worker has taken
	first   atomic.Int64 // the first subtree that ends the search
}

// explore splits the tree and has the workers go through the subtrees, round by
// round. It reports whether the tree is done.
func (tm *team) explore() (finished bool) {
	part, before := tm.limits.untilPause, tm.tally.result.made()
	tm.limits.pause(0) // not while the tree is split
	if !tm.isSplit && !tm.split() {
		return false
	}
	for tm.findOpen() {
		left, bound := tm.left(part, before)
		if left == 0 {
			tm.tally.result.Bound, tm.limits.paused = bound, bound == ""
			return false
		}
		tm.makeRound(left)
		tm.sum()
	}
	if i := tm.first.Load(); i < int64(len(tm.trees)) {
		tm.over = tm.trees[i].search.over
		return false
	}
	return !slices.ContainsFunc(tm.trees, func(tree subtree) bool { return !tree.finished })
}

// split makes the subtrees. It reports whether the search goes on.
func (tm *team) split() (goesOn bool) {
	if tm.options.Reduction == Optimal {
		goesOn = tm.splitOptimal()
	} else {
		goesOn = tm.splitDepthFirst()
	}
	tm.isSplit, tm.round = goesOn, firstRound
	tm.above = tm.tally.clone()
	tm.first.Store(int64(len(tm.trees)))
	return goesOn
}

// findOpen finds the subtrees of the next round. It reports whether there is one.
func (tm *team) findOpen() bool {
	tm.open = tm.open[:0]
	if tm.first.Load() < int64(len(tm.trees)) || tm.tally.result.Bound != "" {
		return false
	}
	for i := range tm.trees {
		if !tm.trees[i].done {
			tm.open = append(tm.open, i)
		}
	}
	return len(tm.open) > 0
}

// left returns how many runs may be made until a bound is hit or, where that is
// "", until the search pauses.
func (tm *team) left(part, before int) (runs int, bound string) {
	made := tm.tally.result.made()
	runs = math.MaxInt
	if tm.limits.runs > 0 {
		runs, bound = max(0, tm.limits.runs-made), "runs"
	}
	if part > 0 && part-(made-before) < runs {
		runs, bound = max(0, part-(made-before)), ""
	}
	return runs, bound
}

// makeRound has the workers make so many runs at most, shared out to the open
// subtrees; when there are fewer runs than those, to the first of them.
func (tm *team) makeRound(left int) {
	each := min(tm.round, left/len(tm.open))
	if each == tm.round {
		tm.round *= 2
	}
	if each == 0 {
		each, tm.open = 1, tm.open[:left]
	}
	tm.isLarge = tm.tally.result.made() >= cmp.Or(tm.options.probeAfter, probeAfter)
	tm.next.Store(0)
	var all sync.WaitGroup
	for _, w := range tm.workers {
		all.Go(func() { tm.work(w, each) })
	}
	all.Wait()
}

// isSmall reports whether one worker goes through the tree soon. It finds out by a
// trial, which nobody is told of.
func (tm *team) isSmall() bool {
	if tm.options.Reduction == Everything || tm.options.splitsAll {
		return false
	}
	trial := tm.trial()
	trial.Runs = smallRuns
	s := newSearch(trial, tm.worker, tm.limits.began, true)
	s.bound = tm.bound
	s.limits.isVain = func() bool { return s.tally.result.Steps > smallSteps }
	return newDepthFirst(s).explore()
}

// trial returns the options of a trial.
func (tm *team) trial() *Options {
	o := *tm.options
	o.Progress, o.KeepOn = nil, true
	return &o
}

// splitDepthFirst goes through the first levels. It makes subtrees of what is
// below, and reports whether the search goes on. How many levels there must be
// is found out by trials. A small tree is one subtree.
func (tm *team) splitDepthFirst() bool {
	if tm.isSmall() {
		tm.trees = []subtree{{start: func(s *search) way { return newDepthFirst(s) }}}
		return true
	}
	trial := tm.trial()
	level := 1
	for ; level < mostLevels; level++ {
		s := newSearch(trial, tm.worker, tm.limits.began, true)
		s.bound = tm.bound
		roots, finished := firstLevels(s, level)
		if !finished || len(roots) == 0 || len(roots) >= wantedSubtrees {
			break
		}
	}
	s := newSearch(tm.options, tm.worker, tm.limits.began, false)
	s.bound = tm.bound
	roots, finished := firstLevels(s, level)
	tm.tally.add(&s.tally) // to what came of smaller bounds
	tm.over = s.over
	tm.trees = nil
	for _, r := range roots {
		tm.trees = append(tm.trees, subtree{start: func(s *search) way {
			d := newDepthFirst(s)
			d.startAt(r)
			return d
		}})
	}
	return finished
}

// firstLevels goes through the first levels of a tree, and returns the roots of
// what is below. It reports whether the search went through all of them.
func firstLevels(s *search, level int) (roots []root, finished bool) {
	d := newDepthFirst(s)
	d.walker.handOver = level
	finished = d.explore()
	return d.handed, finished
}

// splitOptimal goes through one frame after the other, without the frames that
// it leads to, until there are enough of these. It makes subtrees of them, and
// reports whether the search goes on. A frame does not depend on others.
func (tm *team) splitOptimal() bool {
	o := newOptimal(tm.search)
	o.handsOver, o.handed = true, []frameRoot{{frame: &frame{}}}
	for len(o.handed) > 0 && len(o.handed) < wantedSubtrees {
		r := o.handed[0]
		o.handed = o.handed[1:]
		o.startAt(r)
		if !o.explore() {
			return false
		}
	}
	tm.trees = nil
	known := o.unwanted
	for _, r := range o.handed {
		tm.trees = append(tm.trees, subtree{start: func(s *search) way {
			o := newOptimal(s)
			o.unwanted, o.habits.refused = maps.Clone(known), slices.Clone(tm.habits.refused)
			o.startAt(r)
			return o
		}})
	}
	return true
}

// work has a worker go on with one open subtree after the other.
func (tm *team) work(w Worker, runs int) {
	for {
		k := tm.next.Add(1) - 1
		if k >= int64(len(tm.open)) {
			return
		}
		i := int64(tm.open[k])
		tree := &tm.trees[i]
		if tree.way == nil {
			tree.search = tm.searchOf(w, i)
			tree.way, tree.start = tree.start(tree.search), nil
		}
		s := tree.search
		s.goTo(w)
		s.limits.pause(runs)
		s.prober.begin(tm.isLarge, s.tally.result.made(), len(tm.trees))
		tree.finished = !s.probeAsDue() && tree.way.explore()
		tree.done = !s.limits.paused
		tm.meter.note(&s.tally)
		if s.mustBeginAgain() || s.tally.result.Bound == "failure" {
			tm.endAt(i)
		}
		if tree.done {
			tree.way = nil
		}
	}
}

// searchOf returns the search for subtree i.
func (tm *team) searchOf(w Worker, i int64) *search {
	s := newSearch(tm.options, w, tm.limits.began, false)
	s.bound, s.tally.subtree = tm.bound, int(i)+1
	s.limits.runs = 0 // the team shares out runs
	s.limits.isVain = func() bool { return tm.first.Load() < i }
	if tm.options.Progress != nil {
		s.limits.nowAndThen = func() { tm.meter.report(&s.tally, s.boundText(), nil) }
	}
	return s
}

// endAt notes that subtree i ends the search, by its first failure or because
// the program is not one for the reduction. The subtrees before it are gone
// through all the same, so that the result does not depend on which worker is
// faster.
func (tm *team) endAt(i int64) {
	for {
		first := tm.first.Load()
		if i >= first || tm.first.CompareAndSwap(first, i) {
			return
		}
	}
}

// sum adds up the subtrees, up to the first one that ended the search.
func (tm *team) sum() {
	tm.tally = tm.above.clone()
	for i := range tm.trees {
		if tree := &tm.trees[i]; tree.search != nil && int64(i) <= tm.first.Load() {
			tm.tally.add(&tree.search.tally)
		}
	}
	tm.tally.setDistinct()
}

// guess returns 0: one worker does not know what the others have seen.
func (tm *team) guess() float64 { return 0 }
