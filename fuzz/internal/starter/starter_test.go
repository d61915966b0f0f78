package starter

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// others has the sources of the imported
// packages, reduced to what these tests need.
var others = map[string]string{
	"context": "package context; type Context interface{ Err() error }; func Background() Context { return nil }",
	"pulse":   "package pulse; type Ctx struct{}; type Ref struct{}; type Down struct{}",
	"rapid": `package rapid
type T struct{}
type Generator[V any] struct{}
func (*Generator[V]) Draw(*T, string) (v V) { return }
func IntRange(low, high int) *Generator[int] { return nil }
func Float64Range(low, high float64) *Generator[float64] { return nil }
func SampledFrom[V any]([]V) *Generator[V] { return nil }
func Bool() *Generator[bool] { return nil }
func Just[V any](V) *Generator[V] { return nil }`,
	"wire": "package wire; type Open struct { N int; hidden int }; type hidden struct{}; type Wrap[V any] struct{ V V }; func Hidden() Wrap[hidden] { return Wrap[hidden]{} }; type Takes func(hidden); type Maps struct { Open, hidden map[int]int; Hidden map[hidden]int }",
}

// code is an importer of the packages in others.
type code struct{ fset *token.FileSet }

func (c code) Import(path string) (*types.Package, error) {
	f, err := parser.ParseFile(c.fset, path, others[path], 0)
	if err != nil {
		return nil, err
	}
	return (&types.Config{}).Check(path, c.fset, []*ast.File{f}, nil)
}

