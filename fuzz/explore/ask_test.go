package explore_test

import (
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
)

// asksAboutACrash has two senders that race to a worker. The worker may crash. At rest, the test asks a monitor whether
// the worker is alive, and the worker may still crash then.
func asksAboutACrash(sys *pulse.System) func() error {
	received, ends := 0, 0
	worker := sys.Spawn("worker", pulse.Func(func(*pulse.Ctx, any) { received++ }))
	monitor := sys.SpawnSpec(pulse.Spec{Name: "monitor", Safe: true, New: func() pulse.Actor {
		return pulse.Func(func(ctx *pulse.Ctx, m any) {
			switch m.(type) {
			case kind:
				if m == kind("watch") {
					ctx.Watch(worker)
					return
				}
				ctx.Reply(ends)
			case pulse.Down:
				ends++
			}
		})
	}})
	sys.Send(monitor, kind("watch"))
	for range 2 {
		relays(sys, "go", worker)
	}
	sys.Run()
	return sees("received %d, the monitor says %v", &received, sys.Ask(monitor, kind("how many ends")))
}

// asksWhoMayCrash has the test ask an actor that may crash before it answers.
func asksWhoMayCrash(sys *pulse.System) func() error {
	echo := sys.Spawn("echo", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Reply(m) }))
	return sees("answer %v", sys.Ask(echo, kind("question")))
}

// asksBesideATimer has the test ask an actor twice. The first question sets a timer, which may fire before or after the
// second.
func asksBesideATimer(sys *pulse.System) func() error {
	fired := 0
	b := sys.Spawn("b", pulse.Func(func(ctx *pulse.Ctx, m any) {
		switch m {
		case kind("set"):
			ctx.After(1, kind("due"))
		case kind("due"):
			fired++
			return
		}
		ctx.Reply(fired)
	}))
	sys.Ask(b, kind("set"))
	return sees("answer %v, fired %d", sys.Ask(b, kind("q")), &fired)
}

// asksBesideANote has an actor that sends the test a note. The note may come before or after the answer of another
// actor.
func asksBesideANote(sys *pulse.System) func() error {
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Reply(m) }))
	b := sys.Spawn("b", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(ctx.Sender().Actor(), kind("note")) }))
	sys.Send(b, kind("go"))
	sys.Ask(a, kind("q"))
	return sees("received %v", sys.Received())
}

// asksWhoNotes has an actor that first sends a message to the test and then answers.
func asksWhoNotes(sys *pulse.System) func() error {
	var asker pulse.Ref
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, m any) {
		if m == kind("q") {
			asker = ctx.Sender()
			ctx.Send(asker.Actor(), kind("note"))
			ctx.Send(ctx.Self(), kind("work"))
			return
		}
		ctx.Send(asker, kind("answer"))
	}))
	sys.Ask(a, kind("q"))
	return sees("received %v", sys.Received())
}

// asksBesideWork has the test ask one actor while another actor works, and then read how much work is
// done.
func asksBesideWork(sys *pulse.System) func() error {
	done := 0
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Reply(m) }))
	b := sys.Spawn("b", pulse.Func(func(*pulse.Ctx, any) { done++ }))
	sys.Send(b, kind("work"))
	sys.Send(b, kind("work"))
	sys.Ask(a, kind("q"))
	return sees("done %d", &done)
}

// twoAnswers has the test ask an actor whose answer is sent twice, and then another actor. The second Ask must ignore
// the extra answer to the first.
func twoAnswers(sys *pulse.System) func() error {
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, m any) {
		ctx.Reply(kind("first"))
		ctx.Reply(kind("second"))
	}))
	b := sys.Spawn("b", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Reply(m) }))
	relays(sys, "note", sys.Host().Running())
	sys.Ask(a, kind("q"))
	first := len(sys.Received())
	sys.Ask(b, kind("q"))
	return sees("received %d, then %v", first, sys.Received())
}

