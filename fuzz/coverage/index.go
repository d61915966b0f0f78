package coverage

// An index maps identities, which are hashes already, to small numbers: open
// addressing without a hash function of its own. The identity 0 is moved to 1.
//
// Invariant: len(cells) is a power of two, at most half of the cells are used.
type index struct {
	cells []cell
	used  int
}

// cell is empty while its key is 0.
type cell struct {
	key   uint64
	value int32
}

// find returns where the value of a key is kept, 0 when the key is new. The
// place is good until the next find.
func (x *index) find(key uint64) *int32 {
	if key == 0 {
		key = 1
	}
	if 2*x.used >= len(x.cells) {
		x.grow()
	}
	c := x.cell(key)
	if c.key == 0 {
		c.key = key
		x.used++
	}
	return &c.value
}

func (x *index) cell(key uint64) *cell {
	mask := uint64(len(x.cells) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		if c := &x.cells[i]; c.key == key || c.key == 0 {
			return c
		}
	}
}

func (x *index) grow() {
	old := x.cells
	x.cells = make([]cell, max(64, 2*len(old)))
	for _, c := range old {
		if c.key != 0 {
			*x.cell(c.key) = c
		}
	}
}
