package explore_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	ordered "github.com/jostle-go/jostle/fuzz/subjects/orders"
	"github.com/jostle-go/jostle/fuzz/subjects/server"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

func nightly() bool { return os.Getenv("JOSTLE_NIGHTLY") != "" }

// on returns a worker that runs the program that build adds to a system.
func on(o pulse.Options, build func(*pulse.System) func() error) *worker {
	return (&rig{}).worker(o, build)
}

// A subject is a program whose orders are known.
type subject struct {
	name    string
	options pulse.Options
	// build is called once for each system, because some programs can be in only one system at a time.
	build func() func(*pulse.System) func() error
}

func ofLoad(make func() load.Load) subject {
	return subject{make().Name, pulse.Options{}, func() func(*pulse.System) func() error { return make().Build }}
}

func ofOrders(p ordered.Program) subject {
	return subject{p.Name, p.Options, func() func(*pulse.System) func() error { return p.Build }}
}

func pi(n int) subject { return ofLoad(func() load.Load { return load.Pi(n) }) }

func senders(n, messages int) subject {
	return ofLoad(func() load.Load { return load.Senders(n, messages) })
}

func asksTwice() subject {
	return subject{"server", server.Options(), func() func(*pulse.System) func() error { return server.Config{}.Build }}
}

// smallSubjects returns the programs with few enough orders to run all.
func smallSubjects() []subject {
	list := []subject{pi(2), pi(3), pi(4), senders(4, 1), senders(3, 2), asksTwice()}
	for _, p := range ordered.All() {
		list = append(list, ofOrders(p))
	}
	return list
}

// A size has the known numbers of a program: its orders, the steps in the tree of its orders, and its distinct
// orders.
type size struct{ all, steps, distinct int }

// sizes are the sizes of the small programs. Those of pi(4) and of the server are Basset's
// (Tables 3.1 and 3.2). Those of the other pi(n) and of senders(n) follow from the
// definitions. Those of package orders are counted there by other means, except for the
// steps.
func sizes() map[string]size {
	return map[string]size{
		"pi(2)": {12, 43, 2}, "pi(3)": {540, 1621, 6}, "pi(4)": {60480, 168645, 24},
		"senders(4,1)": {24, 64, 24}, "senders(3,2)": {90, 270, 90},
		"server": {6, 26, 4},
		"fib(3)": {6, 19, 2}, "fib(4)": {168, 599, 4},
		"quicksort(3)": {168, 599, 4}, "quicksort(4)": {11088, 43437, 8},
		"mergesort(3)": {168, 599, 4},
		"spinsort(3)":  {18, 75, 12}, "spinsort(4)": {1152, 5044, 288},
		"pipesort(2)": {6, 24, 2}, "pipesort(3)": {288, 1260, 12},
		"leader(2)": {9, 44, 4}, "leader(3)": {377, 2251, 17},
		"shortpath(A)":   {3504, 14307, 40},
		"chameneos(2,2)": {240, 856, 8}, "chameneos(2,3)": {1440, 5152, 16}, "chameneos(3,1)": {3360, 10497, 36},
		"philosophers(2)": {464, 2102, 8},
		"store(1,1,1,3)":  {462, 2035, 5}, "store(1,1,2,2)": {150, 592, 4}, "store(2,1,1,3)": {6930, 24506, 18}, "store(1,1,2,3)": {10800, 40088, 15},
		"phils(2,1)": {8, 38, 3}, "phils(2,2)": {118, 648, 13}, "phils(2,3)": {1886, 10746, 63},
		"pairs(2,4)": {70, 250, 1}, "pairs(3,3)": {1680, 5247, 1},
		"pingpong(4)": {32, 155, 16}, "pingpong(8)": {512, 2555, 256},
	}
}

// A find is the result of an exploration: the distinct orders, and how often it ran
// each.
type find struct {
	explore.Result
	orders map[uint64]int
}

// A counting is an exploration and its number of workers.
type counting struct {
	explore.Options
	workers int
}

