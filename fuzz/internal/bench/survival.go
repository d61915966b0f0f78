package bench

import (
	"math"
	"slices"
)

// An observation is the result of one search. A time is a number of runs or of seconds.
type observation struct {
	At    float64
	Found bool // set if the search found the bug at time At; if not set, the search gave up (was censored) at At
}

// A curvePoint is a time at which a survivalCurve falls.
type curvePoint struct {
	At   float64
	Left float64 // the estimated fraction of searches that have not found the bug after time At
	// Spread is the sum in Greenwood's formula: the variance of Left is Left squared
	// times Spread. If Left is zero, Spread is infinite.
	Spread float64
}

// A survivalCurve is the Kaplan-Meier estimate of the fraction of searches that have not
// found the bug, as a function of time. It has the times at which the fraction falls.
// Before the first time the fraction is one.
type survivalCurve []curvePoint

// survival returns the survival curve of a list of searches. A search that gives up at the
// time at which a second search finds the bug still counts as running at that time.
func survival(list []observation) survivalCurve { return survivalCurve(nil).of(sorted(list)) }

// of returns the survival curve of a sorted list of searches. It reuses the memory of c.
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

// The median is the time at which a curve crosses half. Because the values of a curve have
// rounding errors, a value that differs from half by at most roundings counts as half.
const (
	half      = 0.5
	roundings = 1e-9
)

// Median returns the time at which half of the searches have found the bug. It is the
// first time after which less than half of the searches are left. If exactly half are left
// after some time, the median is the middle between this time and the next time in the
// curve. It is infinite if more than half of the searches do not find the bug.
func (c survivalCurve) Median() float64 { return c.cross(func(p curvePoint) float64 { return p.Left }) }

// normal95 is the number of standard deviations around the mean that contain 95% of a
// normal distribution.
const normal95 = 1.959963984540054

// MedianInterval returns the 95% confidence interval of the median (Brookmeyer and
// Crowley, "A confidence interval for the median survival time", Biometrics 38, 1982). The
// interval ends at the times at which the lower and upper confidence limits of the curve
// cross one half. These limits are computed for the logarithm of the curve. A bound is
// infinite if its limit does not cross one half.
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

// cross returns the time of the first point of the curve for which the function share
// returns less than one half. It is infinite if there is no such point.
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
