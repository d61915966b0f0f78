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

// verbs are the functions of package fuzz to which tests pass properties.
var verbs = []string{"Check", "Explore", "Target"}

// A declaration is a function, type, variable or constant at the top level of a package.
type declaration struct {
	mentions map[string]bool // the names that occur in the declaration
	calls    bool            // set if the declaration calls one of the functions in verbs
}

// testsIn returns the names of the tests and fuzz targets of a package that call a function in
// verbs, directly or through other declarations. If others is set, it returns the names of the
// other tests.
func testsIn(p *listed, verbsPath string, others bool) (tests []string, err error) {
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
			if isTest(name) && s.reaches(name, map[string]bool{}) != others && !(others && strings.HasPrefix(name, "Fuzz")) {
				tests = append(tests, name)
			}
		}
	}
	return tests, nil
}

// isTest reports whether a function with this name may be a test or a fuzz target.
func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain" || strings.HasPrefix(name, "Fuzz")
}

// A scan collects the declarations of a package.
type scan struct {
	declarations map[string]*declaration
	verbsPath    string
}

// file adds the declarations of a file. A method is added to the declaration of its type, so a
// function that mentions the type also reaches the method.
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

// localName returns the name under which a file imports package fuzz, "" if the file does not
// import package fuzz.
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

// typeName returns the name of a receiver's type, without its pointer and its type parameters.
func typeName(e ast.Expr) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// read adds the names in the syntax tree n to the declaration with the given name. The parameter
// local is the name of package fuzz in the file, "" if the file does not import package fuzz. In a
// file that imports it, a call to any method with a name in verbs counts as a call to a verb,
// because the method may belong to fuzz.Config.
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

// reaches reports whether the declaration with the given name calls a function in verbs, directly
// or through other declarations. The map seen has the declarations that were checked already.
func (s *scan) reaches(name string, seen map[string]bool) bool {
	d := s.declarations[name]
	if d == nil || seen[name] {
		return false
	}
	seen[name] = true
	return d.calls || slices.ContainsFunc(slices.Sorted(maps.Keys(d.mentions)), func(other string) bool { return s.reaches(other, seen) })
}
