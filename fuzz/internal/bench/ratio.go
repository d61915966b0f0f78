package bench

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A ratioRange is the ratio of the medians of two lists of searches, with its 95%
// confidence interval. If a bound of the interval is unknown, it is zero or infinite.
type ratioRange struct {
	Low, Value, High float64
	AtLeast          bool // set if the ratio is only known to be at least Value, because the first median is not reached
	AtMost           bool // set if the ratio is only known to be at most Value; if AtLeast is set too, Value is NaN
}

// within reports whether a ratio is known to be at most a bound.
func (q ratioRange) within(bound float64) bool { return !q.AtLeast && q.Value <= bound }

// resamples is the number of pairs of lists that the bootstrap draws at random.
const resamples = 1000

// ratioOfMedians returns the median of a divided by the median of b, with a percentile
// bootstrap interval. The result is deterministic.
func ratioOfMedians(a, b []observation) ratioRange {
	x, y := newResampler(a), newResampler(b)
	q := ratioOf(x, x.from, y, y.from)
	r := rand.New(rand.NewPCG(uint64(len(a)), uint64(len(b))))
	low, high := make([]float64, resamples), make([]float64, resamples)
	for i := range resamples {
		one := ratioOf(x, x.draw(r), y, y.draw(r))
		low[i], high[i] = one.Value, one.Value
		if one.AtLeast {
			high[i] = math.Inf(1)
		}
		if one.AtMost {
			low[i] = 0
		}
	}
	slices.Sort(low)
	slices.Sort(high)
	const tail = resamples * 25 / 1000
	q.Low, q.High = low[tail], high[resamples-1-tail]
	return q
}

// medianRatio returns the same as ratioOfMedians, without the interval.
func medianRatio(a, b []observation) ratioRange {
	x, y := newResampler(a), newResampler(b)
	return ratioOf(x, x.from, y, y.from)
}

// A resampler draws random lists from a given list, with replacement. The drawn lists are
// as long as the given list.
type resampler struct {
	from, to []observation // the given list and the drawn list, both sorted
	counts   []int         // has an element for each observation of the given list: the number of times that it was drawn
	curve    survivalCurve
}

func newResampler(list []observation) *resampler {
	return &resampler{from: sorted(list), counts: make([]int, len(list))}
}

func (s *resampler) draw(r *rand.Rand) []observation {
	clear(s.counts)
	for range s.from {
		s.counts[r.IntN(len(s.from))]++
	}
	s.to = s.to[:0]
	for i, n := range s.counts {
		for range n {
			s.to = append(s.to, s.from[i])
		}
	}
	return s.to
}

// median returns the median of a sorted list of observations. If less than half of the
// searches found the bug, it returns the last time of the list and false.
func (s *resampler) median(list []observation) (at float64, reached bool) {
	s.curve = s.curve.of(list)
	if m := s.curve.Median(); !math.IsInf(m, 1) || len(list) == 0 {
		return m, !math.IsInf(m, 1)
	}
	return list[len(list)-1].At, false
}

// ratioOf returns the ratio of the medians of the sorted lists a and b. If only one median
// is reached, it returns a bound on the ratio. x and y provide memory.
func ratioOf(x *resampler, a []observation, y *resampler, b []observation) ratioRange {
	m, reachedA := x.median(a)
	n, reachedB := y.median(b)
	if !reachedA && !reachedB {
		return ratioRange{Value: math.NaN(), AtLeast: true, AtMost: true}
	}
	return ratioRange{Value: m / n, AtLeast: !reachedA, AtMost: !reachedB}
}