// sees returns a check that always fails. Its text has what the test has observed; for a pointer to an int, the value
// at the time of the call.
func sees(format string, list ...any) func() error {
	for i, x := range list {
		if n, is := x.(*int); is {
			list[i] = *n
		}
	}
	err := fmt.Errorf(format, list...)
	return func() error { return err }
}

// TestAskLosesNothing checks that all ways to explore find everything that a test can observe when
// System.Ask returns, whatever could come before the answer. It also checks the number of runs of a
// search with the default options.
func TestAskLosesNothing(t *testing.T) {
	unordered := pulse.Options{Delivery: pulse.DeliveryUnordered}
	for _, c := range []struct {
		name         string
		options      pulse.Options
		build        func(*pulse.System) func() error
		seen         int // the number of different observations of the test
		reduction    explore.Reduction
		runs, wasted int
	}{
		{"a crash after Run", crash(1), asksAboutACrash, 5, explore.SourceSets, 28, 6},
		{"a crash before the answer", crash(1), asksWhoMayCrash, 2, explore.SourceSets, 3, 0},
		{"two crashes", crash(2), asksWhoMayCrash, 2, explore.SourceSets, 3, 0},
		{"an early timer", early(1), asksBesideATimer, 3, explore.SourceSets, 8, 0},
		{"early timers", early(-1), asksBesideATimer, 3, explore.SourceSets, 8, 0},
		{"no early timer", pulse.Options{}, asksBesideATimer, 1, explore.Optimal, 1, 0},
		{"a note", pulse.Options{}, asksBesideANote, 2, explore.SourceSets, 3, 0},
		{"a note, unordered", unordered, asksBesideANote, 2, explore.SourceSets, 3, 0},
		{"a note of who answers", pulse.Options{}, asksWhoNotes, 1, explore.Optimal, 1, 0},
		{"a note of who answers, unordered", unordered, asksWhoNotes, 2, explore.Optimal, 2, 0},
		{"work", pulse.Options{}, asksBesideWork, 3, explore.SourceSets, 3, 0},
		{"two answers", pulse.Options{}, twoAnswers, 3, explore.SourceSets, 6, 0},
		{"two answers, unordered", unordered, twoAnswers, 3, explore.SourceSets, 6, 0},
	} {
		e, r := &enumerator{drives: true}, &rig{drives: true}
		all, ok := e.enumerate(c.options, c.build, 1000)
		if !ok || len(all.failing) != c.seen {
			t.Errorf("%s: %d orders show %v; want %d", c.name, all.runs, all.failing, c.seen)
		}
		if got := r.exploreBuild(c.options, c.build, explore.Options{}); got.Reduction != c.reduction || got.Runs != c.runs || got.Wasted != c.wasted {
			t.Errorf("%s: %v, %d runs and %d wasted; want %v, %d and %d", c.name, got.Reduction, got.Runs, got.Wasted, c.reduction, c.runs, c.wasted)
		}
		for _, build := range []func(*pulse.System) func() error{c.build, passing(c.build)} {
			all, _ := e.enumerate(c.options, build, 1000)
			for _, o := range ways() {
				if why := r.exploreBuild(c.options, build, o).misses(all); why != "" {
					t.Errorf("%s, %v sleep %v: %s", c.name, o.Reduction, o.Sleep, why)
				}
				other := &rig{drives: true}
				o.SplitAll()
				if why := exploreWith(o, nil, r.worker(c.options, build), other.worker(c.options, build)).misses(all); why != "" {
					t.Errorf("%s, %v sleep %v, two workers: %s", c.name, o.Reduction, o.Sleep, why)
				}
				other.close()
			}
		}
		e.close()
		r.close()
	}
}

// passing returns the same program without its check.
func passing(build func(*pulse.System) func() error) func(*pulse.System) func() error {
	return func(sys *pulse.System) func() error {
		build(sys)
		return nil
	}
}
