package explore

import "github.com/jostle-go/jostle/pulse"

// A depthFirst goes through a tree depth-first, with every reduction but
// Optimal: it runs one path after the other, and keeps no more than one.
type depthFirst struct {
	*search
	walker   walker
	strategy pulse.Strategy
	reducer  reducer
	recorded bool
	shared   int // the steps that the next run has in common with the last
}

func newDepthFirst(s *search) *depthFirst {
	d := &depthFirst{search: s, walker: newWalker(&s.options.Method, &s.habits, s.bound)}
	m := &s.options.Method
	n := pulse.Needs{Record: s.options.Record || m.records(), States: m.compares(), Single: m.Depth > 0 || m.compares() && !m.BigSteps,
		Strikes: s.options.picksCrashes()}
	d.strategy, d.recorded = needy{&d.walker, n}, n.Record
	d.reducer = reducer{reduction: m.Reduction, path: &d.walker.path, races: races{kept: &d.walker.sleeping.touches}}
	d.reducer.races.meetings.heeded = s.options.heedsMeetings
	return d
}

// beginAnew has a search go through another subtree, with the memory of what was gone
// through before.
func (d *depthFirst) beginAnew(s *search) {
	d.search, d.walker.habits, d.walker.outcome = s, &s.habits, outcome{}
	d.reducer.races.words = 0 // all sets of its past are made anew
}

// explore runs one path after the other. It reports whether the tree is done.
func (d *depthFirst) explore() (finished bool) {
	for {
		d.walker.begin()
		run := d.worker.Run(d.strategy)
		repeats := d.walker.repeats(&run, d.walker.passed == len(d.walker.nodes))
		if d.recorded && d.walker.ending == endedItself {
			d.walker.sleeping.touches.learnEnd(&run)
		}
		d.tally.result.Nondeterminism = d.walker.difference
		if !repeats || d.account(run) || d.clashes() {
			return false
		}
		if d.isRepeated(&run, d.walker.ending) && !d.repeat(&run, d.runAgain) {
			return false
		}
		if d.recorded && run.System != nil {
			d.learn(&run)
		}
		if d.mustBeginAgain() {
			return false
		}
		if !d.walker.advance() {
			return true
		}
		d.shared = d.walker.sharedSteps()
		if d.isOver() {
			return false
		}
	}
}

// runAgain runs the path that was run last.
func (d *depthFirst) runAgain() Run {
	w, nodes := &d.walker, len(d.walker.nodes)
	w.begin()
	w.again = true
	again := d.worker.Run(d.strategy)
	w.again = false
	if !w.repeats(&again, w.passed == nodes && len(w.nodes) == nodes) {
		d.tally.result.Nondeterminism = w.difference
	}
	if d.recorded {
		w.sleeping.touches.learnEnd(&again)
	}
	return again
}

// account counts a run. It reports whether the run ends the search.
func (d *depthFirst) account(run Run) (last bool) {
	w := &d.walker
	d.tally.leftOut = d.tally.leftOut || w.leftOut
	if w.ending == endedItself {
		d.noteEnd(&run)
	}
	return d.count(run, w.ending, d.shared)
}

// noteEnd notes where a run came to its end, unless it did so by a message
// that sleeps: then it was wasted.
func (d *depthFirst) noteEnd(run *Run) {
	w := &d.walker
	if d.options.sleeps() && run.System != nil && w.sleeping.tookSleeper(&w.path, run.System.Trace()) {
		w.ending = endedAsleep
		return
	}
	if d.options.compares() && run.System != nil && !run.leavesWork() {
		w.seen.end(run.System)
	}
}

// clashes reports whether two states were found to have one hash.
func (d *depthFirst) clashes() bool {
	r := &d.tally.result
	r.States, r.Clash, r.Unread = len(d.walker.seen.list), d.walker.seen.clash, d.walker.seen.unread
	return r.Clash != ""
}

// learn marks, at the picks of a run, what must be taken because of it.
func (d *depthFirst) learn(run *Run) {
	w, t := &d.walker, run.System.Trace()
	if w.sleeping.touches.any(t) && d.options.sleeps() {
		w.sleeping.touches.keep(&w.path, t)
	}
	if d.over = d.blindTo(run); d.mustBeginAgain() || d.options.Reduction == Everything {
		return
	}
	// What would have followed a run that did not come to its end is not
	// known; and where timers may be early, a step may come in another order
	// after a timer that this run came to rest for.
	if w.ending == endedItself && run.brokeOff() || w.ending == endedKnown || w.ending == endedDeep ||
		mayPassEarly(run.System) && !(picksPasses(t) && d.options.Reduction == SourceSets) {
		w.openPicks()
	}
	d.reducer.early = run.System.Options().EarlyTimers
	t = d.reducer.see(t)
	limit := len(t.Steps)
	if w.ending == endedAsleep {
		limit = d.reducer.stepsToLastPick() + 1
	}
	d.over = d.reducer.reduce(t, d.reducer.passed.before(d.shared), limit)
}

// blindTo returns what the search must go over to when sleep sets, or any
// reduction, would leave out orders in which a run like this one can show more.
func (d *depthFirst) blindTo(run *Run) handover {
	switch {
	case !d.options.reduces():
		return handover{}
	case run.isObserved():
		return handover{Everything, false, whyObserved}
	case d.mayShowPartitions(run.System):
		return handover{d.options.Reduction, true, whyPartitions}
	case picksPasses(run.System.Trace()) && ticks(run.System.Trace()):
		return handover{d.options.Reduction, true, whyTicks}
	case d.options.Reduction == Everything && readsPlaces(run.System.Trace()):
		return handover{Everything, false, whySpawns}
	}
	return handover{}
}
