package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A View makes lines that show the progress of a campaign, from the campaign's events. The zero
// value is ready to use.
type View struct {
	// Ending is set if the user has asked the campaign to end.
	Ending bool
	// Keys is set if the user can press keys (see Press).
	Keys bool

	last     campaign.Event
	said     string                       // why the campaign has ended, "" if it has not ended
	samples  []sample                     // recent numbers of runs, from which the rate is computed
	subjects []string                     // the properties, in the order of their first event
	progress map[string]campaign.Progress // maps a property to its progress
	findings []campaign.Event             // the events of the kind Found
	chosen   int                          // the index of the finding that the key Enter opens
	legend   bool                         // set if the legend is shown in place of the table
}

// A sample is the number of runs of a campaign at some time.
type sample struct {
	seconds float64
	runs    int
}

// Limits for the samples from which the rate is computed.
const (
	rateOver    = 10 // the rate of runs is an average over about this many seconds
	mostSamples = 100
)

// Tell updates the view with an event.
func (v *View) Tell(e campaign.Event) {
	switch e.Kind {
	case campaign.Found:
		v.findings = append(v.findings, e)
	case campaign.Ended:
		v.said = e.Text
	case campaign.Went:
		v.samples = append(v.samples, sample{e.Seconds, e.Runs})
		for len(v.samples) > 2 && (len(v.samples) > mostSamples || e.Seconds-v.samples[1].seconds >= rateOver) {
			v.samples = v.samples[1:]
		}
		for _, p := range e.Properties {
			if _, known := v.progress[p.Subject]; !known {
				v.subjects = append(v.subjects, p.Subject)
			}
			if v.progress == nil {
				v.progress = map[string]campaign.Progress{}
			}
			v.progress[p.Subject] = p
		}
		v.last.Left = e.Left
	}
	v.last.Runs, v.last.Orders, v.last.Seconds = e.Runs, e.Orders, e.Seconds
}

// rate returns the recent number of runs per second, zero if it is unknown.
func (v *View) rate() float64 {
	if len(v.samples) == 0 {
		return 0
	}
	first, last := v.samples[0], v.samples[len(v.samples)-1]
	if len(v.samples) == 1 {
		first = sample{}
	}
	if last.seconds <= first.seconds {
		return 0
	}
	return float64(max(0, last.runs-first.runs)) / (last.seconds - first.seconds)
}

// Lines returns the lines for a terminal with the given columns and rows.
func (v *View) Lines(columns, rows int) []Line {
	lines := v.head(columns)
	keys := v.keys()
	room := max(0, rows-1-len(lines)-len(keys))
	bugs := v.bugs(columns, room/2)
	room -= len(bugs)
	lines = append(lines, bugs...)
	if v.legend {
		legend := v.explained(columns)
		return append(append(lines, legend[:min(len(legend), room)]...), keys...)
	}
	arms := v.arms(columns)
	if room < 6 {
		arms = nil
	}
	lines = append(lines, v.table(columns, room-len(arms))...)
	return append(append(lines, arms...), keys...)
}

// keys returns the line that says what the keys do.
func (v *View) keys() []Line {
	switch {
	case !v.Keys:
		return nil
	case len(v.findings) == 0:
		return []Line{{Text: "? legend · q end"}}
	}
	return []Line{{Text: "Enter open · ↑↓ choose · ? legend · q end"}}
}

// bugs returns a line for each failure that was found. If there is no room for all, it shows those
// around the chosen one.
func (v *View) bugs(columns, room int) (lines []Line) {
	first := max(0, min(v.chosen-room/2, len(v.findings)-room))
	for i := first; i < min(len(v.findings), first+room); i++ {
		e, mark := &v.findings[i], "  "
		if v.Keys && i == v.chosen {
			mark = "▸ "
		}
		text := Cut(Inline(fmt.Sprintf("%s%d  %s", mark, i+1, e.Finding.Headline())), columns-1)
		if of := " · " + Inline(e.Subject); trace.Width(text+of) < columns {
			text += of
		}
		lines = append(lines, Line{Text: text, Bad: true})
	}
	return lines
}

// Press changes what is shown as a key demands: p and n choose the failure before and after, ? shows
// the legend. If the key opens a failure, Press returns the failure.
func (v *View) Press(key string) (opened *campaign.Event) {
	switch key {
	case "p":
		v.chosen = max(0, v.chosen-1)
	case "n":
		v.chosen = max(0, min(v.chosen+1, len(v.findings)-1))
	case "?", "h":
		v.legend = !v.legend
	case Enter:
		if v.chosen < len(v.findings) {
			return &v.findings[v.chosen]
		}
	}
	return nil
}

// Enter is the key that opens a failure.
const Enter = "\r"

