package strategy

import (
	"math/bits"
	"slices"
)

// none is the index that means no chain, row, bit or message.
const none int32 = -1

// A chains partitions a growing partial order into chains. Each element of a chain
// is above the previous element of the chain. The last element is the top of the
// chain. A new element is never below an older one (Agarwal and Garg, "Efficient
// dependency tracking for relevant events in concurrent systems", Distributed
// Computing 19, 2007). If the widest antichain has w elements, there are at most
// w(w+1)/2 chains.
//
// Proof: set i holds up to i chains. A new element goes onto a chain of the first
// set that has a place for it. Set i has no place only if it is full and the
// element is above no top of its chains. These i tops are an antichain, and
// together with the element they are an antichain of i+1 elements. Therefore i < w,
// and no set after set w is used.
type chains struct {
	// sets contains all sets one after another. Set i, counted from 1, consists of the
	// i cells from index i(i-1)/2. A cell is the index of a chain, or none.
	//
	// Invariant: the tops of the chains of one set are pairwise incomparable.
	sets   []int32
	free   []int32 // element i-1 is the number of free cells of set i
	roomy  int32   // the number of a set such that all earlier sets are full
	chains []int32 // for each chain, the bit of its top in rows; none if the chain is empty

	// rows are sets of bits, one for each element above which new elements may still
	// be placed. Each top has its own bit. When a chain grows, the bit of its old top
	// becomes dead, so that no row needs to change.
	//
	// Invariant: the live bits in an element's row are those of the tops that are
	// below or equal to the element.
	rows     []row
	opened   int32   // the number of rows used so far in this run
	released []int32 // rows that were used in this run and are free again
	spare    row

	// live is the set of the bits of tops. taken is the set of all bits in use.
	//
	// Invariant: taken contains all live bits and all bits in rows.
	live, taken []uint64
	places      []spot // for each live bit, the position of its chain in sets
	next        int    // the index of a word in taken such that all earlier words are full
	dense       []uint64
}

// A spot is the position of a chain: its set, and its cell in the set.
type spot struct{ set, cell int32 }

// A row is a set of bits, stored as its nonzero words in order.
type row []word

type word struct {
	at   int32
	bits uint64
}

func (c *chains) reset() {
	c.sets, c.free, c.chains, c.released = c.sets[:0], append(c.free[:0], 0), c.chains[:0], c.released[:0]
	c.live, c.taken, c.places, c.dense = c.live[:0], c.taken[:0], c.places[:0], c.dense[:0]
	c.roomy, c.opened, c.next = 1, 0, 0
}

// open returns an empty row for a new element, which is not above any other element
// yet.
func (c *chains) open() int32 {
	if n := len(c.released); n > 0 {
		r := c.released[n-1]
		c.released = c.released[:n-1]
		return r
	}
	r := c.opened
	c.opened++
	if int(r) == len(c.rows) {
		c.rows = append(c.rows, nil)
	}
	c.rows[r] = c.rows[r][:0]
	return r
}

// release frees row r of an element. No new element may be joined to the element
// later.
func (c *chains) release(r int32) {
	c.rows[r] = c.rows[r][:0]
	c.released = append(c.released, r)
}

// join puts the element with row r above the element with row other. So it also
// puts it above all elements below the latter. The element with row r must not be
// in a chain yet.
func (c *chains) join(r, other int32) {
	list, below := c.rows[r], c.rows[other]
	if len(list) == 1 && len(below) == 1 && list[0].at == below[0].at {
		list[0].bits |= below[0].bits & c.live[below[0].at]
		return
	}
	sum := c.spare[:0]
	if len(list) == 0 && len(below) == 1 {
		w := below[0]
		if w.bits &= c.live[w.at]; w.bits != 0 {
			c.rows[r] = append(list, w)
		}
		return
	}
	for _, w := range below {
		for len(list) > 0 && list[0].at < w.at {
			sum, list = append(sum, list[0]), list[1:]
		}
		w.bits &= c.live[w.at]
		if len(list) > 0 && list[0].at == w.at {
			w.bits |= list[0].bits
			list = list[1:]
		}
		if w.bits != 0 {
			sum = append(sum, w)
		}
	}
	sum = append(sum, list...)
	c.spare, c.rows[r] = c.rows[r], sum
}

// place puts the new element with row r on top of a chain and returns the chain.
// The element must have been joined to all elements directly below it. The chain
// belongs to the first set that has a chain whose top is below the element, or a
// free cell for a new chain.
func (c *chains) place(r int32) int32 {
	for int(c.roomy) < len(c.free) && c.free[c.roomy] == 0 {
		c.roomy++
	}
	set, cell, covered := c.below(r)
	if covered == 0 || c.roomy < set {
		set, cell = c.room()
		covered = 0
	}
	at, place := &c.sets[first(set)+cell], spot{set, cell}
	if *at == none {
		*at = int32(len(c.chains))
		c.chains = append(c.chains, none)
		c.free[set]--
	}
	number := *at
	if covered > 1 {
		c.exchange(set, cell)
	}
	c.raise(number, r, place)
	return number
}

