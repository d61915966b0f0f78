package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// maxReadme bounds the lines of the README: nobody reads a longer one.
const maxReadme = 200

// checkReadme finds a README that is too long, and commands in it that .ci/run does
// not run.
func checkReadme(t *tree) (found []finding) {
	readme, run := t.texts["README.md"], t.texts[".ci/run"]
	if n := strings.Count(readme, "\n"); n >= maxReadme {
		found = append(found, finding{"README.md", "the README is too long", "keep it under 200 lines; move details into doc comments"})
	}
	commands := testCommands(readme)
	if !slices.ContainsFunc(commands, func(c string) bool {
		return strings.HasPrefix(c, "go test ") && slices.Contains(strings.Fields(c), "./...")
	}) {
		found = append(found, finding{"README.md", "the README does not say how to test",
			"put a fenced block of sh with a line `go test … ./...` right below a heading `## Test`"})
	}
	var runs []string
	for line := range strings.Lines(run) {
		runs = append(runs, command(line))
	}
	for _, c := range commands {
		if !slices.Contains(runs, c) {
			found = append(found, finding{".ci/run", "it does not run the README's command " + c,
				"add a line with only that command, or change the README"})
		}
	}
	return found
}

// checkExamples finds the blocks of the README that no test runs. A block of Go
// must be in a test; a block of text must be in a test or in a golden file.
func checkExamples(t *tree) (found []finding) {
	for _, b := range blocks(t.texts["README.md"]) {
		if (b.language == "go" || b.language == "text") && !t.tests(b.text) {
			found = append(found, finding{fmt.Sprintf("README.md:%d", b.line), "no test runs this block",
				"put the same lines into a _test.go, or printed text into a golden file"})
		}
	}
	return found
}

// testName matches the name of a test in a document.
var testName = regexp.MustCompile("`(Test[A-Z]\\w*)`")

// checkNamedTests finds names of tests in CONTRIBUTING.md that do not exist.
func checkNamedTests(t *tree) (found []finding) {
	there := map[string]bool{}
	t.sources(func(_ *folder, s *source) {
		for _, d := range s.syntax.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.isTest() {
				there[f.Name.Name] = true
			}
		}
	})
	for _, m := range testName.FindAllStringSubmatch(t.texts["CONTRIBUTING.md"], -1) {
		if !there[m[1]] {
			found = append(found, finding{"CONTRIBUTING.md", "there is no test " + m[1], "correct the name, or write the test"})
		}
	}
	return found
}

// mapRow matches the package at the beginning of a row or heading of the map in CONTRIBUTING.md.
var mapRow = regexp.MustCompile("^(?:\\| |\\*\\*)`([a-z0-9/]+)`")

// mapFile matches a file, or a pattern of files, that the map in CONTRIBUTING.md names.
var mapFile = regexp.MustCompile("`([a-z0-9_*]+\\.go)`")

// checkMap finds files that the map in CONTRIBUTING.md lacks, and names in the map without
// a file. The map need not have doc.go files, or the two files that each subject has.
func checkMap(t *tree) (found []finding) {
	named := mapped(t.texts["CONTRIBUTING.md"])
	for _, f := range t.folders {
		if path.Dir(f.path) == "fuzz/subjects" {
			continue
		}
		for _, s := range f.sources {
			name := path.Base(s.path)
			at := slices.IndexFunc(named[f.path], func(m *mapEntry) bool { ok, _ := path.Match(m.name, name); return ok })
			if at >= 0 {
				named[f.path][at].there = true
			} else if !s.isTest() && name != "doc.go" {
				found = append(found, finding{s.path, "the map in CONTRIBUTING.md lacks this file", "say there what is in it"})
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(named)) {
		for _, m := range named[folder] {
			if !m.there {
				found = append(found, finding{"CONTRIBUTING.md", "there is no " + folder + "/" + m.name, "correct the map"})
			}
		}
	}
	return found
}

// A mapEntry is a file, or a pattern of files, that the map in CONTRIBUTING.md names.
type mapEntry struct {
	name  string
	there bool
}

// mapped returns the entries of the map by folder. A row is about the package it begins
// with, or about that of the heading above its table.
func mapped(text string) map[string][]*mapEntry {
	_, text, _ = strings.Cut(text, "\n### Which file\n")
	text, _, _ = strings.Cut(text, "\n## ")
	named, heading := map[string][]*mapEntry{}, ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "**") {
			heading = ""
		}
		folder := heading
		if m := mapRow.FindStringSubmatch(line); m != nil {
			folder = m[1]
			if strings.HasPrefix(line, "**") {
				heading = folder
			}
		}
		if folder == "" {
			continue
		}
		for _, m := range mapFile.FindAllStringSubmatch(line, -1) {
			named[folder] = append(named[folder], &mapEntry{name: m[1]})
		}
	}
	return named
}

// A block is a fenced block of a text.
type block struct {
	language, text string
	line           int
}