// in returns a package with the given declarations, in the form that Load returns.
func in(t *testing.T, declarations string) *Package {
	t.Helper()
	p := &Package{Name: "p", Path: "example.com/p", fset: token.NewFileSet(),
		paths: Paths{Fuzz: "fuzz", Props: "props", Pulse: "pulse", Rapid: "rapid"},
		info:  &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
	text := "package p\n\nimport (\n"
	for _, path := range []string{"context", "pulse", "wire"} {
		if strings.Contains(declarations, path+".") {
			text += fmt.Sprintf("%q\n", path)
		}
	}
	f, err := parser.ParseFile(p.fset, "p.go", text+")\n\n"+declarations, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p.files = []*ast.File{f}
	p.types, err = (&types.Config{Importer: code{p.fset}}).Check(p.Path, p.fset, p.files, p.info)
	if err != nil {
		t.Fatalf("%v in\n%s", err, declarations)
	}
	return p
}

// seen lists the messages that an actor handles, as text.
func (p *Package) seen(a *Actor) string {
	var list []string
	for _, s := range p.messages(a) {
		if text := types.TypeString(s.typ, (*types.Package).Name); s.constant == nil {
			list = append(list, strings.ReplaceAll(text, "p.", ""))
		} else {
			list = append(list, "= "+types.ExprString(s.constant))
		}
	}
	return strings.Join(list, ", ")
}

// TestActors checks which types are actors, by which method and with which
// messages. It also checks which types have a handler that cannot be called.
func TestActors(t *testing.T) {
	for _, c := range []struct{ code, actors, uncalled string }{
		{"type A struct{}; func (A) Receive(*pulse.Ctx, any) {}", "A.Receive own()", "A.Receive"},
		{"type A struct{}; func (*A) Receive(*pulse.Ctx, any) {}", "A.Receive own()", "A.Receive"},
		{"type A struct{}; func (A) Receive(*pulse.Ctx, any) error { return nil }", "", "A.Receive"},
		{"type A struct{}; func (A) Receive(*pulse.Ctx, error) {}", "", "A.Receive"},
		{"type A struct{}; func (A) Receive(pulse.Ctx, any) {}", "", "A.Receive"},
		{"type A int; func (A) Handle(int) {}", "A.Handle(int)", "A.Handle"},
		{"type A struct{}; func (A) Handle(context.Context, int) error { return nil }", "A.Handle context(int)", "A.Handle"},
		{"type A struct{}; func (A) Handle(context.Context) {}; func (A) Err() error { return nil }", "", "A.Handle"},
		{"type A struct{}; func (A) Handle(int, context.Context) {}", "", "A.Handle"},
		{"type A struct{}; func (A) Handle(a, b int) {}", "", "A.Handle"},
		{"type A struct{}; func (A) Handle(a, b, c int) {}", "", "A.Handle"},
		{"type A struct{}; func (A) Handle(...int) {}", "", "A.Handle"},
		{"type A struct{}; func (A) Handle() {}", "", ""},
		{"type A struct{}; func (A) handle(int) {}; func (A) Process(int) {}; func Receive(int) {}", "", ""},
		{"type A[V any] struct{}; func (*A[V]) Handle(int) {}", "", "A.Handle"},
		{"type A interface{ Handle(int) }", "", ""},
		{"type B = A; type A struct{}; func (A) Step(int) {}", "A.Step(int)", "A.Step"},
		{"type A struct{}; func (A) Handle(interface{ Message() any }) {}; func (A) Message() any { return 1 }", "", "A.Handle"},
		{"type A struct{}; func (A) Handle(interface{ Unknown() }) {}", "", "A.Handle"},
		{"type A struct{}; func (A) Handle(wire.Wrap[int]) {}", "A.Handle(wire.Wrap[int])", "A.Handle"},
		{"type A struct{}; func (A) Handle(wire.Open) {}", "A.Handle(wire.Open)", "A.Handle"},
		{"type A struct{}; func (A) Handle(func(wire.Open)) {}", "A.Handle(func(wire.Open))", "A.Handle"},
		// The first method with a suitable name is used.
		{"type A struct{}; func (A) Step(int) {}; func (A) OnMessage(string) {}; func (A) Receive(a, b int) {}", "A.OnMessage(string)", "A.Step A.OnMessage A.Receive"},
		// Methods with package pulse's signature come first, the others in the order of declaration.
		{"type C struct{}; func (C) Step(int) {}; type B struct{}; func (B) Step(int) {}; type A struct{}; func (A) Receive(*pulse.Ctx, any) {}",
			"A.Receive own() C.Step(int) B.Step(int)", "C.Step B.Step A.Receive"},
	} {
		p := in(t, c.code)
		var actors []string
		for _, a := range p.Actors() {
			text := a.Name + "." + a.Method
			if a.Own {
				text += " own"
			}
			if a.context {
				text += " context"
			}
			actors = append(actors, text+"("+p.seen(a)+")")
		}
		if got := strings.Join(actors, " "); got != c.actors {
			t.Errorf("%s:\n  actors are %q, want %q", c.code, got, c.actors)
		}
		if got := strings.Join(p.Uncalled(), " "); got != c.uncalled {
			t.Errorf("%s:\n  uncalled are %q, want %q", c.code, got, c.uncalled)
		}
	}
}

// TestMessages: the messages that a handler takes are found in its code.
func TestMessages(t *testing.T) {
	many, manyMore := "", ""
	for i := range mostKinds + 2 {
		many += fmt.Sprintf("case [%d]int:\n", i)
		if i < mostKinds {
			manyMore += fmt.Sprintf(", [%d]int", i)
		}
	}
	for _, c := range []struct{ name, body, want string }{
		{"a switch over its type", "switch m.(type) { case T: case *T, []int: case nil: default: }", "T, *T, []int"},
		{"with a name", "switch x := m.(type) { case T: _ = x }", "T"},
		{"assertions", "if _, ok := m.(T); ok { return }; _ = (m).(U)", "T, U"},
		{"twice", "_ = m.(T); switch m.(type) { case T2, U: }; _ = m.(U)", "T, U"},
		{"interfaces", "switch m.(type) { case error, any, I: case T: }", "T"},
		{"messages of pulse", "switch m.(type) { case pulse.Down: case pulse.Ref, T: }", "T"},
		{"types of another package", "switch m.(type) { case wire.Open, *wire.Wrap[int]: }", "wire.Open, *wire.Wrap[int]"},
		{"types that no file can name", "type local int; switch m.(type) { case local, []local, map[local]T, func(local), func() local: case T: }", "T"},
		{"constants", "switch m { case 1, \"a\", word, level: case 'x', 2.5, true: }", `= 1, = "a", = word, = level, = 'x', = 2.5, = true`},
		{"comparisons", "if m == 1 || \"a\" == m || m != 2 || 3 != m { return }", `= 1, = "a"`},
		{"a constant twice", "_ = m == 1 || m == 1 || m == 0x1 || m == int8one", "= 1, = int8one"},
		{"what is no constant", "const here = 3; v := 4; _ = m == v || m == here || m == variable || m == nil || m == -1 || m == T{}", ""},
		{"a switch over something else", "var n any; switch n.(type) { case T: }; switch n { case 1: }; _ = n.(U)", ""},
		{"a message by another name", "n := m; switch n.(type) { case T: }", ""},
		{"a name that hides it", "{ m := any(0); _ = m.(T) }; _ = m.(U)", "U"},
		{"in functions that it is handed to", "hand(0, m); a.hands(m); func() { _ = m.(int) }()", "T, U, int"},
		{"in functions that hand it around", "around(m)", "T"},
		{"in functions that take several", "list(m, m, m)", "T"},
		{"too many", "switch m.(type) {\n" + many + "}", manyMore[2:]},
	} {
		p := in(t, `
type A struct{}
type ( T struct{ n int }; U string; T2 = T; I interface{ Unknown() } )
const ( word = "w"; int8one int8 = 1; level U = "high" )
var variable = 5
var _ pulse.Ref
var _ wire.Open
func hand(n int, x any) { _ = x.(T) }
func (*A) hands(x any) { _ = x.(U) }
func around(x any) { again(x); _ = x.(T) }
func again(x any) { around(x) }
func list(x any, more ...any) { _ = x.(T); _ = more[0].(U) }
func (a *A) Receive(_ *pulse.Ctx, m any) { `+c.body+" }")
		if got := p.seen(p.Actors()[0]); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestImplementers: for an interface with methods, the types that the handler's
// code mentions are used. If there are none, all implementing types are used.
func TestImplementers(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"", "ByPointer, ByValue"},
		{"if _, ok := m.(ByValue); ok { return }", "ByValue"},
		{"if _, ok := m.(Other); ok { return }", "ByPointer, ByValue"},
	} {
		p := in(t, `
type A struct{}
type Msg interface { isMsg() }
type Other interface { Msg; other() }
type ByValue int
func (ByValue) isMsg() {}
type ByPointer struct{}
func (*ByPointer) isMsg() {}
type Generic[V any] struct{}
func (Generic[V]) isMsg() {}
type None struct{}
func (None) isMsg(int) {}
func (A) Handle(m Msg) { `+c.body+" }")
		if got := p.seen(p.Actors()[0]); strings.ReplaceAll(got, "*", "") != c.want || strings.Contains(got, "*ByValue") || strings.Contains(got, " ByPointer") {
			t.Errorf("%q: %q, want %q", c.body, got, c.want)
		}
	}
}

// TestValues checks the generated expression that draws a value of a type. Each expression compiles.
func TestValues(t *testing.T) {
	const ten = `rapid.IntRange(0, 9).Draw(t, "%s")`
	number := func(label string) string { return fmt.Sprintf(ten, label) }
	text := func(label string) string {
		return fmt.Sprintf(`rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, %q)`, label)
	}
	for _, c := range []struct{ typ, want string }{
		{"int", number("value")},
		{"uint8", "uint8(" + number("value") + ")"},
		{"Number", "Number(" + number("Number") + ")"},
		{"float32", `float32(rapid.Float64Range(0, 9).Draw(t, "value"))`},
		{"float64", `rapid.Float64Range(0, 9).Draw(t, "value")`},
		{"complex64", "*new(complex64)"},
		{"string", text("value")},
		{"Text", "Text(" + text("Text") + ")"},
		{"bool", `rapid.Bool().Draw(t, "value")`},
		{"pulse.Ref", "client"},
		{"any", number("value")},
		{"error", "*new(error)"},
		{"chan int", "*new(chan int)"},
		{"*int", "*new(*int)"},
		{"[2]int", "*new([2]int)"},
		{"map[string]int", "map[string]int{}"},
		{"[]int", "[]int{" + number("value") + "}"},
		{"[]chan int", "[]chan int{}"},
		{"[]func()", "[]func(){func() () {}}"},
		{"func()", "func() () {}"},
		{"func(new int, list ...string) (int, error)", "func(int, ...string) (int, error) { return *new(int), *new(error) }"},
		{"Call", "Call(func(int) () {})"},
		{"wire.Takes", "*new(wire.Takes)"},
		{"Empty", "Empty{}"},
		{"*Empty", "&Empty{}"},
		{"Some", "Some{a: " + number("a") + ", to: client, do: func() () {}}"},
		{"*Some", "&Some{a: " + number("a") + ", to: client, do: func() () {}}"},
		{"Pointer", "*new(Pointer)"},
		{"wire.Open", "wire.Open{N: " + number("N") + "}"},
		{"wire.Wrap[int]", "wire.Wrap[int]{V: " + number("V") + "}"},
		{"Nested", "Nested{In: Some{a: " + number("a") + ", to: client, do: func() () {}}, self: &Nested{}}"},
		{"Shape", "Round(" + number("Shape") + ")"},
	} {
		p := in(t, `
type ( Number int; Text string; Empty struct{}; Call func(n int); Pointer *Empty )
type Some struct { _ int; a int; to pulse.Ref; c chan int; do func(); none Empty }
type Nested struct { In Some; Deep Deep; self *Nested }
type Deep struct { a, b struct { c struct { d struct { e int } } } }
type Shape interface { shape() }
type Round int
func (Round) shape() {}
var _ wire.Open
var message `+c.typ)
		w := p.writer()
		w.rapid, w.client = "t", "client"
		typ := p.types.Scope().Lookup("message").Type()
		got := w.message(sight{typ: typ})
		if got != c.want {
			t.Errorf("%s:\n  %s, want\n  %s", c.typ, got, c.want)
		}
		if w.clients != strings.Contains(c.want, "client") {
			t.Errorf("%s: a client is spawned: %v", c.typ, w.clients)
		}
		p.compiles(t, w, fmt.Sprintf("func draw(t *%s.T, client %s.Ref) any { return %s }", w.use("rapid", "rapid"), w.use("pulse", "pulse"), got))
	}
}

// compiles fails the test unless the package
// compiles together with a generated declaration.
func (p *Package) compiles(t *testing.T, w *writer, declaration string) {
	t.Helper()
	text := "package p\n\n"
	for path, name := range w.imports {
		text += fmt.Sprintf("import %s %q\n", name, path)
	}
	f, err := parser.ParseFile(p.fset, "new.go", text+declaration, 0)
	if err == nil {
		_, err = (&types.Config{Importer: code{p.fset}}).Check(p.Path, p.fset, []*ast.File{p.files[0], f}, nil)
	}
	if err != nil {
		t.Errorf("%v in\n%s%s", err, text, declaration)
	}
}

// TestMade checks the generated expression that creates an actor:
// a call of its constructor if possible, otherwise a literal.
func TestMade(t *testing.T) {
	for _, c := range []struct {
		code, want string
		address    bool // the value is not a pointer, so the code needs its address
	}{
		{"type A struct{ n int; s []int }", "&A{}", false},
		{"type A struct{ m map[string]int; to pulse.Ref; _ map[int]int; other *A }", "&A{m: map[string]int{}, to: client}", false},
		{"type A struct{ _ pulse.Ref }", "&A{}", false},
		{"type A wire.Maps", "&A{Open: map[int]int{}}", false},
		{"type A map[string]int", "&A{}", false},
		{"type A int", "new(A)", false},
		{"type A struct{}; func NewA() *A { return nil }", "NewA()", false},
		{"type A struct{}; func newa() *A { return nil }", "newa()", false},
		{"type A struct{}; func New() A { return A{} }", "New()", true},
		{"type A struct{}; func NewA(n int8, f float64, s string, b bool, l []int, to pulse.Ref, more ...error) *A { return nil }",
			`NewA(1, 1, "a", true, nil, client)`, false},
		{"type A struct{}; func NewA(to pulse.Ref, f func()) *A { return nil }", "&A{}", false},
		{"type A struct{}; func NewA(o *A) *A { return nil }; func New() *A { return nil }", "New()", false},
		{"type A struct{}; func NewA() (*A, error) { return nil, nil }", "&A{}", false},
		{"type A struct{}; func NewA() **A { return nil }; func New() *int { return nil }", "&A{}", false},
		{"type A struct{}; func NewA[V any]() *A { return nil }", "&A{}", false},
		{"type A struct{}; func NewB() *A { return nil }", "&A{}", false},
		{"type A struct{}; var NewA = 1", "&A{}", false},
	} {
		p := in(t, c.code+"\nvar _ pulse.Ref\nvar _ wire.Open")
		w := p.writer()
		w.client = "client"
		a := &Actor{Name: "A", named: p.types.Scope().Lookup("A").Type().(*types.Named)}
		if got, address := w.made(a); got != c.want || address != c.address {
			t.Errorf("%s:\n  %s, %v, want %s, %v", c.code, got, address, c.want, c.address)
		}
		if w.clients != strings.Contains(c.want, "client") {
			t.Errorf("%s: a client is spawned: %v", c.code, w.clients)
		}
	}
}

// TestDraws checks the generated code that draws a message. Even for a single message it must draw.
func TestDraws(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"", "return rapid.IntRange(0, 9).Draw(t, \"message\")"},
		{"_ = m.(*A)", "return rapid.Just[any](&A{}).Draw(t, \"message\")"},
		{"_ = m == 1", "return rapid.Just[any](1).Draw(t, \"message\")"},
		{"_ = m.(bool)", "return rapid.Bool().Draw(t, \"value\")"},
		{"_ = m == 1; _ = m.(bool)", "switch rapid.IntRange(0, 1).Draw(t, \"kind\") {\ncase 0:\nreturn 1\ndefault:\nreturn rapid.Bool().Draw(t, \"value\")\n}"},
	} {
		p := in(t, "type A struct{}; func (A) Handle(m any) { "+c.body+" }")
		w := p.writer()
		n := w.names()
		w.rapid = n.t
		if got := w.draws(p.Actors()[0], &n); strings.TrimSpace(got) != c.want && !strings.HasSuffix(got, "put yours here.\n"+c.want+"\n") {
			t.Errorf("%q:\n%s, want\n%s", c.body, got, c.want)
		}
	}
}
