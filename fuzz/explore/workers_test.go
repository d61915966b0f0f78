package explore_test

import (
	"maps"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
)

// TestWorkersAgree holds that several workers find what one finds, and that
// what they come to does not depend on how many there are.
func TestWorkersAgree(t *testing.T) {
	e := &enumerator{}
	defer e.close()
	for seed := range uint64(agreementPrograms() / 10) {
		p := newProgram(seed, agreementFeatures(seed))
		all, ok := e.enumerate(p.options(), p.Build, 2000)
		if !ok {
			continue
		}
		for _, r := range explore.Reductions() {
			var o explore.Options
			if o.Reduction = r; seed%8 != 0 {
				o.SplitAll()
			}
			two, five := withWorkers(p, o, 2), withWorkers(p, o, 5)
			if why := two.misses(all); why != "" {
				t.Fatalf("program %d, %v: %s\n%v", seed, r, why, p)
			}
			if two.Runs != five.Runs || two.Wasted != five.Wasted || two.Steps != five.Steps || two.Distinct != five.Distinct ||
				!maps.Equal(two.passing, five.passing) || !maps.Equal(two.failing, five.failing) {
				t.Fatalf("program %d, %v: with two workers %+v, with five %+v\n%v", seed, r, two.Result, five.Result, p)
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

// TestSmallTreesAreNotSplit holds that several workers leave out as much of a small
// tree as one does, and that they would not if it were split.
func TestSmallTreesAreNotSplit(t *testing.T) {
	s := subject{"a watch", pulse.Options{}, func() func(*pulse.System) func() error { return answering(4, ends(watches)) }}
	o := explore.Options{Method: explore.Method{Reduction: explore.SourceSets}}
	for _, workers := range []int{1, 2, 3} {
		if f := s.count(counting{o, workers}); !f.Complete || f.Runs != 48 || f.Wasted != 0 || len(f.orders) != 48 {
			t.Errorf("%d workers: %d runs, %d wasted, %d distinct orders; want 48, 0, 48", workers, f.Runs, f.Wasted, len(f.orders))
		}
	}
	o.SplitAll()
	if f := s.count(counting{o, 2}); !f.Complete || len(f.orders) != 48 || f.Wasted == 0 {
		t.Errorf("a tree that is split: %d runs, %d wasted, %d distinct orders", f.Runs, f.Wasted, len(f.orders))
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
	count int // of the runs that Done was told of and that count
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
// comes when none is running. With early timers Optimal begins again.
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
