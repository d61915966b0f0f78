package pulse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// growths are programs with n things of one kind, such as actors, timers or
// waiting messages.
var growths = []struct {
	what  string
	o     pulse.Options
	build func(sys *pulse.System, n int)
}{
	{"actors", pulse.Options{}, func(sys *pulse.System, n int) {
		for range n {
			sys.Send(sys.Spawn("a", frugalIdle), cue{})
		}
	}},
	{"waiting", pulse.Options{}, waiting},
	{"waiting-recorded", pulse.Options{Record: true}, waiting},
	{"waiting-plain", pulse.Options{Strategy: strategy.Plain()}, waiting},
	{"steps", pulse.Options{}, passing},
	{"steps-recorded", pulse.Options{Record: true}, passing},
	{"processes-ask", pulse.Options{}, askAll},
	{"processes-ask-unordered", pulse.Options{Delivery: pulse.DeliveryUnordered}, askAll},
	{"processes-ask-timeout", pulse.Options{}, func(sys *pulse.System, n int) {
		server := sys.Spawn("server", frugalServed)
		for range n {
			sys.Go("p", func(p *pulse.Process) {
				p.AskTimeout(server, cue{}, time.Second)
				p.AskTimeout(server, cue{}, time.Second)
			})
		}
	}},
	{"processes-sleep", pulse.Options{}, func(sys *pulse.System, n int) {
		for i := range n {
			sys.Go("p", func(p *pulse.Process) {
				p.Sleep(time.Duration(i % 7))
				p.Sleep(time.Duration(i % 5))
			})
		}
	}},
	{"senders-matched", pulse.Options{}, func(sys *pulse.System, n int) {
		p := sys.Go("p", func(p *pulse.Process) {
			for range n {
				p.ReceiveMatch(isAnswer)
			}
		})
		sender := pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(p, answer{}) })
		for range n {
			sys.Send(sys.Spawn("sender", sender), cue{})
		}
	}},
	{"timers", pulse.Options{}, func(sys *pulse.System, n int) {
		sys.Send(sys.Spawn("clock", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg != (cue{}) {
				return
			}
			for i := range n {
				ctx.After(time.Duration(i%13), answer{})
			}
		})), cue{})
	}},
	{"timers-stopped", pulse.Options{}, func(sys *pulse.System, n int) {
		sys.Send(sys.Spawn("clock", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			list := make([]pulse.Timer, n)
			for i := range list {
				list[i] = ctx.After(time.Duration(i*7919%n), answer{})
			}
			for i := range list {
				list[i*7%n].Stop()
			}
		})), cue{})
	}},
	{"timers-of-the-stopped", pulse.Options{}, func(sys *pulse.System, n int) {
		for range n {
			sys.Send(sys.Spawn("mortal", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				ctx.After(time.Second, answer{})
				ctx.Stop()
			})), cue{})
		}
	}},
	{"watchers", pulse.Options{}, func(sys *pulse.System, n int) {
		mortal := sys.Spawn("mortal", frugalDying)
		watcher := pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == (cue{}) {
				ctx.Watch(mortal)
			}
		})
		for range n {
			sys.Send(sys.Spawn("watcher", watcher), cue{})
		}
		sys.Send(mortal, cue{})
	}},
	{"payload-isolated", pulse.Options{Isolation: true}, isolated},
}

// isolated lets actors forward messages of n words, 200 times in total.
func isolated(sys *pulse.System, n int) {
	left := 200
	for range 10 {
		r := sys.Spawn("passer", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if left--; left >= 0 {
				ctx.Send(ctx.Self(), msg)
			}
		}))
		sys.Send(r, make([]int, n))
	}
}

func waiting(sys *pulse.System, n int) {
	var refs [10]pulse.Ref
	for i := range refs {
		refs[i] = sys.Spawn("a", frugalIdle)
	}
	for i := range n {
		sys.Send(refs[i%10], cue{})
	}
}

func askAll(sys *pulse.System, n int) {
	server := sys.Spawn("server", frugalServed)
	body := func(p *pulse.Process) {
		p.Ask(server, cue{})
		p.Ask(server, cue{})
	}
	for range n {
		sys.Go("p", body)
	}
}

