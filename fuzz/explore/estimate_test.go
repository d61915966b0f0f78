package explore_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	subjects "github.com/jostle-go/jostle/fuzz/subjects/orders"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// A sized program is a program with its known number of runs.
type sized struct {
	name    string
	options pulse.Options
	build   func(*pulse.System) func() error
	runs    int
	nightly bool // too slow for the normal test
}

func sizedLoad(l load.Load, runs int, nightly bool) sized {
	return sized{l.Name, pulse.Options{}, l.Build, runs, nightly}
}

func sizedOrders(p subjects.Program, runs int, nightly bool) sized {
	return sized{p.Name, p.Options, p.Build, runs, nightly}
}

// graphC and graphD are larger than the graphs in package orders.
func graphC() subjects.Graph {
	return subjects.Graph{Name: "C", Nodes: 6, Edges: []subjects.Edge{
		{From: 0, To: 1, Length: 1}, {From: 0, To: 2, Length: 3}, {From: 1, To: 2, Length: 1}, {From: 2, To: 3, Length: 1},
		{From: 3, To: 4, Length: 1}, {From: 2, To: 4, Length: 3}, {From: 4, To: 5, Length: 1}, {From: 3, To: 5, Length: 3}}}
}

func graphD() subjects.Graph {
	return subjects.Graph{Name: "D", Nodes: 5, Edges: []subjects.Edge{
		{From: 0, To: 1, Length: 1}, {From: 0, To: 2, Length: 4}, {From: 0, To: 3, Length: 6}, {From: 1, To: 2, Length: 1},
		{From: 1, To: 3, Length: 3}, {From: 2, To: 3, Length: 1}, {From: 3, To: 4, Length: 1}, {From: 2, To: 4, Length: 3}}}
}

// distinctSizes are programs with many distinct orders.
func distinctSizes() []sized {
	return []sized{
		sizedLoad(load.Senders(8, 1), 40_320, true),
		sizedLoad(load.Senders(9, 1), 362_880, true),
		sizedLoad(load.Senders(4, 3), 369_600, true),
		sizedLoad(load.Pi(8), 40_320, true),
		sizedLoad(load.Pi(9), 362_880, true),
		sizedLoad(load.AllToAll(3, 3), 163_676, true),
		sizedLoad(load.AllToAll(4, 1), 76_656, false),
		sizedOrders(subjects.PingPong(17), 131_072, false),
		sizedOrders(subjects.Chameneos(3, 6), 279_936, true),
		sizedOrders(subjects.Chameneos(4, 3), 41_472, true),
		sizedOrders(subjects.Spinsort(5), 34_560, false),
		sizedOrders(subjects.Pipesort(5), 34_560, true),
		sizedOrders(subjects.Shortpath(graphC()), 85_296, false),
		sizedOrders(subjects.Shortpath(graphD()), 163_896, true),
	}
}

// plainSizes are programs with many orders.
func plainSizes() []sized {
	return []sized{
		sizedLoad(load.Pi(4), 60_480, false),
		sizedLoad(load.Senders(8, 1), 40_320, false),
		sizedLoad(load.Senders(3, 3), 1680, false),
		sizedOrders(subjects.Quicksort(4), 11_088, false),
		sizedOrders(subjects.Spinsort(4), 1152, false),
		sizedOrders(subjects.Shortpath(subjects.GraphA()), 3504, false),
		sizedOrders(subjects.Chameneos(2, 3), 1440, false),
		sizedOrders(subjects.Chameneos(3, 1), 3360, false),
		sizedOrders(subjects.Store(2, 1, 1, 3), 6930, false),
		sizedOrders(subjects.Store(1, 1, 2, 3), 10_800, false),
		sizedOrders(subjects.Phils(2, 3), 1886, false),
		sizedOrders(subjects.Pairs(3, 3), 1680, false),
		sizedOrders(subjects.Chameneos(3, 2), 141_120, true),
		sizedOrders(subjects.Leader(4), 101_126, false),
		sizedOrders(subjects.Pipesort(4), 143_280, true),
		sizedOrders(subjects.Store(1, 2, 2, 3), 28_769, false),
		sizedOrders(subjects.Store(2, 2, 2, 3), 140_140, false),
		sizedOrders(subjects.PingPong(10), 2048, false),
		sizedOrders(subjects.Fib(5), 8_072_064, true),
		sizedOrders(subjects.Shortpath(subjects.GraphB()), 3_359_528, true),
		sizedOrders(subjects.Philosophers(3), 12_883_908, true),
		sizedOrders(subjects.Phils(3, 1), 2_787_542, true),
	}
}

