package linear

import (
	"fmt"
	"math"
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

// table returns the details of a failure report. They are a table of the calls that
// cannot be ordered, followed by the lines of howFar.
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

// howFar describes the longest valid order, the state after it, and the calls that
// could come next, all of which the model rejects.
func (m *Model[S, In, Out]) howFar(v verdict[In, Out]) (lines []string) {
	if v.without > 0 {
		lines = append(lines, fmt.Sprintf("    (calls left out, because they change nothing and do not matter: %d)", v.without))
	}
	var in, next []string
	for _, op := range v.longest {
		in = append(in, m.line(op))
	}
	for _, op := range candidates(v) {
		next = append(next, m.line(op))
	}
	if len(in) == 0 {
		return append(lines, fmt.Sprintf("    the initial state is %s, and none of these calls can be first: %s", v.state, strings.Join(next, ", ")))
	}
	return append(lines,
		fmt.Sprintf("    longest order that fits: %s", strings.Join(in, ", ")),
		fmt.Sprintf("    then the state is %s, and none of these calls can be next: %s", v.state, strings.Join(next, ", ")))
}

// candidates returns the calls that could follow directly after the longest valid
// order. Such a call is not in the order. It began before the first return of a
// call outside the order.
func candidates[In, Out any](v verdict[In, Out]) (list []*operation[In, Out]) {
	first := math.MaxInt
	for _, op := range v.ops {
		if op.returned && !slices.Contains(v.longest, op) {
			first = min(first, op.ret.event)
		}
	}
	for _, op := range v.ops {
		if op.call.event < first && !slices.Contains(v.longest, op) {
			list = append(list, op)
		}
	}
	return list
}

// align pads the cells of rows to columns. Each line is indented by four spaces.
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
