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

// A lease expires while the work it covers still waits. A timer may fire while
// messages can be delivered, if the options allow early timers and the
// strategy chooses one.
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

// headcount loses its count when it crashes and is restarted.
type headcount struct{ n int }

func (c *headcount) Receive(ctx *pulse.Ctx, msg any) {
	c.n++
	fmt.Println("received", msg, "and have", c.n)
}

// A crash is a decision of the strategy, with a budget. The restart that loses the
// state is also a decision. It needs Spec.New, a function that makes the actor.
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

// A register is copied from a primary to a backup. The nemesis is an actor, so
// the strategy decides between which steps it strikes. Here a write is lost,
// since the primary answers before the backup has its copy.
func ExampleNemesis() {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer sys.Close()
	for seed := uint64(1); ; seed++ {
		sys.Reset(seed)
		copied, answer := "", any(nil)
		backup := sys.Spawn("backup", pulse.Func(func(_ *pulse.Ctx, msg any) { copied = msg.(string) }))
		primary := sys.Spawn("primary", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			ctx.Send(backup, msg)
			ctx.Reply("done")
		}))
		nemesis := sys.Spawn("nemesis", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			ctx.Nemesis().Crash(backup)
			ctx.Nemesis().RestartKept(backup)
		}))
		sys.Go("client", func(p *pulse.Process) { answer, _ = p.AskTimeout(primary, "x = 1", time.Second) })
		sys.Send(nemesis, "strike")
		if sys.Run() && answer == "done" && copied == "" {
			fmt.Print(sys.Trace().Chart())
			return
		}
	}
	// Output:
	// 0  test ──start──▶ client
	// 1  client ──"x = 1"──▶ primary
	// 2  test ──"strike"──▶ nemesis
	//      fault: crash of backup
	//      fault: restart of backup
	// 3  primary ──"done"──▶ client
	//    primary ──"x = 1"──▶ backup     (lost)
}

// strikesAt lets every fault happen as soon as possible.
type strikesAt struct{}

func (strikesAt) Begin(uint64)              {}
func (strikesAt) Pick(e *pulse.Enabled) int { return e.Oldest() }
func (strikesAt) Choose(k choice.Kind, n int) int {
	if k.IsFault() {
		return 1
	}
	return 0
}

// A voter votes for the first actor that asks. It sends the vote before the
// vote is on its disk.
type voter struct{ vote string }

// Started reads the disk, even if it is still empty.
func (v *voter) Started(ctx *pulse.Ctx, _ pulse.Start) {
	if vote, ok := ctx.Disk().Read("vote"); ok {
		v.vote = vote.(string)
	}
}

func (v *voter) Receive(ctx *pulse.Ctx, msg any) {
	if v.vote == "" {
		v.vote = msg.(string)
		ctx.Disk().Write("vote", v.vote)
	}
	ctx.Reply(v.vote)
	ctx.MayCrash()
	ctx.Disk().Sync() // too late
}

// State that must survive a crash is written to a disk, and survives once the
// disk is synced. An actor calls MayCrash where it may crash between two actions.
func ExampleDisk() {
	sys := pulse.New(pulse.Options{
		Strategy: strategy.Random(),
		Faults:   pulse.Faults{Crash: 1, RestartLost: 1},
		Record:   true,
	})
	defer sys.Close()
	for seed := uint64(1); ; seed++ {
		sys.Reset(seed)
		r := sys.SpawnSpec(pulse.Spec{Name: "voter", New: func() pulse.Actor { return &voter{} }})
		votes := ""
		for _, name := range []string{"ada", "ben"} {
			sys.Go(name, func(p *pulse.Process) {
				vote, _ := p.AskTimeout(r, name, time.Second)
				if vote == name {
					votes += name + " "
				}
			})
		}
		sys.Run()
		if votes == "ada ben " {
			for i := range sys.Trace().Steps {
				fmt.Println(sys.Trace().StepLabel(i))
			}
			return
		}
	}
	// Output:
	// ada#1 ← start
	// voter#1 ← start
	// voter#2 ← "ada"
	// crash of voter
	// ada#2 ← "ada"
	// restart of voter
	// voter#3 ← restart lost
	// ben#1 ← start
	// voter#4 ← "ben"
	// ben#2 ← "ben"
}

// A worker that panics is restarted by the directive of its Spec. The message
// that caused the panic is lost.
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

// Watch notifies an actor when another has ended.
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

// A custom strategy decides what comes next.
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

// A mailbox works like Erlang's: it keeps messages that a process does not want
// yet, in the order of arrival.
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

// A process that uses ReceiveMatch can receive an answer before an older
// message that it has rejected earlier. A process that stores unwanted messages
// in a mailbox of its own, in the order of arrival, cannot.
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

// A monitor here is an observer that checks the system after each step.
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

// purse answers with its balance.
type purse struct{ sum int }

func (a *purse) Receive(ctx *pulse.Ctx, msg any) {
	if n, ok := msg.(int); ok {
		a.sum += n
	}
	ctx.Reply(a.sum)
}

// A test asks an actor, and uses the answer. Messages sent earlier through the same
// channel have been received before the answer. Other messages may still wait.
func ExampleSystem_Ask() {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	acc := sys.Spawn("purse", &purse{})
	sys.Send(acc, 10)
	fmt.Println(pulse.Ask[int](sys, acc, 5))
	silent := sys.Spawn("silent", pulse.Func(func(*pulse.Ctx, any) {}))
	fmt.Println(sys.Ask(silent, "anybody there?"), sys.Failure().Text)
	// Output:
	// 15
	// <nil> stuck: the test asks silent, and no answer comes: nothing is deliverable
}

// A bounded mailbox loses messages when its actor is slower than the senders,
// so the result depends on the order of steps.
func ExampleSpec_mailbox() {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	var got []any
	slow := sys.SpawnSpec(pulse.Spec{
		Name:    "slow",
		Actor:   pulse.Func(func(_ *pulse.Ctx, msg any) { got = append(got, msg) }),
		Mailbox: 2,
		OnFull:  pulse.OnFullDropOldest,
	})
	sys.Go("fast", func(p *pulse.Process) {
		for i := range 5 {
			p.Send(slow, i)
		}
	})
	sys.Run()
	fmt.Println(got)
	// Output: [3 4]
}

// A watcher that calls Unwatch receives no Down, even if one is already on its
// way.
func ExampleCtx_Unwatch() {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	worker := sys.Spawn("worker", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
	sys.Go("watcher", func(p *pulse.Process) {
		p.Watch(worker)
		p.Send(worker, "end")
		p.Sleep(time.Second) // the worker has ended, and its Down has arrived
		p.Unwatch(worker)
		_, ok := p.ReceiveTimeout(time.Second)
		fmt.Println("told:", ok)
	})
	sys.Run()
	// Output: told: false
}

// A message of SendAfter arrives even if its sender has ended by then.
func ExampleCtx_SendAfter() {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	heir := sys.Spawn("heir", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		fmt.Println(msg, "from", ctx.Sender(), "after", ctx.Now())
	}))
	sys.Send(sys.Spawn("testator", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		ctx.SendAfter(heir, time.Hour, "a will")
		ctx.Stop()
	})), "write")
	sys.Run()
	// Output: a will from testator after 1h0m0s
}
