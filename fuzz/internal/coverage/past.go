package coverage

import (
	"iter"
	"math/bits"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A past records the runs that Chance needs. Counts are kept for each source and only
// grow, so the larger of two counts is the later one. Therefore the result does not depend
// on the order or number of merges.
//
// Invariants: A seen order either is in rare or has its bit in the matrix many set, never
// both. The map held maps a run's ID to the number of orders in rare that only this run
// has. It has no entries with the value zero.
type past struct {
	sources map[uint64]*source
	rare    sightings
	held    map[uint64]int32
}

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

// mostRare is the maximum number of orders in past.rare.
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

// note records that the current run has some orders of one spot. The orders in known are in
// past.rare already. The orders in first were in no run before. note returns the orders that belong
// in the matrix many, and no longer in past.rare.
func (o *Orders) note(at spot, known, first uint64) (many uint64) {
	p := &o.past
	if !o.random {
		p.forget(at, known)
		return known | first
	}
	if known != 0 {
		many = p.repeat(at, known, o.id)
	}
	if room := mostRare - p.rare.orders; bits.OnesCount64(first) > room {
		if !o.lost {
			o.lost = true
			o.own.lost++
		}
		rest := first
		for range room {
			rest &= rest - 1
		}
		many, first = many|rest, first&^rest
	}
	if first != 0 {
		p.add(at, first, runs{first: o.id})
	}
	return many
}

// add adds orders, which are not in p.rare, with the runs that have them.
func (p *past) add(at spot, orders uint64, by runs) {
	p.rare.add(at, orders, by)
	p.hold(by, bits.OnesCount64(orders))
}

// forget removes orders from p.rare.
func (p *past) forget(at spot, orders uint64) {
	for i := p.rare.first(at); i != 0 && orders != 0; {
		s := &p.rare.list[i]
		if hit := s.orders & orders; hit != 0 {
			p.take(s, hit)
			orders &^= hit
		}
		i = s.next
	}
	p.rare.sweep(at)
}

// repeat adds a run to the runs that have the given orders, which are in p.rare. It removes
// and returns the orders that three runs have.
func (p *past) repeat(at spot, orders, id uint64) (many uint64) {
	emptied := false
	for i := p.rare.first(at); i != 0 && orders != 0; {
		s := &p.rare.list[i]
		next, hit := s.next, s.orders&orders
		orders &^= hit
		if by, ok := s.add(id); hit != 0 && (!ok || by != s.runs) {
			p.take(s, hit)
			emptied = emptied || s.orders == 0
			if ok {
				p.add(at, hit, by)
			} else {
				many |= hit
			}
		}
		i = next
	}
	if emptied {
		p.rare.sweep(at)
	}
	return many
}

// take removes orders from a sighting.
func (p *past) take(s *sighting, orders uint64) {
	s.orders &^= orders
	n := bits.OnesCount64(orders)
	p.rare.orders -= n
	p.hold(s.runs, -n)
}

// hold counts orders that only one run has.
func (p *past) hold(by runs, orders int) {
	if by.second != 0 {
		return
	}
	if p.held == nil {
		p.held = map[uint64]int32{}
	}
	if p.held[by.first] += int32(orders); p.held[by.first] == 0 {
		delete(p.held, by.first)
	}
}

// A spot identifies up to 64 orders of one receiver: "step j before step k" for all j with
// j>>6 == word. place is the index of the receiver in Orders.receivers. A set of these
// orders has bit j&63 for step j.
type spot struct{ place, k, word int32 }

// spotOf returns the spot that holds the order "step j before step k", and the set that contains
// only this order.
func spotOf(place, j, k int32) (spot, uint64) { return spot{place, k, j >> 6}, 1 << (j & 63) }

// A sightings maps orders to the runs that have them. Orders of one spot with the same runs
// share an entry, because a run often shows many of them at once. The zero value is empty.
//
// Invariants: len(heads) is zero or a power of two, and at most half of the heads are in
// use. Between calls, each entry that is in use has an order, and no two entries of a spot
// have the same order.
type sightings struct {
	orders int        // the number of orders
	heads  []head     // a hash table with open addressing; its keys are spots
	used   int        // the number of elements of heads that are in use
	shift  uint8      // 64 minus the binary logarithm of len(heads)
	list   []sighting // the entries; entry 0 is not used
	free   int32      // the first of the entries that are not in use, linked by next; 0 if none
}

// A head is an entry of a hash table: a spot with its first sighting. It is unused if first is 0.
type head struct {
	spot
	first int32
}

// A sighting is an entry of a sightings: a set of orders of one spot, and the runs that
// have them.
type sighting struct {
	orders uint64
	runs
	next int32 // the next entry with the same spot; 0 if none
}

const leastHeads = 6 // the smallest table has 1<<leastHeads heads

// slot returns the index in heads at which the search for a spot begins.
func (s *sightings) slot(at spot) int {
	return int((uint64(at.place)<<42 ^ uint64(at.k)<<21 ^ uint64(at.word)) * hash.Gamma >> (s.shift & 63))
}

// find returns the index in heads of the element that has the given spot. If there is none, it
// returns the index of an unused element, in which the spot must be stored.
func (s *sightings) find(at spot) int {
	for i := s.slot(at); ; i = (i + 1) & (len(s.heads) - 1) {
		if h := &s.heads[i]; h.first == 0 || h.spot == at {
			return i
		}
	}
}

// first returns the index of the first sighting of a spot, 0 if there is none.
func (s *sightings) first(at spot) int32 {
	if len(s.heads) == 0 {
		return 0
	}
	return s.heads[s.find(at)].first
}

// of returns the runs that have an order, which is given as a set of one order. It returns
// no runs if the order is not in s.
func (s *sightings) of(at spot, order uint64) runs {
	for i := s.first(at); i != 0; i = s.list[i].next {
		if s.list[i].orders&order != 0 {
			return s.list[i].runs
		}
	}
	return runs{}
}

// all yields the entries, in the order of the table.
func (s *sightings) all() iter.Seq2[spot, *sighting] {
	return func(yield func(spot, *sighting) bool) {
		for _, h := range s.heads {
			for i := h.first; i != 0; i = s.list[i].next {
				if !yield(h.spot, &s.list[i]) {
					return
				}
			}
		}
	}
}

// add adds orders, which are not in s, with the runs that have them.
func (s *sightings) add(at spot, orders uint64, by runs) {
	s.orders += bits.OnesCount64(orders)
	if 2*(s.used+1) > len(s.heads) {
		s.grow()
	}
	h := &s.heads[s.find(at)]
	for i := h.first; i != 0; i = s.list[i].next {
		if s.list[i].runs == by {
			s.list[i].orders |= orders
			return
		}
	}
	if h.first == 0 {
		s.used++
	}
	added := sighting{orders, by, h.first}
	if h.spot, h.first = at, s.free; s.free != 0 {
		s.free, s.list[s.free] = s.list[s.free].next, added
		return
	}
	h.first = int32(len(s.list))
	s.list = append(s.list, added)
}

// sweep frees the sightings of one spot that have no orders left.
func (s *sightings) sweep(at spot) {
	if s.first(at) == 0 {
		return
	}
	i := s.find(at)
	for link := &s.heads[i].first; *link != 0; {
		n := *link
		if e := &s.list[n]; e.orders != 0 {
			link = &e.next
		} else {
			*link, e.next, s.free = e.next, s.free, n
		}
	}
	if s.heads[i].first == 0 {
		s.remove(i)
	}
}

// remove removes element i of heads, which has no sightings. It moves later elements into the gap,
// so that find still finds them.
func (s *sightings) remove(i int) {
	s.used--
	last := len(s.heads) - 1
	for j := (i + 1) & last; s.heads[j].first != 0; j = (j + 1) & last {
		if (j-s.slot(s.heads[j].spot))&last >= (j-i)&last {
			s.heads[i] = s.heads[j]
			i = j
		}
	}
	s.heads[i] = head{}
}

func (s *sightings) grow() {
	old := s.heads
	if old == nil {
		s.heads, s.list, s.shift = make([]head, 1<<leastHeads), make([]sighting, 1), 64-leastHeads
		return
	}
	s.heads = make([]head, 2*len(old))
	s.shift--
	for _, h := range old {
		if h.first != 0 {
			s.heads[s.find(h.spot)] = h
		}
	}
}
