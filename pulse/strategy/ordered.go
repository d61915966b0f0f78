package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Ordered returns a strategy that follows a schedule. It picks the message with the
// highest priority among those that no constraint blocks. Among equal priorities it
// picks the oldest message.
//
// A constraint blocks its second step until its first step is taken. If all
// messages are blocked and no timer may fire early, the strategy picks the blocked
// message with the highest priority. The constraints that blocked it are dropped,
// and Unmet returns them.
//
// Begin reads the schedule. The schedule must not change until the run has ended
// and Unmet has been called. The seed of the run has no effect.
func Ordered(s *choice.Schedule) *Orderer { return &Orderer{schedule: s} }

// An Orderer is the strategy that Ordered returns.
type Orderer struct {
	Seeded
	schedule *choice.Schedule
	run      *trace.Trace // nil before the first Pick
	enabled  *pulse.Enabled
	read     int // the number of run.Steps read so far
	held     int // the number of times that Pick returned Hold

	places hash.Table // maps the identity of a step to its position in named, from 1
	named  []named
	ranks  []rank // for each message of the trace, its rank
	// firsts and seconds are linked lists of constraints, numbered from 1. firsts
	// gives the next constraint with the same first step, and seconds the next with
	// the same second step. Zero ends a list.
	firsts, seconds []int32
	unmet           []bool // for each constraint, set if the second step was taken before the first step

	// next has, for each kind of choice, the index in schedule.Choices at which Choose
	// starts.
	next [256]int
}

// A named is the state of a step that occurs in the schedule.
type named struct {
	priority uint64
	set      bool  // set if the schedule contains a priority for the step
	taken    bool  // set if the step was taken
	waits    int32 // the number of constraints that block the step
	firsts   int32 // the first constraint with this step as its first step; 0 if none
	seconds  int32 // the first constraint with this step as its second step; 0 if none
}

// A rank is what Pick needs to know about a message. The zero rank means that the message
// was not looked up yet.
type rank struct {
	priority uint64
	place    int32 // the position in named of the step that receives the message, from 1; notNamed if it has none
}

const notNamed = -1

// mostHeld is the maximum number of times that a strategy may return Hold in a run.
// Without this limit, a timer that is set repeatedly could fire early forever.
const mostHeld = 1000

// Begin reads the schedule and prepares the strategy for a run.
func (o *Orderer) Begin(uint64) {
	s := o.schedule
	o.Seeded.Begin(s.Seed)
	o.run, o.enabled, o.read, o.held = nil, nil, 0, 0
	o.places.Reset()
	o.ranks = o.ranks[:0]
	o.named, o.firsts, o.seconds, o.unmet = o.named[:0], o.firsts[:0], o.seconds[:0], o.unmet[:0]
	clear(o.next[:])
	for _, p := range s.Priorities {
		n := o.name(p.ID)
		n.priority, n.set = p.P, true
	}
	for i, c := range s.Before {
		first := o.name(c.First)
		o.firsts = append(o.firsts, first.firsts)
		first.firsts = int32(i) + 1
		second := o.name(c.Second)
		o.seconds = append(o.seconds, second.seconds)
		second.seconds = int32(i) + 1
		second.waits++
		o.unmet = append(o.unmet, false)
	}
}

// name returns the state of the step with identity id. It adds a state if there is
// none. The pointer is valid until the next call to name.
func (o *Orderer) name(id uint64) *named {
	place, had := o.places.Add(id, int32(len(o.named)+1))
	if !had {
		o.named = append(o.named, named{})
	}
	return &o.named[place-1]
}

// find returns the state of the step with identity id, or nil if the step is not in
// the schedule.
func (o *Orderer) find(id uint64) *named {
	if place, ok := o.places.Get(id); ok {
		return &o.named[place-1]
	}
	return nil
}

// Needs requests a Pick in every step. It also requests recording, because the
// schedule names messages by the identities that recorded runs have.
func (o *Orderer) Needs() pulse.Needs { return pulse.Needs{Single: true, Record: true} }

// Pick returns the message with the highest priority that no constraint blocks.
func (o *Orderer) Pick(e *pulse.Enabled) int {
	o.run, o.enabled = e.Trace(), e
	o.catchUp()
	for range len(o.run.Sends) - len(o.ranks) {
		o.ranks = append(o.ranks, rank{})
	}
	free, bound := best{at: -1}, best{at: -1}
	for i := range e.Len() {
		r := &o.ranks[e.Slot(i)]
		if r.place == 0 {
			*r = o.rankOf(e.ID(i))
		}
		if r.place == notNamed || o.named[r.place-1].waits == 0 {
			free.offer(e, i, r.priority)
		} else {
			bound.offer(e, i, r.priority)
		}
	}
	switch {
	case free.at >= 0:
		return free.at
	case o.held < mostHeld && e.CanHold():
		o.held++
		return pulse.Hold
	}
	return bound.at
}

// rankOf returns the rank of the message that the step with identity id receives.
func (o *Orderer) rankOf(id uint64) rank {
	place, ok := o.places.Get(id)
	switch {
	case !ok:
		return rank{o.Priority(id), notNamed}
	case o.named[place-1].set:
		return rank{o.named[place-1].priority, place}
	}
	return rank{o.Priority(id), place}
}

// A best is the message with the highest priority among the messages given to
// offer.
type best struct {
	at       int // the index of the message; -1 if none was offered
	priority uint64
}

func (b *best) offer(e *pulse.Enabled, i int, priority uint64) {
	if b.at < 0 || priority > b.priority || priority == b.priority && e.Seq(i) < e.Seq(b.at) {
		*b = best{i, priority}
	}
}

// catchUp processes the steps taken since its last call.
func (o *Orderer) catchUp() {
	for ; o.run != nil && o.read < len(o.run.Steps); o.read++ {
		if n := o.find(o.run.Steps[o.read].ID); n != nil && !n.taken {
			o.take(n)
		}
	}
}

// take records that step n of the schedule was taken, and unblocks the steps that
// waited for it. If constraints still blocked step n, take records that they are
// unmet.
func (o *Orderer) take(n *named) {
	for c := n.seconds; c > 0 && n.waits > 0; c = o.seconds[c-1] {
		o.unmet[c-1] = !o.find(o.schedule.Before[c-1].First).taken
	}
	n.taken = true
	for c := n.firsts; c > 0; c = o.firsts[c-1] {
		o.find(o.schedule.Before[c-1].Second).waits--
	}
}

// Choose returns the schedule's next choice of kind k. If none is left, the seed of
// the schedule determines the choice.
func (o *Orderer) Choose(k choice.Kind, n int) int {
	list := o.schedule.Choices
	for i := o.next[k]; i < len(list); i++ {
		if list[i].Kind == k {
			o.next[k] = i + 1
			return min(int(list[i].Value), n-1)
		}
	}
	o.next[k] = len(list)
	return o.Seeded.Choose(k, n)
}

// Unmet returns the constraints whose second step was taken before their first
// step, or without their first step. Call Unmet before the next run.
func (o *Orderer) Unmet() (list []choice.Constraint) {
	o.catchUp()
	for i, unmet := range o.unmet {
		if unmet {
			list = append(list, o.schedule.Before[i])
		}
	}
	return list
}
