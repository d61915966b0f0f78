package explore_test

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
)

// answering has n workers and one master. Each worker answers the master when it is told to go. The function more adds
// actors.
func answering(n int, more func(sys *pulse.System, workers []pulse.Ref)) func(*pulse.System) func() error {
	return func(sys *pulse.System) func() error {
		master := sys.Spawn("master", pulse.Func(func(*pulse.Ctx, any) {}))
		var workers []pulse.Ref
		for range n {
			workers = append(workers, sys.Spawn("worker", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(master, kind("answer")) })))
		}
		for _, w := range workers {
			sys.Send(w, kind("go"))
		}
		if more != nil {
			more(sys, workers)
		}
		return nil
	}
}

// ends adds an actor that ends at its only message, and another actor that does something with
// it.
func ends(does func(ctx *pulse.Ctx, sys *pulse.System, ending pulse.Ref)) func(*pulse.System, []pulse.Ref) {
	return func(sys *pulse.System, _ []pulse.Ref) {
		ending := sys.Spawn("ending", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
		other := sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, m any) {
			if m == kind("go") {
				does(ctx, sys, ending)
			}
		}))
		sys.Send(ending, kind("end"))
		sys.Send(other, kind("go"))
	}
}

func watches(ctx *pulse.Ctx, _ *pulse.System, ending pulse.Ref) { ctx.Watch(ending) }

func asksForLife(ctx *pulse.Ctx, sys *pulse.System, ending pulse.Ref) {
	ctx.Log("alive %t", sys.Alive(ending))
}

// setsTimer adds an actor that sets a timer for itself.
func setsTimer(sys *pulse.System, _ []pulse.Ref) {
	sys.Send(sys.Spawn("timed", pulse.Func(func(ctx *pulse.Ctx, m any) {
		if m == kind("go") {
			ctx.After(1, kind("due"))
		}
	})), kind("go"))
}

// setsTimers adds n actors. Each sets a timer for itself at its first step.
func setsTimers(n int) func(*pulse.System, []pulse.Ref) {
	return func(sys *pulse.System, workers []pulse.Ref) {
		for range n {
			setsTimer(sys, workers)
		}
	}
}

// answered adds an actor that sets a timer for itself, and another actor that sends it a message.
func answered(sys *pulse.System, _ []pulse.Ref) {
	setsTimer(sys, nil)
	timed := sys.Spawn("timed", pulse.Func(func(ctx *pulse.Ctx, m any) {
		if m == kind("go") {
			ctx.After(1, kind("due"))
		}
	}))
	sys.Send(timed, kind("go"))
	relays(sys, "answer", timed)
}

// readsTime adds an actor that reads the time, next to one that sets a timer.
func readsTime(sys *pulse.System, _ []pulse.Ref) {
	setsTimer(sys, nil)
	sys.Send(sys.Spawn("reader", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Log("it is %d", ctx.Now()) })), kind("go"))
}

// asksInVain adds n processes that each ask a server and wait for the answer for a limited time.
func asksInVain(n int) func(*pulse.System, []pulse.Ref) {
	return func(sys *pulse.System, _ []pulse.Ref) {
		server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Reply(m) }))
		for range n {
			sys.Go("client", func(p *pulse.Process) { p.AskTimeout(server, kind("question"), 1) })
		}
	}
}

// stopsTimer adds an actor that sets a timer for itself, and stops it at a later message.
func stopsTimer(sys *pulse.System, _ []pulse.Ref) {
	var timer pulse.Timer
	timed := sys.Spawn("timed", pulse.Func(func(ctx *pulse.Ctx, m any) {
		switch m {
		case kind("go"):
			timer = ctx.After(1, kind("due"))
		case kind("stop"):
			timer.Stop()
		}
	}))
	sys.Send(timed, kind("go"))
	relays(sys, "stop", timed)
}

// early lets n timers fire early, any number if n is -1.
func early(n int) pulse.Options { return pulse.Options{EarlyTimers: n} }

// crash lets n actors crash.
func crash(n int) pulse.Options { return pulse.Options{Faults: pulse.Faults{Crash: n}} }

var partition = pulse.Options{Faults: pulse.Faults{Partition: 1}}

