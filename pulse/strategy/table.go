package strategy

// A table holds small numbers by identity. Zero is the number of what is not
// in it. Identities are hashes, so they are their own place in the table.
//
// Invariant: len(cells) is a power of two and at most half of the cells are
// in use; a cell is free when its value is zero.
type table struct {
	cells []tableCell
	used  int
}

type tableCell struct {
	id    uint64
	value int32
}

const leastCells = 64

// reset empties the table and keeps its memory.
func (t *table) reset() {
	clear(t.cells)
	t.used = 0
}

func (t *table) get(id uint64) int32 {
	if len(t.cells) == 0 {
		return 0
	}
	return t.cells[t.find(id)].value
}

// put stores a value other than zero.
func (t *table) put(id uint64, value int32) {
	if 2*(t.used+1) > len(t.cells) {
		t.grow()
	}
	c := &t.cells[t.find(id)]
	if c.value == 0 {
		t.used++
	}
	*c = tableCell{id, value}
}

// find returns the cell of an identity, or the free one where it belongs.
func (t *table) find(id uint64) int {
	mask := len(t.cells) - 1
	for i := int(id) & mask; ; i = (i + 1) & mask {
		if c := &t.cells[i]; c.id == id || c.value == 0 {
			return i
		}
	}
}

func (t *table) grow() {
	old := t.cells
	t.cells = make([]tableCell, max(leastCells, 2*len(old)))
	for _, c := range old {
		if c.value != 0 {
			t.cells[t.find(c.id)] = c
		}
	}
}
