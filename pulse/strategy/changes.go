package strategy

// A changePoints is the places in a run at which priorities change: at entry i a
// priority falls to i+1, which is below all priorities that are drawn.
type changePoints []int

// defaultDepth is the depth of bugs to look for when the options name none: most
// bugs are no deeper (Burckhardt et al., section 4).
const defaultDepth = 3

// pointsFor returns as many change points as bugs of a depth need.
func pointsFor(depth int) changePoints {
	if depth <= 0 {
		depth = defaultDepth
	}
	return make(changePoints, depth-1)
}

// draw chooses each point from 1 to n with equal chance, independent of the
// others.
func (p changePoints) draw(s *source, n int) {
	for i := range p {
		p[i] = 1 + s.below(n)
	}
}

// at returns the priority to which a change at n leads, zero when there is none.
func (p changePoints) at(n int) uint64 {
	for i, point := range p {
		if point == n {
			return uint64(i) + 1
		}
	}
	return 0
}

// drawn is the bit that all drawn priorities have: it puts them above the others.
const drawn = 1 << 63
