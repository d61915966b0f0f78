package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// modulePath is the module that the rules are about.
const modulePath = "github.com/jostle-go/jostle"

// A finding is one place where a rule is broken.
type finding struct {
	where string // file:line, or a folder or file
	what  string
	fix   string // what to do about it
}

func (f finding) String() string { return fmt.Sprintf("%s: %s\n\t%s", f.where, f.what, f.fix) }

// report fails the test with every finding.
func report(t *testing.T, found []finding) {
	t.Helper()
	for _, f := range found {
		t.Error(f)
	}
}

// A tree is the repository as the rules see it.
type tree struct {
	fset    *token.FileSet
	folders []*folder         // in the order of their paths
	top     []fs.DirEntry     // the files and folders of the top level
	texts   map[string]string // every text file outside testdata except Go sources, by path
	samples map[string]string // every Go source and golden file in a testdata, by path
	ignored []string          // the patterns of .gitignore
}

// A folder is a directory with files. The files of its testdata belong to it.
type folder struct {
	path    string // from the module's root
	sources []*source
	others  []string // every other file, by its path from the folder
}

// A source is one Go file.
type source struct {
	path   string // from the module's root
	text   string
	syntax *ast.File
}

func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// inCommand reports whether the file belongs to the command, not to a library.
func (s *source) inCommand() bool { return strings.HasPrefix(s.path, "cmd/") }

// at returns where a node is, as file:line.
func (t *tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// sources calls do with every Go file.
func (t *tree) sources(do func(*folder, *source)) {
	for _, f := range t.folders {
		for _, s := range f.sources {
			do(f, s)
		}
	}
}

// load reads the files of a repository. It skips folders that begin with a dot, which
// belong to tools, except .ci and .github.
func load(fsys fs.FS) (*tree, error) {
	t := &tree{fset: token.NewFileSet(), texts: map[string]string{}, samples: map[string]string{}}
	var err error
	if t.top, err = fs.ReadDir(fsys, "."); err != nil {
		return nil, err
	}
	if text, err := fs.ReadFile(fsys, ".gitignore"); err == nil {
		t.ignored = slices.DeleteFunc(strings.Split(string(text), "\n"), func(line string) bool { return strings.HasPrefix(line, "#") })
	}
	byPath := map[string]*folder{}
	err = fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && isHidden(p):
			return fs.SkipDir
		case d.IsDir(), t.isIgnored(p):
			return nil
		}
		home := homeOf(p)
		f := byPath[home]
		if f == nil {
			f = &folder{path: home}
			byPath[home] = f
			t.folders = append(t.folders, f)
		}
		return t.add(fsys, f, p)
	})
	return t, err
}

// add reads one file into its folder.
func (t *tree) add(fsys fs.FS, f *folder, p string) error {
	inTestdata := homeOf(p) != path.Dir(p)
	if inTestdata {
		f.others = append(f.others, strings.TrimPrefix(p, f.path+"/"))
		if ext := path.Ext(p); ext != ".go" && ext != ".golden" {
			return nil
		}
		text, err := fs.ReadFile(fsys, p)
		t.samples[p] = string(text)
		return err
	}
	text, err := fs.ReadFile(fsys, p)
	if err != nil {
		return err
	}
	if !strings.HasSuffix(p, ".go") {
		f.others = append(f.others, path.Base(p))
		if utf8.Valid(text) {
			t.texts[p] = string(text)
		}
		return nil
	}
	syntax, err := parser.ParseFile(t.fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f.sources = append(f.sources, &source{path: p, text: string(text), syntax: syntax})
	return nil
}

// isIgnored reports whether version control ignores a file. The patterns of our
// .gitignore match names, not paths.
func (t *tree) isIgnored(p string) bool {
	return slices.ContainsFunc(t.ignored, func(pattern string) bool {
		ok, _ := path.Match(pattern, path.Base(p))
		return ok
	})
}

// isHidden reports whether a folder belongs to a tool.
func isHidden(p string) bool {
	base := path.Base(p)
	return p != "." && p != ".ci" && p != ".github" && (base[0] == '.' || base[0] == '_')
}

// homeOf returns the folder that a file belongs to: the folder that it is in, or
// the one that its testdata is in.
func homeOf(p string) string {
	dir := path.Dir(p)
	for d := dir; d != "."; d = path.Dir(d) {
		if path.Base(d) == "testdata" {
			dir = path.Dir(d)
		}
	}
	return dir
}

// root returns the module's folder, at or above the one that the test runs in.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.work in this folder or above")
		}
	}
}

// loadModule returns the repository that the test is part of. It reads the repository once.
func loadModule(t *testing.T) *tree {
	t.Helper()
	loaded.Do(func() { module = mustLoad(t, os.DirFS(root(t))) })
	return module
}

var (
	loaded sync.Once
	module *tree
)

// mustLoad calls load, and fails the test if load returns an error.
func mustLoad(t *testing.T, fsys fs.FS) *tree {
	t.Helper()
	tr, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// caught compares the places that a rule found with those where faults were
// planted.
func caught(t *testing.T, found []finding, want ...string) {
	t.Helper()
	var got []string
	for _, f := range found {
		got = append(got, f.where)
		if f.what == "" || f.fix == "" {
			t.Errorf("%s: the finding does not say what is wrong and what to do: %+v", f.where, f)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("found faults at %q, planted at %q", got, want)
	}
}
