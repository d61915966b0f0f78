package search

import (
	"math"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
)

// The advice on an incomplete exploration says how much is left and what to do. A verdict once said only "of about
// +Inf".
func TestAdvice(t *testing.T) {
	const rest = ", have more Config.Workers, make the input smaller, or use Check"
	base := explore.Result{Bound: "time", Runs: 1000, Distinct: 1000, Elapsed: 10 * time.Second}
	with := func(change func(v *Verdict)) Verdict {
		v := Verdict{Result: base, Inputs: 1}
		change(&v)
		return v
	}
	for _, c := range []struct {
		verdict Verdict
		want    string
	}{
		{with(func(v *Verdict) { v.Complete = true }), ""},
		{with(func(v *Verdict) { v.Failures = map[string]int{"a": 1} }), ""},
		{with(func(v *Verdict) { v.Bound = "stop" }), ""},
		{with(func(v *Verdict) {}), "raise Config.Budget or JOSTLE_BUDGET, continue later from Config.File" + rest},
		{with(func(v *Verdict) { v.Estimate = 6500 }),
			"all orders take about 65 s: raise Config.Budget or JOSTLE_BUDGET, continue later from Config.File" + rest},
		{with(func(v *Verdict) { v.Estimate, v.more = 6500, true }),
			"all orders take about 65 s, not counting inputs that were not started: raise Config.Budget or JOSTLE_BUDGET" + rest},
		{with(func(v *Verdict) { v.Estimate, v.Bound, v.Inputs = 81_234, "runs", 2 }),
			"all orders take about 81,000 runs: raise Config.Runs or JOSTLE_BUDGET" + rest},
		{with(func(v *Verdict) { v.Estimate = math.Inf(1) }),
			"there are more than 10^18 orders: use Check, which finds more in the same time, or make the input smaller"},
		{with(func(v *Verdict) { v.known, v.Inputs = 1_234_567, 2 }),
			"there are at least 1,200,000 orders: use Check, which finds more in the same time, or make the input smaller"},
		{with(func(v *Verdict) { v.known, v.Inputs = 999_000, 2 }), "raise Config.Budget or JOSTLE_BUDGET" + rest},
		{with(func(v *Verdict) { v.Wasted, v.Inputs = 2000, 2 }), "raise Config.Budget or JOSTLE_BUDGET" + rest +
			"; 2,000 runs were wasted and 1,000 were not: each wasted run only showed whether a process in ReceiveMatch takes a message; with Receive no run is wasted"},
		{with(func(v *Verdict) { v.Wasted, v.Inputs, v.Reduction = 2000, 2, explore.SourceSets }), "raise Config.Budget or JOSTLE_BUDGET" + rest +
			"; 2,000 runs were wasted and 1,000 were not: sleep sets stopped each wasted run when every possible next step had been run from another branch"},
		{with(func(v *Verdict) { v.Bound = "depth" }), "orders differ beyond Method.Depth steps: raise it"},
	} {
		if got := c.verdict.Advice(); got != c.want {
			t.Errorf("%v:\n%s, want\n%s", c.verdict, got, c.want)
		}
	}
	endless := with(func(v *Verdict) { v.Estimate = math.Inf(1) }).String()
	if want := "NOT complete (time): 1,000 distinct orders in 1,000 runs of more than 10^18, 0 steps, 10s"; endless != want {
		t.Errorf("got  %s\nwant %s", endless, want)
	}
}
