package value_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse/value"
)

// fingerprint returns the fingerprint computed by a new walker.
func fingerprint(v any) uint64 { return new(value.Walker).Fingerprint(v) }

// A draw makes random values of all kinds that a message can have.
type draw struct{ *rand.Rand }

// A leaf has fields of every plain kind.
type leaf struct {
	B  bool
	I  int8
	U  uint16
	F  float32
	C  complex64
	S  string
	A  [2]int
	i  int // unexported too
	Or any
}

type branches struct {
	leaf  leaf
	Ptr   *leaf
	List  []any
	Table map[any]any
	Self  *branches
}

// value returns a random value, and an equal one that shares no memory with the first.
// Where order does not matter, the parts of the second are made in another order.
func (d draw) value(depth int) (v, equal any) {
	n := d.IntN(12)
	if depth == 0 {
		n = d.IntN(6)
	}
	switch n {
	case 0:
		x := d.IntN(3)
		return x, x
	case 1:
		x := fmt.Sprint(d.IntN(100))
		return x, x
	case 2:
		x := d.Float64()
		return x, x
	case 3:
		x := d.leaf()
		return x, x
	case 4:
		return nil, nil
	case 5:
		x := time.Unix(int64(d.IntN(10)), 0)
		return x, x
	case 6, 7:
		return d.list(depth)
	case 8, 9:
		return d.table(depth)
	case 10:
		x := d.leaf()
		y := x
		return &x, &y
	}
	return d.branches(depth)
}

func (d draw) leaf() leaf {
	return leaf{d.IntN(2) == 0, int8(d.IntN(9)), uint16(d.IntN(9)), d.Float32(), complex(d.Float32(), 1),
		fmt.Sprint(d.IntN(9)), [2]int{d.IntN(9), d.IntN(9)}, d.IntN(9), nil}
}

func (d draw) list(depth int) (v, equal any) {
	xs, ys := []any{}, []any{}
	for range d.IntN(5) {
		x, y := d.value(depth - 1)
		xs, ys = append(xs, x), append(ys, y)
	}
	return xs, ys
}

func (d draw) table(depth int) (v, equal any) {
	xs, ys := map[any]any{}, map[any]any{}
	var keys, values []any
	for i := range d.IntN(6) {
		x, y := d.value(depth - 1)
		key := any(i)
		if i%2 == 0 {
			key = fmt.Sprint(i)
		}
		xs[key] = x
		keys, values = append(keys, key), append(values, y)
	}
	for _, i := range d.Perm(len(keys)) {
		ys[keys[i]] = values[i]
	}
	return xs, ys
}

func (d draw) branches(depth int) (v, equal any) {
	l := d.leaf()
	x, y := &branches{leaf: l, Ptr: &l}, &branches{leaf: l}
	m := l
	y.Ptr = &m
	lx, ly := d.list(depth)
	tx, ty := d.table(depth)
	x.List, y.List = lx.([]any), ly.([]any)
	x.Table, y.Table = tx.(map[any]any), ty.(map[any]any)
	if d.IntN(2) == 0 {
		x.Self, y.Self = x, y
	}
	return x, y
}

// places calls f for every part of a value that can be changed, with a function that
// changes it.
func places(v reflect.Value, seen map[any]bool, f func(change func())) {
	switch v.Kind() {
	case reflect.Interface:
		if e := v.Elem(); e.IsValid() && e.Kind() != reflect.Pointer && e.Kind() != reflect.Slice && e.Kind() != reflect.Map && v.CanSet() {
			f(func() { v.Set(reflect.ValueOf(&struct{ other int }{1})) })
			return
		}
		if v.IsNil() && v.CanSet() {
			f(func() { v.Set(reflect.ValueOf("no longer nil")) })
			return
		}
		places(v.Elem(), seen, f)
	case reflect.Pointer:
		if v.IsNil() || seen[v.Interface()] {
			return
		}
		seen[v.Interface()] = true
		places(v.Elem(), seen, f)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				places(v.Field(i), seen, f)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			places(v.Index(i), seen, f)
		}
		if v.Kind() == reflect.Slice && v.CanSet() && v.Len() > 0 {
			f(func() { v.SetLen(v.Len() - 1) })
		}
	case reflect.Map:
		entries(v, seen, f)
	default:
		if v.CanSet() {
			f(func() { plainChange(v) })
		}
	}
}

func entries(v reflect.Value, seen map[any]bool, f func(change func())) {
	f(func() { v.SetMapIndex(reflect.ValueOf("another key"), reflect.ValueOf(1)) })
	for _, key := range v.MapKeys() {
		f(func() { v.SetMapIndex(key, reflect.Value{}) })
		f(func() { v.SetMapIndex(key, reflect.ValueOf(&struct{ other int }{1})) })
		places(v.MapIndex(key), seen, f)
	}
}

