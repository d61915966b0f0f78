package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// A tie by a string is a dependency that no import shows: a package knows another
// by its name, or by the words of its messages. When the other changes, nothing
// fails to compile, but the code is wrong.

// known lists which packages may know others by name. On a stack, the name is the
// only way to tell which package a function belongs to.
var known = map[string][]string{
	"fuzz/tool": {"github.com/jostle-go/jostle/cmd/jostle"}, // the written workflows install the command
	"props":     {"github.com/stretchr/testify", "pgregory.net/rapid", "github.com/leanovate/gopter", "github.com/anishathalye/porcupine"},
}

// A literal is a string in the code.
type literal struct {
	folder, where, text string
	compared            bool // the code searches for it in another string
}

// literals returns the strings of the module outside tests and imports.
func (t *tree) literals() (list []literal) {
	t.sources(func(f *folder, s *source) {
		if s.isTest() {
			return
		}
		compared := map[ast.Node]bool{}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.CallExpr:
				if fun, ok := n.Fun.(*ast.SelectorExpr); ok && fmt.Sprint(fun.X) == "strings" {
					for _, arg := range n.Args {
						compared[arg] = true
					}
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
					list = append(list, literal{f.path, t.at(n), text, compared[n]})
				}
			}
			return true
		})
		list = append(list, t.constants(f, s, compared)...)
	})
	return list
}

// constants returns the string constants of a file that the code searches for in
// other strings.
func (t *tree) constants(f *folder, s *source, compared map[ast.Node]bool) (list []literal) {
	names := map[string]bool{}
	for n := range compared {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		for i := range min(specs(spec, ok), 1<<10) {
			lit, ok := spec.Values[i].(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || !names[spec.Names[i].Name] {
				continue
			}
			if text, err := strconv.Unquote(lit.Value); err == nil {
				list = append(list, literal{f.path, t.at(lit), text, true})
			}
		}
		return true
	})
	return list
}

// specs returns the number of names in a declaration if each has a value of its own, else 0.
func specs(spec *ast.ValueSpec, ok bool) int {
	if !ok || len(spec.Values) != len(spec.Names) {
		return 0
	}
	return len(spec.Names)
}

// checkTies finds ties by strings.
func checkTies(t *tree) (found []finding) {
	list := t.literals()
	for _, l := range list {
		if name := knows(l); name != "" {
			found = append(found, finding{l.where, fmt.Sprintf("%s knows %s by name", l.folder, name),
				"let the other package provide it as an option, a method or a type, or add the tie to `known` in ties_test.go"})
		}
		if !l.compared || len(l.text) < 8 || !strings.Contains(strings.TrimSpace(l.text), " ") {
			continue
		}
		i := slices.IndexFunc(list, func(o literal) bool { return o.folder != l.folder && strings.Contains(o.text, l.text) })
		if i >= 0 {
			found = append(found, finding{l.where, fmt.Sprintf("%s reads a message of %s (%s)", l.folder, list[i].folder, list[i].where),
				"let the other package provide a field, a method or a comparable error"})
		}
	}
	return found
}

// knows returns the package whose name a literal contains, if the literal's folder must
// not know that package by name, else "".
func knows(l literal) string {
	name := ""
	for _, host := range []string{modulePath + "/", "pgregory.net/", "github.com/leanovate/", "github.com/stretchr/", "github.com/anishathalye/"} {
		if i := strings.Index(l.text, host); i >= 0 {
			name, _, _ = strings.Cut(l.text[i:], " ")
		}
	}
	if name == "" || strings.HasPrefix(name, modulePath+"/"+l.folder) ||
		slices.ContainsFunc(known[l.folder], func(k string) bool { return strings.HasPrefix(name, k) }) {
		return ""
	}
	return name
}

func TestTies(t *testing.T) { report(t, checkTies(loadModule(t))) }

// TestTiesCanary plants packages that know each other by a string.
func TestTiesCanary(t *testing.T) {
	tr := mustLoad(t, fstest.MapFS{
		"low/a.go":       file("package low", `func f() string { return "the run was left by an exit in " }`, `var x = "`+modulePath+`/low.g"`),
		"high/a.go":      file("package high", `import "strings"`, `const left = "was left by"`, `func f(s string) bool { return strings.Contains(s, left) }`),
		"high/b.go":      file("package high", `var y = "`+modulePath+`/low"`, `var z = "pgregory.net/rapid"`, `var w = "was left by"`),
		"props/a.go":     file("package props", `var y = "pgregory.net/rapid.T"`),
		"high/b_test.go": file("package high", `var y = "`+modulePath+`/low"`),
		"high/c.go":      file("package high", `import "strings"`, `func g(s string) bool { return strings.HasPrefix(s, "the run was") || strings.HasPrefix(s, "run") }`),
	})
	caught(t, checkTies(tr), "high/a.go:3", "high/b.go:2", "high/b.go:3", "high/c.go:3")
}

