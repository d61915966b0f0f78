package search

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
)

// The progress of an exploration with inputs counts the completed inputs.
func TestProgressOfInputs(t *testing.T) {
	var last explore.Progress
	o := ExploreOptions{Seed: 1, Progress: func(p explore.Progress) { last = p }}
	x := newExploring(context.Background(), Property{Name: t.Name(), Test: t.Name(), Func: trial.Chosen}, o)
	defer x.close()
	x.inputs.next()
	x.began = time.Now().Add(-time.Minute)
	x.verdict.Runs, x.verdict.Cut, x.verdict.Failures = 100, 3, map[string]int{"a": 2}
	x.tell(explore.Progress{Runs: 17, Wasted: 1, Elapsed: time.Second, Estimate: 20, Left: time.Second, Failures: 1, Done: true})
	rate, elapsed := last.Rate, last.Elapsed
	last.Rate, last.Elapsed = 0, 0
	if last != (explore.Progress{Runs: 117, Wasted: 4, Failures: 3}) || math.Abs(rate*elapsed.Seconds()-121) > 1 || elapsed < time.Minute {
		t.Errorf("told %+v, rate %v, elapsed %v", last, rate, elapsed)
	}
}

// A long exploration reports its progress, with an estimate of the number of runs. This one continues until it has
// reported once, however long that takes.
func TestProgressOfAnExploration(t *testing.T) {
	var told []explore.Progress
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := ExploreOptions{Progress: func(p explore.Progress) {
		told = append(told, p)
		cancel()
	}}
	x := exploreUntil(t, ctx, o, trial.Crowded(11))
	if len(told) == 0 || slices.ContainsFunc(told, func(p explore.Progress) bool { return p.Done }) {
		t.Fatalf("told %+v", told)
	}
	const all = 39_916_800 // 11!
	for _, n := range []float64{told[0].Estimate, x.Verdict.Estimate} {
		if n < all*0.99 || n > all*1.01 {
			t.Errorf("%v runs in all, want %d", n, all)
		}
	}
	if want := "NOT complete (stop): "; !strings.HasPrefix(x.Verdict.String(), want) || !strings.Contains(x.Verdict.String(), " runs of about 40,000,000, ") {
		t.Errorf("%v", x.Verdict)
	}
}

// The runs of an estimate do not count as runs of the search, and their results do not count
// either.
func TestEstimateIsNotCounted(t *testing.T) {
	var calls atomic.Int64
	picky := func(t *props.T) { // fails in one of six orders, and skips another
		calls.Add(1)
		said := ""
		sys := t.System()
		trial.Crowd(sys, 6, func(word string) { said += word })
		sys.Run()
		switch said[:1] {
		case "f":
			t.Error("the last is the first")
		case "e":
			t.Skip("of no interest")
		}
	}
	for _, workers := range []int{1, 2} {
		calls.Store(0)
		x := exploreFor(t, ExploreOptions{Estimate: true, KeepOn: true, Workers: workers}, picky)
		v := &x.Verdict
		if calls.Load() < 720+50 || v.Runs != 720 || v.Skipped != 120 || x.finishedRuns() != 720 || x.made != 720+v.Wasted ||
			v.Estimate != 720 || len(x.Found) != 1 || !strings.Contains(v.String(), "; 120 runs failed") {
			t.Errorf("%d workers, %d calls: %v; %d ended, %d made, failures %v", workers, calls.Load(), v, x.finishedRuns(), x.made, v.Failures)
		}
	}
	x := exploreFor(t, ExploreOptions{Estimate: true, Runs: 3}, picky)
	if v := &x.Verdict; v.Runs != 3 || len(x.Found) != 0 || len(v.Failures) != 0 || v.Estimate != 720 {
		t.Errorf("stopped before the failure: %v, found %v, failures %v, estimate %v", v, x.Found, v.Failures, v.Estimate)
	}
}

// TestEstimateInAVerdict checks how a verdict states the number of runs.
func TestEstimateInAVerdict(t *testing.T) {
	for _, c := range []struct {
		v    Verdict
		want string
	}{
		{Verdict{Result: explore.Result{Bound: "time", Distinct: 12_400, Runs: 12_400, Estimate: 81_234, Steps: 98_712}, Inputs: 1},
			"NOT complete (time): 12,400 distinct orders in 12,400 runs of about 81,000, 98,712 steps, 0s"},
		{Verdict{Result: explore.Result{Bound: "time", Distinct: -1, Runs: 1013, Wasted: 1200, Estimate: 1041, Steps: 1}, Inputs: 1},
			"NOT complete (time): 1,013 runs of about 1,013, 1,200 wasted, 1 step, 0s"},
		{Verdict{Result: explore.Result{Bound: "runs", Distinct: 7, Runs: 7, Estimate: 3e20}, Inputs: 1, more: true},
			"NOT complete (runs): 7 distinct orders in 7 runs of more than 10^18 for this input, 0 steps, 0s"},
		{Verdict{Result: explore.Result{Bound: "runs", Distinct: 7, Runs: 7, Estimate: 9}, Inputs: 2, more: true},
			"NOT complete (runs) after 2 inputs: 7 distinct orders in 7 runs of about 9 for these inputs, 0 steps, 0s"},
		{Verdict{Result: explore.Result{Bound: "time", Distinct: 7, Runs: 7, Estimate: 7}, Inputs: 1},
			"NOT complete (time): 7 distinct orders in 7 runs, 0 steps, 0s"},
		{Verdict{Result: explore.Result{Bound: "time", Distinct: -1, Runs: 7, Estimate: 9, Levels: make([]explore.Level, 2)}, Inputs: 1},
			"NOT complete (time): 7 runs, 0 steps, 0s"},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// A verdict and its advice give the same number of runs. They once gave "520,000,000 to 2,100,000,000" and
// "1,000,000,000".
func TestOneEstimate(t *testing.T) {
	for _, bound := range []explore.Bound{"time", "runs"} {
		for estimate, want := range map[float64]string{1.04e9: "about 1,000,000,000", 81_234: "about 81,000", 3e20: "more than 10^18"} {
			v := Verdict{Result: explore.Result{Bound: bound, Distinct: 90, Runs: 90, Estimate: estimate}, Inputs: 1}
			if bound == "time" && estimate < 1e9 { // in this case the advice gives a time
				continue
			}
			if got, advice := v.String(), v.Advice(); !strings.Contains(got, " of "+want+", ") || !strings.Contains(advice, want) {
				t.Errorf("%s\n%s\nwant %s in both", got, advice, want)
			}
		}
	}
}

// An estimate for one of several inputs is not reported as the estimate for all inputs.
func TestEstimatesAreAddedUp(t *testing.T) {
	for _, c := range []struct {
		estimates []float64
		want      float64
	}{{[]float64{3, 4}, 7}, {[]float64{3, 0}, 0}, {[]float64{0, 3}, 0}, {[]float64{5}, 5}} {
		v := Verdict{}
		for _, n := range c.estimates {
			v.add(&explore.Result{Estimate: n})
		}
		if v.Estimate != c.want {
			t.Errorf("%v add up to %v", c.estimates, v.Estimate)
		}
	}
}
