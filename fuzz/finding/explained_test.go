package finding

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

// A source finds the code that the lines of an explanation refer to.
type source struct {
	files token.FileSet
	named map[string]*ast.File
}

// parsed returns the syntax of a subject's file.
func (s *source) parsed(t *testing.T, path string) *ast.File {
	t.Helper()
	if s.named == nil {
		s.named = map[string]*ast.File{}
	}
	if s.named[path] == nil {
		file, err := parser.ParseFile(&s.files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.named[path] = file
	}
	return s.named[path]
}

// around returns the first and last line of the code that a line belongs to: the case of a type switch that contains
// the line, or else the function.
func (s *source) around(file *ast.File, line int) (first, last int) {
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		from, to := s.files.Position(n.Pos()).Line, s.files.Position(n.End()).Line
		if line < from || line > to {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			first, last = from, to
		case *ast.TypeSwitchStmt:
			for _, c := range n.Body.List {
				if from, to := s.files.Position(c.Pos()).Line, s.files.Position(c.End()).Line; line >= from && line <= to {
					first, last = from, to
				}
			}
		}
		return true
	})
	return first, last
}

// linesNamed returns the lines of a file that a text refers to. A number without a file belongs to the last file in the
// text.
func linesNamed(text, file string) (list []int) {
	last := ""
	for _, m := range regexp.MustCompile(`(\w+\.go)?:(\d+)`).FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			last = m[1]
		}
		if n, _ := strconv.Atoi(m[2]); last == file {
			list = append(list, n)
		}
	}
	return list
}

// helpersNamed returns the lines of the functions that a text refers to: "handled at node.go:12 (count)".
func (s *source) helpersNamed(text string, file *ast.File) (list []int) {
	for _, m := range regexp.MustCompile(`:\d+ \(([\w, ]+)\)`).FindAllStringSubmatch(text, -1) {
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && slices.Contains(strings.Split(m[1], ", "), f.Name.Name) {
				list = append(list, s.files.Position(f.Pos()).Line)
			}
		}
	}
	return list
}

// mended returns the lines in which the broken and the mended form of a subject differ, from a line of
// testdata/mended.txt.
func mended(t *testing.T, texts []string, path string) (list []int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		n := 0
		for i, line := range strings.Split(string(content), "\n") {
			if strings.Contains(line, text) {
				list = append(list, i+1)
				n++
			}
		}
		if n != 1 {
			t.Fatalf("%s: %d lines with %q", path, n, text)
		}
	}
	return list
}

// explainedCase explains the saved case of a subject.
func explainedCase(t *testing.T, name string) *Finding {
	t.Helper()
	s, _ := subjects.ByName(name)
	r := props.NewRunner(name, s.Property(false))
	defer r.Close()
	played := Replay(r, (&mistake{subject: name}).caseOf(t, &s))
	f := From(Origin{Property: name, Test: name}, &played.Result)
	f.Confirm(r)
	if out := Shrink(context.Background(), r, f, shrink.Options{Runs: 1}); out.Finding != nil {
		f = out.Finding
	}
	return f
}

// explanationOf returns the printed explanation of a finding: the lines between the run and the
// draws.
func explanationOf(f *Finding) string {
	text := f.Text("run 1")
	text = text[max(0, strings.Index(text, "\n        fails in ")):]
	text, _, _ = strings.Cut(text, "\n\n")
	text, _, _ = strings.Cut(text, "        drew ")
	return strings.Trim(text, "\n")
}

// widest returns the number of characters of the longest line of a text.
func widest(text string) (most int) {
	for line := range strings.Lines(text) {
		most = max(most, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
	}
	return most
}

// TestExplanations checks the explanations of all subjects: at most three lines of
// 100 columns each, except the failure's own message. For seven of nine subjects,
// the code that the lines refer to must contain a line in which the mended form
// differs, as listed in testdata/mended.txt. By day the test explains one subject of
// twelve.
func TestExplanations(t *testing.T) {
	trial.Long(t)
	text, err := os.ReadFile("testdata/mended.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var syntax source
	hits, of, table, number := 0, 0, "", 0
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if number++; !golden.Whole() && number%12 != 1 {
			continue
		}
		parts := strings.Split(rest, " | ")
		path := filepath.Join("../subjects", parts[0])
		f := explainedCase(t, name)
		explained := explanationOf(f)
		hit, file := false, syntax.parsed(t, path)
		for _, n := range append(linesNamed(explained, filepath.Base(path)), syntax.helpersNamed(explained, file)...) {
			first, last := syntax.around(file, n)
			for _, m := range mended(t, parts[1:], path) {
				hit = hit || m >= first && m <= last
			}
		}
		how := "names the mended code"
		if of++; hit {
			hits++
		} else {
			how = "does not name the mended code, " + fmt.Sprint(filepath.Base(path), mended(t, parts[1:], path))
		}
		fmt.Fprintf(&b, "%s: %s\n%s\n", name, how, explained)
		_, below, _ := strings.Cut(f.Text("run 1"), "        run 1")
		headline, _, _ := strings.Cut(f.Text("run 1"), "\n")
		columns := [4]int{widest(headline), widest(below), widest(f.Chart()), widest(strings.Join(f.Case.Comment[1:], "\n")) + len("# ")}
		table += fmt.Sprintf("%-18s%8d%8d%8d%8d\n", name, columns[0], columns[1], columns[2], columns[3])
		if slices.Max(columns[1:]) > 100 {
			t.Errorf("%s: lines of %d columns", name, columns)
		}
		for i, line := range strings.Split(explained, "\n") {
			if i > 2 || utf8.RuneCountInString(line) > 100 || strings.Contains(line, "0 of 0") {
				t.Errorf("%s: line %d has %d columns: %s", name, i, utf8.RuneCountInString(line), line)
			}
		}
	}
	if golden.Whole() {
		fmt.Fprintf(&b, "\n%d of %d name the mended code\n", hits, of)
		if 9*hits < 7*of {
			t.Errorf("only %d of %d name the mended code", hits, of)
		}
	}
	fmt.Fprintf(&b, "\n%-18s%8s%8s%8s%8s\n%s", "longest line of", "failure", "text", "chart", "case", table)
	golden.Part(t, "testdata/explained.txt", b.String())
}
