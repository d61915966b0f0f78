package pulse

import (
	"fmt"
	"math"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Ctx gives a handler access to the system. It belongs to one actor and is
// valid only during that actor's steps.
type Ctx struct {
	sys   *System
	actor int32
	out   [8]outward
}

// outward caches the channel to one receiver, so that Send need not search
// mailroom.table. to is the bitwise complement of the receiver's index, so that
// the zero value matches no actor.
type outward struct{ to, channel int32 }

// forget removes the channel to an actor from the cache.
func (c *Ctx) forget(to int32) {
	if known := &c.out[uint32(to)%uint32(len(c.out))]; known.to == ^to {
		*known = outward{}
	}
}

// ok reports whether a method of the Ctx may proceed. It may if a step of the
// Ctx's actor is running on the calling goroutine.
func (c *Ctx) ok(what string) bool {
	s := c.sys
	if s != nil && s.rec.cur == c.actor && s.calls.mine() {
		return true
	}
	return c.wrong(what)
}

// Self returns the actor whose handler this is.
func (c *Ctx) Self() Ref {
	if c.sys == nil {
		c.wrong("Self")
	}
	return Ref{sys: c.sys, run: c.sys.run, actor: c.actor}
}

// Sender returns the sender of the current message. A message to the sender of
// an Ask answers the Ask, in this step or in a later one. The sender of a
// timer's message is the actor that set the timer.
func (c *Ctx) Sender() Ref {
	s := c.sys
	if !c.ok("Sender") || s.from < 0 {
		return Ref{}
	}
	return Ref{sys: s, run: s.run, actor: s.from, ask: s.ask}
}

// Reply sends msg to Sender.
func (c *Ctx) Reply(msg any) { c.Send(c.Sender(), msg) }

// Spawn adds an actor as a child of this actor.
func (c *Ctx) Spawn(name string, a Actor) Ref {
	if !c.ok("Spawn") {
		return Ref{}
	}
	return c.sys.spawnPlain(name, a, c.actor)
}

// Go adds a process as a child of this actor.
func (c *Ctx) Go(name string, body func(*Process)) Ref {
	return c.SpawnSpec(Spec{Name: name, Process: body})
}

// SpawnSpec adds the actor that a Spec describes, as a child of this actor.
func (c *Ctx) SpawnSpec(spec Spec) Ref {
	if !c.ok("Spawn") {
		return Ref{}
	}
	return c.sys.spawn(&spec, c.actor)
}

// Stop ends the actor after this step. Messages that are still waiting for it,
// or are sent to it later, become orphans.
func (c *Ctx) Stop() {
	if c.ok("Stop") {
		c.sys.todo.afterStep |= workEnd
	}
}

// Kill sends a message that ends the other actor when it is delivered. The
// message is scheduled like any other, but every actor accepts it.
func (c *Ctx) Kill(r Ref) {
	if c.ok("Kill") {
		c.sys.kill(r)
	}
}

// Become sets the handler for this actor's later messages.
func (c *Ctx) Become(a Actor) {
	if c.ok("Become") {
		c.sys.become(c.actor, a)
	}
}

// Watch makes this actor receive a Down message when the other actor ends or
// crashes. If the other actor is not alive, the Down is sent at once. With FIFO
// delivery the Down comes after all messages from the other actor. A crash or
// restart of the watcher ends its watches.
func (c *Ctx) Watch(r Ref) {
	if !c.ok("Watch") {
		return
	}
	c.sys.check(r, "Watch")
	c.sys.watch(c.actor, r.actor)
}

// Unwatch ends all watches of this actor on the other actor. A Down of the
// other actor that is in flight is withdrawn.
func (c *Ctx) Unwatch(r Ref) {
	if !c.ok("Unwatch") {
		return
	}
	c.sys.check(r, "Unwatch")
	c.sys.unwatch(c.actor, r.actor)
}

// After sends this actor a message after d of virtual time.
func (c *Ctx) After(d time.Duration, msg any) Timer {
	if !c.ok("After") {
		return Timer{}
	}
	return c.sys.setTimer(c.actor, d, 0, msg)
}

// SendAfter sends another actor a message after d of virtual time. The receiver
// sees this actor as its Sender.
//
// The message arrives even if this actor has ended, crashed or been restarted
// by then. Only Timer.Stop withdraws the message. The message has no fixed
// order relative to this actor's other messages. With FIFO delivery, SendAfter
// messages from one actor to one receiver arrive in the order of their times.
// Options.Faults do not drop, duplicate or delay the message, but the message
// is lost if the receiver has crashed by then. If to is this actor, SendAfter
// is After.
func (c *Ctx) SendAfter(to Ref, d time.Duration, msg any) Timer {
	if !c.ok("SendAfter") {
		return Timer{}
	}
	return c.sys.sendAfter(c.actor, to, d, msg)
}

// Every sends this actor a message each time d of virtual time has passed.
// While the previous message still waits, no further message is sent.
func (c *Ctx) Every(d time.Duration, msg any) Timer {
	if !c.ok("Every") {
		return Timer{}
	}
	if d <= 0 {
		c.sys.misuse("Every(%v): the period must be positive, or time would stand still", d)
	}
	return c.sys.setTimer(c.actor, d, d, msg)
}

// Now returns the virtual time since the run began.
func (c *Ctx) Now() time.Duration {
	if c.sys == nil {
		c.wrong("Now")
	}
	c.sys.rec.meetsTime(&c.sys.faults, trace.TheTime)
	return time.Duration(c.sys.clock.now)
}

// maxChoice is the largest n of Choose.
const maxChoice = math.MaxInt32

// Choose returns a number from 0 to n-1, which the strategy chooses.
func (c *Ctx) Choose(n int) int {
	if !c.ok("Choose") {
		return 0
	}
	if n <= 0 {
		c.sys.misuse("Choose(%d): the number of choices must be at least 1", n)
	}
	if n > maxChoice {
		c.sys.misuse("Choose(%d): the number of choices must be at most %d", n, maxChoice)
	}
	v := c.sys.choose(choice.Program, n)
	if n > 1 {
		c.sys.learned(uint64(v))
	}
	return v
}

// Log adds a line to the trace, if the run is recorded.
func (c *Ctx) Log(format string, args ...any) {
	if c.ok("Log") {
		c.sys.Host().log(func() string { return fmt.Sprintf(format, args...) })
	}
}

// wrong fails the run for an invalid call to a method of a Ctx. It returns
// false if the caller must return without effect.
func (c *Ctx) wrong(what string) bool {
	s := c.sys
	if s == nil {
		panic(&Failure{Kind: KindMisuse, Text: what + ": the Ctx is the zero Ctx; use the one passed to Receive"})
	}
	s.unwind()
	switch {
	case s.calls.strange():
		s.intrude(what, "Ctx")
		return false
	case s.closed:
		s.misuse("%s on a Ctx of a closed system", what)
	case !s.calls.running:
		s.misuse("%s on the Ctx of %s after its step: a Ctx is valid only until Receive returns", what, s.rec.nameOf(c.actor))
	}
	s.misuse("%s on the Ctx of %s in a step of %s: a Ctx was stored or passed on", what, s.rec.nameOf(c.actor), s.rec.nameOf(s.rec.cur))
	return false
}