// estimates returns the estimates after one run in a hundred, sorted, each divided by the true
// number.
func (s *sized) estimates(t *testing.T, o explore.Options, seeds int) (list []float64) {
	program := on(s.options, s.build)
	o.Estimate, o.Runs = true, s.runs/100
	for seed := range uint64(seeds) {
		o.Seed = seed
		v, err := explore.Explore(o, program)
		if err != nil || v.Complete || v.Estimate == 0 {
			t.Fatalf("%s: %+v, %v", s.name, v, err)
		}
		list = append(list, v.Estimate/float64(s.runs))
	}
	slices.Sort(list)
	return list
}

// within returns how many of the estimates differ by less than a factor.
func within(list []float64, factor float64) (n int) {
	for _, x := range list {
		if x < factor && x > 1/factor {
			n++
		}
	}
	return n
}

// testEstimates makes one estimate per seed, after one run in a hundred. At least 9 of 10
// estimates, or at night 85 of 100, must differ from the true number by less than the given factor,
// or by less than 2 for programs with fewer than least runs. The program shortpath is hardest,
// because the effect of its messages depends most on the messages before.
func testEstimates(t *testing.T, sizes []sized, o explore.Options, least int, factor float64) {
	nightly := os.Getenv("JOSTLE_NIGHTLY") != ""
	seeds, hold := 10, 9
	if nightly {
		seeds, hold = 100, 85
	}
	for _, s := range sizes {
		if s.nightly && !nightly {
			continue
		}
		list, f := s.estimates(t, o, seeds), factor
		if s.runs < least {
			f = 2
		}
		text := fmt.Sprintf("%s: %d runs, estimated %.2f to %.2f times as many, in the middle %.2f; %d of %d by less than a factor %v",
			s.name, s.runs, list[0], list[seeds-1], list[seeds/2], within(list, f), seeds, f)
		if within(list, f) < hold {
			t.Error(text)
		} else {
			t.Log(text)
		}
	}
}

// TestEstimateDistinct checks estimates of the number of distinct orders. It allows an error of 30% for programs
// with at least 100,000 runs. That is a factor of 1.3 up, or of 1/0.7 down; the smaller factor is used for both.
func TestEstimateDistinct(t *testing.T) {
	trial.Long(t)
	testEstimates(t, distinctSizes(), explore.Options{}, 100_000, 1.3)
	testEstimates(t, distinctSizes()[7:8], explore.Options{Method: explore.Method{Reduction: explore.SourceSets}}, 100_000, 1.3)
}

// TestEstimatePlain checks estimates of searches without a reduction. It allows them to be off by a
// factor of 2, as in Figure 2 of the Eta paper.
func TestEstimatePlain(t *testing.T) {
	trial.Long(t)
	testEstimates(t, plainSizes(), explore.Options{Method: explore.Method{Reduction: explore.Everything}}, 10_000, 2)
}

// TestEstimateAtEnd checks that the estimate of a completed search is its true number of runs. Reductions that could
// only guess give no estimate.
func TestEstimateAtEnd(t *testing.T) {
	program := on(pulse.Options{}, load.Pi(4).Build)
	for _, r := range explore.Reductions() {
		v, err := explore.Explore(explore.Options{Method: explore.Method{Reduction: r}, Estimate: true}, program)
		if err != nil || !v.Complete || v.Estimate != float64(v.Runs) {
			t.Errorf("%v: %d runs, estimated %v, complete %v, %v", r, v.Runs, v.Estimate, v.Complete, err)
		}
	}
	for _, r := range []explore.Reduction{explore.PersistentSets, explore.DCUTE, explore.GoodSiblings} {
		v, err := explore.Explore(explore.Options{Method: explore.Method{Reduction: r}, Estimate: true, Runs: 10}, program)
		if err != nil || v.Complete || v.Estimate != 0 {
			t.Errorf("%v: %d runs, estimated %v, %v", r, v.Runs, v.Estimate, err)
		}
	}
	if v, err := explore.Explore(explore.Options{Runs: 10}, program); err != nil || v.Estimate != 0 {
		t.Errorf("estimated %v although nobody asked, %v", v.Estimate, err)
	}
}

