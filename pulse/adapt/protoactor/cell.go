package protoactor

import (
	"reflect"
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A cell is a hosted actor: to proto.actor it is the actor's mailbox, to pulse an
// actor. A message that proto.actor posts to it goes on its way in pulse. When it is
// received, the cell has proto.actor handle it in this step: to the end, or until its
// code waits for a future.
//
// A cell remains when its actor has stopped: proto.actor's own code then drops or
// answers what still arrives.
type cell struct {
	*world
	id      string
	label   string
	pid     *actor.PID
	ref     pulse.Ref
	shade   pulse.Ref // sends the cell's system messages, which may overtake the others
	ctx     *pulse.Ctx
	invoker invoker
	process actor.Process // of a router, which has no invoker
	parent  *cell
	watched bool // it has a parent or a guardian
	rules   bool // its supervisor strategy was chosen by the user
	atOnce  bool // it starts in the step that spawns it

	job       any // what is being received
	doing     any // the message that proto.actor handles for it
	co        *pulse.Coroutine
	awaits    *promise
	posted    map[*cell]bool // the cells that it has sent user messages to
	pending   []*promise     // its futures that are not fulfilled
	suspended bool
	owed      int // how many system messages to itself are on their way
	filter    filter
	backlog   []any // received while suspended
	source    uint64
	children  uint64
	urgent    map[*cell]*notice // by receiver: the last system message to it
	known     *graves
	grave     *grave // set when it has stopped
	behaviors behaviors
	patience  patience
	body      func(*pulse.Coroutine)
}

// An invoker is what proto.actor gives to a mailbox. It is also the actor's context.
type invoker interface {
	actor.MessageInvoker
	actor.Context
}

// A notice is a system message on its way.
type notice struct {
	message any
	before  *notice // the previous one from this sender to this receiver
	done    bool    // it was handled; only the receiver uses this
	own     bool    // the receiver sent it
	known   *graves
	to      pulse.Ref
}

// String names the message.
func (n *notice) String() string { return systemLabel(n.message) }

// A letter is a user message with additional data.
type letter struct {
	message any // with its envelope, if it has one
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

// stopping stops a router or a future, which are not actors.
type stopping struct{}

// started is the message that starts an actor.
var started any = &actor.Started{}

// RegisterHandlers is called by proto.actor when the actor exists.
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

// isTheirs reports whether a type belongs to a package of proto.actor. Such a value
// may lead to everything else. For example, the store of a persistent actor leads to
// the events of all actors.
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

// born returns the cell's actor in pulse, and spawns it if needed.
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

// A starter is a cell whose first message is its start.
type starter struct{ *cell }

// Started starts the actor.
func (s starter) Started(ctx *pulse.Ctx, _ pulse.Start) { s.Receive(ctx, started) }

// PostUserMessage sends the actor a user message.
func (c *cell) PostUserMessage(message any) {
	if message == nil || c.foreign("a message", actor.UnwrapEnvelopeMessage(message), adviceSend) {
		return // proto.actor takes nil for an empty mailbox
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
		c.owed++ // precedes all user messages that the actor has not begun to handle
		c.host.Enqueue(c.ref, c.ref, n)
		return
	}
	me.urge(c, n)
}

// urge sends a notice that may overtake what the cell has sent before.
func (c *cell) urge(to *cell, n *notice) {
	if c.urgent == nil {
		c.urgent = map[*cell]*notice{}
	}
	n.before = c.urgent[to]
	c.urgent[to] = n
	n.to = to.born()
	c.host.Enqueue(c.ref, c.shadow(), n)
}

// start starts the actor: in a step of its own, or at once.
func (c *cell) start() {
	c.born()
	if c.atOnce {
		c.invoker.InvokeSystemMessage(started)
	}
}

// shadow returns the actor that passes on the cell's system messages. They need a
// channel of their own, since they may overtake its user messages.
func (c *cell) shadow() pulse.Ref {
	if c.shade.IsZero() {
		c.shade = c.host.Spawn(c.ref, pulse.Spec{Name: c.label + " (system)", Safe: true, Actor: passes{}})
	}
	return c.shade
}

// passes passes notices on.
type passes struct{}

// Receive passes a notice on.
func (passes) Receive(ctx *pulse.Ctx, msg any) { ctx.Send(msg.(*notice).to, msg) }

// Receive takes a step.
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

// A filter is what a cell takes.
type filter uint8

const (
	takesAll filter = iota
	takesSystem
	takesOfFuture
)

// waits reports whether the actor takes only system messages: it is suspended, or a
// system message to itself is on its way.
func (c *cell) waits() bool { return c.grave == nil && (c.suspended || c.owed > 0) }

// heed makes pulse deliver to the cell only what its actor takes now.
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
		c.host.Waits(c.ref, "for what its supervisor does about its panic")
	case takesOfFuture:
		c.host.Accept(c.ref, ofFuture)
		c.host.Waits(c.ref, c.awaits.waits())
	}
}

// ofSystem reports whether a suspended actor takes a message.
func ofSystem(msg any) bool {
	_, is := msg.(*notice)
	return is || ofFuture(msg)
}

// enter begins the cell's part of a step.
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

// leave ends the cell's part of a step.
func (c *cell) leave() {
	w := c.world
	w.rest()
	c.adoptNew(c)
	c.source = w.as.ProcessRegistry.SequenceID
	w.as.ProcessRegistry.SequenceID, w.seen = w.test.source, w.test.source
	if n := w.as.EventStream.Length(); n != w.streams {
		w.streams = n
		w.host.Touch(trace.AllSteps) // earlier events are not received
	}
	if c.behaviors.changed() {
		w.host.HandlersChanged()
	}
	w.current = nil
}

// onCoroutine handles the message of the step.
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

// handleBefore handles the system messages that were sent before a received message
// and are still on their way.
func (c *cell) handleBefore(n *notice) {
	if n == nil || n.done {
		return
	}
	c.handleBefore(n.before)
	c.handle(n)
}

// handle handles a system message once, after those before it.
func (c *cell) handle(n *notice) {
	c.handleBefore(n.before)
	c.once(n)
}

// once handles a system message without those before it.
func (c *cell) once(n *notice) {
	if n.done {
		c.host.Note(func() string { return "handled before, with what was sent after it" })
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

// suspend suspends or resumes the actor: a suspended actor takes no user messages.
func (c *cell) suspend(message any) {
	_, c.suspended = message.(*actor.SuspendMailbox)
	if f, ok := c.doing.(*actor.Failure); ok && c.suspended && !c.mayFail() {
		c.unhandled(f.Reason, nil)
	}
}

// flush handles the messages that came while the actor was suspended.
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
