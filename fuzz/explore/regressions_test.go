package explore_test

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

// A kind is a message of the programs below.
type kind string

// regressions are the smallest programs that showed a mistake while the search
// was made. Random ones found them all; TestAgreement would find most again,
// but not say what is wrong.
func regressions() []subject {
	program := func(name string, o pulse.Options, build func(*pulse.System) func() error) subject {
		return subject{name, o, func() func(*pulse.System) func() error { return build }}
	}
	return []subject{
		program("watch", pulse.Options{}, watchesTheEnding),
		program("kill", pulse.Options{}, killsWhoWaits),
		program("alone", pulse.Options{}, goesOnAlone),
		program("covered", pulse.Options{}, watchesAnAsker),
		program("led to", pulse.Options{}, sendsWhatLeadsBack),
		program("orphan", pulse.Options{Delivery: pulse.DeliveryUnordered, Faults: pulse.Faults{Partition: 1}}, stopsBeforeTheLast),
	}
}

// watchesTheEnding has an actor watch another, which ends at its only message.
// If the watch comes first, the end is told by the one that ends; else by the
// one that watches, and with another reason. So the two steps cannot be
// swapped, although no message leads from one to the other and they are of two
// actors: sleep sets that knew of messages only let the second order sleep.
func watchesTheEnding(sys *pulse.System) func() error {
	ending := sys.Spawn("ending", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
	watcher := sys.Spawn("watcher", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == kind("watch") {
			ctx.Watch(ending)
		}
	}))
	sys.Send(watcher, kind("watch"))
	sys.Send(ending, kind("end"))
	return nil
}

// killsWhoWaits has a process wait for an answer when it is killed. The answer
// could have come first: a Kill says nothing of what was waited for. The search
// took the number of the question from the message that was received, which for
// a Kill is none, and so found no race.
func killsWhoWaits(sys *pulse.System) func() error {
	answerer := sys.Spawn("answerer", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Reply(kind("answer")) }))
	asker := sys.Go("asker", func(p *pulse.Process) {
		p.Ask(answerer, kind("question"))
		p.Receive() // what ends it is the Kill
	})
	killer := sys.Spawn("killer", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Kill(asker) }))
	sys.Send(killer, kind("kill"))
	return nil
}

// goesOnAlone has two actors. The first gets two messages, and at the first of
// them sends b and c to the second. The second sends itself d at b; if d comes
// before c, c leads to a message to the first.
//
// A run was given up because all that was left slept. It had taken a sleeper
// before, which was the only message there was, and nobody is asked about that.
// The receipt of that sleeper counted as a way to a race, but the way was not
// gone: Source took nothing up there and lost an order.
func goesOnAlone(sys *pulse.System) func() error {
	var first pulse.Ref
	early := false
	second := sys.Spawn("second", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg {
		case kind("b"):
			ctx.Send(ctx.Self(), kind("d"))
		case kind("d"):
			early = true
		case kind("c"):
			if early {
				ctx.Send(first, kind("e"))
			}
		}
	}))
	first = sys.Spawn("first", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == kind("a") {
			ctx.Send(second, kind("b"))
			ctx.Send(second, kind("c"))
		}
	}))
	sys.Send(first, kind("a"))
	sys.Send(first, kind("z"))
	return nil
}

// watchesAnAsker has a process that asks an actor, and an actor that watches
// that process at its first message and then sends the first actor one.
//
// A sleeping message that leads to a race says that what follows was run from
// another branch only if it could come first there. GoodSiblings took any, and
// did not take up what they had to. Now a program like this, whose steps have to
// do with each other by more than messages, is searched with sleep sets alone;
// sendsWhatLeadsBack shows the mistake without.
func watchesAnAsker(sys *pulse.System) func() error {
	answerer := sys.Spawn("answerer", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == kind("question") {
			ctx.Reply(kind("answer"))
		}
	}))
	asker := sys.Go("asker", func(p *pulse.Process) { p.Ask(answerer, kind("question")) })
	watched := false
	watcher := sys.Spawn("watcher", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		if watched {
			return
		}
		watched = true
		ctx.Watch(asker)
		ctx.Send(answerer, kind("news"))
	}))
	sys.Send(watcher, kind("watch"))
	sys.Send(answerer, kind("first"))
	return nil
}

// sendsWhatLeadsBack has a process that sends an actor a message, and waits for
// two: one from the test, and one that leads back from another message of the
// test to the actor. It shows of Persistent, with the ordering LDM, what the
// program before shows of GoodSiblings.
func sendsWhatLeadsBack(sys *pulse.System) func() error {
	var process pulse.Ref
	actor := sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == kind("first") {
			ctx.Send(process, kind("back"))
		}
	}))
	process = sys.Go("process", func(p *pulse.Process) {
		p.Send(actor, kind("second"))
		p.Receive()
		p.Receive()
	})
	sys.Send(process, kind("note"))
	sys.Send(actor, kind("first"))
	return nil
}

// stopsBeforeTheLast has an actor that sends itself two messages of one kind
// and one of another, and stops at one of the first kind if it comes after the
// other. So in some runs a message is never received: it could have been
// received earlier, and has to be looked at. Whether there are any was told by
// there being more sends than steps. With a partition and its end, which are
// steps without a send, there are not.
func stopsBeforeTheLast(sys *pulse.System) func() error {
	seen := false
	sys.Send(sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg {
		case kind("start"):
			for _, k := range []kind{"a", "a", "b"} {
				ctx.Send(ctx.Self(), k)
			}
		case kind("b"):
			seen = true
		case kind("a"):
			if seen {
				ctx.Stop()
			}
		}
	})), kind("start"))
	return nil
}

// TestRegressions holds that every way to explore finds all distinct orders of
// the programs above.
func TestRegressions(t *testing.T) {
	for _, s := range regressions() {
		all, ok := enumerate(s.options, s.build(), 20_000)
		if !ok || all.torn > 0 {
			t.Fatalf("%s: %d orders, %d classes torn", s.name, all.runs, all.torn)
		}
		want := map[uint64]int{}
		for key, c := range all.classes {
			want[key] = c.runs
		}
		t.Logf("%s: %d orders, %d distinct, %d of runs that pass", s.name, all.runs, all.distinct(), len(all.passing))
		for _, o := range countings(0) {
			f := s.count(o)
			if !f.Complete || !sameKeys(f.orders, want) {
				t.Errorf("%s, %v sleep %v ordering %v with %d workers: %d of %d distinct orders %s%s", s.name, o.Reduction, o.Sleep,
					o.Ordering, o.workers, len(f.orders), len(want), f.Bound, f.Nondeterminism)
			}
		}
	}
}
