package explore

import "github.com/jostle-go/jostle/pulse"

// This comment lists the dependencies that reductions respect, and when a search restarts
// with another reduction.
//
// Two steps conflict on an actor's lifetime if one ends it and the other watches it,
// unwatches it or calls System.Alive, or if both watch or unwatch it. They conflict on
// test state if both note calls or returns in histories, fail the T of a property or read
// whether it failed. If a run contains such a conflict between two steps that messages do
// not order, the search restarts with SourceSets. SourceSets then reverses these
// conflicts like races of messages. If states are compared, the search restarts with
// Everything instead.
//
// The answer to a System.Ask conflicts with all steps, because the test continues after
// the answer and sees the effects of all earlier steps. If another event could come in
// place of the answer (a message to another actor, a crash, an early timer), a search
// with a reduction restarts in the same way. SourceSets then runs each set of steps that
// can come before the answer. It also tries every event that could come in place of the
// answer, even if that event does not occur in the run.
//
// No reduction except Everything supports the following conflicts between unordered
// steps:
//
//   - two answers to one Ask, supervision, bounded mailboxes, calls of a pulse.Nemesis;
//   - a step that stops another actor's timer or acts in its name through a Host;
//   - an actor that crashes within a step (Ctx.MayCrash);
//   - a step that reads all earlier steps (System.Steps, Trace, Record, Warnings,
//     Received and Timers).
//
// If a run contains one of these conflicts, the search restarts with Everything.
//
// Sleep sets respect all conflicts named so far. A restarted search has sleep sets if it
// had them before; Optimal and SourceSets always do.
//
// Some features of a program distinguish equivalent orders, and sleep sets do not respect
// these features. They are an observer, the isolation check, Options.Pending, and
// Ref.Index and Ref.String in a step if unordered steps spawned actors. If a run uses
// such a feature, the search restarts with Everything without sleep sets. Observers, the
// isolation check and Options.Pending cause no restart if the worker sets Run.Watched, as
// package fuzz does.
//
// Optimal does not support events that can occur between any two steps (faults, early
// timers). If a run contains one, the search restarts with SourceSets. SourceSets chooses
// a crash like a message. A crash conflicts with the steps of its actor and, on
// lifetimes, with steps of other actors. A partition only holds messages back. Without
// timers a partition adds no new orders, so searches with sleep sets make no partitions.
// Such a search restarts with partitions if the program sets a timer, delays messages, or
// has a step that reads all earlier steps. With partitions, with restarts of crashed
// actors, or with state comparison, events between steps conflict with all steps. Then
// all messages are tried wherever such an event could occur.
//
// SourceSets, and Everything with sleep sets, also choose early clock ticks like
// messages. A clock tick conflicts with steps that read the time or set or stop a timer,
// and with other clock ticks. A timer's message is received after the tick at which the
// timer fired, and otherwise like any other message. SourceSets makes an early tick only
// if the tick conflicts with a step, or lets an event come before a step. Two runs may
// differ only in the position of a clock tick that no actor notices. Then there are fewer
// distinct orders than runs. An early tick conflicts with all steps if there are faults,
// periodic timers (which tick while others send), or a pulse.Nemesis (which may delay
// messages).
//
// Restarts and partitions conflict with steps of several actors, and are not chosen like
// messages. A restart determines which messages to its actor are lost. So a restart would
// conflict with every step that sends a lost message, and a trace does not say where
// messages were lost. A partition during which time passes keeps all messages of an actor
// from coming before a timer. The set of these messages depends on everything that is
// sent during the partition.
//
// A step that ends its run, by a failure or a skip, conflicts with all steps that were
// still to come. If the search continues after such a run, Optimal restarts with
// SourceSets. SourceSets then tries all messages at every choice point of such a run. No
// candidate stays asleep after the step that ends the run. SourceSets also replaces
// Optimal if the depth is bounded.
//
// With sleep sets a run is wasted if every possible next event was run from another
// branch. Optimal wastes a run only to find out whether a process in ReceiveMatch would
// have taken a message that was sent after the wait was over. It starts a run in which
// the message comes in time, and stops the run if the process refuses the message.
// Optimal wastes no run if at most one process at a time is in ReceiveMatch, because
// messages for such processes come last by default. Runs are wasted only for messages
// from one such process to another while both wait, and once per message (with several
// workers, once per subtree).
//
// SourceSets may waste a run when steps conflict on lifetimes or test state, or when an
// early tick conflicts with timers. It then reverses the conflict, and stops the run when
// every possible next event is asleep. For example, three processes that each ask with a
// timeout take 346 runs and 9 wasted runs. The number of wasted runs depends on the
// ordering.

// A depthFirst searches a tree depth-first, with any reduction except Optimal. It keeps
// only the current path. With Method.RandomBranch it continues with a random unexplored
// branch, and keeps all unexplored branches.
type depthFirst struct {
	*search
	walker   walker
	strategy pulse.Strategy
	reducer  reducer
	branches *branches // nil without Method.RandomBranch
	recorded bool      // set if runs are recorded
	shared   int       // the number of steps that the next run shares with the last run
	phases   int       // the maximum number of calls to Run and similar methods in a run that ended by itself
	next     next      // how the search continues after the last run; undecided until the run was counted
}

