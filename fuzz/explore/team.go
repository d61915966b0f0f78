package explore

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Several workers divide a tree into subtrees (the Eta paper, section 6), and explore the
// subtrees in rounds. The part of the tree above the subtrees (see trunk) changes only
// between two rounds. So workers need not communicate, and the tree needs no lock. The
// workers of the Eta paper have to wait for a lock of the tree.

// wantedSubtrees is the intended number of subtrees. It is large, so that no subtree is a
// large part of the tree. It does not depend on the number of workers, so that the result
// does not depend on that number.
const wantedSubtrees = 128

// mostSubtrees is the number of subtrees at which a search with Optimal is split no
// further.
const mostSubtrees = 4 * wantedSubtrees

// Each round performs twice as many runs of each subtree as the previous round. So all
// subtrees progress, even if one of them is large. No round begins after a failure. While
// there are fewer than fewTrees subtrees, rounds do not grow, because subtrees are
// divided between rounds.
const (
	firstRound = 16 // the number of runs of each subtree in the first round, with Optimal
	leastRound = 64 // the number of runs of all subtrees together in each round, with all reductions except Optimal
	fewTrees   = wantedSubtrees / 2
	runsATree  = 16 // the number of runs per additional subtree, large enough that the cost of a new subtree is negligible
)

// A subtree is a part of the tree that one worker explores at a time. It includes the
// results so far.
type subtree struct {
	number   int
	limb     limb                   // the place in the trunk at which the subtree begins
	start    func(*search, way) way // returns the algorithm that explores the subtree, and may reuse an old one; nil once the subtree is begun
	search   *search
	way      way // the algorithm of the subtree; before the subtree is begun, an algorithm to reuse, or nil
	left     int // the number of remaining runs in this round
	finished bool
}

// A team is several workers that explore one tree.
type team struct {
	*search // its tally has the results above the subtrees and, after each round, all results
	workers []Worker
	meter   *meter       // nil unless progress or an estimate is needed
	isSplit bool         // set if the first subtrees were made
	trunk   *trunk       // nil for Optimal, whose frames are independent
	above   tally        // the results of the runs above the subtrees and of completed subtrees
	trees   []*subtree   // the subtrees that are not completed, by number
	spare   []way        // algorithms of completed subtrees, to be reused
	made    int          // the number of subtrees made so far
	round   int          // the number of runs of each subtree in the current round
	fewest  int          // with Optimal, the maximum number of steps of a frame that is replaced by its variations; 0 if not known yet
	turn    []*subtree   // the subtrees that perform runs in the current round
	next    atomic.Int64 // the index in turn of the first subtree that no worker has taken
	first   atomic.Int64 // the number of the first subtree that ends the search; math.MaxInt64 for none
}

// newTeam returns a team that explores the tree of a search. The subtrees make the
// probes, and the search itself makes none.
func newTeam(s *search, workers []Worker, m *meter) *team {
	s.shareProbes(false, 0, 0)
	return &team{search: s, workers: workers, meter: m}
}

// explore splits the tree, and lets the workers explore the subtrees in rounds. It
// reports whether the tree is done.
func (tm *team) explore() (finished bool) {
	part, before := tm.limits.untilPause, tm.tally.result.made()
	tm.limits.pause(0) // no pause while the tree is split
	if !tm.isSplit && !tm.split() {
		return false
	}
	for tm.goesOn() {
		left, bound := tm.left(part, before)
		if left == 0 {
			tm.tally.result.Bound, tm.limits.paused = bound, bound == NoBound
			return false
		}
		tm.makeRuns(left)
		tm.sum()
	}
	for _, t := range tm.trees {
		if int64(t.number) == tm.first.Load() {
			tm.over = t.search.over
		}
	}
	return len(tm.trees) == 0
}

// split makes the first subtrees. It returns false if the search is over.
func (tm *team) split() (goesOn bool) {
	tm.first.Store(math.MaxInt64)
	if tm.options.Reduction == Optimal {
		tm.isSplit, tm.round = tm.splitOptimal(), firstRound
	} else {
		tm.isSplit, tm.round = true, 1
		tm.trunk = &trunk{sleeps: tm.options.sleeps()}
		tm.begin(limb{})
	}
	tm.above = tm.tally.clone()
	return tm.isSplit
}