func plainChange(v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(v.Int() ^ 1)
	case v.CanUint():
		v.SetUint(v.Uint() ^ 1)
	case v.CanFloat():
		v.SetFloat(v.Float() + 1)
	case v.CanComplex():
		v.SetComplex(v.Complex() + 1i)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "x")
	}
}

// TestFingerprint: equal values have equal fingerprints, and a change anywhere in a value
// changes its fingerprint.
func TestFingerprint(t *testing.T) {
	const values, most = 3000, 8
	changes := 0
	for seed := range uint64(values) {
		d := draw{rand.New(rand.NewPCG(seed, 1))}
		v, equal := d.value(3)
		if !reflect.DeepEqual(v, equal) {
			t.Fatalf("seed %d: the two are not equal", seed)
		}
		print := fingerprint(v)
		if print != fingerprint(equal) || print != fingerprint(v) {
			t.Fatalf("seed %d: %#v has two fingerprints", seed, v)
		}
		total := 0
		count := func(func()) { total++ }
		places(reflect.ValueOf(&v).Elem(), map[any]bool{}, count)
		for range min(most, total) {
			again := draw{rand.New(rand.NewPCG(seed, 1))}
			changed, _ := again.value(3) // changed is a copy of the value, made from the same seed
			changeOne(&changed, d.IntN(total))
			if reflect.DeepEqual(v, changed) {
				continue
			}
			if changes++; fingerprint(changed) == print {
				t.Fatalf("seed %d: %#v has the fingerprint of %#v", seed, changed, v)
			}
		}
	}
	if changes < 5000 {
		t.Errorf("%d changes tried, expected at least 5,000", changes)
	}
}

// changeOne makes change n of those that places finds. Maps are walked in random order,
// so if the value has maps, change n differs from call to call.
func changeOne(v *any, n int) {
	var change func()
	places(reflect.ValueOf(v).Elem(), map[any]bool{}, func(c func()) {
		if n == 0 {
			change = c
		}
		n--
	})
	if change != nil {
		change()
	}
}

func ptr[T any](v T) *T { return &v }

// twins returns a map with two keys of equal contents. Each entry refers to a
// number.
func twins(a, b int) map[*[1]int][]*int { return map[*[1]int][]*int{{}: {ptr(a)}, {}: {ptr(b)}} }

// TestFingerprintsDiffer checks that values with small differences have different fingerprints.
func TestFingerprintsDiffer(t *testing.T) {
	type metres int
	type feet int
	one := 1
	for _, c := range [][2]any{
		{any(metres(1)), any(feet(1))},
		{[]any{metres(1)}, []any{feet(1)}},
		{[]any{1}, []any{int8(1)}},
		{time.Unix(1, 0), time.Unix(2, 0)},
		{[]time.Time{time.Unix(1, 0)}, []time.Time{time.Unix(1, 1)}},
		{&one, (*int)(nil)},
		{[]int{1, 2}, []int{2, 1}},
		{[]string{"ab", "c"}, []string{"a", "bc"}},
		{map[int]int{1: 2, 2: 1}, map[int]int{1: 1, 2: 2}},
		{[][]int{{1, 2}, {3}}, [][]int{{1}, {2, 3}}},
		{[]int{}, []int(nil)},
		{"\x00", ""},
		{func() {}, func() { _ = one }},
		{make(chan int), make(chan int)},
		{ptr(time.Unix(1, 0)), ptr(time.Unix(2, 0))},
		{twins(1, 2), twins(1, 3)},
		{[2]*int{&one, &one}, [2]*int{&one, ptr(1)}},
		{map[string][]int{"a": {1}, "b": nil}, map[string][]int{"a": nil, "b": {1}}},
	} {
		x, y := &struct{ v any }{c[0]}, &struct{ v any }{c[1]}
		if fingerprint(x) == fingerprint(y) {
			t.Errorf("%#v and %#v have one fingerprint", c[0], c[1])
		}
	}
}

// TestGuarded: fields guarded by a lock do not change a fingerprint, but do change a state.
func TestGuarded(t *testing.T) {
	type outer struct {
		inner struct {
			N  int
			n  int
			mu sync.Mutex
			M  int
		}
		n int
	}
	for i, c := range []struct {
		change func(*outer)
		prints bool
	}{
		{func(x *outer) { x.inner.N++ }, true},
		{func(x *outer) { x.inner.n++ }, false},
		{func(x *outer) { x.inner.M++ }, false},
		{func(x *outer) { x.n++ }, true},
	} {
		x, w := &outer{}, &value.Walker{}
		print, state := fingerprint(x), tell(w, x, true)
		c.change(x)
		if (fingerprint(x) != print) != c.prints || tell(w, x, true) == state {
			t.Errorf("change %d: fingerprint %t, want %t; state %t, want true", i, fingerprint(x) != print, c.prints, tell(w, x, true) != state)
		}
	}
}
