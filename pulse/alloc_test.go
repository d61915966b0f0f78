package pulse_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A frugal program allocates everything once, so that only the system can
// allocate in later runs. Its messages fit into interfaces without allocation.
type frugal struct {
	name   string
	allocs float64 // per run
	build  func(sys *pulse.System)
}

type (
	cue    struct{} // of size zero, like most messages in these tests
	answer struct{}
)

// Refs of the current run, so that functions need not capture them.
var frugalRefs [8]pulse.Ref

func isAnswer(msg any) bool {
	_, ok := msg.(answer)
	return ok
}

func frugalServer(ctx *pulse.Ctx, msg any) { ctx.Reply(answer{}) }

func frugalClient(p *pulse.Process) {
	for range 5 {
		p.Ask(frugalRefs[0], cue{})
		p.Send(frugalRefs[0], cue{})
		p.ReceiveMatch(isAnswer)
		p.Sleep(time.Millisecond)
		p.AskTimeout(frugalRefs[0], cue{}, time.Second)
		p.ReceiveTimeout(time.Millisecond)
	}
	p.Send(frugalRefs[0], cue{})
	p.Receive()
}

func frugalClock(ctx *pulse.Ctx, msg any) {
	if isAnswer(msg) {
		return
	}
	for i := range 5 {
		ctx.After(time.Duration(i), answer{})
		ctx.After(time.Hour, answer{}).Stop()
	}
	ctx.Every(time.Millisecond, answer{})
}

func frugalWatcher(ctx *pulse.Ctx, msg any) {
	if msg == (cue{}) {
		for _, r := range frugalRefs[:4] {
			ctx.Watch(r)
		}
	}
}

func frugalMortal(ctx *pulse.Ctx, msg any) { ctx.Stop() }

func frugalParent(ctx *pulse.Ctx, msg any) {
	for range 4 {
		ctx.Send(ctx.Spawn("child", frugalIdle), cue{})
	}
}

// A frugalArchive writes its messages and its start to its disk.
type frugalArchive struct{}

func (frugalArchive) Started(ctx *pulse.Ctx, _ pulse.Start) { ctx.Disk().Write("began", cue{}) }
func (frugalArchive) Receive(ctx *pulse.Ctx, msg any) {
	for range 5 {
		ctx.Disk().Write("told", msg)
		ctx.MayCrash()
	}
	ctx.Disk().Sync()
	ctx.Disk().Read("began")
}

// Functions as actors, converted to an interface only once.
var (
	frugalIdle     pulse.Actor = pulse.Func(idle)
	frugalServed   pulse.Actor = pulse.Func(frugalServer)
	frugalTimed    pulse.Actor = pulse.Func(frugalClock)
	frugalWatching pulse.Actor = pulse.Func(frugalWatcher)
	frugalDying    pulse.Actor = pulse.Func(frugalMortal)
	frugalSpawning pulse.Actor = pulse.Func(frugalParent)
	frugalStruck   pulse.Actor = pulse.Func(frugalNemesis)
)

// frugalNemesis causes every fault except a partition, which allocates memory
// for its groups.
func frugalNemesis(ctx *pulse.Ctx, _ any) {
	if ctx.Self() != frugalRefs[0] {
		return
	}
	n := ctx.Nemesis()
	n.Cut(frugalRefs[0], frugalRefs[1])
	n.Lose(frugalRefs[0], frugalRefs[2], 1)
	for i := range 3 {
		ctx.Send(frugalRefs[i], cue{})
	}
	n.Delay(frugalRefs[0], frugalRefs[2], 1)
	ctx.Send(frugalRefs[2], cue{})
	n.Crash(frugalRefs[1])
	n.RestartKept(frugalRefs[1])
	n.Heal()
	ctx.Stop()
}

var frugals = []frugal{
	{"processes", 0, func(sys *pulse.System) {
		frugalRefs[0] = sys.Spawn("server", frugalServed)
		for range 3 {
			sys.Go("client", frugalClient)
		}
	}},
	{"what is told of its start, and has a disk", 0, func(sys *pulse.System) {
		sys.Send(sys.Spawn("archive", frugalArchive{}), cue{})
	}},
	{"timers", 0, func(sys *pulse.System) { sys.Send(sys.Spawn("clock", frugalTimed), cue{}) }},
	{"children", 0, func(sys *pulse.System) { sys.Send(sys.Spawn("parent", frugalSpawning), cue{}) }},
	{"a nemesis", 0, func(sys *pulse.System) {
		for i := range 3 {
			frugalRefs[i] = sys.Spawn("mortal", frugalStruck)
		}
		sys.Send(frugalRefs[0], cue{})
	}},
	// Each watcher of each ended actor needs one allocation, for a Down
	// with its Ref and reason.
	{"four that are watched", 4, func(sys *pulse.System) {
		for i := range 4 {
			frugalRefs[i] = sys.Spawn("mortal", frugalDying)
		}
		sys.Send(sys.Spawn("watcher", frugalWatching), cue{})
		for i := range 4 {
			sys.Send(frugalRefs[i], cue{})
		}
	}},
}

