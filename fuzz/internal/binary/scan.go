package binary

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// verbs are the functions that take properties.
var verbs = []string{"Check", "Explore", "Target"}

// A declaration is a function or a type at the top level of a package: the names it
// mentions, and whether it calls a verb.
type declaration struct {
	mentions map[string]bool
	calls    bool
}

// testsIn returns the names of the tests and fuzz targets of a package that call a verb,
// directly or through other functions.
func testsIn(p *listed, verbsPath string) (tests []string, err error) {
	fset := token.NewFileSet()
	for _, files := range [][]string{slices.Concat(p.GoFiles, p.TestGoFiles), p.XTestGoFiles} {
		s := scan{declarations: map[string]*declaration{}, verbsPath: verbsPath}
		for _, name := range files {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
			}
			s.file(f)
		}
		for _, name := range slices.Sorted(maps.Keys(s.declarations)) {
			if isTest(name) && s.reaches(name, map[string]bool{}) {
				tests = append(tests, name)
			}
		}
	}
	return tests, nil
}

// isTest reports whether a function of this name may be a test or a fuzz target.
func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain" || strings.HasPrefix(name, "Fuzz")
}

// A scan reads the declarations of a package.
type scan struct {
	declarations map[string]*declaration
	verbsPath    string
}

// file reads the declarations of a file. A method counts as a part of its type, so users
// of the type reach it.
func (s *scan) file(f *ast.File) {
	local := s.localName(f)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = typeName(d.Recv.List[0].Type)
			}
			s.read(name, d, local)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					s.read(spec.Name.Name, spec, local)
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						s.read(n.Name, spec, local)
					}
				}
			}
		}
	}
}

// localName returns the name under which a file imports the package of the verbs, or "".
func (s *scan) localName(f *ast.File) string {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != s.verbsPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(s.verbsPath)
	}
	return ""
}

// typeName returns the name of a receiver's type: the first name in it, before those of
// type parameters.
func typeName(e ast.Expr) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// read adds the names that a declaration mentions. In files that import the package, any
// method with the name of a verb counts as one: it may be of a Config.
func (s *scan) read(name string, n ast.Node, local string) {
	d := s.declarations[name]
	if d == nil {
		d = &declaration{mentions: map[string]bool{}}
		s.declarations[name] = d
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			d.calls = d.calls || local != "" && slices.Contains(verbs, n.Sel.Name)
		case *ast.Ident:
			d.calls = d.calls || local == "." && slices.Contains(verbs, n.Name)
			d.mentions[n.Name] = true
		}
		return true
	})
}

// reaches reports whether a declaration calls a verb, directly or through those it
// mentions.
func (s *scan) reaches(name string, seen map[string]bool) bool {
	d := s.declarations[name]
	if d == nil || seen[name] {
		return false
	}
	seen[name] = true
	if d.calls {
		return true
	}
	for _, other := range slices.Sorted(maps.Keys(d.mentions)) {
		if s.reaches(other, seen) {
			return true
		}
	}
	return false
}
