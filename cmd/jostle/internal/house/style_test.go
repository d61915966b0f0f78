package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A rule is one thing that holds for every file of the repository.
type rule struct {
	name    string
	check   func(*tree) []finding
	planted fstest.MapFS // a repository that breaks the rule, and nearly breaks it elsewhere
	want    []string     // the places where planted breaks the rule
}

// rules are the rules of style, each with the faults that it must find.
var rules = []rule{
	{"functions are short", shortFunctions, fstest.MapFS{
		"a/a.go":      file("package a", "func long() {"+blank(69)+"}", "func fits() {"+blank(68)+"}", "func (T) long() {"+blank(69)+"}"),
		"a/b.go":      file("package a", "var f = func() {"+blank(69)+"}"),
		"a/a_test.go": file("package a", "func long() {"+blank(99)+"}"),
	}, []string{"a/a.go:2", "a/a.go:143", "a/b.go:2"}},

	{"exported names are documented", documentedNames, fstest.MapFS{
		"a/a.go": file("package a", "func F() {}", "type T int", "func (t *T) M() {}", "const C = 1", "var (", "V = 1", ")",
			"//go:noinline", "func G() {}", "func (t G[A]) M() {}"),
		"a/b.go": file("package a", "// F.", "func F() {}", "// T.", "type T int", "// M.", "func (t *T[A, B]) M() {}",
			"func (T) String() string { return `` }", "// All.", "const (", "C = iota", "D", ")", "var (", "// V.", "V = 1", "W = 2 // W.", ")",
			"func f() {}", "type t int", "func (t) M() {}", "var _, x = 1, 2"),
		"a/a_test.go": file("package a", "func TestF() {}"),
	}, []string{"a/a.go:2", "a/a.go:3", "a/a.go:4", "a/a.go:5", "a/a.go:7", "a/a.go:10", "a/a.go:11"}},

	{"packages are documented", documentedPackages, fstest.MapFS{
		"a/a.go":      file("// Package a is.", "package a"),
		"a/b.go":      file("package a"),
		"b/b.go":      file("// Copyright.", "", "package b"),
		"c/c.go":      file("// It is c.", "package c"),
		"d/d_test.go": file("package d"),
		"cmd/d/d.go":  file("// Command d is.", "package main"),
		"cmd/e/e.go":  file("package main"),
	}, []string{"b", "c/c.go:2", "cmd/e", "d"}},

	{"libraries have no flags", noFlags, fstest.MapFS{
		"a/a.go":      file("package a", `import "flag"`, "var v = flag.Bool(``, false, ``)", "var set = flag.NewFlagSet(``, flag.ContinueOnError)", "var _ flag.Value = v"),
		"a/a_test.go": file("package a", `import "flag"`, "var n = flag.NArg()"),
		"a/b.go":      file("package a", `import f "flag"`),
		"cmd/a/a.go":  file("package main", `import "flag"`, "var v = flag.Bool(``, false, ``)"),
	}, []string{"a/a.go:3", "a/a_test.go:3", "a/b.go:2"}},

	{"libraries have no init", noInit, fstest.MapFS{
		"a/a.go":     file("package a", "func init() {}", "func (T) init() {}"),
		"cmd/a/a.go": file("package main", "func init() {}"),
	}, []string{"a/a.go:2"}},

	{"every Go file is built", builtSources, fstest.MapFS{
		"a/a.go":            file("//go:build ignore", "", "package a"),
		"a/b.go":            file("//go:build linux && windows", "", "package a"),
		"a/c.go":            file("//go:build !linux && arm64 || race", "", "package a"),
		"a/d_wasip1.go":     file("package a"),
		"a/_e.go":           file("package a"),
		"a/f_test.go":       file("//go:build never", "", "package a"),
		"a/g_plan9_test.go": file("package a"),
		"a/h_arm64.s":       file("// h"),
		"a/i_ppc65.s":       file("//go:build ppc65"),
	}, []string{"a/_e.go", "a/a.go", "a/b.go", "a/f_test.go", "a/i_ppc65.s"}},

	{"every other file is used", usedFiles, fstest.MapFS{
		"a/a.go": file("package a", "//go:embed page.html", "var page string", `var no = "stray.txt"`),
		"a/a_test.go": file("package a", "func FuzzA() {}", "func TestA() {}",
			"var names = []string{`testdata`, `testdata/*.golden`, `named.txt`, `stem`, `testdata/dir`, `*`, `deep/*/x`}"),
		"a/page.html":                file(),
		"a/a_amd64.s":                file(),
		"a/cpu.prof":                 file(),
		".gitignore":                 file("# Left by tools.", "*.prof", ""),
		"a/design.md":                file(),
		"a/notes.txt":                file(),
		"a/tools.":                   file(),
		"a/testdata/one.golden":      file(),
		"a/testdata/named.txt":       file(),
		"a/testdata/stem.txt":        file(),
		"a/testdata/dir/sub/any":     file(),
		"a/testdata/deep/1/x":        file(),
		"a/testdata/fuzz/FuzzA/01":   file(),
		"a/testdata/fuzz/FuzzB/01":   file(),
		"a/testdata/jostle/TestA/02": file(),
		"a/testdata/TestA.txt":       file(),
		"a/testdata/stray.txt":       file(),
		"b/testdata/x":               file(),
	}, []string{"a/notes.txt", "a/testdata/fuzz/FuzzB/01", "a/testdata/stray.txt", "a/tools.", "b/testdata/x"}},

	{"nothing is left to do", noMarks, fstest.MapFS{
		"a/a.go":      file("package a", "// A.", "// TO"+"DO: more."),
		"a/a_test.go": file("package a", "// FIX"+"ME", `var s = "todo, XXXL, TO`+`DOS"`),
		"README.md":   file("X" + "XX"),
		"binary":      file("X"+"XX", "\xff"),
	}, []string{"README.md:1", "a/a.go:3", "a/a_test.go:2"}},

	{"skipped tests say why", documentedSkips, fstest.MapFS{
		"a/a_test.go": file("package a", "func TestA(t *testing.T) {", "t.Skip()", "t.Run(``, func(u *testing.T) { u.Skipf(``) })",
			"check(func(t *props.T) { t.Skip() })", "}", "func help(x testing.TB) { x.SkipNow() }"),
		"a/b_test.go": file("// Skips: needs two cores.", "package a", "func TestB(t *testing.T) { t.Skip() }"),
	}, []string{"a/a_test.go:3", "a/a_test.go:4", "a/a_test.go:7"}},

	{"the top level holds the house and no more", topLevel, fstest.MapFS{
		"go.mod": file(), "README.md": file(), "main.go": file("package main"),
		"pulse/a.go": file("package pulse"), "util/a.go": file("package util"), ".ci/run": file(), ".git/config": file(),
	}, []string{"main.go", "util"}},
}

