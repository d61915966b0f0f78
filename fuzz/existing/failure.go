package existing

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
)

// failure returns the failure of a run. If only the race detector has failed the run, the failure names the two
// accesses. The parameter before is the result of raceSize before the run.
func (e *existing) failure(out *Outcome, before int64) *pulse.Failure {
	f := failure(e.Name(), out.Said)
	if !out.Raced || len(f.Stack) > 0 && !strings.HasPrefix(f.Stack[0].Func, "testing.") {
		return f
	}
	if at := stack.Accesses(e.raceReport(before)); len(at) == 2 {
		one, two := stack.FrameOf(at[0]), stack.FrameOf(at[1])
		f.Stack, f.Site, f.Detail = []stack.Frame{one}, one.Func+" and "+two.Func, ""
		f.Text = fmt.Sprintf("data race of %s and %s", one.Place(), two.Place())
	}
	return f
}

// raceSize returns the size of the race detector's reports. It is cheap in builds without the race detector.
func (e *existing) raceSize() int64 {
	if e.reports == "" {
		return 0
	}
	info, err := os.Stat(e.reports)
	if err != nil {
		return 0
	}
	return info.Size()
}

// mostRace limits how much of a report of the race detector is read.
const mostRace = 64 << 10

// raceReport returns the first report of the race detector after the given number of bytes.
func (e *existing) raceReport(after int64) string {
	f, err := os.Open(e.reports)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.NewSectionReader(f, after, mostRace))
	report, _, _ := strings.Cut(strings.TrimLeft(string(text), "=\n"), "==================")
	return report
}

// failure returns the failure of a test: the first text that has failed it, and where.
func failure(test string, said []Said) *pulse.Failure {
	f := &pulse.Failure{Kind: pulse.KindProperty, Step: -1, Text: "the test failed", Site: test}
	first := slices.IndexFunc(said, func(s Said) bool { return s.Failed })
	if first < 0 {
		f.Detail = lines(said)
		return f
	}
	s := said[first]
	f.Site, f.Format, f.Stack = s.Test, s.Format, []stack.Frame{stack.FrameOf(s.At)}
	f.Text = cmp.Or(strings.TrimRight(s.Text, "\n"), f.Text)
	f.Detail = lines(slices.Concat(said[:first], said[first+1:]))
	return f
}

// lines returns the texts that a test has said, each with its place.
func lines(said []Said) string {
	var b strings.Builder
	for _, s := range said {
		text := stack.FrameOf(s.At).Place() + ": " + strings.TrimRight(s.Text, "\n")
		b.WriteString("    " + strings.ReplaceAll(text, "\n", "\n        ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
