package search

import (
	"context"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/props"
)

// hintingTime bounds how long a property is tried to find out whether it gives hints.
// Guidance is useless for a property whose runs take longer.
const hintingTime = 100 * time.Millisecond

// Hints say whether a property tells a guided search how far its runs have come, by T.Feature
// or T.Maximize.
type Hints struct {
	Given bool
	// Failed is a run of this trial that failed, and Run its number, from 0.
	Failed *finding.Finding
	Run    int
}

// LookForHints makes the runs of the first batch of a Sample with these options, until one
// gives a hint or fails.
func LookForHints(ctx context.Context, p Property, o Options) (h Hints) {
	ctx, cancel := context.WithTimeout(ctx, hintingTime)
	defer cancel()
	if batch := o.BatchSize(); o.Runs == 0 || o.Runs > batch {
		o.Runs = batch
	}
	o.Passed = func(_ string, res *props.Result) {
		if slices.ContainsFunc(res.Hints, func(h props.Hint) bool { return h.Kind != props.HintReached }) {
			h.Given = true
			cancel()
		}
	}
	res := Sample(ctx, p, o)
	h.Failed, h.Run = res.Finding, res.Index
	return h
}

// AddTo adds the failing run to the result of a search that found nothing.
func (h *Hints) AddTo(res *Result) {
	if res.Finding == nil && h.Failed != nil {
		res.Finding, res.Index = h.Failed, h.Run
	}
}

// hinted returns the arms for a property that gives hints. Half of the runs are those of a
// guided search, and half of these are random. The list has an odd length, so that each arm
// has early timers in some runs and not in others.
func hinted() []Entry {
	list, err := Strategies(floorArm, "guided", "urw", "guided", "pos", "guided", "pct", "guided", floorArm)
	if err != nil {
		panic(err) // one of the names is wrong
	}
	for i := range list {
		list[i].Batch *= 2 // the other half is not guided
	}
	return list
}
