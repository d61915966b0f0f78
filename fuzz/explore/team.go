package explore

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

// Several workers share a tree by subtrees (Eta, section 6), and go through them in
// rounds. What is above the subtrees changes only between two rounds: see trunk. So
// workers have nothing to tell each other, and the tree needs no lock, at which Eta's
// workers queued.

// wantedSubtrees is how many subtrees there should be at least, so that none is
// a large part of the whole. It does not depend on the number of workers, so
// that the result does not either.
const wantedSubtrees = 128

// mostSubtrees bounds how many frames Optimal begins with.
const mostSubtrees = 4 * wantedSubtrees

// Each round makes twice as many runs of each subtree as the one before, so that no
// subtree, however large, has the others wait; and none begins while a failure of
// the round before is known. Where there are few subtrees, which is not for long,
// there are as many rounds as it takes to divide them.
const (
	firstRound = 16 // runs of each subtree of Optimal, which are not divided
	leastRound = 64 // runs of all subtrees of a trunk
	fewTrees   = wantedSubtrees / 2
	runsATree  = 16 // for one more subtree: what it costs to begin one must not count
)

// A subtree is where one begins, and what it came to so far.
type subtree struct {
	number   int
	limb     limb                   // in the trunk
	start    func(*search, way) way // makes the way to go through it of another that is done; nil once it is begun
	search   *search
	way      way // before, one that is done, or nil
	left     int // how many runs of the round it has not made
	finished bool
}

// A team is several workers that go through one tree.
type team struct {
	*search // of what is above the subtrees and, after each round, of all
	workers []Worker
	meter   *meter // nil unless somebody wants to know how far the search is
	isSplit bool
	trunk   *trunk       // nil for Optimal, whose frames do not depend on others
	above   tally        // of what is above the subtrees, and of those that are done
	trees   []*subtree   // those that are not, by number
	spare   []way        // that are done
	made    int          // the number of the last subtree
	round   int          // how many runs of each subtree it makes
	fewest  int          // how many steps those of Optimal's frames fix that are gone through last; 0 while not known
	turn    []*subtree   // those that have runs to make now
	next    atomic.Int64 // the first of these that no worker has taken
	first   atomic.Int64 // the number of the first subtree that ends the search
}

// newTeam returns a team that goes through the tree of a search. The search makes no
// probes itself: its subtrees do.
func newTeam(s *search, workers []Worker, m *meter) *team {
	s.shareProbes(false, 0, 0)
	return &team{search: s, workers: workers, meter: m}
}

// explore splits the tree and has the workers go through the subtrees, round by
// round. It reports whether the tree is done.
func (tm *team) explore() (finished bool) {
	part, before := tm.limits.untilPause, tm.tally.result.made()
	tm.limits.pause(0) // not while the tree is split
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

// split makes the first subtrees. It reports whether the search goes on.
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

// goesOn reports whether there are runs to be made. It ends a round and begins the
// next one when there are none of this one.
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

// takeStock has the trunk learn what a round has come to, and the subtrees what
// others have marked above them.
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

// forget keeps of the subtrees that are done what they came to.
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

// divide begins what is marked in the trunk, and then divides subtrees, until there
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

// mayBegin reports whether one more subtree may be begun.
func (tm *team) mayBegin() bool {
	return len(tm.trees) < wantedSubtrees && (len(tm.trees) == 0 || tm.options.splitsAll || tm.made < 8+tm.tally.result.made()/runsATree)
}

// beginRound shares out the runs of the next round.
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

// left returns how many runs may be made until a bound is hit or, where that is
// "", until the search pauses.
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

// makeRuns has the workers make what is left of the round, but only so many runs,
// shared out to the subtrees; when there are fewer runs than those, to the first of
// them.
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

// splitOptimal goes through one frame after the other, without the frames that
// it leads to, until there are enough of these. It makes subtrees of them, and
// reports whether the search goes on. A frame does not depend on others.
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

// nextOf returns the place of the frame to go through next, -1 for none. The oldest
// come first, which ask the fewest questions twice. Of enough frames those come that fix
// the fewest steps, which lead to the most others: few of them would be left in the end.
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

// shortest returns the place of the first of the frames with the fewest steps.
func shortest(list []frameRoot) (i int) {
	for k := range list {
		if len(list[k].frame.steps) < len(list[i].frame.steps) {
			i = k
		}
	}
	return i
}

// work has a worker go on with one subtree after the other.
func (tm *team) work(w Worker, most int) {
	for {
		k := tm.next.Add(1) - 1
		if k >= int64(len(tm.turn)) {
			return
		}
		tm.goOn(tm.turn[k], w, most)
	}
}

// goOn has a worker make runs of a subtree.
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
	s.limits.runs = 0 // the team shares out runs
	s.limits.isVain = func() bool { return tm.first.Load() < int64(number) }
	if tm.options.Progress != nil {
		s.limits.nowAndThen = func() { tm.meter.report(&s.tally, s.boundText(), false) }
	}
	return s
}

// endAt notes that a subtree ends the search, by its first failure or because
// the program is not one for the reduction. The subtrees before it are gone
// through all the same, so that the result does not depend on which worker is
// faster.
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
