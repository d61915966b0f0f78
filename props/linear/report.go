package linear

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jostle-go/jostle/pulse/trace"
)

// line returns a call and its result as text.
func (m *Model[S, In, Out]) line(op *operation[In, Out]) string {
	if !op.returned {
		return m.describe(op.in) + " (never returned)"
	}
	return m.describe(op.in) + " → " + trace.Label(op.out)
}

// table returns the calls of a part that cannot be ordered as a table, and how
// far an order gets.
func (m *Model[S, In, Out]) table(v verdict[In, Out]) string {
	rows := [][]string{{"called", "returned", "client", ""}}
	for _, op := range v.ops {
		ret := "never"
		if op.returned {
			ret = op.ret.String()
		}
		client := "the test"
		if !op.client.IsZero() {
			client = op.client.String()
		}
		rows = append(rows, []string{op.call.String(), ret, client, m.line(op)})
	}
	return strings.Join(append(align(rows), m.howFar(v)...), "\n")
}

// howFar returns two lines: the longest order that was found, and the calls of
// which none can come next.
func (m *Model[S, In, Out]) howFar(v verdict[In, Out]) []string {
	var in, out []string
	for _, op := range v.longest {
		in = append(in, m.line(op))
	}
	for _, op := range v.ops {
		if !slices.Contains(v.longest, op) {
			out = append(out, m.line(op))
		}
	}
	if len(in) == 0 {
		return []string{"    none of them can be the first"}
	}
	return []string{
		fmt.Sprintf("    as far as an order gets: %s", strings.Join(in, ", ")),
		fmt.Sprintf("    then none fits of: %s", strings.Join(out, ", ")),
	}
}

// align aligns the cells of rows in columns, four spaces from the left.
func align(rows [][]string) []string {
	var widths [4]int
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			fmt.Fprintf(&b, "  %s%s", cell, strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)))
		}
		lines[i] = "  " + strings.TrimRight(b.String(), " ")
	}
	return lines
}
