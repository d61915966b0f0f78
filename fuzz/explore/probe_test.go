package explore_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// A corner has a crowd of senders, and fails if the last one comes first. Depth-first search reaches that part of the
// tree last.
func corner(n int) subject {
	return subject{"corner", pulse.Options{}, func() func(*pulse.System) func() error {
		return func(s *pulse.System) func() error {
			said := ""
			trial.Crowd(s, n, func(word string) { said += word })
			return func() error {
				if said[0] == byte('a'+n-1) {
					return errors.New("the last comes first")
				}
				return nil
			}
		}
	}}
}

// inParts explores a subject in parts with the given number of runs each, and reports each run.
// The first probe comes after probeAfter runs.
func (s *subject) inParts(c counting, runs, probeAfter int, done func(explore.Run)) (explore.Result, int) {
	var workers []explore.Worker
	var rigs []*rig
	for range c.workers {
		r := &rig{}
		rigs = append(rigs, r)
		workers = append(workers, r.worker(s.options, s.build()).tell(done))
	}
	x, err := explore.Begin(c.Options, workers...)
	if err != nil {
		panic(err)
	}
	if probeAfter > 0 {
		x.ProbeAfter(probeAfter)
	}
	parts := 1
	for x.GoOn(runs) {
		parts++
	}
	v, err := x.End()
	if err != nil {
		panic(err)
	}
	for _, r := range rigs {
		r.close()
	}
	v.Elapsed, v.Estimate = 0, 0
	return v, parts
}

// Probes change nothing in the result of a completed tree, with any reduction and any number of
// workers.
func TestProbesLeaveTheTreeAlone(t *testing.T) {
	trial.Long(t)
	tree := corner(6)
	for _, r := range explore.Reductions() {
		for _, states := range []explore.States{explore.NoStates, explore.ByHash} {
			for _, workers := range []int{1, 2, 5} {
				if states != explore.NoStates && (r == explore.Optimal || workers > 1) || r >= explore.GoodSiblings && workers == 5 {
					continue
				}
				o := counting{explore.Options{Method: explore.Method{Reduction: r, States: states}, KeepOn: true, Runs: 20_000}, workers}
				with, _ := tree.inParts(o, 0, 5, nil)
				o.DepthFirst = true
				without, _ := tree.inParts(o, 0, 5, nil)
				if with.Probes == 0 || without.Probes != 0 || len(with.Failures) != 1 {
					t.Errorf("%v: %d probes, %d when there should be none, failures %v", r, with.Probes, without.Probes, with.Failures)
				}
				if with.Probes = 0; !reflect.DeepEqual(with, without) && with.Complete {
					t.Errorf("%v, %d workers, states %d: with probes\n%+v, without\n%+v", r, workers, states, with, without)
				}
			}
		}
	}
}

// A probe finds a failure that depth-first search would reach last, and the failure is reported
// as a probe's. With the same seed the same probe finds it, for any number of workers above
// one.
func TestProbesFind(t *testing.T) {
	tree := corner(11)
	one := map[int]int{}
	for _, c := range []struct {
		workers int
		seed    uint64
		runs    int // until the failure is found
	}{{1, 1, 2020}, {1, 2, 2020}, {1, 3, 2016}, {1, 4, 2008}, {1, 1, 2020}, {2, 1, 0}, {3, 1, 0}, {5, 1, 0}} {
		var told []explore.Run
		o := counting{explore.Options{Seed: c.seed, Runs: 400_000}, c.workers}
		v, _ := tree.inParts(o, 0, 0, func(run explore.Run) {
			if run.Probe && c.workers == 1 {
				told = append(told, run)
			}
		})
		made := v.Runs + v.Wasted + v.Probes
		if v.Bound != "failure" || v.Complete || len(v.Failures) != 1 || v.Distinct != v.Runs {
			t.Errorf("%d workers, seed %d: %+v", c.workers, c.seed, v)
		}
		if c.workers == 1 && (made != c.runs || len(told) != 1 || told[0].Failure == nil || told[0].Index != v.Runs) {
			t.Errorf("seed %d: %d runs, want %d; told of %+v", c.seed, made, c.runs, told)
		}
		if c.workers > 1 {
			one[made]++
		}
	}
	if len(one) != 1 {
		t.Errorf("several workers took so many runs: %v", one)
	}
	o := counting{explore.Options{Method: explore.Method{DepthFirst: true}, Runs: 20_000}, 1}
	if v, _ := tree.inParts(o, 0, 0, nil); v.Bound != "runs" || v.Probes != 0 {
		t.Errorf("depth-first alone: %+v", v)
	}
}

// With several workers and a limit of runs, the result depends neither on the number of workers nor on their
// speed.
func TestWorkersShareRuns(t *testing.T) {
	trial.Long(t)
	tree := corner(9)
	var first explore.Result
	runs := byDay(13_457, 43_457) // probes begin after 2,001 runs
	for i, workers := range []int{2, 3, 5, 2} {
		v, _ := tree.inParts(counting{explore.Options{KeepOn: true, Runs: runs}, workers}, 0, 0, nil)
		if i == 0 {
			first = v
		}
		if made := v.Runs + v.Probes; made != runs || v.Probes == 0 || !reflect.DeepEqual(v, first) {
			t.Errorf("%d workers made %d runs: %+v, not %+v", workers, made, v, first)
		}
	}
}

