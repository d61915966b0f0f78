//go:build race && jostle_race

package pulse

import (
	"iter"
	"runtime"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/trace"
)

// The race detector orders two accesses only by synchronization that it sees. All steps
// of a run are taken on one goroutine, so an ordinary -race build sees no race between
// actors. In this build each actor has a goroutine of its own. Switches between them are
// hidden from the detector. It is told only of the order that a program of actors may
// rely on:
//
//   - the sending of a message happens before its receipt;
//   - the spawning of an actor happens before its first step;
//   - what the test did happens before the next Run;
//   - a step happens before what the system and the test do after it.
//
// What an observer reads happens before all later steps: where there is one, no race
// between steps of different actors is seen. Nor is one seen between actors of a Host.
// ReceiveMatch shows a message to its process before the receipt; races that this
// orders are missed. No order is missing: a race that is reported is one.
//
// All goroutines use the system. So jostle's own packages must be compiled without
// instrumentation in this build, and without inlining into those of the user.

const threaded = true

// A raceClock stands for what happened before a point of the run. The detector keeps the
// clock; only the address matters.
type raceClock struct{ _ [8]byte }

func (c *raceClock) release() { runtime.RaceReleaseMerge(unsafe.Pointer(c)) }
func (c *raceClock) acquire() { runtime.RaceAcquire(unsafe.Pointer(c)) }

// A thread is the goroutine of an actor. That of a process is the process's own.
type thread struct {
	co *Coroutine
	in any // the message of the step
}

// threads are the clocks of a run.
type threads struct {
	all     raceClock    // happens before every later step
	sent    []*raceClock // by slot: the sending of the message
	spawned []*raceClock // by actor
	slot    int32        // of the message that is received
}

// A fiber is the goroutine of a coroutine. The detector does not see the switches.
//
// Invariant: of the two sides one waits at in or out.
type fiber struct {
	in, out chan signal
	seq     iter.Seq[signal]
	did     raceClock // what the coroutine did happens before what its resumer does next
	done    bool
	stopped bool
	exited  bool // by Goexit, which the resumer is to follow
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

// makeThread gives an actor its goroutine. It is called by who spawns the actor: the
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

// unite takes all further steps of the run on one goroutine: what a Host's actors share
// besides messages is the Host's affair.
func unite(s *System) { s.pool.united = true }

// united returns the body of a coroutine that knows all that happened before it is
// resumed.
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

// knows makes all that happened so far come before what a coroutine does after learns.
func (c *Coroutine) knows()  { c.seen.release() }
func (c *Coroutine) learns() { c.seen.acquire() }

// barrier makes all that happened so far come before every later step.
func (t *threads) barrier() { t.all.release() }

// released makes what the sender did come before the receipt of the message in a slot.
func (t *threads) released(m int32) {
	clockAt(&t.sent, m)
	t.sent[m] = new(raceClock) // a copy of the slot's last message may have the old one
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

// runsOn notes the goroutine of a process.
func (b *mailbox) runsOn(c *Coroutine) { b.thread.co = c }

// matchOnThread asks a process on its own goroutine whether it wants a message.
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
