package guide

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostSteps is how many steps of a run a base has at most: the first ones. What a
// base knows takes memory, and a generator time, that grow with its square.
const mostSteps = 512

// A Base is what schedules are made from: the steps of a run that passed, and
// which of them must come before which, in whatever order the others come. It
// shares nothing with the trace that it was made from.
type Base struct {
	steps []step
	// must has for each step, words for each, the steps that must come before it.
	must  []uint64
	words int
}

// A step is what a base knows of a step.
type step struct {
	id      uint64
	actor   int32
	before  int32 // the step before it that counts and is of the same actor; None if there is none
	counts  bool  // it is a receive that a goal may name
	given   bool  // no strategy is asked for it: a fault, or a step of start-up
	changes bool  // it changes the actor's handlers
}

// NewBase reads a trace.
func NewBase(t *trace.Trace) *Base { return new(closure).base(t) }

// stepOf returns what a base knows of step i of a trace.
func stepOf(t *trace.Trace, i int) step {
	s := &t.Steps[i]
	return step{s.ID, s.Actor, trace.None, counts(s), isGiven(s), s.Changed}
}

// isGiven reports whether no strategy is asked for a step.
func isGiven(s *trace.Step) bool { return s.Kind != trace.Receive || s.Settled }

// counts reports whether a goal may name a step.
func counts(s *trace.Step) bool {
	return !isGiven(s) && (s.Wanted == trace.Anything || s.Wanted == trace.SomeMatch)
}

// Len returns how many steps the base has.
func (b *Base) Len() int { return len(b.steps) }

// MustPrecede reports whether step i must come before step j, as far as the run
// shows it (definition 7).
func (b *Base) MustPrecede(i, j int) bool { return b.must[j*b.words+i>>6]&(1<<(i&63)) != 0 }

