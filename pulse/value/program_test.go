package value_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/value"
)

// Hash programs are compared with walks that write texts, on values of random types. Both
// are compared with isomorphism.

// A typer draws random types, and values of these types. Typers with equal seeds draw
// equal values. One of them may draw a single number differently.
type typer struct {
	*rand.Rand
	draws, odd int                              // the index of the draw that differs
	pointers   map[reflect.Type][]reflect.Value // the pointers made so far, by type
}

func newTyper(seed uint64, odd int) *typer {
	return &typer{rand.New(rand.NewPCG(seed, 3)), 0, odd, map[reflect.Type][]reflect.Value{}}
}

// small returns a number less than n.
func (d *typer) small(n int) int {
	v := d.IntN(n)
	if d.draws++; d.draws == d.odd {
		v = (v + 1) % n
	}
	return v
}

var plainTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uintptr](), reflect.TypeFor[float32](), reflect.TypeFor[float64](),
	reflect.TypeFor[complex64](), reflect.TypeFor[complex128](), reflect.TypeFor[string](), reflect.TypeFor[time.Time](), reflect.TypeFor[any](),
	reflect.TypeFor[struct{}](),
}

// typ draws a type.
func (d *typer) typ(depth int) reflect.Type {
	n := d.IntN(20)
	if depth == 0 {
		n = d.IntN(12)
	}
	switch n {
	case 12:
		return reflect.PointerTo(d.typ(depth - 1))
	case 13, 14:
		return reflect.ArrayOf(d.IntN(11), d.typ(depth-1))
	case 15:
		return reflect.SliceOf(d.typ(depth - 1))
	case 16:
		return reflect.MapOf(plainTypes[d.IntN(6)], d.typ(depth-1))
	case 17, 18, 19:
		var fields []reflect.StructField
		for i := range d.IntN(7) {
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: d.typ(depth - 1)})
		}
		return reflect.StructOf(fields)
	}
	return plainTypes[d.IntN(len(plainTypes))]
}

// fill sets v to a random value of its type.
func (d *typer) fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(d.small(2) == 1)
	case reflect.Int8, reflect.Int32, reflect.Int64:
		v.SetInt(int64(d.small(3) - 1))
	case reflect.Uint8, reflect.Uint16, reflect.Uint, reflect.Uintptr:
		v.SetUint(uint64(d.small(3)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(d.small(3)))
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(float64(d.small(2)), float64(d.small(2))))
	case reflect.String:
		v.SetString(strings.Clone("abcdefghijkl"[:d.small(12)])) // equal strings are at different addresses
	case reflect.Array:
		for i := range v.Len() {
			d.fill(v.Index(i), depth)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(d.small(3)), 0).UTC()))
			return
		}
		for i := range v.NumField() {
			d.fill(v.Field(i), depth)
		}
	default:
		d.fillBlock(v, depth)
	}
}

