package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A shape is the size and structure of a folder of the module.
type shape struct {
	path    string
	lines   int // outside tests and generated files
	rooms   int // files, and folders right below
	arrows  int // pairs of rooms of which the first uses names of the second
	names   int // exported
	methods map[string]int
}

// share returns the number of arrows as a percentage of the number of pairs of rooms.
func (s *shape) share() float64 {
	if s.rooms < 2 {
		return 0
	}
	return 100 * float64(s.arrows) / float64(s.rooms*(s.rooms-1)/2)
}

// busiest returns the type with the most methods.
func (s *shape) busiest() (name string, methods int) {
	for _, t := range slices.Sorted(maps.Keys(s.methods)) {
		if n := s.methods[t]; n > methods {
			name, methods = t, n
		}
	}
	return name, methods
}

// mostMethods bounds the methods of a type.
const mostMethods = 60

// mostArrows limits the percentage that the method share returns. It has the folders in
// which most files once used most others.
var mostArrows = map[string]float64{"pulse": 40, "fuzz/explore": 40}

// mostLines bounds the lines of folders that should only call other packages.
var mostLines = map[string]int{"fuzz": 2000}

// shapes measures every folder with Go files outside tests.
func (t *tree) shapes() (list []*shape) {
	for _, f := range t.folders {
		s := &shape{path: f.path, methods: map[string]int{}}
		var files []*source
		for _, src := range f.sources {
			if !src.isTest() && !ast.IsGenerated(src.syntax) {
				files = append(files, src)
				s.lines += strings.Count(src.text, "\n")
				s.count(src)
			}
		}
		if len(files) == 0 {
			continue
		}
		s.draw(files, t.below(f.path))
		list = append(list, s)
	}
	return list
}

// below returns the import paths of the packages in folders right below.
func (t *tree) below(path string) (list []string) {
	for _, f := range t.folders {
		rest, is := strings.CutPrefix(f.path, path+"/")
		if is && !strings.Contains(rest, "/") && slices.ContainsFunc(f.sources, func(s *source) bool { return !s.isTest() }) {
			list = append(list, modulePath+"/"+f.path)
		}
	}
	return list
}

// count counts methods and exported names.
func (s *shape) count(src *source) {
	for _, d := range src.syntax.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			s.methods[receiver(f).Name]++
			if f.Name.IsExported() && receiver(f).IsExported() {
				s.names++
			}
		}
	}
	for name := range declared(src.syntax, false) {
		if ast.IsExported(name) {
			s.names++
		}
	}
}

// declared returns the names that a file declares at the top level. With members
// it also returns those of methods, with a dot in front.
func declared(f *ast.File, members bool) map[string]bool {
	names := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			} else if members {
				names["."+d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						names[n.Name] = true
					}
				}
			}
		}
	}
	delete(names, "_")
	delete(names, "init")
	return names
}

// used returns the names that a file uses, in the form that the function declared
// returns. It leaves out names of other packages and local names of functions.
func used(f *ast.File) map[string]bool {
	names := map[string]bool{}
	packages := map[string]bool{}
	for _, spec := range f.Imports {
		p := strings.Trim(spec.Path.Value, `"`)
		packages[p[strings.LastIndexByte(p, '/')+1:]] = true
	}
	for _, d := range f.Decls {
		local := locals(d)
		ast.Inspect(d, func(n ast.Node) bool { return visit(n, names, local, packages) })
	}
	return names
}

// visit adds the names that a node uses, and reports whether to look below it.
func visit(n ast.Node, names, local, packages map[string]bool) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); !ok || local[x.Name] || !packages[x.Name] {
			names["."+n.Sel.Name] = true
		}
		ast.Inspect(n.X, func(m ast.Node) bool { return visit(m, names, local, packages) })
		return false
	case *ast.Ident:
		names[n.Name] = names[n.Name] || !local[n.Name]
	}
	return true
}

// locals returns the names of a function's parameters and local declarations.
func locals(d ast.Decl) map[string]bool {
	names := map[string]bool{}
	add := func(list ...*ast.Ident) {
		for _, id := range list {
			names[id.Name] = true
		}
	}
	if _, ok := d.(*ast.FuncDecl); !ok {
		return names
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			add(n.Names...)
		case *ast.ValueSpec:
			add(n.Names...)
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					add(id)
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok && n.Tok == token.DEFINE {
					add(id)
				}
			}
		}
		return true
	})
	return names
}

