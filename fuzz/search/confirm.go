package search

import (
	"fmt"
	"math"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// leastConfirming is how many runs at random confirm that all orders were run.
// Exhaustion.Confirm makes more where there were more orders.
const leastConfirming = 128

// mostConfirmed bounds the inputs of these runs, which are the first that were done.
const mostConfirmed = 16

// confirm makes runs at random of an exploration that left orders out and is complete. No
// reduction is trusted alone: it knows of messages and of what System, T and Host are asked,
// and nothing of a variable that two actors change. A run that fails makes the exploration
// one that is not complete. Those that pass are counted nowhere.
func (x *exploring) confirm() {
	v := &x.verdict
	if !v.Complete || !v.leftOut() || len(v.Failures) > 0 || len(x.done) == 0 {
		return
	}
	by := [...]pulse.Strategy{strategy.Random(), strategy.POS()}
	w := x.workers[0]
	for i := range leastConfirming {
		if x.bound() != "" {
			return
		}
		x.turnTo(x.done[i%len(x.done)])
		w.run(props.Plan{Strategy: by[i/len(x.done)%len(by)], StrategySeed: hash.Seed(x.Seed, uint64(i))})
		if w.last.Failure != nil {
			w.keep(place{input: w.number, subtree: math.MaxInt}, true)
			v.Failures[w.last.Failure.Signature()], v.Probes = 1, v.Probes+i+1
			v.Complete, v.Bound, v.unconfirmed = false, "failure", true
			return
		}
	}
}

// leftOut reports whether the exploration left out orders because they do the same as others,
// and none for another reason, such as a bound.
func (v *Verdict) leftOut() bool {
	m := &v.asked
	return (v.Reduction != explore.Everything || v.Sleep || m.States != explore.NoStates) &&
		m.DelayBound == 0 && m.PreemptionBound == 0 && m.Depth == 0 && !m.DepthFirst
}

// doubt says why an order was left out that fails, "" if none was, or if the verdict says it.
func (v *Verdict) doubt() string {
	if !v.unconfirmed || v.Watched {
		return ""
	}
	return fmt.Sprintf("all orders were run that %s does not leave out, and one that it does fails: actors of this program have to do with "+
		"each other by more than messages, such as a variable that two of them change; give it to one of them, or explore with the "+
		"reduction everything", reduction(v.Reduction, v.Sleep))
}
