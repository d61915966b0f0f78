package pulse

import (
	"errors"
	"runtime"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/internal/self"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Coroutine is code that can be parked and resumed, on a stack of its own. A
// new coroutine costs a goroutine, so those that have ended are reused.
// Resuming one costs two switches that bypass the Go scheduler.
//
// Its life: idle → running ⇄ parked → idle. To end a parked coroutine, the pool
// kills it: it resumes into a panic that its trampoline recovers. If the code
// recovers that panic and parks again, the panic is repeated. After a few times
// runtime.Goexit follows, which cannot be recovered.
type Coroutine struct {
	pool    *coroutines // the pool that uses it; nil while it is idle
	resume  func() (signal, bool)
	stop    func()
	yield   func(signal) bool
	body    func(*Coroutine)
	lock    uintptr // how the goroutine that made it was locked to its thread
	g       uintptr // g, top and span: see calls
	top     uintptr
	span    uintptr
	lease   int  // counts its uses
	kills   int  // how many times the kill was thrown
	killed  bool // to be ended at its next park
	exit    bool // the kill uses Goexit
	ended   bool // the body has returned
	panic   *carried
	inspect func()    // if set, a resumption runs it and parks again
	seen    raceClock // for the race detector: what happened before the next resumption
}

// signal is the empty value that a coroutine and its resumer exchange.
type signal struct{}

// killThrown is what a killed coroutine panics with.
type killThrown struct{}

// Error identifies the panic to code that recovers it and panics with a text of
// its own, so that this does not count as a failure of the code.
func (killThrown) Error() string { return killText }

const killText = "jostle ends this process, which was still waiting"

// ofKill reports whether a panic is a kill, or was derived from one.
func ofKill(v any) bool {
	switch v := v.(type) {
	case killThrown:
		return true
	case error:
		return errors.As(v, &killThrown{}) || strings.Contains(trace.Thrown(v), killText)
	}
	return strings.Contains(trace.Thrown(v), killText)
}

// stubborn is how many kills a body may recover before Goexit ends it.
const stubborn = 8

// carried is a panic on its way from a coroutine's stack to the run's.
type carried struct {
	value any
	pcs   []uintptr
}

// coroutines are the coroutines of one system.
//
// Invariant: those in idle have no pool and no body, and wait in their
// trampolines.
type coroutines struct {
	calls  *calls
	locks  lockPlace
	idle   []*Coroutine
	hosted []lease  // of a Host; some may have ended
	thrown *carried // the first panic of a deferred function of a killed coroutine
	united bool     // threaded builds: a Host has actors, and all steps run on one goroutine
}

// A lease is one use of a coroutine by a Host.
type lease struct {
	c     *Coroutine
	lease int
}

// get returns a coroutine that has not started; Resume starts it.
func (p *coroutines) get(body func(*Coroutine)) *Coroutine {
	if !p.locks.known {
		p.locks.find()
	}
	lock := p.locks.lock(self.Goroutine())
	for n := len(p.idle); n > 0; n-- {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		if c.lock != lock {
			c.elsewhere(c.stop)
			continue
		}
		c.pool, c.body = p, body
		c.lease++
		c.kills, c.killed, c.exit, c.ended, c.panic = 0, false, false, false, nil
		return c
	}
	c := &Coroutine{pool: p, body: body, lock: lock}
	c.resume, c.stop = pull(c.trampoline)
	return c
}

// put makes a coroutine whose body has ended idle.
func (p *coroutines) put(c *Coroutine) {
	c.pool, c.body = nil, nil
	p.idle = append(p.idle, c)
}

// host records a coroutine to kill if it is parked when the run ends. It
// forgets those that have ended before the list grows.
func (p *coroutines) host(c *Coroutine) {
	if len(p.hosted) == cap(p.hosted) {
		p.hosted = slices.DeleteFunc(p.hosted, func(l lease) bool { return !l.parked() })
	}
	p.hosted = append(p.hosted, lease{c, c.lease})
}

// parked reports whether the lease has not ended.
func (l lease) parked() bool { return l.c.lease == l.lease && l.c.pool != nil }

// killHosted kills the hosted coroutines that are still parked.
func (p *coroutines) killHosted() {
	for _, l := range p.hosted {
		if l.parked() {
			l.c.Kill()
		}
	}
	p.hosted = p.hosted[:0]
}

func (p *coroutines) close() {
	for _, c := range p.idle {
		if p.locks.lock(self.Goroutine()) == c.lock {
			c.stop()
		} else {
			c.elsewhere(c.stop)
		}
	}
	p.idle = nil
}

// trampoline runs one body after another on the coroutine's stack.
func (c *Coroutine) trampoline(yield func(signal) bool) {
	c.g, c.yield = self.Goroutine(), yield
	for {
		c.runBody()
		c.ended = true
		if !yield(signal{}) {
			return
		}
	}
}

func (c *Coroutine) runBody() {
	if c.killed {
		return // killed before it started
	}
	returned := false
	defer func() {
		c.unlock(c.g) // a switch follows, also after Goexit
		if returned || c.exit {
			return
		}
		v := recover()
		if v == nil && c.killed { // Goexit in a deferred function
			c.exit = true
			c.yield(signal{}) // as in die
		}
		if v == nil || c.killed && ofKill(v) {
			return // v == nil: Goexit continues by itself
		}
		var pcs [64]uintptr
		c.panic = &carried{v, append([]uintptr(nil), pcs[:runtime.Callers(2, pcs[:])]...)}
	}()
	c.top, c.span = here(), 0
	calls := c.pool.calls
	calls.g, calls.top, calls.span = c.g, c.top, 0
	c.body(c)
	returned = true
}

// Resume runs the coroutine until it parks or ends, and reports whether it has
// ended. A panic in the coroutine continues in the caller.
func (c *Coroutine) Resume() (ended bool) {
	pool := c.pool
	s := pool.calls
	g, top, span := s.g, s.top, s.span
	c.mustFit(self.Goroutine())
	s.g, s.top, s.span = c.g, c.top, c.span
	if threaded {
		c.knowsIfUnited()
	}
	c.resume()
	c.span = s.span
	s.g, s.top, s.span = g, top, span
	if c.ended {
		p := c.panic
		pool.put(c)
		if p != nil {
			if f, is := p.value.(*Failure); is {
				panic(f)
			}
			panic(p)
		}
		return true
	}
	return false
}

// mine reports whether the calling goroutine is the coroutine's.
func (c *Coroutine) mine() bool { return c.g == self.Goroutine() }

// Park returns control to the resumer until the coroutine is resumed again.
func (c *Coroutine) Park() {
	if c.killed {
		c.die()
	}
	c.mustFit(c.g)
	c.yield(signal{})
	if threaded {
		c.learns()
	}
	if c.killed || c.inspect != nil {
		c.interrupted()
	}
}

// interrupted runs pending inspections, and then ends the coroutine if it was
// killed.
func (c *Coroutine) interrupted() {
	for c.inspect != nil {
		c.inspect()
		c.inspect = nil
		c.yield(signal{})
	}
	if c.killed {
		c.die()
	}
}

// die unwinds the coroutine's stack.
func (c *Coroutine) die() {
	if threaded {
		c.learns()
	}
	if c.exit {
		runtime.Goexit()
	}
	if c.kills++; c.kills > stubborn {
		c.unlock(c.g)
		c.yield(signal{}) // Kill continues with exit set, on a goroutine that may end
		runtime.Goexit()
	}
	panic(killThrown{})
}

// Inspect resumes a parked coroutine only to run f on its stack.
func (c *Coroutine) Inspect(f func()) {
	if f == nil {
		panic(&Failure{Kind: KindMisuse, Step: -1, Text: "Inspect(nil): give it a function"})
	}
	if !c.fits(self.Goroutine()) {
		return
	}
	c.inspect = f
	c.resume()
}

// Kill ends a parked coroutine. Only its deferred functions still run, each
// until it calls the system.
func (c *Coroutine) Kill() {
	pool := c.pool
	s := pool.calls
	g, dying := s.g, s.dying
	c.killed, s.dying = true, c
	if threaded {
		c.knows()
	}
	there := true
	if c.fits(self.Goroutine()) {
		c.resume()
	} else {
		there = c.elsewhere(func() { c.resume() })
	}
	switch {
	case !there:
		c.pool = nil // it stays parked forever
	case c.ended:
		if c.panic != nil && pool.thrown == nil {
			pool.thrown = c.panic
		}
		pool.put(c)
	default:
		c.exile()
	}
	s.g, s.dying = g, dying
}

// exile ends a body that recovers every kill, by Goexit. Goexit in a coroutine
// also ends the goroutine that resumed it, so a new goroutine resumes it if
// that is allowed.
func (c *Coroutine) exile() {
	c.exit = true
	c.elsewhere(func() { c.resume() })
}
