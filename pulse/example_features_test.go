package pulse_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A lease runs out while the work that it covers is still waiting: a timer
// fires although messages can be delivered, if the options allow it and the
// strategy decides so.
func ExampleOptions_earlyTimers() {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), EarlyTimers: 1})
	defer sys.Close()
	for seed := uint64(1); ; seed++ {
		sys.Reset(seed)
		expired := false
		holder := sys.Spawn("holder", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg {
			case "begin":
				ctx.After(time.Minute, "lease runs out")
				ctx.Send(ctx.Self(), "work")
			case "lease runs out":
				expired = true
			case "work":
				if expired {
					panic("works without a lease")
				}
			}
		}))
		sys.Send(holder, "begin")
		if !sys.Run() {
			fmt.Println(sys.Failure().Text, "after", sys.Now())
			return
		}
	}
	// Output: panic in holder: works without a lease after 1m0s
}

// headcount loses what it has counted when it crashes and is made anew.
type headcount struct{ n int }

func (c *headcount) Receive(ctx *pulse.Ctx, msg any) {
	c.n++
	fmt.Println("received", msg, "and have", c.n)
}

// A crash is a decision of the strategy, with a budget; so is the restart that
// loses the state, for which the spec says how the actor is made.
func ExampleFaults() {
	sys := pulse.New(pulse.Options{
		Strategy: strikesAt{},
		Faults:   pulse.Faults{Crash: 1, RestartLost: 1},
	})
	defer sys.Close()
	r := sys.SpawnSpec(pulse.Spec{Name: "counter", New: func() pulse.Actor { return &headcount{} }})
	for _, word := range []string{"one", "two", "three"} {
		sys.Send(r, word)
		sys.Settle()
		sys.Run()
	}
	// Output:
	// received one and have 1
	// received two and have 1
	// received three and have 2
}

// strikesAt lets every fault happen as soon as it can.
type strikesAt struct{}

func (strikesAt) Begin(uint64)              {}
func (strikesAt) Pick(e *pulse.Enabled) int { return e.Oldest() }
func (strikesAt) Choose(k choice.Kind, n int) int {
	if k.IsFault() {
		return 1
	}
	return 0
}

// A worker that panics is started again by its supervisor's directive. The
// message that it panicked on is gone.
func ExampleSpec_supervised() {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	worker := sys.SpawnSpec(pulse.Spec{
		Name:    "worker",
		OnPanic: pulse.OnPanicRestart,
		Actor: pulse.Func(func(_ *pulse.Ctx, msg any) {
			if msg == "bad" {
				panic("cannot do that")
			}
			fmt.Println("done:", msg)
		}),
	})
	for _, job := range []string{"good", "bad", "better"} {
		sys.Send(worker, job)
	}
	fmt.Println("went well:", sys.Run())
	// Output:
	// done: good
	// done: better
	// went well: true
}

// Watch tells an actor when another has ended.
func ExampleCtx_Watch() {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	guest := sys.Spawn("guest", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
	host := sys.Spawn("host", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch m := msg.(type) {
		case string:
			ctx.Watch(guest)
			ctx.Send(guest, "time to go")
		case pulse.Down:
			fmt.Println(m.Actor, m.Reason)
		}
	}))
	sys.Send(host, "invite")
	sys.Run()
	// Output: guest stopped
}

// youngest takes the message that arrived last.
type youngest struct{}

func (youngest) Begin(uint64) {}
func (youngest) Pick(e *pulse.Enabled) int {
	best := 0
	for i := range e.Len() {
		if e.Seq(i) > e.Seq(best) {
			best = i
		}
	}
	return best
}
func (youngest) Choose(choice.Kind, int) int { return 0 }

// A strategy of one's own decides what comes next.
func ExampleStrategy() {
	sys := pulse.New(pulse.Options{Strategy: youngest{}})
	defer sys.Close()
	for _, name := range []string{"ada", "ben", "cleo"} {
		sys.Send(sys.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, _ any) { fmt.Println(ctx.Self()) })), "go")
	}
	sys.Run()
	// Output:
	// cleo
	// ben
	// ada
}

