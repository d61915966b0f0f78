package trace

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"
)

type (
	ping    struct{}
	tick    int
	word    string
	batch   []int
	handler func(int) error
	write   struct{ n int }
	set     struct {
		key string
		v   any
	}
	pair[K, V any] struct {
		Key   K
		Value V
	}
	padded struct {
		_ int
		n int
		_ [0]func()
	}
	list struct {
		value int
		next  *list
	}
	holder struct{ held any }
	typed  struct {
		id    tick
		when  time.Duration
		inner write
		ref   *actorRef
		err   error
	}
)

// An actorRef has a String method on its pointer only.
type actorRef struct{ name string }

func (r *actorRef) String() string { return r.name }

// A level has a String method on its value.
type level int

func (l level) String() string { return [...]string{"low", "high"}[l] }

// An exiting has a String method that ends its goroutine, as FailNow does.
type exiting int

func (exiting) String() string { runtime.Goexit(); return "" }

type bad struct{ code int }

func (b bad) Error() string { return "bad code" }

type both struct{}

func (both) Error() string  { return "as an error" }
func (both) String() string { return "as a string" }

type silent struct{ n int }

func (silent) String() string { return "" }

type embedding struct {
	fmt.Stringer
	n int
}

// A labelTest is a message and its label.
type labelTest struct {
	body any
	want string
}

func runLabelTests(t *testing.T, label func(any) string, tests []labelTest) {
	t.Helper()
	for _, test := range tests {
		if got := label(test.body); got != test.want {
			t.Errorf("the label of a %T is %s, expected %s", test.body, got, test.want)
		}
	}
}

func TestLabelOfStructs(t *testing.T) {
	runLabelTests(t, Label, []labelTest{
		{nil, "nil"},
		{ping{}, "ping"},
		{&ping{}, "ping"},
		{write{1}, "write(1)"},
		{&write{1}, "write(1)"},
		{(*write)(nil), "nil"},
		{set{"a", 3}, `set(key: "a", v: 3)`},
		{set{key: "a"}, `set(key: "a", v: nil)`},
		{set{"a", tick(3)}, `set(key: "a", v: tick(3))`},
		{set{"a", &write{3}}, `set(key: "a", v: write(3))`},
		{padded{n: 3}, "padded(3)"},
		{struct{ A, B int }{1, 2}, "struct(A: 1, B: 2)"},
		{struct{}{}, "struct"},
		{pair[int, string]{1, "a"}, `pair[int,string](Key: 1, Value: "a")`},
		{pair[write, *pair[tick, []word]]{}, "pair[write,*pair[tick,[]word]](Key: write(0), Value: nil)"},
		{typed{1, time.Second, write{2}, &actorRef{"store"}, bad{3}}, "typed(id: 1, when: 1s, inner: write(2), ref: store, err: bad code)"},
		{typed{}, "typed(id: 0, when: 0s, inner: write(0), ref: nil, err: nil)"},
	})
}

func TestLabelOfPlainValues(t *testing.T) {
	seven := 7
	pointer := &seven
	runLabelTests(t, Label, []labelTest{
		{7, "7"},
		{-7, "-7"},
		{uint8(200), "200"},
		{1.5, "1.5"},
		{float32(0.1), "0.1"},
		{math.NaN(), "NaN"},
		{math.Inf(-1), "-Inf"},
		{complex(1, -2), "(1-2i)"},
		{true, "true"},
		{"say \"hi\"\n", `"say \"hi\"\n"`},
		{tick(7), "tick(7)"},
		{word("go"), `word("go")`},
		{&pointer, "7"},
	})
}

func TestLabelOfLists(t *testing.T) {
	runLabelTests(t, Label, []labelTest{
		{[]int{1, 2, 3}, "[1 2 3]"},
		{[]int(nil), "[]"},
		{[2]bool{true, false}, "[true false]"},
		{[]string{"a b", "c"}, `["a b" "c"]`},
		{[]any{1, tick(2), nil, ping{}}, "[1 tick(2) nil ping]"},
		{[]tick{1, 2}, "[1 2]"},
		{batch{1, 2}, "batch([1 2])"},
		{[]byte("hello"), `"hello"`},
		{[]byte{0, 1, 255}, "[0 1 255]"},
		{[]byte{}, "[]"},
		{map[string]int{"b": 2, "a": 1}, `map["a":1 "b":2]`},
		{map[int]string(nil), "map[]"},
		{map[write]bool{{10}: true, {9}: false}, "map[write(10):true write(9):false]"},
	})
}

