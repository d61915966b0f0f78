package pulse

// A table finds the channel from one actor to another: open addressing, one
// multiply and nearly always one probe, emptied by counting up an age.
//
// Invariant: len(cells) is a power of two and at most half of the cells are
// of this age.
type table struct {
	cells []cell
	used  int
	age   uint32
	shift uint8
}

type cell struct {
	key     uint64 // sender and receiver
	age     uint32 // the cell is empty unless this is the table's
	channel int32
}

func newTable() table {
	return table{cells: make([]cell, 64), age: 1, shift: 64 - 6}
}

func pairKey(from, to int32) uint64 { return uint64(uint32(from))<<32 | uint64(uint32(to)) }

// find returns the cell of a key, or the empty cell where it belongs.
func (t *table) find(key uint64) *cell {
	for i := key * actorSalt >> t.shift; ; i = (i + 1) & uint64(len(t.cells)-1) {
		if c := &t.cells[i]; c.key == key || c.age != t.age {
			return c
		}
	}
}

// put stores a channel in a key's empty cell.
func (t *table) put(key uint64, channel int32) {
	if 2*(t.used+1) > len(t.cells) {
		t.grow()
	}
	t.used++
	*t.find(key) = cell{key: key, age: t.age, channel: channel}
}

func (t *table) grow() {
	old := t.cells
	t.cells = make([]cell, 2*len(old))
	t.shift--
	for _, c := range old {
		if c.age == t.age {
			*t.find(c.key) = c
		}
	}
}

func (t *table) reset() {
	t.used = 0
	t.age++
	if t.age == 0 { // wrapped: cells of old would look new
		clear(t.cells)
		t.age = 1
	}
}
