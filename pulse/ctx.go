package pulse

import (
	"fmt"
	"math"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Ctx is what a handler may do to the system. It belongs to one actor and
// is good during that actor's steps only.
type Ctx struct {
	sys   *System
	actor int32
	out   [8]outward
}

// An outward remembers the channel to one receiver, where the table would
// have to be searched. It holds the receiver's complement, so that the zero
// value is nobody's.
type outward struct{ to, channel int32 }

// ok says that the call may go on: the step of this actor is running, on the
// goroutine that runs the system.
func (c *Ctx) ok(what string) bool {
	s := c.sys
	if s != nil && s.cur == c.actor && s.g == goroutine() {
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

// Sender returns who sent the message that is being received. What is sent to
// the sender of an Ask answers it, now or in a later step. Timers have no
// sender but the actor itself.
func (c *Ctx) Sender() Ref {
	s := c.sys
	if !c.ok("Sender") || s.from < 0 {
		return Ref{}
	}
	return Ref{sys: s, run: s.run, actor: s.from, ask: s.ask}
}

// Reply sends to Sender.
func (c *Ctx) Reply(msg any) { c.Send(c.Sender(), msg) }

// Spawn adds an actor as a child of this one.
func (c *Ctx) Spawn(name string, a Actor) Ref {
	if !c.ok("Spawn") {
		return Ref{}
	}
	return c.sys.spawnActor(name, a, c.actor)
}

// Go adds a process as a child of this actor.
func (c *Ctx) Go(name string, body func(*Process)) Ref {
	return c.SpawnSpec(Spec{Name: name, Process: body})
}

// SpawnSpec adds an actor of which more is to be said.
func (c *Ctx) SpawnSpec(spec Spec) Ref {
	if !c.ok("Spawn") {
		return Ref{}
	}
	return c.sys.spawn(&spec, c.actor)
}

// Stop ends the actor when its step is over. Messages that come later are orphans.
func (c *Ctx) Stop() {
	if c.ok("Stop") {
		c.sys.after |= workEnd
	}
}

// Kill ends another actor by a message that comes in its turn and that the
// other cannot refuse.
func (c *Ctx) Kill(r Ref) {
	if c.ok("Kill") {
		c.sys.kill(r)
	}
}

// Become changes the handler of the messages that come after this one.
func (c *Ctx) Become(a Actor) {
	if !c.ok("Become") {
		return
	}
	if a == nil {
		c.sys.misuse("Become(nil): give it the actor that handles what comes next")
	}
	if c.sys.actors[c.actor].process != nil {
		c.sys.misuse("Become in a process: it has no handler, its code goes on where it waits")
	}
	c.sys.actors[c.actor].handler = a
	c.sys.changed()
}

// Watch asks for a Down message when the other ends, or at once when it has
// ended already. It comes after all that the other has sent.
func (c *Ctx) Watch(r Ref) {
	if !c.ok("Watch") {
		return
	}
	s := c.sys
	s.check(r, "Watch")
	s.touch(r.actor, trace.ItsLife, 0)
	if a := s.actors[r.actor]; a.life == alive {
		a.watchers = append(a.watchers, c.actor)
		return
	}
	s.postDown(r.actor, c.actor, "gone")
}

// After sends the actor a message when d of virtual time has passed.
func (c *Ctx) After(d time.Duration, msg any) Timer {
	if !c.ok("After") {
		return Timer{}
	}
	return c.sys.setTimer(c.actor, d, 0, msg)
}

// Every sends the actor a message each time that d of virtual time has
// passed. A message that finds the last one still waiting is left out.
func (c *Ctx) Every(d time.Duration, msg any) Timer {
	if !c.ok("Every") {
		return Timer{}
	}
	if d <= 0 {
		c.sys.misuse("Every(%v): the period must be positive, time would stand still", d)
	}
	return c.sys.setTimer(c.actor, d, d, msg)
}

// Now returns virtual time: how long the run has lasted for its program.
func (c *Ctx) Now() time.Duration {
	if c.sys == nil {
		c.wrong("Now")
	}
	return time.Duration(c.sys.now)
}

// maxChoice is how many answers a question may have.
const maxChoice = math.MaxInt32

// Choose returns a number from 0 to n-1: a decision of the program's own that
// the strategy makes.
func (c *Ctx) Choose(n int) int {
	if !c.ok("Choose") {
		return 0
	}
	if n <= 0 {
		c.sys.misuse("Choose(%d): there must be at least one thing to choose from", n)
	}
	if n > maxChoice {
		c.sys.misuse("Choose(%d): a choice has at most %d answers", n, maxChoice)
	}
	return c.sys.choose(choice.Program, n)
}

// Log adds a line to the trace. It costs nothing when the run is not recorded.
func (c *Ctx) Log(format string, args ...any) {
	if s := c.sys; c.ok("Log") && s.recording {
		s.note(fmt.Sprintf(format, args...))
	}
}

func (s *System) note(text string) {
	s.trace.Notes = append(s.trace.Notes, trace.Note{Step: s.step, Actor: s.cur, Text: text})
}

// changed marks the running step as one that changed its actor's handlers.
func (s *System) changed() {
	if s.recording && s.step >= 0 {
		s.trace.Steps[s.step].Changed = true
	}
}

// choose asks the strategy and keeps its answer.
func (s *System) choose(k choice.Kind, n int) int {
	if n == 1 {
		return 0
	}
	v := s.decider().Choose(k, n)
	if v == Quit && s.quit() {
		s.after |= workIntruder // should the user's code recover
		panic(s.failure)
	}
	if uint(v) >= uint(n) {
		s.badStrategy("answered %d to %v of %d", v, k, n)
	}
	if s.recording && !s.settling {
		s.record.Choices = append(s.record.Choices, choice.Choice{Kind: k, N: uint32(n), Value: uint32(v)})
	}
	s.hash = fold(s.hash^uint64(k+1), uint64(v))
	if s.states != nil && k == choice.Program {
		s.learn(uint64(v))
	}
	return v
}

// decider is who makes the decisions now: plain order during start-up.
func (s *System) decider() Strategy {
	if s.settling {
		return plain{}
	}
	s.begin()
	return s.strategy
}

// begin tells the strategy of the run, once and not before it is needed.
func (s *System) begin() {
	if !s.begun {
		s.begun = true
		s.strategy.Begin(s.seed)
		s.beginFaults()
	}
}
