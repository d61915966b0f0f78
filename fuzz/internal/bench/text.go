package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// significant is the p-value below which a difference is marked. So about one in a hundred
// comparisons of equally good arms is marked by mistake.
const significant = 0.01

// Text returns the table in a readable form: the medians of all subjects and arms, a
// comparison of each arm with plain random, and the details of each cell.
func (t *Table) Text() string {
	var b strings.Builder
	t.medians(&b)
	t.verdicts(&b)
	t.details(&b)
	return b.String()
}

// columnsOf writes rows of the benchmark's report in aligned columns.
func columnsOf(b *strings.Builder, write func(row func(cells ...string))) {
	var lines strings.Builder
	w := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', tabwriter.AlignRight)
	write(func(cells ...string) { fmt.Fprintln(w, strings.Join(cells, "\t")+"\t") })
	w.Flush()
	for line := range strings.Lines(lines.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	b.WriteString("\n")
}

func (t *Table) medians(b *strings.Builder) {
	b.WriteString("Median number of runs until the bug is found. ↓ and ↑: the arm needs fewer or more runs than random (log-rank\n" +
		"test, p < 0.01). >: the median is greater than this number, because too few searches found the bug.\n\n")
	columnsOf(b, func(row func(...string)) {
		row(append([]string{"subject"}, t.Arms()...)...)
		for _, subject := range t.Subjects() {
			cells, random := []string{subject}, t.Cell(subject, Random)
			for _, arm := range t.Arms() {
				c := t.Cell(subject, arm)
				if len(c) == 0 {
					cells = append(cells, "")
					continue
				}
				cells = append(cells, reached(survival(c.Runs()).Median(), c.end())+mark(c, random))
			}
			row(cells...)
		}
	})
}

// mark returns an arrow if cell c differs significantly from the cell of the arm "random",
// and otherwise "".
func mark(c, random Cell) string {
	l := compareSearches(c.Runs(), random.Runs())
	switch {
	case l.P() >= significant:
		return ""
	case l.Z() > 0:
		return "↓"
	}
	return "↑"
}

// The limits with which an arm is compared with the arm "random".
const (
	notWorse    = 1.1  // the greatest ratio of the arm's median number of runs to random's
	notSlower   = 1.25 // the greatest ratio of the arm's median time to random's
	farBetter   = 5    // the least ratio of random's median number of runs to the arm's
	muchFarther = 50   // a second, larger limit for the same ratio
	hardFrom    = 1000 // a subject is hard if random's median number of runs is larger
)

// verdicts writes a row for each arm. The row compares the arm with the arm "random".
func (t *Table) verdicts(b *strings.Builder) {
	if !slices.Contains(t.Arms(), Random) {
		return
	}
	hard := t.hard()
	fmt.Fprintf(b, "Numbers of subjects. sooner, later: the arm finds the bug sooner or later than random (log-rank test, p < 0.01).\n"+
		"≤ 1.1 runs, ≤ 1.25 time: its median is at most 1.1 times random's in runs, 1.25 times in time. ≤ 1/5, ≤ 1/50: of the\n"+
		"%d subjects on which random needs more than 1,000 runs. z: the test statistic of all subjects together, positive if the arm is sooner.\n\n", len(hard))
	columnsOf(b, func(row func(...string)) {
		row("arm", "sooner", "later", "≤ 1.1 runs", "≤ 1.25 time", "of", "≤ 1/5", "≤ 1/50", "of", "z")
		for _, arm := range t.Arms() {
			if arm != Random {
				row(t.verdict(arm, hard)...)
			}
		}
	})
}

func (t *Table) verdict(arm string, hard []string) []string {
	var sooner, later, runs, time, of, far, farther int
	var together logRank
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	for _, subject := range t.Subjects() {
		c, random := t.Cell(subject, arm), t.Cell(subject, Random)
		if len(c) == 0 || len(random) == 0 {
			continue
		}
		l := compareSearches(c.Runs(), random.Runs())
		together.Add(l)
		count(&sooner, l.P() < significant && l.Z() > 0)
		count(&later, l.P() < significant && l.Z() < 0)
		count(&of, true)
		q := medianRatio(c.Runs(), random.Runs())
		count(&runs, q.within(notWorse))
		count(&time, medianRatio(c.Seconds(), random.Seconds()).within(notSlower))
		isHard := slices.Contains(hard, subject)
		count(&far, isHard && q.within(1./farBetter))
		count(&farther, isHard && q.within(1./muchFarther))
	}
	return []string{arm, fmt.Sprint(sooner), fmt.Sprint(later), fmt.Sprint(runs), fmt.Sprint(time), fmt.Sprint(of),
		fmt.Sprint(far), fmt.Sprint(farther), fmt.Sprint(len(hard)), fmt.Sprintf("%+.1f", together.Z())}
}

func (t *Table) details(b *strings.Builder) {
	b.WriteString("How many searches found the bug; the median number of runs with its 95% interval; this median divided by that of\n" +
		"random, with its 95% interval; p of the log-rank test; and the same for the time.\n\n")
	columnsOf(b, func(row func(...string)) {
		row("subject", "arm", "found", "runs", "95%", "× random", "95%", "p", "time", "× random", "p")
		for _, subject := range t.Subjects() {
			random := t.Cell(subject, Random)
			for _, arm := range t.Arms() {
				if c := t.Cell(subject, arm); len(c) > 0 {
					row(c.detail(random)...)
				}
			}
		}
	})
}

func (c Cell) detail(random Cell) []string {
	runs, seconds := survival(c.Runs()), survival(c.Seconds())
	low, high := runs.MedianInterval()
	row := []string{c[0].Subject, c[0].Arm, fmt.Sprintf("%d/%d%s", c.Found(), len(c), c.outOfTime()),
		reached(runs.Median(), c.end()), between(reached(low, c.end()), number(high))}
	if c[0].Arm == Random || len(random) == 0 {
		return append(row, "", "", "", duration(seconds.Median()), "", "")
	}
	q := ratioOfMedians(c.Runs(), random.Runs())
	return append(row, q.String(), between(factor(q.Low), factor(q.High)), chance(compareSearches(c.Runs(), random.Runs()).P()),
		duration(seconds.Median()), medianRatio(c.Seconds(), random.Seconds()).String(), chance(compareSearches(c.Seconds(), random.Seconds()).P()))
}

// outOfTime returns a text with the number of searches that ran out of time, or "" if
// there are none.
func (c Cell) outOfTime() string {
	n := 0
	for _, s := range c {
		if s.End == OutOfTime {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d out of time)", n)
}

func (q ratioRange) String() string {
	switch {
	case math.IsNaN(q.Value):
		return "–"
	case q.AtLeast:
		return ">" + factor(q.Value)
	case q.AtMost:
		return "<" + factor(q.Value)
	}
	return factor(q.Value)
}

// between formats an interval. If the lower bound is beyond the end of the searches,
// between returns only the lower bound.
func between(low, high string) string {
	if strings.HasPrefix(low, ">") {
		return low
	}
	return low + "–" + high
}

// reached formats a median. If the median is infinite, reached returns ">" and the number
// most.
func reached(median, most float64) string {
	if math.IsInf(median, 1) {
		return ">" + number(most)
	}
	return number(median)
}

func number(x float64) string {
	if math.IsInf(x, 1) {
		return "∞"
	}
	text := strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
	whole, rest, _ := strings.Cut(text, ".")
	n, _ := strconv.Atoi(whole) // never fails: whole is always a number
	return strings.TrimSuffix(words.Grouped(n)+"."+rest, ".")
}

func factor(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "∞"
	case x >= 100:
		return words.Grouped(int(math.Round(x)))
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func chance(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}

// duration formats a time in seconds with two significant digits.
func duration(seconds float64) string {
	if math.IsInf(seconds, 1) {
		return "∞"
	}
	d := time.Duration(seconds * float64(time.Second))
	unit := time.Duration(1)
	for d >= 100*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}