// desk is an actor of another runtime: it blocks for what it needs and knows
// nothing of pulse but the host.
type desk struct {
	host pulse.Host
	self pulse.Ref
	co   *pulse.Coroutine
	in   any
}

// Receive hands a message to the code of the desk, which goes on where it is
// parked.
func (d *desk) Receive(_ *pulse.Ctx, msg any) {
	if d.co == nil {
		d.co = d.host.Coroutine(func(co *pulse.Coroutine) {
			form := d.in
			d.host.Accept(d.self, func(msg any) bool { return msg == "signature" })
			d.host.Waits(d.self, "for a signature")
			co.Park()
			d.host.Accept(d.self, nil)
			fmt.Println(form, "has its", d.in)
		})
	}
	d.in = msg
	d.co.Resume()
}

// Other actor runtimes are hosted on a few operations: spawn, enqueue, accept,
// coroutines.
func ExampleHost() {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	h := sys.Host()
	d := &desk{host: h}
	d.self = h.Spawn(h.Running(), pulse.Spec{Name: "desk", Actor: d})
	h.Enqueue(h.Running(), d.self, "form")
	sys.Run()
	fmt.Println(sys.Err())
	sys.Reset(1)
	d.co, d.self = nil, h.Spawn(h.Running(), pulse.Spec{Name: "desk", Actor: d})
	h.Enqueue(h.Running(), d.self, "form")
	h.Enqueue(h.Running(), d.self, "signature")
	fmt.Println("went well:", sys.Run())
	// Output:
	// stuck: 1 of 1 actors cannot go on, nothing is deliverable
	//     desk waits for a signature; its mailbox is empty
	// form has its signature
	// went well: true
}

// A mailbox is Erlang's: it keeps what a process does not want yet, in the order of
// arrival.
type mailbox struct {
	p    *pulse.Process
	kept []any
}

func (b *mailbox) receive(wanted func(msg any) bool) any {
	if i := slices.IndexFunc(b.kept, wanted); i >= 0 {
		msg := b.kept[i]
		b.kept = slices.Delete(b.kept, i, i+1)
		return msg
	}
	for {
		msg := b.p.Receive()
		if wanted(msg) {
			return msg
		}
		b.kept = append(b.kept, msg)
	}
}

// Only ReceiveMatch lets an answer overtake what was passed over before the question
// was asked.
func ExampleProcess_mailbox() {
	isWanted := func(msg any) bool { return msg == "wanted" }
	isAny := func(any) bool { return true }
	for _, name := range []string{"ReceiveMatch", "a mailbox"} {
		sys := pulse.New(pulse.Options{Strategy: strategy.Random()})
		next := map[any]bool{}
		for seed := range uint64(100) {
			sys.Reset(seed)
			echo := sys.Spawn("echo", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(ctx.Sender(), "answer") }))
			reader := sys.Go("reader", func(p *pulse.Process) {
				receive := p.ReceiveMatch
				if name == "a mailbox" {
					receive = (&mailbox{p: p}).receive
				}
				receive(isWanted)
				p.Send(echo, "question")
				next[receive(isAny)] = true
			})
			sys.Send(reader, "first")
			sys.Send(reader, "wanted")
			sys.Run()
		}
		sys.Close()
		fmt.Println("by", name, next)
	}
	// Output:
	// by ReceiveMatch map[answer:true first:true]
	// by a mailbox map[first:true]
}

// A monitor is an observer that looks at each step when it is over.
type lengths struct{ longest int }

func (l *lengths) Stepped(s *pulse.System, step int) {
	if st := &s.Trace().Steps[step]; st.Kind == trace.Receive {
		l.longest = max(l.longest, len(fmt.Sprint(s.Trace().Sends[st.Send].Body)))
	}
}

func ExampleSystem_Observe() {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	l := &lengths{}
	sys.Observe(l)
	sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	for _, word := range []string{"a", "messages", "of"} {
		sys.Send(sink, word)
	}
	sys.Run()
	fmt.Println("the longest message has", l.longest, "letters")
	// Output: the longest message has 8 letters
}
