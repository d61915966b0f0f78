package value_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/value"
)

type (
	// A cell is an element of a linked list. Each field refers to the next cell by a different kind of reference.
	cell   struct{ next *cell }
	cons   struct{ first, rest any }
	nested []nested
	tabled map[int]tabled
	peer   struct {
		name  int
		peers map[*peer]bool
	}
)

// TestLongChains: a chain of a hundred thousand links, at night a million, can be walked
// without a deep stack.
func TestLongChains(t *testing.T) {
	length := 100_000
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		length *= 10
	}
	cells, conses := &cell{}, any(nil)
	lists, tables := nested{}, tabled{}
	for range length {
		cells, conses, lists = &cell{cells}, cons{1, conses}, nested{lists}
	}
	for range length / 10 {
		tables = tabled{1: tables}
	}
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20)) // a stack that grows beyond this ends the process
	for _, v := range []any{cells, conses, lists, tables, map[any]any{cells: conses, &cell{}: 1}} {
		w := &value.Walker{}
		if print := w.Fingerprint(v); print != w.Fingerprint(v) || print != fingerprint(v) {
			t.Errorf("%T: two fingerprints", v)
		}
	}
}

// TestKeysThatLeadToKeys: a map whose keys refer to further such maps is sorted
// without walking all memory behind each key.
func TestKeysThatLeadToKeys(t *testing.T) {
	make := func(change int) *peer {
		all := []*peer{}
		for i := range 60 {
			all = append(all, &peer{name: i, peers: map[*peer]bool{}})
		}
		for i, p := range all {
			for j := range 3 {
				p.peers[all[(i*(j+1)+j+1)%len(all)]] = true
			}
		}
		all[change].name *= 2
		return all[1]
	}
	print := fingerprint(make(0)) // changes nothing
	for i := range 60 {
		if p := fingerprint(make(i)); (p == print) != (i == 0) {
			t.Errorf("a change of peer %d is not seen", i)
		}
	}
}

// TestTwins checks maps with keys of equal contents. In fingerprints their
// entries count as a multiset. In states they are sorted by their values; a map
// with two equal entries cannot be read.
func TestTwins(t *testing.T) {
	type key = *[1]int
	for range 20 { // repeat, because Go walks a map in random order
		if fingerprint(twins(1, 2)) != fingerprint(twins(2, 1)) {
			t.Fatal("two that are alike have two fingerprints")
		}
		a, b := tell(new(value.Walker), map[key]int{{}: 1, {}: 2}, true), tell(new(value.Walker), map[key]int{{}: 2, {}: 1}, true)
		if !a.readable || a != b {
			t.Fatalf("%+v and %+v", a, b)
		}
	}
	if is := tell(new(value.Walker), map[key]int{{}: 1, {}: 1}, false); is.readable {
		t.Error("twins have an order")
	}
}

// TestLargeMaps: the result does not depend on the order in which Go walks a map, however large the map is.
func TestLargeMaps(t *testing.T) {
	make := func() (m map[string]*thing, k map[*thing]*int) {
		m, k = map[string]*thing{}, map[*thing]*int{}
		for i := range 200 {
			m[fmt.Sprint(i)] = &thing{id: i}
			k[&thing{id: i}] = ptr(i)
		}
		return m, k
	}
	m, k := make()
	n, l := make()
	for _, c := range [][2]any{{m, n}, {k, l}} {
		if fingerprint(c[0]) != fingerprint(c[1]) || tell(new(value.Walker), c[0], true) != tell(new(value.Walker), c[1], true) {
			t.Errorf("%T: two that are alike differ", c[0])
		}
	}
}

// TestOnePlaceTwoTypes: a struct and its first field have one address, and are two
// blocks.
func TestOnePlaceTwoTypes(t *testing.T) {
	type outer struct {
		in cell
		m  int
	}
	of := func(m int) uint64 {
		x := &outer{m: m}
		return fingerprint([2]any{&x.in, x})
	}
	if a, b := of(1), of(2); a == b || a != of(1) {
		t.Error("the second pointer is taken for the first")
	}
}

type (
	tool  struct{ n int }
	watch struct{ n int }
	named struct {
		name string
		n    int
	}
)

// roles returns a walker for which the type tool has RoleTool, the type watch
// has RoleLock, and of the type named only the name counts.
func roles() *value.Walker {
	w := &value.Walker{}
	w.Role = func(t reflect.Type) value.Role {
		switch t {
		case reflect.TypeFor[tool]():
			return value.RoleTool
		case reflect.TypeFor[watch]():
			return value.RoleLock
		}
		return value.RoleData
	}
	w.Special = func(t reflect.Type) (func(unsafe.Pointer), bool) {
		if t != reflect.TypeFor[named]() {
			return nil, false
		}
		return func(p unsafe.Pointer) { w.Tag(uint64(len((*named)(p).name)), (*named)(p).name+" ") }, true
	}
	return w
}

