package protoactor

import (
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A hosted wraps the context of an actor. It adds virtual time, and ids that do
// not depend on the order of steps.
type hosted struct {
	actor.Context
	cell *cell
}

// decorate returns a decorator of contexts. If pulse runs the actor of a context, the
// decorator wraps the context in a hosted.
func (w *world) decorate(next actor.ContextDecoratorFunc) actor.ContextDecoratorFunc {
	return func(ctx actor.Context) actor.Context {
		ctx = next(ctx)
		if c := w.cells[ctx.Self().Id]; c != nil {
			return &hosted{ctx, c}
		}
		return ctx
	}
}

// String names only the actor. The context is part of the actor's state, so
// printing more would recurse.
func (h *hosted) String() string { return "Context of " + h.cell.label }

// Receive passes a message to the actor.
func (h *hosted) Receive(envelope *actor.MessageEnvelope) {
	c := h.cell
	switch envelope.Message.(type) {
	case *actor.Started:
		h.CancelReceiveTimeout()
		c.behaviors.find(c.invoker.Actor())
	case *actor.Stopped:
		h.CancelReceiveTimeout()
		c.bury()
	}
	restarts := c.heard(envelope)
	h.Context.Receive(envelope)
	if _, is := envelope.Message.(*actor.Started); is {
		c.refuseRealTime()
	}
	if restarts && c.patience.of > 0 {
		c.expect()
	}
}

// Spawn starts a child. The child's id is derived from the number of children
// spawned so far.
func (h *hosted) Spawn(props *actor.Props) *actor.PID { return h.SpawnPrefix(props, "") }

// SpawnPrefix starts a child with a name that begins with the prefix.
func (h *hosted) SpawnPrefix(props *actor.Props, prefix string) *actor.PID {
	h.cell.children++
	pid, err := h.SpawnNamed(props, prefix+idText(h.cell.children))
	if err != nil {
		panic(err)
	}
	return pid
}

// Send sends a message.
func (h *hosted) Send(pid *actor.PID, message any) {
	h.cell.mustKnow(pid)
	h.Context.Send(pid, message)
}

// Request sends a message with the sender's PID.
func (h *hosted) Request(pid *actor.PID, message any) {
	h.cell.mustKnow(pid)
	h.Context.Request(pid, message)
}

// Watch has the actor notified when another actor ends.
func (h *hosted) Watch(pid *actor.PID) {
	h.cell.mustKnow(pid)
	h.Context.Watch(pid)
}

// Unwatch undoes Watch.
func (h *hosted) Unwatch(pid *actor.PID) {
	h.cell.mustKnow(pid)
	h.Context.Unwatch(pid)
}

// Respond answers the sender of the current message.
func (h *hosted) Respond(response any) {
	h.cell.mustKnow(h.Sender())
	h.Context.Respond(response)
}

// Forward sends the current message to another actor.
func (h *hosted) Forward(pid *actor.PID) {
	h.cell.mustKnow(pid)
	h.Context.Forward(pid)
}

// RequestWithCustomSender sends a message with the given PID as its sender.
func (h *hosted) RequestWithCustomSender(pid *actor.PID, message any, sender *actor.PID) {
	h.cell.mustKnow(pid)
	h.Context.RequestWithCustomSender(pid, message, sender)
}

// Stop stops an actor.
func (h *hosted) Stop(pid *actor.PID) {
	h.cell.mustKnow(pid)
	h.Context.Stop(pid)
}

// StopFuture stops an actor and returns a future that is fulfilled when the actor
// has stopped.
func (h *hosted) StopFuture(pid *actor.PID) *actor.Future {
	h.cell.mustKnow(pid)
	return h.Context.StopFuture(pid)
}

// Poison stops an actor after the actor has received all earlier messages.
func (h *hosted) Poison(pid *actor.PID) {
	h.cell.mustKnow(pid)
	h.Context.Poison(pid)
}

// PoisonFuture is like Poison. It returns a future that is fulfilled when the
// actor has stopped.
func (h *hosted) PoisonFuture(pid *actor.PID) *actor.Future {
	h.cell.mustKnow(pid)
	return h.Context.PoisonFuture(pid)
}

// mustKnow fails the run if the PID belongs to another actor system. If the PID is
// not one that spawning returned, mustKnow records that the step depends on all
// earlier steps. The reason is that any of them may have spawned the actor.
func (c *cell) mustKnow(pid *actor.PID) {
	if pid == nil {
		return
	}
	if to := c.cells[pid.Id]; (to == nil || to.pid != pid) && !strings.HasPrefix(pid.Id, "future") {
		c.host.Touch(trace.AllSteps)
	}
	if m := knownMailbox(pid); m != nil {
		if other, is := m.(*cell); !is || other.world != c.world {
			c.misuse("actor %s belongs to another actor system, which is not controlled: spawn it in the one of protoactor.New", pid.Id)
		}
	}
}

// RequestFuture sends a message and returns a future of the answer. The timeout is
// virtual time.
func (h *hosted) RequestFuture(pid *actor.PID, message any, timeout time.Duration) *actor.Future {
	c := h.cell
	c.mustKnow(pid)
	c.adoptNew(c.me())
	c.giveWay(pid.GetId())
	c.asking = true
	f := h.Context.RequestFuture(pid, message, -1)
	c.asking, c.seen = false, c.as.ProcessRegistry.SequenceID
	if theirs, there := c.as.ProcessRegistry.GetLocal(f.PID().Id); there && !*doneOf(f) {
		p := c.adopt(c.me(), theirs, f, timeout)
		p.of = c.nameOf(pid)
	}
	return f
}

// A patience is a receive timeout of an actor.
type patience struct {
	of    time.Duration // the duration of the timeout; zero if there is no timeout
	timer pulse.Timer
	n     int // counts the timers that were started or stopped, so that method tire can ignore old timers
}

// ReceiveTimeout returns the receive timeout.
func (h *hosted) ReceiveTimeout() time.Duration { return h.cell.patience.of }

// SetReceiveTimeout has the actor notified when it has received no message for d
// of virtual time. A duration below one millisecond cancels the timeout.
func (h *hosted) SetReceiveTimeout(d time.Duration) {
	if d < time.Millisecond {
		d = 0
	}
	c := h.cell
	if d == c.patience.of {
		return
	}
	c.patience.of = d
	c.expect()
}

// CancelReceiveTimeout cancels the receive timeout.
func (h *hosted) CancelReceiveTimeout() {
	h.cell.patience.timer.Stop()
	h.cell.patience.of = 0
}

// expect restarts the receive timeout.
func (c *cell) expect() {
	p := &c.patience
	p.timer.Stop()
	p.n++
	if p.of > 0 {
		n := p.n
		p.timer = c.host.After(c.born(), p.of, &deed{"receive timeout", func() { c.tire(n) }})
	}
}

// heard stops the receive timeout when a message arrives. It returns false if the
// message leaves the timeout running.
func (c *cell) heard(e *actor.MessageEnvelope) bool {
	if c.patience.of == 0 {
		return true
	}
	_, counts := e.Message.(actor.NotInfluenceReceiveTimeout)
	if counts && e.Sender == nil {
		return false
	}
	c.patience.timer.Stop()
	c.patience.n++
	return true
}

// tire sends the actor a ReceiveTimeout, if timer n is the latest timer.
func (c *cell) tire(n int) {
	if n == c.patience.n && c.patience.of > 0 && c.grave == nil {
		c.patience.of = 0
		c.invoker.Send(c.pid, &actor.ReceiveTimeout{})
	}
}