// BenchmarkGrowthOfMemory is the reference for the exponents of
// BenchmarkGrowth. It measures writing into each of n objects of an actor's
// size, four times in random order. Its exponent also exceeds 1 where the
// processor's caches end.
func BenchmarkGrowthOfMemory(b *testing.B) {
	for b.Loop() {
		growthOf(b, mostOf(), func(n int) (run func()) {
			type object [64]int
			list, order := make([]*object, n), rand.New(rand.NewPCG(1, 2)).Perm(n)
			for i := range list {
				list[i] = new(object)
			}
			return func() {
				for i := range 4 {
					for _, at := range order {
						list[at][16*i]++
					}
				}
			}
		})
	}
}

// mostOf returns the largest n of a growth: 1,000 by day, 1,000,000 at night.
func mostOf() int {
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		return 1_000_000
	}
	return 1000
}

// mostProcesses is how many processes fit into memory.
const mostProcesses = 100_000

// BenchmarkGrowth times whole runs with n things of one kind, and reports
// the exponent by which the time grows with n. That is the slope of the
// line through the times from 1,000 on, or from 10 if there are no more.
// JOSTLE_NIGHTLY uses larger n; CONTRIBUTING.md has the results.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growths {
		b.Run(g.what, func(b *testing.B) {
			for b.Loop() {
				n := mostOf()
				if strings.HasPrefix(g.what, "processes") {
					n = min(n, mostProcesses)
				}
				grow(b, g.o, g.build, n)
			}
		})
	}
}

// BenchmarkManyOf makes one run in each iteration, with 1,000 and with 100,000
// things of one kind, so that tools can count its instructions: see
// CONTRIBUTING.md. It runs only with JOSTLE_NIGHTLY.
func BenchmarkManyOf(b *testing.B) {
	for _, g := range growths {
		for n := 1000; n < mostOf(); n *= 100 {
			b.Run(fmt.Sprint(g.what, "-", n), func(b *testing.B) {
				for run := grower(b, g.o, g.build)(n); b.Loop(); {
					run()
				}
			})
		}
	}
}

// grow reports how the time of a run grows up to n = most.
func grow(b *testing.B, o pulse.Options, build func(*pulse.System, int), most int) {
	growthOf(b, most, grower(b, o, build))
}

// grower returns a function that begins a run with n things of one kind.
func grower(b *testing.B, o pulse.Options, build func(*pulse.System, int)) func(n int) (run func()) {
	if o.Strategy == nil {
		o.Strategy = strategy.Random()
	}
	o.Steps, o.Pending = math.MaxInt32, math.MaxInt32
	sys := pulse.New(o)
	b.Cleanup(sys.Close)
	return func(n int) func() {
		seed := uint64(0)
		return func() {
			seed++
			sys.Reset(seed)
			build(sys, n)
			sys.Run()
			if f := sys.Failure(); f != nil {
				b.Fatal(f)
			}
		}
	}
}

// growthOf reports the exponent by which the time of begin's runs grows with n, for n up to most.
func growthOf(b *testing.B, most int, begin func(n int) (run func())) {
	var points []point
	for n := 10; n <= most; n *= 10 {
		run := begin(n)
		run() // the first run allocates
		runtime.GC()
		took := math.Inf(1)
		for range max(3, 10_000/n) {
			took = min(took, load.Timed(1, run))
		}
		b.ReportMetric(took/float64(n), fmt.Sprintf("ns-at-%d", n))
		points = append(points, point{math.Log(float64(n)), math.Log(took)})
	}
	if len(points) > 3 {
		points = points[2:] // a run with n = 10 is mostly setup
	}
	b.ReportMetric(slope(points), "exponent")
	b.ReportMetric(0, "ns/op")
}

type point struct{ x, y float64 }

// slope returns the slope of the least-squares line through points.
func slope(points []point) float64 {
	var mid point
	for _, p := range points {
		mid.x += p.x / float64(len(points))
		mid.y += p.y / float64(len(points))
	}
	var xy, xx float64
	for _, p := range points {
		xy += (p.x - mid.x) * (p.y - mid.y)
		xx += (p.x - mid.x) * (p.x - mid.x)
	}
	return xy / xx
}

// TestSlope: if times grow like a power of n, slope returns the exponent.
func TestSlope(t *testing.T) {
	for _, power := range []float64{0, 1, 1.5, 2} {
		var points []point
		for n := 10.0; n <= 1e6; n *= 10 {
			points = append(points, point{math.Log(n), math.Log(7 * math.Pow(n, power))})
		}
		if got := slope(points); math.Abs(got-power) > 1e-9 {
			t.Errorf("power %v: %v", power, got)
		}
	}
}
