package explore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// skips is the failure with which a handler in these tests skips its run. The rig and the enumerator treat such a run
// as neither passed nor failed.
var skips = &pulse.Failure{Kind: pulse.KindMisuse, Text: "skipped"}

var errPlain = errors.New("the plain order")

// Some reduction once reported each program below as complete although it had missed an order or a
// failure.
func unsound() []subject {
	program := func(name string, o pulse.Options, build func(*pulse.System) func() error) subject {
		return subject{name, o, func() func(*pulse.System) func() error { return build }}
	}
	return []subject{
		program("a skip in a handler", pulse.Options{}, skipsFirst),
		program("two panics", pulse.Options{}, panicsTwice),
		program("a panic and a failure", pulse.Options{}, panicsOrFails),
		program("a skip behind others", pulse.Options{}, skipsBehindOthers),
		program("a tick beside a timer", pulse.Options{Ticks: 2}, ticksBesideTimers),
		program("a tick beside a sleeper", pulse.Options{Ticks: 2}, ticksBesideSleepers),
		program("the number of steps", pulse.Options{}, countsSteps),
		program("the number of timers", pulse.Options{}, countsTimers),
		program("a tick that may be early", pulse.Options{Ticks: 1, EarlyTimers: 1}, ticksBesideTimers),
		program("a timer that may be early, of another", early(1), stopsAnothersTimer),
		program("messages sent later that may be early", early(1), sendsLater),
		program("a delay while time may pass early", early(1), delaysWhileTimersWait),
		program("an answer to the test while time may pass early", early(1), asksWhileTimersWait),
		program("two runs while time may pass early", early(1), runsTwice),
		program("System.Now while time may pass early", early(1), asksForTime),
		program("places", pulse.Options{}, readsPlaces),
		program("names", pulse.Options{}, readsNames),
		program("the test's messages", pulse.Options{}, readsReceived),
		program("warnings", pulse.Options{}, readsWarnings),
		program("a timer of another", pulse.Options{}, stopsAnothersTimer),
		program("messages sent later", pulse.Options{}, sendsLater),
		program("a mailbox for one, newest lost", pulse.Options{}, overflowing(pulse.OnFullDropNewest)),
		program("a mailbox for one, oldest lost", pulse.Options{}, overflowing(pulse.OnFullDropOldest)),
		program("a mailbox for two, filled by its own", pulse.Options{}, overflowsItself),
		program("a mailbox for one, of one who is killed", pulse.Options{}, fullWhenKilled),
		program("a watch that is ended", pulse.Options{}, unwatches),
		program("a child that has ended", pulse.Options{}, endsBeforeItsParent),
		program("an answer to the test", pulse.Options{}, asksInTheMidst),
		program("an observer", pulse.Options{}, isObserved),
		program("waiting messages", pulse.Options{Pending: 3}, letsManyWait),
		program("a crash", pulse.Options{}, crashesAnother),
		program("writes that another's crash takes", pulse.Options{}, losesWrites),
		program("any writes that another's crash takes", pulse.Options{Faults: pulse.Faults{UnorderedWrites: true}}, losesWrites),
		program("writes that the test's crash takes", pulse.Options{}, losesWritesBetween),
		program("a restart", pulse.Options{}, restartsAnother),
		program("a cut", pulse.Options{}, cutsOffAnother),
		program("a loss", pulse.Options{}, losesOfAnother),
		program("a loss of what is sent in another's name", pulse.Options{}, losesForAnother),
		program("isolation", pulse.Options{Isolation: true}, changesOnTheWay),
	}
}

// skipsFirst has an actor that skips the run, and one that panics if two other actors reach it in one order. A
// first run in which the skip came first showed no race. A search once took that run for a complete one, and
// made no other.
func skipsFirst(sys *pulse.System) func() error {
	sys.Send(sys.Spawn("skipper", pulse.Func(func(*pulse.Ctx, any) { sys.Fail(skips) })), kind("skip"))
	last := sys.Spawn("last", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if msg == kind("bad") {
			panic("bad came at all")
		}
	}))
	sys.Send(sys.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(last, kind("bad")) })), kind("go"))
	return nil
}

