package explore

import (
	"maps"
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

// A subtree is where one begins, and what it came to.
type subtree struct {
	start    func(*search) way // returns the way to go through it; nil once that is done
	tally    tally
	finished bool
	over     handover // what the search must begin again with; zero while it need not
}

// A team is several workers that go through one tree.
type team struct {
	*search // of what is above the subtrees
	workers []Worker
	meter   *meter // nil unless somebody wants to know how far the search is
	trees   []subtree
	next    atomic.Int64 // the first subtree that no worker has taken
	first   atomic.Int64 // the first subtree that ends the search
	runs    atomic.Int64 // that all workers have made
}

// explore splits the tree and has the workers go through the subtrees. It
// reports whether the tree is done.
func (tm *team) explore() (finished bool) {
	split := tm.splitDepthFirst
	if tm.options.Reduction == Optimal {
		split = tm.splitOptimal
	}
	if !split() {
		return false
	}
	tm.first.Store(int64(len(tm.trees)))
	tm.runs.Store(int64(tm.tally.result.made()))
	var all sync.WaitGroup
	for _, w := range tm.workers {
		all.Go(func() { tm.work(w) })
	}
	all.Wait()
	if i := tm.first.Load(); i < int64(len(tm.trees)) && tm.trees[i].over.why != "" {
		tm.over = tm.trees[i].over
		return false
	}
	return tm.sum()
}

// splitDepthFirst goes through the first levels. It makes subtrees of what is
// below, and reports whether the search goes on. How many levels there must be
// is found out by trials.
func (tm *team) splitDepthFirst() bool {
	trial := *tm.options
	trial.Progress, trial.KeepOn = nil, true
	level := 1
	for ; level < mostLevels; level++ {
		s := newSearch(&trial, tm.worker, tm.limits.began, true)
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

// work has a worker go through one subtree after the other.
func (tm *team) work(w Worker) {
	for {
		i := tm.next.Add(1) - 1
		if i >= int64(len(tm.trees)) {
			return
		}
		tree := &tm.trees[i]
		s := tm.searchOf(w, i)
		tree.finished = tree.start(s).explore()
		tm.meter.note(&s.tally)
		if tree.over = s.over; s.mustBeginAgain() || s.tally.result.Bound == "failure" {
			tm.endAt(i)
		}
		tree.tally, tree.start = s.tally, nil
	}
}

// searchOf returns the search for subtree i.
func (tm *team) searchOf(w Worker, i int64) *search {
	s := newSearch(tm.options, w, tm.limits.began, false)
	s.bound, s.tally.subtree = tm.bound, int(i)+1
	s.limits.all = &tm.runs
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
func (tm *team) sum() (finished bool) {
	finished = true
	for i := range tm.trees {
		if int64(i) > tm.first.Load() {
			break
		}
		tm.tally.add(&tm.trees[i].tally)
		finished = finished && tm.trees[i].finished
	}
	tm.tally.setDistinct()
	return finished
}

// guess returns 0: one worker does not know what the others have seen.
func (tm *team) guess() float64 { return 0 }
