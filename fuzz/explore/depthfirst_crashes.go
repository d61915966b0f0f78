package explore

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A crash that may come between two steps is picked as a message is, if nothing else
// can come between them. It has to do with the steps of its own actor, with other
// steps by what the trace says that it touches, and with nothing else: what is sent to
// its actor is lost whether it is sent before or after. Two crashes have to do with
// each other only if one of them keeps the other from coming, because too few are left.
//
// Where nothing can be delivered there is a pick as well, with one more candidate:
// that nobody crashes. All of these are taken. Everywhere else a message comes first if
// there is one that does not sleep; where there is none all crashes are taken, since one
// of them may keep another from coming.

// crashesLast is the rank of crashes: they are taken last.
const crashesLast = math.MaxInt32

// passFirst is the rank of passes: one that is marked is taken before what is marked
// beside it, so that it sleeps there.
const passFirst = math.MinInt32

// isAlone reports whether there is only one way to go on, by a message.
func isAlone(e *pulse.Enabled) bool { return e.Len() == 1 && e.Strikes() == 0 }

// candidatesOf returns how many candidates a pick has.
func candidatesOf(e *pulse.Enabled) int {
	if e.Len() == 0 {
		return e.Strikes() + 1
	}
	return e.Len() + e.Strikes()
}

// addCrashes adds to the candidates of a new pick those that are no messages.
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

// findCrash lists the race of the crash in step j with the step before it of its actor.
func (r *races) findCrash(j int32) {
	i := r.trace.Steps[j].Prev
	if i >= 0 && (len(r.rests) == 0 || i >= r.lastRest(j)) {
		r.list = append(r.list, race{step: i, message: trace.None, crash: j})
	}
}

// markUnmade marks the crashes that could have come in place of the step in which
// their actor has ended: after that they cannot come any more.
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

// isNeeded reports whether a crash must come before what a race turns round. One that
// need not come can be left out: where it comes as well is run from where it came last,
// after the race's message in its place. But where that sleeps nothing is run from there,
// and no crash can be left out.
func (r *races) isNeeded(crash int32, rc race) bool {
	switch later := r.later(rc); {
	case crash < 0 || r.withCrashes:
		return crash >= 0
	case later >= 0 && (rc.message == trace.None || r.isMet(rc)):
		return has(r.of(later), crash)
	}
	return has(r.beforeMessage(rc.message), crash)
}

// isOnTheWay reports whether a step comes on the way to a race turned round when no
// crash does that is not needed.
func (r *races) isOnTheWay(step int32, rc race) bool {
	for _, crash := range r.crashes {
		if crash > rc.step && r.isBefore(crash, step) && !r.isNeeded(crash, rc) {
			return false
		}
	}
	return true
}

// livesOf returns all lives that the crash of an actor could have to do with if it came
// before a step: its own, those of all that it has spawned, and theirs, and those that
// it had to do with itself, as when it watched somebody.
func (r *races) livesOf(actor, before int32) []trace.Touch {
	list := append(r.lives[:0], trace.Touch{What: trace.ItsLife, Actor: actor})
	for i := range r.trace.Actors {
		parent := r.trace.Actors[i].Parent
		if slices.ContainsFunc(list, func(x trace.Touch) bool { return x.Actor == parent }) { // a parent comes before its children
			list = append(list, trace.Touch{What: trace.ItsLife, Actor: int32(i)})
		}
	}
	for _, x := range r.meetings.touches {
		if x.Step < before && r.trace.Steps[x.Step].Actor == actor {
			list = append(list, trace.Touch{What: trace.ItsLife, Actor: x.Actor})
		}
	}
	list = append(list, trace.Touch{What: trace.TheTest}) // by a deferred function of its process
	r.lives = list
	return list
}

// isOf reports whether a candidate of the pick that a race's step came of is what
// could have come before that.
func (r *races) isOf(c *candidate, rc race) bool {
	if rc.message != trace.None {
		return c.kind == aMessage && c.send == rc.message
	}
	return c.kind != aMessage && c.actor == r.trace.Steps[rc.crash].Actor
}

// stepOf returns the step, later than another one, in which a candidate of the
// other's pick came; if none, one that is not later.
func (r *races) stepOf(c *candidate, other int32) int32 {
	switch c.kind {
	case aMessage:
		return r.trace.Sends[c.send].Receipt
	case aCrash, aPass:
		for k := other + 1; k < r.limit; k++ {
			if st := &r.trace.Steps[k]; st.Send == trace.None && st.Actor == c.actor {
				return k
			}
		}
	}
	return trace.None
}

// later returns the step of a race that came after the race's step; none when its
// message was never received.
func (r *races) later(rc race) int32 {
	if rc.message != trace.None {
		return r.trace.Sends[rc.message].Receipt
	}
	return rc.crash
}
