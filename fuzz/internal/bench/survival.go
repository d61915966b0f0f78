package bench

import (
	"math"
	"slices"
)

// An observation is the result of one search: it found the bug at a time, or had not
// found it by then. Times are runs, or seconds.
type observation struct {
	At    float64
	Found bool // false: the search was censored
}

// A curvePoint is a time at which a curve falls.
type curvePoint struct {
	At   float64
	Left float64 // the share that continues after it
	// Spread is Greenwood's sum: the variance of Left is Left squared times Spread. It is
	// infinite if Left is zero.
	Spread float64
}

// A survivalCurve is Kaplan and Meier's estimate of the share of searches that have not
// found the bug, at the times at which it falls. Before the first it is one.
type survivalCurve []curvePoint

// survival returns the curve of some searches. A search that is censored when others find
// the bug counts as at risk at that time.
func survival(list []observation) survivalCurve { return survivalCurve(nil).of(sorted(list)) }

// of returns the curve of a sorted list, in the memory of c.
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

// half is the share at the median. Sums of a curve are not exact: a share within
// roundings of half counts as half.
const (
	half      = 0.5
	roundings = 1e-9
)

// Median returns the time at which half of the searches have found the bug. It is the
// first at which fewer than half continue, or the middle between the time at which
// exactly half do and the next. It is infinite if more than half do not find it.
func (c survivalCurve) Median() float64 { return c.cross(func(p curvePoint) float64 { return p.Left }) }

// normal95 is how many standard deviations around the mean hold 95% of a normal
// distribution.
const normal95 = 1.959963984540054

// MedianInterval returns the 95% confidence interval of the median (Brookmeyer and
// Crowley, "A confidence interval for the median survival time", Biometrics 38, 1982):
// the times at which the interval of the curve, by logarithms, crosses one half. A bound
// that the searches do not show is infinite.
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

// cross returns the time at which a function of the curve falls below one half.
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
