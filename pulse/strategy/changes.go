package strategy

import "slices"

// A changePoints is the places in a run at which priorities change: at point i a
// priority falls to i+1, which is below all priorities that are drawn.
type changePoints struct {
	depth int // zero: one of depths, drawn in each run
	// points has the points of a run in the order of their places: a place in the upper
	// half of a word, and i in the lower.
	points []uint64
	passed int // the points that lie before the last place that was asked about
}

// depths are the depths of bugs to look for when the options name none. Most bugs are
// no deeper than the first (Burckhardt et al., section 4), but some that are need
// priorities to change often: orders in which one who is often asked comes first again
// and again. For a bug of each of these depths the bound on its chance holds but for a
// factor of four: the other runs are for other depths.
var depths = [...]int{3, 6, 12, 24}

// pointsFor returns as many change points as bugs of a depth need.
func pointsFor(depth int) changePoints { return changePoints{depth: max(depth, 0)} }

// draw chooses each point from 1 to n with equal chance, independent of the
// others.
func (p *changePoints) draw(s *source, n int) {
	depth := p.depth
	if depth == 0 {
		depth = depths[s.below(len(depths))]
	}
	p.points, p.passed = p.points[:0], 0
	for i := range depth - 1 {
		p.points = append(p.points, uint64(1+s.below(n))<<32|uint64(i))
	}
	slices.Sort(p.points)
}

// at returns the priority to which a change at n leads, zero when there is none. In a
// run it is asked about one n after the other, in order.
func (p *changePoints) at(n int) uint64 {
	for p.passed < len(p.points) && p.points[p.passed]>>32 < uint64(n) {
		p.passed++
	}
	if p.passed == len(p.points) || p.points[p.passed]>>32 > uint64(n) {
		return 0
	}
	return uint64(uint32(p.points[p.passed])) + 1
}

// drawn is the bit that all drawn priorities have: it puts them above the others.
const drawn = 1 << 63