// begin adds a subtree that begins at l, a place in the trunk.
func (tm *team) begin(l limb) *subtree {
	return tm.add(&subtree{limb: l, start: func(s *search, old way) way { return tm.trunk.way(s, l, old) }})
}

// add adds a subtree, and returns it.
func (tm *team) add(t *subtree) *subtree {
	tm.made++
	t.number = tm.made
	t.search = tm.searchOf(t.number)
	if last := len(tm.spare) - 1; last >= 0 {
		t.way, tm.spare = tm.spare[last], tm.spare[:last]
	}
	tm.trees = append(tm.trees, t)
	return t
}

// goesOn reports whether there are runs to make. If the round has no runs left, goesOn
// ends the round and begins the next.
func (tm *team) goesOn() bool {
	if tm.first.Load() < math.MaxInt64 || tm.tally.result.Bound != NoBound {
		return false
	}
	if slices.ContainsFunc(tm.trees, func(t *subtree) bool { return t.left > 0 }) {
		return true
	}
	if tm.trunk != nil {
		tm.takeStock()
	}
	tm.forget()
	if tm.trunk != nil {
		tm.divide()
	}
	tm.beginRound()
	return len(tm.trees) > 0
}

// takeStock exchanges marks (which candidates to explore) after a round. The trunk gets
// the marks of all subtrees, and each subtree gets the marks that other subtrees have
// made on nodes above it.
func (tm *team) takeStock() {
	for _, t := range tm.trees {
		if t.start == nil {
			tm.trunk.take(t)
		}
	}
	for _, t := range tm.trees {
		switch {
		case t.finished:
			tm.trunk.leave(t.limb.from)
		case t.start == nil:
			tm.trunk.give(t)
		}
	}
	tm.trunk.prune()
}

// forget removes completed subtrees, and adds their results to tm.above.
func (tm *team) forget() {
	tm.trees = slices.DeleteFunc(tm.trees, func(t *subtree) bool {
		if t.finished {
			tm.above.add(&t.search.tally)
			tm.meter.join(&tm.above, t.number)
			if tm.trunk != nil {
				tm.spare = append(tm.spare, t.way)
			}
		}
		return t.finished
	})
}

// divide begins subtrees at the marked branches of the trunk, and then divides existing
// subtrees, until there are enough subtrees.
func (tm *team) divide() {
	for _, j := range tm.trunk.junctions {
		for tm.mayBegin() && tm.trunk.begin(j, tm.begin) {
		}
	}
	for _, t := range tm.trees {
		if tm.mayBegin() && t.start == nil && tm.trunk.divide(t) {
			tm.trunk.begin(t.limb.from, tm.begin)
		}
	}
}

// mayBegin reports whether another subtree may begin.
func (tm *team) mayBegin() bool {
	return len(tm.trees) < wantedSubtrees && (len(tm.trees) == 0 || tm.options.splitsAll || tm.made < 8+tm.tally.result.made()/runsATree)
}

// beginRound sets the number of runs of each subtree in the next round.
func (tm *team) beginRound() {
	n, r := len(tm.trees), &tm.tally.result
	if n == 0 {
		return
	}
	isLarge := r.made()-r.Probes >= cmp.Or(tm.options.probeAfter, probeAfter)
	for _, t := range tm.trees {
		t.left = tm.round
		if tm.trunk != nil {
			t.left = max(tm.round, max(leastRound, r.made()/4)/n)
		}
		if tm.options.splitsAll {
			t.left = 1
		}
		t.search.others = r.Runs - t.search.tally.result.Runs
		t.search.shareProbes(isLarge, max(0, manyProbes-r.Probes)/n, t.number)
	}
	if tm.trunk == nil || n >= fewTrees {
		tm.round *= 2
	}
}

// left returns the number of runs that may be made until the search must stop or pause.
// If it must stop, the result bound is the bound; if it pauses, bound is NoBound.
func (tm *team) left(part, before int) (runs int, bound Bound) {
	made := tm.tally.result.made()
	runs = math.MaxInt
	if tm.limits.runs > 0 {
		runs, bound = max(0, tm.limits.runs-made), BoundRuns
	}
	if part > 0 && part-(made-before) < runs {
		runs, bound = max(0, part-(made-before)), NoBound
	}
	return runs, bound
}

