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

// outward caches the channel to one receiver, so that Send need not search the
// table. to holds the receiver's complement, so that the zero value matches
// nobody.
type outward struct{ to, channel int32 }

// ok reports whether a call of the Ctx may proceed: its actor's step is
// running, and the caller is the goroutine that runs it.
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
// an Ask answers it, now or in a later step. The sender of a timer is the actor
// that set it: the actor itself, unless SendAfter was used.
func (c *Ctx) Sender() Ref {
	s := c.sys
	if !c.ok("Sender") || s.from < 0 {
		return Ref{}
	}
	return Ref{sys: s, run: s.run, actor: s.from, ask: s.ask}
}

// Reply sends msg to Sender.
func (c *Ctx) Reply(msg any) { c.Send(c.Sender(), msg) }

// Spawn adds an actor as a child of this one.
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

// SpawnSpec adds the actor that a Spec describes as a child of this one.
func (c *Ctx) SpawnSpec(spec Spec) Ref {
	if !c.ok("Spawn") {
		return Ref{}
	}
	return c.sys.spawn(&spec, c.actor)
}

// Stop ends the actor after this step. Messages that come later are orphans.
func (c *Ctx) Stop() {
	if c.ok("Stop") {
		c.sys.todo.afterStep |= workEnd
	}
}

// Kill ends another actor by a message. It takes its turn like any message, but
// cannot be refused.
func (c *Ctx) Kill(r Ref) {
	if c.ok("Kill") {
		c.sys.kill(r)
	}
}

// Become changes the handler for the following messages.
func (c *Ctx) Become(a Actor) {
	if c.ok("Become") {
		c.sys.become(c.actor, a)
	}
}

// Watch requests a Down message for when the other actor ends. If it has
// already ended, the Down is sent at once. The Down comes after all messages
// from the other actor. A crash or restart of the watcher ends its watches.
func (c *Ctx) Watch(r Ref) {
	if !c.ok("Watch") {
		return
	}
	c.sys.check(r, "Watch")
	c.sys.watch(c.actor, r.actor)
}

// Unwatch ends all watches of this actor on the other one. No Down of the other
// follows; one that is on its way is withdrawn.
func (c *Ctx) Unwatch(r Ref) {
	if !c.ok("Unwatch") {
		return
	}
	c.sys.check(r, "Unwatch")
	c.sys.unwatch(c.actor, r.actor)
}

// After sends the actor itself a message after d of virtual time.
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
// by then; only Timer.Stop withdraws it. It has no fixed order relative to this
// actor's other messages. Two such messages from one actor to the same receiver
// come in the order of their times. Faults do not affect it, but a receiver
// that has crashed by then does not receive it. If to is the actor itself,
// SendAfter is After.
func (c *Ctx) SendAfter(to Ref, d time.Duration, msg any) Timer {
	if !c.ok("SendAfter") {
		return Timer{}
	}
	return c.sys.sendAfter(c.actor, to, d, msg)
}

// Every sends the actor itself a message each time d of virtual time has
// passed. It skips a message while the previous one still waits.
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

// maxChoice is the largest number of alternatives of a choice.
const maxChoice = math.MaxInt32

// Choose returns a number from 0 to n-1 that the strategy chooses.
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

// wrong fails the run for an invalid call of a Ctx. It returns false if the
// caller should just return.
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