// TestDependencies checks the numbers of runs and wasted runs for programs whose steps conflict by more than
// messages.
func TestDependencies(t *testing.T) {
	for _, c := range []struct {
		name         string
		options      pulse.Options
		workers      int
		more         func(*pulse.System, []pulse.Ref)
		all          int // distinct orders, counted by the enumerator; 0 if there are too many orders for it
		reduction    explore.Reduction
		runs, wasted int
	}{
		{"nothing more", pulse.Options{}, 3, nil, 6, explore.Optimal, 6, 0},
		{"nothing more, six workers", pulse.Options{}, 6, nil, 0, explore.Optimal, 720, 0},
		{"a watch", pulse.Options{}, 3, ends(watches), 12, explore.SourceSets, 12, 0},
		{"a watch, six workers", pulse.Options{}, 6, ends(watches), 0, explore.SourceSets, 1440, 0},
		{"Alive", pulse.Options{}, 3, ends(asksForLife), 12, explore.SourceSets, 12, 0},
		{"Alive, six workers", pulse.Options{}, 6, ends(asksForLife), 0, explore.SourceSets, 1440, 0},
		{"early timers, no timer", pulse.Options{EarlyTimers: 1}, 3, nil, 6, explore.Optimal, 6, 0},
		{"early timers, no timer, six workers", pulse.Options{EarlyTimers: 1}, 6, nil, 0, explore.Optimal, 720, 0},
		{"early timers and a timer", early(1), 3, setsTimer, 6, explore.SourceSets, 6, 0},
		{"early timers and a timer, six workers", early(1), 6, setsTimer, 0, explore.SourceSets, 720, 0},
		{"early timers and two timers", early(1), 2, setsTimers(2), 2, explore.SourceSets, 6, 0},
		{"early timers and two timers, at any time", early(-1), 2, setsTimers(2), 2, explore.SourceSets, 6, 0},
		{"early timers and six timers", early(1), 2, setsTimers(6), 0, explore.SourceSets, 126, 0},
		{"an early timer and an answer", early(1), 0, answered, 3, explore.SourceSets, 9, 0},
		{"an early timer and an answer, five workers", early(1), 5, answered, 0, explore.SourceSets, 1080, 0},
		{"early timers and Now", early(1), 2, readsTime, 4, explore.SourceSets, 4, 0},
		{"early timers and Stop", early(1), 1, stopsTimer, 4, explore.SourceSets, 4, 0},
		{"early timers and an Ask", early(1), 2, asksInVain(1), 4, explore.SourceSets, 6, 0},
		{"early timers and two Asks", early(1), 0, asksInVain(2), 8, explore.SourceSets, 28, 2},
		{"early timers and three Asks", early(1), 0, asksInVain(3), 0, explore.SourceSets, 346, 9},
		{"a crash", crash(1), 3, nil, 46, explore.SourceSets, 46, 0},
		{"a crash, four workers", crash(1), 4, nil, 0, explore.SourceSets, 209, 0},
		{"a crash, six workers", crash(1), 6, nil, 0, explore.SourceSets, 7717, 0},
		{"two crashes", crash(2), 3, nil, 142, explore.SourceSets, 142, 0},
		{"a crash and a timer", crash(1), 3, setsTimer, 94, explore.SourceSets, 94, 0},
		{"a crash and Alive", crash(1), 2, ends(asksForLife), 36, explore.SourceSets, 36, 2},
		{"a crash and a watch", crash(1), 2, ends(watches), 38, explore.SourceSets, 42, 12},
		{"a partition", partition, 3, nil, 6, explore.Optimal, 6, 0},
		{"a partition, four workers", partition, 4, nil, 0, explore.Optimal, 24, 0},
		{"a partition and a timer", partition, 2, setsTimer, 6, explore.SourceSets, 1153, 311},
		{"a partition and a crash", pulse.Options{Faults: pulse.Faults{Partition: 1, Crash: 1}}, 2, nil, 13, explore.SourceSets, 13, 0},
	} {
		build := answering(c.workers, c.more)
		f := (&subject{c.name, c.options, func() func(*pulse.System) func() error { return build }}).explore(explore.Options{})
		if f.Reduction != c.reduction || !f.Complete || f.Runs != c.runs || f.Wasted != c.wasted {
			t.Errorf("%s: %v, %d runs and %d wasted; want %v, %d and %d", c.name, f.Reduction, f.Runs, f.Wasted, c.reduction, c.runs, c.wasted)
		}
		if c.all == 0 {
			continue
		}
		all, ok := enumerate(c.options, build, 30_000)
		if !ok || all.distinct() != c.all || len(f.orders) != c.all {
			t.Errorf("%s: %d distinct orders of %d; want %d", c.name, len(f.orders), all.distinct(), c.all)
		}
		if c.options.EarlyTimers != 0 && f.Distinct != c.all {
			t.Errorf("%s: %d distinct orders, it says; want %d", c.name, f.Distinct, c.all)
		}
	}
}
