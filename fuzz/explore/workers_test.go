package explore_test

import (
	"maps"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// tellingPrograms returns seeds of programs with which workers once made a mistake. A search misses orders if a
// worker does not know the touches of the steps that sleep in its subtree, or if two subtrees of one pick put each
// other to sleep.
func tellingPrograms() []uint64 { return []uint64{697, 1103} }

// TestWorkersAgree checks that several workers find what one worker finds. The result must not depend on their number,
// and they must waste no more runs.
func TestWorkersAgree(t *testing.T) {
	e := &enumerator{}
	defer e.close()
	alone, shared := 0, 0 // runs of SourceSets with one worker and with two, in programs without early timers
	defer func() {
		if shared > alone+alone/100 {
			t.Errorf("two workers make %d runs where one makes %d", shared, alone)
		}
	}()
	var programs []*program
	for seed := range uint64(byDay(12, 2000)) {
		programs = append(programs, newProgram(seed, agreementFeatures(seed)))
	}
	for _, seed := range tellingPrograms() {
		programs = append(programs, newProgram(seed, foolishFeatures(seed)))
	}
	// In this program actors may crash within a step. A step that crashes touches more state than a
	// step that does not.
	programs = append(programs, newProgram(912, survivingFeatures(912)))
	for _, p := range programs {
		all, ok := e.enumerate(p.options(), p.Build, 2000)
		if !ok {
			continue
		}
		for i, r := range append(explore.Reductions(), explore.Everything) {
			var o explore.Options
			o.Sleep = i == len(explore.Reductions())
			if o.Reduction = r; p.seed%8 != 0 || p.seed == 912 {
				o.SplitAll()
			}
			two, five := withWorkers(p, o, 2), withWorkers(p, o, 5)
			if r == explore.SourceSets && p.options().EarlyTimers == 0 {
				one := withWorkers(p, o, 1)
				alone, shared = alone+one.Runs+one.Wasted, shared+two.Runs+two.Wasted
			}
			if why := two.misses(all); why != "" {
				t.Fatalf("program %d, %v: %s\n%v", p.seed, r, why, p)
			}
			if two.Runs != five.Runs || two.Wasted != five.Wasted || two.Steps != five.Steps || two.Distinct != five.Distinct ||
				!maps.Equal(two.passing, five.passing) || !maps.Equal(two.failing, five.failing) {
				t.Fatalf("program %d, %v: with two workers %+v, with five %+v\n%v", p.seed, r, two.Result, five.Result, p)
			}
		}
	}
}

func withWorkers(p *program, o explore.Options, workers int) *explored {
	var rigs []*rig
	var team []*worker
	for range workers {
		q := p.clone()
		rigs = append(rigs, &rig{})
		team = append(team, rigs[len(rigs)-1].worker(q.options(), q.Build))
	}
	o.CountDistinct = true
	got := exploreWith(o, nil, team...)
	for _, r := range rigs {
		if r.sys != nil {
			r.sys.Close()
		}
	}
	return got
}

// TestWorkersLeaveOutAsMuch checks that several workers make exactly the runs that one worker makes,
// even if they divide the tree after each run. Several workers once made more runs: 1,994 instead of
// 1,440 for six actors and a watch.
func TestWorkersLeaveOutAsMuch(t *testing.T) {
	trial.Long(t)
	of := func(name string, o pulse.Options, n int, more func(*pulse.System, []pulse.Ref)) subject {
		return subject{name, o, func() func(*pulse.System) func() error { return answering(n, more) }}
	}
	for _, c := range []struct {
		subject
		ordering     explore.Ordering
		runs, wasted int
	}{
		{of("a watch", pulse.Options{}, 4, ends(watches)), explore.OrderFIFO, 48, 0},
		{of("a watch, six workers", pulse.Options{}, 6, ends(watches)), explore.OrderFIFO, 1440, 0},
		{of("Alive, six workers", pulse.Options{}, 6, ends(asksForLife)), explore.OrderFIFO, 1440, 0},
		{of("early timers and a timer, six workers", early(1), 6, setsTimer), explore.OrderFIFO, 720, 0},
		{of("an early timer and an answer, five workers", early(1), 5, answered), explore.OrderFIFO, 1080, 0},
		{of("a crash, six workers", crash(1), 6, nil), explore.OrderFIFO, 7717, 0},
		{of("a partition and a timer", partition, 2, setsTimer), explore.OrderFIFO, 1153, 311},
		{pi(7), explore.OrderFIFO, 5040, 0},
		{pi(6), explore.OrderLCA, 720, 0},
		{of("Alive, six workers", pulse.Options{}, 6, ends(asksForLife)), explore.OrderLCA, 1440, 0},
		{of("a crash, six workers", crash(1), 6, nil), explore.OrderLCA, 7717, 0},
		{senders(6, 1), explore.OrderFIFO, 720, 0},
	} {
		for _, workers := range []int{1, 2, 3} {
			for _, all := range []bool{false, true} {
				if c.runs > 5000 && !nightly() && !(workers == 2 && all && c.ordering == explore.OrderLCA) {
					continue
				}
				o := explore.Options{Method: explore.Method{Reduction: explore.SourceSets, Ordering: c.ordering}}
				if all {
					o.SplitAll()
				}
				if v := c.result(counting{o, workers}, nil); !v.Complete || v.Runs != c.runs || v.Wasted != c.wasted {
					t.Errorf("%s by %v, %d workers, dividing all: %v: %d runs, %d wasted; want %d and %d", c.name, c.ordering, workers, all,
						v.Runs, v.Wasted, c.runs, c.wasted)
				}
			}
		}
	}
}

// A watched worker detects calls of its methods that break the rules of Worker. Its counters have no lock, so the race
// detector finds concurrent calls.
type watched struct {
	*worker
	team  *atomic.Int64 // the number of running methods, of all workers
	busy  atomic.Bool   // whether a method of this worker is running
	runs  int
	last  *pulse.System
	count int // completed runs, as reported to Done
	wrong func(string)
	meet  func() // called in the first run of each subtree, unless nil
}

func (w *watched) enter(what string) (leave func()) {
	if w.busy.Swap(true) {
		w.wrong(what + " is called while another method is running")
	}
	w.team.Add(1)
	return func() {
		w.team.Add(-1)
		w.busy.Store(false)
	}
}

func (w *watched) Run(s pulse.Strategy) explore.Run {
	defer w.enter("Run")()
	w.runs++
	r := w.run(s)
	w.last = r.System
	return r
}

func (w *watched) Done(r explore.Run) {
	defer w.enter("Done")()
	if r.System != w.last || r.System.Steps() == 0 {
		w.wrong("Done is told of another run than the last")
	}
	if r.Subtree > 0 && w.meet != nil {
		w.meet()
		w.meet = nil
	}
	w.count++
}

func (w *watched) Again() {
	defer w.enter("Again")()
	if w.team.Load() > 1 {
		w.wrong("Again is called while a worker is running")
	}
	w.count = 0
}

// TestWorkersAreCalledInTurn checks the calls that Worker documents. Calls to one worker come one after
// another, and calls to several workers overlap. No other call runs while Again is called, as it is when
// Optimal restarts because of early timers.
func TestWorkersAreCalledInTurn(t *testing.T) {
	for _, c := range []struct {
		name    string
		options pulse.Options
		build   func() func(*pulse.System) func() error
		again   bool
	}{
		{"pi(6)", pulse.Options{}, func() func(*pulse.System) func() error { return load.Pi(6).Build }, false},
		{"phases, early timers", pulse.Options{EarlyTimers: 1}, func() func(*pulse.System) func() error { return phases }, true},
	} {
		var team []explore.Worker
		var all []*watched
		var running atomic.Int64
		var met sync.WaitGroup
		const workers = 2
		met.Add(workers)
		for range workers {
			w := &watched{worker: on(c.options, c.build()), team: &running, wrong: func(text string) { t.Errorf("%s: %s", c.name, text) }}
			if !c.again { // each worker waits here until the other one has come, too
				w.meet = func() { met.Done(); met.Wait() }
			}
			all, team = append(all, w), append(team, w)
		}
		v, err := explore.Explore(explore.Options{Estimate: true}, team...)
		if err != nil || !v.Complete || (v.Reduction != explore.Optimal) != c.again {
			t.Fatalf("%s: %+v %v", c.name, v, err)
		}
		counted, runs := 0, 0
		for _, w := range all {
			counted, runs = counted+w.count, runs+w.runs
		}
		if counted != v.Runs || runs <= v.Runs {
			t.Errorf("%s: Done was told of %d runs, Run was called %d times, and the search made %d runs", c.name, counted, runs, v.Runs)
		}
	}
}
