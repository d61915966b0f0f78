package search

import (
	"context"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/props"
)

// LookForHints performs no further run after hintingTime. On a slow machine it still performs
// leastHinting runs. A property whose runs are so slow that only these fit into hintingTime gains
// nothing from hints.
const (
	hintingTime  = 100 * time.Millisecond
	leastHinting = 2
)

// Hints is the result of LookForHints, which finds out whether a property gives hints by
// T.Feature or T.Maximize. Hints tell a guided search how far a run got.
type Hints struct {
	// Given reports whether the property gave a hint.
	Given bool
	// Failed is the failing run that LookForHints met; nil if none failed.
	Failed *finding.Finding
	// Run is the number of the failing run, from 0.
	Run int
}

// LookForHints performs the runs of the first batch of a Sample with these options, until
// a run gives a hint or fails, or two runs have passed and 100ms are over.
func LookForHints(ctx context.Context, p Property, o Options) (h Hints) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start, runs := time.Now(), 0
	if batch := o.BatchSize(); o.Runs == 0 || o.Runs > batch {
		o.Runs = batch
	}
	o.Workers, o.Passed = 0, func(_ string, res *props.Result) {
		if runs++; runs >= leastHinting && time.Since(start) > hintingTime {
			cancel()
		}
		if slices.ContainsFunc(res.Hints, func(h props.Hint) bool { return h.Kind != props.HintReached }) {
			h.Given = true
			cancel()
		}
	}
	res := Sample(ctx, p, o)
	h.Failed, h.Run = res.Finding, res.Index
	return h
}

// AddTo adds the failing run found by LookForHints to res as its finding, unless res has
// a finding.
func (h *Hints) AddTo(res *Result) {
	if res.Finding == nil && h.Failed != nil {
		res.Finding, res.Index = h.Failed, h.Run
	}
}

// hinted returns the arms for a property that gives hints. About half of the runs are
// performed by the arm guided. The list has an odd length, so that each arm has early
// timers in some of its runs and none in others.
func hinted() []Entry {
	list, err := Strategies(floorArm, "guided", "urw", "guided", "pos", "guided", "pct", "guided", floorArm)
	if err != nil {
		panic(err) // one of the names above is unknown
	}
	for i := range list {
		list[i].Batch *= 2 // double the batch, because guided makes only half of the runs
	}
	return list
}
