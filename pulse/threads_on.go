//go:build race && jostle_race

package pulse

import (
	"iter"
	"runtime"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/trace"
)

// The race detector orders two accesses only by synchronization that it sees.
// All steps of a run are taken on one goroutine, so an ordinary -race build
// sees no race between actors. In this build each actor has its own goroutine,
// and the switches between them are hidden from the detector. It sees only the
// order on which a program of actors may rely:
//
//  - the sending of a message happens before its receipt;
//  - the spawning of an actor happens before its first step;
//  - the test's actions happen before the next Run;
//  - a step happens before what the system and the test do after it.
//
// What an observer reads happens before all later steps. So with an observer no
// race between steps of different actors is seen, nor is one between actors of
// a Host. ReceiveMatch shows a message to its process before the receipt, so it
// hides races that this orders. There are no false reports: every reported race
// is one.
//
// All goroutines use the system. So this build must compile jostle's own
// packages without instrumentation, and must not inline them into user code.
// instrumentation in this build, and without inlining into those of the user.

const threaded = true

// A raceClock represents what happened before a point of the run. The detector
// keeps the clock; only the address matters.
type raceClock struct{ _ [8]byte }

func (c *raceClock) release() { runtime.RaceReleaseMerge(unsafe.Pointer(c)) }
func (c *raceClock) acquire() { runtime.RaceAcquire(unsafe.Pointer(c)) }

// A thread is the goroutine of an actor. A process runs on its own coroutine.
type thread struct {
	co *Coroutine
	in any // the message of the step
}

// threads are the clocks of a run.
type threads struct {
	all     raceClock    // happens before every later step
	sent    []*raceClock // by slot: the sending of the message
	spawned []*raceClock // by actor
	slot    int32        // of the message being received
}

// A fiber is the goroutine of a coroutine. The detector does not see the
// switches.
//
// Invariant: one of the two sides waits at in or out.
type fiber struct {
	in, out chan signal
	seq     iter.Seq[signal]
	did     raceClock // what the coroutine did happens before what its resumer does next
	done    bool
	stopped bool
	exited  bool // by Goexit, which the resumer must repeat
}

// pull is iter.Pull with switches that the race detector does not see.
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

// onThread runs a step of an actor's handler on the actor's goroutine.
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
	ended := true // by a panic, unless Resume returns
	defer func() {
		if ended {
			t.co = nil
		}
	}()
	ended = t.co.Resume()
}

// makeThread gives an actor its goroutine. The spawner calls it, because the
// start of a goroutine is synchronization that cannot be hidden.
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

// unite runs all further steps of the run on one goroutine: the Host is
// responsible for what its actors share besides messages.
func unite(s *System) { s.pool.united = true }

// united returns a coroutine body that happens after everything before its
// resumption.
func united(s *System, body func(*Coroutine)) func(*Coroutine) {
	unite(s)
	return func(c *Coroutine) {
		c.learns()
		body(c)
	}
}

// knowsIfUnited is knows for the coroutine of a Host.
func (c *Coroutine) knowsIfUnited() {
	if c.pool.united {
		c.knows()
	}
}

// knows makes everything so far happen before what the coroutine does after
// learns.
func (c *Coroutine) knows()  { c.seen.release() }
func (c *Coroutine) learns() { c.seen.acquire() }

// barrier makes everything so far happen before every later step.
func (t *threads) barrier() { t.all.release() }

// released makes the sender's actions happen before the receipt of the message
// in a slot.
func (t *threads) released(m int32) {
	clockAt(&t.sent, m)
	t.sent[m] = new(raceClock) // a copy of the slot's last message may still use the old one
	t.sent[m].release()
}

// copied gives the copy of a message the clock of the message.
func (t *threads) copied(from, to int32) {
	clockAt(&t.sent, max(from, to))
	t.sent[to] = t.sent[from]
}

// acquired begins a step, on the goroutine of its actor.
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

// runsOn sets the goroutine of a process.
func (b *mailbox) runsOn(c *Coroutine) { b.thread.co = c }

// matchOnThread calls match on the process's own goroutine.
func (b *mailbox) matchOnThread(msg any) (wanted bool) {
	c := b.thread.co
	if c == nil || c.pool == nil || c.mine() { // a Host's actor, or a process that begins to wait
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