// skipsBehindOthers skips only if one message comes before another.
func skipsBehindOthers(sys *pulse.System) func() error {
	first, got := kind(""), 0
	judge := sys.Spawn("judge", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if got++; got == 1 {
			first = msg.(kind)
		}
		if first == "a" && got == 1 {
			sys.Fail(skips)
		}
	}))
	other := sys.Spawn("other", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if msg == kind("b") {
			panic("b came to the other")
		}
	}))
	for _, k := range []kind{"a", "b"} {
		sys.Send(sys.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			ctx.Send(judge, msg)
			ctx.Send(other, msg)
		})), k)
	}
	return nil
}

// panicsTwice has two actors that panic with different texts. The first run ends with the first panic.
// A search once stopped the run with the second panic as wasted, because the first message was asleep
// in it.
func panicsTwice(sys *pulse.System) func() error {
	for _, text := range []string{"one", "other"} {
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { panic(text) })), kind("go"))
	}
	return nil
}

// panicsOrFails is like panicsTwice, but the second actor reports a failure instead of a panic.
func panicsOrFails(sys *pulse.System) func() error {
	sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { panic("one") })), kind("go"))
	sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {
		sys.Fail(&pulse.Failure{Kind: pulse.KindProperty, Text: "the other"})
	})), kind("go"))
	return nil
}

// ticksBesideTimers has a periodic timer, and another timer that is due together with the second tick. If the
// other timer was set first, the periodic timer once ticked one more time before the run was at rest. The
// number of ticks must not depend on the order in which the timers were set.
func ticksBesideTimers(sys *pulse.System) func() error {
	sys.Send(sys.Spawn("ticker", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == kind("go") {
			ctx.Every(1, kind("tick"))
		}
	})), kind("go"))
	sys.Send(sys.Spawn("waiter", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == kind("go") {
			ctx.After(1, kind("late"))
		}
	})), kind("go"))
	return nil
}

// ticksBesideSleepers is like ticksBesideTimers, with a process that sleeps instead of a timer.
func ticksBesideSleepers(sys *pulse.System) func() error {
	sys.Send(sys.Spawn("ticker", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == kind("go") {
			ctx.Every(2, kind("tick"))
		}
	})), kind("go"))
	sys.Go("sleeper", func(p *pulse.Process) { p.Sleep(4) })
	return nil
}

// two spawns two actors with the given handlers, and sends each of them one message.
func two(sys *pulse.System, one, other pulse.Func) {
	sys.Send(sys.Spawn("one", one), kind("go"))
	sys.Send(sys.Spawn("other", other), kind("go"))
}

// countsSteps has a handler that reads how many steps came before.
func countsSteps(sys *pulse.System) func() error {
	two(sys, func(*pulse.Ctx, any) {}, func(*pulse.Ctx, any) {
		if sys.Steps() == 1 {
			panic("it came first")
		}
	})
	return nil
}

// countsTimers has a handler that reads how many timers were set.
func countsTimers(sys *pulse.System) func() error {
	setsTimer(sys, nil)
	sys.Send(sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Log("timers %d", sys.Timers()) })), kind("go"))
	return nil
}

// delaysWhileTimersWait has an actor that delays another actor's message. The message is then due at a certain time,
// like a timer.
func delaysWhileTimersWait(sys *pulse.System) func() error {
	last := sys.Spawn("last", pulse.Func(func(*pulse.Ctx, any) {}))
	sender := sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(last, kind("late")) }))
	setsTimer(sys, nil)
	sys.Send(sys.Spawn("nemesis", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Nemesis().Delay(sender, last, 2) })), kind("go"))
	sys.Send(sender, kind("go"))
	return nil
}