func blocks(text string) (list []block) {
	var open *block
	for i, line := range strings.Split(text, "\n") {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{language: language, line: i + 1}
		case fence:
			list = append(list, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	return list
}

// tests reports whether the lines of a block stand one after another in a test,
// whatever their indentation.
func (t *tree) tests(block string) (found bool) {
	want := bare(block)
	t.sources(func(_ *folder, s *source) {
		found = found || s.isTest() && strings.Contains(bare(s.text), want)
	})
	for _, text := range t.samples {
		found = found || strings.Contains(bare(text), want)
	}
	return found
}

// moments matches times, which differ from run to run; golden files have TIME.
var moments = regexp.MustCompile(`\d+(\.\d+)?(µs|ms|s)\b`)

// halves matches the names of case files. The second half of a name is a hash of the
// file's text. It changes often, because the text has positions in Go files.
var halves = regexp.MustCompile(`([0-9a-f]{6})-[0-9a-f]{6}\.case`)

// bare returns a text without indentation, comment marks and empty lines.
func bare(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//"))
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	return moments.ReplaceAllString(halves.ReplaceAllString(b.String(), "$1-TEXT.case"), "TIME")
}

// testCommands returns the commands of the first fenced block below the heading
// Test, or of the first in the README if it has no such heading.
func testCommands(readme string) (commands []string) {
	_, below, ok := strings.Cut(readme, "\n## Test\n")
	if !ok {
		below = readme
	}
	_, block, _ := strings.Cut(below, "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	for line := range strings.Lines(block) {
		if c := command(line); c != "" {
			commands = append(commands, c)
		}
	}
	return commands
}

// command returns a line of a shell script without its comment.
func command(line string) string {
	line, _, _ = strings.Cut(line, "#")
	return strings.TrimSpace(line)
}

func TestReadme(t *testing.T) { report(t, checkReadme(loadModule(t))) }

func TestReadmeExamplesRun(t *testing.T) { report(t, checkExamples(loadModule(t))) }

func TestNamedTests(t *testing.T) { report(t, checkNamedTests(loadModule(t))) }

func TestMap(t *testing.T) { report(t, checkMap(loadModule(t))) }

// TestMapCanary checks that a file that the map lacks is reported, and a name in the map without a file.
func TestMapCanary(t *testing.T) {
	contributing := "# Map\n### Which file\n**`p`**: one.\n\n| a thing | `a.go`; another: `gone.go` |\n\n**Below**:\n\n| `p/q`: more | `x_*.go` |\n## Other\n| `p` | `b.go` |\n"
	tr := mustLoad(t, fstest.MapFS{
		"CONTRIBUTING.md": file(contributing), "p/a.go": file("package p"), "p/b.go": file("package p"), "p/doc.go": file("package p"),
		"p/a_test.go": file("package p"), "p/q/x_unix.go": file("package q"), "fuzz/subjects/s/s.go": file("package s"),
	})
	caught(t, checkMap(tr), "p/b.go", "CONTRIBUTING.md")
}

// TestNamedTestsCanary checks that the name of a test that does not exist is reported.
func TestNamedTestsCanary(t *testing.T) {
	tr := mustLoad(t, fstest.MapFS{"CONTRIBUTING.md": file("`TestThis`, `TestThat`"), "p/p_test.go": file("package p", "func TestThis() {}")})
	caught(t, checkNamedTests(tr), "CONTRIBUTING.md")
}

// TestReadmeExamplesCanary checks that code and output in a README are reported if no test has them.
func TestReadmeExamplesCanary(t *testing.T) {
	const fence = "```"
	readme := "# jostle\n" + fence + "go\nx := 1\n\nuse(x)\n" + fence + "\n" + fence + "text\n1 and\n2\n" + fence + "\n" +
		fence + "sh\nls\n" + fence + "\n"
	for _, c := range []struct {
		name, test string
		want       []string
	}{
		{"both run", "\tx := 1\n\tuse(x)\n\t// Output:\n\t// 1 and\n\t// 2\n", nil},
		{"other code", "\tx := 2\n\tuse(x)\n\t// 1 and\n\t// 2\n", []string{"README.md:2"}},
		{"other output", "\tx := 1\n\tuse(x)\n\t// 1 or\n\t// 2\n", []string{"README.md:7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := mustLoad(t, fstest.MapFS{"README.md": file(readme), "p/p_test.go": file("package p\n" + "/*\n" + c.test + "*/\n")})
			caught(t, checkExamples(tr), c.want...)
		})
	}
}

// TestReadmeCanary checks that a README is reported if it is too long, or if it has commands that .ci/run does not run.
func TestReadmeCanary(t *testing.T) {
	const block = "```sh\ngo run ./cmd/jostle demo # the main job\n\ngo test ./...\n```\n"
	run := file("#!/bin/bash", "  go test ./... # all", "go run ./cmd/jostle demo")
	for _, c := range []struct {
		name, readme string
		run          *fstest.MapFile
		want         []string
	}{
		{"right, below its heading", "```sh\nother\n```\n## Test\n\n" + block, run, nil},
		{"right, without heading", "# jostle\n" + block, run, nil},
		{"too long", block + strings.Repeat("\n", maxReadme), run, []string{"README.md"}},
		{"no command", "# jostle\n", run, []string{"README.md"}},
		{"other commands", block, file("go test -v ./...", "# go run ./cmd/jostle demo"), []string{".ci/run", ".ci/run"}},
		{"no .ci/run", block, file(), []string{".ci/run", ".ci/run"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := mustLoad(t, fstest.MapFS{"README.md": file(c.readme), ".ci/run": c.run})
			caught(t, checkReadme(tr), c.want...)
		})
	}
}
