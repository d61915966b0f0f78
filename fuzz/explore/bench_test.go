package explore_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	ordered "github.com/jostle-go/jostle/fuzz/subjects/orders"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// The benchmarks report how many times as long a search takes as a floor, which does
// the least possible work. Both are timed in turns within one benchmark, so that
// other load affects both. Figures are medians of the rounds. One iteration is one
// round.

func timed(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start))
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// A permuter is the floor for running all orders of messages to one actor. It delivers the messages
// to the actor through an interface, in one order after another. To find the next order, it keeps
// only a counter with one digit per message.
type permuter struct {
	receiver interface{ Receive(msg any) }
	messages []any
	waiting  []any
	digits   []int
}

type counter struct{ received int }

func (c *counter) Receive(any) { c.received++ }

func newPermuter(n int) *permuter {
	p := &permuter{receiver: &counter{}, digits: make([]int, n)}
	for i := range n {
		p.messages = append(p.messages, i)
	}
	return p
}

// all delivers the messages in every order.
func (p *permuter) all() {
	for more := true; more; more = p.next() {
		p.waiting = append(p.waiting[:0], p.messages...)
		for _, d := range p.digits {
			p.receiver.Receive(p.waiting[d])
			p.waiting = append(p.waiting[:d], p.waiting[d+1:]...)
		}
	}
}

// next moves to the next order, and reports whether there was one.
func (p *permuter) next() bool {
	n := len(p.digits)
	for i := n - 1; i >= 0; i-- {
		if p.digits[i]++; p.digits[i] < n-i {
			return true
		}
		p.digits[i] = 0
	}
	return false
}

// BenchmarkEverything runs all 8! orders of 8 senders.
func BenchmarkEverything(b *testing.B) {
	const runs = 40_320
	program, ground := on(pulse.Options{}, load.Senders(8, 1).Build), newPermuter(8)
	var took, ratios []float64
	for b.Loop() {
		base := timed(ground.all)
		took = append(took, timed(func() {
			mustRun(b, explore.Options{Method: explore.Method{Reduction: explore.Everything}}, runs, program)
		}))
		ratios = append(ratios, took[len(took)-1]/base)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(took)/1e6, "ms")
	b.ReportMetric(median(took)/runs, "ns/run")
	b.ReportMetric(median(ratios), "x-floor")
}

func mustRun(tb testing.TB, o explore.Options, runs int, workers ...explore.Worker) {
	o.DepthFirst = true // no probes, so that the benchmark measures only the runs of the tree
	if v, err := explore.Explore(o, workers...); err != nil || v.Runs != runs || !v.Complete {
		tb.Fatalf("%+v %v, want %d runs", v, err, runs)
	}
}

// BenchmarkOptimal runs the distinct orders of pi. Its floor runs the program as
// often, recorded, always in the same order. The difference is the time to find the
// orders.
func BenchmarkOptimal(b *testing.B) {
	for _, c := range []struct{ workers, runs, times int }{{5, 120, 100}, {8, 40_320, 1}} {
		b.Run(fmt.Sprintf("pi(%d)", c.workers), func(b *testing.B) {
			l := load.Pi(c.workers)
			program, plain := on(pulse.Options{}, l.Build), repeated(b, load.Pi(c.workers), c.runs)
			var took, ratios []float64
			for b.Loop() {
				base := timed(func() { times(c.times, plain) })
				took = append(took, timed(func() {
					times(c.times, func() { mustRun(b, explore.Options{}, c.runs, program) })
				}))
				ratios = append(ratios, took[len(took)-1]/base)
			}
			orders := float64(c.runs * c.times)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(orders/median(took)*1e9, "orders/s")
			b.ReportMetric(median(took)/orders, "ns/order")
			b.ReportMetric(median(ratios), "x-floor")
		})
	}
}

func times(n int, f func()) {
	for range n {
		f()
	}
}

