package coverage

import (
	"fmt"
	"math"
)

// A Chance is the probability that the next unguided run shows an order that no run has
// shown. It is the estimate of Good and Turing: the share of unguided runs that showed an
// order which no other run has.
//
// It holds for runs made as the unguided ones were: the same program, with inputs drawn
// from the same distribution.
type Chance struct {
	// Runs counts the unguided runs. Alone counts those that are the only ones to have
	// shown some order.
	Runs, Alone int
	// Likely is the probability; Low and High are its 95% confidence interval. Without
	// runs they are 0, 0 and 1.
	Likely, Low, High float64
}

// Chance returns the chance that the next unguided run shows something new.
func (o *Orders) Chance() Chance {
	c := Chance{Alone: len(o.past.held), High: 1}
	for _, s := range o.past.sources {
		c.Runs += s.unguided
		c.Alone += s.lost
	}
	if c.Runs == 0 {
		return c
	}
	c.Alone = min(c.Alone, c.Runs)
	// The interval uses the mean square error of Esty (Annals of Statistics, 1983), where
	// an order is a species and a run is a caught animal. Take two runs away: each would
	// be new again if it is alone, or if only the other one showed the same order.
	const z = 1.96
	n, alone := float64(c.Runs), float64(c.Alone)
	spread := alone + 2*float64(o.couples())
	c.Likely = alone / n
	c.Low = max(0, alone-z*math.Sqrt(spread)) / n
	c.High = min(1, (alone+z*math.Sqrt(spread+1)+2)/n)
	return c
}

// couples counts the pairs of runs of which both showed an order that no third run has,
// and neither showed one alone.
func (o *Orders) couples() int {
	list := map[runs]bool{}
	for _, r := range o.past.rare {
		if r.second != 0 && o.past.held[r.first] == 0 && o.past.held[r.second] == 0 {
			list[r] = true
		}
	}
	return len(list)
}

// String returns "with chance 0.41% (0.1% to 0.9%)", or "with chance < 0.1%" if Low is
// zero.
func (c Chance) String() string {
	if c.Low == 0 {
		return "with chance < " + upTo(c.High)
	}
	return fmt.Sprintf("with chance %.2g%% (%.2g%% to %.2g%%)", 100*c.Likely, 100*c.Low, 100*c.High)
}

// upTo writes a fraction as a percentage of one digit, rounded up.
func upTo(x float64) string {
	if x >= 0.1 {
		return fmt.Sprintf("%.0f%%", math.Ceil(100*x))
	}
	unit := math.Pow(10, math.Floor(math.Log10(100*x)))
	up := math.Ceil(100*x/unit-1e-9) * unit
	if up >= 10 {
		return "10%"
	}
	return fmt.Sprintf("%.1g%%", up)
}
