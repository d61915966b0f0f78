// Package changed determines which statements of a change were run by tests. It combines a
// profile of go test -coverprofile with the output of git diff.
//
// A statement belongs to a change if the change adds one of its lines. For a statement with a
// body, only the lines up to the opening brace are considered. Removed statements are ignored.
package changed

import (
	"bufio"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Lines are the lines that a change has added, by file name with slashes.
type Lines map[string]map[int]bool

var hunk = regexp.MustCompile(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// ReadDiff reads the output of git diff --unified=0.
func ReadDiff(text string) (Lines, error) {
	lines, file := Lines{}, ""
	left := 0 // number of added lines still to come in the hunk; an added line may look like a header
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if left > 0 && strings.HasPrefix(line, "+") {
			left--
			continue
		}
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			if unquoted, err := strconv.Unquote(name); err == nil {
				name = unquoted
			}
			file = strings.TrimPrefix(strings.TrimSuffix(name, "\t"), "b/")
			continue
		}
		m := hunk.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		first, err := strconv.Atoi(m[1])
		count := 1
		if err == nil && m[2] != "" {
			count, err = strconv.Atoi(m[2])
		}
		if err != nil || file == "" {
			return nil, fmt.Errorf("the output of git diff cannot be read: %q", line)
		}
		left = count
		for n := range count {
			if lines[file] == nil {
				lines[file] = map[int]bool{}
			}
			lines[file][first+n] = true
		}
	}
	return lines, nil
}

// A Profile records which parts of files were run. A key consists of the import path of a
// package, a slash and the name of a file.
type Profile map[string][]part

// A part is a sequence of statements in a file.
type part struct {
	from, to place
	run      bool
}

type place struct{ line, column int }

func (p place) before(o place) bool {
	return p.line < o.line || p.line == o.line && p.column < o.column
}

var row = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$`)

// ReadProfile reads the output of go test -coverprofile.
func ReadProfile(r io.Reader) (Profile, error) {
	p := Profile{}
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		if n == 1 && strings.HasPrefix(s.Text(), "mode: ") {
			continue
		}
		m := row.FindStringSubmatch(s.Text())
		if n == 1 || m == nil {
			return nil, fmt.Errorf("line %d does not have the form of a profile of go test -coverprofile", n)
		}
		var numbers [4]int
		for i := range numbers {
			numbers[i], _ = strconv.Atoi(m[2+i])
		}
		p[m[1]] = append(p[m[1]], part{place{numbers[0], numbers[1]}, place{numbers[2], numbers[3]}, strings.Trim(m[7], "0") != ""})
	}
	if len(p) == 0 && s.Err() == nil {
		return nil, errors.New("it is not a profile of go test -coverprofile, or it is empty")
	}
	return p, s.Err()
}

// Packages returns the import paths of the packages that have a file in the profile.
func (p Profile) Packages() (list []string) {
	for name := range p {
		list = append(list, path.Dir(name))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// A Count counts the changed statements of a file.
type Count struct {
	Statements int   // number of changed statements
	Run        int   // number of changed statements that were run
	Missed     []int // the lines on which the statements begin that changed and were not run
	Unknown    bool  // set if the file is not in the profile
}

// In counts the changed statements of a file. Name is the key of the file in the profile, text is
// the content of the file, and lines are the changed lines.
func (p Profile) In(name string, text []byte, lines map[int]bool) (c Count, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return c, err
	}
	parts, known := p[name]
	c.Unknown = !known
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		if !ok || !isCounted(s) {
			return true
		}
		at := fset.Position(s.Pos())
		if !touches(lines, at.Line, fset.Position(head(s)).Line) {
			return true
		}
		c.Statements++
		if hasRun(parts, place{at.Line, at.Column}) {
			c.Run++
		} else {
			c.Missed = append(c.Missed, at.Line)
		}
		return true
	})
	slices.Sort(c.Missed)
	c.Missed = slices.Compact(c.Missed)
	return c, nil
}

// isCounted reports whether a statement is counted. Blocks, clauses, labels and empty statements
// are not counted.
func isCounted(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt, *ast.EmptyStmt:
		return false
	}
	return true
}

// head returns the position of the first opening brace of a block in a statement. If the statement
// contains no block, head returns the end of the statement.
func head(s ast.Stmt) (end token.Pos) {
	end = s.End()
	ast.Inspect(s, func(n ast.Node) bool {
		if b, ok := n.(*ast.BlockStmt); ok {
			end = min(end, b.Lbrace)
		}
		return true
	})
	return end
}

func touches(lines map[int]bool, from, to int) bool {
	for n := from; n <= to; n++ {
		if lines[n] {
			return true
		}
	}
	return false
}

// hasRun reports whether any test binary ran the part that contains the position at. If several
// nested parts contain the position, the part that begins last decides.
func hasRun(parts []part, at place) (run bool) {
	var inner place
	for _, p := range parts {
		if at.before(p.from) || !at.before(p.to) || p.from.before(inner) {
			continue
		}
		if inner.before(p.from) {
			inner, run = p.from, false
		}
		run = run || p.run
	}
	return run
}
