package trace

import (
	"math/rand/v2"
	"time"
)

// A builder makes traces step by step, as a system would.
type builder struct {
	*Trace
	now  time.Duration
	last []int32 // the last step of each actor
}

func newBuilder() *builder {
	b := &builder{Trace: &Trace{}}
	b.spawn(None, "test")
	b.Actors[Test].Parent = None
	return b
}

// spawn adds an actor that step spawned.
func (b *builder) spawn(step int32, label string) int32 {
	actor := int32(len(b.Actors))
	b.Actors = append(b.Actors, Actor{
		ID: b.identity(step, uint64(actor)), Label: label, Type: label,
		Parent: b.actorOf(step), Step: step, Ended: None,
	})
	b.last = append(b.last, None)
	return actor
}

func (b *builder) send(step, to int32, body any) int32 { return b.sendKind(Message, step, to, body) }

func (b *builder) sendKind(kind SendKind, step, to int32, body any) int32 {
	send := int32(len(b.Sends))
	b.Sends = append(b.Sends, Send{
		Body: body, ID: b.identity(step, uint64(send)), From: b.actorOf(step), To: to,
		Step: step, Receipt: None, Kind: kind,
	})
	return send
}

func (b *builder) receive(send int32) int32 {
	s := &b.Sends[send]
	s.Fate, s.Receipt = Delivered, int32(len(b.Steps))
	return b.step(Step{ID: s.ID * 31, Send: send, Actor: s.To, Kind: Receive})
}

func (b *builder) fault(kind StepKind, actor int32) int32 {
	return b.step(Step{ID: uint64(kind)<<32 | uint64(actor), Send: None, Actor: actor, Kind: kind})
}

func (b *builder) step(s Step) int32 {
	i := int32(len(b.Steps))
	s.Time, s.Prev = int64(b.now), b.last[s.Actor]
	b.Steps = append(b.Steps, s)
	b.last[s.Actor] = i
	return i
}

func (b *builder) rest() { b.Rests = append(b.Rests, int32(len(b.Steps))) }

func (b *builder) note(step int32, text string) {
	b.Notes = append(b.Notes, Note{Step: step, Actor: b.actorOf(step), Text: text})
}

func (b *builder) actorOf(step int32) int32 {
	if step == None {
		return Test
	}
	return b.Steps[step].Actor
}

func (b *builder) identity(step int32, n uint64) uint64 {
	return (uint64(step+2)*0x9e3779b97f4a7c15 ^ n) * 0xff51afd7ed558ccd
}

// A randomTrace is a run of actors that act at random.
type randomTrace struct {
	*builder
	rand    *rand.Rand
	pending []int32 // sends not yet received, in the order of sending
}

// newRandomTrace returns a trace of some dozens of steps: several actors,
// timers, faults, quiescent points after which the test sends again, and
// messages that are lost or never received. Every other one is Unordered.
func newRandomTrace(seed uint64) *Trace {
	r := &randomTrace{builder: newBuilder(), rand: rand.New(rand.NewPCG(seed, 7))}
	r.Unordered = seed%2 == 1
	for range 1 + r.rand.IntN(5) {
		r.spawn(None, "actor")
	}
	for range 1 + r.rand.IntN(3) {
		r.phase(1 + r.rand.IntN(12))
	}
	return r.Trace
}

// phase adds the test's messages and everything that follows until the system
// rests.
func (r *randomTrace) phase(sends int) {
	for range 1 + r.rand.IntN(3) {
		r.sendSome(None)
	}
	for len(r.pending) > 0 {
		if r.rand.IntN(10) == 0 {
			r.fault(Crash+StepKind(r.rand.IntN(4)), r.anyone())
		}
		i := r.deliverable()
		send := r.pending[i]
		r.pending = append(r.pending[:i], r.pending[i+1:]...)
		if r.rand.IntN(15) == 0 {
			r.Sends[send].Fate = Dropped
			continue
		}
		step := r.receive(send)
		for sends > 0 && r.rand.IntN(2) == 0 {
			sends--
			r.sendSome(step)
		}
	}
	if r.rand.IntN(4) > 0 {
		r.rest()
	}
}

func (r *randomTrace) anyone() int32 { return 1 + int32(r.rand.IntN(len(r.Actors)-1)) }

func (r *randomTrace) sendSome(step int32) {
	to, kind := r.anyone(), Message
	if step != None && r.rand.IntN(6) == 0 {
		to, kind = r.Steps[step].Actor, Timer
	}
	send := r.sendKind(kind, step, to, int(r.rand.IntN(9)))
	if r.rand.IntN(20) > 0 {
		r.pending = append(r.pending, send)
	}
}

// deliverable picks a pending message. If channels keep their order, it is
// the first of its channel.
func (r *randomTrace) deliverable() int {
	i := r.rand.IntN(len(r.pending))
	if r.Unordered {
		return i
	}
	picked := r.Sends[r.pending[i]]
	for j, send := range r.pending[:i] {
		if s := r.Sends[send]; channelOf(s) == channelOf(picked) && s.To == picked.To {
			return j
		}
	}
	return i
}
