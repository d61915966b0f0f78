package explore_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// branching explores by random branches.
func branching(seed uint64) explore.Options {
	return explore.Options{Method: explore.Method{Reduction: explore.Everything, RandomBranch: true}, Seed: seed}
}

// tellOrders makes a worker record the orders that it runs, in sequence.
func tellOrders(w *worker, list *[]uint64) *worker {
	return w.tell(func(run explore.Run) { *list = append(*list, run.System.Trace().Hash) })
}

func distinctOf(list []uint64) int {
	list = slices.Clone(list)
	slices.Sort(list)
	return len(slices.Compact(list))
}

// TestBranchesAgree checks that a search by random branches runs the same orders as depth-first search, each once, and
// counts the same.
func TestBranchesAgree(t *testing.T) {
	all := smallSubjects()
	for i, s := range all {
		if sizes()[s.name].all > 1500 && !nightly() {
			continue
		}
		deep := s.explore(explore.Options{Method: explore.Method{Reduction: explore.Everything}})
		orderings := explore.Orderings()
		if !nightly() {
			orderings = orderings[i%len(orderings):][:1]
		}
		for _, ordering := range orderings {
			o := branching(uint64(i))
			o.Ordering = ordering
			wide := s.explore(o)
			if !wide.Complete || !maps.Equal(wide.orders, deep.orders) || wide.Steps != deep.Steps || wide.Runs != deep.Runs ||
				wide.Distinct != deep.Distinct || !maps.Equal(wide.Failures, deep.Failures) {
				t.Errorf("%s, %v: %+v, depth-first %+v", s.name, ordering, wide.Result, deep.Result)
			}
		}
	}
}

// TestBranchesOfRandomPrograms is TestBranchesAgree on random programs.
func TestBranchesOfRandomPrograms(t *testing.T) {
	trial.Long(t)
	e, r := &enumerator{}, &rig{}
	defer e.close()
	for seed := range uint64(byDay(25, 2000)) {
		p := newProgram(seed, agreementFeatures(seed))
		all, ok := e.enumerate(p.options(), p.Build, 2000)
		if !ok {
			continue
		}
		var orders []uint64
		got := r.explore(p, branching(seed), func(run explore.Run) { orders = append(orders, run.System.Trace().Hash) })
		deep := r.explore(p, explore.Options{Method: explore.Method{Reduction: explore.Everything}})
		if why := got.misses(all); why != "" || got.Runs != all.runs {
			t.Fatalf("program %d: %d of %d runs; %s\n%v", seed, got.Runs, all.runs, why, p)
		}
		if !maps.Equal(got.passing, deep.passing) || !maps.Equal(got.failing, deep.failing) || got.Steps != deep.Steps {
			t.Fatalf("program %d: %+v, depth-first %+v\n%v", seed, got.Result, deep.Result, p)
		}
	}
}

// TestBranchesByChance checks that each order is run once, in a sequence that depends only on the
// seed.
func TestBranchesByChance(t *testing.T) {
	run := func(o explore.Options) (list []uint64) {
		o.KeepOn, o.Record = true, true
		if v, err := explore.Explore(o, tellOrders(on(pulse.Options{}, load.Pi(3).Build), &list)); err != nil || !v.Complete || v.Runs != 540 {
			t.Fatalf("%+v %v", v, err)
		}
		return list
	}
	first := run(branching(1))
	if n := distinctOf(first); n != 540 {
		t.Errorf("%d orders in 540 runs", n)
	}
	if !slices.Equal(first, run(branching(1))) {
		t.Error("one seed, two searches")
	}
	second := run(branching(2))
	if slices.Equal(first, second) {
		t.Error("two seeds, one search")
	}
	deep := run(explore.Options{Method: explore.Method{Reduction: explore.Everything}})
	for _, list := range [][]uint64{first, second, deep} {
		slices.Sort(list)
	}
	if !slices.Equal(first, deep) || !slices.Equal(second, deep) {
		t.Error("other orders than depth-first")
	}
}

// firstReceived counts the different messages that came first in the first runs of a
// search.
func firstReceived(o explore.Options, runs int) int {
	o.Runs, o.Record = runs, true
	seen := map[uint64]bool{}
	w := on(pulse.Options{}, load.Senders(6, 1).Build)
	if _, err := explore.Explore(o, w.tell(func(run explore.Run) { seen[run.System.Trace().Steps[0].ID] = true })); err != nil {
		panic(err)
	}
	return len(seen)
}

// TestBranchesAreSpread checks the purpose of random branches: the first runs are spread over the
// tree.
func TestBranchesAreSpread(t *testing.T) {
	if n := firstReceived(explore.Options{Method: explore.Method{Reduction: explore.Everything}}, 60); n != 1 {
		t.Errorf("depth-first had %d messages first", n)
	}
	for seed := range uint64(10) {
		if n := firstReceived(branching(seed), 60); n < 3 {
			t.Errorf("seed %d: of 6 messages %d came first", seed, n)
		}
	}
}

// TestBranchBounds checks that a search that reached a limit reports the limit.
func TestBranchBounds(t *testing.T) {
	six := load.Senders(6, 1).Build
	for _, c := range []struct {
		change    func(*explore.Options)
		bound     explore.Bound
		runs, cut int
	}{
		{func(o *explore.Options) { o.Runs = 100 }, "runs", 100, 0},
		{func(o *explore.Options) { o.Depth = 3 }, "depth", 0, 120},
		{func(o *explore.Options) { o.Time = 1 }, "time", 1, 0},
	} {
		o := branching(1)
		c.change(&o)
		v, err := explore.Explore(o, on(pulse.Options{}, six))
		if err != nil || v.Complete || v.Bound != c.bound || v.Runs != c.runs || v.Cut != c.cut {
			t.Errorf("%s: %+v %v", c.bound, v, err)
		}
	}
}

// TestBranchesOfFickleProgram checks that a nondeterministic program is
// detected.
func TestBranchesOfFickleProgram(t *testing.T) {
	for _, c := range []struct {
		build func(run int) func(*pulse.System) func() error
		want  string
	}{
		{func(run int) func(*pulse.System) func() error { return fickle(2, 1+run/2) }, "the deliverable messages differ"},
		{func(run int) func(*pulse.System) func() error { return fickle(max(3-run, 1), 2) }, "the run ended after"},
	} {
		run := 0
		v, err := explore.Explore(branching(3), on(pulse.Options{}, func(s *pulse.System) func() error {
			run++
			return c.build(run)(s)
		}))
		if err != nil || v.Complete || !strings.Contains(v.Nondeterminism, c.want) {
			t.Errorf("%+v %v, want %q", v, err, c.want)
		}
	}
}
