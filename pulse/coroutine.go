package pulse

import (
	"errors"
	"runtime"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/internal/self"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Coroutine runs code on a separate stack, where it can be parked and
// resumed. A new coroutine costs a goroutine, so the pool reuses coroutines
// whose code has ended. A resumption costs two switches that bypass the Go
// scheduler.
//
// The states are idle → running ⇄ parked → idle. To end a parked coroutine,
// the pool kills it: the code resumes with a panic, which the trampoline
// recovers. If the code recovers that panic and parks again, the pool repeats
// the panic. After several panics the pool uses runtime.Goexit, which code
// cannot recover.
type Coroutine struct {
	pool    *coroutines // the pool that uses the coroutine; nil while the coroutine is idle
	resume  func() (signal, bool)
	stop    func()
	yield   func(signal) bool
	body    func(*Coroutine)
	lock    uintptr // the result of lockPlace.lock for the goroutine that made the coroutine
	g       uintptr // g, top and span have the meaning that they have in the struct calls, and are copied there while the coroutine runs
	top     uintptr
	span    uintptr
	lease   int  // number of uses so far: how often the coroutine was taken from the pool
	kills   int  // number of kill panics thrown
	killed  bool // set if the coroutine must end when it next runs or parks
	exit    bool // set if the coroutine is killed by Goexit and not by a panic
	ended   bool // set if the body has ended
	panic   *carried
	inspect func()    // if set, the next resumption only runs this function and parks again
	seen    raceClock // vector clock for the race detector: see knows
}

// signal is the empty value that a coroutine and its resumer pass to each
// other.
type signal struct{}

// killThrown is the panic value that ends a killed coroutine.
type killThrown struct{}

// Error returns killText. If the code recovers the kill and panics with this
// text in its own message, ofKill still recognizes the kill.
func (killThrown) Error() string { return killText }

const killText = "jostle ends this process, which was still waiting"

// ofKill reports whether a panic value is a killThrown, or an error or text
// that contains one.
func ofKill(v any) bool {
	switch v := v.(type) {
	case killThrown:
		return true
	case error:
		return errors.As(v, &killThrown{}) || strings.Contains(trace.Thrown(v), killText)
	}
	return strings.Contains(trace.Thrown(v), killText)
}

// stubborn is the number of kill panics that the code of a coroutine may
// recover. After that, Goexit ends the coroutine.
const stubborn = 8

// carried is a panic of a coroutine with the stack of the panic. The goroutine
// that resumed the coroutine repeats the panic.
type carried struct {
	value any
	pcs   []uintptr
}

// coroutines is the pool of coroutines of one system.
//
// Invariant: each coroutine in the list idle has no pool and no body, and
// waits in its method trampoline.
type coroutines struct {
	calls  *calls
	locks  lockPlace
	idle   []*Coroutine
	hosted []lease  // coroutines of a Host; some may have ended
	thrown *carried // the first panic of a deferred function of a killed coroutine
	united bool     // used if threaded is true: set if a Host has actors, so that all steps run on one goroutine
}

// A lease is one use of a coroutine by a Host. The pool reuses a coroutine
// after it has ended, for a new lease.
type lease struct {
	c     *Coroutine
	lease int
}

// get returns a coroutine with the given body. The first Resume starts the
// body.
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

// put adds a coroutine whose body has ended to the list idle.
func (p *coroutines) put(c *Coroutine) {
	c.pool, c.body = nil, nil
	p.idle = append(p.idle, c)
}

// host adds a coroutine of a Host to p.hosted, so that killHosted kills the
// coroutine if it is still parked. Before that list grows, host removes the
// coroutines that have ended.
func (p *coroutines) host(c *Coroutine) {
	if len(p.hosted) == cap(p.hosted) {
		p.hosted = slices.DeleteFunc(p.hosted, func(l lease) bool { return !l.parked() })
	}
	p.hosted = append(p.hosted, lease{c, c.lease})
}

// parked reports whether the coroutine has not ended since the lease began. If
// so, it is parked and can be killed.
func (l lease) parked() bool { return l.c.lease == l.lease && l.c.pool != nil }

// killHosted kills the coroutines of the Host that are still parked.
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

// trampoline runs a body on the coroutine's stack, once for each use of the
// coroutine.
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
		return // the coroutine was killed before its body started
	}
	returned := false
	defer func() {
		c.unlock(c.g) // the coroutine now switches to its resumer, also after Goexit, so it must not be locked to a thread
		if returned || c.exit {
			return
		}
		v := recover()
		if v == nil && c.killed { // a deferred function has called Goexit
			c.exit = true
			c.yield(signal{}) // the coroutine waits for Kill to resume it from a new goroutine, because Goexit may end the goroutine that resumes the coroutine
		}
		if v == nil || c.killed && ofKill(v) {
			return // after this return a Goexit (v is nil) continues by itself
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
// ended. A panic in the coroutine is repeated in the caller.
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

// interrupted is called when a parked coroutine is resumed by Inspect or Kill.
// After Inspect it runs the function c.inspect and parks again. After Kill it
// ends the coroutine.
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

// die unwinds the coroutine's stack by a kill panic or Goexit.
func (c *Coroutine) die() {
	if threaded {
		c.learns()
	}
	if c.exit {
		runtime.Goexit()
	}
	if c.kills++; c.kills > stubborn {
		c.unlock(c.g)
		c.yield(signal{}) // the coroutine waits for Kill to resume it from a new goroutine, because Goexit may end the goroutine that resumes the coroutine
		runtime.Goexit()
	}
	panic(killThrown{})
}

// Inspect runs f on the stack of a parked coroutine, which then parks again.
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

// Kill ends a parked coroutine. Only its deferred functions still run. A
// deferred function stops at its first call to the system.
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
		c.pool = nil // the coroutine stays parked forever
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

// exile uses Goexit to end a coroutine that recovers every kill panic. Goexit
// in a coroutine also ends the goroutine that resumed the coroutine. So exile
// resumes the coroutine on a new goroutine. It does nothing if the coroutine
// is locked to a thread.
func (c *Coroutine) exile() {
	c.exit = true
	c.elsewhere(func() { c.resume() })
}

// mustFit fails the step if the running goroutine g cannot switch to or from
// the coroutine.
func (c *Coroutine) mustFit(g uintptr) {
	if !c.fits(g) {
		c.unlock(g)
		panic(&Failure{Kind: KindMisuse, Text: lockText})
	}
}

// elsewhere calls f, which switches to the coroutine, on a new goroutine. It
// returns false without calling f if the coroutine was made on a locked
// thread, because such a coroutine can run only on that thread.
func (c *Coroutine) elsewhere(f func()) bool {
	if c.lock != 0 {
		return false
	}
	gone := make(chan signal)
	go func() {
		defer close(gone)
		f()
	}()
	<-gone
	return true
}