// whole returns all steps in their order.
func (b *Base) whole() []int32 {
	list := make([]int32, len(b.steps))
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// achieves calls f with each goal that is achieved when steps come in an order, always
// in the same order.
func (b *Base) achieves(c Criterion, order []int32, f func(Goal)) {
	for at, y := range order {
		if !b.steps[y].counts {
			continue
		}
		for before := at - 1; before >= 0; before-- {
			x := order[before]
			if !b.steps[x].counts || b.steps[x].actor != b.steps[y].actor {
				continue
			}
			if b.related(c, x, y) {
				f(b.goal(c, x, y))
			}
			if c == PCR || c == PMR && b.steps[x].changes {
				break
			}
		}
	}
}

func (b *Base) goal(c Criterion, x, y int32) Goal { return Goal{c, b.steps[x].id, b.steps[y].id} }

// related reports whether two steps are related to a criterion (section IV-B).
func (b *Base) related(c Criterion, x, y int32) bool {
	p, q := &b.steps[x], &b.steps[y]
	return p.actor == q.actor && p.counts && q.counts && (c != PMR || p.changes || q.changes)
}

// A closure computes which steps must come before which (definitions 5 to 7).
//
// What a step sends may follow from all that its actor has received so far. So a
// step must come after the step that sent its message, or created its actor, and
// after every earlier step of that step's actor. These are the past of the sending
// step. What is more, it must come after the step before it in its channel.
//
// To this it adds what the actors of the paper do not have: a rest, time that
// passes and a fault come between all steps before and all after; and a step that
// has touched what another has touched before belongs to its past.
//
// It can be used for one trace after the other, which saves memory.
type closure struct {
	*trace.Trace
	words    int
	must     []uint64   // for each step the steps that must come before it; the base's own
	past     []uint64   // for each step itself, what must come before it, and what its actor received before, with their pasts
	channels hash.Table // the last step that received from a channel
	touched  hash.Table // the last step that touched something else than an actor's steps
	actors   []actor
}

// An actor is what a closure knows of an actor.
type actor struct {
	start   int32 // the step in which it received its start; None as long as there is none
	counted int32 // its last step that counts; None if there is none
	touched int32 // the last step that touched what its steps do; None if there is none
}

// base reads a trace.
func (c *closure) base(t *trace.Trace) *Base {
	n := min(len(t.Steps), mostSteps)
	b := &Base{steps: make([]step, n), words: (n + 63) / 64}
	b.must = make([]uint64, n*b.words)
	c.Trace, c.words, c.must = t, b.words, b.must
	c.past = slices.Grow(c.past[:0], len(b.must))[:len(b.must)]
	clear(c.past)
	c.channels.Reset()
	c.touched.Reset()
	c.actors = c.actors[:0]
	for range t.Actors {
		c.actors = append(c.actors, actor{trace.None, trace.None, trace.None})
	}
	c.close(n)
	for i := range b.steps {
		s := stepOf(t, i)
		if s.counts {
			a := &c.actors[s.actor]
			s.before, a.counted = a.counted, int32(i)
		}
		b.steps[i] = s
	}
	c.Trace, c.must = nil, nil
	return b
}

// close finds what must come before each of the first n steps.
func (c *closure) close(n int) {
	barrier, rest, touch := 0, 0, 0
	for i := range n {
		for rest < len(c.Rests) && int(c.Rests[rest]) <= i {
			barrier = max(barrier, int(c.Rests[rest]))
			rest++
		}
		if c.stands(i) {
			barrier = i
		}
		fill(c.mustOf(i), barrier)
		c.follow(i)
		touch = c.touches(i, touch)
	}
}

// mustOf and pastOf return as much of a row as may have bits: no later step comes before i.
func (c *closure) mustOf(i int) []uint64 { return c.must[i*c.words:][:i>>6+1] }
func (c *closure) pastOf(i int) []uint64 { return c.past[i*c.words:][:i>>6+1] }

// stands reports whether everything before step i must come before it and what
// follows it: a fault came, or time had to pass.
func (c *closure) stands(i int) bool {
	return i > 0 && (c.Steps[i].Kind != trace.Receive || c.Steps[i-1].Kind != trace.Receive || c.Steps[i].Time != c.Steps[i-1].Time)
}

// follow adds what step i must come after because of its message and its actor.
func (c *closure) follow(i int) {
	s, must, past := &c.Steps[i], c.mustOf(i), c.pastOf(i)
	if made := c.Actors[s.Actor].Step; made >= 0 && int(made) < i {
		add(must, c.pastOf(int(made)))
	}
	if s.Send != trace.None {
		c.receive(i, &c.Sends[s.Send], must)
	}
	set(past, i)
	add(past, must)
	if s.Prev != trace.None {
		add(past, c.pastOf(int(s.Prev)))
	}
}

// receive adds what step i must come after because of its message.
func (c *closure) receive(i int, m *trace.Send, must []uint64) {
	if m.Step != trace.None {
		add(must, c.pastOf(int(m.Step)))
	}
	channel := uint64(uint32(m.From))<<32 | uint64(uint32(m.To))<<1
	if m.Kind.IsTimer() {
		channel++
	}
	if before, had := c.channels.Add(channel, int32(i)); had {
		if !c.Unordered {
			set(must, int(before))
			add(must, c.mustOf(int(before)))
		}
		c.channels.Put(channel, int32(i))
	}
	if m.Kind == trace.Kill || m.Kind == trace.Start { // nothing of the actor comes after its end, or before its start
		for p := c.Steps[i].Prev; p != trace.None; p = c.Steps[p].Prev {
			set(must, int(p))
			add(must, c.mustOf(int(p)))
		}
	}
	start := &c.actors[m.To].start
	if *start != trace.None {
		set(must, int(*start))
		add(must, c.mustOf(int(*start)))
	}
	if m.Kind == trace.Start {
		*start = int32(i)
	}
}

// touches adds to the past of step i those of the steps that have touched the same
// as it, and returns the next touch.
func (c *closure) touches(i, next int) int {
	for ; next < len(c.Touches) && int(c.Touches[next].Step) <= i; next++ {
		switch x := &c.Touches[next]; {
		case int(x.Step) != i:
		case x.What == trace.AllSteps:
			fill(c.pastOf(i), i)
		case x.What == trace.ItsSteps:
			c.touchSteps(i, x.Actor)
		default:
			c.link(i, x.What, x.Actor, x.Ask)
		}
	}
	c.touchSteps(i, c.Steps[i].Actor)
	return next
}

// link adds to the past of step i that of the last step that touched something.
func (c *closure) link(i int, what trace.Touched, actor, ask int32) {
	key := uint64(what)<<56 ^ uint64(uint32(actor))<<28 ^ uint64(uint32(ask))
	if before, had := c.touched.Add(key, int32(i)); had && int(before) != i {
		add(c.pastOf(i), c.pastOf(int(before)))
		c.touched.Put(key, int32(i))
	}
}

// touchSteps adds to the past of step i that of the last step that touched what the steps
// of an actor do, as each of its own does. The past of the one before it is there already.
func (c *closure) touchSteps(i int, actor int32) {
	at := &c.actors[actor].touched
	if *at != trace.None && *at != int32(i) && *at != c.Steps[i].Prev {
		add(c.pastOf(i), c.pastOf(int(*at)))
	}
	*at = int32(i)
}

func add(to, from []uint64) {
	for i, w := range from {
		to[i] |= w
	}
}

func set(b []uint64, i int) { b[i>>6] |= 1 << (i & 63) }

// fill sets the first n bits.
func fill(b []uint64, n int) {
	for i := range b {
		switch {
		case n >= 64*(i+1):
			b[i] = ^uint64(0)
		case n > 64*i:
			b[i] |= ^uint64(0) >> (64 - n%64)
		}
	}
}