// asksWhileTimersWait has a test that asks one actor, and then reads another actor, which sets a
// timer.
func asksWhileTimersWait(sys *pulse.System) func() error {
	fired := 0
	timed := sys.Spawn("timed", pulse.Func(func(ctx *pulse.Ctx, m any) {
		if m == kind("go") {
			ctx.After(1, kind("due"))
			return
		}
		fired++
	}))
	asked := sys.Spawn("asked", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Reply(m) }))
	sys.Send(timed, kind("go"))
	if sys.Ask(asked, kind("question")); fired > 0 {
		sys.Fail(&pulse.Failure{Kind: pulse.KindProperty, Text: "it fired before the answer"})
	}
	return nil
}

// runsTwice has a test with two Runs. A timer may fire before or after the messages sent between the Runs.
func runsTwice(sys *pulse.System) func() error {
	timed := sys.Spawn("timed", pulse.Func(func(ctx *pulse.Ctx, m any) {
		if m == kind("go") {
			ctx.After(2, kind("due"))
		}
		ctx.Log("%v at %v", m, ctx.Now())
	}))
	sys.Send(timed, kind("go"))
	sys.Send(timed, kind("go"))
	sys.RunFor(1)
	sys.Send(timed, kind("go"))
	relays(sys, "more", timed)
	return nil
}

// asksForTime has an actor that reads the clock, and an actor that sets a timer.
func asksForTime(sys *pulse.System) func() error {
	setsTimer(sys, nil)
	sys.Send(sys.Spawn("asker", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Log("it is %d", sys.Now()) })), kind("go"))
	return nil
}

// readsPlaces has two actors that each spawn a child. One of the four actors reads its own
// index.
func readsPlaces(sys *pulse.System) func() error {
	spawn := func(ctx *pulse.Ctx, msg any) { ctx.Spawn("child", pulse.Func(func(*pulse.Ctx, any) {})) }
	two(sys, spawn, func(ctx *pulse.Ctx, msg any) {
		child := ctx.Spawn("child", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Log("place %d", ctx.Self().Index()) }))
		ctx.Send(child, kind("look"))
	})
	return nil
}

// readsNames is like readsPlaces, but reads a name.
func readsNames(sys *pulse.System) func() error {
	spawn := func(ctx *pulse.Ctx, msg any) { ctx.Spawn("child", pulse.Func(func(*pulse.Ctx, any) {})) }
	two(sys, spawn, func(ctx *pulse.Ctx, msg any) {
		child := ctx.Spawn("child", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			name := ctx.Self().String()
			ctx.Log("name %s", name)
		}))
		ctx.Send(child, kind("look"))
	})
	return nil
}

// readsReceived has a handler that reads which messages the test has received.
func readsReceived(sys *pulse.System) func() error {
	test := sys.Host().Running()
	two(sys, func(ctx *pulse.Ctx, _ any) { ctx.Send(test, kind("done")) }, func(ctx *pulse.Ctx, _ any) {
		ctx.Log("received %d", len(sys.Received()))
	})
	return nil
}

// readsWarnings has a handler that reads the warnings of the run so far.
func readsWarnings(sys *pulse.System) func() error {
	gone := sys.Spawn("gone", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
	sys.Send(gone, kind("end"))
	sys.Settle()
	two(sys, func(ctx *pulse.Ctx, _ any) { ctx.Send(gone, kind("late")) }, func(ctx *pulse.Ctx, _ any) {
		ctx.Log("warnings %d", len(sys.Warnings()))
	})
	return nil
}

// stopsAnothersTimer has two actors that stop the same timer. Only the first one is told that the timer was still
// running.
func stopsAnothersTimer(sys *pulse.System) func() error {
	var timer pulse.Timer
	sys.Send(sys.Spawn("owner", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg {
		case kind("set"):
			timer = ctx.After(1, kind("due"))
		case kind("go"):
			ctx.Log("stopped %t", timer.Stop())
		}
	})), kind("set"))
	sys.Settle()
	sys.Send(sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Log("stopped %t", timer.Stop()) })), kind("go"))
	sys.Send(sys.Spawn("third", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Log("stopped %t", timer.Stop()) })), kind("go"))
	return nil
}

