package explore

import "github.com/jostle-go/jostle/pulse"

// The dependencies that reductions respect, and when a search restarts with another one.
//
// Lifetimes: two steps conflict on an actor's lifetime if one ends it and the other
// watches it, unwatches it or calls System.Alive, or if both watch or unwatch it.
// Test state: two steps conflict if both note calls or returns in histories, fail the T
// of a property or read whether it failed. If a run shows such a conflict between two
// steps that no message orders, the search restarts with SourceSets, which then reverses
// these conflicts like those of messages. When states are compared, it restarts with
// Everything.
//
// The answer to a System.Ask conflicts with all steps: the test continues when the answer
// comes, and sees what came before it. If anything else could come in place of the answer
// (a message to another actor, a crash, an early timer), a search with a reduction restarts
// in the same way. SourceSets then runs each set of steps that can come before the answer,
// and tries everything that could come in its place, even if it never comes in that run.
//
// Other conflicts are supported by no reduction:
//
//   - two answers to one Ask, supervision, bounded mailboxes, calls of a pulse.Nemesis;
//   - a step that stops another actor's timer or acts in its name through a Host;
//   - an actor that crashes within a step (Ctx.MayCrash);
//   - a step that reads all earlier steps (System.Steps, Trace, Record, Warnings, Received
//     and Timers).
//
// If a run shows such a conflict between unordered steps, the search restarts with
// Everything.
//
// Sleep sets respect all these conflicts. A restarted search has sleep sets if it had them
// before; Optimal and SourceSets always do.
//
// Sleep sets do not respect everything that distinguishes orders in which every actor
// receives the same: an observer, the isolation check, Options.Pending, and Ref.Index and
// Ref.String in a step if actors were spawned by steps that no message orders. Then the
// search restarts with Everything without sleep sets, unless Run.Watched says that the
// worker reports its observers itself, as package fuzz does.
//
// Optimal does not support events that can occur between any two steps (faults, early
// timers); the search restarts with SourceSets. There a crash is picked like a message. It
// conflicts with the steps of its actor and, on lifetimes, with those of others. A partition
// only holds messages back. Without timers it adds no new orders, so searches with sleep
// sets make none. They restart with partitions if the program sets a timer, delays
// messages, or has a step that reads all earlier steps. With partitions, with restarts of
// crashed actors, or with state comparison, events between steps conflict with all steps:
// wherever such an event could occur, all messages are tried.
//
// SourceSets, and Everything with sleep sets, also pick early passes of time like messages.
// A pass conflicts with steps that read the time or set or stop a timer, and with other
// passes. A timer's message is received after the pass at which it came due, and otherwise
// like any other message. SourceSets makes an early pass only if that conflicts with a step,
// or lets something come before one. Two runs may differ only in where time passed, which
// nobody sees: then there are fewer distinct orders than runs. An early pass conflicts with
// all steps if there are faults, periodic timers (which tick while others send), or a
// pulse.Nemesis (which may delay messages).
//
// Restarts and partitions conflict with more than one actor and are not picked like
// messages. A restart decides which messages to its actor are lost. It would conflict with
// every step that sends one, and a trace does not show where messages were lost. A
// partition during which time passes keeps all messages of an actor from coming before a
// timer: which ones depends on all that is sent during the partition.
//
// A step that ends its run, by a failure or a skip, conflicts with all steps that were
// still to come. If the search continues after it, Optimal restarts with SourceSets, all
// messages of such a run are tried, and nothing sleeps past such a step. With a bound on
// depth, too, SourceSets replaces Optimal.
//
// With sleep sets a run is wasted if everything that could come next was run from another
// branch. Optimal wastes a run only to find out whether a process in ReceiveMatch would
// have taken a message that was sent after its wait was over: it runs an order in which the
// message comes in time, and stops if the process does not want it. It wastes none if at
// most one process at a time is in ReceiveMatch, because messages for such processes come
// last by default. Wasted runs remain only for messages from one such process to another
// while both wait. Each question is asked once (with several workers, once per subtree).
//
// SourceSets may waste a run when steps conflict on lifetimes or test state, or when an
// early pass conflicts with timers: it reverses the conflict and stops when every successor
// is asleep. Three processes that each ask with a timeout waste 9 runs in addition to 346.
// The number of wasted runs depends on the ordering.

// A depthFirst searches a tree depth-first, with every reduction but Optimal. It keeps
// only the current path. With Method.RandomBranch it continues with any open branch, and
// keeps all open ones.
type depthFirst struct {
	*search
	walker   walker
	strategy pulse.Strategy
	reducer  reducer
	branches *branches // nil unless branches are drawn
	recorded bool
	shared   int // how many steps the next run shares with the last
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

// beginAnew makes d search another subtree, reusing its memory.
func (d *depthFirst) beginAnew(s *search) {
	d.search, d.walker.habits, d.walker.outcome = s, &s.habits, outcome{}
	d.reducer.races.words = 0 // recompute all sets of the past
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

// advance moves to the next path. It reports whether there is one.
func (d *depthFirst) advance() bool {
	if d.branches != nil {
		return d.branches.advance(&d.walker.path)
	}
	return d.walker.advance()
}

// runAgain repeats the last path.
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

// noteEnd notes where a run ended. A run that ended by a sleeping message was wasted.
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

// learn marks, at the picks of a run, the candidates that must be taken because of it.
func (d *depthFirst) learn(run *Run) {
	w, t := &d.walker, run.System.Trace()
	if w.sleeping.touches.any(t) && d.options.sleeps() {
		w.sleeping.touches.keep(&w.path, t)
	}
	if d.over = d.blindTo(run); d.mustBeginAgain() || d.options.Reduction == Everything {
		return
	}
	// It is unknown what would have followed a run that was cut short. With early
	// timers, a step may come in another order after a timer that this run fired
	// only at rest.
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

// blindTo returns the reduction to restart with if sleep sets, or any reduction, would
// prune orders in which a run like this one can show more.
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
