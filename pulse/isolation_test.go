package pulse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

type (
	parcel struct{ items []string }
	pack   struct{}
)

// guarded systems check that messages stay as they were sent.
var guarded = pulse.Options{Isolation: true}

// isolationScripts are the ways in which a message can be changed on its way.
var isolationScripts = []script{
	{name: "the sender keeps a pointer and changes it in a later step", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		to := s.Spawn("till", pulse.Func(idle))
		kept := &parcel{items: []string{"cup"}}
		from := s.Spawn("shop", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg.(type) {
			case blast:
				ctx.Send(to, kept)
			case pack:
				kept.items[0] = "pan"
			}
		}))
		s.Send(from, blast{})
		s.Send(from, pack{})
		s.Run()
		return s.Failure()
	}},
	{name: "the sender changes it in the same step", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		to := s.Spawn("till", pulse.Func(idle))
		return one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			kept := &parcel{items: []string{"cup"}}
			ctx.Send(to, kept)
			kept.items = append(kept.items, "pan")
		}), blast{})(s)
	}},
	{name: "one slice goes to two, of which the first changes it", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		change := pulse.Func(func(_ *pulse.Ctx, msg any) { msg.([]int)[1]++ })
		first, second := s.Spawn("shop", change), s.Spawn("shop", change)
		same := []int{1, 2, 3}
		s.Send(first, same)
		s.Send(second, same)
		s.Run()
		return s.Failure()
	}},
	{name: "a map", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		add := pulse.Func(func(_ *pulse.Ctx, msg any) { msg.(map[string]int)["pan"] = 1 })
		prices := map[string]int{"cup": 3}
		s.Send(s.Spawn("shop", add), prices)
		s.Send(s.Spawn("till", pulse.Func(idle)), prices)
		s.Run()
		return s.Failure()
	}},
	{name: "the test changes it before the run", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		kept := []int{1}
		s.Send(s.Spawn("shop", pulse.Func(idle)), kept)
		kept[0] = 2
		s.Run()
		return s.Failure()
	}},
	{name: "the test changes between runs what an actor has sent", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		kept := []int{1}
		to := s.Go("clerk", sleeping)
		s.Send(s.Spawn("shop", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(to, kept) })), blast{})
		s.RunFor(0)
		kept[0] = 2
		s.Run()
		return s.Failure()
	}},
	{name: "a process changes it after a wait", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		to := s.Go("till", sleeping)
		return process(func(p *pulse.Process) {
			kept := []int{1}
			p.Send(to, kept)
			p.Receive()
			kept[0] = 2
		}, blast{})(s)
	}},
	{name: "in a step that panics and is supervised", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		kept := []int{1}
		r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart,
			Actor: pulse.Func(func(_ *pulse.Ctx, msg any) {
				kept[0] = 2
				panic(msg)
			})})
		s.Send(r, blast{})
		s.Send(s.Spawn("till", pulse.Func(idle)), kept)
		s.Run()
		return s.Failure()
	}},
	{name: "nothing is said when nobody asks", do: func(s *pulse.System) *pulse.Failure {
		kept := []int{1}
		s.Send(s.Spawn("shop", pulse.Func(idle)), kept)
		kept[0] = 2
		s.Run()
		return s.Failure()
	}},
}

// A node is part of a message that has circles.
type node struct {
	name  string
	next  *node
	prev  *node
	links []*node
	named map[string]*node
}

// ring links nodes in a circle, both ways.
func ring(n int) *node {
	first := &node{name: "0"}
	last := first
	for i := 1; i < n; i++ {
		last.next = &node{name: fmt.Sprint(i), prev: last}
		last = last.next
	}
	last.next, first.prev = first, last
	return first
}

// mesh links every node to every other.
func mesh(n int) *node {
	all := make([]*node, n)
	for i := range all {
		all[i] = &node{name: fmt.Sprint(i), named: map[string]*node{}}
	}
	for _, x := range all {
		for _, y := range all {
			x.links = append(x.links, y)
			x.named[y.name] = y
		}
	}
	return all[0]
}

// named links every node to every other by maps alone.
func named(n int) *node {
	first := mesh(n)
	for _, x := range first.links {
		defer func() { x.links = nil }()
	}
	return first
}

// ladder has two ways to the next node, again and again: 2ⁿ in all.
func ladder(n int) *node {
	x := &node{name: "end"}
	for range n {
		x = &node{next: x, prev: x}
	}
	return x
}

// locked holds what only its methods may touch.
type locked struct {
	mu sync.Mutex
	n  int
}