func newDepthFirst(s *search) *depthFirst {
	d := &depthFirst{search: s, walker: newWalker(&s.options.Method, &s.habits, s.bound)}
	m := &s.options.Method
	n := pulse.Needs{Record: s.options.Record || m.records(), States: m.compares(), Single: m.Depth > 0 || m.compares() && !m.BigSteps,
		Strikes: s.options.picksCrashes()}
	d.reducer = reducer{reduction: m.Reduction, path: &d.walker.path, races: races{kept: &d.walker.sleeping.touches}}
	d.reducer.races.meetings.heeded = s.options.heedsMeetings
	if m.RandomBranch {
		d.branches = &branches{random: s.options.Seed}
	}
	if m.compares() && d.branches == nil && !s.options.copiesNothing {
		d.walker.copies.on, d.walker.goesBack, d.walker.endsAt = true, d.goBack, d.endsAt
		n.End = m.sleeps()
	}
	d.walker.limits = &s.limits
	d.strategy, d.recorded = needy{&d.walker, n}, n.Record
	return d
}

// beginAnew makes d search another subtree, reusing its memory.
func (d *depthFirst) beginAnew(s *search) {
	d.search, d.walker.habits, d.walker.outcome = s, &s.habits, outcome{limits: &s.limits}
	d.reducer.races.words = 0 // recompute all happens-before sets
}

// explore runs one path after another, and reports whether the tree is done.
func (d *depthFirst) explore() (finished bool) {
	for {
		d.next = undecided
		d.walker.beginProgram()
		nodes := len(d.walker.nodes)
		run := d.worker.Run(d.strategy)
		if d.walker.ending == endedLate { // the next search repeats the run
			d.walker.cut(nodes)
			d.hitsBound()
			return false
		}
		if d.walker.copies.used {
			if run = d.confirmed(run); d.mustBeginAgain() {
				return false
			}
		}
		if d.next == undecided {
			d.learnPhases(&run)
			d.next = d.conclude(&run)
		}
		switch d.next {
		case isDone:
			return true
		case stops:
			return false
		}
		if d.next == goesOn && d.hitsBound() || d.probeAsDue() {
			return false
		}
	}
}

// conclude counts a run, learns from it and moves to the next path.
func (d *depthFirst) conclude(run *Run) next {
	repeats := d.walker.repeats(run, d.walker.passed == len(d.walker.nodes))
	if d.recorded && d.walker.ending == endedItself {
		d.walker.sleeping.touches.learnEnd(run)
	}
	d.tally.result.Nondeterminism = d.walker.difference
	if !repeats || d.account(*run) || d.clashes() {
		return stops
	}
	if d.isRepeated(run, d.walker.ending) && !d.repeat(run, d.runAgain) {
		return stops
	}
	if d.recorded && run.System != nil {
		d.learn(run)
	}
	if d.mustBeginAgain() {
		return stops
	}
	if !d.advance() {
		return isDone
	}
	d.shared = d.walker.sharedSteps()
	return goesOn
}

// advance moves to the next path, and returns false if there is none.
func (d *depthFirst) advance() bool {
	if d.branches != nil {
		return d.branches.advance(&d.walker.path)
	}
	return d.walker.advance()
}

// runAgain repeats the last path.
func (d *depthFirst) runAgain() Run {
	w, nodes := &d.walker, len(d.walker.nodes)
	w.beginProgram()
	w.again, w.limits = true, nil
	again := d.worker.Run(d.strategy)
	w.again, w.limits = false, &d.limits
	if !w.repeats(&again, w.passed == nodes && len(w.nodes) == nodes) {
		d.tally.result.Nondeterminism = w.difference
	}
	if d.recorded {
		w.sleeping.touches.learnEnd(&again)
	}
	return again
}

// account counts a run, and reports whether the run ends the search.
func (d *depthFirst) account(run Run) (last bool) {
	w := &d.walker
	d.tally.leftOut = d.tally.leftOut || w.leftOut
	if w.ending == endedItself {
		d.noteEnd(&run)
	}
	return d.count(run, w.ending, d.shared)
}

// noteEnd marks the run as wasted if it took a sleeping message after its last choice
// point. Otherwise it adds the run's last state to the seen states, if states are
// compared.
func (d *depthFirst) noteEnd(run *Run) {
	w := &d.walker
	if d.isWasted(run) {
		w.ending = endedAsleep
		return
	}
	if d.options.compares() && run.System != nil && !run.leavesWork() {
		w.seen.end(run.System)
	}
}

// isWasted reports whether a run that ended by itself took a sleeping message after its last
// choice point.
func (d *depthFirst) isWasted(run *Run) bool {
	w := &d.walker
	return d.options.sleeps() && run.System != nil && w.sleeping.tookSleeper(&w.path, run.System.Trace())
}

// clashes reports whether two different states with the same hash were found. It also
// copies the results of state comparison to the Result.
func (d *depthFirst) clashes() bool {
	r := &d.tally.result
	r.States, r.Clash, r.Unread = len(d.walker.seen.list), d.walker.seen.clash, d.walker.seen.unread
	return r.Clash != ""
}

// learn marks the candidates on the path that must be explored because of a run. If the
// reduction does not support the run, it sets d.over, which names the reduction to
// restart with.
func (d *depthFirst) learn(run *Run) {
	w, t := &d.walker, run.System.Trace()
	if w.sleeping.touches.any(t) && d.options.sleeps() {
		w.sleeping.touches.keep(&w.path, t)
	}
	if d.over = d.blindTo(run); d.mustBeginAgain() || d.options.Reduction == Everything {
		return
	}
	// A run that ended early shows no races of the steps that it did not take, so
	// all candidates are marked. The same is done if timers may fire early: in
	// another order, a step may come after a timer that this run fired only when
	// nothing was deliverable.
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

// blindTo returns the reduction to restart with, if the current one would prune orders
// that the program can distinguish, otherwise a zero handover.
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
