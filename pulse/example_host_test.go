package pulse_test

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A bureau is a tiny third-party runtime, hosted on pulse.Host. Its actors are
// clerks. They have ids in place of references, their own loops and behaviors,
// and a Request with a blocking future. Each run makes a new bureau.
type bureau struct {
	host   pulse.Host
	clerks map[pid]*clerk
	byRef  map[pulse.Ref]*clerk
}

// A pid is a clerk's id: the id of its parent, and the clerk's number among
// that parent's children. So it is the same in every order of steps, unlike an
// index in a list of all clerks.
type pid string

// An item is a message to a clerk.
type item struct {
	from   pid
	what   any
	future int // positive: the number of the request that this item answers; negative: of the request that it makes
}

// String returns the text for traces.
func (it *item) String() string { return fmt.Sprint(it.what) }

type behaviour func(c *clerk, it *item)

// A clerk is an actor for pulse. Its code runs on a coroutine, since it may
// block.
type clerk struct {
	*bureau
	pid     pid
	name    string
	ref     pulse.Ref
	act     behaviour
	started int // the number of clerks that the clerk has started
	asked   int // the number of requests that the clerk has made
	in      *item
	co      *pulse.Coroutine
}

func newBureau(sys *pulse.System) *bureau {
	b := &bureau{host: sys.Host(), clerks: map[pid]*clerk{}, byRef: map[pulse.Ref]*clerk{}}
	b.add(&clerk{bureau: b, ref: b.host.Running()}) // stands for the test; its id is ""
	return b
}

func (b *bureau) add(c *clerk) { b.clerks[c.pid], b.byRef[c.ref] = c, c }

// me returns the acting clerk: the one whose step is running, or the test.
func (b *bureau) me() *clerk { return b.byRef[b.host.Running()] }

// Start adds a clerk as a child of the acting one.
func (b *bureau) Start(name string, act behaviour) pid {
	me := b.me()
	me.started++
	c := &clerk{bureau: b, pid: pid(fmt.Sprint(me.pid, "/", me.started)), name: name, act: act}
	c.ref = b.host.Spawn(me.ref, pulse.Spec{Name: name, Actor: c})
	b.add(c)
	return c.pid
}

// Tell sends an item. It bypasses the bureau's own mailbox, so that the
// strategy chooses what is received next.
func (b *bureau) Tell(to pid, what any) { b.put(to, &item{from: b.me().pid, what: what}) }

func (b *bureau) put(to pid, it *item) { b.host.Enqueue(b.me().ref, b.clerks[to].ref, it) }

// A future is an answer that may not have come yet.
type future struct {
	clerk  *clerk
	of     *clerk
	number int
}

// Request is Tell with a future.
func (b *bureau) Request(to pid, what any) future {
	me := b.me()
	me.asked++
	b.put(to, &item{from: me.pid, what: what, future: -me.asked})
	return future{me, b.clerks[to], me.asked}
}

// Answer fulfils the future of a request.
func (b *bureau) Answer(request *item, what any) {
	b.put(request.from, &item{from: b.me().pid, what: what, future: -request.future})
}

// Result blocks until the future is fulfilled. Meanwhile the clerk receives
// nothing else, and a stuck report shows what it waits for.
func (f future) Result() any {
	c := f.clerk
	c.host.Accept(c.ref, func(msg any) bool { return msg.(*item).future == f.number })
	c.host.Waits(c.ref, "for the answer of "+f.of.name)
	it := c.next()
	c.host.Accept(c.ref, nil)
	return it.what
}

// Become changes the behavior of a clerk and reports the change to pulse.
func (c *clerk) Become(act behaviour) {
	c.act = act
	c.host.HandlersChanged()
}

// Leave ends a clerk.
func (c *clerk) Leave() { c.host.End(c.ref, "went home") }

// Receive runs a step of the clerk with a message from pulse.
func (c *clerk) Receive(_ *pulse.Ctx, msg any) {
	c.in = msg.(*item)
	if c.co == nil {
		c.co = c.host.Coroutine(c.serve)
	}
	c.co.Resume() // pulse handles a panic of the clerk
}

// serve is the clerk's own loop.
func (c *clerk) serve(*pulse.Coroutine) {
	for {
		c.act(c, c.next())
	}
}

// next ends the current step and returns the next item when it comes.
func (c *clerk) next() *item {
	for c.in == nil {
		c.co.Park()
	}
	it := c.in
	c.in = nil
	return it
}

// This example hosts a third-party runtime. A search finds a bug in a
// program written for that runtime: two shops ask whether an item is left,
// and then take it.
func ExampleHost() {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	for seed := uint64(1); seed <= 100; seed++ {
		sys.Reset(seed)
		b := newBureau(sys)
		left := 1
		store := b.Start("store", func(c *clerk, it *item) {
			switch {
			case it.what == "how many?":
				c.Answer(it, left)
			case left == 0:
				panic("nothing left")
			default:
				left--
			}
		})
		shop := func(c *clerk, _ *item) {
			if c.Request(store, "how many?").Result().(int) > 0 {
				c.Tell(store, "take one")
			}
		}
		b.Tell(b.Start("north", shop), "open")
		b.Tell(b.Start("south", shop), "open")
		if !sys.Run() {
			fmt.Printf("seed %d: %s\n\n%s", seed, sys.Failure().Text, sys.Trace().Chart())
			return
		}
	}
	// Output:
	// seed 1: panic in store#4 ← take one: nothing left
	//
	// 0  test ──open──▶ north
	// 1  north ──how many?──▶ store
	// 2  test ──open──▶ south
	// 3  south ──how many?──▶ store
	// 4  store ──1──▶ north
	// 5  north ──take one──▶ store
	// 6  store ──1──▶ south
	// 7  south ──take one──▶ store
}
