package coverage

// A past says which runs there were, as far as that must be known to tell how much
// is still to be seen. It can be merged any number of times in any order: what
// is counted is counted for each source, and of two counts of one source the larger
// is the later.
//
// Invariants: an order that was seen is in rare, or its bit in many is set, and not
// both. held has how many orders of rare a run alone has shown, if there are any.
type past struct {
	sources map[uint64]*source
	rare    map[spot]runs
	held    map[uint64]int32
}

// A spot is an order: step j before step k of the receiver at a place.
type spot struct{ place, k, j int32 }

// runs are the runs that have shown an order, one or two, all unguided: the smaller
// id first. The second is zero when there is one.
type runs struct{ first, second uint64 }

// A source is what is counted of the runs of one source.
type source struct {
	runs, unguided int
	lost           int     // unguided runs that may be the only ones to show some order, which is not known
	folded         int     // receives that were told apart by types alone
	marks          []Point // of the curve
}

// mostRare bounds how many orders are kept in rare.
const mostRare = 1 << 17

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

// with returns the union of two sets of runs; ok is false when it has more than two.
func (r runs) with(more runs) (all runs, ok bool) {
	if r, ok = r.add(more.first); ok && more.second != 0 {
		r, ok = r.add(more.second)
	}
	return r, ok
}

func (r runs) add(id uint64) (runs, bool) {
	switch {
	case id == r.first, id == r.second:
		return r, true
	case r.second != 0:
		return r, false
	case r.first == 0:
		return runs{first: id}, true
	}
	return runs{min(r.first, id), max(r.first, id)}, true
}

// notes reports whether the current run is noted for an order that no run has shown.
// If it is unguided, and there is no room for it, it is counted as lost.
func (o *Orders) notes() bool {
	if o.random && len(o.past.rare) >= mostRare && !o.lost {
		o.lost = true
		o.own.lost++
	}
	return o.random && len(o.past.rare) < mostRare
}

// shown notes that the current run has shown an order. It reports whether from now on
// no run need be noted for it. An order of which nothing is known is one that was not
// seen.
func (o *Orders) shown(at spot) (many bool) {
	p := &o.past
	was, known := p.rare[at]
	switch {
	case !o.random:
		p.set(at, was, runs{})
		return true
	case !known && !o.notes():
		return true
	}
	is, ok := was.add(o.id)
	if !ok {
		is = runs{}
	}
	p.set(at, was, is)
	return !ok
}

// set changes which runs are known to have shown an order.
func (p *past) set(at spot, was, is runs) {
	if was == is {
		return
	}
	if p.rare == nil {
		p.rare, p.held = map[spot]runs{}, map[uint64]int32{}
	}
	if was.first != 0 && was.second == 0 {
		if p.held[was.first]--; p.held[was.first] == 0 {
			delete(p.held, was.first)
		}
	}
	if is.first != 0 && is.second == 0 {
		p.held[is.first]++
	}
	if is.first == 0 {
		delete(p.rare, at)
		return
	}
	p.rare[at] = is
}
