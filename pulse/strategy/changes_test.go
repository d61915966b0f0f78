package strategy

import (
	"testing"
)

// TestChangePoints compares change points with a linear search. If two points
// have the same position, the first counts.
func TestChangePoints(t *testing.T) {
	for seed := range uint64(500) {
		var s source
		s.seed(seed)
		depth, n := 1+int(seed%30), 1+int(seed*7%40)
		p := pointsFor(depth)
		var drawnAt []int
		for range 2 { // the second run reuses the memory of the first
			before := s
			p.draw(&s, n)
			drawnAt = drawnAt[:0]
			for range depth - 1 {
				drawnAt = append(drawnAt, 1+before.below(n))
			}
			for at := range n + 3 {
				want := uint64(0)
				for i := len(drawnAt) - 1; i >= 0; i-- {
					if drawnAt[i] == at {
						want = uint64(i) + 1
					}
				}
				if got := p.at(at); got != want {
					t.Fatalf("seed %d: at %d of %v: %d, want %d", seed, at, drawnAt, got, want)
				}
			}
		}
	}
}

// If no depth is given, each of the default depths is drawn equally often.
func TestDepthsAreDrawn(t *testing.T) {
	const tries = 8000
	var s source
	s.seed(1)
	p, counts := pointsFor(0), map[int]int{}
	for range tries {
		p.draw(&s, 100)
		counts[len(p.points)+1]++
	}
	for _, d := range depths {
		if c := counts[d]; c < tries/len(depths)*9/10 || c > tries/len(depths)*11/10 {
			t.Errorf("depth %d is drawn in %d of %d runs", d, c, tries)
		}
		delete(counts, d)
	}
	if len(counts) > 0 {
		t.Errorf("other depths are drawn: %v", counts)
	}
}