// TestEstimateAfterHandover: a search that restarts with another reduction estimates its runs anew. The program has 24
// distinct orders out of 60,480.
func TestEstimateAfterHandover(t *testing.T) {
	v, err := explore.Explore(explore.Options{Estimate: true, Runs: 600}, on(pulse.Options{Isolation: true}, load.Pi(4).Build))
	if err != nil || v.Reduction != explore.Everything || v.Sleep || v.Estimate < 30_000 || v.Estimate > 120_000 {
		t.Errorf("%v, sleep sets %v, because %s: estimated %v of 60,480, %v", v.Reduction, v.Sleep, v.Because, v.Estimate, err)
	}
}

// TestNoEstimateIsBetterThanAWrongOne checks that no estimate is given if faults may come between
// any two steps, or if sleep sets alone prune. In these cases the random runs of an estimate are
// impossible. A guess from the explored part would be wrong by a factor of 10 or more, because
// later parts of the tree are smaller.
func TestNoEstimateIsBetterThanAWrongOne(t *testing.T) {
	for _, c := range []struct {
		name    string
		options pulse.Options
		method  explore.Method
	}{
		{"crash", pulse.Options{Faults: pulse.Faults{Crash: 1}}, explore.Method{}},
		{"partition", pulse.Options{Faults: pulse.Faults{Partition: 1}}, explore.Method{}},
		{"early timers", pulse.Options{EarlyTimers: 1}, explore.Method{}},
		{"sleep sets", pulse.Options{Faults: pulse.Faults{Crash: 1}}, explore.Method{Reduction: explore.Everything, Sleep: true}},
	} {
		program := on(c.options, load.Pi(4).Build)
		all, err := explore.Explore(explore.Options{Method: c.method, KeepOn: true}, program)
		if err != nil || !all.Complete {
			t.Fatalf("%s: %+v, %v", c.name, all, err)
		}
		for _, part := range []int{2, 10, 50} {
			v, err := explore.Explore(explore.Options{Method: c.method, Estimate: true, KeepOn: true, Runs: max(1, all.Runs/part)}, program)
			if err != nil || v.Estimate > 0 && (v.Estimate > 2*float64(all.Runs) || 2*v.Estimate < float64(all.Runs)) {
				t.Errorf("%s: after %d runs of %d the estimate is %v, %v", c.name, v.Runs, all.Runs, v.Estimate, err)
			}
		}
	}
}

// TestEstimateChangesNothing checks that a search with an estimate makes the same runs in the same order as a search
// without one.
func TestEstimateChangesNothing(t *testing.T) {
	trial.Long(t)
	r := &rig{}
	for seed := range uint64(byDay(6, 100)) {
		p := newProgram(seed, agreementFeatures(seed))
		for _, red := range []explore.Reduction{explore.Optimal, explore.SourceSets, explore.Everything} {
			var lists [2][]uint64
			for i, estimate := range []bool{false, true} {
				o := explore.Options{Method: explore.Method{Reduction: red}, Estimate: estimate, KeepOn: true, Record: true, Runs: 2000}
				w := tellOrders(r.worker(p.options(), p.Build), &lists[i])
				if v, err := explore.Explore(o, w); err != nil || v.Nondeterminism != "" {
					t.Fatalf("program %d, %v: %v, %+v", seed, red, err, v)
				}
			}
			if !slices.Equal(lists[0], lists[1]) {
				t.Fatalf("program %d, %v: %d runs without an estimate, others with: %d", seed, red, len(lists[0]), len(lists[1]))
			}
		}
	}
}

// TestProgress checks that a search reports its progress, with one worker and with several.
func TestProgress(t *testing.T) {
	for _, workers := range []int{1, 3} {
		var all []explore.Progress
		o := explore.Options{Every: 1, Progress: func(p explore.Progress) { all = append(all, p) }}
		var team []explore.Worker
		for range workers {
			team = append(team, on(pulse.Options{}, load.Pi(8).Build))
		}
		v, err := explore.Explore(o, team...)
		if err != nil || !v.Complete || len(all) < 2 {
			t.Fatalf("%d workers: told %d times, %v", workers, len(all), err)
		}
		for i, p := range all[:len(all)-1] {
			if p.Done || p.Runs > v.Runs || i > 0 && p.Runs < all[i-1].Runs || p.Estimate != float64(v.Runs) {
				t.Errorf("%d workers, told %d of %d: %+v", workers, i, len(all), p)
			}
		}
		if last := all[len(all)-1]; !last.Done || last.Runs != v.Runs || last.Estimate != float64(v.Runs) {
			t.Errorf("%d workers: told at the end %+v", workers, last)
		}
	}
}
