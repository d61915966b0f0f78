package coverage

import (
	"fmt"
	"math"
)

// A Chance says how likely it is that the next unguided run shows an order that
// no run has shown so far, as Good and Turing tell it: as likely as it was for the
// runs that there were, each seen as if it had come last. So it is the part of
// the unguided runs that have shown an order which no other run has.
//
// It holds for runs that are made as the unguided ones were: of the same program, with
// inputs that are drawn alike.
type Chance struct {
	// Runs is how many unguided runs there were, and Alone how many of them are
	// the only ones to have shown some order.
	Runs, Alone int
	// Likely is the chance, and Low and High are where it lies in 19 of 20 cases.
	// Without runs they are 0, 0 and 1.
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
	// How far the estimate is from the truth is known from the runs too. With
	// two runs taken away, each would be new again if it is alone, or if what it has
	// shown was else shown by the other one only. The mean square of the
	// difference follows: it is that of Esty (Annals of Statistics, 1983), where
	// an order stands for a species and a run for an animal that is caught.
	const z = 1.96
	n, alone := float64(c.Runs), float64(c.Alone)
	spread := alone + 2*float64(o.couples())
	c.Likely = alone / n
	c.Low = max(0, alone-z*math.Sqrt(spread)) / n
	c.High = min(1, (alone+z*math.Sqrt(spread+1)+2)/n)
	return c
}

// couples counts the pairs of runs that are new but for each other: both have shown an
// order that no third run has, and neither has shown one alone.
func (o *Orders) couples() int {
	list := map[runs]bool{}
	for _, r := range o.past.rare {
		if r.second != 0 && o.past.held[r.first] == 0 && o.past.held[r.second] == 0 {
			list[r] = true
		}
	}
	return len(list)
}

// String says "with chance 0.41% (0.1% to 0.9%)", or "with chance < 0.1%" when it is
// not known to be more than nothing.
func (c Chance) String() string {
	if c.Low == 0 {
		return "with chance < " + upTo(c.High)
	}
	return fmt.Sprintf("with chance %.2g%% (%.2g%% to %.2g%%)", 100*c.Likely, 100*c.Low, 100*c.High)
}

// upTo writes a part to one digit that is not less than it is.
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