// makeRuns performs the remaining runs of the round, at most `left` runs, and distributes
// them evenly among the subtrees. If there are fewer runs than subtrees, the first
// subtrees get one run each.
func (tm *team) makeRuns(left int) {
	tm.turn = tm.turn[:0]
	for _, t := range tm.trees {
		if t.left > 0 && len(tm.turn) < left {
			tm.turn = append(tm.turn, t)
		}
	}
	each := left / len(tm.turn)
	tm.next.Store(0)
	var all sync.WaitGroup
	for _, w := range tm.workers {
		all.Go(func() { tm.work(w, each) })
	}
	all.Wait()
}

// splitOptimal runs frames and collects their variations, until there are enough frames.
// A frame is a prefix of decisions. Each collected frame becomes the root of a subtree,
// because frames are independent of each other. splitOptimal returns false if the search
// is over.
func (tm *team) splitOptimal() bool {
	o := newOptimal(tm.search)
	o.handsOver, o.handed = true, []frameRoot{{frame: &frame{}}}
	for i := 0; i >= 0; i = tm.nextOf(o.handed) {
		r := o.handed[i]
		o.handed = slices.Delete(o.handed, i, i+1)
		o.startAt(r)
		if !o.explore() {
			return false
		}
	}
	known := o.unwanted
	for _, r := range o.handed {
		tm.add(&subtree{start: func(s *search, _ way) way {
			o := newOptimal(s)
			o.unwanted, o.habits.refused = maps.Clone(known), slices.Clone(tm.habits.refused)
			o.startAt(r)
			return o
		}})
	}
	return true
}

// nextOf returns the index of the frame to run next, -1 if there are enough frames. The
// oldest frame comes first, so that subtrees need not find the same answers (see
// unwanted) several times. Once there are wantedSubtrees frames, the frames with the
// fewest steps come first, because their subtrees are the largest.
func (tm *team) nextOf(list []frameRoot) int {
	switch n := len(list); {
	case n == 0 || n >= mostSubtrees:
		return -1
	case n < wantedSubtrees && tm.fewest == 0:
		return 0
	}
	i := shortest(list)
	steps := len(list[i].frame.steps)
	if tm.fewest == 0 {
		tm.fewest = steps
	}
	if steps > tm.fewest {
		return -1
	}
	return i
}

// work lets a worker explore subtrees of tm.turn, one after the other, with at most
// `most` runs each.
func (tm *team) work(w Worker, most int) {
	for {
		k := tm.next.Add(1) - 1
		if k >= int64(len(tm.turn)) {
			return
		}
		tm.goOn(tm.turn[k], w, most)
	}
}

// goOn lets a worker perform at most `most` runs of a subtree.
func (tm *team) goOn(t *subtree, w Worker, most int) {
	s := t.search
	s.goTo(w)
	if t.start != nil {
		t.way, t.start = t.start(s, t.way), nil
	}
	before := s.tally.result.made()
	s.limits.pause(min(most, t.left))
	t.finished = !s.probeAsDue() && t.way.explore()
	made := s.tally.result.made() - before
	if t.left -= made; t.finished || !s.limits.paused {
		t.left = 0
	}
	tm.meter.note(&s.tally)
	if r := &s.tally.result; s.mustBeginAgain() || r.Bound == BoundFailure || r.Nondeterminism != "" {
		tm.endAt(int64(t.number))
	}
}

// searchOf returns the search for the subtree with the given number.
func (tm *team) searchOf(number int) *search {
	s := newSearch(tm.options, nil, tm.limits.began, true)
	s.bound, s.tally.subtree = tm.bound, number
	s.limits.runs = 0 // no limit, because the team distributes the runs
	s.limits.isVain = func() bool { return tm.first.Load() < int64(number) }
	if tm.options.Progress != nil {
		s.limits.nowAndThen = func() { tm.meter.report(&s.tally, s.boundText(), false) }
	}
	return s
}

// endAt records that a subtree ends the search, because a run failed or the reduction
// does not support the program. Subtrees with smaller numbers are still explored, so that
// the result does not depend on the speed of the workers.
func (tm *team) endAt(number int64) {
	for {
		first := tm.first.Load()
		if number >= first || tm.first.CompareAndSwap(first, number) {
			return
		}
	}
}

// sum adds up the results of the subtrees, up to the first subtree that ended the search.
func (tm *team) sum() {
	tm.tally = tm.above.clone()
	for _, t := range tm.trees {
		if int64(t.number) <= tm.first.Load() {
			tm.tally.add(&t.search.tally)
		}
	}
	tm.tally.setDistinct()
}
