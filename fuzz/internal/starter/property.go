package starter

import (
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A File is the text of a generated file. The caller writes the file.
type File struct {
	Name     string // the name of the file, without the folder
	Text     []byte
	Test     string // the name of the test in the file
	Property string // the name of the property in the file
}

// A writer generates the text of a new file of a package. Its names do not conflict with names in
// the package.
type writer struct {
	*Package
	taken   map[string]bool   // the names in use
	imports map[string]string // maps a path to the name of the imported package
	rapid   string            // the name of the *rapid.T in the function that draws a message
	client  string            // the name of a variable of type pulse.Ref, used for fields of this type
	clients bool              // set if the text uses the variable named client
}

func (p *Package) writer() *writer {
	w := &writer{Package: p, taken: map[string]bool{}, imports: map[string]string{}}
	for _, name := range p.types.Scope().Names() {
		w.taken[name] = true
	}
	return w
}

// free returns name, or name with a number if name is already in use. It marks the result as in
// use.
func (w *writer) free(name string) string {
	base := name
	for i := 2; w.taken[name] || types.Universe.Lookup(name) != nil || token.IsKeyword(name); i++ {
		name = fmt.Sprint(base, i)
	}
	w.taken[name] = true
	return name
}

// use adds an import of a package to the file, and returns its name in the file.
func (w *writer) use(path, name string) string {
	if w.imports[path] == "" {
		w.imports[path] = w.free(name)
	}
	return w.imports[path]
}

// name returns the expression for a type in the file. It adds the necessary imports.
func (w *writer) name(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.types {
			return ""
		}
		return w.use(p.Path(), p.Name())
	})
}

