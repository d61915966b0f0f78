package strategy

// none stands for no chain, no row and no message.
const none int32 = -1

// A chains cuts a partial order into chains while it grows upward: each new
// element is above none of those to come (Agarwal and Garg, "Efficient
// dependency tracking for relevant events in concurrent systems", Distributed
// Computing 19, 2007). An order whose widest antichain has w elements is cut
// into at most w(w+1)/2 chains.
//
// Why: chains are kept in sets of 1, 2, 3, … chains. A new element goes onto
// a chain of the first set where it can. It passes over set i only when that
// is full and the element is above the top of none of its chains; these tops
// are an antichain, and with the element it has i+1 elements. So set i is
// never reached when i > w.
type chains struct {
	// sets holds the sets one after the other: set i, from 1, is the i cells
	// that begin at i(i-1)/2. A cell is a chain, or none when it is free.
	//
	// Invariant: the tops of the chains of one set are pairwise incomparable.
	sets  []int32
	count int32 // chains so far

	// rows are bit sets, one for each element that is still of interest, each
	// stride words long.
	//
	// Invariant: bit c of an element's row is set exactly when the top of
	// chain c is at most the element.
	rows   []uint64
	stride int
	free   []int32 // rows that can be used again
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

// join makes an element that is in no chain yet above another and all that
// the other is above.
func (c *chains) join(row, other int32) {
	below := c.row(other)
	for i, word := range c.row(row) {
		c.row(row)[i] = word | below[i]
	}
}

// release says that no new element will be joined to this one.
func (c *chains) release(row int32) { c.free = append(c.free, row) }

// place puts a new element, joined to all that it is directly above, on top
// of a chain and returns which.
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

// fit returns a cell of a set where an element can go, and how many tops of
// the set are below it: one of their chains, else a free cell, else -1.
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

// exchange keeps the invariant of sets when cell i of a set gets a top that
// is above others of that set. It is above no top of the set before, or it
// would be there: so that set takes the place of the others beside it.
func (c *chains) exchange(before, set []int32, i int) {
	last := len(set) - 1
	set[i], set[last] = set[last], set[i]
	for j := range before {
		before[j], set[j] = set[j], before[j]
	}
}

// raise makes an element the top of a chain. No other is above it.
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