// fillBlock sets v to a random value of its type, which has pointers to other
// values.
func (d *typer) fillBlock(v reflect.Value, depth int) {
	if depth == 0 || d.small(5) == 0 {
		return
	}
	t := v.Type()
	switch v.Kind() {
	case reflect.Interface:
		inner := reflect.New([]reflect.Type{reflect.TypeFor[int8](), reflect.TypeFor[string](), reflect.TypeFor[[2]int16](),
			reflect.TypeFor[struct{ P *int64 }](), reflect.TypeFor[[]uint16]()}[d.small(5)]).Elem()
		d.fill(inner, depth-1)
		v.Set(inner)
	case reflect.Pointer:
		if list := d.pointers[t]; len(list) > 0 && d.small(2) == 0 {
			v.Set(list[d.small(len(list))])
			return
		}
		p := reflect.New(t.Elem())
		d.pointers[t] = append(d.pointers[t], p)
		d.fill(p.Elem(), depth-1)
		v.Set(p)
	case reflect.Slice:
		n := d.small(4)
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			d.fill(v.Index(i), depth-1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range d.small(3) {
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			d.fill(k, depth-1)
			d.fill(e, depth-1)
			v.SetMapIndex(k, e)
		}
	}
}

// drawn returns the value of a seed; odd is the index of the draw that differs.
func drawn(seed uint64, odd int) any {
	d := newTyper(seed, odd)
	v := reflect.New(reflect.ArrayOf(1+d.IntN(3), d.typ(3))).Elem()
	d.fill(v, 3)
	return v.Interface()
}

// disagreement describes how the results of hash programs for two values differ
// from those of walks with texts. It returns "" if they agree.
func disagreement(programs *value.Walker, x, y any) string {
	same := alike(x, y)
	a, b := tell(programs, x, false), tell(programs, y, false)
	of, is := tell(new(value.Walker), x, true), tell(new(value.Walker), y, true)
	switch {
	case !a.readable || !b.readable || !of.readable || !is.readable:
		return "it is not readable"
	case (of == is) != same:
		return fmt.Sprintf("alike is %t, and the texts are\n%s\n%s", same, of.text, is.text)
	case (a == b) != same:
		return fmt.Sprintf("alike is %t, and the programs make %#x of\n%s\nand %#x of\n%s", same, a.sum, of.text, b.sum, is.text)
	}
	return ""
}

// TestPrograms: hash programs and walks that write texts agree on which values
// of random types are equal.
func TestPrograms(t *testing.T) {
	seeds := uint64(1500)
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		seeds = 200_000
	}
	w, alikes, others := &value.Walker{}, 0, 0
	for seed := range seeds {
		x := drawn(seed, 0)
		for odd := range 4 {
			y := drawn(seed, odd*int(1+seed%3))
			if why := disagreement(w, x, y); why != "" {
				t.Fatalf("seed %d, draw %d, %T: %s", seed, odd, x, why)
			}
			if alike(x, y) {
				alikes++
			} else {
				others++
			}
		}
	}
	if t.Logf("%d alike, %d not", alikes, others); alikes < int(seeds) || others < int(seeds) {
		t.Errorf("%d alike, %d not: the test is too weak", alikes, others)
	}
}

// A mix has adjacent numbers with parts between them that are not read.
type mix struct {
	A int8
	B int8
	C uint32
	D string
	E float64
	F [2]bool
	_ int16
	G any
	H [3]struct {
		I int8
		J string
	}
}

// TestProgramsThatLackAStep: if a hash program lacks an op, different values get equal
// hashes, and the tests find that.
func TestProgramsThatLackAStep(t *testing.T) {
	changes := []func(*mix){func(m *mix) { m.A++ }, func(m *mix) { m.C++ }, func(m *mix) { m.D = "d" }, func(m *mix) { m.E++ }, func(m *mix) { m.F[1] = true },
		func(m *mix) { m.G = 1 }, func(m *mix) { m.H[0].I++ }, func(m *mix) { m.H[1].I++ }, func(m *mix) { m.H[2].I++ },
		func(m *mix) { m.H[0].J = "j" }, func(m *mix) { m.H[1].J = "j" }, func(m *mix) { m.H[2].J = "j" }}
	const ops = 11 // one op for A and B, one for C, one for D, one for E and F, one for G, and six for the elements of H
	if n := new(value.Walker).Ops(mix{}); n != ops {
		t.Errorf("%d steps, want %d", n, ops)
	}
	for n := range new(value.Walker).Ops(mix{}) {
		whole, lacking := &value.Walker{}, &value.Walker{}
		lacking.Ops(mix{})
		lacking.LoseOp(mix{}, n)
		found := 0
		for _, change := range changes {
			var m mix
			change(&m)
			if why := disagreement(whole, mix{}, m); why != "" {
				t.Error(why)
			}
			if disagreement(lacking, mix{}, m) != "" {
				found++
			}
		}
		if found == 0 {
			t.Errorf("step %d can be left out and nobody notices", n)
		}
	}
}

