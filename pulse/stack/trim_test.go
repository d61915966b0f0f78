package stack

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestHides checks which calls a Trimmer removes, in particular literals whose names
// contain the path of the package into which they were inlined.
func TestHides(t *testing.T) {
	_, root := home()
	ours := root + "/props"
	trimmer := NewTrimmer("example.com/a", "example.com/deep/...", "github.com/jostle-go/jostle/props")
	tests := []struct {
		function, file string
		hides          bool
	}{
		{"example.com/a.F", "/src/a/f.go", true},
		{"example.com/a.(*T).M", "/src/a/f.go", true},
		{"example.com/a.F.func1", "/src/a/f.go", true},
		{"example.com/a.F", "/src/a/f_test.go", false},
		{"example.com/a_test.F", "/src/a/f.go", false},
		{"example.com/ab.F", "/src/ab/f.go", false},
		{"example.com/a/b.F", "/src/a/b/f.go", false},
		{"example.com/deep.F", "/src/deep/f.go", true},
		{"example.com/deep/down.F", "/src/deep/down/f.go", true},
		{"example.com/deeper.F", "/src/deeper/f.go", false},

		{"user.TestX.F.func1", "/go/pkg/mod/example.com/a@v1.2.3/f.go", true},
		{"user.TestX.F.func1", "/home/user/vendor/example.com/a/f.go", true},
		{"user.TestX.F.func1", "example.com/a@v1.2.3/f.go", true}, // with -trimpath
		{"user.TestX.F.func1", "/go/pkg/mod/example.com/ab@v1.2.3/f.go", false},
		{"user.TestX.F.func1", "/go/pkg/mod/example.com/a@v1.2.3/b/f.go", false},
		{"user.TestX.F.func1", "/go/pkg/mod/example.com/deep@v1.2.3/down/f.go", true},
		{"user.TestX.F.func1-range2", "/go/pkg/mod/example.com/a@v1.2.3/f.go", true},
		{"user.TestX.F.func1", ours + "/t.go", true},
		{"user.TestX.F.func1", ours + "/t_test.go", false},
		{"user.TestX.F.func1", ours + "/linear/t.go", false},
		{"user.TestX.F", ours + "/t.go", false}, // the name of a declared function does not depend on inlining
	}
	for _, test := range tests {
		if got := trimmer.hides(&runtime.Frame{Function: test.function, File: test.file}); got != test.hides {
			t.Errorf("%s in %s: hidden %v, expected %v", test.function, test.file, got, test.hides)
		}
	}
}

// here returns the stack of its caller.
func here() []uintptr {
	var pcs [64]uintptr
	return pcs[:runtime.Callers(2, pcs[:])]
}

// named returns the names of calls, the innermost first, joined by commas.
func named(calls []runtime.Frame) string {
	var list []string
	for _, f := range Frames(calls) {
		list = append(list, f.Func)
	}
	return strings.Join(list, ", ")
}

func small() []uintptr { return here() }

func literal() func() []uintptr { return func() []uintptr { return small() } }

func panics() { fails(recoverHere) }

// fails panics and calls f in a deferred function.
func fails(f func()) {
	defer f()
	panic("no")
}

var panicked []uintptr

func recoverHere() {
	recover()
	panicked = here()
}

func exits(done chan []uintptr) {
	defer func() { done <- here() }()
	runtime.Goexit()
}

func TestStacks(t *testing.T) {
	trimmer := NewTrimmer("example.com/a")
	check := func(name string, pcs []uintptr, all, inner string) {
		t.Helper()
		if got := named(trimmer.All(pcs)); got != all {
			t.Errorf("%s: all calls are %s, expected %s", name, got, all)
		}
		if got, caller := trimmer.Inner(pcs); named(got) != inner || caller != "" {
			t.Errorf("%s: the inner calls are %s, made by %q, expected %s", name, named(got), caller, inner)
		}
	}
	const test = "stack.TestStacks"
	check("nothing", nil, "", "")
	check("inlined", small(), "stack.small, "+test, "stack.small, "+test)
	check("literal", literal()(), "stack.small, func in literal, "+test, "stack.small, func in literal, "+test)
	panics()
	check("panic", panicked, "stack.fails, stack.panics, "+test, "stack.fails, stack.panics, "+test)
	done := make(chan []uintptr)
	go exits(done)
	check("Goexit", <-done, "stack.exits", "stack.exits")
	var sorted []uintptr
	slices.SortFunc([]int{1, 2}, func(a, b int) int { sorted = small(); return a - b })
	check("standard library between", sorted, "stack.small, func in TestStacks, "+test, "stack.small, func in TestStacks, "+test)
	var measured []uintptr
	testing.AllocsPerRun(1, func() { measured = small() })
	check("package testing between", measured, "stack.small, func in TestStacks, "+test, "stack.small, func in TestStacks")
}

