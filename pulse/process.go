package pulse

import (
	"fmt"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Process is an actor written as straight-line code: it takes its messages
// where it wants them, and waits there. What it does between two waits is one
// step. Everything that a Ctx offers it offers too.
//
// A message is delivered when it is taken. While a process waits for
// particular messages, what can be delivered next is, for each channel, the
// first message in it that is wanted.
type Process struct {
	*Ctx
	co    *Coroutine
	body  func(*Process)
	main  func(*Coroutine) // calls body; made once for each Process
	in    any              // the message that ended the wait
	empty int              // polls in a row that found nothing, with no other wait between

	// What it took when it last waited for messages that are no answers: all, or
	// those that code matches. It is acceptStart before.
	takes acceptance
	code  uintptr
	like  uintptr // of the predicate with which it waits
	asked uintptr // the code of which fixed is known
	fixed bool    // code looks at its argument alone: see isFixed
}

// Started returns how the code of the process has begun, as a Starter is told it.
// A process that starts anew has always lost its state.
func (p *Process) Started() Start {
	a := p.me("Started")
	if a == nil {
		return StartNew
	}
	return a.how
}

// wait is what a stuck report says of a process.
type wait struct {
	verb string // "Receive", "ReceiveMatch", "Ask", …
	on   int32  // whom an Ask asks; none otherwise
	text string // what a Host says instead
}

// start is the body of the message that begins a process.
type start struct{}

// timeout is the body of the message that ends a wait in time.
type timeout struct{}

// processActor stands for the handler of a process, whose code loop resumes.
type processActor struct{}

func (processActor) Receive(*Ctx, any) {}

// hand gives a message to the code of a process that is about to be resumed.
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

// codeEnded ends an actor whose process has returned, and passes on the panic
// of one that has panicked.
func (c *cast) codeEnded(a *actor) {
	p := a.process
	thrown := p.co.panic
	c.pool.put(p.co)
	a.process = nil
	c.retire(p)
	if thrown != nil {
		panic(thrown)
	}
	if c.todo.afterStep&workEnd == 0 { // else it has stopped itself
		c.end(a, "returned")
	}
}

// startProcess makes a spawned actor a process that has not begun: its code
// begins when the message of starter that starts it is delivered.
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

// retire keeps a process for another actor.
func (c *cast) retire(p *Process) {
	p.co, p.body, p.in = nil, nil, nil
	c.inUse--
	c.processes = append(c.processes, p)
}

// killProcess ends an actor's code where it waits, if it is a process.
func (c *cast) killProcess(a *actor) {
	p := a.process
	a.process = nil
	if p != nil && p.co != nil {
		p.co.Kill()
		c.retire(p)
		c.noteKilled(a.actor)
	}
}

// noteKilled makes the panic of a deferred function that ran as a process was
// killed the failure of the run: of this one while it runs, else it is late. A
// run that has failed may have caused it.
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

// killProcesses ends all code that waits.
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

// endCode ends all code that waits, and gives the coroutines back.
func (c *cast) endCode() {
	c.killProcesses()
	c.pool.close()
}

// Receive waits for any message and returns it.
func (p *Process) Receive() any {
	return p.wait("Receive", acceptAll, none)
}

// ReceiveMatch waits for a message for which match holds and returns it;
// others stay where they are. The system calls match as messages come and go,
// so it must look at nothing but its argument and what this process owns.
//
// A function that is declared at package level, and is no method value, must look at
// nothing but its argument: what waits is not shown to it again by the next call with
// it, so that a step takes no longer where much waits. ReceiveAs is as fast. Any other
// function is asked each time about all that waits.
//
// A message that is passed over gets no place in a mailbox. It counts as still on
// its way, as the first of its channel, and so may come later than a message of
// another channel that was sent after it had been passed over. A mailbox that keeps
// the order of arrival, such as Erlang's, never does that. All orders of such a
// mailbox are tried, and these beside them; a failure that needs one of these
// cannot happen there. A process that is to have the orders of a mailbox only takes
// every message by Receive and keeps what it does not want yet: see the example
// Mailbox. Explore wastes no run on such a process.
func (p *Process) ReceiveMatch(match func(msg any) bool) any {
	if match == nil && p.me("ReceiveMatch") != nil {
		p.sys.misuse("ReceiveMatch(nil): give it a function that says which messages are wanted, or call Receive")
	}
	return p.receiveMatch("ReceiveMatch", match, nil)
}

// receiveMatch is ReceiveMatch under the name by which it was called. The type of
// like tells predicates apart that have one code.
func (p *Process) receiveMatch(verb string, match func(msg any) bool, like any) any {
	a := p.me(verb)
	if a == nil {
		return nil
	}
	a.match, p.like = match, typeWord(like)
	return p.wait(verb, acceptMatching, none)
}

// ReceiveTimeout waits for any message, but not longer than d.
//
// With zero it does not wait: what the process has sent to itself is there, and
// anything else on its way to it may have arrived or not. So it may come back empty
// although messages wait, for it or for others. A process that does nothing else
// would never let others go on: after as many times in a row as Options.Ticks says
// it comes back empty only when nothing else can happen.
func (p *Process) ReceiveTimeout(d time.Duration) (msg any, ok bool) {
	if d == 0 && p.Ctx != nil && p.empty < p.sys.clock.patience {
		return p.poll()
	}
	return p.waitFor("ReceiveTimeout", acceptAll, none, d)
}

// Ask sends a message and waits for the answer: what the receiver sends to
// the sender of this message, by Reply or later.
func (p *Process) Ask(to Ref, msg any) any {
	if !p.ask(to, msg) {
		return nil
	}
	return p.wait("Ask", acceptReply, to.actor)
}

// AskTimeout is Ask that does not wait longer than d. An answer that comes
// later is thrown away.
func (p *Process) AskTimeout(to Ref, msg any, d time.Duration) (answer any, ok bool) {
	if !p.ask(to, msg) {
		return nil, false
	}
	return p.waitFor("AskTimeout", acceptReply, to.actor, d)
}

// ask sends a message that carries the number of the Ask. It is false when
// the call comes from another goroutine.
func (p *Process) ask(to Ref, msg any) bool {
	a, s := p.me("Ask"), p.sys
	if a == nil {
		return false
	}
	if to.sys != s || to.run != s.run { // the text is made only when it is needed
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

// me returns the actor of a process whose step is running; nil when the call
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
		return s.actors[p.actor] // on the coroutine's stack, as it was before
	}
	if s.rec.cur == p.actor && s.calls.running && p.co.mine() {
		return s.actors[p.actor]
	}
	return p.astray(what)
}

// over fails the run for a call of a Process whose code has ended or has not begun.
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

// astray fails the run for a call that does not come from the code of the
// process.
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

// wait parks the process until a message comes that it accepts.
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
	c := p.co // as Coroutine.Park does
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

// take notes in the trace when a process goes over to taking other messages than
// before. That is to a process what Become is to a handler. While it waits for an
// answer, or for time to pass, it has not gone over to anything. Two predicates are
// the same when their code is: where they are in memory says nothing.
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

// isFixed reports whether a function is declared at package level, by its code. It has
// no variables of its own then, as literals, method values and what reflection makes
// may have.
func isFixed(code uintptr) bool {
	f := runtime.FuncForPC(code)
	if f == nil {
		return false
	}
	name := f.Name()
	pkg, name, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return pkg != "reflect" && !strings.ContainsAny(name, "-[") && !strings.Contains(name, ".func")
}

// checkSieve fails the run when a function that is to look at its argument alone has
// changed its mind about what waits.
func (t *traffic) checkSieve(b *mailbox) {
	if b.life == alive && b.sieve != 0 && b.sieve == b.sifted && b.accept == acceptMatching && !t.mail.isSifted(b) {
		t.misuse("ReceiveMatch of %s by a function declared at package level, which now says other things of a message than before: "+
			"let it look at nothing but the message, or make it a function literal", t.rec.nameOf(b.actor))
	}
}

// poll is ReceiveTimeout(0): a message to itself, which no fault touches, ends the
// wait unless another one comes first.
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

// waitFor is wait that a timer ends after d.
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

// stack returns the program counters of where a process waits. It looks at the
// stack only when it is called, so that waiting costs nothing.
func (p *Process) stack() []uintptr {
	var pcs [32]uintptr
	n := 0
	p.co.Inspect(func() { n = runtime.Callers(3, pcs[:]) })
	return pcs[:n]
}
