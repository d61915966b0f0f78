package hash

import (
	"math"
	"math/rand/v2"
	"testing"
)

// agree compares a table with a map on keys of a few shapes: hashes, pairs of
// small numbers, addresses, and many keys with equal low bits.
func agree(t *testing.T, table *Table, want map[uint64]int32, keys []uint64) {
	t.Helper()
	if table.Len() != len(want) {
		t.Fatalf("%d keys, expected %d", table.Len(), len(want))
	}
	for _, k := range keys {
		got, ok := table.Get(k)
		v, is := want[k]
		if ok != is || ok && got != v {
			t.Fatalf("key %#x: %d, %v; expected %d, %v", k, got, ok, v, is)
		}
	}
	if 2*table.used > len(table.cells) {
		t.Fatalf("%d of %d cells are in use", table.used, len(table.cells))
	}
}

func keys(r *rand.Rand, n int) []uint64 {
	list := []uint64{0, 1, math.MaxUint64}
	for i := range uint64(n) {
		list = append(list, r.Uint64(), i%7<<32|i, 0xc000000000+64*i, Mix(i)&^0xff)
	}
	return list
}

// TestTable compares a table with a map on random operations, while it grows,
// after it was emptied, and when the age wraps.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var table Table
	agree(t, &table, nil, keys(r, 3)) // the zero table
	for round := range 60 {
		if round%20 == 19 && table.age > 0 {
			table.age = math.MaxUint32 - 1 // after the next two calls of Reset, the field age overflows to zero
		}
		table.Reset()
		want := map[uint64]int32{}
		list := keys(r, 1+r.IntN(1<<(round%11)))
		agree(t, &table, want, list)
		for range 2 * len(list) {
			k, v := list[r.IntN(len(list))], int32(r.Uint32())
			if v&1 == 0 {
				table.Put(k, v)
				want[k] = v
			} else {
				table.Count(k)
				want[k]++
			}
			if r.IntN(len(list)) < 8 {
				agree(t, &table, want, list)
			}
		}
		agree(t, &table, want, list)
	}
}

// TestTableAgeWraps checks that a key that was added long ago is not found when the
// table's age has wrapped around to the same value.
func TestTableAgeWraps(t *testing.T) {
	var table Table
	table.Put(5, 7)
	old := table.age
	table.age = math.MaxUint32
	table.Put(6, 8)
	table.Reset()
	if table.age != old {
		t.Fatalf("age %d, not %d: this test shows nothing", table.age, old)
	}
	agree(t, &table, nil, []uint64{5, 6})
}

// TestTableReset checks that a table that has grown once allocates nothing more.
func TestTableReset(t *testing.T) {
	var table Table
	list := keys(rand.New(rand.NewPCG(3, 4)), 200)
	fill := func() {
		table.Reset()
		for i, k := range list {
			table.Put(k, int32(i))
		}
	}
	fill()
	if n := testing.AllocsPerRun(10, fill); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