// allocating is a program of type frugal that does allocate. Tests must report
// it.
var allocating = frugal{"boxed", 0, func(sys *pulse.System) {
	a := sys.Spawn("a", frugalIdle)
	for range 3 {
		sys.Send(a, [2]int{sys.Steps(), 1000})
	}
}}

// eachWay calls f for all options that must not allocate.
func eachWay(f func(name string, o pulse.Options)) {
	for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		for _, record := range []bool{false, true} {
			name := d.String()
			if record {
				name += ", recorded"
			}
			f(name, pulse.Options{Delivery: d, Record: record, Strategy: strategy.Random()})
		}
	}
}

func (p *frugal) allocations(t *testing.T, o pulse.Options) float64 {
	sys := newSystem(t, o)
	seed := uint64(0)
	run := func() {
		seed++
		sys.Reset(seed % 8)
		p.build(sys)
		mustRun(t, sys)
	}
	for range 16 {
		run()
	}
	return testing.AllocsPerRun(40, run)
}

// TestRunsAllocateNothing checks that Reset, spawning, sending and running
// allocate nothing once the system has seen runs as large.
func TestRunsAllocateNothing(t *testing.T) {
	eachWay(func(name string, o pulse.Options) {
		for _, l := range load.All() {
			run := runner(t, o, l)
			for range 8 {
				run()
			}
			if n := testing.AllocsPerRun(10, run); n != 0 {
				t.Errorf("%s, %s: %v allocations a run", l.Name, name, n)
			}
		}
		for _, p := range frugals {
			if n := p.allocations(t, o); n != p.allocs {
				t.Errorf("%s, %s: %v allocations a run, want %v", p.name, name, n, p.allocs)
			}
		}
		if n := allocating.allocations(t, o); n != 3 {
			t.Errorf("%s: %v allocations of a program that makes three", name, n)
		}
	})
}

// TestRunsOfAllSizesAllocateNothing checks that after its largest run a system
// allocates nothing in smaller runs, and nothing in the largest when repeated.
func TestRunsOfAllSizesAllocateNothing(t *testing.T) {
	sizes := []int{3000, 1, 30, 3000, 300, 2, 1000}
	eachWay(func(name string, o pulse.Options) {
		o.Steps = 1 << 30
		sys := newSystem(t, o)
		all := func() {
			for i, n := range sizes {
				sys.Reset(uint64(i))
				for j := range n {
					frugalRefs[j%8] = sys.Spawn("idle", frugalIdle)
					sys.Send(frugalRefs[j%8], cue{})
					sys.Send(frugalRefs[0], cue{})
				}
				mustRun(t, sys)
				if sys.Steps() != 2*n {
					t.Fatalf("%d steps for %d messages", sys.Steps(), 2*n)
				}
			}
		}
		all()
		if n := testing.AllocsPerRun(2, all); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	})
}

// passing has ten actors send messages to themselves until the run has
// taken the given number of steps.
func passing(sys *pulse.System, steps int) {
	left := steps - 10
	for range 10 {
		frugalRefs[0] = sys.Spawn("passer", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if left--; left >= 0 {
				ctx.Send(ctx.Self(), msg)
			}
		}))
		sys.Send(frugalRefs[0], cue{})
	}
}

// allocated returns how many bytes f allocates, including freed ones.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLongRunsKeepNoMemory checks that a million unrecorded steps need no
// more memory than ten thousand.
func TestLongRunsKeepNoMemory(t *testing.T) {
	for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		sys := newSystem(t, pulse.Options{Delivery: d, Steps: 2_000_000, Strategy: strategy.Random()})
		run := func(steps int) func() {
			return func() {
				sys.Reset(1)
				passing(sys, steps)
				mustRun(t, sys)
				if sys.Steps() != steps {
					t.Fatalf("%d steps", sys.Steps())
				}
			}
		}
		run(10_000)()
		if n := allocated(run(1_000_000)); n > 10_000 {
			t.Errorf("%v: %d bytes for a million steps", d, n)
		}
	}
}

// TestRecordedMemory checks the cost of a recorded step: 64 bytes for the
// message and 32 for the step, in slices with spare capacity; less with 32-bit
// words.
func TestRecordedMemory(t *testing.T) {
	const steps = 1_000_000
	sys := newSystem(t, pulse.Options{Record: true, Steps: steps + 1, Strategy: strategy.Random()})
	passing(sys, steps)
	before := heap()
	mustRun(t, sys)
	each := float64(heap()-before) / steps
	t.Logf("%.0f bytes a step", each)
	if each < float64(min(90, 2.5*strconv.IntSize)) || each > 160 {
		t.Errorf("%.0f bytes a step", each)
	}
	sys.Reset(1)
	if n := allocated(func() { passing(sys, steps); mustRun(t, sys) }); n > 10_000 {
		t.Errorf("the same run again allocates %d bytes", n)
	}
}
