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

// A promise controls a future of proto.actor: it replaces the future in the process
// registry. What is sent to it becomes a message to the actor that made the future,
// and fulfils the future when it is received. An actor that waits for the future is
// parked.
type promise struct {
	*world
	owner   *cell
	pid     *actor.PID
	future  *actor.Future
	theirs  actor.Process
	done    *bool
	of      string // whom the question went to; "" if not known
	timer   pulse.Timer
	made    int  // the step that made it
	awaited bool // its owner has waited for it since that step
	waiters []*cell
	asker   pulse.Ref // the test, if it waits
}

// unknownTimeout is the timeout of a future whose timeout cannot be read: it was made
// by a RootContext in an actor's code or by actor.NewFuture. StopFuture and
// PoisonFuture of proto.actor use the same.
const unknownTimeout = 10 * time.Second

// adoptNew takes control of the futures that were made since its last call. It finds
// them by the numbers in their ids.
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

// adopt takes control of a future. A negative time means no timeout.
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

// An alarm is the timeout of a future.
type alarm struct{ *promise }

// String names the alarm.
func (*alarm) String() string { return "timeout" }

// A wake resumes an actor that waits for another actor's future.
type wake struct{}

// A turn resumes an actor that has given way to answers.
type turn struct{ *promise }

// String names the turn.
func (*turn) String() string { return "goes on" }

// giveWay parks an actor before it sends something to an id to which one of its
// futures is piped. In proto.actor the answer may come in the middle of a handler,
// and so before what is sent now. The actor's code runs if there is a coroutine that
// awaits nothing. While a future or an actor is being made, it cannot be parked.
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

// A deed is a function to call later, in the name of an actor.
type deed struct {
	what string
	do   func()
}

// String names the deed.
func (d *deed) String() string { return d.what }

// later calls a function after some virtual time.
func (w *world) later(d time.Duration, what string, do func()) pulse.Timer {
	me := w.me()
	if me == w.test {
		me = w.atDesk()
	}
	return w.host.After(me.born(), d, &deed{what, do})
}

// ofFuture reports whether a waiting actor also receives the message.
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

// receiveOfFuture receives such a message. None of them runs code of the actor.
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

// SendSystemMessage sends an answer that an actor has stopped.
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

// arrive gives the future the received answer.
func (a *answer) arrive() {
	a.owner.learn(a.known)
	a.fulfil(a.message, a.system)
}

// fulfil gives the future its answer. A late answer is a dead letter.
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

// tell resumes the actors that wait for the future; its owner continues in this step.
func (p *promise) tell() {
	p.owner.pending = slices.DeleteFunc(p.owner.pending, func(of *promise) bool { return of == p })
	p.as.ProcessRegistry.Add(p, p.pid.Id) // receives late answers
	condOf(p.future).Broadcast()          // proto.actor wakes only one
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

// A gateLock is the lock of a future's condition. It locks nothing, since all users
// of the future take turns. Unlocking it in order to wait parks the caller.
type gateLock promise

// Lock records that an actor uses another actor's future. No message shows whether
// that actor has received the answer.
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

// waitsForCondition reports whether the caller of Unlock waits for the condition.
func waitsForCondition() bool {
	var pcs [4]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	frame, _ := frames.Next()
	return strings.HasPrefix(frame.Function, "sync.(*Cond).")
}

// wait parks the actor whose code runs. If the test waits, it takes steps until the
// future is fulfilled.
func (p *promise) wait() {
	c := p.current
	if p.owner.foreign("a wait "+p.waits(), nil, adviceWait) {
		runtime.Goexit() // the wait cannot end, and a handler may wait for the deferred functions
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

// A call is the test's request to its desk to await a future.
type call struct{ *promise }

// String names the call.
func (*call) String() string { return "await" }

func (a *call) answer(c *cell) {
	if a.asker = c.ctx.Sender(); *a.done {
		a.tell()
	}
}

// driveTest takes steps until the future is fulfilled. If the run fails, nothing will
// fulfil it, and it gets a dead letter response.
func (p *promise) driveTest() {
	if p.sys.Ask(p.owner.ref, &call{p}) == nil && !*p.done {
		p.theirs.SendUserMessage(p.pid, &actor.DeadLetterResponse{})
	}
}

// atDesk returns the cell that receives the answers to futures of the test.
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
