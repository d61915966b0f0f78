package coverage

import (
	"fmt"
	"math"
)

// A Chance is the estimated probability that the next unguided run has an order that no
// earlier run had. It is the estimate of Good and Turing: the fraction of unguided runs
// with an order that is in no other run.
//
// The estimate holds for runs of the same program with inputs drawn from the same
// distribution as in the unguided runs.
type Chance struct {
	Runs  int `json:"runs"`  // the number of unguided runs
	Alone int `json:"alone"` // the number of unguided runs that have an order which no other run has
	// Likely is the probability, and Low and High are the bounds of its 95% confidence
	// interval. Without runs, Likely and Low are 0 and High is 1.
	Likely float64 `json:"likely"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Chance returns the estimated probability that the next unguided run has a new order.
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
	// The interval uses the mean square error of Esty (Annals of Statistics, 1983). In the
	// terms of that paper, an order is a species, and a run is a caught animal.
	const z = 1.96
	n, alone := float64(c.Runs), float64(c.Alone)
	spread := alone + 2*float64(o.couples())
	c.Likely = alone / n
	c.Low = max(0, alone-z*math.Sqrt(spread)) / n
	c.High = min(1, (alone+z*math.Sqrt(spread+1)+2)/n)
	return c
}

// couples returns the number of pairs of runs that share an order which no third run has.
// A pair is not counted if one of the two runs has an order that is in no other run.
func (o *Orders) couples() int {
	list := map[runs]bool{}
	for _, s := range o.past.rare.all() {
		if r := s.runs; r.second != 0 && o.past.held[r.first] == 0 && o.past.held[r.second] == 0 {
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

// upTo formats a fraction as a percentage, rounded up. Below 10% it has one significant
// digit.
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
