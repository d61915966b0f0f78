package coverage

// A past records the runs that Chance needs. The result of merges does not depend on their
// order or number, because counts are kept for each source and only grow: of two counts,
// the larger is the later one.
//
// Invariants: a seen order is either in the map rare or has its bit in the matrix many
// set, never both. For each run, held has the number of orders in rare that only this run
// has. held has no zeros.
type past struct {
	sources map[uint64]*source
	rare    map[spot]runs
	held    map[uint64]int32
}

// A spot is the order in which step j comes before step k, at the receiver with index
// place.
type spot struct{ place, k, j int32 }

// runs has the IDs of the one or two runs with an order. Both runs are unguided, and the
// smaller ID comes first. If there is one run, second is zero.
type runs struct{ first, second uint64 }

// A source holds the counts of the runs of one source.
type source struct {
	runs     int // the number of all runs
	unguided int
	lost     int     // the number of unguided runs that had a rare order for which there was no room
	folded   int     // the number of receives that were told apart by message type alone
	marks    []Point // the points of the curve
}

// mostRare is the maximum size of rare.
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

// with returns the union of two sets of runs; ok is false if it has more than two.
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

// notes reports whether the current run is recorded for a new order, which requires an
// unguided run and room in rare. Without room, notes counts the unguided run as lost.
func (o *Orders) notes() bool {
	if o.random && len(o.past.rare) >= mostRare && !o.lost {
		o.lost = true
		o.own.lost++
	}
	return o.random && len(o.past.rare) < mostRare
}

// shown records that the current run has an order, which must be in rare or new. many
// reports whether no further run needs to be recorded for the order.
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

// set replaces the recorded runs of an order: was by is.
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
