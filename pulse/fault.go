package pulse

import (
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Faults say what may go wrong in a run, and how often. The zero value is a
// system in which nothing does. Each fault is a decision of the strategy;
// the numbers are budgets, not rates.
//
// Faults leave alone the messages from and to the test, of timers and of an
// actor to itself, and whatever Safe actors send and receive.
type Faults struct {
	// Drop, Duplicate and Delay are how many messages may be lost, arrive
	// twice, or be held back. With FIFO delivery a message that is held back
	// holds back those behind it in its channel. The answer to an Ask does not
	// arrive twice: who asks takes one.
	Drop, Duplicate, Delay int
	// DelayBy are the times by which a message can be held back; empty means
	// 10 ms of virtual time.
	DelayBy []time.Duration

	// Crash is how many actors may crash. What waits for a crashed actor and
	// what is sent to it is lost, its timers and its children are gone, its
	// watchers are told.
	Crash int
	// RestartKept and RestartLost are how many crashed actors may come back,
	// with their state as it was, and with a new one. The second needs
	// Spec.New or Spec.Process, the first an actor that is not a process.
	RestartKept, RestartLost int
	// Partition is how many times an actor may be cut off from all others.
	// One is at a time; messages wait until it heals, which it does at the
	// latest when the run would end.
	Partition int

	// Links limits the faults of messages to some channels; nil means all.
	Links func(from, to Ref) bool
	// Actors limits crashes and partitions to some actors; nil means all.
	Actors func(Ref) bool

	// Swarm lets each run use only some kinds of these faults, which the
	// strategy chooses: runs without most faults find what faults hide.
	Swarm bool
}

func (f *Faults) onMessages() bool { return f.Drop > 0 || f.Duplicate > 0 || f.Delay > 0 }
func (f *Faults) onActors() bool   { return f.Crash > 0 || f.Partition > 0 }

var defaultDelay = []time.Duration{10 * time.Millisecond}

// faults is what is left of the budgets, and what is broken now.
type faults struct {
	left    Faults
	strikes bool  // actors may be struck
	cut     int32 // the actor that is cut off; none
	slow    int   // messages that are held back
	early   int   // timers that fired early
	held    []int32
	scratch []int32
	options []strike
}

// A strike is a fault that can happen before the next step.
type strike struct {
	kind  trace.StepKind
	lose  bool // the restart loses the state
	actor int32
}

func (s *System) resetFaults() {
	f := &s.faults
	f.left = s.options.Faults
	f.cut, f.slow, f.early = none, 0, 0
	f.held = f.held[:0]
	s.armFaults()
}

// armFaults sets the bits by which the rest of the system asks for faults.
func (s *System) armFaults() {
	f := &s.faults
	f.strikes = f.left.onActors()
	s.onSend &^= workMessage
	if f.left.onMessages() {
		s.onSend |= workMessage
	}
}

// beginFaults chooses which kinds of fault a run of a swarm may use.
func (s *System) beginFaults() {
	f := &s.faults
	if !f.left.Swarm || !f.left.onMessages() && !f.left.onActors() {
		return
	}
	budgets := [...]*int{&f.left.Drop, &f.left.Duplicate, &f.left.Delay, &f.left.Crash, &f.left.Partition}
	mask := s.choose(choice.Swarm, 1<<len(budgets))
	for i, b := range budgets {
		if mask&(1<<i) == 0 {
			*b = 0
		}
	}
	s.armFaults()
}

// meetFate deals with a message before it enters its channel and says
// whether it is to stay out of it.
func (s *System) meetFate(m int32) bool {
	if s.onSend&workIsolate != 0 {
		s.guard(m)
	}
	if s.onSend&workMessage == 0 || s.settling || !s.exposed(m) {
		return false
	}
	f := &s.faults.left
	if f.Drop > 0 && s.choose(choice.Drop, 2) == 1 {
		f.Drop--
		s.discard(m, trace.Dropped)
		return true
	}
	if f.Duplicate > 0 && s.sends[m].Kind != trace.Reply && s.choose(choice.Duplicate, 2) == 1 {
		f.Duplicate--
		s.post(m, s.sends[m].From)
		s.duplicate(m)
		return true
	}
	return f.Delay > 0 && s.delay(m)
}

// exposed says whether faults may touch a message.
func (s *System) exposed(m int32) bool {
	d := &s.sends[m]
	if d.From == trace.Test || d.To == trace.Test || d.From == d.To || d.Kind != trace.Message && d.Kind != trace.Reply {
		return false
	}
	if s.actors[d.From].spec.Safe || s.actors[d.To].spec.Safe {
		return false
	}
	links := s.options.Faults.Links
	return links == nil || links(s.ref(d.From), s.ref(d.To))
}

// duplicate sends a message a second time.
func (s *System) duplicate(m int32) {
	c := s.newSlot()
	d := s.sends[m]
	d.ID, d.Kind = copyID(d.ID), trace.Copy
	s.sends[c] = d
	s.post(c, d.From)
}

// delay asks for how long a message is held back.
func (s *System) delay(m int32) bool {
	by := s.options.Faults.DelayBy
	if len(by) == 0 {
		by = defaultDelay
	}
	v := s.choose(choice.Delay, len(by)+1)
	if v == 0 {
		return false
	}
	s.faults.left.Delay--
	e := entry{at: s.later(by[v-1]), send: m, actor: none, effect: release, last: none}
	d := &s.sends[m]
	a := s.actors[d.To]
	if !s.unordered {
		if a.life != alive {
			s.post(m, d.From) // to its last fate
			return true
		}
		e.effect = unblock
		s.post(m, d.From)
		s.channels[d.Channel].slow++
	}
	s.faults.slow++
	s.timers.push(e)
	if !s.unordered {
		s.reopen(a)
	}
	return true
}

// unblock lets a message that was held back in its channel go on.
func (s *System) unblock(m int32) {
	c := &s.channels[s.sends[m].Channel]
	c.slow--
	s.faults.slow--
	s.reopen(s.actors[c.to])
}

// isSlow says whether a message is held back.
func (s *System) isSlow(m int32) bool { return s.heldBack(m) >= 0 }

// heldBack finds what will let a message go on.
func (s *System) heldBack(m int32) int {
	return slices.IndexFunc(s.timers.heap, func(e entry) bool { return e.send == m && e.effect >= unblock })
}

// lose forgets that a message is held back: it will not go on. It says
// whether it was.
func (s *System) lose(m int32) bool {
	if s.faults.slow == 0 {
		return false
	}
	i := s.heldBack(m)
	if i < 0 {
		return false
	}
	if s.timers.heap[i].effect == unblock {
		s.channels[s.sends[m].Channel].slow--
	}
	s.faults.slow--
	s.timers.removeAt(i)
	return true
}

// crosses says whether the partition lies between two actors.
func (s *System) crosses(from, to int32) bool { return s.divides(s.faults.cut, from, to) }

// divides says whether an actor that is cut off is one of two, neither of
// which faults leave alone.
func (s *System) divides(cut, from, to int32) bool {
	return cut >= 0 && (from == cut) != (to == cut) && from > trace.Test && to > trace.Test &&
		!s.actors[from].spec.Safe && !s.actors[to].spec.Safe
}

// strike asks which fault happens before the next step, and says whether one did.
func (s *System) strike() bool {
	options := s.listStrikes()
	if len(options) == 0 {
		return false
	}
	v := s.choose(choice.Fault, len(options)+1)
	if v == 0 {
		return false
	}
	s.inflict(options[v-1])
	return true
}

// listStrikes lists what could strike now, in a fixed order.
func (s *System) listStrikes() []strike {
	f := &s.faults
	list := f.options[:0]
	if f.cut >= 0 {
		list = append(list, strike{kind: trace.Heal, actor: f.cut})
	}
	for i := int(trace.Test) + 1; i < len(s.actors); i++ {
		a := s.actors[i]
		if a.spec.Safe || s.options.Faults.Actors != nil && !s.options.Faults.Actors(s.ref(int32(i))) {
			continue
		}
		list = s.listStrikesAt(list, a, int32(i))
	}
	f.options = list
	return list
}

func (s *System) listStrikesAt(list []strike, a *actor, i int32) []strike {
	f := &s.faults.left
	switch {
	case a.life == alive:
		if f.Crash > 0 {
			list = append(list, strike{kind: trace.Crash, actor: i})
		}
		if f.Partition > 0 && s.faults.cut < 0 {
			list = append(list, strike{kind: trace.Partition, actor: i})
		}
	case a.life == down:
		process := a.spec.Process != nil
		if f.RestartKept > 0 && !process {
			list = append(list, strike{kind: trace.Restart, actor: i})
		}
		if f.RestartLost > 0 && (process || a.spec.New != nil) {
			list = append(list, strike{kind: trace.Restart, actor: i, lose: true})
		}
	}
	return list
}

// inflict makes a fault happen: a step of the actor that it strikes.
func (s *System) inflict(x strike) {
	a := s.actors[x.actor]
	s.beginFaultStep(x, a)
	f := &s.faults
	switch x.kind {
	case trace.Crash:
		f.left.Crash--
		s.crash(a)
	case trace.Restart:
		if x.lose {
			f.left.RestartLost--
		} else {
			f.left.RestartKept--
		}
		s.revive(a, x.lose)
	case trace.Partition:
		f.left.Partition--
		f.cut = x.actor
		s.recut(x.actor, +1)
	case trace.Heal:
		f.cut = none
		s.recut(x.actor, -1)
	}
	s.finishStep(a)
	s.cur = trace.Test
}

// name tells kinds of fault apart: a restart that loses the state is another
// one than a restart that keeps it.
func (x strike) name() uint64 {
	if x.lose {
		return uint64(x.kind) | 1<<8
	}
	return uint64(x.kind)
}

func (s *System) beginFaultStep(x strike, a *actor) {
	s.cur, s.from, s.ask, s.sent, s.spawned = x.actor, none, 0, 0, 0
	s.step = s.steps
	s.steps++
	if !s.recording {
		return
	}
	var prev uint64
	if a.last >= 0 {
		prev = s.trace.Steps[a.last].ID
	}
	s.curID = faultID(x.name(), a.id, prev)
	s.hash = fold(s.hash, s.curID)
	s.trace.Steps = append(s.trace.Steps, trace.Step{
		ID: s.curID, Time: s.now, Send: none, Actor: x.actor, Prev: a.last, Kind: x.kind,
	})
	a.last = s.step
}

func (s *System) crash(a *actor) {
	s.endChildren(a.ctx.actor, "crashed")
	a.life = down
	s.shut(a, trace.Dropped)
	s.forgetWait(a)
	s.tellWatchers(a, "crashed")
}

// revive starts an actor again, with a new state or the one that it had.
func (s *System) revive(a *actor, lose bool) {
	a.life = alive
	s.renew(a, lose)
	s.reopen(a)
}

// renew makes an actor ready to receive from the beginning.
func (s *System) renew(a *actor, lose bool) {
	a.accept, a.await, a.answered = anything, 0, 0
	switch {
	case a.spec.Process != nil:
		s.startProcess(a)
	case lose && a.spec.New != nil:
		a.handler = s.handlerOf(&Spec{Name: a.spec.Name, New: a.spec.New})
	}
}

// recut blocks or unblocks all channels between one actor and the others.
func (s *System) recut(actor int32, by int32) {
	s.flagChoosy()
	for i := range s.channels {
		c := &s.channels[i]
		if s.divides(actor, c.from, c.to) {
			c.blocked += by
		}
	}
	for _, a := range s.actors {
		if a.life == alive {
			s.reopen(a)
		}
	}
}

// healAtEnd ends a partition that would otherwise outlast the run.
func (s *System) healAtEnd() bool {
	if s.faults.cut < 0 {
		return false
	}
	s.inflict(strike{kind: trace.Heal, actor: s.faults.cut})
	return true
}
