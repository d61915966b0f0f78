package coverage

// A past records the runs that Chance needs. Counts are kept for each source and only
// grow, so the larger of two counts is the later one. Therefore the result does not depend
// on the order or number of merges.
//
// Invariants: A seen order either is in the map rare or has its bit in the matrix many
// set, never both. The map held maps a run's ID to the number of orders in rare that only
// this run has. It has no entries with the value zero.
type past struct {
	sources map[uint64]*source
	rare    map[spot]runs
	held    map[uint64]int32
}

// A spot identifies the order "step j before step k" of one receiver. place is the index
// of the receiver in Orders.receivers.
type spot struct{ place, k, j int32 }

// runs has the IDs of the one or two unguided runs that have a certain order. The smaller
// ID comes first. If there is one run, second is zero.
type runs struct{ first, second uint64 }

// A source holds the counts of the runs with one Orders.Source, such as one worker of a
// search.
type source struct {
	runs     int // the number of all runs
	unguided int
	lost     int     // the number of unguided runs with a new order that did not fit into past.rare
	folded   int     // the number of receives that were told apart by message type alone
	marks    []Point // the points of the curve
}

// mostRare is the maximum size of past.rare.
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

// with returns the union of r and more; ok is false if the union has more than two runs.
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

// notes reports whether the current run must be recorded for a new order. It must if the
// run is unguided and past.rare has room. If past.rare has no room, notes counts the
// unguided run as lost.
func (o *Orders) notes() bool {
	if o.random && len(o.past.rare) >= mostRare && !o.lost {
		o.lost = true
		o.own.lost++
	}
	return o.random && len(o.past.rare) < mostRare
}

// shown records that the current run has an order. The order must be new or in past.rare.
// many reports whether the order need no longer be in past.rare and belongs in the matrix
// many.
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

// set replaces the recorded runs of an order. was has the old runs, and is has the new
// runs.
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
