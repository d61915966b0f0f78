package house

import (
	"fmt"
	"go/ast"
	"go/token"
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
	"fuzz/tool": {"github.com/jostle-go/jostle/cmd/jostle"}, // the workflows that it writes install it
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

// specs returns how many names of a declaration have a value each.
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
				"have the other say it, by an option, a method or a type; or give the tie a place in `known` in ties_test.go"})
		}
		if !l.compared || len(l.text) < 8 || !strings.Contains(strings.TrimSpace(l.text), " ") {
			continue
		}
		i := slices.IndexFunc(list, func(o literal) bool { return o.folder != l.folder && strings.Contains(o.text, l.text) })
		if i >= 0 {
			found = append(found, finding{l.where, fmt.Sprintf("%s reads a message of %s (%s)", l.folder, list[i].folder, list[i].where),
				"have the other say it by a field, a method or an error that can be compared"})
		}
	}
	return found
}

// knows returns the package that a literal names although its folder must not know
// that package, "" when there is none.
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