// TestStandard: calls of the standard library are recognized in every Go installation, and others are not.
func TestStandard(t *testing.T) {
	for _, c := range []struct {
		function, file string
		want           bool
	}{
		{"internal/sync.(*Mutex).lockSlow", "/usr/local/go/src/internal/sync/mutex.go", true},
		{"internal/sync.(*Mutex).lockSlow", "/root/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.27.4.linux-amd64/src/internal/sync/mutex.go", true},
		{"slices.SortFunc[go.shape.[]example.com/a.T]", "slices/sort.go", true},
		{"vendor/golang.org/x/net/idna.ToASCII", "/go/src/vendor/golang.org/x/net/idna/idna.go", true},
		{"time.Sleep", "/usr/local/go/src/runtime/time.go", true},
		{"runtime.mapassign_faststr", "internal/runtime/maps/runtime_faststr.go", true},
		{"go/ast.(*File).Pos", "C:/go/src/go/ast/ast.go", true},
		{"log.Printf", "/home/me/log/log.go", false}, // a module with the name log
		{"t.TestA", "/home/me/src/t/a_test.go", false},
		{"example.com/sync.(*Mutex).Lock", "/home/me/src/example.com/sync/mutex.go", false},
		{"main.main", "/home/me/sync/main.go", false},
	} {
		if got := isStandard(&runtime.Frame{Function: c.function, File: c.file}); got != c.want {
			t.Errorf("%s in %s: %v", c.function, c.file, got)
		}
	}
	out, err := exec.Command("go", "list", "std").Output()
	for line := range strings.Lines(string(out)) {
		first, _, _ := strings.Cut(strings.TrimSpace(line), "/")
		if !slices.Contains(standard, first) {
			t.Errorf("the list lacks %s", first)
		}
	}
	if err != nil || !slices.IsSorted(standard) {
		t.Errorf("the list is not sorted, or there is none: %v", err)
	}
}

type embedded struct{}

func (embedded) M() {}

type embeds struct{ embedded }

func TestBegin(t *testing.T) {
	if f, ok := Begin(func() bool { return isDigits("") }); !ok || f.Func != "func in TestBegin" || f.File != "trim_test.go" {
		t.Errorf("a literal that begins with an inlined call begins at %v, %v", f, ok)
	}
	if f, ok := Begin(TestBegin); !ok || f.String() != "stack.TestBegin "+f.Place() || f.File != "trim_test.go" {
		t.Errorf("the test begins at %v, %v", f, ok)
	}
	if f, ok := Begin((*embeds).M); ok || f.Place() != "" {
		t.Errorf("a promoted method begins at %v", f)
	}
}

// A till has methods that are long, short and used only as values.
type till struct{ sum int }

func (c *till) long(n int) {
	if c.sum += n; c.sum > 10 {
		defer c.long(-n)
	}
}

func (c till) short(n int) int { return c.sum + n }

// TestBeginOfMethod checks which line is found as the beginning of a method value's method.
func TestBeginOfMethod(t *testing.T) {
	c := &till{}
	for name, row := range map[string]struct {
		of     any
		want   string
		method string
	}{
		"long":      {c.long, "stack.(*till).long", "long"},
		"short":     {c.short, "stack.till.short", "short"},
		"far":       {(&strings.Builder{}).WriteString, "strings.(*Builder).WriteString", "WriteString"},
		"nearer":    {NewTrimmer().Inner, "stack.(*Trimmer).Inner", "Inner"},
		"interface": {fmt.Stringer(Frame{}).String, "", "String"},
		"promoted":  {struct{ *till }{c}.long, "stack.(*till).long", "long"},
		"function":  {TestBegin, "", ""},
		"nil":       {(func())(nil), "", ""},
	} {
		if f, ok := Begin(row.of); ok && name != "function" { // on platforms where Begin needs no search, such as WebAssembly
			if f.Func != row.want {
				t.Errorf("%s begins at %v", name, f)
			}
			continue
		}
		if f, ok := BeginOfMethod(row.of); f.Func != row.want || ok != (f.Line > 0) {
			t.Errorf("%s begins at %v, %t", name, f, ok)
		}
		if got := MethodOf(row.of); got != row.method {
			t.Errorf("%s is the method %q, want %q", name, got, row.method)
		}
	}
	want, _ := Begin((*till).long)
	if f, _ := BeginOfMethod(c.long); f != want {
		t.Errorf("long begins at %v, want %v", f, want)
	}
}

// TestBeginOfMethodLooksEverywhere: every function of the program is searched once.
func TestBeginOfMethodLooksEverywhere(t *testing.T) {
	seen := map[uintptr]int{}
	here := runtime.FuncForPC(reflect.ValueOf(TestBegin).Pointer()).Entry()
	for entry := range others(here) {
		seen[entry]++
	}
	for entry, n := range seen {
		if n != 1 || runtime.FuncForPC(entry).Entry() != entry {
			t.Fatalf("what begins at %x is looked at %d times", entry, n)
		}
	}
	if len(seen) < 1000 || seen[here] != 0 {
		t.Errorf("%d functions, and itself %d times", len(seen), seen[here])
	}
	for _, f := range []any{runtime.GC, strings.Cut, TestName, fmt.Sprint, os.Exit} {
		if seen[reflect.ValueOf(f).Pointer()] == 0 {
			t.Errorf("%s is not looked at", nameOf(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()))
		}
	}
}

func BenchmarkBeginOfMethod(b *testing.B) {
	for b.Loop() {
		BeginOfMethod((&strings.Builder{}).WriteString)
	}
}
