package bench

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A Ratio is how many times as long one list of searches takes as another, by their
// medians, and between which bounds that lies with a confidence of 95%. A bound that
// the searches do not show is zero or infinite.
type Ratio struct {
	Low, Value, High float64
	// AtLeast and AtMost: half of the searches of one list found nothing, so Value is
	// only a bound of the ratio. If both hold nothing is known, and Value is not a number.
	AtLeast, AtMost bool
}

// resamples is how many pairs of lists the bootstrap draws.
const resamples = 1000

// MedianRatio returns the ratio of the median of a to that of b. Its interval is that
// of the percentile bootstrap. It is the same each time.
func MedianRatio(a, b []Observation) Ratio {
	var q Ratio
	q.Value, q.AtLeast, q.AtMost = ratio(a, b)
	r := rand.New(rand.NewPCG(uint64(len(a)), uint64(len(b))))
	low, high := make([]float64, resamples), make([]float64, resamples)
	fromA, fromB := make([]Observation, len(a)), make([]Observation, len(b))
	for i := range resamples {
		draw(r, a, fromA)
		draw(r, b, fromB)
		value, atLeast, atMost := ratio(fromA, fromB)
		low[i], high[i] = value, value
		if atLeast {
			high[i] = math.Inf(1)
		}
		if atMost {
			low[i] = 0
		}
	}
	slices.Sort(low)
	slices.Sort(high)
	const tail = resamples * 25 / 1000
	q.Low, q.High = max(0, low[tail]), high[resamples-1-tail]
	return q
}

// draw fills a list with observations of another.
func draw(r *rand.Rand, from, list []Observation) {
	for i := range list {
		list[i] = from[r.IntN(len(from))]
	}
}

// ratio returns the ratio of two medians, or a bound of it.
func ratio(a, b []Observation) (value float64, atLeast, atMost bool) {
	a, b = sorted(a), sorted(b)
	x, y := Survival(a).Median(), Survival(b).Median()
	if atLeast = math.IsInf(x, 1); atLeast {
		x = a[len(a)-1].At
	}
	if atMost = math.IsInf(y, 1); atMost {
		y = b[len(b)-1].At
	}
	if atLeast && atMost {
		return math.NaN(), true, true
	}
	return x / y, atLeast, atMost
}