// first returns the index in sets of the first cell of a set.
func first(set int32) int32 { return set * (set - 1) / 2 }

// below returns the first set with a chain whose top is below the element with row
// r. cell is the last cell of the set that has such a chain. covered is the number
// of such chains.
func (c *chains) below(r int32) (set, cell int32, covered int) {
	count := 0
	for _, w := range c.rows[r] {
		count += bits.OnesCount64(w.bits)
	}
	if count*count > len(c.sets) { // a row with so many bits is above the top of a chain in one of the first sets
		return c.firstBelow(c.rows[r])
	}
	for _, w := range c.rows[r] {
		for ; w.bits != 0; w.bits &= w.bits - 1 {
			x := c.places[int(w.at)*64+bits.TrailingZeros64(w.bits)]
			switch {
			case covered == 0 || x.set < set:
				set, cell, covered = x.set, x.cell, 1
			case x.set == set:
				cell = max(cell, x.cell)
				covered++
			}
		}
	}
	return set, cell, covered
}

// firstBelow returns the same as below. It is faster for an element above many
// tops.
func (c *chains) firstBelow(list row) (set, cell int32, covered int) {
	for _, w := range list {
		c.dense[w.at] = w.bits
	}
	for covered == 0 {
		set++
		for i, number := range c.sets[first(set):][:set] {
			if number == none {
				continue
			}
			if bit := c.chains[number]; c.dense[bit/64]&(1<<(bit%64)) != 0 {
				cell = int32(i)
				covered++
			}
		}
	}
	for _, w := range list {
		c.dense[w.at] = 0
	}
	return set, cell, covered
}

// room returns the set c.roomy and the last free cell of the set. It makes the set
// if the set does not exist yet.
func (c *chains) room() (set, cell int32) {
	set = c.roomy
	if int(set) == len(c.free) {
		c.free = append(c.free, set)
		for range set {
			c.sets = append(c.sets, none)
		}
	}
	cell = set - 1
	for c.sets[first(set)+cell] != none {
		cell--
	}
	return set, cell
}

// exchange restores the invariant of sets when a chain has got a new top that is
// above other tops of its set. cell contains the chain. The previous set has no
// free cell, and the new top is above none of its tops. Otherwise place would have
// chosen the previous set. Therefore the two sets can swap all chains except the
// chain in cell.
func (c *chains) exchange(set, cell int32) {
	here, before, last := c.sets[first(set):][:set], c.sets[first(set-1):first(set)], set-1
	here[cell], here[last] = here[last], here[cell]
	for j := range before {
		before[j], here[j] = here[j], before[j]
	}
	c.free[set], c.free[set-1] = c.free[set-1], c.free[set]
	c.roomy = min(c.roomy, set-1)
	c.settle(set - 1)
	c.settle(set)
}

// settle records the positions of a set's chains in places.
func (c *chains) settle(set int32) {
	for at, number := range c.sets[first(set):][:set] {
		if number != none {
			c.places[c.chains[number]] = spot{set, int32(at)}
		}
	}
}

// raise makes the new element with row r the top of a chain. number is the index of
// the chain. place is the position of the chain if the chain is empty.
func (c *chains) raise(number, r int32, place spot) {
	if old := c.chains[number]; old != none {
		place = c.places[old]
		c.live[old/64] &^= 1 << (old % 64)
	}
	top := c.take()
	c.chains[number], c.places[top] = top, place
	at, bit := top/64, uint64(1)<<(top%64)
	c.live[at] |= bit
	list := c.rows[r]
	i := len(list)
	for i > 0 && list[i-1].at >= at {
		i--
	}
	if i < len(list) && list[i].at == at {
		list[i].bits |= bit
		return
	}
	c.rows[r] = slices.Insert(list, i, word{at, bit})
}

// take returns the number of a bit that is in no row, and marks the bit as taken.
func (c *chains) take() int32 {
	for ; ; c.next++ {
		if c.next == len(c.taken) {
			c.clean()
		}
		if w := c.taken[c.next]; ^w != 0 {
			i := bits.TrailingZeros64(^w)
			c.taken[c.next] |= 1 << i
			return int32(c.next*64 + i)
		}
	}
}

// clean makes more bits available. Bits that are taken but not live are dead. If at
// least half of the taken bits are dead, clean removes the dead bits from all rows.
// Otherwise it adds words.
func (c *chains) clean() {
	c.next = 0
	if 2*len(c.chains) > 64*len(c.taken) {
		c.next = len(c.taken)
		for range max(1, len(c.taken)) {
			c.live, c.taken, c.dense = append(c.live, 0), append(c.taken, 0), append(c.dense, 0)
			c.places = append(c.places, unused[:]...)
		}
		return
	}
	copy(c.taken, c.live)
	for i, list := range c.rows[:c.opened] {
		kept := list[:0]
		for _, w := range list {
			if w.bits &= c.live[w.at]; w.bits != 0 {
				kept = append(kept, w)
			}
		}
		c.rows[i] = kept
	}
}

var unused [64]spot
