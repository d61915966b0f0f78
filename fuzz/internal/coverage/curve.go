package coverage

import "math/bits"

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