// TestLabelHidesAddresses: a value that differs from run to run is shown by its
// type.
func TestLabelHidesAddresses(t *testing.T) {
	seven := 7
	runLabelTests(t, Label, []labelTest{
		{func() {}, "func()"},
		{(func())(nil), "nil"},
		{func(...write) error { return nil }, "func(...write) error"},
		{handler(func(int) error { return nil }), "handler"},
		{make(chan write), "chan write"},
		{make(<-chan *write), "<-chan *write"},
		{unsafe.Pointer(&seven), "Pointer"},
		{uintptr(0xc000), "uintptr"},
		{holder{func(int) {}}, "holder(func(int))"},
	})
}

func TestLabelOfOwnText(t *testing.T) {
	runLabelTests(t, Label, []labelTest{
		{errors.New("broken pipe"), "broken pipe"},
		{bad{1}, "bad code"},
		{&bad{1}, "bad code"},
		{both{}, "as an error"},
		{level(1), "high"},
		{level(5), "level(5) (String panicked)"},
		{exiting(5), "exiting(5) (String called runtime.Goexit)"},
		{(*actorRef)(nil), "nil"},
		{&actorRef{"store"}, "store"},
		{actorRef{"store"}, `actorRef("store")`},
		{silent{4}, "silent(4)"},
		{embedding{nil, 4}, "embedding(nil, n: 4) (String panicked)"},
		{holder{level(0)}, "holder(low)"},
		{errors.New("two\nlines\x00\xff"), `two\nlines\x00` + "\uFFFD"},
	})
}

func TestLabelOfCycles(t *testing.T) {
	cyclic := &list{value: 1}
	cyclic.next = &list{value: 2, next: cyclic}
	self := &holder{}
	self.held = self
	loop := map[string]any{}
	loop["again"] = loop
	runLabelTests(t, Label, []labelTest{
		{cyclic, "list(value: 1, next: list(value: 2, next: …))"},
		{self, "holder(…)"},
		{loop, `map["again":…]`},
		{[]any{[]any{[]any{[]any{[]any{[]any{1}}}}}}, "[[[[[…]]]]]"},
	})
}

func TestLabelOfLocalTypes(t *testing.T) {
	type write struct{ n string }
	if got := Label(write{"x"}); got != `write("x")` {
		t.Error(got)
	}
	if got := Label(pair[write, int]{}); got != `pair[write,int](Key: write(""), Value: 0)` {
		t.Error(got)
	}
}

func TestLabelIsCut(t *testing.T) {
	long := make([]int, 1000)
	tests := []struct {
		name string
		body any
		want string
	}{
		{"string", strings.Repeat("é", 1000), `"` + strings.Repeat("é", 79) + "…"},
		{"just fits", strings.Repeat("x", 78), `"` + strings.Repeat("x", 78) + `"`},
		{"one too many", strings.Repeat("x", 79), `"` + strings.Repeat("x", 79) + "…"},
		{"slice", long, "[" + strings.Repeat("0 ", 39) + "0…"},
		{"error", errors.New(strings.Repeat("e", 1000)), strings.Repeat("e", 80) + "…"},
		{"field", set{strings.Repeat("k", 100), 1}, `set(key: "` + strings.Repeat("k", 70) + "…"},
	}
	for _, test := range tests {
		got := Label(test.body)
		if got != test.want {
			t.Errorf("%s: got %s, expected %s", test.name, got, test.want)
		}
		if n := utf8.RuneCountInString(got); n > labelRunes+1 {
			t.Errorf("%s: %d runes", test.name, n)
		}
	}
}

// TestLabelOfEqualKeys: keys with the same text are sorted by their values, not
// by their addresses.
func TestLabelOfEqualKeys(t *testing.T) {
	for range 100 {
		body := map[*write]int{{1}: 3, {1}: 1, {1}: 2, {0}: 9}
		if got := Label(body); got != "map[write(0):9 write(1):1 write(1):2 write(1):3]" {
			t.Fatal(got)
		}
	}
}