// explore explores a subject with one worker.
func (s *subject) explore(o explore.Options) find { return s.count(counting{o, 1}) }

// count explores a subject and collects its distinct orders. It ignores failures: the server subject fails in some
// orders.
func (s *subject) count(c counting) find {
	var mu sync.Mutex // guards the map f.orders, which all workers change
	f := find{orders: map[uint64]int{}}
	c.KeepOn, c.Record, c.CountDistinct = true, true, true
	f.Result = s.result(c, func(run explore.Run) {
		class := classOf(run.System)
		mu.Lock()
		defer mu.Unlock()
		f.orders[class]++
	})
	return f
}

// result explores a subject, and reports each completed run.
func (s *subject) result(c counting, done func(explore.Run)) explore.Result {
	var rigs []*rig
	var workers []explore.Worker
	for range c.workers {
		r := &rig{}
		rigs = append(rigs, r)
		workers = append(workers, r.worker(s.options, s.build()).tell(done))
	}
	v, err := explore.Explore(c.Options, workers...)
	if err != nil {
		panic(err)
	}
	for _, r := range rigs {
		if r.sys != nil { // a worker may have started too late to get a subtree
			r.sys.Close()
		}
	}
	return v
}

// fault returns what is wrong with an exploration of a program with known orders, "" if nothing
// is.
func (f *find) fault(o explore.Options, of size, all map[uint64]int) string {
	once := o.Sleep || o.Reduction <= explore.SourceSets
	switch {
	case !f.Complete:
		return "is not complete: " + string(f.Bound) + f.Nondeterminism
	case f.Reduction != o.Reduction:
		return "was done with " + f.Reduction.String()
	case !sameKeys(f.orders, all):
		return "has other distinct orders"
	case f.Distinct != of.distinct:
		return "counts them wrongly"
	case once && f.Runs != of.distinct:
		return "runs some of them again"
	case o.Reduction == explore.Optimal && f.Wasted > 0:
		return "wastes runs"
	case o.Reduction == explore.Everything && !o.Sleep && f.Runs != of.all:
		return "does not run all orders"
	case f.Runs > of.all:
		return "runs more than all orders"
	}
	return ""
}

func sameKeys(a, b map[uint64]int) bool {
	return maps.EqualFunc(a, b, func(int, int) bool { return true })
}

// countings are explorations that must all find the same distinct orders as
// Everything with one worker. By day, they use FIFO and a third of the other
// orderings, because only the nightly test needs all combinations of ordering and
// workers.
func countings(subject int) (list []counting) {
	for _, r := range explore.Reductions() {
		for k, ordering := range explore.Orderings() {
			if ordering != explore.OrderFIFO && !nightly() && (subject+k)%3 != 0 {
				continue
			}
			for _, sleep := range []bool{false, true} {
				for _, workers := range []int{1, 3} {
					few := r == explore.Everything || !nightly() && (workers > 1 && r > explore.Optimal || sleep && r <= explore.SourceSets)
					known := r == explore.Everything && !sleep && workers == 1
					if !known && (ordering == explore.OrderFIFO || !few) {
						o := explore.Options{Method: explore.Method{Reduction: r, Sleep: sleep, Ordering: ordering}}
						list = append(list, counting{o, workers})
					}
				}
			}
		}
	}
	return list
}

// TestCounts checks that all ways to explore find the same distinct orders of every program. It also compares the
// numbers of runs and steps that are known. By day it checks every second program, and several workers run all
// orders only of programs with few orders.
func TestCounts(t *testing.T) {
	trial.Long(t)
	want := sizes()
	for i, s := range smallSubjects() {
		if i%2 > 0 && !nightly() {
			continue
		}
		all := s.explore(explore.Options{Method: explore.Method{Reduction: explore.Everything}})
		got := size{all.Runs, all.Steps, len(all.orders)}
		if got != want[s.name] {
			t.Errorf("%q: {%d, %d, %d},", s.name, got.all, got.steps, got.distinct)
		}
		for _, o := range countings(i) {
			if o.Reduction == explore.Everything && !o.Sleep && got.all > 4000 && !nightly() {
				continue
			}
			f := s.count(o)
			if why := f.fault(o.Options, got, all.orders); why != "" {
				t.Errorf("%s, %v sleep %v ordering %v with %d workers %s: %d runs, %d wasted, %d of %d distinct orders", s.name,
					o.Reduction, o.Sleep, o.Ordering, o.workers, why, f.Runs, f.Wasted, len(f.orders), len(all.orders))
			}
		}
	}
}

