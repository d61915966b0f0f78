package hash

import "testing"

// TestSplitmix compares with the published numbers of seed 1234567, and Nth with
// Splitmix.
func TestSplitmix(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := Splitmix(&state); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
		if got := Nth(1234567, uint64(i)); got != want {
			t.Errorf("Nth(%d) is %d, want %d", i, got, want)
		}
	}
}

// TestTable compares a table with a map while it grows and after it was emptied.
func TestTable(t *testing.T) {
	var table Table
	for round := range 3 {
		want := map[uint64]int32{}
		for i := range 1000 {
			key := Mix(uint64(i % 700))
			if i%2 == 0 {
				key = uint64(i % 700) // small numbers are spread too
			}
			got, ok := table.Get(key)
			if value, known := want[key]; ok != known || ok && got != value {
				t.Fatalf("round %d: Get(%#x) is %d, %v, want %d, %v", round, key, got, ok, value, known)
			}
			table.Put(key, int32(i))
			want[key] = int32(i)
		}
		if table.Len() != len(want) {
			t.Errorf("round %d: Len is %d, want %d", round, table.Len(), len(want))
		}
		table.Reset()
		if table.Len() != 0 {
			t.Errorf("round %d: Len is %d after Reset", round, table.Len())
		}
	}
}

// TestTableAge lets the age of a table wrap: no old cell may come back.
func TestTableAge(t *testing.T) {
	var table Table
	table.Put(7, 1)
	table.age = ^uint32(0)
	table.Reset()
	if value, ok := table.Get(7); ok {
		t.Errorf("Get(7) is %d after Reset", value)
	}
}
