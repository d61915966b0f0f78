package pulse

import (
	"fmt"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Process is an actor written as straight-line code, which waits for its
// messages where it needs them. Its code between two waits is one step. It has
// all methods of Ctx.
//
// A message is delivered when the process takes it. While a process waits for
// particular messages, the first message of each channel that it wants can be
// delivered.
type Process struct {
	*Ctx
	co    *Coroutine
	body  func(*Process)
	main  func(*Coroutine) // calls body; made once for each Process
	in    any              // the message that ended the wait
	empty int              // polls in a row that found nothing, without another wait between them

	// takes and code are what the process accepted when it last waited for
	// messages other than answers: all, or those that the function at code
	// matches. takes is acceptStart before the first such wait.
	takes acceptance
	code  uintptr
	like  uintptr // the message type of a ReceiveAs
	asked uintptr // the code for which fixed is known
	fixed bool    // code depends only on its argument: see isFixed
}

// Started returns how the code of the process was started. A restarted process
// has always lost its state.
func (p *Process) Started() Start {
	a := p.me("Started")
	if a == nil {
		return StartNew
	}
	return a.how
}

// wait is what a stuck report says about a process.
type wait struct {
	verb string // "Receive", "ReceiveMatch", "Ask", …
	on   int32  // the receiver of an Ask, or none
	text string // text set by a Host, which replaces the rest
}

// start is the body of the message that starts a process.
type start struct{}

// timeout is the body of the message that ends a wait by time.
type timeout struct{}

// processActor is a stand-in for the handler of a process, whose code loop
// resumes.
type processActor struct{}

func (processActor) Receive(*Ctx, any) {}

// hand gives a message to the code of a process, which the caller then resumes.
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

// codeEnded ends an actor whose process has returned, or repeats the panic of
// one that has panicked.
func (c *cast) codeEnded(a *actor) {
	p := a.process
	thrown := p.co.panic
	c.pool.put(p.co)
	a.process = nil
	c.retire(p)
	if thrown != nil {
		panic(thrown)
	}
	if c.todo.afterStep&workEnd == 0 { // otherwise it has called Stop
		c.end(a, "returned")
	}
}

// startProcess prepares the process of an actor. Its code starts with the
// delivery of the start message, which starter sends.
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

// retire makes a process free for another actor.
func (c *cast) retire(p *Process) {
	p.co, p.body, p.in = nil, nil, nil
	c.inUse--
	c.processes = append(c.processes, p)
}

// killProcess ends an actor's waiting code, if it is a process.
func (c *cast) killProcess(a *actor) {
	p := a.process
	a.process = nil
	if p != nil && p.co != nil {
		p.co.Kill()
		c.retire(p)
		c.noteKilled(a.actor)
	}
}

// noteKilled reports the panic of a deferred function that ran while a process
// was killed. The panic fails the current run, or is late if none is running.
// After a failure it is dropped, since the failure may have caused it.
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

// killProcesses ends all waiting code.
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

// endCode ends all waiting code and releases the coroutines.
func (c *cast) endCode() {
	c.killProcesses()
	c.pool.close()
}

// Receive waits for any message and returns it.
func (p *Process) Receive() any {
	return p.wait("Receive", acceptAll, none)
}

// ReceiveMatch waits for a message for which match holds and returns it. Other
// messages stay in their channels. The system calls match as messages come and
// go, so it must depend only on its argument and on what this process owns.
//
// A match that is declared at package level, and is not a method value, must
// depend only on its argument. The system does not call it again for messages
// it has rejected, so many waiting messages do not slow down a step. ReceiveAs
// is as fast. Any other function is called again each time for all waiting
// messages.
//
// A rejected message is not put into a mailbox. It stays on its way, first in
// its channel, so a message of another channel that was sent later can overtake
// it. This cannot happen in a mailbox that keeps the order of arrival, such as
// Erlang's. The orders tried include all orders of such a mailbox, and more; a
// failure that needs one of the others is impossible there. To get only the
// orders of such a mailbox, receive every message by Receive and store the
// unwanted ones: see the example Mailbox. Explore wastes no run on such a
// process.
func (p *Process) ReceiveMatch(match func(msg any) bool) any {
	if match == nil && p.me("ReceiveMatch") != nil {
		p.sys.misuse("ReceiveMatch(nil): give it a function that says which messages are wanted, or call Receive")
	}
	return p.receiveMatch("ReceiveMatch", match, nil)
}

// receiveMatch is ReceiveMatch with the name of the called method. The type of
// like distinguishes predicates that share their code.
func (p *Process) receiveMatch(verb string, match func(msg any) bool, like any) any {
	a := p.me(verb)
	if a == nil {
		return nil
	}
	a.match, p.like = match, typeWord(like)
	return p.wait(verb, acceptMatching, none)
}

// ReceiveTimeout waits for any message, but at most for d.
//
// With d zero it does not wait. A message from the process to itself is there;
// any other message on its way may have arrived or not. So it can find nothing
// although messages wait. A process that only polls would starve the others.
// After as many empty polls in a row as Options.Ticks allows, it finds nothing
// only when nothing else can happen.
func (p *Process) ReceiveTimeout(d time.Duration) (msg any, ok bool) {
	if d == 0 && p.Ctx != nil && p.empty < p.sys.clock.patience {
		return p.poll()
	}
	return p.waitFor("ReceiveTimeout", acceptAll, none, d)
}

// Ask sends a message, waits for the answer and returns it. The answer is what
// the receiver sends to the sender of this message, by Reply or later.
func (p *Process) Ask(to Ref, msg any) any {
	if !p.ask(to, msg) {
		return nil
	}
	return p.wait("Ask", acceptReply, to.actor)
}

// AskTimeout is Ask with a timeout. A later answer is dropped.
func (p *Process) AskTimeout(to Ref, msg any, d time.Duration) (answer any, ok bool) {
	if !p.ask(to, msg) {
		return nil, false
	}
	return p.waitFor("AskTimeout", acceptReply, to.actor, d)
}

// ask sends a message with the number of the Ask. It returns false if the call
// comes from another goroutine.
func (p *Process) ask(to Ref, msg any) bool {
	a, s := p.me("Ask"), p.sys
	if a == nil {
		return false
	}
	if to.sys != s || to.run != s.run { // build the text only if the check fails
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

// me returns the actor of a process whose step is running, or nil if the call
// comes from another goroutine.
func (p *Process) me(what string) *actor {
	if p.Ctx == nil || p.co == nil {
		return p.over(what)
	}
	if p.co.killed {
		p.co.die()
	}
	s := p.sys
	if s.rec.cur == p.actor && s.calls.top-here() <= s.calls.span {
		return s.actors[p.actor] // confirmed to be on the coroutine's stack
	}
	if s.rec.cur == p.actor && s.calls.running && p.co.mine() {
		return s.actors[p.actor]
	}
	return p.astray(what)
}

// over fails the run for a call of a Process whose code has ended or not
// started.
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

// astray fails the run for a call that does not come from the process's own
// code.
func (p *Process) astray(what string) *actor {
	s := p.sys
	s.unwind()
	switch {
	case s.calls.strange():
		s.intrude(what, "Process")
	case !s.calls.running:
		s.misuse("%s on the Process of %s outside of its code", what, s.rec.nameOf(p.actor))
	case s.actors[s.rec.cur].process != nil:
		s.misuse("%s on the Process of %s in a step of %s: a process waits by its own Process only",
			what, s.rec.nameOf(p.actor), s.rec.nameOf(s.rec.cur))
	default:
		s.misuse("%s in a handler of %s: a plain handler may not block; make it a process with Go", what, s.rec.nameOf(s.rec.cur))
	}
	return nil
}

// wait parks the process until a message that it accepts is delivered.
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
	c := p.co // like Coroutine.Park
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

// take marks the step in the trace if the process now accepts other messages
// than at its last wait, as Become marks a handler's step. Waits for an answer
// or for time do not count. Two predicates are the same if their code is, since
// addresses of closures say nothing.
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

// isFixed reports whether the function at code is declared at package level.
// Unlike function literals, method values and functions made by reflection, it
// has no captured variables.
func isFixed(code uintptr) bool {
	f := runtime.FuncForPC(code)
	if f == nil {
		return false
	}
	name := f.Name()
	pkg, name, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return pkg != "reflect" && !strings.ContainsAny(name, "-[") && !strings.Contains(name, ".func")
}

// checkSieve fails the run if a predicate that must depend only on its argument
// now gives another result for a waiting message.
func (t *traffic) checkSieve(b *mailbox) {
	if b.life == alive && b.sieve != 0 && b.sieve == b.sifted && b.accept == acceptMatching && !t.mail.isSifted(b) {
		t.misuse("ReceiveMatch of %s by a package-level function that now gives another answer for the same message: "+
			"let it depend only on the message, or use a function literal", t.rec.nameOf(b.actor))
	}
}

// poll is ReceiveTimeout(0). A message to itself, which no fault affects, ends
// the wait unless another message comes first.
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

// waitFor is wait with a timeout d.
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

// stack returns the program counters at which a process waits. It reads the
// stack only on demand, so that waiting costs nothing.
func (p *Process) stack() []uintptr {
	var pcs [32]uintptr
	n := 0
	p.co.Inspect(func() { n = runtime.Callers(3, pcs[:]) })
	return pcs[:n]
}