// largeSubjects returns programs with too many orders to run all, but few
// enough distinct orders, and the number of these. These numbers are counted by
// other means in package orders or follow from a definition, except for
// spinsort(5).
func largeSubjects() (list []subject, distinct map[string]int) {
	for _, p := range ordered.Large() {
		list = append(list, ofOrders(p))
	}
	list = append(list, pi(5), pi(6), pi(7), senders(7, 1), senders(2, 6), senders(3, 3))
	return list, map[string]int{
		"chameneos(3,2)": 216, "fib(5)": 16, "leader(4)": 77, "pipesort(4)": 288, "quicksort(6)": 32, "mergesort(6)": 32,
		"shortpath(B)": 290, "philosophers(3)": 48, "spinsort(5)": 34560, "store(1,2,2,3)": 29, "store(2,2,2,3)": 24,
		"phils(3,1)": 1938, "pairs(4,6)": 1, "pingpong(10)": 1024, "pingpong(15)": 32768,
		"pi(5)": 120, "pi(6)": 720, "pi(7)": 5040, "senders(7,1)": 5040, "senders(2,6)": 924, "senders(3,3)": 1680,
	}
}

// TestLargeCounts checks that Optimal runs each distinct order of the large programs
// exactly once, and that SourceSets finds the same orders. The largest programs run only at
// night.
func TestLargeCounts(t *testing.T) {
	trial.Long(t)
	list, distinct := largeSubjects()
	for _, s := range list {
		of := size{math.MaxInt, 0, distinct[s.name]}
		if of.distinct > 10_000 && !nightly() {
			continue
		}
		all := s.explore(explore.Options{})
		if why := all.fault(explore.Options{}, of, all.orders); why != "" {
			t.Errorf("%s: optimal %s: %d runs, %d wasted, %d distinct orders, want %d", s.name, why, all.Runs, all.Wasted,
				len(all.orders), of.distinct)
		}
		for _, o := range largeCountings() {
			f := s.count(o)
			if why := f.fault(o.Options, of, all.orders); why != "" {
				t.Errorf("%s, %v sleep %v ordering %v with %d workers %s: %d runs, %d wasted, %d of %d distinct orders", s.name,
					o.Reduction, o.Sleep, o.Ordering, o.workers, why, f.Runs, f.Wasted, len(f.orders), len(all.orders))
			}
		}
	}
}

// largeCountings are the explorations of the large programs, in addition to Optimal. Each of them runs no order
// twice.
func largeCountings() (list []counting) {
	if !nightly() {
		return []counting{{workers: 3}, {explore.Options{Method: explore.Method{Reduction: explore.SourceSets}}, 1}}
	}
	for _, o := range countings(0) {
		if o.Reduction <= explore.SourceSets && !o.Sleep || o.Reduction > explore.SourceSets && o.Reduction < explore.Everything && o.Sleep {
			list = append(list, o)
		}
	}
	return list
}

