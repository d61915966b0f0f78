package strategy

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestChainsAreThoseOfBits compares chains with slowChains, which uses bit
// sets and is slower and simpler.
func TestChainsAreThoseOfBits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var c chains
	var slow slowChains
	for n := range 3000 {
		p, under := randomPoset(r)
		if n%100 == 0 { // wide orders, in which few elements are above others
			p, under = nil, nil
			for i := range 400 {
				var list []int
				for range r.IntN(3) {
					list = append(list, r.IntN(i+1))
				}
				list = slices.DeleteFunc(list, func(j int) bool { return j == i })
				p.add(list...)
				under = append(under, list)
			}
		}
		c.reset()
		slow.reset()
		var rows, slowRows []int32
		for i := range p {
			row, slowRow := c.open(), slow.open()
			for _, j := range under[i] {
				if rows[j] != none { // otherwise the row of element j was released, and nothing may be joined to it
					c.join(row, rows[j])
					slow.join(slowRow, slowRows[j])
				}
			}
			rows, slowRows = append(rows, row), append(slowRows, slowRow)
			if got, want := c.place(row), slow.place(slowRow); got != want {
				t.Fatalf("poset %d: element %d is in chain %d, want %d", n, i, got, want)
			}
			if j := r.IntN(i + 1); n%2 == 0 && rows[j] != none {
				c.release(rows[j])
				slow.release(slowRows[j])
				rows[j] = none
			}
		}
	}
}

// A slowChains does what chains does, with bit sets: a row has a bit for each chain.
type slowChains struct {
	// sets holds the sets one after the other: set i, counted from 1, has the i
	// cells that begin at index i(i-1)/2. A cell is the index of a chain, or none.
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
	free   []int32 // rows that were released and can be reused
}

func (c *slowChains) reset() {
	c.sets, c.rows, c.free = c.sets[:0], c.rows[:0], c.free[:0]
	c.count = 0
	c.stride = max(c.stride, 1)
}

// open returns the row of a new element that is above no other.
func (c *slowChains) open() int32 {
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

// join puts an element that is in no chain yet above another element and
// everything below that.
func (c *slowChains) join(row, other int32) {
	below := c.row(other)
	for i, word := range c.row(row) {
		c.row(row)[i] = word | below[i]
	}
}

// release frees the row of an element to which no new element will be joined.
func (c *slowChains) release(row int32) { c.free = append(c.free, row) }

// place puts a new element on top of a chain and returns the chain. The element
// must have been joined to all elements directly below it.
func (c *slowChains) place(row int32) int32 {
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
// below the element, else a free cell, else -1. It also returns how many tops
// of the set are below the element.
func (c *slowChains) fit(set []int32, row int32) (cell, covered int) {
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

// exchange restores the invariant of sets when the new top of cell i is above
// other tops of its set. The new top is above no top of the previous set;
// otherwise it would have gone there. So these two sets swap all chains except
// the chain in cell i.
func (c *slowChains) exchange(before, set []int32, i int) {
	last := len(set) - 1
	set[i], set[last] = set[last], set[i]
	for j := range before {
		before[j], set[j] = set[j], before[j]
	}
}

// raise makes an element the top of a chain. No other element is above it yet.
func (c *slowChains) raise(chain, row int32) {
	word, bit := int(chain/64), uint64(1)<<(chain%64)
	for i := word; i < len(c.rows); i += c.stride {
		c.rows[i] &^= bit
	}
	c.row(row)[word] |= bit
}

// add adds an empty chain.
func (c *slowChains) add() int32 {
	if int(c.count) == c.stride*64 {
		c.widen()
	}
	c.count++
	return c.count - 1
}

// widen doubles the length of every row.
func (c *slowChains) widen() {
	wide := make([]uint64, 2*len(c.rows))
	for i := range len(c.rows) / c.stride {
		copy(wide[2*i*c.stride:], c.row(int32(i)))
	}
	c.rows, c.stride = wide, 2*c.stride
}

func (c *slowChains) row(row int32) []uint64 {
	i := int(row) * c.stride
	return c.rows[i : i+c.stride]
}
