//go:build race && jostle_race

package pulse

import (
	"iter"
	"runtime"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/trace"
)

// All steps of a run are taken on one goroutine, so an ordinary -race build
// reports no race between actors. In this build each actor has its own
// goroutine, and the switches between these goroutines are hidden from the race
// detector. The detector sees only the happens-before relation on which a
// program of actors may rely:
//
//  - the sending of a message happens before its receipt;
//  - the spawning of an actor happens before its first step;
//  - the test's actions happen before the next Run;
//  - a step happens before what the system and the test do after it.
//
// An observer's call happens before all later steps, so races between steps of
// different actors are not reported in a run with an observer. Races between
// actors of a Host are not reported either. ReceiveMatch passes a message to
// the process before the receipt, which may hide further races. Every reported
// race is a real one.
//
// All goroutines use the memory of the system. So this build must compile
// jostle's own packages without instrumentation, and must not inline their
// functions into user code.

const threaded = true

// A raceClock identifies a vector clock that the race detector keeps. Only the
// address of the raceClock matters.
type raceClock struct{ _ [8]byte }

func (c *raceClock) release() { runtime.RaceReleaseMerge(unsafe.Pointer(c)) }
func (c *raceClock) acquire() { runtime.RaceAcquire(unsafe.Pointer(c)) }

// A thread is the coroutine on which an actor's code runs. For a process it is
// the coroutine of the process.
type thread struct {
	co *Coroutine
	in any // the message of the step
}

// threads holds the clocks of a run.
type threads struct {
	all     raceClock    // a clock that happens before every later step
	sent    []*raceClock // for each slot, the clock that the receipt of the message acquires
	spawned []*raceClock // for each actor, the clock that its steps acquire
	slot    int32        // slot of the message being received
}

// A fiber implements a coroutine by a goroutine and channels. The race detector
// does not see its switches.
//
// Invariant: either the goroutine waits at in, or its resumer waits at out.
type fiber struct {
	in, out chan signal
	seq     iter.Seq[signal]
	did     raceClock // the clock of what the coroutine did, which happens before what its resumer does next
	done    bool
	stopped bool
	exited  bool // set if the coroutine called Goexit, which the resumer must repeat
}

// pull is like iter.Pull, but the race detector does not see the switches.
func pull(seq iter.Seq[signal]) (next func() (signal, bool), stop func()) {
	f := &fiber{in: make(chan signal), out: make(chan signal), seq: seq}
	go f.run()
	return f.next, f.stop
}

func (f *fiber) run() {
	returned := false
	runtime.RaceDisable()
	<-f.in
	runtime.RaceEnable()
	defer func() {
		f.done, f.exited = true, !returned
		f.did.release()
		runtime.RaceDisable()
		f.out <- signal{}
	}()
	if !f.stopped {
		f.seq(f.yield)
	}
	returned = true
}

func (f *fiber) yield(signal) bool {
	f.did.release()
	runtime.RaceDisable()
	f.out <- signal{}
	<-f.in
	runtime.RaceEnable()
	return !f.stopped
}

func (f *fiber) next() (signal, bool) {
	if f.done {
		return signal{}, false
	}
	runtime.RaceDisable()
	f.in <- signal{}
	<-f.out
	runtime.RaceEnable()
	f.did.acquire()
	if f.exited {
		f.exited = false
		runtime.Goexit()
	}
	return signal{}, !f.done
}

func (f *fiber) stop() {
	if !f.done {
		f.stopped = true
		f.next()
	}
}

// onThread calls the handler of an actor for one step, on the actor's
// goroutine.
func onThread(s *System, a *actor, body any) {
	if a.actor == trace.Test || s.pool.united {
		a.handler.Receive(&a.ctx, body)
		return
	}
	if a.thread.co == nil {
		makeThread(&s.cast, a)
	}
	t := &a.thread
	t.in = body
	ended := true // stays true if Resume panics
	defer func() {
		if ended {
			t.co = nil
		}
	}()
	ended = t.co.Resume()
}

// makeThread gives an actor its goroutine. It runs in the step of the spawner,
// because the race detector always sees that the start of a goroutine happens
// before its code.
func makeThread(c *cast, a *actor) {
	t := &a.thread
	t.co, t.in = nil, nil
	clockAt(&c.threads.spawned, a.actor).release()
	if _, is := a.handler.(processActor); is || a.actor == trace.Test || c.pool.united {
		return
	}
	t.co = c.pool.get(func(co *Coroutine) {
		for {
			c.threads.acquired(a.actor)
			a.handler.Receive(&a.ctx, t.in)
			t.in = nil
			co.Park()
		}
	})
}

// endThreads ends the goroutines of handlers when the run ends.
func endThreads(c *cast) {
	for _, a := range c.actors {
		if co := a.thread.co; co != nil && co.pool != nil && !co.ended {
			if _, is := a.handler.(processActor); !is {
				co.Kill()
			}
		}
		a.thread = thread{}
	}
	c.pool.united = false
}

// unite makes all later steps of the run use one goroutine. It is called for a
// Host, whose actors may share memory under rules that the system does not
// know.
func unite(s *System) { s.pool.united = true }

// united returns a coroutine body that first calls learns, so that everything
// before its first resumption happens before it.
func united(s *System, body func(*Coroutine)) func(*Coroutine) {
	unite(s)
	return func(c *Coroutine) {
		c.learns()
		body(c)
	}
}

// knowsIfUnited calls knows if the run has actors of a Host.
func (c *Coroutine) knowsIfUnited() {
	if c.pool.united {
		c.knows()
	}
}

// knows makes everything so far happen before what the coroutine does after it
// calls learns.
func (c *Coroutine) knows()  { c.seen.release() }
func (c *Coroutine) learns() { c.seen.acquire() }

// barrier makes everything so far happen before every later step.
func (t *threads) barrier() { t.all.release() }

// released makes the sender's actions so far happen before the receipt of the
// message in slot m.
func (t *threads) released(m int32) {
	clockAt(&t.sent, m)
	t.sent[m] = new(raceClock) // a copy of the slot's previous message may still use the old clock
	t.sent[m].release()
}

// copied makes the copy of a message use the clock of the original.
func (t *threads) copied(from, to int32) {
	clockAt(&t.sent, max(from, to))
	t.sent[to] = t.sent[from]
}

// acquired is called on an actor's goroutine at the beginning of each of its
// steps. It makes the spawning of the actor, the sending of the message and the
// last barrier happen before the step.
func (t *threads) acquired(actor int32) {
	t.all.acquire()
	clockAt(&t.spawned, actor).acquire()
	clockAt(&t.sent, t.slot).acquire()
}

func clockAt(list *[]*raceClock, i int32) *raceClock {
	for int(i) >= len(*list) {
		*list = append(*list, new(raceClock))
	}
	return (*list)[i]
}

// runsOn sets the coroutine of a process.
func (b *mailbox) runsOn(c *Coroutine) { b.thread.co = c }

// matchOnThread calls match on the process's own goroutine.
func (b *mailbox) matchOnThread(msg any) (wanted bool) {
	c := b.thread.co
	if c == nil || c.pool == nil || c.mine() { // the step belongs to a Host's actor, or to a process that is about to wait
		return b.match(msg)
	}
	var thrown *carried
	c.knows()
	c.Inspect(func() {
		defer func() {
			if v := recover(); v != nil {
				var pcs [64]uintptr
				thrown = &carried{v, append([]uintptr(nil), pcs[:runtime.Callers(2, pcs[:])]...)}
			}
		}()
		c.learns()
		wanted = b.match(msg)
	})
	if thrown != nil {
		panic(thrown)
	}
	return wanted
}