// TestBassetsFigures checks Tables 3.1 and 4.1 of Basset's thesis for pi, the only program whose code the thesis
// shows. Table 4.2 has transitions, which are one more than the steps here, because the thesis also counts the
// root of the tree.
func TestBassetsFigures(t *testing.T) {
	trial.Long(t)
	for _, c := range []struct {
		workers     int
		r           explore.Reduction
		o           explore.Ordering
		runs, steps int
	}{
		{4, explore.DCUTE, explore.OrderLCA, 105, 733},
		{4, explore.DCUTE, explore.OrderECA, 24, 165},
		{5, explore.DCUTE, explore.OrderLCA, 945, 0},
		{5, explore.DCUTE, explore.OrderECA, 120, 0},
		{5, explore.DCUTE, explore.OrderFIFO, 120, 0},
		{5, explore.DCUTE, explore.OrderLDM, 120, 0},
		{5, explore.DCUTE, explore.OrderLIFO, 945, 0},
		{5, explore.DCUTE, explore.OrderHDM, 706, 0},
		{5, explore.PersistentSets, explore.OrderLCA, 19845, 156070},
		{5, explore.PersistentSets, explore.OrderLIFO, 19845, 156070},
		{5, explore.PersistentSets, explore.OrderECA, 120, 931},
		{5, explore.PersistentSets, explore.OrderFIFO, 120, 931},
		{5, explore.PersistentSets, explore.OrderLDM, 120, 931},
		{5, explore.PersistentSets, explore.OrderHDM, 3424, 26799},
	} {
		s := pi(c.workers)
		f := s.explore(explore.Options{Method: explore.Method{Reduction: c.r, Ordering: c.o}})
		if f.Runs != c.runs || c.steps > 0 && f.Steps != c.steps {
			t.Errorf("%s, %v by %v: %d runs and %d steps, want %d and %d", s.name, c.r, c.o, f.Runs, f.Steps, c.runs, c.steps)
		}
	}
}

// mostRuns is the number of runs after which a cell of the tables of orderings is given up.
const mostRuns = 300_000

// A table is one of the tables in testdata/orderings.golden: it has a row for each ordering and a column for each
// program.
type table struct {
	title   string
	options explore.Options
	cell    func(explore.Result) string
}

