package coverage

import (
	"maps"
	"math/bits"
	"slices"
)

// A Point of a curve says how many orders were known after a number of runs.
type Point struct {
	Runs   int `json:"runs"`
	Orders int `json:"orders"`
}

// Curves returns a curve for each source: the number of known orders as a function of the
// source's runs. A curve has at most four points for each doubling of the runs. Orders
// that were merged into o are included from then on.
func (o *Orders) Curves() (list [][]Point) {
	for _, id := range slices.Sorted(maps.Keys(o.past.sources)) {
		if s := o.past.sources[id]; len(s.marks) > 0 {
			curve := slices.Clone(s.marks)
			if last := curve[len(curve)-1]; last.Runs < s.runs {
				curve = append(curve, Point{s.runs, last.Orders})
			}
			list = append(list, curve)
		}
	}
	return list
}

// perDoubling is the number of points a curve has for each doubling of the runs.
const perDoubling = 4

// slot returns the index in a curve of the point for the given number of runs, which is at
// least 1. Neighboring numbers of runs share a point.
func slot(runs int) int {
	octave := bits.Len(uint(runs)) - 1
	return perDoubling*octave + (runs-1<<octave)*perDoubling>>octave
}

// mark adds a point to the curve: the number of orders known after the runs so far. It
// replaces the last point if both have the same index (see slot).
func (s *source) mark(orders int) {
	p := Point{s.runs, orders}
	if n := len(s.marks); n > 0 && slot(s.marks[n-1].Runs) == slot(s.runs) {
		s.marks[n-1] = p
		return
	}
	s.marks = append(s.marks, p)
}