// TestLabelEnds: a label is bounded, however large the message is.
func TestLabelEnds(t *testing.T) {
	deep := map[string]any{}
	for range 40 {
		deep = map[string]any{"a": deep, "b": deep, "c": []any{deep, deep}}
	}
	start := time.Now()
	Label(deep)
	Label([]any{deep, deep})
	if took := time.Since(start); took > time.Second {
		t.Errorf("took %v", took)
	}
}

func TestTypeLabel(t *testing.T) {
	runLabelTests(t, TypeLabel, []labelTest{
		{nil, "nil"},
		{ping{}, "ping"},
		{&write{1}, "write"},
		{(*write)(nil), "write"},
		{tick(7), "tick"},
		{7, "int"},
		{"a", "string"},
		{batch{}, "batch"},
		{[]write{}, "[]write"},
		{[]*write{}, "[]*write"},
		{map[tick][]write{}, "map[tick][]write"},
		{pair[int, pair[tick, map[string]*write]]{}, "pair[int,pair[tick,map[string]*write]]"},
		{struct{ A int }{}, "struct"},
		{level(1), "level"},
		{time.Second, "Duration"},
		{errors.New("x"), "errorString"},
		{func(write, ...tick) {}, "func(write, ...tick)"},
		{handler(nil), "handler"},
	})
}

func BenchmarkLabel(b *testing.B) {
	var body any = set{"a", 3}
	for b.Loop() {
		Label(body)
	}
}

type shy struct{ n int }

type cellar struct {
	depth  int
	owner  any
	hidden *shy
	shelf  map[string][]int
	next   *cellar
}

// TestStateLabel checks that a state is shown with field names, without hidden
// types, and cut to a limit.
func TestStateLabel(t *testing.T) {
	c := &cellar{depth: 2, owner: shy{1}, hidden: &shy{2}, shelf: map[string][]int{"b": {1}, "a": nil}}
	c.next = c
	hidden := func(t reflect.Type) bool { return t == reflect.TypeFor[shy]() }
	const want = `cellar(depth: 2, owner: shy, hidden: shy, shelf: map["a":[] "b":[1]], next: …)`
	if got := StateLabel(c, hidden); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := utf8.RuneCountInString(StateLabel(make([]int, 1000), hidden)); got != 401 {
		t.Errorf("a long list has %d runes", got)
	}
}

// TestStateFields checks that StateFields shows each field as StateLabel does.
// It returns no fields for values that are not structs or have a String method.
func TestStateFields(t *testing.T) {
	c := &cellar{depth: 2, owner: shy{1}, hidden: &shy{2}, shelf: map[string][]int{"b": {1}, "a": nil}}
	c.next = c
	hidden := func(t reflect.Type) bool { return t == reflect.TypeFor[shy]() }
	var held any = c
	type long struct {
		list []int
		_    int
		more *cellar
	}
	const whole = `[{depth 2} {owner shy} {hidden shy} {shelf map["a":[] "b":[1]]} {next …}]`
	for _, test := range []struct {
		state any
		want  string
	}{
		{c, whole}, {&c, whole}, {&held, whole}, {long{}, "[{list []} {more nil}]"}, {&long{}, "[{list []} {more nil}]"},
		{cellar{}, "[{depth 0} {owner nil} {hidden nil} {shelf map[]} {next nil}]"}, {struct{}{}, "[]"},
		{nil, "[]"}, {(*cellar)(nil), "[]"}, {shy{}, "[]"}, {&shy{}, "[]"}, {7, "[]"}, {[]cellar{{}}, "[]"}, {func() {}, "[]"},
		{errors.New("speaks"), "[]"},
	} {
		if got := fmt.Sprint(StateFields(test.state, hidden)); got != test.want {
			t.Errorf("%T: got  %s\nwant %s", test.state, got, test.want)
		}
	}
	if got := StateFields(long{list: make([]int, 1000), more: nil}, hidden); utf8.RuneCountInString(got[0].Text) != 401 || got[1].Text != "nil" {
		t.Errorf("a long field: %v", got)
	}
}

// An operation knows whether the test that calls Label is on its stack.
type operation struct{}

func (operation) IsOperation() {}

func (operation) String() string {
	return fmt.Sprint("called at once: ", strings.Contains(string(debug.Stack()), "TestLabelOfOperations"))
}

// TestLabelOfOperations: the text of an operation costs no goroutine, because every message of a goroutine is one.
func TestLabelOfOperations(t *testing.T) {
	if got := Label(operation{}); got != "called at once: true" {
		t.Error(got)
	}
}
