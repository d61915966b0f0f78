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

// tellingPrograms are foolish programs of which orders are missed when it is not known what
// the steps touch that sleep in a subtree, and when two subtrees of a pick sleep by each other.
func tellingPrograms() []uint64 { return []uint64{697, 1103} }

// TestWorkersAgree holds that several workers find what one finds, that what they
// come to does not depend on how many there are, and that they waste no more.
func TestWorkersAgree(t *testing.T) {
	e := &enumerator{}
	defer e.close()
	alone, shared := 0, 0 // runs of SourceSets; of early passes of time it may run some twice, in any order
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
	// Its steps ask whether they crash, and touch more if they do.
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

// TestWorkersLeaveOutAsMuch holds that several workers make the runs that one makes and
// no others, also when they divide the tree after each run. All that lay above the
// subtrees was run, once: 1,994 runs were wasted in addition to the 1,440 of six workers and a
// watch, and 31,000 in addition to the 40,320 of pi(8), most of them by the second worker.
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

// A watched worker notices when its methods are not called as Worker says. What
// it counts is not locked: the race detector sees calls that are not in turn.
type watched struct {
	*worker
	team  *atomic.Int64 // how many methods of all workers are running
	busy  atomic.Bool   // one of this worker's is
	runs  int
	last  *pulse.System
	count int // of the runs reported to Done that count
	wrong func(string)
	meet  func() // called in the first run of a subtree, if there is one to call
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

// TestWorkersAreCalledInTurn holds what Worker says of its calls: those of one
// worker come one after the other, those of several at the same time, and Again
// comes when none is running. With early timers Optimal restarts.
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
			if !c.again { // each waits here until the other has come, too
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