func TestStyle(t *testing.T) {
	tr := loadModule(t)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { report(t, r.check(tr)) })
	}
}

// TestStyleCanary gives each rule of style a repository that breaks it.
func TestStyleCanary(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) { caught(t, r.check(mustLoad(t, r.planted)), r.want...) })
	}
}

// blank returns a body of n empty lines: a function with it has n+2 lines.
func blank(n int) string { return strings.Repeat("\n", n+1) }

// maxLines bounds the lines of a function, from func to its last brace.
const maxLines = 70

// shortFunctions finds functions that are too long.
func shortFunctions(t *tree) (found []finding) {
	t.sources(func(_ *folder, s *source) {
		if s.isTest() || ast.IsGenerated(s.syntax) {
			return // people read the generator of a generated file, not the file
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
			default:
				return true
			}
			lines := t.fset.Position(n.End()).Line - t.fset.Position(n.Pos()).Line + 1
			if lines > maxLines {
				found = append(found, finding{t.at(n), fmt.Sprintf("a function of %d lines, at most %d are allowed", lines, maxLines),
					"move a part with one purpose into a function of its own"})
			}
			return false
		})
	})
	return found
}

// documentedNames finds exported names without a doc comment.
func documentedNames(t *tree) (found []finding) {
	t.sources(func(_ *folder, s *source) {
		if s.isTest() {
			return
		}
		for _, d := range s.syntax.Decls {
			for _, name := range undocumented(d) {
				found = append(found, finding{t.at(name), name.Name + " is exported and has no doc comment",
					"document it in a sentence, or make it unexported"})
			}
		}
	})
	return found
}

// understood are methods that need no comment, since the standard library defines
// what they do.
var understood = []string{"String", "GoString", "Error", "Unwrap", "Is", "Len", "Less", "Swap"}

// undocumented returns the exported names of a declaration without a comment.
func undocumented(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		isMethod := d.Recv != nil
		if isMethod && (!receiver(d).IsExported() || slices.Contains(understood, d.Name.Name)) {
			return nil
		}
		if !says(d.Doc) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if !says(d.Doc) && !says(spec.Doc) && !says(spec.Comment) {
					names = append(names, spec.Name)
				}
			case *ast.ValueSpec:
				if !says(d.Doc) && !says(spec.Doc) && !says(spec.Comment) {
					names = append(names, spec.Names...)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n *ast.Ident) bool { return !n.IsExported() })
}

