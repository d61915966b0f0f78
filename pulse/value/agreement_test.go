package value_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse/value"
)

// The walker is compared with isomorphism, which decides slowly and simply whether two
// values have equal contents and equal sharing.

// An isomorphism maps the memory blocks of one value to those of another, one
// to one.
type isomorphism struct{ there, back map[at]at }

// An at identifies a block: its address, and the type of the pointer to it.
type at struct {
	typ  reflect.Type
	addr uintptr
	len  int
}

func alike(x, y any) bool {
	m := isomorphism{map[at]at{}, map[at]at{}}
	return m.values(reflect.ValueOf(&x).Elem(), reflect.ValueOf(&y).Elem())
}

// values reports whether two values of one type are isomorphic so far. If they
// are, it records which of their memory blocks correspond.
func (m *isomorphism) values(x, y reflect.Value) bool {
	switch x.Kind() {
	case reflect.Interface:
		if x.IsNil() || y.IsNil() {
			return x.IsNil() && y.IsNil()
		}
		return x.Elem().Type() == y.Elem().Type() && m.values(x.Elem(), y.Elem())
	case reflect.Struct:
		for i := range x.NumField() {
			if !m.values(x.Field(i), y.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		return m.elements(x, y)
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return m.blocks(x, y)
	}
	return x.Equal(y)
}

func (m *isomorphism) elements(x, y reflect.Value) bool {
	for i := range x.Len() {
		if !m.values(x.Index(i), y.Index(i)) {
			return false
		}
	}
	return true
}

func (m *isomorphism) blocks(x, y reflect.Value) bool {
	if x.IsNil() || y.IsNil() {
		return x.IsNil() && y.IsNil()
	}
	length := 0
	if x.Kind() != reflect.Pointer {
		if length = x.Len(); length != y.Len() {
			return false
		}
	}
	if x.Kind() == reflect.Slice && x.Cap() == 0 && y.Cap() == 0 {
		return true
	}
	a, b := at{x.Type(), x.Pointer(), length}, at{y.Type(), y.Pointer(), length}
	if p, ok := m.there[a]; ok {
		return p == b
	}
	if _, ok := m.back[b]; ok {
		return false
	}
	m.there[a], m.back[b] = b, a
	switch x.Kind() {
	case reflect.Pointer:
		return m.values(x.Elem(), y.Elem())
	case reflect.Slice:
		return m.elements(x, y)
	}
	return m.entries(x, y, x.MapKeys(), y.MapKeys())
}

// entries pairs the entries of two maps if it can. It tries each remaining key
// of y for the first remaining key of x, and then pairs the rest.
func (m *isomorphism) entries(x, y reflect.Value, keys, others []reflect.Value) bool {
	if len(keys) == 0 {
		return true
	}
	for i, other := range others {
		try := isomorphism{maps.Clone(m.there), maps.Clone(m.back)}
		if try.values(keys[0], other) && try.values(x.MapIndex(keys[0]), y.MapIndex(other)) &&
			try.entries(x, y, keys[1:], slices.Delete(slices.Clone(others), i, i+1)) {
			*m = try
			return true
		}
	}
	return false
}

// A thing is a part of a random value. Its fields refer to other things, also in cycles.
type thing struct {
	id     int // different for each thing of the value
	N      int8
	S      string
	F      float64
	C      complex64
	B      [2]bool
	u      uint16
	P, Q   *thing
	L      []*thing
	I      []int
	Bytes  []byte
	Sorted map[string]int
	M      map[string]*thing
	K      map[*thing]int
	V      map[any]any
	A      any
	T      time.Time
	pair   struct {
		first  *thing
		second any
	}
	box box
}

// A box is stored directly in an interface, without a pointer to it.
type box struct{ p *thing }

// things makes values from a seed. Equal seeds make equal values, but the entries of maps
// are added in different orders.
type things struct {
	*rand.Rand
	order *rand.Rand
	all   []*thing
}

func newThings(seed, order uint64) *things {
	d := &things{rand.New(rand.NewPCG(seed, 7)), rand.New(rand.NewPCG(order, 8)), nil}
	for i := range 1 + d.IntN(5) {
		d.all = append(d.all, &thing{id: i})
	}
	for _, x := range d.all {
		for range d.IntN(8) {
			d.change(x)
		}
	}
	return d
}

// any returns a random element of d.all, or nil.
func (d *things) any() *thing {
	if d.IntN(4) == 0 {
		return nil
	}
	return d.all[d.IntN(len(d.all))]
}

func (d *things) small() int     { return d.IntN(3) }
func (d *things) string() string { return "abcdefghijklmnop"[:d.IntN(12)] }

// change gives a field of a thing a random value, which may equal the old one.
func (d *things) change(x *thing) {
	switch d.IntN(20) {
	case 0:
		x.N = int8(d.small())
	case 1:
		x.S = d.string()
	case 2:
		x.F, x.C = float64(d.small()), complex(1, float32(d.small()))
	case 3:
		x.B[d.IntN(2)] = d.small() == 0
	case 4:
		x.u = uint16(d.small())
	case 5, 6:
		x.P = d.any()
	case 7:
		x.Q = d.any()
	case 8:
		x.I = [][]int{nil, {}, {1}, {1, 2}, {2, 1}}[d.IntN(5)]
	case 9:
		x.Bytes = []byte(d.string())
	case 10:
		x.Sorted = mixed(d, d.IntN(3), func(i int) (string, int) { return fmt.Sprint(i), d.small() })
	case 11:
		x.M = mixed(d, d.IntN(3), func(i int) (string, *thing) { return fmt.Sprint(i), d.any() })
	case 12:
		x.K = mixed(d, d.IntN(3), func(int) (*thing, int) { return d.any(), d.small() })
	case 13:
		x.V = mixed(d, d.IntN(4), func(i int) (any, any) { return d.key(i), d.thing(2) })
	case 14:
		x.T = time.Unix(int64(d.small()), 0)
	case 15:
		x.pair.first, x.pair.second = d.any(), d.thing(1)
	case 16:
		x.box.p = d.any()
	case 17:
		x.L = nil
		for range d.IntN(4) {
			x.L = append(x.L, d.any())
		}
		x.L = slices.Clip(x.L)
	default:
		x.A = d.thing(3)
	}
}

func (d *things) key(i int) any {
	switch d.IntN(3) {
	case 0:
		return i
	case 1:
		return fmt.Sprint(i)
	}
	return box{d.any()}
}

// thing returns a random value to store in an interface.
func (d *things) thing(depth int) any {
	n := d.IntN(12)
	if depth == 0 {
		n = d.IntN(8)
	}
	switch n {
	case 0:
		return nil
	case 1:
		return d.small()
	case 2:
		return int8(d.small())
	case 3:
		return d.string()
	case 4:
		return box{d.any()}
	case 5, 6:
		return d.any()
	case 7:
		return thing{id: -1, P: d.any()}
	case 8:
		return [2]any{d.thing(depth - 1), d.thing(depth - 1)}
	case 9:
		return &[]any{d.thing(depth - 1)}
	case 10:
		return mixed(d, d.IntN(3), func(i int) (any, any) { return d.key(i), d.thing(depth - 1) })
	}
	return []any{d.thing(depth - 1), d.thing(depth - 1)}
}

// mixed makes a map of n entries, added in any order.
func mixed[K comparable, V any](d *things, n int, entry func(i int) (K, V)) map[K]V {
	keys, values := make([]K, n), make([]V, n)
	for i := range n {
		keys[i], values[i] = entry(i)
	}
	m := map[K]V{}
	for i, k := range keys { // if two keys are equal, the map has the value of the last one, and so has its copy
		m[k] = values[i]
	}
	again := map[K]V{}
	for _, i := range d.order.Perm(n) {
		again[keys[i]] = m[keys[i]]
	}
	return again
}

// A told is the result of a walk for a state: whether it could read the value, the hash and the text.
type told struct {
	readable bool
	sum      uint64
	text     string
}

func tell(w *value.Walker, v any, texts bool) told {
	w.Begin(texts)
	readable := w.Try(v)
	return told{readable, w.Sum(), string(w.Text())}
}

// A tally counts the compared values.
type tally struct{ alike, different int }

// compare checks that the walker agrees with isomorphism for a value and a copy with
// changes. The walker used has walked over other values before.
func (c *tally) compare(t *testing.T, used *value.Walker, seed, changes uint64) {
	a, b := newThings(seed, 1), newThings(seed, changes)
	x := a.all[0]
	for b.Rand = rand.New(rand.NewPCG(changes, 9)); changes%4 > 0; changes-- {
		b.change(b.all[b.IntN(len(b.all))])
	}
	y := b.all[0]
	same := alike(x, y)
	if print := fingerprint(y); (used.Fingerprint(x) == print) != same || used.Fingerprint(y) != print {
		t.Fatalf("seed %d, %d: alike is %t, and the fingerprints %#x and %#x", seed, changes, same, used.Fingerprint(x), print)
	}
	for _, texts := range []bool{false, true} {
		of, is := tell(used, x, texts), tell(new(value.Walker), y, texts)
		if !of.readable || !is.readable || (of == is) != same || of.sum == is.sum != same {
			t.Fatalf("seed %d, %d: alike is %t, and the states are %+v and %+v", seed, changes, same, of, is)
		}
	}
	if same {
		c.alike++
	} else {
		c.different++
	}
}

// TestAgreement compares thousands of random values with copies. One copy in
// four is unchanged; the others have one to three random changes. With -short
// the test compares fewer values.
func TestAgreement(t *testing.T) {
	seeds := uint64(2000)
	switch {
	case os.Getenv("JOSTLE_NIGHTLY") != "":
		seeds = 50_000
	case testing.Short():
		seeds = 1000
	}
	w, c := &value.Walker{}, &tally{}
	for seed := range seeds {
		for n := range uint64(4) {
			c.compare(t, w, seed, 4*seed+n)
		}
	}
	if t.Logf("%+v", *c); c.alike < int(seeds) || c.different < int(seeds) {
		t.Errorf("%+v: the test is too weak", *c)
	}
}

// FuzzAgreement is TestAgreement with seeds that the fuzzer chooses.
func FuzzAgreement(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	w, c := &value.Walker{}, &tally{}
	f.Fuzz(func(t *testing.T, seed, changes uint64) { c.compare(t, w, seed, changes) })
}
