package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Output of programs, files and arguments may have escape sequences, which move the
// cursor of a terminal, overwrite earlier output, or worse. So all text goes to terminals
// through a few functions, which escape it. This rule finds all other code that prints.

// outputs lists the functions that may print: for each file, names of functions or of the
// types whose methods may print. Tests may print anything.
var outputs = map[string][]string{
	"cmd/jostle/main.go":               {"main"},             // passes stdout and stderr to run, which wraps each in a screen.Output
	"fuzz/output.go":                   {"output", "verb"},   // what the verbs print
	"fuzz/internal/worker/serve.go":    {"giveUp"},           // why a worker cannot start
	"corpus/golden/golden.go":          {"File", "Rows"},     // only tests call it
	"fuzz/internal/browser/browser.go": {"Start", "Browser"}, // only tests call it

	"fuzz/existing/existing.go": {"Test"}, // the function escapes the text

	"pulse/adapt/protoactor/foreign.go": {"standardError"}, // warnings after the last run, which no test reports
}

// checkOutputs finds what prints to standard output, standard error, the log or a test.
func checkOutputs(t *tree) (found []finding) {
	t.sources(func(_ *folder, s *source) {
		if s.isTest() {
			return
		}
		fields := map[string]bool{}
		for _, d := range s.syntax.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				testsIn(g, fields)
			}
		}
		for _, d := range s.syntax.Decls {
			params := map[string]bool{}
			if f, ok := d.(*ast.FuncDecl); ok {
				if slices.Contains(outputs[s.path], ownerOf(f)) {
					continue
				}
				testsIn(f, params)
			}
			ast.Inspect(d, func(n ast.Node) bool {
				if what := prints(n, params, fields); what != "" {
					found = append(found, finding{t.at(n), what + " prints text that may have control characters",
						"print to the screen.Output of the command or through the output of a verb, or add it to `outputs` in output_test.go"})
				}
				return true
			})
		}
	})
	return found
}

// ownerOf returns the name of a function, or of the type that a method belongs to.
func ownerOf(f *ast.FuncDecl) string {
	if f.Recv != nil {
		return receiver(f).Name
	}
	return f.Name.Name
}

// testsIn adds the names of the parameters or fields in a declaration that are a test of
// package testing.
func testsIn(d ast.Node, names map[string]bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok {
			return true
		}
		typ := field.Type
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		if sel, ok := typ.(*ast.SelectorExpr); ok && isName(sel.X, "testing") {
			for _, name := range field.Names {
				names[name.Name] = true
			}
			names[sel.Sel.Name] = names[sel.Sel.Name] || len(field.Names) == 0 // embedded
		}
		return true
	})
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// printing are the methods by which a test prints.
var printing = strings.Fields("Log Logf Error Errorf Fatal Fatalf Skip Skipf Output")

// prints returns the function by which a node prints, or "". Params and fields are the
// names of parameters and fields that hold a test of package testing.
func prints(n ast.Node, params, fields map[string]bool) string {
	switch n := n.(type) {
	case *ast.ImportSpec:
		if n.Path.Value == `"log"` {
			return n.Path.Value
		}
	case *ast.CallExpr:
		if isName(n.Fun, "print") || isName(n.Fun, "println") {
			return n.Fun.(*ast.Ident).Name
		}
	case *ast.SelectorExpr:
		name := n.Sel.Name
		standard := slices.Contains([]string{"Stdout", "Stderr"}, name) && (isName(n.X, "os") || isName(n.X, "syscall"))
		if standard || isName(n.X, "fmt") && strings.HasPrefix(name, "Print") {
			return n.X.(*ast.Ident).Name + "." + name
		}
		if !slices.Contains(printing, name) {
			return ""
		}
		switch of := n.X.(type) {
		case *ast.Ident:
			if params[of.Name] {
				return of.Name + "." + name
			}
		case *ast.SelectorExpr:
			if fields[of.Sel.Name] {
				return of.Sel.Name + "." + name
			}
		}
	}
	return ""
}

func TestOutputs(t *testing.T) { report(t, checkOutputs(loadModule(t))) }

// TestOutputsCanary checks that code that prints is reported unless outputs lists it.
func TestOutputsCanary(t *testing.T) {
	tr := mustLoad(t, fstest.MapFS{
		"a/a.go": file("package a", `import ("fmt"; "log"; "os")`, "func f() { fmt.Println(1) }", "var w = os.Stderr",
			"func g() { print(fmt.Sprint(1)); fmt.Fprint(w, 2) }", "func (T) h() { println() }"),
		"a/b.go": file("package a", "func f(t testing.TB) { t.Helper(); t.Log(1) }", "type v struct { tb *testing.T; err error }",
			"func (v v) f() { v.tb.Fatalf(v.err.Error()) }", "func g(t *props.B, tb output) { t.Log(1); tb.Log(2) }", "type o struct { testing.TB }", "func (o o) f() { o.TB.Output() }"),
		"a/a_test.go":                   file("package a", "func f(t *testing.T) { t.Log(os.Stdout) }"),
		"cmd/jostle/main.go":            file("package main", "func main() { run(os.Stdout) }", "func help() { run(os.Stdout) }"),
		"fuzz/output.go":                file("package fuzz", "func (o output) Log() { o.TB.Log(os.Stderr) }", "func beside() { f(os.Stderr) }"),
		"fuzz/internal/worker/serve.go": file("package worker", "func giveUp() { f(os.Stderr) }", "func (w) giveUp() { f(os.Stderr) }"),
	})
	caught(t, checkOutputs(tr), "a/a.go:2", "a/a.go:3", "a/a.go:4", "a/a.go:5", "a/a.go:6", "a/b.go:2", "a/b.go:4", "a/b.go:7",
		"cmd/jostle/main.go:3", "fuzz/internal/worker/serve.go:3", "fuzz/output.go:3")
}