// draw counts the arrows. An arrow goes from a file to each folder right below that it
// imports. It also goes to each file that declares a name that the first file uses,
// unless several files declare that name.
func (s *shape) draw(files []*source, below []string) {
	home := map[string]int{} // the index of the file that declares a name, -1 if several do
	for i, f := range files {
		for name := range declared(f.syntax, true) {
			if at, known := home[name]; known && at != i {
				home[name] = -1
			} else {
				home[name] = i
			}
		}
	}
	s.rooms = len(files) + len(below)
	for i, f := range files {
		to := map[int]bool{}
		for name, is := range used(f.syntax) {
			if at, known := home[name]; is && known && at >= 0 && at != i {
				to[at] = true
			}
		}
		for _, spec := range f.syntax.Imports {
			if at := slices.Index(below, strings.Trim(spec.Path.Value, `"`)); at >= 0 {
				to[len(files)+at] = true
			}
		}
		s.arrows += len(to)
	}
}

func checkShapes(list []*shape) (found []finding) {
	for _, s := range list {
		if name, n := s.busiest(); n > mostMethods {
			found = append(found, finding{s.path, fmt.Sprintf("%s has %d methods, at most %d are allowed", name, n, mostMethods),
				"move the fields that share an invariant into a type of their own, with the methods that keep it"})
		}
		if most, bound := mostArrows[s.path]; bound && s.share() >= most {
			found = append(found, finding{s.path, fmt.Sprintf("%.0f%% of its possible dependencies between files exist, less than %.0f%% are allowed", s.share(), most),
				"reduce dependencies between files: move functions to their data, and data to its type"})
		}
		if most, bound := mostLines[s.path]; bound && s.lines >= most {
			found = append(found, finding{s.path, fmt.Sprintf("%d lines, fewer than %d are allowed", s.lines, most),
				"move everything but the verbs and the glue to testing into a package below"})
		}
	}
	return found
}

// TestShapes checks that no folder exceeds mostMethods, mostArrows or mostLines. With -v
// it prints the table of all folders.
func TestShapes(t *testing.T) {
	list := loadModule(t).shapes()
	report(t, checkShapes(list))
	if !testing.Verbose() {
		return
	}
	row := func(cells ...any) { fmt.Printf("%-28v %8v %8v %8v %8v %8v   %v\n", cells...) }
	row("folder", "lines", "exported", "rooms", "arrows", "share", "most methods")
	for _, s := range list {
		name, n := s.busiest()
		row(s.path, s.lines, s.names, s.rooms, s.arrows, fmt.Sprintf("%.0f%%", s.share()), fmt.Sprintf("%s %d", name, n))
	}
}

// TestShapesCanary checks the measurements of a small planted repository, and that each of its
// folders that exceeds a limit is reported.
func TestShapesCanary(t *testing.T) {
	many := make([]string, mostMethods+1)
	for i := range many {
		many[i] = fmt.Sprintf("func (t *T) m%d() {}", i)
	}
	list := mustLoad(t, fstest.MapFS{
		"busy/a.go":         file(append([]string{"package busy", "type T int"}, many...)...),
		"pulse/a.go":        file("package pulse", `import "`+modulePath+`/pulse/low"`, "type A struct{ b B }", "func (a A) Run() { a.b.stop(); low.X() }"),
		"pulse/b.go":        file("package pulse", "type B int", "func (B) stop() {}", "func twice() {}"),
		"pulse/c.go":        file("package pulse", "func C(a A) { a.Run(); twice() }"),
		"pulse/c_test.go":   file("package pulse", "func D(a A, b B) {}"),
		"pulse/low/low.go":  file("package low", "func X() {}"),
		"fuzz/fuzz.go":      file("package fuzz" + strings.Repeat("\n", mostLines["fuzz"])),
		"fuzz/explore/a.go": file("package explore"),
	}).shapes()
	var got []string
	for _, s := range list {
		got = append(got, fmt.Sprintf("%s %d/%d %d", s.path, s.arrows, s.rooms, s.names))
	}
	want := "busy 0/1 1; fuzz/explore 0/1 0; fuzz 0/2 0; pulse 4/4 4; pulse/low 0/1 1"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	caught(t, checkShapes(list), "busy", "fuzz", "pulse")
}
