package protoactor

import (
	"reflect"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A cell hosts one actor of proto.actor. It is the actor's mailbox in proto.actor,
// and it is an actor in pulse. A message posted to the mailbox is sent in pulse. When
// pulse delivers the message, proto.actor handles it in that step, until the handler
// returns or waits for a future.
//
// A cell remains after its actor has stopped, because proto.actor's own code drops or
// answers messages that still arrive.
type cell struct {
	*world
	id      string
	label   string
	pid     *actor.PID
	ref     pulse.Ref
	shade   pulse.Ref // the pulse actor that sends the cell's system messages, which may overtake its user messages
	ctx     *pulse.Ctx
	invoker invoker
	process actor.Process // set if the cell hosts a router, which has no invoker
	parent  *cell
	watched bool // set if the actor has a parent or a guardian
	rules   bool // set if the user chose a supervisor strategy for the actor's children
	atOnce  bool // set if the actor starts in the step that spawns it

	job       any // the message being received
	doing     any // the message that proto.actor is handling
	co        *pulse.Coroutine
	awaits    *promise
	posted    map[*cell]bool // the cells to which this cell has sent user messages
	pending   []*promise     // the actor's unfulfilled futures
	suspended bool
	owed      int // the number of undelivered system messages from the actor to itself
	filter    filter
	backlog   []any // user messages that came while the actor accepted only system messages
	source    uint64
	children  uint64
	urgent    map[*cell]*notice // the last system message that this cell has sent to each receiver
	known     *graves
	grave     *grave // set once the actor has stopped
	behaviors behaviors
	patience  patience
	body      func(*pulse.Coroutine)
}

// An invoker is the object that proto.actor gives to a mailbox to handle its
// messages. The object is also the actor's context.
type invoker interface {
	actor.MessageInvoker
	actor.Context
}

// A notice is a system message in transit.
type notice struct {
	message any
	before  *notice // the previous notice from this sender to this receiver
	done    bool    // set once the message is handled; used only by the receiver
	own     bool    // set if the receiver sent the message to itself
	known   *graves
	to      pulse.Ref
}

// String returns the label of the message.
func (n *notice) String() string { return systemLabel(n.message) }

// A letter is a user message in transit. The field after is the sender's last
// system message to the same receiver. The field known has the stopped actors that
// the sender knows about.
type letter struct {
	message any // the message, in its envelope if it has one
	after   *notice
	known   *graves
}

// String returns the label of the message.
func (l *letter) String() string {
	switch m := actor.UnwrapEnvelopeMessage(l.message).(type) {
	case *actor.PoisonPill, *actor.Touch:
		return trace.TypeLabel(m)
	default:
		return trace.Label(m)
	}
}

// stopping is the message that stops a router or a future. Neither is an actor.
type stopping struct{}

// started is the message that starts an actor.
var started any = &actor.Started{}

// RegisterHandlers is called by proto.actor once the actor exists.
func (c *cell) RegisterHandlers(m actor.MessageInvoker, _ actor.Dispatcher) {
	c.invoker = m.(invoker)
	c.pid = c.invoker.Self()
	c.behaviors.find(c.invoker.Actor())
}

// String returns the actor's state.
func (c *cell) String() string {
	if c.invoker == nil {
		return c.label
	}
	return trace.StateLabel(c.invoker.Actor(), isTheirs)
}

// isTheirs reports whether a type belongs to a package of proto.actor. A value of
// such a type may refer to unrelated state. For example, the store of a persistent
// actor refers to the events of all actors.
func isTheirs(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasPrefix(t.PkgPath(), theirModule)
}

// theirModule is the prefix of the paths of proto.actor's packages.
var theirModule = strings.TrimSuffix(reflect.TypeFor[actor.PID]().PkgPath(), "actor")

// Start is called by proto.actor when the actor has been started.
func (c *cell) Start() {}

// UserMessageCount is called by proto.actor's metrics.
func (c *cell) UserMessageCount() int { return 0 }

// born returns the cell's actor in pulse, and spawns that actor first if needed.
func (c *cell) born() pulse.Ref {
	if !c.ref.IsZero() {
		return c.ref
	}
	if c.label == "" {
		c.label = c.labelOf()
	}
	spec := pulse.Spec{Name: c.label, Safe: true, Actor: c}
	if !c.atOnce && c.process == nil && c.id != "" {
		spec.Actor = starter{c}
	}
	c.body = c.onCoroutine
	c.ref = c.host.Spawn(c.me().ref, spec)
	return c.ref
}

// A starter is a cell whose actor starts when pulse delivers the pulse.Start message.
type starter struct{ *cell }

// Started has proto.actor start the actor.
func (s starter) Started(ctx *pulse.Ctx, _ pulse.Start) { s.Receive(ctx, started) }

// PostUserMessage sends the actor a user message.
func (c *cell) PostUserMessage(message any) {
	if message == nil || c.foreign("a message", actor.UnwrapEnvelopeMessage(message), adviceSend) {
		return // proto.actor takes a nil message for an empty mailbox, so nil is dropped
	}
	if batch, ok := actor.UnwrapEnvelopeMessage(message).(actor.MessageBatch); ok {
		for _, m := range batch.GetMessages() {
			c.PostUserMessage(m)
		}
	}
	me := c.me()
	c.adoptNew(me)
	me.giveWay(c.id)
	wrapped := false
	switch message.(type) {
	case *actor.MessageEnvelope, *actor.PoisonPill, *actor.Touch:
		wrapped = true
	}
	if after := me.urgent[c]; wrapped || after != nil || me.known != nil {
		message = &letter{message, after, me.known}
	}
	if !me.posted[c] {
		if me.posted == nil {
			me.posted = map[*cell]bool{}
		}
		me.posted[c] = true
	}
	c.host.Enqueue(me.ref, c.born(), message)
}

// PostSystemMessage sends the actor a system message.
func (c *cell) PostSystemMessage(message any) {
	if c.foreign("a system message", message, adviceSend) {
		return
	}
	me := c.me()
	c.adoptNew(me)
	if _, starts := message.(*actor.Started); starts {
		c.start()
		return
	}
	if me != c {
		me.giveWay(c.id)
	}
	switch m := message.(type) {
	case *actor.SuspendMailbox, *actor.ResumeMailbox:
		if me == c {
			c.suspend(message)
			return
		}
	case *actor.Watch, *actor.Unwatch:
		c.host.Enqueue(me.ref, c.born(), &notice{message: m, known: me.known})
		return
	}
	n := &notice{message: message, before: me.urgent[c], known: me.known, own: me == c}
	if n.own {
		c.owed++ // the actor handles no user message before it has handled n
		c.host.Enqueue(c.ref, c.ref, n)
		return
	}
	me.urge(c, n)
}

// urge sends the system message n to another cell. The message may overtake earlier
// messages of this cell.
func (c *cell) urge(to *cell, n *notice) {
	if c.urgent == nil {
		c.urgent = map[*cell]*notice{}
	}
	n.before = c.urgent[to]
	c.urgent[to] = n
	n.to = to.born()
	c.host.Enqueue(c.ref, c.shadow(), n)
}

// start spawns the cell as an actor in pulse. If atOnce is set, proto.actor also
// starts its own actor in this step, otherwise in a later step.
func (c *cell) start() {
	c.born()
	if c.atOnce {
		c.invoker.InvokeSystemMessage(started)
	}
}

// shadow returns the pulse actor that forwards the cell's system messages. Pulse
// keeps the order of one sender's messages, so system messages need a second sender
// to overtake user messages.
func (c *cell) shadow() pulse.Ref {
	if c.shade.IsZero() {
		c.shade = c.host.Spawn(c.ref, pulse.Spec{Name: c.label + " (system)", Safe: true, Actor: passes{}})
	}
	return c.shade
}

// passes is a pulse actor that forwards notices, which are system messages.
type passes struct{}

// Receive forwards a notice to its receiver.
func (passes) Receive(ctx *pulse.Ctx, msg any) { ctx.Send(msg.(*notice).to, msg) }

// Receive handles a message that pulse delivers to the cell.
func (c *cell) Receive(ctx *pulse.Ctx, msg any) {
	c.ctx = ctx
	c.enter()
	if ofFuture(msg) {
		c.receiveOfFuture(msg)
		if c.awaits == nil || !*c.awaits.done {
			c.leave()
			c.heed()
			return
		}
	} else {
		c.job = msg
		c.co = c.host.Coroutine(c.body)
	}
	c.awaits = nil
	if ended := c.co.Resume(); ended {
		c.co = nil
	}
	c.leave()
	c.heed()
}

// A filter says which messages a cell accepts.
type filter uint8

const (
	takesAll filter = iota
	takesSystem
	takesOfFuture
)

// waits reports whether the actor accepts only system messages, because it is
// suspended or has an undelivered system message from itself.
func (c *cell) waits() bool { return c.grave == nil && (c.suspended || c.owed > 0) }

// heed tells pulse which messages the cell accepts now.
func (c *cell) heed() {
	f := takesAll
	switch {
	case c.co != nil:
		f = takesOfFuture
	case c.waits():
		f = takesSystem
	}
	if f == c.filter {
		return
	}
	c.filter = f
	switch f {
	case takesAll:
		c.host.Accept(c.ref, nil)
	case takesSystem:
		c.host.Accept(c.ref, ofSystem)
		c.host.Waits(c.ref, "for its supervisor's decision about its panic")
	case takesOfFuture:
		c.host.Accept(c.ref, ofFuture)
		c.host.Waits(c.ref, c.awaits.waits())
	}
}

// ofSystem reports whether a suspended actor accepts a message.
func ofSystem(msg any) bool {
	_, is := msg.(*notice)
	return is || ofFuture(msg)
}

// enter begins a step of the cell's actor. It sets world.current to the cell, and
// lets the actor system number new ids by the cell's own counter.
func (c *cell) enter() {
	w := c.world
	if len(w.as.ProcessRegistry.RemoteHandlers) > 0 {
		w.misuse("the actor system is part of a remote or a cluster, whose network is not controlled: test its nodes as actors of one system")
	}
	c.adoptNew(w.test)
	w.test.source = w.as.ProcessRegistry.SequenceID
	w.as.ProcessRegistry.SequenceID, w.seen = c.source, c.source
	w.current = c
	w.haunt(c)
}

// leave undoes enter at the end of the step.
func (c *cell) leave() {
	w := c.world
	w.rest()
	c.adoptNew(c)
	c.source = w.as.ProcessRegistry.SequenceID
	w.as.ProcessRegistry.SequenceID, w.seen = w.test.source, w.test.source
	if n := w.as.EventStream.Length(); n != w.streams {
		w.streams = n
		w.host.Touch(trace.AllSteps) // the step depends on all earlier steps, because a new subscriber misses their events
	}
	if c.behaviors.changed() {
		w.host.HandlersChanged()
	}
	w.current = nil
}

// onCoroutine has proto.actor handle the message of the step, which is in c.job.
func (c *cell) onCoroutine(*pulse.Coroutine) {
	switch m := c.job.(type) {
	case *notice:
		c.handle(m)
	case *letter:
		c.handleBefore(m.after)
		c.learn(m.known)
		c.user(m.message)
	case *actor.Started:
		c.system(m)
	case *call:
		m.answer(c)
	default:
		c.user(m)
	}
	c.flush()
}

// handleBefore handles the notice n, a system message, after all earlier notices
// from the same sender. It does nothing if n is nil or was handled already.
func (c *cell) handleBefore(n *notice) {
	if n == nil || n.done {
		return
	}
	c.handleBefore(n.before)
	c.handle(n)
}

// handle handles the notice n, a system message. Before that, it handles all earlier
// notices from the same sender to this cell.
func (c *cell) handle(n *notice) {
	c.handleBefore(n.before)
	c.once(n)
}

// once handles the notice n, a system message, but no earlier notices. If n was
// handled already, once only adds a note to the trace.
func (c *cell) once(n *notice) {
	if n.done {
		c.host.Note(func() string { return "handled already, before a later message of its sender" })
		return
	}
	n.done, n.before = true, nil
	if n.own {
		c.owed--
	}
	c.learn(n.known)
	switch m := n.message.(type) {
	case *actor.SuspendMailbox, *actor.ResumeMailbox:
		c.suspend(m)
	case *answer:
		m.arrive()
	default:
		c.system(m)
	}
}

// suspend suspends the actor if the message is SuspendMailbox, and otherwise
// resumes it. A suspended actor accepts no user messages.
func (c *cell) suspend(message any) {
	_, c.suspended = message.(*actor.SuspendMailbox)
	if f, ok := c.doing.(*actor.Failure); ok && c.suspended && !c.mayFail() {
		c.unhandled(f.Reason, nil)
	}
}

// flush handles the user messages in the backlog. It stops early if the actor accepts
// only system messages again.
func (c *cell) flush() {
	for len(c.backlog) > 0 && !c.waits() {
		m := c.backlog[0]
		c.backlog = c.backlog[1:]
		c.user(m)
	}
}

// user has proto.actor handle a user message.
func (c *cell) user(message any) {
	switch {
	case c.waits():
		c.backlog = append(c.backlog, message)
	case c.invoker == nil:
		c.route(message)
	default:
		if c.grave != nil {
			c.host.Note(func() string { return "lost: the actor has stopped" })
		}
		c.guarded(message, c.invoker.InvokeUserMessage)
	}
}

// system has proto.actor handle a system message.
func (c *cell) system(message any) {
	if c.invoker == nil {
		c.control(message)
		return
	}
	if f, ok := message.(*actor.Failure); ok {
		c.inVirtualTime(f.RestartStats, func() { c.guarded(message, c.invoker.InvokeSystemMessage) })
	} else {
		c.guarded(message, c.invoker.InvokeSystemMessage)
	}
	if _, there := c.as.ProcessRegistry.GetLocal(c.id); !there {
		c.bury()
	}
}