// explained returns what the columns of the table mean, and what the arms do.
func (v *View) explained(columns int) (lines []Line) {
	rows := [][2]string{
		{"pairs", "two messages to one actor, in their order"},
		{"open", "the reverse order seems possible, unseen"},
		{"next new", "chance that the next random run adds a pair"},
		{"at most", "upper bound of the chance of a new receive pair"},
		{"new pairs", "per 1,000 runs of each way to choose a message:"},
	}
	for _, name := range v.armNames() {
		rows = append(rows, [2]string{Inline(name), search.Meaning(name)})
	}
	for _, row := range rows {
		if row[1] != "" {
			for _, text := range trace.Fold(fmt.Sprintf("%-10s  %s", row[0], row[1]), columns-1, 2, false) {
				lines = append(lines, Line{Text: text})
			}
		}
	}
	return lines
}

// fitted joins the parts to lines of at most the given columns. It uses as few lines as possible.
func fitted(parts []string, columns int) (lines []string) {
	const gap = " · "
	for _, part := range parts {
		if n := len(lines) - 1; n >= 0 && trace.Width(lines[n]+gap+part) < columns {
			lines[n] += gap + part
		} else {
			lines = append(lines, part)
		}
	}
	return lines
}

// head returns the lines that summarize the whole campaign.
func (v *View) head(columns int) (lines []Line) {
	open, found := 0, 0
	for _, p := range v.progress {
		if found += p.Findings; p.State == campaign.Searching || p.State == campaign.Waiting {
			open++
		}
	}
	found = max(found, len(v.findings))
	parts := []string{clock(v.last.Seconds)}
	switch {
	case v.said != "":
		parts = append(parts, "ended ("+v.said+")")
	case v.Ending:
		parts = append(parts, "is ending")
	case v.last.Left > 0:
		parts = append(parts, clock(v.last.Left)+" left")
	}
	parts = append(parts, words.Count(v.last.Runs, "run"))
	if v.rate() > 0 {
		parts = append(parts, words.Short(v.rate())+" runs/s")
	}
	for i, text := range fitted(parts, columns) {
		lines = append(lines, Line{Text: text, Bold: i == 0})
	}
	coverage := []string{words.Count(v.last.Orders, "receive pair")}
	if pairs := v.open(); pairs > 0 {
		coverage = append(coverage, words.Grouped(pairs)+" open")
	}
	if len(v.subjects) > 0 {
		coverage = append(coverage, fmt.Sprintf("%s of %s open", words.Grouped(open), words.Count(len(v.subjects), "property")))
	}
	for _, text := range fitted(coverage, columns) {
		lines = append(lines, Line{Text: text})
	}
	return append(lines, Line{Text: words.Count(found, "failure"), Bad: found > 0})
}

// open returns the number of receive pairs, in all properties, whose reverse order seems possible
// but has not occurred.
func (v *View) open() (n int) {
	for _, p := range v.progress {
		n += p.Open
	}
	return n
}

// clock formats seconds: "7s", "2m 05s", "3h 04m".
func clock(seconds float64) string {
	d := time.Duration(max(0, seconds)) * time.Second
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%dh %02dm", h, m)
	case m > 0:
		return fmt.Sprintf("%dm %02ds", m, s)
	}
	return fmt.Sprintf("%ds", s)
}

// A column describes a column of the table of properties.
type column struct {
	title string
	from  int                             // the column is shown if the terminal has at least this many columns
	text  func(*campaign.Progress) string // returns the cell for a property
}

// tableColumns are the columns after the column with the property's name.
var tableColumns = []column{
	{"runs", 0, func(p *campaign.Progress) string { return words.Short(float64(p.Runs)) }},
	{"steps", 140, func(p *campaign.Progress) string { return words.Short(float64(p.Steps)) }},
	{"pairs", 80, func(p *campaign.Progress) string { return words.Grouped(p.Orders) }},
	{"open", 80, func(p *campaign.Progress) string { return words.Grouped(p.Open) }},
	{"next new", 60, func(p *campaign.Progress) string { return estimate(p) }},
	{"at most", 120, func(p *campaign.Progress) string { return percent(p.High) }},
	{"failures", 0, func(p *campaign.Progress) string { return words.Grouped(p.Findings) }},
	{"", 0, func(p *campaign.Progress) string { return stateOf(p) }},
}

// stateOf returns the state of a property as text, "" while the search continues.
func stateOf(p *campaign.Progress) string {
	if p.State == campaign.Searching {
		return ""
	}
	return string(p.State)
}

// estimate returns the probability that the next random run contains a new receive pair, as text.
func estimate(p *campaign.Progress) string {
	if p.High >= 1 && p.Likely == 0 {
		return "?"
	}
	return percent(p.Likely)
}