// sendsLater has two actors that send a third actor a message each. Both messages are due at the same time, and may
// be received in either order.
func sendsLater(sys *pulse.System) func() error {
	sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	two(sys, func(ctx *pulse.Ctx, _ any) { ctx.SendAfter(sink, 1, kind("a")) },
		func(ctx *pulse.Ctx, _ any) { ctx.SendAfter(sink, 1, kind("b")) })
	return nil
}

// overflowing has two actors that send a third actor more messages than its mailbox
// holds.
func overflowing(o pulse.Overflow) func(sys *pulse.System) func() error {
	return func(sys *pulse.System) func() error {
		sink := sys.SpawnSpec(pulse.Spec{Name: "sink", Actor: pulse.Func(func(*pulse.Ctx, any) {}), Mailbox: 1, OnFull: o})
		two(sys, func(ctx *pulse.Ctx, _ any) { ctx.Send(sink, kind("a")) },
			func(ctx *pulse.Ctx, _ any) { ctx.Send(sink, kind("b")) })
		return nil
	}
}

// overflowsItself has an actor with a mailbox for two messages. When told to, it sends itself two. These push out
// another actor's message, in a step that is not that actor's last.
func overflowsItself(sys *pulse.System) func() error {
	self := sys.SpawnSpec(pulse.Spec{Name: "self", Mailbox: 2, OnFull: pulse.OnFullDropOldest, Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == kind("go") {
			ctx.Send(ctx.Self(), kind("a"))
			ctx.Send(ctx.Self(), kind("b"))
		}
	})})
	sys.Send(self, kind("go"))
	sys.Send(sys.Spawn("other", pulse.Func(func(*pulse.Ctx, any) {})), kind("idle"))
	sys.Host().Enqueue(sys.Spawn("third", pulse.Func(func(*pulse.Ctx, any) {})), self, kind("from another"))
	return nil
}

// fullWhenKilled has an actor that fails the run when its mailbox is full. The actor is killed before or after
// that.
func fullWhenKilled(sys *pulse.System) func() error {
	busy := sys.SpawnSpec(pulse.Spec{Name: "busy", Mailbox: 1, OnFull: pulse.OnFullFail, Process: func(p *pulse.Process) {
		p.ReceiveMatch(func(any) bool { return false })
	}})
	sys.Settle()
	sys.Send(busy, kind("a"))
	relay := sys.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(busy, kind("b")) }))
	two(sys, func(ctx *pulse.Ctx, _ any) { ctx.Kill(busy) }, func(ctx *pulse.Ctx, _ any) { ctx.Send(relay, kind("go")) })
	return nil
}

// unwatches has an actor that watches another actor and later unwatches it. The other actor may end at any time.
func unwatches(sys *pulse.System) func() error {
	other := sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
	watcher := sys.Spawn("watcher", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg {
		case kind("watch"):
			ctx.Watch(other)
		case kind("unwatch"):
			ctx.Unwatch(other)
		}
	}))
	sys.Send(watcher, kind("watch"))
	sys.Settle()
	sys.Send(watcher, kind("unwatch"))
	sys.Send(other, kind("end"))
	return nil
}

// endsBeforeItsParent has a parent that panics and is restarted. The restart ends the parent's child, unless the child
// has just stopped by itself.
func endsBeforeItsParent(sys *pulse.System) func() error {
	parent := sys.SpawnSpec(pulse.Spec{Name: "parent", OnPanic: pulse.OnPanicRestart, New: func() pulse.Actor {
		return pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == kind("panic") {
				panic("it starts anew")
			}
			ctx.Send(ctx.Spawn("child", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() })), kind("end"))
		})
	}})
	sys.Send(parent, kind("go"))
	sys.Send(sys.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(parent, kind("panic")) })), kind("go"))
	return nil
}

