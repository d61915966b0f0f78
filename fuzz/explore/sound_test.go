package explore_test

import (
	"errors"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
)

// skips is the failure by which a handler of these tests skips its run: the
// rig and the enumerator take such a run for one that neither passed nor failed.
var skips = &pulse.Failure{Kind: pulse.KindMisuse, Text: "skipped"}

var errPlain = errors.New("the plain order")

// Each program below was called complete by some reduction that had missed an
// order or a failure.
func unsound() []subject {
	program := func(name string, o pulse.Options, build func(*pulse.System) func() error) subject {
		return subject{name, o, func() func(*pulse.System) func() error { return build }}
	}
	return []subject{
		program("a skip in a handler", pulse.Options{}, skipsFirst),
		program("two panics", pulse.Options{}, panicsTwice),
		program("a panic and a failure", pulse.Options{}, panicsOrFails),
		program("a skip behind others", pulse.Options{}, skipsBehindOthers),
	}
}

// skipsFirst has an actor that skips the run, beside one that panics if two
// others reach it in one order. The skip came first in the first run, which was
// taken for a run like any other: nothing raced in it, so it was the only one.
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

// panicsTwice has two actors that panic, each with another text. The first run
// ends with the first panic; the run with the second was given up as wasted,
// because the first message slept in it.
func panicsTwice(sys *pulse.System) func() error {
	for _, text := range []string{"one", "other"} {
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { panic(text) })), kind("go"))
	}
	return nil
}

// panicsOrFails is the same with a failure that somebody reports.
func panicsOrFails(sys *pulse.System) func() error {
	sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { panic("one") })), kind("go"))
	sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {
		sys.Fail(&pulse.Failure{Kind: pulse.KindProperty, Text: "the other"})
	})), kind("go"))
	return nil
}

// TestUnsound holds that every way to explore the programs above comes to all
// orders and all failures.
func TestUnsound(t *testing.T) {
	for _, s := range unsound() {
		all, ok := enumerate(s.options, s.build(), 20_000)
		if !ok {
			t.Fatalf("%s: more than %d orders", s.name, all.runs)
		}
		t.Logf("%s: %d orders, %d distinct that pass, failures %v", s.name, all.runs, len(all.passing), all.failing)
		for _, o := range ways() {
			for _, workers := range []int{1, 3} {
				got := (&rig{}).exploreBuild(s.options, s.build(), o)
				if workers > 1 {
					got = exploreWith(o, nil, (&rig{}).worker(s.options, s.build()), (&rig{}).worker(s.options, s.build()))
				}
				if why := got.misses(all); why != "" {
					t.Errorf("%s, %v sleep %v, %d workers: %s", s.name, o.Reduction, o.Sleep, workers, why)
				}
			}
		}
	}
}

// With several workers and a bound that is raised, the result had only the last
// level: what failed with a smaller bound was lost.
func TestLevelsWithWorkers(t *testing.T) {
	for _, m := range []explore.Method{
		{Reduction: explore.Everything, DelayBound: 3}, {Reduction: explore.Everything, PreemptionBound: 2},
	} {
		build := func(sys *pulse.System) func() error {
			last := any(nil)
			sink := sys.Spawn("sink", pulse.Func(func(_ *pulse.Ctx, msg any) { last = msg }))
			for _, k := range []kind{"a", "b", "c", "d"} {
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
