package hash

import "testing"

// TestAdd compares Add with a map, while the table grows, and after Reset.
func TestAdd(t *testing.T) {
	var table Table
	state := uint64(1)
	for range 20 {
		known := map[uint64]int32{}
		for i := range int32(500) {
			key := Splitmix(&state) % 300
			number, had := table.Add(key, i)
			if old, ok := known[key]; ok != had || had && number != old || !had && number != i {
				t.Fatalf("key %d has number %d (%t), want %d (%t)", key, number, had, old, ok)
			}
			known[key] = number
			if got, ok := table.Get(key); !ok || got != number {
				t.Fatalf("key %d has number %d, want %d", key, got, number)
			}
		}
		if table.Len() != len(known) {
			t.Fatalf("%d keys, want %d", table.Len(), len(known))
		}
		table.Reset()
	}
}
