package explore

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Several workers divide a tree into subtrees (Eta, section 6), and explore them in rounds.
// What is above the subtrees changes only between two rounds: see trunk. So workers need
// not communicate, and the tree needs no lock, at which Eta's workers queued.

// wantedSubtrees is the minimum number of subtrees, so that none is a large part of the
// whole. Neither it nor the result depends on the number of workers.
const wantedSubtrees = 128

// mostSubtrees bounds the number of frames that Optimal begins with.
const mostSubtrees = 4 * wantedSubtrees

// Each round makes twice as many runs of each subtree as the previous one, so that the
// others need not wait for a large subtree. No round begins after a failure. While there
// are few subtrees, which is not for long, rounds do not grow: there are as many as it
// takes to divide them.
const (
	firstRound = 16 // runs of each subtree of Optimal, which are not divided
	leastRound = 64 // runs of all subtrees of a trunk
	fewTrees   = wantedSubtrees / 2
	runsATree  = 16 // per additional subtree, so that the cost of beginning one is negligible
)

// A subtree holds the root of a subtree and its results so far.
type subtree struct {
	number   int
	limb     limb                   // in the trunk
	start    func(*search, way) way // makes the way to explore it, reusing a completed one; nil once begun
	search   *search
	way      way // before it is begun, a completed one, or nil
	left     int // how many runs of the round remain
	finished bool
}

// A team is several workers that explore one tree.
type team struct {
	*search // of what is above the subtrees and, after each round, of everything
	workers []Worker
	meter   *meter // nil unless progress or an estimate is needed
	isSplit bool
	trunk   *trunk       // nil for Optimal, whose frames are independent
	above   tally        // of what is above the subtrees, and of completed subtrees
	trees   []*subtree   // the others, by number
	spare   []way        // completed ones
	made    int          // the number of the last subtree
	round   int          // how many runs of each subtree it makes
	fewest  int          // Optimal: the number of fixed steps of the last frames to split; 0 if unknown
	turn    []*subtree   // those with runs to make now
	next    atomic.Int64 // the first of these that no worker has taken
	first   atomic.Int64 // the number of the first subtree that ends the search
}

// newTeam returns a team that explores the tree of a search. The search itself makes no
// probes: its subtrees do.
func newTeam(s *search, workers []Worker, m *meter) *team {
	s.shareProbes(false, 0, 0)
	return &team{search: s, workers: workers, meter: m}
}

// explore splits the tree and lets the workers explore the subtrees, round by round. It
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

// split makes the first subtrees. It reports whether the search continues.
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

// begin makes the subtree of a limb.
func (tm *team) begin(l limb) *subtree {
	return tm.add(&subtree{limb: l, start: func(s *search, old way) way { return tm.trunk.way(s, l, old) }})
}

// add adds a subtree.
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

// goesOn reports whether there are runs to make. If the round has none left, it ends it and
// begins the next.
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

// takeStock exchanges marks after a round: the trunk learns from the subtrees, and each
// subtree gets what others have marked above it.
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

// forget keeps only the results of completed subtrees.
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

// divide begins the marked branches of the trunk, and then divides subtrees, until there
// are enough.
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

// beginRound distributes the runs of the next round.
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

// left returns how many runs may be made until a bound or, if that is "", a pause.
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

// makeRuns makes the rest of the round, limited to `left` runs, which it distributes evenly
// to the subtrees. If there are fewer runs than subtrees, the first subtrees get one each.
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

// splitOptimal explores one frame after the other, without the frames that it leads to,
// until there are enough of these. It makes subtrees of them, and reports whether the
// search continues. Frames are independent of each other.
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

// nextOf returns the index of the frame to explore next, -1 for none. The oldest come first,
// which ask the fewest questions twice. Once there are enough, frames with the fewest fixed
// steps come first, which lead to the most others: few of them should be left in the end.
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

// shortest returns the index of the first frame with the fewest steps.
func shortest(list []frameRoot) (i int) {
	for k := range list {
		if len(list[k].frame.steps) < len(list[i].frame.steps) {
			i = k
		}
	}
	return i
}

// work lets a worker take one subtree after the other.
func (tm *team) work(w Worker, most int) {
	for {
		k := tm.next.Add(1) - 1
		if k >= int64(len(tm.turn)) {
			return
		}
		tm.goOn(tm.turn[k], w, most)
	}
}

// goOn lets a worker make runs of a subtree.
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

// searchOf returns the search for a subtree.
func (tm *team) searchOf(number int) *search {
	s := newSearch(tm.options, nil, tm.limits.began, true)
	s.bound, s.tally.subtree = tm.bound, number
	s.limits.runs = 0 // the team distributes the runs
	s.limits.isVain = func() bool { return tm.first.Load() < int64(number) }
	if tm.options.Progress != nil {
		s.limits.nowAndThen = func() { tm.meter.report(&s.tally, s.boundText(), false) }
	}
	return s
}

// endAt notes that a subtree ends the search, by its first failure or because the reduction
// does not support the program. Earlier subtrees are still explored, so that the result
// does not depend on the workers' speed.
func (tm *team) endAt(number int64) {
	for {
		first := tm.first.Load()
		if number >= first || tm.first.CompareAndSwap(first, number) {
			return
		}
	}
}

// sum adds up the subtrees, up to the first one that ended the search.
func (tm *team) sum() {
	tm.tally = tm.above.clone()
	for _, t := range tm.trees {
		if int64(t.number) <= tm.first.Load() {
			tm.tally.add(&t.search.tally)
		}
	}
	tm.tally.setDistinct()
}
