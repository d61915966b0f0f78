package strategy

// none is the index of no chain, no row and no message.
const none int32 = -1

// A chains cuts a partial order into chains while the order grows upward: no new
// element is below an older one (Agarwal and Garg, "Efficient
// dependency tracking for relevant events in concurrent systems", Distributed
// Computing 19, 2007). An order whose widest antichain has w elements is cut
// into at most w(w+1)/2 chains.
//
// Why: chains are kept in sets of 1, 2, 3, … chains. A new element goes onto a
// chain of the first set that has a place for it. Set i has none only when it has
// i chains and the element is above none of their tops. These tops are an
// antichain, and with the element it has i+1 elements. So no element goes to a
// set beyond w.
type chains struct {
	// sets holds the sets one after the other: set i, from 1, is the i cells that
	// begin at i(i-1)/2. A cell is the index of a chain, or none.
	//
	// Invariant: the tops of the chains of one set are pairwise incomparable.
	sets  []int32
	count int32 // chains so far

	// rows are bit sets of stride words, one for each element to which new ones
	// may still be joined.
	//
	// Invariant: bit c of an element's row is set exactly when the top of
	// chain c is at most the element.
	rows   []uint64
	stride int
	free   []int32 // rows that were released
}

func (c *chains) reset() {
	c.sets, c.rows, c.free = c.sets[:0], c.rows[:0], c.free[:0]
	c.count = 0
	c.stride = max(c.stride, 1)
}

// open returns the row of a new element that is above no other.
func (c *chains) open() int32 {
	if n := len(c.free); n > 0 {
		row := c.free[n-1]
		c.free = c.free[:n-1]
		clear(c.row(row))
		return row
	}
	row := int32(len(c.rows) / c.stride)
	for range c.stride {
		c.rows = append(c.rows, 0)
	}
	return row
}

// join puts an element that is in no chain yet above another element, and above
// all that the other is above.
func (c *chains) join(row, other int32) {
	below := c.row(other)
	for i, word := range c.row(row) {
		c.row(row)[i] = word | below[i]
	}
}

// release frees the row of an element to which no new one will be joined.
func (c *chains) release(row int32) { c.free = append(c.free, row) }

// place puts a new element on top of a chain and returns the chain. The element
// must have been joined to all elements that it is directly above.
func (c *chains) place(row int32) int32 {
	for size, from := 1, 0; ; from, size = from+size, size+1 {
		if from == len(c.sets) {
			for range size {
				c.sets = append(c.sets, none)
			}
		}
		set := c.sets[from : from+size]
		i, covered := c.fit(set, row)
		if i < 0 {
			continue
		}
		if set[i] == none {
			set[i] = c.add()
		}
		chain := set[i]
		if covered > 1 {
			c.exchange(c.sets[from-(size-1):from], set, i)
		}
		c.raise(chain, row)
		return chain
	}
}

// fit returns the cell of a set where an element can go: a chain whose top is
// below the element, else a free cell, else -1. It also returns how many tops of
// the set are below the element.
func (c *chains) fit(set []int32, row int32) (cell, covered int) {
	below, cell := c.row(row), -1
	for i, chain := range set {
		switch {
		case chain == none && covered == 0:
			cell = i
		case chain != none && below[chain/64]&(1<<(chain%64)) != 0:
			cell = i
			covered++
		}
	}
	return cell, covered
}

// exchange keeps the invariant of sets when the new top of cell i is above other
// tops of its set. The new top is above no top of the set before, else it would
// have gone there. So these two sets exchange all chains but that of cell i.
func (c *chains) exchange(before, set []int32, i int) {
	last := len(set) - 1
	set[i], set[last] = set[last], set[i]
	for j := range before {
		before[j], set[j] = set[j], before[j]
	}
}

// raise makes an element the top of a chain. No other element is above it yet.
func (c *chains) raise(chain, row int32) {
	word, bit := int(chain/64), uint64(1)<<(chain%64)
	for i := word; i < len(c.rows); i += c.stride {
		c.rows[i] &^= bit
	}
	c.row(row)[word] |= bit
}

// add makes one more chain.
func (c *chains) add() int32 {
	if int(c.count) == c.stride*64 {
		c.widen()
	}
	c.count++
	return c.count - 1
}

// widen doubles the length of every row.
func (c *chains) widen() {
	wide := make([]uint64, 2*len(c.rows))
	for i := range len(c.rows) / c.stride {
		copy(wide[2*i*c.stride:], c.row(int32(i)))
	}
	c.rows, c.stride = wide, 2*c.stride
}

func (c *chains) row(row int32) []uint64 {
	i := int(row) * c.stride
	return c.rows[i : i+c.stride]
}
