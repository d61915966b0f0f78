package explore

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Crashes are chosen like messages if no other kind of event can occur between two steps.
// A crash conflicts with the steps of its own actor, and with steps that access the same
// things (see trace.Touch). It does not conflict with sends to its actor, because a
// message is lost whether it is sent before or after the crash. Two crashes conflict only
// if one uses up the allowed number of crashes.
//
// A point at which nothing is deliverable is a choice point too. It has the additional
// candidate that no actor crashes, and all its candidates are taken. At a choice point
// with messages, a message that does not sleep is taken first. If all messages sleep, all
// crashes are taken, because one crash may prevent another.

// crashesLast is the candidate.rank of a crash, so that crashes are taken last.
const crashesLast = math.MaxInt32

// passFirst is the candidate.rank of an early clock tick. So a marked tick is taken
// before all other marked candidates, and sleeps in their branches.
const passFirst = math.MinInt32

// isAlone reports whether a message is the only candidate.
func isAlone(e *pulse.Enabled) bool { return e.Len() == 1 && e.Strikes() == 0 }

// candidatesOf returns the number of candidates at a choice point. If nothing is
// deliverable, that includes the candidate that no actor crashes.
func candidatesOf(e *pulse.Enabled) int {
	if e.Len() == 0 {
		return e.Strikes() + 1
	}
	return e.Len() + e.Strikes()
}

// addCrashes adds the candidates of a new choice point that are not messages: crashes, an
// early clock tick and, if nothing is deliverable, the event that no actor crashes.
func (p *path) addCrashes(e *pulse.Enabled) {
	for i := range e.Strikes() {
		c := candidate{seq: -1 - int32(e.Strike(i)), index: int32(e.Len() + i), send: trace.None,
			actor: int32(e.Strike(i)), channel: trace.None, rank: crashesLast, kind: aCrash}
		if c.actor == trace.None {
			c.kind, c.rank = aPass, passFirst
		}
		p.candidates = append(p.candidates, c)
	}
	if e.Len() == 0 {
		p.candidates = append(p.candidates, candidate{seq: math.MinInt32, index: pulse.Hold, send: trace.None,
			actor: trace.Test, channel: trace.None, rank: crashesLast - 1, kind: noCrash})
	}
}

// findCrash appends to r.list the race between the crash in step j and the actor's
// previous step, unless a quiescent point separates the two.
func (r *races) findCrash(j int32) {
	i := r.trace.Steps[j].Prev
	if i >= 0 && (len(r.rests) == 0 || i >= r.lastRest(j)) {
		r.list = append(r.list, race{step: i, message: trace.None, crash: j})
	}
}

// markUnmade marks for exploration each crash that could have replaced the step in which
// its actor ended. After that step the actor can no longer crash.
func (r *reducer) markUnmade(t *trace.Trace) {
	for i := range t.Actors {
		e := t.Actors[i].Ended
		if e < 0 || e >= r.races.limit {
			continue
		}
		n := r.nodeOf(e)
		if n == nil {
			continue
		}
		for k, c := range r.path.of(n) {
			if c.kind == aCrash && c.actor == int32(i) {
				r.path.of(n)[k].mark |= todo
			}
		}
	}
}

// isNeeded reports whether a crash must come before the later step of a race when the
// race is reversed. If it need not, the crash can be omitted, because the orders with the
// crash are explored from its last possible position. That position is after the race's
// message. But if the race's message sleeps, nothing is explored after it. Then
// r.withCrashes is set, and no crash can be omitted.
func (r *races) isNeeded(crash int32, rc race) bool {
	switch later := r.later(rc); {
	case crash < 0 || r.withCrashes:
		return crash >= 0
	case later >= 0 && (rc.message == trace.None || r.isMet(rc)):
		return has(r.of(later), crash)
	}
	return has(r.beforeMessage(rc.message), crash)
}

// livesOf returns the accesses that a crash of an actor before step `before` could make.
// They are accesses to the lifetimes of the actor and its descendants, to lifetimes that
// the actor itself has accessed (for example by watching), and to test state.
func (r *races) livesOf(actor, before int32) []trace.Touch {
	list := append(r.lives[:0], trace.Touch{What: trace.ItsLife, Actor: actor})
	for i := range r.trace.Actors {
		parent := r.trace.Actors[i].Parent
		if slices.ContainsFunc(list, func(x trace.Touch) bool { return x.Actor == parent }) { // a parent comes before its children in Actors
			list = append(list, trace.Touch{What: trace.ItsLife, Actor: int32(i)})
		}
	}
	for _, x := range r.meetings.touches {
		if x.Step < before && r.trace.Steps[x.Step].Actor == actor {
			list = append(list, trace.Touch{What: trace.ItsLife, Actor: x.Actor})
		}
	}
	list = append(list, trace.Touch{What: trace.TheTest}) // the crash may run a deferred function of the process, which may access test state
	r.lives = list
	return list
}
