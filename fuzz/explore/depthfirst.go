package explore

import "github.com/jostle-go/jostle/pulse"

// What reductions heed, and when a search restarts with another one.
//
// Steps have to do with each other by the life of an actor when one ends it and
// another watches it, ends a watch of it or asks by System.Alive whether it lives, and
// when two begin or end a watch of it. They have to do with each other by the test when
// two note calls or returns in histories, fail the T of a property or read whether it has
// failed. A search with a reduction that meets two such steps that no message puts in
// order begins again with SourceSets, which then turns their order round as it does with
// messages; with Everything when states are compared.
//
// The answer to a System.Ask conflicts with all steps: the test goes on when the answer
// comes, and sees what came before it. If anything else could come in place of the answer
// (a message to another actor, a crash, an early timer), a search with a reduction restarts
// in the same way. SourceSets then runs each set of steps that can come before the answer,
// and tries everything that could come in its place, even if it never comes in that run.
//
// Some steps have to do with each other by still more: when one Ask has two answers,
// under supervision, when a mailbox has a bound, when one calls a pulse.Nemesis, when one
// stops the timer of another or does something in its name by a Host, when an actor crashes
// within a step, by Ctx.MayCrash, or when a step looks at what all steps before it have done:
// System.Steps, Trace, Record, Warnings, Received and Timers. When a search with a reduction
// meets two of them that no message puts in order, it begins again with Everything.
//
// Sleep sets heed all these steps. A search that begins again has them if it had them
// before, as Optimal and SourceSets always do.
//
// Some things that sleep sets do not heed tell orders apart in which every actor
// receives the same: an observer, the isolation check, Options.Pending, and Ref.Index and
// Ref.String in a step where steps that no message puts in order have spawned
// actors. Then the search begins again with Everything without sleep sets, unless
// Run.Watched says that the worker itself tells of its observers, as package fuzz
// does.
//
// Optimal does not go through what may come between any two steps, but begins again as
// SourceSets. There the crash of an actor is picked as a message is: it has to do with
// the steps of that actor and, by lives, with those of others. A partition only holds
// messages back. While nothing comes with time, that leads to no order that there is not
// without: searches with sleep sets make none, and begin again with them when the program
// sets a timer, delays messages, or has a step look at what all steps before it have
// done. Then, and where crashed actors may be restarted or states
// are compared, what comes between steps has to do with all of them: wherever such a
// thing could come between two steps all messages are tried.
//
// That time passes early is picked as a message is, too, by SourceSets and by Everything
// with sleep sets. It has to do with the steps that read the time, or set or stop a timer,
// and with other passes. A timer's message is received after the pass at which it came
// due, and else as any other. SourceSets lets time pass early only where that has to do
// with a step, or lets something come before one. Two runs may differ in nothing but where
// time has passed, which nobody sees: then there are fewer distinct orders than runs. With
// faults, with periodic timers, which tick for as long as others send, and with a
// pulse.Nemesis, which may delay messages, an early pass has to do with all steps.
//
// What is not picked so has to do with more than one actor. A restart decides which of
// the messages are lost that are sent to its actor, so that it would have to do with each
// step that sends it one, and a trace does not show where messages were lost. A
// partition, where time passes, keeps all messages of an actor from coming before a timer:
// which it holds back depends on all that is sent while it lasts.
//
// A step that ends its run, by a failure or by a skip, has to do with all that were still
// to come: when the search goes on after it, Optimal begins again as SourceSets, all
// messages of such a run are tried, and nothing sleeps past such a step. Optimal becomes
// SourceSets with a bound on depth.
//
// With sleep sets a run is wasted when all that could come next was run from another
// branch. Optimal wastes a run only to find out whether a process in ReceiveMatch
// would have taken a message that was sent when its wait was over: it begins an order
// in which the message comes in time, and gives it up if the process does not
// want it. It wastes none when no process is in ReceiveMatch, and none when only one
// is at a time: messages for such processes come last by default, so that they are
// there to be asked about. What is left are messages that lead from one such
// process to another while both wait. A question is asked once; with several workers,
// once in each subtree. SourceSets wastes runs where steps meet by lives or the test, or an
// early pass of time by timers: it begins an order in which the later of two comes first,
// with what that needs, and gives it up when all that could follow then sleeps. Beside
// processes that each ask with a timeout there are some: 9 beside 346 runs for three. How
// many runs are wasted depends on the ordering.

// A depthFirst goes through a tree depth-first, with every reduction but
// Optimal: it runs one path after the other, and keeps no more than one. With
// Method.RandomBranch it goes on with any open branch, and keeps all that are open.
type depthFirst struct {
	*search
	walker   walker
	strategy pulse.Strategy
	reducer  reducer
	branches *branches // nil unless branches are drawn
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
	if m.RandomBranch {
		d.branches = &branches{random: s.options.Seed}
	}
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
		if !d.advance() {
			return true
		}
		d.shared = d.walker.sharedSteps()
		if d.isOver() {
			return false
		}
	}
}

// advance goes to the next path. It reports whether there is one.
func (d *depthFirst) advance() bool {
	if d.branches != nil {
		return d.branches.advance(&d.walker.path)
	}
	return d.walker.advance()
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
