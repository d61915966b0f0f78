package strategy

// A changePoints is the places in a run at which priorities change: the i-th
// entry is where one falls to i+1, which is below all that are drawn.
type changePoints []int

// defaultDepth is the depth of the bugs that are looked for when nothing is
// said: most bugs are no deeper (Burckhardt et al., section 4).
const defaultDepth = 3

// pointsFor returns room for the change points that find bugs of a depth.
func pointsFor(depth int) changePoints {
	if depth <= 0 {
		depth = defaultDepth
	}
	return make(changePoints, depth-1)
}

// draw chooses each point from 1 to n, each with equal chance and regardless
// of the others.
func (p changePoints) draw(s *source, n int) {
	for i := range p {
		p[i] = 1 + s.below(n)
	}
}

// at returns the priority to which a change at n leads; zero when there is none.
func (p changePoints) at(n int) uint64 {
	for i, point := range p {
		if point == n {
			return uint64(i) + 1
		}
	}
	return 0
}

// drawn marks priorities that were drawn. They are above all others.
const drawn = 1 << 63
