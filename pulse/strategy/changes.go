package strategy

import "slices"

// changePoints are the points in a run at which priorities change. At point i a
// priority drops to i+1, which is below all drawn priorities.
type changePoints struct {
	depth int // zero: one of depths, drawn in each run
	// points has the points in order of position: the position in the upper
	// half of a word, i in the lower.
	points []uint64
	passed int // how many points are before the last position asked about
}

// depths are the bug depths to look for if the options name none. Most bugs are
// no deeper than the first (Burckhardt et al., section 4). Some need priorities
// to change often: orders in which a frequently asked actor comes first again
// and again. For a bug of one of these depths the probability bound holds up to
// a factor of four, since the other runs are for other depths.
var depths = [...]int{3, 6, 12, 24}

// pointsFor returns the change points for bugs of a depth.
func pointsFor(depth int) changePoints { return changePoints{depth: max(depth, 0)} }

// draw chooses each point from 1 to n, uniformly and independently.
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

// at returns the priority to which a change at n leads, or zero if there is no
// change. In a run, calls must have increasing n.
func (p *changePoints) at(n int) uint64 {
	for p.passed < len(p.points) && p.points[p.passed]>>32 < uint64(n) {
		p.passed++
	}
	if p.passed == len(p.points) || p.points[p.passed]>>32 > uint64(n) {
		return 0
	}
	return uint64(uint32(p.points[p.passed])) + 1
}

// drawn is a bit that all drawn priorities have: it puts them above the others.
const drawn = 1 << 63
