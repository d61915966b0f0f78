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

// A promise is a future of proto.actor's under control: it stands for the future in
// the process registry. What is sent to it is a message to the actor that made it, and
// it is fulfilled when that is received. Who waits for it is parked.
type promise struct {
	*world
	owner   *cell
	pid     *actor.PID
	future  *actor.Future
	theirs  actor.Process
	done    *bool
	of      string // of whom something was asked; "" when that is not known
	timer   pulse.Timer
	made    int  // in which step
	awaited bool // its owner waits for it since then
	waiters []*cell
	asker   pulse.Ref // the test, when it waits
}

// unknownTimeout is when a future times out of which it cannot be seen when: one of a
// RootContext in an actor's code, or of actor.NewFuture. StopFuture and PoisonFuture
// have the same in proto.actor.
const unknownTimeout = 10 * time.Second

// adoptNew takes the futures under control that were made since it was last called.
// It finds them by the numbers that their ids were made from.
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

// adopt takes a future under control. A negative time means that it waits for ever.
func (w *world) adopt(owner *cell, theirs actor.Process, f *actor.Future, timeout time.Duration) *promise {
	p := &promise{world: w, owner: owner, pid: f.PID(), future: f, theirs: theirs, done: doneOf(f), made: w.host.Step()}
	if *p.done {
		return p
	}
	if t := *timerOf(f); t != nil && !t.Stop() {
		w.misuse("a future timed out by real time before it could be controlled: ask by the Context of an actor, and not with so short a time")
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

// An answer is a message to a future.
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

// An alarm is the time-out of a future.
type alarm struct{ *promise }

// String names the alarm.
func (*alarm) String() string { return "timeout" }

// A wake goes on with an actor that waits for a future of another.
type wake struct{}

// A turn goes on with an actor that has given way to answers.
type turn struct{ *promise }

// String names the turn.
func (*turn) String() string { return "goes on" }

// giveWay parks an actor that is about to send something to another to which a future of
// its own is piped: in proto.actor the answer may come in the middle of a handler, and so
// before what is sent now. Code of the actor runs when there is a coroutine that awaits
// nothing; while a future or an actor is being made, it cannot be parked.
func (c *cell) giveWay(id string) {
	if c.co == nil || c.awaits != nil || c.asking || c.spawned != nil || !c.pipesTo(id) || c.host.Caller() != pulse.CallerInside {
		return
	}
	c.awaits = &promise{world: c.world, owner: c, done: new(bool)}
	c.host.Enqueue(c.ref, c.ref, &turn{c.awaits})
	c.co.Park()
}

// pipesTo reports whether the answer to a future of an actor's goes to an id.
func (c *cell) pipesTo(id string) bool {
	return slices.ContainsFunc(c.pending, func(p *promise) bool {
		return slices.ContainsFunc(*pipesOf(p.future), func(pid *actor.PID) bool { return pid.Id == id })
	})
}

// A deed is what is to be done later, in the name of an actor.
type deed struct {
	what string
	do   func()
}

// String names the deed.
func (d *deed) String() string { return d.what }

// later has something done when some virtual time has passed.
func (w *world) later(d time.Duration, what string, do func()) pulse.Timer {
	me := w.me()
	if me == w.test {
		me = w.atDesk()
	}
	return w.host.After(me.born(), d, &deed{what, do})
}

// ofFuture reports whether a message is received also by an actor that waits.
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

// receiveOfFuture receives such a message. None runs code of the actor.
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

// SendUserMessage puts an answer on its way.
func (p *promise) SendUserMessage(_ *actor.PID, message any) { p.send(message, false) }

// SendSystemMessage puts an answer on its way: that an actor has stopped.
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

// Stop has the future ended without an answer.
func (p *promise) Stop(*actor.PID) { p.send(stopping{}, true) }

// arrive gives the future the answer that has been received.
func (a *answer) arrive() {
	a.owner.learn(a.known)
	a.fulfil(a.message, a.system)
}

// fulfil gives the future its answer. One that comes late is a dead letter.
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

// tell has those go on who wait for the future; its owner does so in this step.
func (p *promise) tell() {
	p.owner.pending = slices.DeleteFunc(p.owner.pending, func(of *promise) bool { return of == p })
	p.as.ProcessRegistry.Add(p, p.pid.Id) // what comes late meets it
	condOf(p.future).Broadcast()          // proto.actor wakes one only
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

// waits says what an actor waits for.
func (p *promise) waits() string {
	if p.of == "" {
		return "for a future"
	}
	return "for the answer of " + p.of
}

// A gateLock is the lock of a future's condition. It locks nothing, since all that
// uses the future takes turns; to unlock it in order to wait is to be parked.
type gateLock promise

// Lock notes that an actor uses the future of another: whether that has received the
// answer is in no message.
func (l *gateLock) Lock() {
	if p := (*promise)(l); p.current != nil && p.current != p.owner {
		p.host.Touch(trace.AllSteps)
	}
}

// Unlock parks the caller if it waits, until the future is fulfilled.
func (l *gateLock) Unlock() {
	if p := (*promise)(l); !*p.done && waitsForCondition() {
		p.wait()
	}
}

// waitsForCondition reports whether Unlock was called in order to wait.
func waitsForCondition() bool {
	var pcs [4]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	frame, _ := frames.Next()
	return strings.HasPrefix(frame.Function, "sync.(*Cond).")
}

// wait parks the actor whose code runs. The test takes steps meanwhile.
func (p *promise) wait() {
	c := p.current
	if p.owner.foreign("a wait "+p.waits(), nil, adviceWait) {
		runtime.Goexit() // nobody can end the wait, and a handler may wait for its deferred functions
	}
	if c == nil {
		p.driveTest()
		return
	}
	if c.co == nil {
		p.misuse("a wait for a future where no actor's code runs")
	}
	p.awaited = p.awaited || c == p.owner && p.made == p.host.Step()
	p.waiters = append(p.waiters, c)
	c.awaits = p
	c.co.Park()
}

// A call is what the test asks of its desk.
type call struct{ *promise }

// String names what the test does.
func (*call) String() string { return "await" }

func (a *call) answer(c *cell) {
	if a.asker = c.ctx.Sender(); *a.done {
		a.tell()
	}
}

// driveTest takes steps until the future is fulfilled. If the run fails, nothing will
// fulfil it, and it has met a dead letter.
func (p *promise) driveTest() {
	if p.sys.Ask(p.owner.ref, &call{p}) == nil && !*p.done {
		p.theirs.SendUserMessage(p.pid, &actor.DeadLetterResponse{})
	}
}

// atDesk returns the cell that receives what is sent to futures of the test.
func (w *world) atDesk() *cell {
	if w.desk == nil {
		w.desk = &cell{world: w, label: "desk"}
		w.desk.born()
	}
	return w.desk
}

// idText returns the id that proto.actor makes of a number.
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