// TestSizesOfPrograms: no hash program is much larger than the declaration of
// its type. A large array of elements of size zero takes no time.
func TestSizesOfPrograms(t *testing.T) {
	type eight [8][8][8][8][8]string
	for _, c := range []struct {
		v   any
		ops int
	}{
		{1, 1}, {"", 1}, {struct{}{}, 0}, {[0]string{}, 0}, {[4]string{}, 4}, {[2][4]any{}, 8}, {[100]string{}, 0}, {eight{}, 0}, {[1000]int{}, 1},
		{struct {
			a eight
			b int
		}{}, 2}, {[math.MaxInt32]struct{}{}, 0}, {make([]struct{}, math.MaxInt32), 0},
	} {
		if n := new(value.Walker).Ops(c.v); n != c.ops {
			t.Errorf("%T: %d steps, want %d", c.v, n, c.ops)
		}
	}
}

// TestBits: in walks for a state, with and without text, two numbers are equal
// if they have the same bits. Two strings of different length are different.
func TestBits(t *testing.T) {
	nan, zero := math.NaN(), 0.0
	for _, c := range []struct {
		name string
		x, y any
		same bool
	}{
		{"not a number", nan, math.NaN(), true},
		{"one not a number and another", nan, math.Float64frombits(math.Float64bits(nan) ^ 1), false},
		{"a zero with a sign", []float64{zero}, []float64{math.Copysign(0, -1)}, false},
		{"in a struct", struct {
			a int8
			f float32
		}{1, float32(math.NaN())}, struct {
			a int8
			f float32
		}{1, float32(math.NaN())}, true},
		{"strings side by side", [2]string{"12345678", ""}, [2]string{"", "12345678"}, false},
		{"a string and the same with a zero behind it", "a", "a\x00", false},
	} {
		for _, texts := range []bool{false, true} {
			w := &value.Walker{}
			if x, y := tell(w, c.x, texts), tell(w, c.y, texts); (x.sum == y.sum) != c.same {
				t.Errorf("%s, texts %t: %+v and %+v", c.name, texts, x, y)
			}
		}
	}
}

// TestPadding: the hash of a struct does not depend on the bytes between its
// fields.
func TestPadding(t *testing.T) {
	type padded struct {
		a int8
		b int64
		c int16
	}
	var raw [2][3]uint64
	raw[1] = [3]uint64{0xffffffffffffff00, 0, 0xffffffffffff0000}
	w := &value.Walker{}
	x, y := tell(w, (*padded)(unsafe.Pointer(&raw[0])), false), tell(w, (*padded)(unsafe.Pointer(&raw[1])), false)
	if raw[1][2]++; x != y || tell(w, (*padded)(unsafe.Pointer(&raw[1])), false) == y {
		t.Errorf("%+v and %+v", x, y)
	}
	type open struct {
		a int64
		b int8
	}
	var many [2][4]uint64
	many[1][1], many[1][3] = 0xffffffffffffff00, 0xffffffffffffff00
	list := func(i int) []open { return unsafe.Slice((*open)(unsafe.Pointer(&many[i])), 2) }
	x, y = tell(w, list(0), false), tell(w, list(1), false)
	if many[1][3]++; x != y || tell(w, list(1), false) == y {
		t.Errorf("behind the last field: %+v and %+v", x, y)
	}
}

// TestSteady checks which values have one hash throughout a run.
func TestSteady(t *testing.T) {
	w := roles()
	for _, c := range []struct {
		v    any
		want bool
	}{
		{nil, true}, {1, true}, {"a", true}, {struct{ s string }{}, true}, {tool{}, true}, {named{}, true}, {[2]struct{ n named }{}, true},
		{struct{}{}, true}, {&named{}, false}, {[]int{}, false}, {thing{}, false}, {func() {}, false}, {[1]any{}, false}, {map[int]int{}, false},
	} {
		if got := w.Steady(c.v); got != c.want {
			t.Errorf("%T: %t", c.v, got)
		}
		if !c.want && w.SteadySum(c.v) != 0 {
			t.Errorf("%T has a sum", c.v)
		}
		if c.want {
			w.Begin(false)
			w.Value(c.v)
			sum := w.Sum()
			w.Begin(true)
			w.Value(&thing{})
			before, text := w.Sum(), string(w.Text())
			if got := w.SteadySum(c.v); got != sum || w.Sum() != before || string(w.Text()) != text {
				t.Errorf("%T: %#x, want %#x", c.v, got, sum)
			}
		}
	}
}
