package protoactor_test

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

// A worker explores a program.
type worker struct {
	build   func(*pulse.System)
	sys     *pulse.System
	failure *pulse.Failure // the first
}

func (w *worker) Run(s pulse.Strategy) explore.Run {
	o := pulse.Options{Strategy: s, Record: true}
	if w.sys == nil {
		w.sys = pulse.New(o)
	} else {
		w.sys.Configure(o)
	}
	w.build(w.sys)
	w.sys.Run()
	return explore.Run{System: w.sys, Failure: w.sys.Failure()}
}

func (w *worker) Done(r explore.Run) {
	if w.failure == nil {
		w.failure = r.Failure
	}
}

func (w *worker) Again() { w.failure = nil }

// exploreAll runs every distinct order of a program.
func exploreAll(t *testing.T, o explore.Options, build func(*pulse.System)) (explore.Result, *pulse.Failure) {
	t.Helper()
	w := &worker{build: build}
	o.KeepOn = true
	r, err := explore.Explore(o, w)
	if err != nil {
		t.Fatal(err)
	}
	w.sys.Close()
	return r, w.failure
}

// TestCounts checks that a program for proto.actor has exactly the distinct orders of
// the same program for pulse. The exploration runs each order once and wastes no run.
func TestCounts(t *testing.T) {
	for _, p := range programs() {
		want, failure := exploreAll(t, explore.Options{}, func(sys *pulse.System) { p.original(sys) })
		if failure != nil || p.distinct > 0 && want.Distinct != p.distinct {
			t.Errorf("%s for pulse: %d orders, want %d: %v", p.name, want.Distinct, p.distinct, failure)
		}
		got, failure := exploreAll(t, explore.Options{}, func(sys *pulse.System) { p.build(protoactor.New(sys)) })
		if failure != nil {
			t.Errorf("%s: %v", p.name, failure)
		}
		if !got.Complete || got.Reduction != explore.Optimal || got.Distinct != want.Distinct || got.Runs != want.Distinct || got.Wasted > 0 {
			t.Errorf("%s: %d orders in %d runs, %d wasted, complete %v, with %v (%s), nondeterminism %q; want %d", p.name, got.Distinct, got.Runs, got.Wasted,
				got.Complete, got.Reduction, got.Because, got.Nondeterminism, want.Distinct)
		}
	}
}