// Property returns a file with a property for an actor, or with an example if a is nil.
func (p *Package) Property(a *Actor) (*File, error) {
	w := p.writer()
	f := &File{Name: "orders_test.go"}
	var text string
	if a == nil {
		text = w.example(f)
	} else {
		f.Name = strings.ToLower(a.Name) + "_orders_test.go"
		text = w.property(f, a)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n", p.Name)
	ours := []string{p.paths.Fuzz, p.paths.Props, p.paths.Pulse}
	for _, group := range []func(string) bool{
		func(path string) bool { first, _, _ := strings.Cut(path, "/"); return !strings.Contains(first, ".") },
		func(path string) bool {
			first, _, _ := strings.Cut(path, "/")
			return strings.Contains(first, ".") && !slices.Contains(ours, path)
		},
		func(path string) bool { return slices.Contains(ours, path) },
	} {
		for _, imported := range slices.Sorted(maps.Keys(w.imports)) {
			name := w.imports[imported]
			if name == path.Base(imported) {
				name = ""
			}
			if group(imported) {
				fmt.Fprintf(&b, "\t%s %q\n", name, imported)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString(")\n" + text)
	out, err := format.Source([]byte(b.String()))
	f.Text = out
	return f, err
}

// names are the names of packages and variables that every generated file uses.
type names struct{ testing, fuzz, props, pulse, rapid, t, sys, ref, p string }

func (w *writer) names() names {
	return names{testing: w.use("testing", "testing"), fuzz: w.use(w.paths.Fuzz, "fuzz"), props: w.use(w.paths.Props, "props"),
		pulse: w.use(w.paths.Pulse, "pulse"), rapid: w.use(w.paths.Rapid, "rapid"),
		t: w.free("t"), sys: w.free("sys"), ref: w.free("ref"), p: w.free("p")}
}

// upper returns a name with its first letter in upper case.
func upper(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// lower returns a name with its first letter in lower case.
func lower(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(r)) + name[n:]
}

// property returns the text of a property for an actor.
func (w *writer) property(f *File, a *Actor) string {
	f.Test, f.Property = w.free("Test"+upper(a.Name)+"Orders"), w.free(lower(a.Name)+"Orders")
	n := w.names()
	w.rapid, w.client = n.t, w.free("client")
	several := w.free("several")
	message, actor, senders, messages, m := w.free(lower(a.Name)+"Message"), w.free("actor"), w.free("senders"), w.free("messages"), w.free("m")
	draw := w.draws(a, &n)
	made, address := w.made(a)

	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("\nfunc %s(%s *%s.T) { %s.Check(%s, %s) }\n", f.Test, n.t, n.testing, n.fuzz, n.t, f.Property)
	say("// %s sends %s messages from up to three senders. Those of one sender", f.Property, a.Name)
	say("// keep their order; otherwise the search tries any order.\n//")
	say("// It fails when a handler panics or the messages never end. Add what else must hold")
	say("// at its end.")
	say("func %s(%s *%s.T) {", f.Property, n.t, n.props)
	say("%s := %s.System()", n.sys, n.t)
	if w.clients {
		say("// The client stands for all receivers that %s sends to; it drops what it receives.", a.Name)
		say("%s := %s.Spawn(\"client\", %s.Func(func(*%s.Ctx, any) {}))", w.client, n.sys, n.pulse, n.pulse)
	}
	say("%s := %s", actor, made)
	say("%s := %s.Spawn(%q, %s)", n.ref, n.sys, lower(a.Name), w.spawned(a, &n, actor, m, address))
	say("%s := %s.Draw(%s, %s.IntRange(1, 3), \"senders\")", senders, n.props, n.t, n.rapid)
	generator := message
	if w.clients {
		generator = fmt.Sprintf("func(%s *%s.T) any { return %s(%s, %s) }", n.t, n.rapid, message, n.t, w.client)
	}
	say("%s := %s.SliceOfN(%s.Custom(%s), 1, 3)", several, n.rapid, n.rapid, generator)
	say("for range %s {", senders)
	say("%s := %s.Draw(%s, %s, \"messages\")", messages, n.props, n.t, several)
	say("%s.Go(\"sender\", func(%s *%s.Process) {", n.sys, n.p, n.pulse)
	say("for _, %s := range %s {\n%s.Send(%s, %s)\n}", m, messages, n.p, n.ref, m)
	say("})\n}\n%s.Run()\n", n.sys)
	b.WriteString(w.invariant(a, &n, actor))
	say("}\n")
	say("// %s draws a message for %s.", message, a.Name)
	parameters := fmt.Sprintf("%s *%s.T", n.t, n.rapid)
	if w.clients {
		parameters += fmt.Sprintf(", %s %s.Ref", w.client, n.pulse)
	}
	say("func %s(%s) any {\n%s}", message, parameters, draw)
	return b.String()
}

// invariant returns a comment that asks the user to add what must hold.
func (w *writer) invariant(a *Actor, n *names, actor string) string {
	what := `"this must not be"`
	condition := "…"
	if s, ok := a.named.Underlying().(*types.Struct); ok && s.NumFields() > 0 && s.Field(0).Name() != "_" {
		field := actor + "." + s.Field(0).Name()
		condition, what = field+" is wrong", fmt.Sprintf("%q, %s", s.Field(0).Name()+" is %v", field)
	}
	return fmt.Sprintf("\t// What must hold now, whatever the order of messages was? Check it here, as in a test:\n\t//\n"+
		"\t//\tif %s {\n\t//\t\t%s.Errorf(%s)\n\t//\t}\n\t//\n\t// Use %s.Always before Run for what must hold after each message.\n", condition, n.t, what, n.t)
}

// spawned returns the expression that the property passes to Spawn. The expression is the actor or,
// if its type does not implement pulse.Actor, a function that calls its method.
func (w *writer) spawned(a *Actor, n *names, actor, m string, address bool) string {
	if a.Own {
		if address {
			return "&" + actor
		}
		return actor
	}
	args := m
	if !isAny(a.message.Type()) {
		args += ".(" + w.name(a.message.Type()) + ")"
	}
	if a.context {
		args = w.use("context", "context") + ".Background(), " + args
	}
	note := ""
	if a.method.Signature().Results().Len() > 0 {
		note = " // the result is dropped: check it, or send it on"
	}
	return fmt.Sprintf("%s.Func(func(_ *%s.Ctx, %s any) {\n%s.%s(%s)%s\n})", n.pulse, n.pulse, m, actor, a.Method, args, note)
}

func isAny(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}

// draws returns the body of the generated function that draws a message.
func (w *writer) draws(a *Actor, n *names) string {
	list := w.messages(a)
	switch len(list) {
	case 0:
		return fmt.Sprintf("// The messages that %s takes were not found: put yours here.\nreturn %s.IntRange(0, 9).Draw(%s, \"message\")\n", a.Method, n.rapid, n.t)
	case 1:
		expr := w.message(list[0])
		if !strings.Contains(expr, ".Draw(") { // a generator must draw something
			expr = fmt.Sprintf("%s.Just[any](%s).Draw(%s, \"message\")", n.rapid, expr, n.t)
		}
		return "return " + expr + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "switch %s.IntRange(0, %d).Draw(%s, \"kind\") {\n", n.rapid, len(list)-1, n.t)
	for i, s := range list[:len(list)-1] {
		fmt.Fprintf(&b, "case %d:\nreturn %s\n", i, w.message(s))
	}
	fmt.Fprintf(&b, "default:\nreturn %s\n}\n", w.message(list[len(list)-1]))
	return b.String()
}
