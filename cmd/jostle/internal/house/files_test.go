package house

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// builtSources finds Go and assembly files that no platform builds.
func builtSources(t *tree) (found []finding) {
	look := func(file, text string) {
		if !isBuilt(file, text) {
			found = append(found, finding{file, "no platform builds this file",
				"correct its name or its build constraint, or remove it"})
		}
	}
	t.sources(func(_ *folder, s *source) { look(s.path, s.text) })
	for _, file := range slices.Sorted(maps.Keys(t.texts)) {
		if isAssembly(file) {
			look(file, t.texts[file])
		}
	}
	return found
}

// isAssembly reports whether a file is built although it is not Go.
func isAssembly(file string) bool { return path.Ext(file) == ".s" }

// isBuilt reports whether some platform builds a file, with the race detector (by go test or by jostle) or
// without.
func isBuilt(file, text string) bool {
	systems := strings.Fields("linux darwin windows freebsd netbsd openbsd dragonfly solaris illumos aix plan9 android ios js wasip1")
	machines := strings.Fields("amd64 arm64 386 arm riscv64 loong64 ppc64 ppc64le s390x mips mipsle mips64 mips64le wasm")
	for _, system := range systems {
		for _, machine := range machines {
			for _, tags := range [][]string{nil, {"race"}, {"race", "jostle_race"}} {
				c := build.Default
				c.GOOS, c.GOARCH, c.BuildTags = system, machine, tags
				c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
				if ok, err := c.MatchFile(path.Dir(file), path.Base(file)); ok && err == nil {
					return true
				}
			}
		}
	}
	return false
}

// usedFiles finds files that no test and no go:embed names.
func usedFiles(t *tree) (found []finding) {
	for _, f := range t.folders {
		if f.path == "." || f.path == ".ci" || strings.HasPrefix(f.path, ".github") {
			continue
		}
		named, below := f.mentions(), ""
		if len(f.sources) == 0 { // the folder above may embed this folder
			for _, above := range t.folders {
				if above.path == path.Dir(f.path) {
					named, below = above.mentions(), path.Base(f.path)+"/"
				}
			}
		}
		for _, other := range f.others {
			if !isAssembly(other) && !named.covers(below+other) {
				found = append(found, finding{f.path + "/" + other, "no test or go:embed of its package refers to this file",
					"remove it, or write its name, its folder or a matching pattern in a string of the test that reads it " +
						"(testdata alone does not count)"})
			}
		}
	}
	return found
}

// A mentions has the references in a folder's sources to its other files.
type mentions struct {
	patterns []string // string literals in tests, and patterns of go:embed lines
	tests    []string // the names of tests
}

// mentions collects the references in the folder's sources to its other files.
func (f *folder) mentions() (m mentions) {
	for _, s := range f.sources {
		for line := range strings.Lines(s.text) {
			if embed, ok := strings.CutPrefix(line, "//go:embed "); ok {
				m.patterns = append(m.patterns, strings.Fields(embed)...)
			}
		}
		if !s.isTest() {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
					m.patterns = append(m.patterns, strings.TrimPrefix(text, "./"))
				}
			case *ast.FuncDecl:
				if isTestName(n.Name.Name) {
					m.tests = append(m.tests, n.Name.Name)
				}
			}
			return true
		})
	}
	return m
}

// isTestName reports whether go test runs functions of this name.
func isTestName(name string) bool {
	return slices.ContainsFunc([]string{"Test", "Fuzz", "Benchmark", "Example"}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

// covers reports whether the sources mention a file. They may mention the path of the
// file or of a folder that contains it, with or without testdata in front. They may also
// mention the file's name, or the name up to the first dot. A file that is named after a
// test, or is in such a folder, counts as mentioned.
func (m mentions) covers(file string) bool {
	if strings.HasSuffix(file, ".md") && !strings.Contains(file, "/") {
		return true // a document such as README.md, which no source needs to mention
	}
	names := []string{path.Base(file), stem(file)}
	for p := file; p != "." && p != "testdata"; p = path.Dir(p) {
		names = append(names, p, strings.TrimPrefix(p, "testdata/"))
		if slices.Contains(m.tests, stem(p)) {
			return true
		}
	}
	return slices.ContainsFunc(m.patterns, func(pattern string) bool {
		return strings.Trim(pattern, "*?/.") != "" && slices.ContainsFunc(names, func(name string) bool {
			ok, _ := path.Match(pattern, name)
			return ok
		})
	})
}

// stem is a file's name up to its first dot.
func stem(file string) string {
	s, _, _ := strings.Cut(path.Base(file), ".")
	return s
}

// marks are the words by which people mark unfinished work.
var marks = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)

// noMarks finds marks of unfinished work.
func noMarks(t *tree) (found []finding) {
	look := func(file, text string) {
		n := 0
		for line := range strings.Lines(text) {
			n++
			if mark := marks.FindString(line); mark != "" {
				found = append(found, finding{fmt.Sprintf("%s:%d", file, n), "the text says " + mark,
					"do it now, or open an issue and remove the mark"})
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(t.texts)) {
		look(file, t.texts[file])
	}
	t.sources(func(_ *folder, s *source) { look(s.path, s.text) })
	return found
}

// atTop lists the folders of the top level. Folders that begin with a dot are
// ignored: editors and version control have theirs there.
var atTop = strings.Fields("pulse props fuzz shrink corpus cmd")

// topLevel finds folders and Go files at the top level that do not belong there.
func topLevel(t *tree) (found []finding) {
	for _, entry := range t.top {
		name := entry.Name()
		stray := entry.IsDir() && name[0] != '.' && !slices.Contains(atTop, name)
		if stray || strings.HasSuffix(name, ".go") {
			found = append(found, finding{name, "this folder or Go file must not be at the top level",
				"move it into the right one of " + strings.Join(atTop, ", ")})
		}
	}
	return found
}
