package fuzz

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/report"
)

// report is what a failing test prints.
func (f *finding) report(run, test, path string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "    %s\n", f.headline())
	if f.failure.Detail != "" {
		b.WriteString(indented(f.failure.Detail))
	}
	fmt.Fprintf(&b, "        %s, %s\n", run, f.repeats())
	if len(f.draws) > 0 {
		fmt.Fprintf(&b, "        drew %s\n", strings.Join(f.draws, ", "))
	}
	for _, line := range f.logs {
		fmt.Fprintf(&b, "        log: %s\n", strings.ReplaceAll(line, "\n", "\n             "))
	}
	if f.chart != "" {
		fmt.Fprintf(&b, "\n%s\n", indented(f.chart))
	}
	fmt.Fprintf(&b, "        again: go test -run '%s' %s\n", pattern(test), packagePath())
	if path != "" {
		fmt.Fprintf(&b, "        saved: %s (runs first from now on)\n", path)
	}
	return b.String()
}

// headline is the line of the property that failed and what it said.
func (f *finding) headline() string {
	first, rest, more := strings.Cut(f.failure.Text, "\n")
	if f.location != "" {
		first = f.location + ": " + first
	}
	if more {
		first += "\n        " + strings.ReplaceAll(rest, "\n", "\n        ")
	}
	return first
}

// repeats says whether the finding repeats, and if not, what may be wrong.
func (f *finding) repeats() string {
	s := fmt.Sprintf("%s, replayed %d of %d", plural(f.steps(), "step"), f.replays, replaysTried)
	if f.differs != "" {
		s += "\n        IT DOES NOT REPEAT: " + f.differs +
			"\n        something other than messages decides: the clock, math/rand, the order of a map, other goroutines,\n        or a variable that outlives a run"
	}
	return s
}

func (f *finding) steps() int {
	if f.trace == nil {
		return 0
	}
	return len(f.trace.Steps)
}

// comment is what a case's file says of it to people.
func (f *finding) comment() []string {
	lines := strings.Split(f.headline(), "\n")
	if len(f.draws) > 0 {
		lines = append(lines, "drew "+strings.Join(f.draws, ", "))
	}
	if f.chart != "" {
		lines = append(lines, "")
		lines = append(lines, strings.Split(strings.TrimRight(f.chart, "\n"), "\n")...)
	}
	return lines
}

// indented puts eight spaces before each line.
func indented(s string) string {
	s = strings.TrimRight(s, "\n")
	return "        " + strings.ReplaceAll(s, "\n", "\n        ") + "\n"
}

// pattern is the -run pattern of a test, each of its parts anchored.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexpQuote(p) + "$"
	}
	return strings.Join(parts, "/")
}

// regexpQuote quotes what a pattern would read as more than itself.
func regexpQuote(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// packagePath is the package of the running test as go test is told it from
// the module's root.
func packagePath() string {
	dir, err := os.Getwd()
	if err != nil {
		return "."
	}
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			rel, _ := filepath.Rel(up, dir)
			if rel == "." {
				return "."
			}
			return "./" + filepath.ToSlash(rel)
		}
		if up == filepath.Dir(up) {
			return "."
		}
	}
}

// strategies lists how many runs each strategy made, most first.
func (t *tally) strategies() string {
	names := slices.SortedFunc(maps.Keys(t.by), func(a, b string) int {
		if d := t.by[b] - t.by[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", n, t.by[n])
	}
	return strings.Join(names, ", ")
}

func plural(n int, what string) string { return report.Plural(n, what) }

// elapsed is the time since start, rounded for people.
func elapsed(start time.Time) string { return rounded(time.Since(start)) }

func rounded(d time.Duration) string { return report.Rounded(d) }
