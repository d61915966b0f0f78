package pulse

import (
	"fmt"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Process is an actor written as straight-line code that blocks until a
// message comes. The code between two waits is one step. A Process has all
// methods of Ctx.
//
// While a process waits for particular messages, the first such message of each
// channel can be delivered. The delivery ends the wait.
type Process struct {
	*Ctx
	co    *Coroutine
	body  func(*Process)
	main  func(*Coroutine) // a function that calls body, created once for each Process
	in    any              // the message that ended the wait
	empty int              // number of consecutive polls (calls to ReceiveTimeout with d zero) that found nothing

	// takes is what the process accepted in its last wait, except for waits
	// for a reply or a timer: acceptAll or acceptMatching. Before the first
	// wait that counts, takes is acceptStart. If takes is acceptMatching, code
	// identifies the predicate. Otherwise code is 0.
	takes acceptance
	code  uintptr
	like  uintptr // for a ReceiveAs, the type word of the message type; else 0
	asked uintptr // the function address for which the field fixed was computed last
	fixed bool    // set if the predicate depends only on its argument: see isFixed
}

// Started returns StartNew, or StartLost if the process was restarted, because
// a restarted process has always lost its state.
func (p *Process) Started() Start {
	a := p.me("Started")
	if a == nil {
		return StartNew
	}
	return a.how
}

// wait describes what an actor waits for, in a stuck report.
type wait struct {
	verb string // "Receive", "ReceiveMatch", "Ask", …
	on   int32  // the actor that an Ask asks, or none
	text string // the text set by Host.Waits, which replaces verb and on
}

// start is the body of the message that starts a process.
type start struct{}

// timeout is the body of the message that ends a wait when its time is over.
type timeout struct{}

// processActor is the handler of a process. Its Receive is not called, because
// System.loop resumes the code of the process instead.
type processActor struct{}

func (processActor) Receive(*Ctx, any) {}

// hand stores the message of a step for the code of a process. It returns the
// coroutine of the process, which the caller must resume.
func (c *cast) hand(a *actor, msg any) *Coroutine {
	p := a.process
	p.in = msg
	if a.here > 0 {
		a.here--
	}
	co := p.co
	if !co.fits(c.calls.g) {
		co.unlock(c.calls.g)
		c.misuse(lockText)
	}
	return co
}

// codeEnded releases the process of an actor whose code has ended. It then ends
// the actor, or repeats the panic if the code has panicked.
func (c *cast) codeEnded(a *actor) {
	p := a.process
	thrown := p.co.panic
	c.pool.put(p.co)
	a.process = nil
	c.retire(p)
	if thrown != nil {
		panic(thrown)
	}
	if c.todo.afterStep&workEnd == 0 { // if the bit workEnd is set, the process has called Stop, and finishStep ends the actor
		c.end(a, "returned")
	}
}

// startProcess prepares the process of an actor and sends the actor its start
// message, with actor starter as the sender. The code of the process starts
// when that message is delivered.
func (c *cast) startProcess(a *actor, starter int32) {
	p := c.newProcess()
	p.Ctx, p.body, p.empty, p.takes = &a.ctx, a.spec.Process, 0, acceptStart
	p.co = c.pool.get(p.main)
	if threaded {
		a.mailbox.runsOn(p.co)
	}
	a.process, a.accept, a.toStart, a.used = p, acceptStart, true, true
	c.mail.setOpen(&a.mailbox, false)
	a.here = 0
	a.waits = wait{verb: "its start", on: none}
	c.sendAs(starter, a.actor, start{}, trace.Start, 0)
}

func (c *cast) newProcess() *Process {
	c.inUse++
	if n := len(c.processes); n > 0 {
		p := c.processes[n-1]
		c.processes = c.processes[:n-1]
		return p
	}
	p := &Process{}
	p.main = func(*Coroutine) {
		p.sys.actors[p.actor].toStart = false
		if threaded {
			p.sys.threads.acquired(p.actor)
		}
		p.body(p)
	}
	return p
}

// retire makes a Process available for reuse by another actor.
func (c *cast) retire(p *Process) {
	p.co, p.body, p.in = nil, nil, nil
	c.inUse--
	c.processes = append(c.processes, p)
}

// killProcess ends the waiting code of an actor that is a process. It does
// nothing for other actors.
func (c *cast) killProcess(a *actor) {
	p := a.process
	a.process = nil
	if p != nil && p.co != nil {
		p.co.Kill()
		c.retire(p)
		c.noteKilled(a.actor)
	}
}

// noteKilled fails the run if a deferred function has panicked while a process
// was killed. If no step is running, Host.Late returns the failure. If the run
// has already failed, the panic is dropped, because the failure may have
// caused the panic.
func (c *cast) noteKilled(actor int32) {
	thrown := c.pool.thrown
	c.pool.thrown = nil
	if thrown == nil || c.fails.failure != nil {
		return
	}
	f := c.killedFailure(thrown, actor)
	if c.calls.running {
		c.todo.afterStep |= workThrow
		c.fails.fail(f)
		return
	}
	f.Step = -1
	c.fails.intrude(f)
}

func (c *cast) killedFailure(v *carried, actor int32) *Failure {
	f := &Failure{Kind: KindPanic, Step: int(c.rec.step), Value: v.value}
	f.setFrames(v.pcs)
	whose := "a process"
	if actor != none {
		whose = c.rec.nameOf(actor)
	}
	f.Text = "panic in a deferred function of " + whose + ", which was ended while it waited: " + firstLine(trace.Thrown(v.value))
	return f
}

// killProcesses ends all processes that still wait, and all parked coroutines
// of a Host.
func (c *cast) killProcesses() {
	for _, a := range c.actors {
		c.killProcess(a)
	}
	c.pool.killHosted()
	if threaded {
		endThreads(c)
	}
	c.noteKilled(none)
}

// endCode ends all processes and coroutines that still wait, and releases the
// coroutines.
func (c *cast) endCode() {
	c.killProcesses()
	c.pool.close()
}

// Receive waits for any message and returns it.
func (p *Process) Receive() any {
	return p.wait("Receive", acceptAll, none)
}

// ReceiveMatch waits for a message for which match returns true and returns the
// message. Other messages stay in their channels. The system may call match at
// any time during the wait, so match must depend only on its argument and on
// data of this process.
//
// If match is a function declared at package level, and not a method value, it
// must depend only on its argument. The system does not call it again for
// messages that it has rejected, so many waiting messages do not slow down a
// step. ReceiveAs has the same advantage. Any other function is called again in
// each wait for all waiting messages.
//
// A rejected message stays in flight, at the front of its channel. So when the
// process later accepts it, a message of another channel that was sent later
// can overtake it. A mailbox that keeps the order of arrival, such as a
// mailbox in Erlang, does not allow that. The orders that a strategy can
// choose include all orders of such a mailbox, and also orders that such a
// mailbox excludes. So a failure may be impossible with such a mailbox. To
// exclude these orders, receive every message by Receive and store the
// unwanted messages, as in the example Mailbox. Explore wastes no run on a
// process that does so.
func (p *Process) ReceiveMatch(match func(msg any) bool) any {
	if match == nil && p.me("ReceiveMatch") != nil {
		p.sys.misuse("ReceiveMatch(nil): give it a function that says which messages are wanted, or call Receive")
	}
	return p.receiveMatch("ReceiveMatch", match, nil)
}

// receiveMatch implements ReceiveMatch and ReceiveAs. verb is the name of the
// called method. Predicates with the same code are distinguished by the type
// of like.
func (p *Process) receiveMatch(verb string, match func(msg any) bool, like any) any {
	a := p.me(verb)
	if a == nil {
		return nil
	}
	a.match, p.like = match, typeWord(like)
	return p.wait(verb, acceptMatching, none)
}

// ReceiveTimeout waits for any message, but at most for d. If no message comes
// in that time, ok is false.
//
// A call with d zero is a poll, which takes no virtual time. The strategy
// chooses whether a message in flight arrives before the poll ends, so a poll
// can find nothing although messages wait. With FIFO delivery a message from
// the process to itself always arrives before the poll ends. A process that
// only polls would starve other actors. So after Options.Ticks consecutive
// polls that found nothing, a poll finds nothing only when no message can be
// delivered.
func (p *Process) ReceiveTimeout(d time.Duration) (msg any, ok bool) {
	if d == 0 && p.Ctx != nil && p.empty < p.sys.clock.patience {
		return p.poll()
	}
	return p.waitFor("ReceiveTimeout", acceptAll, none, d)
}

// Ask sends a message, waits for the answer and returns the answer. The
// receiver answers by Ctx.Reply, or later by sending to Ctx.Sender.
func (p *Process) Ask(to Ref, msg any) any {
	if !p.ask(to, msg) {
		return nil
	}
	return p.wait("Ask", acceptReply, to.actor)
}

// AskTimeout is Ask with a timeout. If no answer comes in time, ok is false,
// and a later answer is dropped.
func (p *Process) AskTimeout(to Ref, msg any, d time.Duration) (answer any, ok bool) {
	if !p.ask(to, msg) {
		return nil, false
	}
	return p.waitFor("AskTimeout", acceptReply, to.actor, d)
}

// ask sends the message of an Ask, and gives the Ask a new number. It returns
// false if the call comes from another goroutine.
func (p *Process) ask(to Ref, msg any) bool {
	a, s := p.me("Ask"), p.sys
	if a == nil {
		return false
	}
	if to.sys != s || to.run != s.run { // the test in check, repeated here because building the text for check is slow
		s.check(to, "Ask "+trace.Label(msg))
	}
	a.asks++
	a.await = a.asks
	s.sendAs(s.rec.cur, to.actor, msg, trace.Message, a.await)
	return true
}

// Sleep waits until d of virtual time has passed.
func (p *Process) Sleep(d time.Duration) {
	p.waitFor("Sleep", acceptNothing, none, d)
}

// me returns the actor of the process, after checking that the call comes from
// the process's own code in its own step. It returns nil if the call comes
// from a goroutine that may not use the system. It fails the run for any other
// invalid call.
func (p *Process) me(what string) *actor {
	if p.Ctx == nil || p.co == nil {
		return p.over(what)
	}
	if p.co.killed {
		p.co.die()
	}
	s := p.sys
	if s.rec.cur == p.actor && s.calls.top-here() <= s.calls.span {
		return s.actors[p.actor] // the address that here() returns is known to be on the coroutine's stack
	}
	if s.rec.cur == p.actor && s.calls.running && p.co.mine() {
		return s.actors[p.actor]
	}
	return p.astray(what)
}

// over fails the run for a call to a method of a Process whose code has ended
// or not started.
func (p *Process) over(what string) *actor {
	const text = "%s on a Process whose code is not running"
	if p.Ctx == nil {
		panic(&Failure{Kind: KindMisuse, Text: fmt.Sprintf(text, what)})
	}
	if s := p.sys; s.closed || s.mayCall(what) {
		s.misuse(text, what)
	}
	return nil
}

// astray fails the run for a call to a method of a Process that does not come
// from the process's own code.
func (p *Process) astray(what string) *actor {
	s := p.sys
	s.unwind()
	switch {
	case s.calls.strange():
		s.intrude(what, "Process")
	case !s.calls.running:
		s.misuse("%s on the Process of %s while its code is not running: call it in the function of the process", what, s.rec.nameOf(p.actor))
	case s.actors[s.rec.cur].process != nil:
		s.misuse("%s on the Process of %s in a step of %s: a process may call only its own Process",
			what, s.rec.nameOf(p.actor), s.rec.nameOf(s.rec.cur))
	default:
		s.misuse("%s in a handler of %s: a plain handler may not block; make it a process with Go", what, s.rec.nameOf(s.rec.cur))
	}
	return nil
}

// wait parks the process until a message that it accepts is delivered, and
// returns the message.
func (p *Process) wait(verb string, accept acceptance, on int32) any {
	a, s := p.me(verb), p.sys
	if a == nil {
		return nil
	}
	a.accept = accept
	if accept != p.takes || accept == acceptMatching {
		p.take(a)
	}
	a.waits.verb, a.waits.on = verb, on
	if accept != acceptAll || !a.open {
		s.todo.afterStep |= workFilter
	}
	c := p.co // the following is Coroutine.Park, inlined
	if !c.fits(c.g) {
		c.unlock(c.g)
		s.misuse(lockText)
	}
	c.yield(signal{})
	if c.killed || c.inspect != nil {
		c.interrupted()
	}
	if threaded {
		s.threads.acquired(p.actor)
	}
	if accept != acceptAll {
		a.await = 0
	}
	in := p.in
	p.in, p.empty = nil, 0
	return in
}

// take marks the running step as Changed in the trace if the process now
// accepts different messages than in its last wait. Become marks a step in the
// same way. Waits for an answer or for time do not count. Two predicates with
// the same code count as equal, since each evaluation of a function literal
// may have a different address.
func (p *Process) take(a *actor) {
	code := uintptr(0)
	switch a.accept {
	case acceptAll:
	case acceptMatching:
		code = **(**uintptr)(unsafe.Pointer(&a.match)) ^ p.like
	default:
		return
	}
	if p.takes != acceptStart && (p.takes != a.accept || p.code != code) {
		p.sys.rec.changed()
	}
	if code != 0 && code == p.code && code != p.asked {
		p.asked, p.fixed = code, p.like != 0 || isFixed(code)
	}
	a.sieve = 0
	if code == p.asked && p.fixed {
		a.sieve = code
	}
	p.takes, p.code = a.accept, code
}

// isFixed reports whether the function at code is declared at package level. It
// returns false for function literals, method values and functions made by
// reflection, because these may have captured variables.
func isFixed(code uintptr) bool {
	f := runtime.FuncForPC(code)
	if f == nil {
		return false
	}
	name := f.Name()
	pkg, name, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return pkg != "reflect" && !strings.ContainsAny(name, "-[") && !strings.Contains(name, ".func")
}

// poll implements ReceiveTimeout(0). It sends the process a timeout message,
// which no fault affects. The timeout message ends the wait unless another
// message is delivered first.
func (p *Process) poll() (any, bool) {
	a, s := p.me("ReceiveTimeout"), p.sys
	if a == nil {
		return nil, false
	}
	a.asks++
	a.await = a.asks
	m, empty := s.message(p.actor, p.actor, timeout{}, trace.Poll, a.await), p.empty
	s.mail.post(m, p.actor)
	in := p.wait("ReceiveTimeout", acceptAll, none)
	a.await = 0
	if _, is := in.(timeout); is {
		p.empty = empty + 1
		return nil, false
	}
	if s.mail.sends[m].Fate == trace.Pending {
		s.mail.withdraw(m)
	}
	return in, true
}

// waitFor waits like wait, but at most for d of virtual time. It returns false
// if the time is over.
func (p *Process) waitFor(verb string, accept acceptance, on int32, d time.Duration) (any, bool) {
	a, s := p.me(verb), p.sys
	if a == nil {
		return nil, false
	}
	if a.await == 0 || accept != acceptReply {
		a.asks++
		a.await = a.asks
	}
	number := a.await
	wake := s.setTimer(p.actor, d, 0, timeout{})
	s.mail.sends[wake.send].Ask = number
	s.todo.afterStep |= workFilter
	in := p.wait(verb, accept, on)
	a.await = 0
	if _, late := in.(timeout); late {
		if a.answered == number {
			s.mail.forget(p.actor, trace.Reply, number)
		}
		return nil, false
	}
	if !wake.Stop() && s.mail.sends[wake.send].Fate == trace.Pending {
		s.mail.withdraw(wake.send)
	}
	return in, true
}

// stack returns the program counters of the stack of a process that waits.
func (p *Process) stack() []uintptr {
	var pcs [32]uintptr
	n := 0
	p.co.Inspect(func() { n = runtime.Callers(3, pcs[:]) })
	return pcs[:n]
}