// asksInTheMidst has a test that asks an actor, and continues when the answer comes. It then reads another actor, which
// may have made more or less progress.
func asksInTheMidst(sys *pulse.System) func() error {
	steps := 0
	other := sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, msg any) { steps++ }))
	server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Reply(kind("answer")) }))
	sys.Send(other, kind("a"))
	sys.Send(sys.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(other, msg) })), kind("b"))
	sys.Ask(server, kind("question"))
	early := steps
	sys.Send(other, kind("after "+string(rune('0'+steps))))
	return func() error {
		if early == 0 {
			return errPlain
		}
		return nil
	}
}

// An onlooker is a function used as an observer.
type onlooker func(*pulse.System, int)

func (w onlooker) Stepped(s *pulse.System, step int) { w(s, step) }

// isObserved has two orders in which every actor receives the same. An observer fails one of the
// two.
func isObserved(sys *pulse.System) func() error {
	one, other := false, false
	sys.Observe(onlooker(func(s *pulse.System, _ int) {
		if other && !one {
			s.Fail(&pulse.Failure{Kind: pulse.KindProperty, Text: "the other came first"})
		}
	}))
	two(sys, func(*pulse.Ctx, any) { one = true }, func(*pulse.Ctx, any) { other = true })
	return nil
}

// letsManyWait has two actors that send two messages each. At most three messages may be in flight at a
// time.
func letsManyWait(sys *pulse.System) func() error {
	sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	send := func(ctx *pulse.Ctx, _ any) {
		ctx.Send(sink, kind("a"))
		ctx.Send(sink, kind("b"))
	}
	two(sys, send, send)
	return nil
}

// crashesAnother has an actor that crashes another actor while a message waits for it.
// In the first run the message comes first, or is never received. So no two receipts
// race.
func crashesAnother(sys *pulse.System) func() error {
	victim := sys.Spawn("victim", pulse.Func(func(*pulse.Ctx, any) { panic("it came before the crash") }))
	sys.Send(sys.Spawn("nemesis", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Nemesis().Crash(victim) })), kind("go"))
	sys.Send(victim, kind("go"))
	return nil
}

// A ledger writes each entry to its disk. The run fails if, after a crash, the disk lacks the first of two entries, or
// has only the first.
type ledger struct{ entries int }

func (l *ledger) Receive(ctx *pulse.Ctx, msg any) {
	l.entries++
	ctx.Disk().Write(fmt.Sprint(l.entries), msg)
}

func (l *ledger) Started(ctx *pulse.Ctx, how pulse.Start) {
	first, _ := ctx.Disk().Read("1")
	second, _ := ctx.Disk().Read("2")
	if how == pulse.StartLost && second != nil != (first == kind("b")) {
		panic(fmt.Sprint("survived: ", first, " ", second))
	}
}

// keepsLedger has two actors that send entries to a ledger.
func keepsLedger(sys *pulse.System) pulse.Ref {
	r := sys.SpawnSpec(pulse.Spec{Name: "ledger", New: func() pulse.Actor { return &ledger{} }})
	for _, k := range []kind{"a", "b"} {
		sys.Send(sys.Spawn("clerk", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(r, msg) })), k)
	}
	return r
}

// losesWrites has an actor crash a ledger, which restarts with the writes that survived. No Options.Faults are
// set.
func losesWrites(sys *pulse.System) func() error {
	r := keepsLedger(sys)
	sys.Send(sys.Spawn("nemesis", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		ctx.Nemesis().Crash(r)
		ctx.Nemesis().RestartLost(r)
	})), kind("go"))
	return nil
}

// losesWritesBetween has the test crash a ledger between two calls of Run. Which writes are lost is then a decision
// outside any step.
func losesWritesBetween(sys *pulse.System) func() error {
	r := keepsLedger(sys)
	sys.Run()
	sys.Nemesis().Crash(r)
	sys.Nemesis().RestartLost(r)
	return nil
}

