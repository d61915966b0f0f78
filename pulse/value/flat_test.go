package value_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/jostle-go/jostle/pulse/value"
)

// TestFlatSlice checks which slices FlatSlice can return as bytes, and that
// SliceOf recreates them from these bytes.
func TestFlatSlice(t *testing.T) {
	type pair struct{ x, y int32 }
	type padded struct {
		small int8
		large int64
	}
	type blank struct {
		x int32
		_ int32
	}
	type guarded struct {
		sync.Mutex
		n int64
	}
	type list []pair
	for _, c := range []struct {
		v    any
		size int // zero means that v is not flat
	}{
		{[]byte("abc"), 3},
		{[]int64{1, 2, 3}, 24},
		{[]float32{1.5, -0.5}, 8},
		{[]bool{true, false}, 2},
		{[]pair{{1, 2}, {3, 4}}, 16},
		{list{{1, 2}}, 8},
		{[][2]pair{{{1, 2}, {3, 4}}}, 16},
		{append(make([]int32, 0, 100), 7), 4},
		{[]int{}, 0},
		{[]int(nil), 0},
		{[]string{"a"}, 0},
		{[]*int{new(int)}, 0},
		{[]any{1}, 0},
		{[]padded{{1, 2}}, 0},
		{[]blank{{x: 1}}, 0},
		{[]guarded{{n: 1}}, 0},
		{[3]int{1, 2, 3}, 0},
		{"abc", 0},
		{7, 0},
		{nil, 0},
	} {
		data, ok := new(value.Walker).FlatSlice(c.v)
		if ok != (c.size > 0) || len(data) != c.size {
			t.Errorf("%#v: %d bytes, flat is %t; want %d", c.v, len(data), ok, c.size)
			continue
		}
		if ok && !reflect.DeepEqual(value.SliceOf(c.v, append([]byte(nil), data...)), c.v) {
			t.Errorf("%#v is %#v when it is made again", c.v, value.SliceOf(c.v, data))
		}
	}
}

// TestFlatParts checks that a change of any bit of a slice behind a message changes its
// fingerprint, at any place and for any length.
func TestFlatParts(t *testing.T) {
	for n := range 200 {
		data := make([]byte, n)
		v := &struct{ list []byte }{data}
		seen := map[uint64]bool{fingerprint(v): true}
		for bit := range 8 * n {
			data[bit/8] ^= 1 << (bit % 8)
			print := fingerprint(v)
			if seen[print] {
				t.Fatalf("bit %d of %d bytes does not count", bit, n)
			}
			seen[print] = true
			data[bit/8] ^= 1 << (bit % 8)
		}
	}
}
