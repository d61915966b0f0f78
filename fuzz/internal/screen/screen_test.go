package screen

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/pulse/trace"
)

// night returns the events of a campaign in several properties.
func night() []campaign.Event {
	property := func(name string, state campaign.State, runs, findings, orders, open int, likely, high float64) campaign.Progress {
		return campaign.Progress{Subject: name, State: state, Runs: runs, Steps: 12 * runs, Findings: findings, Orders: orders, Open: open, Likely: likely, High: high,
			Arms: []campaign.Arm{{Name: "random", Runs: runs / 2, Fresh: float64(orders / 4)}, {Name: "pct", Runs: runs / 4, Fresh: float64(orders / 2)}, {Name: "x\x1b[2J", Runs: runs / 4, Fresh: float64(orders / 4)}}}
	}
	went := func(seconds, left float64, runs int, list ...campaign.Progress) campaign.Event {
		orders := 0
		for _, p := range list {
			orders += p.Orders
		}
		return campaign.Event{Kind: campaign.Went, Runs: runs, Orders: orders, Seconds: seconds, Left: left, Properties: list}
	}
	list := func(by int) []campaign.Progress {
		return []campaign.Progress{
			property("example.com/user/bank TestNeverOverdrawn, neverOverdrawn", campaign.Searching, 1000*by, 2, 14, 1, 0.0123, 0.02),
			property("example.com/user/mended TestTable/n=3, TestTable/n=3", campaign.Complete, 12, 0, 6, 0, 0, 1),
			property("example.com/user/deaths TestExits, exits", campaign.GivenUp, 10*by, 1, 3, 3, 0, 0.1),
			property("例え.jp/銀行 TestΩ, 残高が負にならない", campaign.Searching, 123_456*by, 0, 12_345, 678, 0.000001, 0.00002),
			property("example.com/user/evil Test\x1b[31m\r\n, evil\u202e", campaign.Waiting, 0, 0, 0, 0, 0, 1),
			property("example.com/user/old TestSaturated, old", campaign.Saturated, 100_000, 0, 20, 0, 0.0001, 0.0009),
			property("example.com/user/old TestOver, over", campaign.Over, 1, 0, 2, 1, 1, 1),
		}
	}
	return []campaign.Event{
		went(1, 28_799, 124_000, list(1)...),
		{Kind: campaign.Found, Subject: "example.com/user/bank TestNeverOverdrawn, neverOverdrawn", Finding: &campaign.Finding{}, Runs: 124_500, Orders: 14, Seconds: 1.5},
		{Kind: campaign.Noted, Text: "a note", Runs: 124_500, Orders: 14, Seconds: 1.6},
		went(2, 28_798, 248_000, list(2)...),
		went(3725, 3600*7-125, 469_000_000, list(3)...),
	}
}

// text renders lines as text, with a mark for the style of each.
func text(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		mark := " "
		if l.Bold {
			mark = "#"
		}
		if l.Bad {
			mark = "!"
		}
		b.WriteString(mark + l.Text + "\n")
	}
	return b.String()
}

// TestView renders the view at three widths, with few rows and with many, at the beginning,
// in the middle and at the end of a campaign. No line is too long or has control characters.
func TestView(t *testing.T) {
	for _, width := range []int{60, 100, 160} {
		var b strings.Builder
		show := func(what string, v *View, rows int) {
			lines := v.Lines(width, rows)
			fmt.Fprintf(&b, "== %s, %d rows\n%s", what, rows, text(lines))
			for _, l := range lines {
				if trace.Width(l.Text) >= width || strings.ContainsAny(l.Text, "\x1b\r\n\u202e") {
					t.Errorf("width %d, %s: %q takes %d columns", width, what, l.Text, trace.Width(l.Text))
				}
			}
			if len(lines) >= rows {
				t.Errorf("width %d, %s: %d lines", width, what, len(lines))
			}
		}
		v := &View{}
		show("nothing is known", v, 24)
		for i, e := range night() {
			v.Tell(e)
			if i == 0 {
				show("after a second", v, 24)
			}
		}
		show("later", v, 24)
		show("later", v, 12)
		show("later", v, 7)
		v.Keys = true
		v.Tell(campaign.Event{Kind: campaign.Found, Runs: 469_000_000, Orders: 12_390, Seconds: 3722, Subject: "example.com/user/deaths TestExits, exits",
			Finding: &campaign.Finding{Record: record.Record{Failure: "the process\x1b[2J ended: exit status 3", File: "exits_test.go", Line: 12}}})
		if v.Press("n"); v.Press("n") != nil || v.Press(Enter).Finding.Line != 12 {
			t.Error("Enter does not open the second failure")
		}
		show("by keys", v, 24)
		show("by keys", v, 9)
		v.Press("?")
		show("legend", v, 24)
		show("legend", v, 9)
		v.Press("?")
		if v.Press("p"); v.Press("p") != nil || v.Press(Enter).Finding.Line == 12 {
			t.Error("Enter does not open the first failure")
		}
		v.Ending = true
		show("asked to end", v, 8)
		v.Tell(campaign.Event{Kind: campaign.Ended, Text: "interrupted", Runs: 500_000_000, Orders: 15_000, Seconds: 3726})
		show("at the end", v, 24)
		golden.File(t, strings.Replace("testdata/view-*.golden", "*", fmt.Sprint(width), 1), b.String())
	}
}

