package finding

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Text tells a finding: what failed and where, in which run, with what inputs,
// and the chart of its messages. Run says which run it was.
func (f *Finding) Text(run string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "    %s\n", f.headline())
	for _, line := range f.early() {
		fmt.Fprintf(&b, "        %s\n", line)
	}
	if f.Failure.Detail != "" {
		b.WriteString(words.Indented(trace.Visible(f.Failure.Detail)))
	}
	if f.Shrunk != "" {
		run += "; " + f.Shrunk
	}
	fmt.Fprintf(&b, "        %s, %s\n", run, f.repeats())
	if why := f.Why(); why != "" {
		b.WriteString(words.Indented(trace.Visible(why)))
	}
	for _, line := range f.places() {
		fmt.Fprintf(&b, "            %s\n", trace.Visible(line))
	}
	if faults := needs(f.known().Needs); faults != "" {
		fmt.Fprintf(&b, "        %s\n", faults)
	}
	writeDraws(&b, f.drawn())
	writeLogs(&b, f.Logs)
	for _, face := range f.Case.Faces {
		fmt.Fprintf(&b, "        one bug with another face, of the same cause: %s\n", trace.Visible(face))
	}
	for _, other := range f.Also {
		fmt.Fprintf(&b, "        met on the way: %s\n", trace.Visible(other))
	}
	if f.Chart != "" {
		fmt.Fprintf(&b, "\n%s\n", words.Indented(f.Chart))
	}
	return b.String()
}

const drewPrefix = "drew "

// writeDraws writes the inputs of a run on lines of some 100 columns.
func writeDraws(b *strings.Builder, draws []string) {
	for _, line := range wrapped(draws) {
		fmt.Fprintf(b, "        %s\n", line)
	}
}

// writeLogs writes what a run has logged.
func writeLogs(b *strings.Builder, logs []string) {
	for _, line := range logs {
		fmt.Fprintf(b, "        log: %s\n", strings.ReplaceAll(trace.Visible(line), "\n", "\n             "))
	}
}

// mostColumns is how long a line of draws may be if it has more than one.
const mostColumns = 92 // it is indented by eight

// wrapped returns draws as lines, none when there are no draws. A draw is never
// broken.
func wrapped(draws []string) (lines []string) {
	line := drewPrefix
	for i, draw := range draws {
		if i < len(draws)-1 {
			draw += ","
		}
		if len(line) > len(drewPrefix) && utf8.RuneCountInString(line+draw) > mostColumns {
			lines = append(lines, strings.TrimRight(line, " "))
			line = strings.Repeat(" ", len(drewPrefix))
		}
		line += draw + " "
	}
	if len(draws) > 0 {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// early says that timers fired early in the run, whether the failure needs that, and
// which setting forbids it.
func (f *Finding) early() []string {
	n := f.Case.Record.Early()
	if n == 0 {
		return nil
	}
	first := words.Count(n, "timer") + " fired early, although messages waited"
	if f.known().Early {
		first = "needs early timers: " + words.Count(n, "timer") + " fired although messages waited, else it does not fail"
	}
	return []string{first, "to forbid that, set EarlyTimers in pulse.Options to pulse.NeverEarly"}
}

// Headline returns the line of the property that failed and what it said, as one line.
func (f *Finding) Headline() string {
	line, _, _ := strings.Cut(f.headline(), "\n")
	return line
}

// headline is the line of the property that failed and what it said.
func (f *Finding) headline() string {
	first, rest, more := strings.Cut(trace.Visible(f.Failure.Text), "\n")
	if f.Location != "" {
		first = f.Location + ": " + first
	}
	if more {
		first += "\n        " + strings.ReplaceAll(rest, "\n", "\n        ")
	}
	return first
}

// repeats tells whether the finding repeats, and if not, what may be wrong; and how far its
// order is from plain order.
func (f *Finding) repeats() string {
	s := fmt.Sprintf("replayed %d of %d", f.Replays, Tried)
	if f.Shrunk == "" {
		s = words.Count(f.Steps(), "step") + ", " + s
	}
	if n := f.known().Depth; n > 0 {
		s += fmt.Sprintf(", depth %d", n)
	}
	if f.Differs != "" {
		s += "\n        IT DOES NOT REPEAT, and so is neither shrunk nor explained: " + f.Differs +
			"\n        something other than messages decides: the clock, math/rand, the order of a map, other goroutines,\n        or a variable that outlives a run"
	}
	return s
}

// Doubt notes in a case that it did not repeat, so that nobody takes it for mended only
// because it passes.
func Doubt(c *corpus.Case) {
	if !c.Doubtful {
		c.Doubtful = true
		c.Comment = slices.Insert(slices.Clone(c.Comment), min(1, len(c.Comment)), corpus.Doubt)
	}
}

// comment is what a case's file tells people.
func (f *Finding) comment() []string {
	lines := strings.Split(f.headline(), "\n")
	if f.Differs != "" {
		lines = append(lines, corpus.Doubt)
	}
	if why := f.Why(); why != "" {
		lines = append(lines, strings.Split(why, "\n")...)
	}
	if faults := needs(f.known().Needs); faults != "" {
		lines = append(lines, faults)
	}
	lines = append(lines, f.early()...)
	lines = append(lines, wrapped(f.drawn())...)
	if f.Chart != "" {
		lines = append(lines, "")
		lines = append(lines, strings.Split(strings.TrimRight(f.Chart, "\n"), "\n")...)
	}
	return lines
}