func orderingTables() []table {
	upTo := func(n int, v explore.Result) string {
		if v.Complete {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf(">%d", n)
	}
	runs := func(v explore.Result) string { return upTo(v.Runs, v) }
	steps := func(v explore.Result) string { return upTo(v.Steps, v) }
	wasted := func(v explore.Result) string { return fmt.Sprintf("%s(%d)", steps(v), v.Wasted) }
	return []table{
		{"dCUTE, runs", explore.Options{Method: explore.Method{Reduction: explore.DCUTE}}, runs},
		{"Persistent, runs", explore.Options{Method: explore.Method{Reduction: explore.PersistentSets}}, runs},
		{"Persistent, steps", explore.Options{Method: explore.Method{Reduction: explore.PersistentSets}}, steps},
		{"Persistent with Sleep, steps (runs wasted)", explore.Options{Method: explore.Method{Reduction: explore.PersistentSets, Sleep: true}}, wasted},
		{"Source, steps (runs wasted)", explore.Options{Method: explore.Method{Reduction: explore.SourceSets}}, wasted},
		{"Optimal, steps", explore.Options{Method: explore.Method{Reduction: explore.Optimal}}, steps},
	}
}

// columns are the programs of the tables: those of Basset that exist here, and a few of
// Eta's.
func columns() (list []subject) {
	names := []string{"chameneos(3,2)", "fib(5)", "leader(4)", "pipesort(4)", "quicksort(6)", "shortpath(A)", "shortpath(B)",
		"philosophers(3)", "spinsort(4)", "store(2,2,2,3)", "phils(3,1)"}
	all := append(ordered.All(), ordered.Large()...)
	for _, name := range names {
		i := slices.IndexFunc(all, func(p ordered.Program) bool { return p.Name == name })
		list = append(list, ofOrders(all[i]))
	}
	return append(list, pi(5))
}

// cells measures the wanted cells of a table. It takes the other cells from the previous table.
func (tb *table) cells(before [][]string, wanted func(old string) bool) [][]string {
	var rows [][]string
	for i, ordering := range explore.Orderings() {
		var row []string
		for k, s := range columns() {
			if before != nil && !wanted(before[i][k]) {
				row = append(row, before[i][k])
				continue
			}
			o := tb.options
			o.Ordering, o.Runs = ordering, mostRuns
			row = append(row, tb.cell(s.result(counting{o, 1}, nil)))
		}
		rows = append(rows, row)
	}
	return rows
}

// text formats a table. The last column compares the orderings: it has, for each row, the geometric mean of the
// ratios of its cells to the smallest cells of their columns.
func (tb *table) text(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\t", "")
	for _, s := range columns() {
		fmt.Fprintf(w, "%s\t", s.name)
	}
	fmt.Fprintf(w, "x best\t\n")
	for i, o := range explore.Orderings() {
		fmt.Fprintf(w, "%v\t%s\t%.2f\t\n", o, strings.Join(rows[i], "\t"), timesBest(rows, i))
	}
	w.Flush()
	return "\n" + tb.title + "\n" + b.String()
}

// leading returns the number at the beginning of a cell.
func leading(cell string) (n int) {
	fmt.Sscan(strings.TrimPrefix(strings.Split(cell, "(")[0], ">"), &n)
	return n
}

func timesBest(rows [][]string, i int) float64 {
	sum := 0.0
	for k := range rows[i] {
		best := math.MaxInt
		for _, row := range rows {
			best = min(best, leading(row[k]))
		}
		sum += math.Log(float64(leading(rows[i][k])) / float64(best))
	}
	return math.Exp(sum / float64(len(rows[i])))
}

// parse returns the cells of a formatted table.
func (tb *table) parse(golden string) (rows [][]string) {
	_, after, _ := strings.Cut(golden, "\n"+tb.title+"\n")
	lines := strings.Split(after, "\n")
	for i := range explore.Orderings() {
		fields := strings.Fields(lines[i+1])
		rows = append(rows, fields[1:len(fields)-1])
	}
	return rows
}

// TestOrderings measures Basset's Tables 4.1 and 4.2 for the programs here. By day it does not measure slow cells
// again.
func TestOrderings(t *testing.T) {
	const path = "testdata/orderings.golden"
	stored, err := os.ReadFile(path)
	var b strings.Builder
	b.WriteString(aboutOrderings)
	for _, tb := range orderingTables() {
		var before [][]string
		if !nightly() && err == nil {
			before = tb.parse(string(stored))
		}
		b.WriteString(tb.text(tb.cells(before, func(old string) bool { return leading(old) <= 1000 })))
	}
	golden.File(t, path, b.String())
}

const aboutOrderings = `What the orderings come to: Basset's Tables 4.1 and 4.2 for the programs here.

A search is given up after 300000 runs; that cell begins with > and counts as
what it says. Steps count what runs share once, those of wasted runs included.
The last column is how many times as much an ordering takes as the best one of
each column, the geometric mean of all columns.

Optimal: FIFO is the default. The number of runs does not depend on the
ordering. The number of steps does, and LCA has the fewest; but a run is made
from its start, so that steps that are shared are taken again: the times of all
orderings are within a quarter of each other, and FIFO is nowhere more than an
eighth slower than the fastest. It asks least: it needs no list of what can be
received.

Source, and others with Sleep: each distinct order is run once whatever the
ordering, and few runs are wasted. LCA has the fewest steps, then FIFO.

DCUTE and Persistent without Sleep: the ordering decides, by a factor of up to
1500. LCA is best or level in 7 programs of 12, in trees and in pipelines,
because an actor that others must know is created before them: what is created
last is what has to come first. It is as bad as any where the actor that was
created last is the one that waits for all others, as in pi. FIFO is right there,
and level with HMS on the whole. With dCUTE it is the worst in leader(4): that
FIFO is never the worst, as Basset has it, does not hold here.

The cells of fib(5) and pi(5) are Basset's for ECA, LCA, FIFO, LIFO, LDM and HDM,
those of quicksort(6) for LCA and LIFO, those of chameneos(3,2) for FIFO and LCA.
`
