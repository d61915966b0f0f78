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
// goroutine, and the switches between these goroutines are hidden from the
// race detector. The detector sees only the happens-before relation on which a
// program of actors may rely:
//
//  - the sending of a message happens before its receipt;
//  - the spawning of an actor happens before its first step;
//  - the test's actions happen before the next Run;
//  - a step happens before what the system and the test do after it.
//
// A call to an observer happens before all later steps, so no races between
// steps of different actors are reported in a run with an observer. Races
// between actors of a Host are not reported either. ReceiveMatch passes a
// message to the process before the receipt, which may hide further races.
// Every reported race is a real one.
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

// threads holds the vector clocks by which the race detector orders the steps
// of a run.
type threads struct {
	all     raceClock    // the vector clock that every step acquires: see barrier
	sent    []*raceClock // by message slot: the vector clock that the receipt of the message acquires
	spawned []*raceClock // by actor: the vector clock of its spawning, which each of its steps acquires
	slot    int32        // slot of the message being received
}

// A fiber implements a coroutine by a goroutine and channels. The race detector
// does not see its switches.
//
// Invariant: either the goroutine waits to receive from channel in, or its
// resumer waits to receive from channel out.
type fiber struct {
	in, out chan signal
	seq     iter.Seq[signal]
	did     raceClock // the vector clock of the coroutine's actions so far; the resumer acquires it when the coroutine parks
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
	ended := true // remains true if Resume panics
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

// unite makes all later steps of the run use one goroutine. unite is called
// for a Host, because the actors of a Host may share memory under rules that
// the system does not know.
func unite(s *System) { s.pool.united = true }

// united returns a coroutine body that first calls learns and then body. So
// all actions before the first resumption of the coroutine happen before body.
func united(s *System, body func(*Coroutine)) func(*Coroutine) {
	unite(s)
	return func(c *Coroutine) {
		c.learns()
		body(c)
	}
}

// knowsIfUnited calls the method knows if all steps of the run use one
// goroutine (see unite).
func (c *Coroutine) knowsIfUnited() {
	if c.pool.united {
		c.knows()
	}
}

// knows and learns are a pair: everything before a call to knows happens
// before what the coroutine does after its next call to learns.
func (c *Coroutine) knows()  { c.seen.release() }
func (c *Coroutine) learns() { c.seen.acquire() }

// barrier makes everything so far happen before every later step.
func (t *threads) barrier() { t.all.release() }

// released makes the sender's actions so far happen before the receipt of the
// message in slot m.
func (t *threads) released(m int32) {
	clockAt(&t.sent, m)
	t.sent[m] = new(raceClock) // the old vector clock cannot be reused, since a copy of the slot's previous message may still need it
	t.sent[m].release()
}

// copied gives a copy of a message the vector clock of the original. from is
// the slot of the original, and to is the slot of the copy.
func (t *threads) copied(from, to int32) {
	clockAt(&t.sent, max(from, to))
	t.sent[to] = t.sent[from]
}

// acquired is called on an actor's goroutine at the beginning of each of its
// steps. It makes three things happen before the step: the spawning of the
// actor, the sending of the message, and the last call to barrier.
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

// runsOn sets the coroutine on which the code of a process runs.
func (b *mailbox) runsOn(c *Coroutine) { b.thread.co = c }

// matchOnThread calls b.match, the predicate of a process, on the goroutine of
// that process, so that the race detector orders the call with its steps.
func (b *mailbox) matchOnThread(msg any) (wanted bool) {
	c := b.thread.co
	if c == nil || c.pool == nil || c.mine() { // an actor of a Host, or a process that is about to wait and so runs on its goroutine already
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