// restartsAnother has an actor that restarts another actor, and one that sends to it. A message sent before the restart
// is lost.
func restartsAnother(sys *pulse.System) func() error {
	victim := sys.Spawn("victim", pulse.Func(func(*pulse.Ctx, any) { panic("it came after the restart") }))
	sys.Nemesis().Crash(victim)
	two(sys, func(ctx *pulse.Ctx, _ any) { ctx.Send(victim, kind("go")) }, func(ctx *pulse.Ctx, _ any) { ctx.Nemesis().RestartKept(victim) })
	return nil
}

// cutsOffAnother has an actor that cuts a link while a message is in flight on it.
func cutsOffAnother(sys *pulse.System) func() error {
	other := sys.Spawn("other", pulse.Func(func(*pulse.Ctx, any) { panic("it came before the cut") }))
	sender := sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(other, kind("go")) }))
	sys.Send(sender, kind("go"))
	sys.Send(sys.Spawn("nemesis", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Nemesis().Cut(sender, other) })), kind("go"))
	return nil
}

// losesOfAnother has an actor that drops the next message of another actor.
func losesOfAnother(sys *pulse.System) func() error {
	other := sys.Spawn("other", pulse.Func(func(*pulse.Ctx, any) { panic("it was sent before the loss") }))
	sender := sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(other, kind("go")) }))
	sys.Send(sys.Spawn("nemesis", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Nemesis().Lose(sender, other, 1) })), kind("go"))
	sys.Send(sender, kind("go"))
	return nil
}

// losesForAnother has two actors that send in the name of a third actor. One of these messages is
// lost.
func losesForAnother(sys *pulse.System) func() error {
	sink := sys.Spawn("sink", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Log("%v", msg) }))
	third := sys.Spawn("third", pulse.Func(func(*pulse.Ctx, any) {}))
	sys.Nemesis().Lose(third, sink, 1)
	send := func(k kind) pulse.Func {
		return func(*pulse.Ctx, any) { sys.Host().Enqueue(third, sink, k) }
	}
	two(sys, send("a"), send("b"))
	return nil
}

// changesOnTheWay has an actor that changes a message after sending it. The change is visible only while the message is
// in flight.
func changesOnTheWay(sys *pulse.System) func() error {
	sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	msg := &struct{ n int }{}
	sys.Send(sink, msg)
	sys.Send(sys.Spawn("changer", pulse.Func(func(*pulse.Ctx, any) { msg.n++ })), kind("go"))
	return nil
}

// TestUnsound checks that every way to explore the programs above finds all orders and all
// failures.
func TestUnsound(t *testing.T) {
	for _, s := range append(unsound(), byHosts()...) {
		all, ok := enumerate(s.options, s.build(), 20_000)
		if !ok {
			t.Fatalf("%s: more than %d orders", s.name, all.runs)
		}
		t.Logf("%s: %d orders, %d distinct that pass, failures %v", s.name, all.runs, len(all.passing), all.failing)
		for _, o := range ways() {
			for _, workers := range []int{1, 3} {
				got := (&rig{}).exploreBuild(s.options, s.build(), o)
				if workers > 1 {
					o.SplitAll()
					got = exploreWith(o, nil, (&rig{}).worker(s.options, s.build()), (&rig{}).worker(s.options, s.build()))
				}
				if why := got.misses(all); why != "" {
					t.Errorf("%s, %v sleep %v, %d workers: %s", s.name, o.Reduction, o.Sleep, workers, why)
				}
			}
		}
	}
}