// said lists texts of other programs that packages may search for, because these programs
// have no other interface. The texts are exit states of processes, output of Go tools and
// values that a program under test has recorded.
var said = map[string][]string{
	"fuzz/internal/flight":  {"exit status 0", "exit status 1", "WARNING: DATA RACE"},
	"fuzz/internal/native":  {"go test fuzz v1"},
	"fuzz/internal/worker":  {"exit status 0", "exit status 1", "signal: killed"},
	"pulse/adapt/adapttest": {"first second "},
}

// lookups lists the folders that search for a name in free text: lines of a stack or of
// Go's output, or user input.
var lookups = []string{"pulse", "pulse/stack", "pulse/adapt/adapttest", "fuzz/internal/flight", "fuzz/internal/campaign/report", "fuzz/tool"}

// hand lists the folders that may do more than print the comment of a case. They read
// comments of old formats, or keep comments that people have written.
var hand = []string{"corpus", "fuzz/finding"}

// call returns the package and the name of a function of another package, and its arguments.
func call(n ast.Node) (pkg, name string, args []ast.Expr) {
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return "", "", nil
	}
	fun, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", "", nil
	}
	return fmt.Sprint(fun.X), fun.Sel.Name, c.Args
}

// worded returns the text of a literal that has several words, "" for another expression.
func worded(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	if text, err := strconv.Unquote(lit.Value); err == nil && len(strings.Fields(text)) > 1 {
		return text
	}
	return ""
}

// sentences returns the untyped string constants of the module whose values have several words. The keys
// are the names by which other packages use the constants, such as "explore.whyLives".
func (t *tree) sentences() map[string]string {
	list := map[string]string{}
	t.sources(func(_ *folder, s *source) {
		for _, d := range s.syntax.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST || s.isTest() {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.ValueSpec)
				if spec.Type != nil { // a typed constant is one of the few values of its type, not a text
					continue
				}
				for i := range specs(spec, true) {
					if text := worded(spec.Values[i]); text != "" {
						list[s.syntax.Name.Name+"."+spec.Names[i].Name] = text
					}
				}
			}
		}
	})
	return list
}

// sentence returns the text of an expression of package pkg that is a literal with several
// words, or a constant with such a value. It returns "" for another expression.
func sentence(e ast.Expr, pkg string, constants map[string]string) string {
	switch e := e.(type) {
	case *ast.Ident:
		return constants[pkg+"."+e.Name]
	case *ast.SelectorExpr:
		return constants[fmt.Sprint(e.X)+"."+e.Sel.Name]
	}
	return worded(e)
}

// checkWords finds texts used as data: sentences that are compared, names that are
// searched in a sentence, and comments of cases that are searched.
func checkWords(t *tree) (found []finding) {
	constants := t.sentences()
	t.sources(func(f *folder, s *source) {
		if s.isTest() {
			return
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			var compared []ast.Expr
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					compared = []ast.Expr{n.X, n.Y}
				}
			case *ast.CaseClause:
				compared = n.List
			}
			for _, e := range compared {
				if text := sentence(e, s.syntax.Name.Name, constants); text != "" && !slices.Contains(said[f.path], text) {
					found = append(found, finding{t.at(e), fmt.Sprintf("%s tells cases apart by the words %q", f.path, text),
						"make a type with constants, and convert it to words where they are printed"})
				}
			}
			pkg, name, args := call(n)
			if pkg == "strings" && name == "Contains" && len(args) == 2 && !slices.Contains(lookups, f.path) {
				_, set := args[0].(*ast.BasicLit) // of characters
				if _, literal := args[1].(*ast.BasicLit); !literal && (!set || worded(args[0]) != "") {
					found = append(found, finding{t.at(n), f.path + " looks for a name in a text",
						"keep the names in a list, or add the folder to `lookups` in ties_test.go"})
				}
			}
			if (pkg == "strings" || pkg == "slices" || pkg == "regexp") && !slices.Contains(hand, f.path) {
				for _, arg := range args {
					if sel, ok := arg.(*ast.SelectorExpr); ok && sel.Sel.Name == "Comment" {
						found = append(found, finding{t.at(n), f.path + " reads the comment of a case",
							"comments are for people: add a field to the case"})
					}
				}
			}
			return true
		})
	})
	return found
}

