package hash

// A Table maps 64-bit words to small numbers. It uses open addressing and nearly always
// needs one probe. Multiplication by Gamma distributes the keys, which suits identities,
// pairs of indices and addresses. Reset only increments the age. The zero Table is empty.
//
// Invariant: len(cells) is zero or a power of two. At most half of the cells have the
// table's age.
type Table struct {
	cells []cell
	used  int
	age   uint32
	shift uint8
}

// A cell contains a key and its number. The cell is in use if its age is the age of the
// table.
type cell struct {
	key   uint64
	age   uint32
	value int32
}

const leastBits = 6 // the smallest table has 1<<leastBits cells

// Get returns the number of a key. ok is false if the key is not in the table.
func (t *Table) Get(key uint64) (value int32, ok bool) {
	if t.cells == nil {
		return 0, false
	}
	c := t.find(key)
	return c.value, c.age == t.age
}

// Put sets the number of a key.
func (t *Table) Put(key uint64, value int32) {
	if 2*(t.used+1) > len(t.cells) {
		t.grow()
	}
	c := t.find(key)
	if c.age != t.age {
		t.used++
	}
	*c = cell{key: key, age: t.age, value: value}
}

// Add returns the number of a key and true. If the key is not in the table, Add puts value
// into the table and returns value and false.
func (t *Table) Add(key uint64, value int32) (number int32, had bool) {
	if 2*(t.used+1) > len(t.cells) {
		t.grow()
	}
	c := t.find(key)
	if c.age == t.age {
		return c.value, true
	}
	t.used++
	*c = cell{key: key, age: t.age, value: value}
	return value, false
}

// Count increments the number of a key. The number of a new key is initially zero.
func (t *Table) Count(key uint64) {
	if 2*(t.used+1) > len(t.cells) {
		t.grow()
	}
	c := t.find(key)
	if c.age != t.age {
		t.used++
		*c = cell{key: key, age: t.age}
	}
	c.value++
}

// Delete removes a key. It then moves later keys of the same probe sequence
// into the gap, so that a search still finds them.
func (t *Table) Delete(key uint64) {
	if t.cells == nil || t.find(key).age != t.age {
		return
	}
	t.used--
	mask := uint64(len(t.cells) - 1)
	i := key * Gamma >> (t.shift & 63)
	for t.cells[i].key != key {
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; t.cells[j].age == t.age; j = (j + 1) & mask {
		if home := t.cells[j].key * Gamma >> (t.shift & 63); (j-home)&mask >= (j-i)&mask {
			t.cells[i] = t.cells[j]
			i = j
		}
	}
	t.cells[i] = cell{age: t.age - 1}
}

// Len returns the number of keys.
func (t *Table) Len() int { return t.used }

// Reset removes all keys and keeps the memory.
func (t *Table) Reset() {
	t.used = 0
	t.age++
	if t.age == 0 { // the age has wrapped around: clear the cells, so that old cells do not become valid
		clear(t.cells)
		t.age = 1
	}
}

// find returns the cell that contains a key. If no cell contains the key, it returns the
// empty cell in which the key must be put.
func (t *Table) find(key uint64) *cell {
	for i := key * Gamma >> (t.shift & 63); ; i = (i + 1) & uint64(len(t.cells)-1) {
		if c := &t.cells[i]; c.age != t.age || c.key == key {
			return c
		}
	}
}

func (t *Table) grow() {
	old := t.cells
	if old == nil {
		t.cells, t.shift = make([]cell, 1<<leastBits), 64-leastBits
		t.age = max(t.age, 1)
		return
	}
	t.cells = make([]cell, 2*len(old))
	t.shift--
	for _, c := range old {
		if c.age == t.age {
			*t.find(c.key) = c
		}
	}
}