// With several workers and a rising bound, the result must have a level for each bound. It once had only the last
// level, without the failures found under smaller bounds.
func TestLevelsWithWorkers(t *testing.T) {
	for _, m := range []explore.Method{
		{Reduction: explore.Everything, DelayBound: 3}, {Reduction: explore.Everything, PreemptionBound: 2},
	} {
		build := func(sys *pulse.System) func() error {
			last := any(nil)
			sink := sys.Spawn("sink", pulse.Func(func(_ *pulse.Ctx, msg any) { last = msg }))
			for _, k := range []kind{"a", "b", "d"} {
				sys.Send(sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, msg any) {
					ctx.Send(sink, msg)
					ctx.Send(ctx.Self(), "more")
					ctx.Become(pulse.Func(func(*pulse.Ctx, any) {}))
				})), k)
			}
			return func() error {
				if last == kind("d") {
					return errPlain
				}
				return nil
			}
		}
		o := explore.Options{Method: m}
		one := exploreWith(o, nil, on(pulse.Options{}, build))
		two := exploreWith(o, nil, on(pulse.Options{}, build), on(pulse.Options{}, build))
		if len(one.Levels) < 3 || len(one.Levels) != len(two.Levels) {
			t.Fatalf("levels %+v with one worker, %+v with two", one.Levels, two.Levels)
		}
		for i := range one.Levels {
			if one.Levels[i] != two.Levels[i] {
				t.Errorf("level %d: %+v with one worker, %+v with two", i, one.Levels[i], two.Levels[i])
			}
		}
		if len(one.Failures) != 1 || len(two.Failures) != 1 {
			t.Errorf("failures %v with one worker, %v with two", one.Failures, two.Failures)
		}
	}
}

// TestDistinctIsOneNumber checks that all reductions count the same number of
// distinct orders. Without sleep sets, runs with different answers to Choose
// once counted as one order: 1 for Choose(3), not 3. With sleep sets and
// crashes, 81 runs once counted as 81 distinct orders, of which only 15
// differed.
func TestDistinctIsOneNumber(t *testing.T) {
	trial.Long(t)
	r, e := &rig{}, &enumerator{}
	defer e.close()
	choosesThrice := func(sys *pulse.System) func() error {
		sys.Send(sys.Spawn("chooser", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Choose(3) })), kind("go"))
		return nil
	}
	for _, o := range ways() {
		o.CountDistinct = true
		if got := r.exploreBuild(pulse.Options{}, choosesThrice, o); got.Distinct != 3 {
			t.Errorf("%v sleep %v: %d distinct orders of a Choose(3)", o.Reduction, o.Sleep, got.Distinct)
		}
	}
	crashesThrice := func(sys *pulse.System) func() error {
		sys.Send(sys.Spawn("crasher", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			ctx.MayCrash()
			ctx.Disk().Write("a", 1)
			ctx.MayCrash()
			ctx.Disk().Write("b", 1)
			ctx.MayCrash()
		})), kind("go"))
		return nil
	}
	for _, o := range ways() {
		// The numbers in parentheses are numbers of distinct orders. The crash comes before the step
		// (1), at its first MayCrash (1), at the second, with a write lost or not (2), at the third
		// (3), or after the step with two writes (3). Or there is no crash (1).
		o.CountDistinct = true
		if got := r.exploreBuild(pulse.Options{Faults: pulse.Faults{Crash: 1}}, crashesThrice, o); got.Distinct != 1+1+2+3+3+1 {
			t.Errorf("%v sleep %v: %d distinct orders of three MayCrash", o.Reduction, o.Sleep, got.Distinct)
		}
	}
	compared := 0
	const unstruck = spawning | becoming | fifo | unordered | processes | timeouts | timers | choosing
	for seed := range uint64(byDay(80, 800)) {
		may := unstruck
		if seed%2 == 1 {
			may |= stopping | killing | watching | earlyTimers | crashes | surviving | messageFaults
		}
		p := newProgram(seed, may)
		if _, ok := e.enumerate(p.options(), p.Build, byDay(300, 1000)); !ok {
			continue
		}
		compared++
		want := -1
		for _, o := range ways() {
			o.CountDistinct = true
			got := r.explore(p, o)
			if want < 0 {
				want = got.Distinct
			}
			if got.Distinct != want {
				t.Errorf("program %d, %v sleep %v: %d distinct orders, and %d by the first way\n%v", seed, o.Reduction, o.Sleep, got.Distinct, want, p)
				return
			}
		}
	}
	t.Logf("%d programs", compared)
}