// messages are such as nobody changes, of all sorts.
func messages(r pulse.Ref) []any {
	inner := map[string]any{}
	inner["itself"] = inner
	list := []any{1, nil}
	list[1] = list
	return []any{
		nil, 1, "text", 2.5, 1i, true, [3]int{1, 2, 3}, struct{}{}, &struct{}{},
		r, &r, []pulse.Ref{r}, map[pulse.Ref]int{r: 1},
		func() {}, make(chan int), struct{ f func() }{func() {}},
		time.Unix(1, 2), time.Unix(1, 2).In(time.FixedZone("there", 3600)), time.Second, []time.Time{time.Unix(5, 6)},
		&locked{n: 1}, &sync.Mutex{}, &sync.WaitGroup{}, context.Background(), errors.New("error"),
		bytes.NewBufferString("text"), reflect.TypeFor[int](),
		(*node)(nil), ring(3), mesh(30), named(9), ladder(60), inner, list,
		[]int(nil), map[string]int(nil), map[any]any{nil: nil, 1: "x", "y": 2.0, [1]int{1}: true},
	}
}

// TestNoFalseAlarm: messages that nobody changes are not said to be changed.
func TestNoFalseAlarm(t *testing.T) {
	s := pulse.New(pulse.Options{Isolation: true})
	defer s.Close()
	r := s.Spawn("shop", pulse.Func(idle))
	all := messages(r)
	forward := s.Spawn("till", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		ctx.Send(r, msg)
		if m, ok := msg.(*locked); ok { // taking a lock changes nothing that is said
			m.mu.TryLock()
		}
	}))
	for range 3 {
		for _, m := range all {
			s.Send(forward, m)
		}
	}
	s.Run()
	if f := s.Failure(); f != nil || s.Steps() != 6*len(all) {
		t.Errorf("%d steps and %v", s.Steps(), f)
	}
}

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

// value returns a random value and, apart from it, its equal, made in another
// order where the order does not count.
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

// places calls f for every part of a value that can be changed, with what
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

// TestFingerprint: equal values have equal fingerprints, and after one change
// anywhere in a value it has another.
func TestFingerprint(t *testing.T) {
	const values, most = 3000, 8
	changes := 0
	for seed := range uint64(values) {
		d := draw{rand.New(rand.NewPCG(seed, 1))}
		v, equal := d.value(3)
		if !reflect.DeepEqual(v, equal) {
			t.Fatalf("seed %d: the two are not equal", seed)
		}
		print := pulse.Fingerprint(v)
		if print != pulse.Fingerprint(equal) || print != pulse.Fingerprint(v) {
			t.Fatalf("seed %d: %#v has two fingerprints", seed, v)
		}
		total := 0
		count := func(func()) { total++ }
		places(reflect.ValueOf(&v).Elem(), map[any]bool{}, count)
		for range min(most, total) {
			again := draw{rand.New(rand.NewPCG(seed, 1))}
			changed, _ := again.value(3) // the same value once more
			changeOne(&changed, d.IntN(total))
			if reflect.DeepEqual(v, changed) {
				continue
			}
			if changes++; pulse.Fingerprint(changed) == print {
				t.Fatalf("seed %d: %#v has the fingerprint of %#v", seed, changed, v)
			}
		}
	}
	if changes < 5000 {
		t.Errorf("%d changes tried, expected at least 5,000", changes)
	}
}

// changeOne makes change n of those that places finds. Maps are walked in
// whatever order, so any of their changes may be the one.
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

// TestFingerprintsDiffer: values that are told apart by little.
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
		{map[string][]int{"a": {1}, "b": nil}, map[string][]int{"a": nil, "b": {1}}},
	} {
		x, y := &struct{ v any }{c[0]}, &struct{ v any }{c[1]}
		if pulse.Fingerprint(x) == pulse.Fingerprint(y) {
			t.Errorf("%#v and %#v have one fingerprint", c[0], c[1])
		}
	}
}

// TestFingerprintsOfCircles: a circle has the fingerprint of its copy, and
// another when anything in it changes.
func TestFingerprintsOfCircles(t *testing.T) {
	for name, make := range map[string]func() *node{
		"ring":   func() *node { return ring(5) },
		"mesh":   func() *node { return mesh(30) },
		"ladder": func() *node { return ladder(50) },
		"named":  func() *node { return named(9) },
	} {
		x, y := make(), make()
		before := pulse.Fingerprint(x)
		if before != pulse.Fingerprint(y) {
			t.Errorf("%s: two that are equal have two fingerprints", name)
		}
		end := y
		for end.next != nil && end.next != y {
			end = end.next
		}
		if len(y.links) > 0 {
			end = y.links[len(y.links)-1]
		}
		if y.named["1"] != nil {
			end = y.named["1"]
		}
		end.name = "changed"
		if before == pulse.Fingerprint(y) {
			t.Errorf("%s: a change is not seen", name)
		}
	}
	if pulse.Fingerprint(ring(3)) == pulse.Fingerprint(ring(4)) {
		t.Error("rings of 3 and of 4 have one fingerprint")
	}
}
