package bench

import (
	"math"
	"slices"
)

// An observation is the result of one search. Times are numbers of runs, or seconds.
type observation struct {
	At    float64
	Found bool // set if the search found the bug at time At; otherwise the search was censored at At
}

// A curvePoint is a time at which a survival curve falls.
type curvePoint struct {
	At   float64
	Left float64 // the fraction of searches that have not found the bug after that time
	// Spread is the sum in Greenwood's formula: the variance of Left is Left squared
	// times Spread. If Left is zero, Spread is infinite.
	Spread float64
}

// A survivalCurve is the Kaplan-Meier estimate of the fraction of searches that have not
// found the bug. It has the times at which the fraction falls. Before the first of them the
// fraction is one.
type survivalCurve []curvePoint

// survival returns the curve of a list of searches. A search that is censored when another
// one finds the bug still counts as at risk then.
func survival(list []observation) survivalCurve { return survivalCurve(nil).of(sorted(list)) }

// of returns the curve of a sorted list, using the memory of c.
func (c survivalCurve) of(list []observation) survivalCurve {
	c = c[:0]
	left, spread := 1.0, 0.0
	for i := 0; i < len(list); {
		at, risk, found := list[i].At, float64(len(list)-i), 0.0
		for ; i < len(list) && list[i].At == at; i++ {
			if list[i].Found {
				found++
			}
		}
		if found == 0 {
			continue
		}
		left *= (risk - found) / risk
		spread += found / (risk * (risk - found))
		c = append(c, curvePoint{at, left, spread})
	}
	return c
}

func sorted(list []observation) []observation {
	return slices.SortedFunc(slices.Values(list), func(a, b observation) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
}

// The median is where a curve crosses half. Values of a curve have rounding errors, so a
// value within roundings of half counts as half.
const (
	half      = 0.5
	roundings = 1e-9
)

// Median returns the time at which half of the searches have found the bug. It is the first
// time after which less than half of the searches are left. If exactly half are left after
// some time, it is the middle between that time and the next. It is infinite if more than
// half of the searches do not find the bug.
func (c survivalCurve) Median() float64 { return c.cross(func(p curvePoint) float64 { return p.Left }) }

// normal95 is the number of standard deviations around the mean that contain 95% of a
// normal distribution.
const normal95 = 1.959963984540054

// MedianInterval returns the 95% confidence interval of the median (Brookmeyer and Crowley,
// "A confidence interval for the median survival time", Biometrics 38, 1982). Its bounds
// are the times at which the bounds of the curve, computed for the logarithm, cross one
// half. A bound that is not reached is infinite.
func (c survivalCurve) MedianInterval() (low, high float64) {
	low = c.cross(func(p curvePoint) float64 { return p.Left * math.Exp(-normal95*math.Sqrt(p.Spread)) })
	high = c.cross(func(p curvePoint) float64 {
		if p.Left == 0 {
			return 0
		}
		return p.Left * math.Exp(normal95*math.Sqrt(p.Spread))
	})
	return low, high
}

// cross returns the time at which share falls below one half. share computes a value from a
// point of the curve.
func (c survivalCurve) cross(share func(curvePoint) float64) float64 {
	for i, p := range c {
		switch s := share(p); {
		case s < half-roundings:
			return p.At
		case s <= half+roundings && i+1 < len(c):
			return (p.At + c[i+1].At) / 2
		case s <= half+roundings:
			return p.At
		}
	}
	return math.Inf(1)
}
