package guide

import (
	"iter"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostSteps is the maximum number of steps of a run that a Base has. The memory of a Base
// and the time of a Generator grow with the square of this number.
const mostSteps = 512

// A Base is a passing run from which schedules are made. It has the steps of the run, and
// knows for each two steps whether one must precede the other in every order. It shares no
// memory with the trace.
type Base struct {
	steps []step
	// must has a row of bits for each step. In row i, bit j is set if step j must come
	// before step i.
	must  []uint64
	words int // the number of words in each row
}

// A step describes one step of a base.
type step struct {
	id      uint64
	place   int32 // where the step is received: see places
	before  int32 // the last earlier step at the same place that a goal may name, or None
	counts  bool  // set for a receive that a goal may name
	given   bool  // set for a fault or a step of start-up, because the strategy does not choose such a step
	changes bool  // set if the step changes the handlers of the actor
}

// NewBase returns the base made from a trace.
func NewBase(t *trace.Trace) *Base { return new(closure).base(t) }

// A Reader makes bases from traces, one after the other, and reuses their memory.
type Reader struct {
	closure closure
	base    Base
}

// Base returns the base made from a trace. It is valid until the next call.
func (r *Reader) Base(t *trace.Trace) *Base {
	r.closure.read(t, &r.base)
	return &r.base
}

// A places says where the steps of a run are received: at their actors or, if a goroutine
// does an operation on an object, at that object. So two operations on a channel or a mutex
// form a goal like two receives of an actor. The numbers of objects follow those of actors.
type places struct {
	trace   *trace.Trace
	objects hash.Table // maps the number of an object to its place
	next    int        // the index of the next element of trace.Touches
	last    []int32    // for each place, the last number that was put there, or None
}

func (p *places) begin(t *trace.Trace) {
	p.trace, p.next, p.last = t, 0, p.last[:0]
	p.objects.Reset()
}

// of returns the place of step i of the base's run. A step with operations on several
// objects is received at the first of these. of must be called for each step once, in their
// order.
func (p *places) of(i int) int32 {
	t := p.trace
	for ; p.next < len(t.Touches) && int(t.Touches[p.next].Step) <= i; p.next++ {
		if x := &t.Touches[p.next]; int(x.Step) == i && x.What == trace.AnObject {
			place, _ := p.objects.Add(uint64(uint32(x.Actor)), int32(len(t.Actors)+p.objects.Len()))
			return place
		}
	}
	return t.Steps[i].Actor
}

// put puts a number at a place, and returns the number that it replaces, or None.
func (p *places) put(place, number int32) (before int32) {
	for len(p.last) <= int(place) {
		p.last = append(p.last, trace.None)
	}
	before, p.last[place] = p.last[place], number
	return before
}

// isGiven reports whether the strategy does not choose step s.
func isGiven(s *trace.Step) bool { return s.Kind != trace.Receive || s.Settled }

// counts reports whether a goal may name step s (see Criterion).
func counts(s *trace.Step) bool {
	return !isGiven(s) && (s.Wanted == trace.Anything || s.Wanted == trace.SomeMatch)
}

// Len returns the number of steps.
func (b *Base) Len() int { return len(b.steps) }

// MustPrecede reports whether step i must come before step j in every order, as far as is
// known from this run (definition 7).
func (b *Base) MustPrecede(i, j int) bool { return b.must[j*b.words+i>>6]&(1<<(i&63)) != 0 }

// identities returns the identities of the steps in list, except steps that the strategy
// does not choose.
func (b *Base) identities(list []int32) []uint64 {
	ids := make([]uint64, 0, len(list))
	for _, i := range list {
		if s := &b.steps[i]; !s.given {
			ids = append(ids, s.id)
		}
	}
	return ids
}

// whole returns the indices of all steps, in the order of the run.
func (b *Base) whole() []int32 { return b.appendWhole(make([]int32, 0, len(b.steps))) }

func (b *Base) appendWhole(list []int32) []int32 {
	for i := range b.steps {
		list = append(list, int32(i))
	}
	return list
}

func (b *Base) goal(c Criterion, x, y int32) Goal { return Goal{c, b.steps[x].id, b.steps[y].id} }

// related reports whether steps x and y can form a goal of criterion c (section IV-B of
// the Bitá paper).
func (b *Base) related(c Criterion, x, y int32) bool {
	p, q := &b.steps[x], &b.steps[y]
	return p.place == q.place && p.counts && q.counts && (c != PMR || p.changes || q.changes)
}

// pair returns two receives of one actor that can be reversed, chosen at random. ok is
// false if it finds none.
func (b *Base) pair(d *dice) (x, y int32, ok bool) {
	for range 16 {
		y = int32(d.below(b.Len()))
		n := 0
		for range b.turnable(y) {
			n++
		}
		if n == 0 {
			continue
		}
		at := n - 1 - d.below(n)
		for x = range b.turnable(y) {
			if at--; at < 0 {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// turnable yields the earlier receives of y's actor in the base that need not come before
// y in every order, in reverse order. It yields nothing if step y is not a receive that
// counts.
func (b *Base) turnable(y int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for x := b.steps[y].before; x != trace.None; x = b.steps[x].before {
			if !b.MustPrecede(int(x), int(y)) && !yield(x) {
				return
			}
		}
	}
}

// A closure computes for each two steps of a run whether one must come before the other,
// as a transitive closure (definitions 5 to 7 of the Bitá paper).
//
// The happens-before set of a step has the step itself, the steps that must come before
// it, and the happens-before sets of the earlier steps of its actor. A message may depend
// on everything that its sender has received. So a step must come after all steps in the
// happens-before set of the step that sent its message. It must also come after all steps
// in the happens-before set of the step that created its actor, and after the previous
// step of the same channel.
//
// Two rules are not in the paper. A quiescent point (nothing was deliverable), a clock
// tick and a fault separate all earlier steps from all later steps. If a step accesses
// shared state that an earlier step accessed, its happens-before set contains the
// happens-before set of the earlier step.
//
// A closure can be reused for further traces, which saves memory.
type closure struct {
	*trace.Trace
	words    int
	must     []uint64   // has a row of bits for each step: the steps that must come before it; belongs to the Base
	past     []uint64   // has a row of bits for each step: its happens-before set
	channels hash.Table // maps a channel to the last step that received from the channel
	touched  hash.Table // maps a piece of state, except trace.ItsSteps, to the last step that accessed the state
	actors   []actor
	places   places // has the index of the last step with counts set
}

// An actor is the state of a closure for one actor of the run.
type actor struct {
	start   int32 // the step in which the actor received its start message, or None
	touched int32 // the last step that accessed trace.ItsSteps of the actor, or None
}

func (c *closure) base(t *trace.Trace) *Base {
	b := &Base{}
	c.read(t, b)
	return b
}

// read makes b the base of a trace.
func (c *closure) read(t *trace.Trace, b *Base) {
	n := min(len(t.Steps), mostSteps)
	b.words = (n + 63) / 64
	b.steps = slices.Grow(b.steps[:0], n)[:n]
	b.must = slices.Grow(b.must[:0], n*b.words)[:n*b.words]
	clear(b.must)
	c.Trace, c.words, c.must = t, b.words, b.must
	c.past = slices.Grow(c.past[:0], len(b.must))[:len(b.must)]
	clear(c.past)
	c.channels.Reset()
	c.touched.Reset()
	c.actors = c.actors[:0]
	for range t.Actors {
		c.actors = append(c.actors, actor{trace.None, trace.None})
	}
	c.close(n)
	c.places.begin(t)
	for i := range b.steps {
		s := &t.Steps[i]
		at := step{s.ID, c.places.of(i), trace.None, counts(s), isGiven(s), s.Changed}
		if at.counts {
			at.before = c.places.put(at.place, int32(i))
		}
		b.steps[i] = at
	}
	c.Trace, c.must, c.places.trace = nil, nil, nil
}

// close finds, for each of the first n steps, the steps that must come before it.
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

// mustOf returns row i of must: the steps that must come before step i. It omits the words
// for steps after step i, which are always zero.
func (c *closure) mustOf(i int) []uint64 { return c.must[i*c.words:][:i>>6+1] }

// pastOf returns row i of past: the happens-before set of step i. It omits the words for
// steps after step i, which are always zero.
func (c *closure) pastOf(i int) []uint64 { return c.past[i*c.words:][:i>>6+1] }

// stands reports whether a fault or a clock tick separates step i from all earlier steps.
// If so, all earlier steps must come before step i and before all later steps.
func (c *closure) stands(i int) bool {
	return i > 0 && (c.Steps[i].Kind != trace.Receive || c.Steps[i-1].Kind != trace.Receive || c.Steps[i].Time != c.Steps[i-1].Time)
}

// follow computes the steps that must come before step i because of its message or the
// creation of its actor. It also computes the happens-before set of step i.
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

// receive adds to the set must the steps that must come before step i because of its
// message m.
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
	if m.Kind == trace.Kill || m.Kind == trace.Start { // an actor takes no step after its end and, after a restart, no step before its start
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

// touches adds to the happens-before set of step i the happens-before sets of earlier
// steps that accessed the same state (see trace.Touch). The accesses of step i begin in
// c.Touches at index next. touches returns this index for the next step.
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

// link adds to the happens-before set of step i the happens-before set of the last step
// that accessed the same state.
func (c *closure) link(i int, what trace.Touched, actor, ask int32) {
	key := uint64(what)<<56 ^ uint64(uint32(actor))<<28 ^ uint64(uint32(ask))
	if before, had := c.touched.Add(key, int32(i)); had && int(before) != i {
		add(c.pastOf(i), c.pastOf(int(before)))
		c.touched.Put(key, int32(i))
	}
}

// touchSteps adds to the happens-before set of step i the happens-before set of the last
// step that accessed trace.ItsSteps of an actor. Each step of the actor is an access to
// its ItsSteps. The previous step of step i's own actor is skipped, because its set was
// added before.
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
