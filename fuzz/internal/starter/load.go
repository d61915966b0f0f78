package starter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Go runs the go command in some folder and returns its output. The error has one line.
type Go func(ctx context.Context, args ...string) ([]byte, error)

// Paths are the import paths of the packages that a property uses.
type Paths struct{ Fuzz, Props, Pulse, Rapid string }

// A Package is a package of the user, including its tests.
type Package struct {
	Name, Path, Dir string

	paths Paths
	files []*ast.File
	fset  *token.FileSet
	types *types.Package
	info  *types.Info
}

// listed is the output of go list for a package.
type listed struct {
	ImportPath, Name, Dir, Export, ForTest string
	GoFiles, CgoFiles, TestGoFiles         []string
	DepOnly                                bool
	Module                                 *struct{ Main bool }
	Error                                  *struct{ Pos, Err string }
}

// Load reads the package that matches a pattern. The pattern may also be a folder in a module that
// has no Go files yet. The error says why no property can be added to the package.
func Load(ctx context.Context, run Go, paths Paths, pattern string) (*Package, error) {
	list, err := list(ctx, run, "list", "-e", "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,TestGoFiles,Module,Error", "--", pattern)
	if err != nil {
		return nil, err
	}
	switch {
	case len(list) == 0:
		return nil, fmt.Errorf("no packages match %s", pattern)
	case len(list) > 1:
		return nil, fmt.Errorf("a property belongs to one package, and %d match %s: give the folder of one package", len(list), pattern)
	}
	l := list[0]
	p := &Package{Name: l.Name, Path: l.ImportPath, Dir: l.Dir, paths: paths, fset: token.NewFileSet()}
	switch there, _ := fs.Glob(os.DirFS(l.Dir), "*.go"); {
	case l.Dir != "" && len(there) == 0:
		return p, p.begin(ctx, run)
	case l.Dir == "" && isFolder(pattern):
		return nil, outside(pattern)
	case l.Error != nil && l.Name == "":
		return nil, errors.New(said(l.Error.Pos, l.Error.Err))
	case l.Module == nil || !l.Module.Main:
		return nil, fmt.Errorf("%s is not in your module: give a folder of your module, or create a module with `go mod init example.com/name`", pattern)
	}
	return p, p.read(ctx, run, l)
}

// said returns a message of the go command as one line, without the lines that name packages.
func said(pos, text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			lines = append(lines, line)
		}
	}
	return strings.TrimPrefix(pos+": ", ": ") + strings.Join(lines, "; ")
}

// begin sets the import path and the name of a package whose folder has no Go files yet.
func (p *Package) begin(ctx context.Context, run Go) error {
	out, err := run(ctx, "list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return err
	}
	root := moduleAbove(p.Dir)
	for line := range strings.Lines(string(out)) {
		module, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		below, err := filepath.Rel(dir, p.Dir)
		if err == nil && dir != "" && filepath.IsLocal(below) && (root == "" || root == filepath.Clean(dir)) {
			p.Path = path.Join(module, filepath.ToSlash(below))
			p.Name = nameFor(p.Path)
			p.types = types.NewPackage(p.Path, p.Name)
			return nil
		}
	}
	return outside(p.Dir)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// outside returns an error for a folder for which the go command finds no package. The error says
// what the user can do.
func outside(dir string) error {
	if !filepath.IsAbs(dir) && !build.IsLocalImport(filepath.ToSlash(dir)) {
		return fmt.Errorf("go takes %s for an import path: give the folder as ./%s", dir, dir)
	}
	if abs, err := filepath.Abs(dir); err == nil {
		if root := moduleAbove(abs); root != "" {
			return fmt.Errorf("%s is in a different module: first go to the folder of that module with `cd %s`", dir, root)
		}
	}
	return fmt.Errorf("%s is in no module: create one with `go mod init example.com/name`", dir)
}

// moduleAbove returns the root folder of the module that contains dir, "" if there is none.
func moduleAbove(dir string) string {
	for last := ""; dir != last; dir, last = filepath.Dir(dir), dir {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	return ""
}

// nameFor returns a name for a package: the last element of its import path in lower case, without
// characters that are not allowed.
func nameFor(importPath string) string {
	base := path.Base(regexp.MustCompile(`/v\d+$`).ReplaceAllString(importPath, ""))
	if name := strings.ToLower(regexp.MustCompile(`[^\pL\pN_]`).ReplaceAllString(base, "")); token.IsIdentifier(name) {
		return name
	}
	return "first"
}

func list(ctx context.Context, run Go, args ...string) (all []*listed, err error) {
	out, err := run(ctx, args...)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		l := &listed{}
		if err := d.Decode(l); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("the output of go list cannot be read: %w", err)
		}
		all = append(all, l)
	}
}

// read parses the files of a package and determines the types in them.
func (p *Package) read(ctx context.Context, run Go, l *listed) error {
	for _, name := range slices.Concat(l.GoFiles, l.CgoFiles, l.TestGoFiles) {
		f, err := parser.ParseFile(p.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		p.files = append(p.files, f)
		p.Name = f.Name.Name
	}
	deps, err := list(ctx, run, "list", "-e", "-export", "-deps", "-test", "-json=ImportPath,Export,ForTest,DepOnly,Error", "--", p.Path)
	if err != nil {
		return fmt.Errorf("%s does not compile: %w", p.Path, err)
	}
	exports := map[string]string{}
	for _, d := range deps {
		if d.Error != nil {
			return fmt.Errorf("%s does not compile: %s", p.Path, said(d.Error.Pos, d.Error.Err))
		}
		if d.ForTest == "" {
			exports[d.ImportPath] = d.Export
		}
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s is not known", path)
		}
		return os.Open(exports[path])
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	// Errors in the files are ignored, because the types that are known in spite of them are
	// sufficient.
	c := types.Config{Importer: importer.ForCompiler(p.fset, "gc", lookup), FakeImportC: true, Error: func(error) {}}
	p.types, _ = c.Check(p.Path, p.fset, p.files, p.info)
	return nil
}
