package coverage

// A past says which runs there were, as far as that must be known to tell how much
// is still to be seen. It can be merged any number of times in any order: what
// is counted is counted for each source, and of two counts of one source the larger
// is the later.
type past struct {
	sources map[uint64]*source
	// single has, of each order that one run alone has shown, that run, if it was
	// unguided. held has how many of these each run has; all are in single.
	single map[spot]uint64
	held   map[uint64]int32
}

// A spot is an order: step j before step k of the receiver at a place.
type spot struct{ place, k, j int32 }

// A source is what is counted of the runs of one source.
type source struct {
	runs, unguided int
	lost           int     // unguided runs that may be the only ones to show some order, which is not known
	marks          []point // of the curve
}

// mostSingle bounds how many orders are kept that one run alone has shown.
const mostSingle = 1 << 17

func (p *past) of(id uint64) *source {
	if p.sources == nil {
		p.sources = map[uint64]*source{}
	}
	s := p.sources[id]
	if s == nil {
		s = &source{}
		p.sources[id] = s
	}
	return s
}

// shown notes that the current run is the first to show an order.
func (o *Orders) shown(place, k, j int32) {
	p := &o.past
	switch {
	case !o.random:
	case len(p.single) < mostSingle:
		if p.single == nil {
			p.single, p.held = map[spot]uint64{}, map[uint64]int32{}
		}
		p.single[spot{place, k, j}] = o.id
		p.held[o.id]++
	case !o.lost:
		o.lost = true
		o.own.lost++
	}
}

// shownAgain notes that the current run shows an order that was shown before. It
// reports whether that was by another run.
func (o *Orders) shownAgain(place, k, j int32) bool {
	at := spot{place, k, j}
	id, ok := o.past.single[at]
	if ok && id == o.id {
		return false
	}
	if ok {
		o.past.release(at, id)
	}
	return true
}

// release forgets that a run alone has shown an order.
func (p *past) release(at spot, id uint64) {
	delete(p.single, at)
	if p.held[id]--; p.held[id] == 0 {
		delete(p.held, id)
	}
}
