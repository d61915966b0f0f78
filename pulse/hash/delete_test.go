package hash_test

import (
	"math/rand/v2"
	"testing"

	"github.com/jostle-go/jostle/pulse/hash"
)

// TestDelete compares a table with a map. It uses few different keys, so that long
// sequences of cells are in use.
func TestDelete(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		table, want := &hash.Table{}, map[uint64]int32{}
		keys := make([]uint64, 24)
		for i := range keys {
			keys[i] = r.Uint64() >> (r.IntN(2) * 56)
		}
		for step := range int32(300) {
			key := keys[r.IntN(len(keys))]
			switch r.IntN(40) {
			case 0:
				table.Reset()
				clear(want)
			default:
				if r.IntN(2) == 0 {
					table.Put(key, step)
					want[key] = step
				} else {
					table.Delete(key)
					delete(want, key)
				}
			}
			for _, k := range keys {
				v, ok := table.Get(k)
				if w, is := want[k]; ok != is || is && v != w {
					t.Fatalf("key %#x: %d %t, want %d %t", k, v, ok, w, is)
				}
			}
			if table.Len() != len(want) {
				t.Fatalf("%d keys, want %d", table.Len(), len(want))
			}
		}
	}
}