// TestRoles checks which changes inside a value show in states and in fingerprints.
func TestRoles(t *testing.T) {
	for _, c := range []struct {
		v             any
		change        func()
		state, prints bool // a change shows
	}{
		changes(&thing{}, func(x *thing) { x.N++ }, true, true),
		changes(&tool{}, func(x *tool) { x.n++ }, false, false),
		changes(&[1]tool{}, func(x *[1]tool) { x[0].n++ }, false, false),
		changes(&struct{ t *tool }{&tool{}}, func(x *struct{ t *tool }) { x.t.n++ }, false, false),
		changes(&struct{ t *tool }{&tool{}}, func(x *struct{ t *tool }) { x.t = &tool{} }, false, true),
		changes(&watch{}, func(x *watch) { x.n++ }, true, false),
		changes(&struct{ w *watch }{&watch{}}, func(x *struct{ w *watch }) { x.w.n++ }, true, false),
		changes(&struct{ w *watch }{&watch{}}, func(x *struct{ w *watch }) { x.w = &watch{} }, false, true),
		changes(&named{}, func(x *named) { x.n++ }, false, true),
		changes(&named{}, func(x *named) { x.name += "x" }, true, true),
		changes(&struct{ mu sync.Mutex }{}, func(x *struct{ mu sync.Mutex }) { x.mu.Lock() }, true, false),
		changes(&atomic.Int32{}, func(x *atomic.Int32) { x.Add(1) }, true, false),
		changes(&log.Logger{}, func(x *log.Logger) { x.SetFlags(log.Llongfile) }, false, false),
		changes(&slog.HandlerOptions{}, func(x *slog.HandlerOptions) { x.AddSource = true }, false, false),
		changes(ptr(time.Unix(1, 0)), func(x *time.Time) { *x = x.Add(1) }, true, true),
		changes(ptr(time.Unix(1, 0)), func(x *time.Time) { *x = x.UTC() }, true, true),
		changes(ptr(t), func(x **testing.T) { (*x).Cleanup(func() {}) }, false, false),
	} {
		w := roles()
		s, h, p := tell(w, c.v, true), tell(w, c.v, false), w.Fingerprint(c.v)
		c.change()
		if is := tell(w, c.v, true); !s.readable || is != s != c.state {
			t.Errorf("%T: state %+v, then %+v", c.v, s, is)
		}
		if is := tell(w, c.v, false); !h.readable || is != h != c.state {
			t.Errorf("%T: state %+v, then %+v", c.v, h, is)
		}
		if is := w.Fingerprint(c.v); is != p != c.prints {
			t.Errorf("%T: fingerprint %#x, then %#x", c.v, p, is)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	before := fingerprint(ctx)
	if cancel(); fingerprint(ctx) != before {
		t.Error("a context counts by what it holds")
	}
}

func changes[T any](v *T, change func(*T), state, prints bool) struct {
	v             any
	change        func()
	state, prints bool
} {
	return struct {
		v             any
		change        func()
		state, prints bool
	}{v, func() { change(v) }, state, prints}
}

// TestPlain: a value is not plain if other code can change it, or if other values can share parts of it.
func TestPlain(t *testing.T) {
	w := roles()
	for _, v := range []any{nil, 1, "a", 1.5, [2]string{}, thing{}.B, struct{ s string }{}, tool{}, named{}, watch{}, [0]int{}} {
		if !w.Plain(v) {
			t.Errorf("%T is not plain", v)
		}
	}
	for _, v := range []any{&tool{}, ptr(1), []int{}, map[int]int{}, thing{}, func() {}, make(chan int), [1]any{}, box{}, time.Time{}} {
		if w.Plain(v) {
			t.Errorf("%T is plain", v)
		}
	}
}

// TestTry: Try of an unreadable value leaves the walk unchanged.
func TestTry(t *testing.T) {
	w, shared := &value.Walker{}, &thing{}
	for _, v := range []any{
		func() {}, make(chan int), unsafe.Pointer(shared), []any{shared, 1, func() {}}, map[string]any{"a": shared, "b": func() {}},
		&struct{ f any }{func() {}}, map[any]int{[1]any{unsafe.Pointer(shared)}: 1}, box{&thing{A: []func(){func() {}}}},
	} {
		for _, texts := range []bool{false, true} {
			w.Begin(texts)
			w.Signed(1)
			if w.Try(v) || w.TryAll([]any{shared, v}) {
				t.Errorf("%T was read", v)
			}
			read := w.Try(shared)
			sum, text := w.Sum(), string(w.Text())
			w.Begin(texts)
			w.Signed(1)
			if !w.TryAll([]any{shared}) || !read || w.Sum() != sum || string(w.Text()) != text {
				t.Errorf("%T has left something: %s, want %s", v, text, w.Text())
			}
		}
	}
}

// TestProbe: a probe treats the blocks that the walk has numbered as known.
// After EndProbe the walk is as it was before Probe.
func TestProbe(t *testing.T) {
	w, known, other := &value.Walker{}, &thing{}, &thing{}
	probe := func(v any) uint64 {
		m := w.Probe()
		w.Value(v)
		return w.EndProbe(m)
	}
	w.Begin(true)
	if probe(known) != probe(other) {
		t.Error("addresses count")
	}
	w.Value(known)
	text := string(w.Text())
	if probe(known) == probe(other) {
		t.Error("a probe does not know the blocks of the walk")
	}
	if w.Value(other); !strings.HasPrefix(string(w.Text()), text) || strings.Contains(string(w.Text()), "#") {
		t.Errorf("probes show: %s", w.Text())
	}
}

// TestOverlaps: states include whether two values share memory.
func TestOverlaps(t *testing.T) {
	of := func(v any) told {
		w := &value.Walker{}
		w.Begin(true)
		w.Value(v)
		w.Overlaps()
		return told{true, w.Sum(), string(w.Text())}
	}
	parts := func(a, b int) any {
		list := make([]int, 5)
		return []any{list[a:3:4], &list[b]}
	}
	if a, b := of(parts(1, 2)), of(parts(1, 2)); a != b {
		t.Error("addresses count")
	}
	if a, b := of(parts(1, 2)), of(parts(1, 3)); a.sum == b.sum || a.text == b.text {
		t.Errorf("what lies where does not show: %s", a.text)
	}
	apart := of([]any{make([]int, 2, 3), new(int)})
	if a := of(parts(1, 4)); a != apart {
		t.Errorf("%s is not %s", a.text, apart.text)
	}
	if a := of(parts(1, 3)); a.sum == apart.sum || a.text == apart.text {
		t.Errorf("where a slice can grow to does not show: %s", a.text)
	}
}

// TestTexts checks the text of a value.
func TestTexts(t *testing.T) {
	x := &thing{N: -1, S: "\x00", I: []int{1, 2}, Sorted: map[string]int{"k": 1}}
	x.P = x
	const want = `*github.com/jostle-go/jostle/pulse/value_test.thing &{id:0 N:-1 S:"\x00" F:0 C:0 0 B:[no no ] u:0 P:#2 Q:nil L:nil ` +
		`I:&2 [1 2 ] Bytes:nil Sorted:&1 ["k" → 1 ] M:nil K:nil V:nil A:nil T:{wall:0 ext:0 loc:nil } pair:{first:nil second:nil } box:{p:nil } } `
	if is := tell(new(value.Walker), x, true); is.text != want {
		t.Errorf("%s, want\n%s", is.text, want)
	}
}

// TestNoAllocation: a walker allocates nothing for values of types that it has walked over before.
func TestNoAllocation(t *testing.T) {
	w := &value.Walker{}
	for _, v := range fewValues() {
		if n := testing.AllocsPerRun(20, func() { w.Fingerprint(v) }); n != 0 {
			t.Errorf("%T: a fingerprint allocates %v times", v, n)
		}
		if n := testing.AllocsPerRun(20, func() { tell(w, v, false) }); n != 0 {
			t.Errorf("%T: a state allocates %v times", v, n)
		}
	}
}

func fewValues() []any {
	x := &thing{S: "name", I: []int{1, 2, 3}, Sorted: map[string]int{"a": 1, "b": 2}, A: box{&thing{id: 1}}}
	x.M = map[string]*thing{"x": x, "y": {id: 2}}
	return []any{x, []string{"cup", "pan"}, map[*thing]int{x: 1}, &struct{ n int }{1}}
}

// TestTypeName: types have the whole paths of their packages.
func TestTypeName(t *testing.T) {
	const here = "github.com/jostle-go/jostle/pulse/value_test."
	names := map[string]any{"int": 1, here + "thing": thing{}, "**" + here + "thing": ptr(&thing{}), "[]string": []string{}, "time.Time": time.Time{}}
	for _, want := range slices.Sorted(maps.Keys(names)) {
		if name := value.TypeName(reflect.TypeOf(names[want])); name != want {
			t.Errorf("%s, want %s", name, want)
		}
	}
}

func BenchmarkFingerprint(b *testing.B) {
	w := &value.Walker{}
	for _, v := range fewValues() {
		b.Run(fmt.Sprintf("%T", v), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.Fingerprint(v)
			}
		})
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			fingerprint(fewValues()[1])
		}
	})
}

// TestManyBlocks: two pointers to one block are recognized, however many blocks
// were added between them, and also if other blocks were added and removed.
func TestManyBlocks(t *testing.T) {
	w := &value.Walker{}
	unreadable := []any{func() {}}
	for range 40 {
		unreadable = append([]any{new(int)}, unreadable...)
	}
	of := func(list []*int, last *int) uint64 {
		w.Begin(false)
		w.Try(unreadable)
		w.Value(list)
		probe := w.Probe()
		w.Value([]*int{ptr(1), ptr(2), ptr(3)})
		w.EndProbe(probe)
		w.Value(last)
		return w.Sum()
	}
	for n := range 40 {
		var list []*int
		for range n {
			list = append(list, new(int))
		}
		list = slices.Clip(list)
		sums := map[uint64]int{of(list, new(int)): -1}
		for i, p := range list {
			if old, known := sums[of(list, p)]; known {
				t.Errorf("of %d blocks number %d is taken for number %d", n, i, old)
			}
			sums[of(list, p)] = i
		}
	}
}