// receiver returns the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) *ast.Ident {
	for e := d.Recv.List[0].Type; ; {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x
		default:
			return ast.NewIdent("_")
		}
	}
}

// says reports whether a comment has words, not only directives.
func says(c *ast.CommentGroup) bool { return strings.TrimSpace(c.Text()) != "" }

// documentedPackages finds packages without a package comment.
func documentedPackages(t *tree) (found []finding) {
	for _, f := range t.folders {
		documented := len(f.sources) == 0
		for _, s := range f.sources {
			if !says(s.syntax.Doc) {
				continue
			}
			documented = true
			name := s.syntax.Name.Name
			if name != "main" && !s.isTest() && !strings.HasPrefix(s.syntax.Doc.Text(), "Package "+name+" ") {
				found = append(found, finding{fmt.Sprintf("%s:%d", s.path, t.fset.Position(s.syntax.Package).Line),
					"the package comment does not begin with Package " + name,
					"begin it like that; leave an empty line below a comment on the file alone"})
			}
		}
		if !documented {
			found = append(found, finding{f.path, "the package has no comment",
				"write a package comment above the package clause of one file"})
		}
	}
	return found
}

// ownFlags are the names of package flag for private flag sets, which no other code sees.
var ownFlags = []string{"NewFlagSet", "FlagSet", "Flag", "Value", "ContinueOnError", "ErrHelp"}

// noFlags finds libraries that use the flags of the process.
func noFlags(t *tree) (found []finding) {
	const fix = "read the environment (JOSTLE_...), or have a flag.FlagSet of your own"
	t.sources(func(_ *folder, s *source) {
		if s.inCommand() {
			return
		}
		imported := false
		for _, i := range s.syntax.Imports {
			if imported = imported || i.Path.Value == `"flag"`; i.Path.Value == `"flag"` && i.Name != nil {
				found = append(found, finding{t.at(i), "package flag is imported under another name, which hides its use", "import it by its own name"})
			}
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if use, ok := n.(*ast.SelectorExpr); ok && imported && isName(use.X, "flag") && !slices.Contains(ownFlags, use.Sel.Name) {
				found = append(found, finding{t.at(n), "a library uses the flags of the process: a flag of ours breaks `go test ./...` for our users", fix})
			}
			return true
		})
	})
	return found
}

// noInit finds libraries that define init.
func noInit(t *tree) (found []finding) {
	t.sources(func(_ *folder, s *source) {
		for _, d := range s.syntax.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && f.Recv == nil && f.Name.Name == "init" && !s.inCommand() {
				found = append(found, finding{t.at(f), "a library defines init, which runs in every program that imports it",
					"initialize the variable where it is declared, or write a function for callers"})
			}
		}
	})
	return found
}

// documentedSkips finds tests that skip without a comment that says why.
func documentedSkips(t *tree) (found []finding) {
	t.sources(func(_ *folder, s *source) {
		if slices.ContainsFunc(s.syntax.Comments, func(c *ast.CommentGroup) bool { return strings.Contains(c.Text(), "Skips: ") }) {
			return
		}
		for _, call := range skips(s.syntax, nil) {
			found = append(found, finding{t.at(call), "a test skips, and its file does not say why",
				"make it run everywhere, or add a comment with `Skips: ` and the reason to the file"})
		}
	})
	return found
}

// skips returns the calls below n that skip a test: calls of a Skip method of a
// parameter whose type is from package testing. Scope has the names of such
// parameters around n.
func skips(n ast.Node, scope []string) (calls []ast.Node) {
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncDecl:
			if m.Body != nil {
				calls = append(calls, skips(m.Body, declare(scope, m.Type))...)
			}
			return false
		case *ast.FuncLit:
			calls = append(calls, skips(m.Body, declare(scope, m.Type))...)
			return false
		case *ast.CallExpr:
			f, ok := m.Fun.(*ast.SelectorExpr)
			if !ok || !strings.HasPrefix(f.Sel.Name, "Skip") || f.Sel.Name == "Skipped" {
				break
			}
			if x, ok := f.X.(*ast.Ident); ok && slices.Contains(scope, x.Name) {
				calls = append(calls, m)
			}
		}
		return true
	})
	return calls
}

// declare returns the scope inside a function with these parameters.
func declare(scope []string, f *ast.FuncType) []string {
	scope = slices.Clone(scope)
	for _, field := range f.Params.List {
		typ := field.Type
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		sel, ok := typ.(*ast.SelectorExpr)
		ok = ok && fmt.Sprint(sel.X) == "testing"
		for _, name := range field.Names {
			scope = slices.DeleteFunc(scope, func(s string) bool { return s == name.Name })
			if ok {
				scope = append(scope, name.Name)
			}
		}
	}
	return scope
}
