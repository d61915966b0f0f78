package explore

import (
	"github.com/jostle-go/jostle/pulse"
)

// A search that compares states stops most runs at a state that was seen before, and goes
// back a few steps. Where it can, it restores a snapshot of the system in place of running
// the program again up to that state. A snapshot does not hold what is outside of the
// actors, such as variables of a package. Therefore:
//
//   - If a run that began at a snapshot ends by itself, the search makes the same run again,
//     from the beginning, and reports only that run.
//   - If that run ends in another state, or in one that cannot be read, the search restarts
//     without snapshots.

// mostCopies is the maximum number of snapshots in memory. Snapshots of the last choice
// points are used most.
const mostCopies = 64

// copies holds snapshots at choice points of the current path.
//
// Invariant: the snapshots are in the order of their nodes in the path.
type copies struct {
	on    bool // set if the search makes snapshots
	used  bool // set if the current run of the program was restored from a snapshot
	list  []*copied
	spare []*copied
	// enabled is what the run of the last snapshot offered to its strategy.
	enabled *pulse.Enabled
}

// A copied is a snapshot at a choice point, before its decision.
type copied struct {
	node     int
	snapshot pulse.Snapshot
}

// keep drops the snapshots of all nodes except the first n of the path.
func (c *copies) keep(n int) {
	for last := len(c.list) - 1; last >= 0 && c.list[last].node >= n; last-- {
		c.spare = append(c.spare, c.list[last])
		c.list = c.list[:last]
	}
}

// last returns the last snapshot, nil if there is none.
func (c *copies) last() *copied {
	if len(c.list) == 0 {
		return nil
	}
	return c.list[len(c.list)-1]
}

// save makes a snapshot at node i of the path, which must be the current choice point, if
// the node has more than one branch to explore.
func (c *copies) save(e *pulse.Enabled, p *path, i int) {
	if !c.on || len(p.nodes)-i > mostCopies || !p.branches(&p.nodes[i]) {
		return
	}
	if last := c.last(); last != nil && last.node >= i { // the search has just restored this snapshot
		return
	}
	s := c.next()
	c.enabled = e
	if s.node = i; e.Save(&s.snapshot) {
		c.list = append(c.list, s)
	} else {
		c.spare = append(c.spare, s)
	}
}

// next returns an unused snapshot. If there are too many, it drops the first one.
func (c *copies) next() (s *copied) {
	switch n := len(c.spare); {
	case n > 0:
		s, c.spare = c.spare[n-1], c.spare[:n-1]
	case len(c.list) < mostCopies:
		s = &copied{}
	default:
		s = c.list[0]
		c.list = append(c.list[:0], c.list[1:]...)
	}
	return s
}

// A next says how the search continues after a run.
type next uint8

const (
	undecided  next = iota
	goesOn          // the search goes on with the next run
	goesOnTold      // the search goes on with the next run; its limits were checked already
	stops           // the search stops, pauses or restarts
	isDone          // the search has explored the whole tree
)

// goBack is called in Pick when the search stops a run. It counts the run and restores the
// state in which the next run differs from it. If there is no snapshot of that state, goBack
// returns false, and Pick must end the run of the program.
func (d *depthFirst) goBack(e *pulse.Enabled) bool {
	w := &d.walker
	s := w.copies.last()
	if s == nil {
		return false
	}
	if d.next = d.conclude(&Run{System: s.snapshot.System()}); d.next != goesOn {
		return false
	}
	if d.next = goesOnTold; d.hitsBound() {
		d.next = stops
	}
	w.copies.keep(len(w.nodes))
	if s = w.copies.last(); s == nil || d.next == stops || d.probeIsDue() || !e.Restore(&s.snapshot) {
		return false
	}
	w.begin()
	w.passed, w.copies.used, d.next = s.node, true, undecided
	return true
}

// endsAt is called in Pick when nothing more can happen before the current call to Run (or a
// similar method) returns. If a wasted run seems to end there, its result does not matter, and
// endsAt restores a snapshot like goBack.
func (d *depthFirst) endsAt(e *pulse.Enabled) int {
	w := &d.walker
	s := w.copies.last()
	if s == nil || w.again || w.passed < len(w.nodes) {
		return pulse.Hold
	}
	run := Run{System: s.snapshot.System()}
	switch {
	case d.phases == 0 || run.System.Host().Runs() < d.phases || !d.isWasted(&run):
		return pulse.Hold
	case d.goBack(e):
		return pulse.Again
	}
	return pulse.Quit
}

// learnPhases counts the phases of a run.
func (d *depthFirst) learnPhases(run *Run) {
	if d.walker.ending == endedItself && run.System != nil {
		d.phases = max(d.phases, run.System.Host().Runs())
	}
}

// confirmed returns the run that the search counts in place of run, which was restored from
// a snapshot. It sets d.over if the program has state that no snapshot holds. It also sets
// d.over if the state at the end of the run cannot be read, for example because the property
// has called a function whose effect is hidden, such as sync.Map.Range.
func (d *depthFirst) confirmed(run Run) Run {
	w := &d.walker
	hasFailed := run.Failure != nil && run.Failure.Kind != pulse.KindNondeterminism
	switch {
	case w.ending == endedOther || w.ending != endedItself && hasFailed:
		d.over = handover{d.options.Reduction, true, whyCopies}
	case w.ending == endedItself && d.isWasted(&run):
	case w.ending == endedItself:
		state, hash, failure := run.System.State(), run.System.Trace().Hash, signatureOf(run.Failure)
		unread := w.copies.enabled.Unread() != ""
		run = d.runAgain()
		if w.ending == endedOther || run.System == nil || run.System.State() != state || run.System.Trace().Hash != hash || signatureOf(run.Failure) != failure {
			d.over = handover{d.options.Reduction, true, whyCopies}
		} else if unread {
			d.over = handover{d.options.Reduction, true, whyUnread}
		}
	}
	return run
}