// checkSettings finds environment settings that several packages read, and thus may
// interpret differently, and settings that are read but not used.
func checkSettings(t *tree) (found []finding) {
	readers, fields, used := map[string]map[string]string{}, map[string]string{}, map[string]bool{}
	t.sources(func(f *folder, s *source) {
		if s.isTest() {
			return
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			pkg, name, args := call(n)
			if pkg == "os" && (name == "Getenv" || name == "LookupEnv") && len(args) == 1 {
				if lit, ok := args[0].(*ast.BasicLit); ok {
					if readers[lit.Value] == nil {
						readers[lit.Value] = map[string]string{}
					}
					readers[lit.Value][f.path] = t.at(n)
				}
			}
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == "Settings" && f.path == "fuzz/internal/env" {
				for _, field := range spec.Type.(*ast.StructType).Fields.List {
					for _, id := range field.Names {
						fields[id.Name] = t.at(id)
					}
				}
			}
			if sel, ok := n.(*ast.SelectorExpr); ok && f.path != "fuzz/internal/env" && fmt.Sprint(sel.X) == "e" {
				used[sel.Sel.Name] = true
			}
			return true
		})
	})
	for _, name := range slices.Sorted(maps.Keys(readers)) {
		if folders := slices.Sorted(maps.Keys(readers[name])); len(folders) > 1 {
			found = append(found, finding{readers[name][folders[1]], fmt.Sprintf("%s is read by %s", name, strings.Join(folders, " and ")),
				"read it in package env only, and pass on the result"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !used[name] {
			found = append(found, finding{fields[name], fmt.Sprintf("the setting %s is read but not used", name), "use it, or stop reading it"})
		}
	}
	return found
}

func TestWords(t *testing.T) { report(t, checkWords(loadModule(t))) }

func TestSettings(t *testing.T) { report(t, checkSettings(loadModule(t))) }

// TestWordsCanary plants faults for TestWords and TestSettings. Each was once in this
// repository.
func TestWordsCanary(t *testing.T) {
	tr := mustLoad(t, fstest.MapFS{
		"fuzz/a.go":                 file("package fuzz", `func f(s string) bool { switch s { case "saved case": return true }; return s == "time" }`),
		"fuzz/b.go":                 file("package fuzz", `func g(s string) bool { return s != "as saved" }`),
		"fuzz/c.go":                 file("package fuzz", `import "strings"`, `func h(of, verb string) bool { return strings.Contains(of, verb) || strings.Contains(of, "Check") }`),
		"fuzz/d.go":                 file("package fuzz", `import "slices"`, `func d(c Case) bool { return slices.Contains(c.Comment, "fails") }`),
		"fuzz/e/a.go":               file("package e", `const Busy, Idle = "others still work", "idle"`, `func f(s string) bool { switch s { case Busy: return true }; return s == Idle }`),
		"fuzz/f.go":                 file("package fuzz", `func f(s string) bool { return s == e.Busy || s == e.Idle }`),
		"fuzz/d_test.go":            file("package fuzz", `func e(s string) bool { return s == "as saved" }`),
		"fuzz/internal/worker/a.go": file("package worker", `func f(s string) bool { return s == "exit status 1" || s == "exit status 2" }`),
		"corpus/a.go":               file("package corpus", `import "slices"`, `func d(c Case) bool { return slices.Contains(c.Comment, "fails") }`),
	})
	caught(t, checkWords(tr), "fuzz/a.go:2", "fuzz/b.go:2", "fuzz/c.go:3", "fuzz/d.go:3", "fuzz/f.go:2", "fuzz/e/a.go:3", "fuzz/internal/worker/a.go:2")
	tr = mustLoad(t, fstest.MapFS{
		"fuzz/internal/env/a.go": file("package env", `import "os"`, "type Settings struct { Seed int; Repair, Distill bool }", `var out = os.Getenv("JOSTLE_OUT")`),
		"fuzz/a.go":              file("package fuzz", `import "os"`, `var pages = os.Getenv("JOSTLE_OUT") != ""`, "func f(e Settings) bool { return e.Seed > 0 && e.Distill }"),
	})
	caught(t, checkSettings(tr), "fuzz/internal/env/a.go:4", "fuzz/internal/env/a.go:3")
}
