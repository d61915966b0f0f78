package explore

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A crash that may come between two steps is picked like a message if nothing else can
// come between them. It conflicts with the steps of its own actor, with other steps
// through what it touches in the trace, and with nothing else: a message to its actor is
// lost whether it is sent before or after. Two crashes conflict only if one uses up the
// allowed number and so prevents the other.
//
// If nothing is deliverable, there is a pick too, with one more candidate: nobody
// crashes. All its candidates are taken. Elsewhere an awake message comes first; if there
// is none, all crashes are taken, since one may prevent another.

// crashesLast is the rank of crashes: they are taken last.
const crashesLast = math.MaxInt32

// passFirst is the rank of passes: a marked pass is taken before the other marked
// candidates, so that it sleeps in their branches.
const passFirst = math.MinInt32

// isAlone reports whether a message is the only candidate.
func isAlone(e *pulse.Enabled) bool { return e.Len() == 1 && e.Strikes() == 0 }

// candidatesOf returns the number of candidates of a pick.
func candidatesOf(e *pulse.Enabled) int {
	if e.Len() == 0 {
		return e.Strikes() + 1
	}
	return e.Len() + e.Strikes()
}

// addCrashes adds the candidates of a new pick that are not messages.
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

// findCrash lists the race between the crash in step j and its actor's previous step.
func (r *races) findCrash(j int32) {
	i := r.trace.Steps[j].Prev
	if i >= 0 && (len(r.rests) == 0 || i >= r.lastRest(j)) {
		r.list = append(r.list, race{step: i, message: trace.None, crash: j})
	}
}

// markUnmade marks the crashes that could have replaced the step in which their actor
// ended: they cannot come after it.
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

// isNeeded reports whether a crash must come before the later step of a reversed race.
// A crash that need not come can be left out: the orders with it are run from its last
// position, after the race's message. But if that message sleeps, nothing is run from
// there, and no crash can be left out.
func (r *races) isNeeded(crash int32, rc race) bool {
	switch later := r.later(rc); {
	case crash < 0 || r.withCrashes:
		return crash >= 0
	case later >= 0 && (rc.message == trace.None || r.isMet(rc)):
		return has(r.of(later), crash)
	}
	return has(r.beforeMessage(rc.message), crash)
}

// isOnTheWay reports whether a step still leads to a reversed race if no unneeded crash
// comes.
func (r *races) isOnTheWay(step int32, rc race) bool {
	for _, crash := range r.crashes {
		if crash > rc.step && r.isBefore(crash, step) && !r.isNeeded(crash, rc) {
			return false
		}
	}
	return true
}

// livesOf returns all lifetimes that the crash of an actor could conflict on if it came
// before a step: its own, those of its descendants, and those it touched itself, for
// example by watching.
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

// isOf reports whether a candidate at the pick of a race's step is the event that could
// have come before that step.
func (r *races) isOf(c *candidate, rc race) bool {
	if rc.message != trace.None {
		return c.kind == aMessage && c.send == rc.message
	}
	return c.kind != aMessage && c.actor == r.trace.Steps[rc.crash].Actor
}

// stepOf returns the step after `other` in which a candidate of other's pick came. If
// there is none, the result is not after other.
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

// later returns the later step of a race, none if its message was never received.
func (r *races) later(rc race) int32 {
	if rc.message != trace.None {
		return r.trace.Sends[rc.message].Receipt
	}
	return rc.crash
}