// repeated returns a function that runs a load n times, in plain order.
func repeated(tb testing.TB, l load.Load, n int) func() {
	sys := pulse.New(pulse.Options{Record: true})
	tb.Cleanup(sys.Close)
	return func() {
		for range n {
			sys.Reset(0)
			check := l.Build(sys)
			sys.Run()
			if f := sys.Failure(); f != nil {
				tb.Fatal(f)
			}
			if err := check(); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

// BenchmarkWorkers compares an exploration with two workers to the same exploration with one, and prints the
// speedup. It also prints the speedup of two separate explorations that run at the same time, which is the most that
// the machine allows. It needs two processors.
func BenchmarkWorkers(b *testing.B) {
	for _, c := range []struct {
		name string
		make func() load.Load
		r    explore.Reduction
	}{
		{"everything-senders(8,1)", func() load.Load { return load.Senders(8, 1) }, explore.Everything},
		{"source-pi(8)", func() load.Load { return load.Pi(8) }, explore.SourceSets},
		{"optimal-pi(8)", func() load.Load { return load.Pi(8) }, explore.Optimal},
	} {
		b.Run(c.name, func(b *testing.B) {
			one, two := on(pulse.Options{}, c.make().Build), on(pulse.Options{}, c.make().Build)
			o := explore.Options{Method: explore.Method{Reduction: c.r}}
			var speedups, machine []float64
			for b.Loop() {
				alone := timed(func() { mustRun(b, o, 40_320, one) })
				speedups = append(speedups, alone/timed(func() { mustRun(b, o, 40_320, one, two) }))
				machine = append(machine, 2*alone/timed(func() {
					var both sync.WaitGroup
					both.Go(func() { mustRun(b, o, 40_320, one) })
					both.Go(func() { mustRun(b, o, 40_320, two) })
					both.Wait()
				}))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(speedups), "x-one")
			b.ReportMetric(median(machine), "x-machine")
		})
	}
}

// TestMemoryIsFlat checks that after the first hundred runs a search allocates almost nothing,
// however many runs follow. If the search stops a run, it may allocate a failure that says why.
func TestMemoryIsFlat(t *testing.T) {
	trial.Long(t)
	list := []load.Load{load.Senders(5, 1), load.Senders(8, 1), load.Pi(5), load.Pi(7)}
	if nightly() {
		list = append(list, load.Senders(9, 1), load.Pi(9))
	}
	for _, l := range list {
		for _, o := range []explore.Options{
			{Method: explore.Method{Reduction: explore.Optimal}},
			{Method: explore.Method{Reduction: explore.SourceSets}},
			{Method: explore.Method{Reduction: explore.PersistentSets, Sleep: true, Ordering: explore.OrderLCA}},
			{Method: explore.Method{Reduction: explore.Everything}, Runs: byDay(5_000, 100_000)},
		} {
			v, bytes := allocated(on(pulse.Options{}, l.Build), o)
			if most := 16<<10 + 256*v.Wasted; bytes > uint64(most) {
				t.Errorf("%s, %v: %d bytes were allocated after the first 100 of %d runs, %d of them wasted; the most is %d",
					l.Name, o.Reduction, bytes, v.Runs+v.Wasted, v.Wasted, most)
			}
		}
	}
}

// allocated returns the bytes that a search allocates after its first 100 runs.
func allocated(w *worker, o explore.Options) (explore.Result, uint64) {
	var before, after runtime.MemStats
	w = w.tell(func(run explore.Run) {
		if run.Index == 100 {
			runtime.ReadMemStats(&before)
		}
	})
	v, err := explore.Explore(o, w)
	runtime.ReadMemStats(&after)
	if err != nil || v.Runs <= 100 {
		panic(fmt.Sprint(v, err))
	}
	return v, after.TotalAlloc - before.TotalAlloc
}

// ladder is a graph in which each node leads to the next node and to the one after it. The direct way to the latter is
// the longer one.
func ladder(nodes int) ordered.Graph {
	g := ordered.Graph{Name: fmt.Sprint(nodes), Nodes: nodes}
	for i := range nodes {
		for step, length := range []int{1, 3} {
			if to := i + step + 1; to < nodes {
				g.Edges = append(g.Edges, ordered.Edge{From: i, To: to, Length: length})
			}
		}
	}
	return g
}

// growing returns the programs of the growth table (testdata/growth.golden), smaller sizes first.
func growing() (list []subject) {
	for n := 4; n <= 9; n++ {
		list = append(list, senders(n, 1))
	}
	for n := 2; n <= 8; n++ {
		list = append(list, pi(n))
	}
	for n := 2; n <= 4; n++ {
		list = append(list, ofOrders(ordered.Philosophers(n)))
	}
	for n := 3; n <= 6; n++ {
		list = append(list, ofOrders(ordered.Shortpath(ladder(n))))
	}
	return list
}

// mostGrown is the number of runs after which a cell of the growth table is given up.
const mostGrown = 400_000

// growth explores a subject for a cell of the growth table.
func (s *subject) growth(r explore.Reduction, done func(explore.Run)) explore.Result {
	return s.result(counting{explore.Options{Method: explore.Method{Reduction: r, DepthFirst: true}, Runs: mostGrown, KeepOn: true}, 1}, done)
}

// cost returns the time of the fastest of three explorations, in milliseconds. It also
// returns the memory, in KiB, that the search, the system and the program use after half of
// the runs.
func (s *subject) cost(r explore.Reduction, runs int) (ms, kib float64) {
	ms = math.Inf(1)
	for range 3 {
		ms = min(ms, float64(s.growth(r, nil).Elapsed)/1e6)
	}
	before := inUse()
	s.growth(r, func(run explore.Run) {
		if run.Index == runs/2 {
			kib = float64(inUse()-before) / 1024
		}
	})
	return ms, kib
}

func inUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what the first collection found unused
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// counted returns the numbers of a table cell that do not depend on the machine.
func counted(v explore.Result) []string {
	if !v.Complete {
		return []string{fmt.Sprintf(">%d", v.Runs), "-"}
	}
	return []string{fmt.Sprint(v.Runs), fmt.Sprint(v.Steps)}
}

// twoDigits rounds x to two significant digits. Repeated measurements agree on these digits.
func twoDigits(x float64) string {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	return strconv.FormatFloat(y, 'f', -1, 64)
}

// parts are the reductions whose columns the growth table has side by side.
func parts() []explore.Reduction { return []explore.Reduction{explore.Optimal, explore.Everything} }

// growthTable measures the whole growth table.
func growthTable() string {
	var b strings.Builder
	b.WriteString(aboutGrowth)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for _, r := range parts() {
		fmt.Fprintf(w, "%v: runs\tsteps\tms\tKiB\t", r)
	}
	for _, s := range growing() {
		fmt.Fprintf(w, "\n%s\t", s.name)
		for _, r := range parts() {
			v := s.growth(r, nil)
			ms, kib := s.cost(r, v.Runs)
			fmt.Fprintf(w, "%s\t%s\t%s\t", strings.Join(counted(v), "\t"), twoDigits(ms), twoDigits(kib))
		}
	}
	fmt.Fprintln(w)
	w.Flush()
	return b.String()
}

const aboutGrowth = `How time and memory grow with a program.

Optimal runs every distinct order once, Everything every order. Runs beyond
400000 are not made. Steps count what runs share once. The times are those of
one core of the machine on which this was last written, with two digits; KiB is
the memory in use after half of the runs, of the program and its system too.

`

// TestGrowth checks the counts of the growth table. The times belong to one machine, so only JOSTLE_NIGHTLY=1
// JOSTLE_REWRITE=1 writes them.
func TestGrowth(t *testing.T) {
	const path = "testdata/growth.golden"
	if nightly() && os.Getenv("JOSTLE_REWRITE") != "" {
		if err := os.WriteFile(path, []byte(growthTable()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(stored)), "\n")
	for i, s := range growing() {
		fields := strings.Fields(lines[len(lines)-len(growing())+i])
		for k, r := range parts() {
			want := fields[1+4*k : 3+4*k]
			if leading(want[0]) > 2000 && !nightly() {
				continue
			}
			if got := counted(s.growth(r, nil)); fields[0] != s.name || !slices.Equal(got, want) {
				t.Errorf("%s, %v: %v runs and steps, %v in %s", s.name, r, got, want, path)
			}
		}
	}
}
