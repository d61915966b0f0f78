package protoactor

import (
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A promise controls a future of proto.actor and replaces it in the process registry.
// An answer sent to the promise becomes a message to the actor that made the future.
// When that actor receives the message, the future is fulfilled. An actor that waits
// for the future is parked.
type promise struct {
	*world
	owner   *cell
	pid     *actor.PID
	future  *actor.Future
	theirs  actor.Process
	done    *bool
	of      string // the label of the actor that was asked; "" if unknown
	timer   pulse.Timer
	made    int  // the step that made the future
	awaited bool // set if the owner began to wait in the step that made the future
	waiters []*cell
	asker   pulse.Ref // the test's Ref while the test waits for the future, else zero
}

// unknownTimeout is the assumed timeout of a future whose real timeout cannot be
// read. Such a future is made by actor.NewFuture or by a RootContext in an actor's
// code. Proto.actor's StopFuture and PoisonFuture have the same timeout.
const unknownTimeout = 10 * time.Second

// adoptNew takes control of the futures that owner has made since the last call to
// adoptNew. It finds futures by the numbers in their ids. It fails the run if it
// finds an actor that pulse does not run.
func (w *world) adoptNew(owner *cell) {
	for w.seen < w.as.ProcessRegistry.SequenceID && !w.asking {
		w.seen++
		id := idText(w.seen)
		if p, there := w.as.ProcessRegistry.GetLocal("future" + id); there {
			if f := futureOf(p); f != nil {
				w.adopt(owner, p, f, unknownTimeout)
			}
		}
		if p, there := w.as.ProcessRegistry.GetLocal(id); there {
			if _, is := p.(*actor.ActorProcess); is && w.cells[id] == nil {
				w.misuse("actor %s was spawned by a RootContext that is not controlled: use the Root of the actor system, or give it protoactor.SpawnMiddleware", id)
			}
		}
	}
}

// adopt takes control of the future f, and returns the promise that controls f. A
// negative timeout means no timeout.
func (w *world) adopt(owner *cell, theirs actor.Process, f *actor.Future, timeout time.Duration) *promise {
	p := &promise{world: w, owner: owner, pid: f.PID(), future: f, theirs: theirs, done: doneOf(f), made: w.host.Step()}
	if *p.done {
		return p
	}
	if t := *timerOf(f); t != nil && !t.Stop() {
		w.misuse("a future timed out by real time before it could be controlled: use the Context of an actor, or a longer timeout")
	} else if t == nil && timeout == unknownTimeout {
		timeout = -1
	}
	condOf(f).L = (*gateLock)(p)
	w.as.ProcessRegistry.Remove(p.pid)
	w.as.ProcessRegistry.Add(p, p.pid.Id)
	if owner == w.test {
		p.owner = w.atDesk()
	}
	p.owner.pending = append(p.owner.pending, p)
	if timeout >= 0 {
		p.timer = w.host.After(p.owner.born(), timeout, &alarm{p})
	}
	return p
}

// An answer is a message to a future, in transit to the actor that made the future.
type answer struct {
	*promise
	message any
	system  bool
	known   *graves
}

// String names the message.
func (a *answer) String() string {
	if a.system {
		return systemLabel(a.message)
	}
	return (&letter{message: a.message}).String()
}

// An alarm is the message that pulse delivers when a future times out.
type alarm struct{ *promise }

// String names the alarm.
func (*alarm) String() string { return "timeout" }

// A wake resumes an actor that waits for another actor's future.
type wake struct{}

// A turn is a message that resumes an actor that cell.giveWay has parked.
type turn struct{ *promise }

// String returns the label of the turn.
func (*turn) String() string { return "goes on" }

// giveWay parks the actor before it sends to the id, if one of its futures is piped
// to that id. In proto.actor the piped answer may arrive in the middle of a
// handler, and so before the message that the actor is about to send. giveWay does
// nothing if no code of the actor is running, or while that code makes a future or
// an actor.
func (c *cell) giveWay(id string) {
	if c.co == nil || c.awaits != nil || c.asking || c.spawned != nil || !c.pipesTo(id) || c.host.Caller() != pulse.CallerInside {
		return
	}
	c.awaits = &promise{world: c.world, owner: c, done: new(bool)}
	c.host.Enqueue(c.ref, c.ref, &turn{c.awaits})
	c.co.Park()
}

// pipesTo reports whether a future of the actor is piped to an id.
func (c *cell) pipesTo(id string) bool {
	return slices.ContainsFunc(c.pending, func(p *promise) bool {
		return slices.ContainsFunc(*pipesOf(p.future), func(pid *actor.PID) bool { return pid.Id == id })
	})
}

// A deed is a message that calls a function in a later step of an actor.
type deed struct {
	what string
	do   func()
}

// String names the deed.
func (d *deed) String() string { return d.what }

// ofFuture reports whether an actor receives the message even while it waits for a
// future.
func ofFuture(msg any) bool {
	switch m := msg.(type) {
	case *answer, *alarm, wake, *turn, *deed:
		return true
	case *notice:
		_, is := m.message.(*answer)
		return is
	}
	return false
}

// receiveOfFuture handles a message for which ofFuture returns true. The actor's own
// handler does not get such a message.
func (c *cell) receiveOfFuture(msg any) {
	switch m := msg.(type) {
	case *answer:
		m.arrive()
	case *notice:
		c.once(m)
	case *alarm:
		if !*m.done {
			*errOf(m.future) = actor.ErrTimeout
			m.theirs.Stop(m.pid)
			m.tell()
		}
	case *turn:
		*m.done = true
	case *deed:
		m.do()
	}
}

// SendUserMessage sends an answer.
func (p *promise) SendUserMessage(_ *actor.PID, message any) { p.send(message, false) }

// SendSystemMessage sends an answer that is a system message, such as Terminated.
func (p *promise) SendSystemMessage(_ *actor.PID, message any) { p.send(message, true) }

func (p *promise) send(message any, system bool) {
	if p.owner.foreign("an answer", message, adviceSend) {
		return
	}
	me := p.me()
	me.giveWay(p.pid.Id)
	a := &answer{p, message, system, me.known}
	if p.awaited || !me.posted[p.owner] {
		p.host.Enqueue(me.ref, p.owner.born(), a)
		return
	}
	me.urge(p.owner, &notice{message: a})
}

// Stop ends the future without an answer.
func (p *promise) Stop(*actor.PID) { p.send(stopping{}, true) }

// arrive fulfills the future with the received answer.
func (a *answer) arrive() {
	a.owner.learn(a.known)
	a.fulfil(a.message, a.system)
}

// fulfil completes the future with a message as its answer. If the message is of
// type stopping, the future gets no answer. If the future is complete already, the
// message becomes a dead letter.
func (p *promise) fulfil(message any, system bool) {
	_, stop := message.(stopping)
	switch {
	case *p.done && stop:
		return
	case stop:
		p.theirs.Stop(p.pid)
	case *p.done && system:
		p.as.DeadLetter.SendSystemMessage(p.pid, message)
		return
	case *p.done:
		p.as.DeadLetter.SendUserMessage(p.pid, message)
		return
	case system:
		p.theirs.SendSystemMessage(p.pid, message)
	default:
		p.theirs.SendUserMessage(p.pid, message)
	}
	p.timer.Stop()
	p.tell()
}

// tell resumes the actors that wait for the future. The actor that made the
// future continues in the current step. All other waiting actors continue in
// later steps.
func (p *promise) tell() {
	p.owner.pending = slices.DeleteFunc(p.owner.pending, func(of *promise) bool { return of == p })
	p.as.ProcessRegistry.Add(p, p.pid.Id) // the promise receives late answers
	condOf(p.future).Broadcast()          // proto.actor itself wakes only one waiter
	for _, c := range p.waiters {
		if c != p.owner {
			p.host.Enqueue(p.owner.ref, c.ref, wake{})
		}
	}
	p.waiters = nil
	if !p.asker.IsZero() {
		p.owner.ctx.Send(p.asker, "done")
		p.asker = pulse.Ref{}
	}
}

// waits returns a text that says what an actor waits for.
func (p *promise) waits() string {
	if p.of == "" {
		return "for a future"
	}
	return "for the answer of " + p.of
}

// A gateLock replaces the lock of a future's condition variable. It locks nothing,
// because the users of a future run one at a time. When Cond.Wait calls Unlock, the
// caller is parked.
type gateLock promise

// Lock records a dependency on all earlier steps if the running actor uses a
// future that another actor has made. The reason is that no message tells the
// running actor whether the answer has arrived.
func (l *gateLock) Lock() {
	if p := (*promise)(l); p.current != nil && p.current != p.owner {
		p.host.Touch(trace.AllSteps)
	}
}

// Unlock parks the caller until the future is fulfilled. It does nothing if no method
// of sync.Cond has called it.
func (l *gateLock) Unlock() {
	if p := (*promise)(l); !*p.done && waitsForCondition() {
		p.wait()
	}
}

// waitsForCondition reports whether a method of sync.Cond called Unlock.
func waitsForCondition() bool {
	var pcs [4]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	frame, _ := frames.Next()
	return strings.HasPrefix(frame.Function, "sync.(*Cond).")
}

// wait parks the running actor until the future is fulfilled. If the test waits, wait
// runs steps instead.
func (p *promise) wait() {
	c := p.current
	if p.owner.foreign("a wait "+p.waits(), nil, adviceWait) {
		runtime.Goexit() // ends this goroutine, but runs its deferred functions, because a handler may wait for them
	}
	if c == nil {
		p.driveTest()
		return
	}
	if c.co == nil {
		p.misuse("a wait for a future outside of an actor's handler")
	}
	p.awaited = p.awaited || c == p.owner && p.made == p.host.Step()
	p.waiters = append(p.waiters, c)
	c.awaits = p
	c.co.Park()
}

// A call is a message from the test to the desk, the cell that atDesk returns. The
// desk answers when the future is fulfilled.
type call struct{ *promise }

// String names the call.
func (*call) String() string { return "await" }

func (a *call) answer(c *cell) {
	if a.asker = c.ctx.Sender(); *a.done {
		a.tell()
	}
}

// driveTest runs steps until the future is fulfilled. If the run fails first,
// driveTest fulfills the future with a DeadLetterResponse.
func (p *promise) driveTest() {
	if p.sys.Ask(p.owner.ref, &call{p}) == nil && !*p.done {
		p.theirs.SendUserMessage(p.pid, &actor.DeadLetterResponse{})
	}
}

// atDesk returns the cell that receives answers to the test's futures, and spawns the
// cell first if needed.
func (w *world) atDesk() *cell {
	if w.desk == nil {
		w.desk = &cell{world: w, label: "desk"}
		w.desk.born()
	}
	return w.desk
}

// idText returns the id that proto.actor derives from a number.
func idText(n uint64) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ~+"
	text := [12]byte{}
	i := len(text)
	for {
		i--
		text[i] = digits[n&63]
		if n >>= 6; n == 0 {
			break
		}
	}
	i--
	text[i] = '$'
	return string(text[i:])
}