// TestViewFollowsFromEvents: equal events give equal views. A
// screen with no rows, or with huge dimensions, is handled.
func TestViewFollowsFromEvents(t *testing.T) {
	var first, second View
	for _, e := range night() {
		first.Tell(e)
	}
	for _, e := range night() {
		second.Tell(e)
		second.Lines(80, 24)
	}
	for columns := range 200 {
		for _, rows := range []int{0, 1, 2, 5, 24, 1000} {
			if a, b := first.Lines(columns, rows), second.Lines(columns, rows); !slices.Equal(a, b) {
				t.Fatalf("%d columns and %d rows: %v and %v", columns, rows, a, b)
			}
		}
	}
}

// TestViewOfTwoSearches: with --race, each event describes the properties of one of the two searches.
func TestViewOfTwoSearches(t *testing.T) {
	var v View
	for i, name := range []string{"a", "a (race)", "a"} {
		v.Tell(campaign.Event{Kind: campaign.Went, Runs: 10 * i, Seconds: float64(i), Properties: []campaign.Progress{{Subject: name, State: campaign.Searching, Runs: i, Findings: 1, High: 1}}})
	}
	got := text(v.Lines(60, 24))
	for _, want := range []string{"2 of 2 properties open", "2 failures", "\n!a            2", "\n!a (race)     1"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
}

func TestRate(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples []sample
		want    float64
	}{
		{"nothing", nil, 0},
		{"one", []sample{{2, 10}}, 5},
		{"at once", []sample{{0, 10}}, 0},
		{"steady", []sample{{1, 10}, {2, 20}, {3, 30}}, 10},
		{"of late", []sample{{1, 1000}, {20, 2000}, {25, 2000}, {30, 2000}}, 0},
		{"every minute", []sample{{60, 600}, {120, 1800}}, 20},
		{"a clock that goes back", []sample{{60, 600}, {50, 700}}, 0},
		{"many", slices.Repeat([]sample{{1, 1}}, 1000), 0},
	} {
		var v View
		for _, s := range c.samples {
			v.Tell(campaign.Event{Kind: campaign.Went, Seconds: s.seconds, Runs: s.runs})
		}
		if got := v.rate(); math.Abs(got-c.want) > 1e-9 || len(v.samples) > mostSamples {
			t.Errorf("%s: %v runs a second, want %v (%d samples)", c.name, got, c.want, len(v.samples))
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		text       string
		width      int
		wide       int
		cut, folds string
	}{
		{"abc", 3, 3, "abc", "abc"},
		{"abcd", 3, 4, "ab…", "abc|d"},
		{"日本語", 4, 6, "日…", "日本|語"},
		{"e\u0301e\u0301e\u0301", 2, 3, "e\u0301…", "e\u0301e\u0301|e\u0301"},
		{"", 2, 0, "", ""},
		{"a\n\nbcd\n", 2, 4, "a…", "a||bc|d"},
		{"one two three", 8, 13, "one two…", "one two|  three"},
		{"    saved: a-long-path.case (runs first)", 20, 40, "    saved: a-long-p…", "    saved:|      a-long-path.ca|se (runs first)"},
	} {
		if got := trace.Width(strings.ReplaceAll(c.text, "\n", "")); got != c.wide {
			t.Errorf("%q is %d wide", c.text, got)
		}
		if got := Cut(strings.ReplaceAll(c.text, "\n", ""), c.width); got != c.cut {
			t.Errorf("%q is cut to %q", c.text, got)
		}
		if got := strings.Join(trace.Fold(c.text, c.width, 2, false), "|"); got != c.folds {
			t.Errorf("%q is folded to %q", c.text, got)
		}
	}
}

// A terminal simulates a real one. A line that is too
// long takes several rows, and their number changes with
// the width. The cursor is at the end of the last line.
type terminal struct {
	columns int
	lines   []string
	colours int
	problem string // the first
}

func (e *terminal) complain(format string, args ...any) {
	e.problem = cmp.Or(e.problem, fmt.Sprintf(format, args...))
}

var sequence = regexp.MustCompile("^\x1b\\[([0-9]*)([A-Za-z])")

func (e *terminal) Write(data []byte) (int, error) {
	for text := string(data); text != ""; {
		if len(e.lines) == 0 {
			e.lines = []string{""}
		}
		last := &e.lines[len(e.lines)-1]
		if m := sequence.FindStringSubmatch(text); m != nil {
			text = text[len(m[0]):]
			if m[2] == "m" {
				e.colours++
				continue
			}
			e.complain("%q comes without a return before it", m[0])
			continue
		}
		switch r := []rune(text)[0]; r {
		case '\r':
			up := 0
			rest, _ := strings.CutPrefix(text, "\r")
			if m := sequence.FindStringSubmatch(rest); m != nil && m[2] == "A" {
				up, _ = strconv.Atoi(m[1])
				rest = rest[len(m[0]):]
			}
			if text = strings.TrimPrefix(rest, clearBelow); len(text) == len(rest) {
				e.complain("%q is not followed by what clears the rest", data)
			}
			e.clear(up)
		case '\n':
			e.lines = append(e.lines, "")
			text = text[1:]
		default:
			*last += string(r)
			text = text[len(string(r)):]
		}
	}
	return len(data), nil
}

// rows returns how many rows a line takes.
func (e *terminal) rows(line string) int { return max(1, (trace.Width(line)+e.columns-1)/e.columns) }

// clear clears the terminal from n rows above the cursor's row on.
func (e *terminal) clear(up int) {
	for rows := up + 1; rows > 0; {
		if len(e.lines) == 0 {
			e.complain("it goes above the first line")
			break
		}
		last := e.lines[len(e.lines)-1]
		e.lines = e.lines[:len(e.lines)-1]
		if rows -= e.rows(last); rows < 0 {
			e.complain("it clears but a part of %q", last)
		}
	}
	e.lines = append(e.lines, "")
}

// TestScreen draws and prints while the width of the terminal changes. The terminal
// shows all that was printed, in order, and below that the last drawn lines.
func TestScreen(t *testing.T) {
	for _, colour := range []bool{false, true} {
		e := &terminal{columns: 80}
		rows := 10
		s := &Screen{Out: NewOutput(e, nil), Size: func() (int, int) { return e.columns, rows }, Color: colour}
		var want []string
		check := func(lines ...string) {
			t.Helper()
			if got, all := strings.Join(e.lines, "\n"), strings.Join(append(slices.Clone(want), lines...), "\n"); got != all && got != all+"\n" {
				t.Fatalf("it shows\n%s\nwant\n%s", got, all)
			}
		}
		s.Print("before\n", nil)
		want = append(want, "before")
		check()
		lines := []Line{{Text: "one", Bold: true}, {Text: strings.Repeat("2", 70), Bad: true}, {Text: ""}, {Text: "語three", Bold: true, Bad: true}}
		s.Draw(lines)
		check("one", strings.Repeat("2", 70), "", "語three")
		s.Print("a finding\nof two lines\n", nil)
		want = append(want, "a finding", "of two lines")
		check("one", strings.Repeat("2", 70), "", "語three")
		for _, columns := range []int{79, 20, 7, 3, 50, 200, 80} {
			e.columns = columns
			cut := func(i int) string { return Cut(lines[i].Text, columns-1) }
			s.Draw(lines)
			check(cut(0), cut(1), "", cut(3))
			text := fmt.Sprint("at-", columns, "-\x1b[2J\a", strings.Repeat("x", 90))
			s.Print(text, nil)
			want = append(want, fmt.Sprint("at-", columns, `-\x1b[2J\a`, strings.Repeat("x", 90)))
			check(cut(0), cut(1), "", cut(3))
		}
		rows = 3
		s.Draw(lines)
		check("one", strings.Repeat("2", 70))
		s.Draw(lines[:1])
		check("one")
		s.Close()
		check()
		s.Print("the summary", nil)
		want = append(want, "the summary")
		check()
		if (e.colours > 0) != colour || e.problem != "" {
			t.Errorf("%d colours; %s", e.colours, e.problem)
		}
	}
}

// TestScreenCanary: the simulated terminal detects
// a screen that ignores a change of width.
func TestScreenCanary(t *testing.T) {
	e := &terminal{columns: 80}
	s := &Screen{Out: NewOutput(e, nil), Size: func() (int, int) { return 80, 24 }}
	s.Draw([]Line{{Text: "x"}, {Text: strings.Repeat("y", 60)}})
	e.columns = 20
	s.Close()
	if e.problem == "" && strings.Join(e.lines, "") == "" {
		t.Error("lines are gone that were not all cleared")
	}
}

// takesLong skips a test that takes long.
//
// Skips: with -short.
func takesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long")
	}
}