// TestDistinctIsTrue checks Result.Distinct without Method.CountDistinct. With sleep sets, Distinct
// was once the number of runs. But several runs may have one distinct order: their faults may come
// at different points, or two conflicting steps of different actors may come in the reverse order.
func TestDistinctIsTrue(t *testing.T) {
	trial.Long(t)
	r, e := &rig{}, &enumerator{}
	defer e.close()
	given, not, fewer := 0, 0, 0
	programs := byDay(64, 320)
	for seed := range uint64(programs) {
		p := []func(uint64) *program{
			recordingProgram, livingProgram, crashingProgram,
			func(seed uint64) *program { return newProgram(seed, survivingFeatures(seed)) },
			func(seed uint64) *program { return newProgram(seed, agreementFeatures(seed)) },
			func(seed uint64) *program { return newProgram(seed, foolishFeatures(seed)) },
			func(seed uint64) *program {
				p := newProgram(seed, common|nemeses)
				p.features |= nemeses
				return p
			},
			func(seed uint64) *program {
				p := newProgram(seed, common)
				p.features |= bounding
				return p
			},
		}[seed%8](seed)
		if _, ok := e.enumerate(p.options(), p.Build, 500); !ok {
			continue
		}
		for _, o := range ways() {
			o.CountDistinct = true
			want := r.explore(p, o)
			o.CountDistinct = false
			got := r.explore(p, o)
			switch {
			case got.Distinct == want.Distinct:
				given += count(got.Sleep)
			case got.Distinct >= 0:
				t.Fatalf("program %d, %v sleep %v: %d distinct orders are said to be %d\n%v", seed, o.Reduction, o.Sleep, want.Distinct, got.Distinct, p)
			case got.Sleep:
				not++
				fewer += count(want.Distinct < want.Runs)
			}
		}
	}
	if t.Logf("given %d times, and not %d times, of which it is less than the number of runs %d times", given, not, fewer); given < programs*3/2 || fewer < programs/3 {
		t.Error("the programs are all alike")
	}
}

// TestNamesAreOnlyRead checks that two steps that read the same name or index are independent. Sleep sets once
// treated such steps as dependent. Then three messages had 36 orders instead of 6 if the actors that sent them
// had read a name.
func TestNamesAreOnlyRead(t *testing.T) {
	r := &rig{}
	for name, look := range map[string]func(pulse.Ref){
		"name": func(r pulse.Ref) { _ = r.String() }, "place": func(r pulse.Ref) { r.Index() }, "nothing": func(pulse.Ref) {},
	} {
		build := func(sys *pulse.System) func() error {
			sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
			for range 3 {
				sys.Send(sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, _ any) {
					look(ctx.Sender())
					ctx.Send(sink, kind("x"))
				})), kind("go"))
			}
			return nil
		}
		for _, o := range ways() {
			o.CountDistinct = true
			got := r.exploreBuild(pulse.Options{}, build, o)
			if got.Distinct != 6 || got.Sleep && got.Runs != 6 {
				t.Errorf("%s, %v sleep %v: %d distinct orders in %d runs, want 6", name, o.Reduction, o.Sleep, got.Distinct, got.Runs)
			}
		}
	}
}

// TestFileHasAName checks that a search continues only from a file of the same program. A search once accepted any
// file, and reported orders as run that it had not run.
func TestFileHasAName(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept")
	search := func(name string, runs int) error {
		_, err := explore.Explore(explore.Options{Name: name, File: file, Runs: runs}, on(pulse.Options{}, load.Senders(3, 1).Build))
		return err
	}
	if err := search("one", 2); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"other": "it belongs to one, and this search explores other", "": "this search explores a program without a name"} {
		if err := search(name, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q continued from the file of another: %v", name, err)
		}
	}
	if err := search("one", 2); err != nil {
		t.Error(err)
	}
	os.Remove(file)
	if err := search("", 2); err != nil {
		t.Fatal(err)
	}
	if err := search("one", 2); err == nil || !strings.Contains(err.Error(), "it belongs to a program without a name, and this search explores one") {
		t.Errorf("a file without a name: %v", err)
	}
}
