package search

import (
	"context"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/flight"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A property is tried in hintingRuns random runs, or as many as take hintingTime, to learn
// whether it gives hints. Guidance is of no use to a property whose runs take longer.
const (
	hintingRuns = 128
	hintingTime = 100 * time.Millisecond
)

// GivesHints reports whether a property tells a guided search how far its runs have come, by
// T.Feature or T.Maximize, in one of a few random runs.
func GivesHints(ctx context.Context, p Property, seed uint64) bool {
	r, slot, start := p.NewRunner(), p.Recorder.Slot(0), time.Now()
	defer r.Close()
	by := strategy.Random()
	for i := 0; i < hintingRuns && ctx.Err() == nil && time.Since(start) < hintingTime; i++ {
		slot.Begin(flight.Sample, i)
		res := r.Run(props.Plan{Seed: hash.Seed(seed, uint64(i)), StrategySeed: hash.Seed(seed+1, uint64(i)), Strategy: by})
		if slices.ContainsFunc(res.Hints, func(h props.Hint) bool { return h.Kind != props.HintReached }) {
			return true
		}
	}
	return false
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