// The rate of probes: none until the tree is large, then every other run, and at last one in
// eight.
func TestShareOfProbes(t *testing.T) {
	trial.Long(t)
	tree := corner(11)
	r := &rig{}
	defer r.close()
	x, err := explore.Begin(explore.Options{KeepOn: true}, r.worker(tree.options, tree.build()))
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, c := range []struct{ runs, probes int }{
		{2000, 0}, {2001, 0}, {2002, 1}, {2003, 1}, {2004, 2}, {10_000, 4000}, {34_000, 16_000}, {34_007, 16_000}, {34_008, 16_001}, {50_000, 18_000},
	} {
		x.GoOn(c.runs - made)
		made = c.runs
		if v := x.Result(); v.Probes != c.probes || v.Runs != c.runs-c.probes {
			t.Errorf("of %d runs: %d probes and %d others, want %d", c.runs, v.Probes, v.Runs, c.probes)
		}
	}
	if _, err := x.End(); err != nil {
		t.Fatal(err)
	}
	for _, m := range []explore.Method{{Depth: 100}, {Reduction: explore.Everything, DelayBound: 9}, {Reduction: explore.Everything, RandomBranch: true}} {
		if v, _ := tree.inParts(counting{explore.Options{Method: m, Runs: 5000, KeepOn: true}, 1}, 0, 1, nil); v.Probes != 0 {
			t.Errorf("%+v: %d probes", m, v.Probes)
		}
	}
}

// An exploration in parts has the same result as without parts, with all ways to
// explore.
func TestPartsMakeAWhole(t *testing.T) {
	var list []counting
	for _, o := range append(keptWays(), branching(1),
		explore.Options{Method: explore.Method{Reduction: explore.SourceSets, States: explore.ByHash}},
		explore.Options{Method: explore.Method{Reduction: explore.Everything, DelayBound: 3}},
		explore.Options{Method: explore.Method{Reduction: explore.Everything, PreemptionBound: 2}}) {
		o.KeepOn, o.Record = true, true
		list = append(list, counting{o, 1})
		if o.States == explore.NoStates && !o.RandomBranch {
			list = append(list, counting{o, 2})
		}
	}
	phased := subject{"phases", pulse.Options{EarlyTimers: 1}, func() func(*pulse.System) func() error { return phases }} // restarts
	for _, s := range []subject{corner(4), senders(3, 2), phased} {
		for _, c := range list {
			if s.name == phased.name && c.Reduction == explore.Everything && !nightly() {
				continue // skipped, because this subject has thousands of orders
			}
			most := byDay(300, 3000)
			if !s.hasAtMost(most, c) {
				continue
			}
			whole, wholeOrders := s.ordersInParts(c, 0)
			for _, runs := range []int{1, 7} {
				parts, orders := s.ordersInParts(c, runs)
				if !reflect.DeepEqual(parts, whole) || c.workers == 1 && !maps.Equal(orders, wholeOrders) {
					t.Errorf("%s, %s, %d workers, in parts of %d: %d orders, %+v\nwhole: %d orders, %+v", s.name, nameOf(c.Options), c.workers, runs,
						len(orders), parts, len(wholeOrders), whole)
				}
			}
		}
	}
}

// hasAtMost reports whether an exploration of a subject ends after at most n runs.
func (s *subject) hasAtMost(most int, c counting) bool {
	c.Runs = 4 * most // wasted runs and probes count as runs, too
	v, _ := s.inParts(c, 0, 5, nil)
	return v.Bound != explore.BoundRuns && v.Runs <= most
}

// ordersInParts is inParts with probes from the first run on. It counts how often each order was
// run.
func (s *subject) ordersInParts(c counting, runs int) (explore.Result, map[uint64]int) {
	orders := map[uint64]int{}
	v, _ := s.inParts(c, runs, 5, func(run explore.Run) {
		if c.workers == 1 && !run.Probe {
			orders[classOf(run.System)]++
		}
	})
	return v, orders
}

// An exploration in parts can also save each part in a file. The next part continues from the file.
func TestPartsInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept")
	w := on(pulse.Options{}, corner(4).build())
	for i := 1; i <= 3; i++ {
		x, err := explore.Begin(explore.Options{File: file, KeepOn: true}, w)
		if err != nil {
			t.Fatal(err)
		}
		more := x.GoOn(10)
		v, err := x.End()
		if err != nil || v.Runs != min(24, 10*i) || v.Complete == more || v.Complete != (i == 3) || v.Bound != "" || x.GoOn(5) && v.Complete {
			t.Errorf("part %d: %+v %v, more: %v", i, v, err, more)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is left though the search is complete")
	}
}

// A search that continues from a file makes the same probes as without the pause. It also knows the probes that
// failed.
func TestProbesGoOnFromAFile(t *testing.T) {
	tree := corner(7)
	o := counting{explore.Options{KeepOn: true}, 1}
	whole, _ := tree.inParts(o, 0, 0, nil)
	o.File, o.Runs = filepath.Join(t.TempDir(), "kept"), 0
	for _, runs := range []int{1, 999, 1000, 1, 1, 1, 998, 5000} {
		o.Runs = runs
		v, _ := tree.inParts(o, 0, 0, nil)
		if v.Complete && !reflect.DeepEqual(v, whole) {
			t.Errorf("in pieces %+v, whole %+v", v, whole)
		}
		if v.Complete == (v.Bound == "runs") || v.Probes > 0 && len(v.Failures) != 1 {
			t.Errorf("%+v", v)
		}
	}
	if !whole.Complete || whole.Runs != 5040 || whole.Probes != 3039 || whole.Failures["property: the last comes first"] != 720 {
		t.Errorf("%+v", whole)
	}
}