// percent formats a probability as a percentage.
func percent(x float64) string {
	switch {
	case x <= 0:
		return "0%"
	case x < 0.0001:
		return "<0.01%"
	}
	return number(100*x) + "%"
}

// number formats a number: as a whole number if it is at least 10, else with two digits.
func number(x float64) string {
	if x >= 10 {
		return words.Grouped(int(x + 0.5))
	}
	return fmt.Sprintf("%.2g", x)
}

// least is the smallest width of the column with the property's name.
const least = 16

// table returns a table with a line for each property. If there is not enough room for all
// properties, it shows those with the lowest rank (see rank).
func (v *View) table(columns, room int) (lines []Line) {
	if room < 2 || len(v.subjects) == 0 || room < 3 && len(v.subjects) > 1 {
		return nil
	}
	shown := slices.Clone(v.subjects)
	left := 0
	if len(shown) > room-1 {
		slices.SortStableFunc(shown, func(a, b string) int { return cmp.Compare(v.rank(a), v.rank(b)) })
		left = len(shown) - (room - 2)
		shown = shown[:room-2]
	}
	rows := [][]string{{"property"}}
	for _, name := range shown {
		rows = append(rows, []string{Inline(name)})
	}
	for _, c := range tableColumns {
		if columns < c.from {
			continue
		}
		rows[0] = append(rows[0], c.title)
		for i, name := range shown {
			p := v.progress[name]
			rows[i+1] = append(rows[i+1], c.text(&p))
		}
	}
	for i, text := range aligned(rows, columns) {
		lines = append(lines, Line{Text: text, Bold: i == 0, Bad: i > 0 && v.progress[shown[i-1]].Findings > 0})
	}
	if left > 0 {
		lines = append(lines, Line{Text: fmt.Sprintf("… and %s more", words.Grouped(left))})
	}
	return lines
}

// rank returns 0 for a property with failures, 1 for a property that is searched, 2 for a
// property that waits, and 3 otherwise.
func (v *View) rank(subject string) int {
	switch p := v.progress[subject]; {
	case p.Findings > 0:
		return 0
	case p.State == campaign.Searching:
		return 1
	case p.State == campaign.Waiting:
		return 2
	}
	return 3
}

// aligned formats rows as lines of at most the given columns. It cuts the first cell of a row if
// the other cells leave too little space. The first and the last cell are aligned to the left, all
// other cells to the right.
func aligned(rows [][]string, columns int) (lines []string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], trace.Width(cell))
		}
	}
	rest := 0
	for _, w := range widths[1:] {
		rest += w + 2
	}
	widths[0] = min(widths[0], max(least, columns-1-rest))
	for _, row := range rows {
		line := end(row[0], widths[0]) + strings.Repeat(" ", widths[0]-trace.Width(end(row[0], widths[0])))
		for i, cell := range row[1:] {
			pad := strings.Repeat(" ", widths[i+1]-trace.Width(cell))
			if i == len(row)-2 {
				line += "  " + cell
			} else {
				line += "  " + pad + cell
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// end returns the name of a property, shortened to the given width. It omits the beginning of a
// name that is too wide, because the beginning is the path of the package.
func end(name string, width int) string {
	if trace.Width(name) <= width {
		return name
	}
	for i := range name {
		if trace.Width(name[i:]) <= width-1 {
			return "…" + name[i:]
		}
	}
	return "…"
}

// armNames returns the names of the arms that have made runs.
func (v *View) armNames() (names []string) {
	for _, subject := range v.subjects {
		for _, a := range v.progress[subject].Arms {
			if !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

// arms returns lines with the number of new receive pairs per 1,000 runs of each strategy.
func (v *View) arms(columns int) (lines []Line) {
	names := v.armNames()
	sum := map[string]campaign.Arm{}
	for _, subject := range v.subjects {
		for _, a := range v.progress[subject].Arms {
			s := sum[a.Name]
			sum[a.Name] = campaign.Arm{Name: a.Name, Runs: s.Runs + a.Runs, Fresh: s.Fresh + a.Fresh}
		}
	}
	yield := func(name string) float64 { return 1000 * sum[name].Fresh / float64(max(1, sum[name].Runs)) }
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(yield(b), yield(a)), cmp.Compare(a, b)) })
	var parts []string
	for _, name := range names {
		parts = append(parts, Inline(name)+" "+number(yield(name)))
	}
	if len(parts) == 0 {
		return nil
	}
	parts[0] = "new pairs per 1,000 runs: " + parts[0]
	for _, text := range fitted(parts, columns) {
		lines = append(lines, Line{Text: text})
	}
	return lines[:min(len(lines), 3)]
}
