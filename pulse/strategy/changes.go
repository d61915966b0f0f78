package strategy

import "slices"

// changePoints are the points of a run at which a priority changes. At point i a
// priority drops to i+1, which is below all priorities drawn at random.
type changePoints struct {
	depth int // the bug depth; zero means that each run draws an element of depths
	// points are the sorted change points. The upper half of a word is the position of
	// the point in the run. The lower half is the number i of the point.
	points []uint64
	passed int // the number of change points that the method at has passed so far
}

// depths are the bug depths used if the options give none. Most bugs have depth 3
// or less (Burckhardt et al., section 4). Some bugs need more priority changes,
// because one actor must come first repeatedly. Each depth is used in a quarter of
// the runs. So the probability bound for bugs of each depth holds up to a factor of
// four.
var depths = [...]int{3, 6, 12, 24}

// pointsFor returns change points for bugs of the given depth.
func pointsFor(depth int) changePoints { return changePoints{depth: max(depth, 0)} }

// draw draws the position of each point uniformly and independently from 1 to n.
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

// at returns the priority that the change point at position n assigns. It returns
// zero if there is no change point at n. n must increase from call to call.
func (p *changePoints) at(n int) uint64 {
	for p.passed < len(p.points) && p.points[p.passed]>>32 < uint64(n) {
		p.passed++
	}
	if p.passed == len(p.points) || p.points[p.passed]>>32 > uint64(n) {
		return 0
	}
	return uint64(uint32(p.points[p.passed])) + 1
}

// drawn is a bit set in all priorities drawn at random. It puts them above the
// priorities assigned at change points.
const drawn = 1 << 63
