package trace

import (
	"iter"
	"math"
	"strconv"
	"strings"
)

// Rows are the rows of a chart.
type Rows []Row

// A Row shows a message with an arrow, or a line that a step has logged, or is other text.
type Row struct {
	Step int `json:"step"` // the step that received the message, or -1
	// Text is the text of a row that shows neither a message nor a logged line.
	Text string `json:"text,omitempty"`
	Log  string `json:"log,omitempty"` // the logged line
	// From and To are the names of the message's sender and receiver. To is empty if the row shows
	// an operation of From.
	From  string `json:"from,omitempty"`
	Label Phrase `json:"label,omitzero"`
	To    string `json:"to,omitempty"`
	// Remarks come to the right of the row, or below it.
	Remarks []Phrase `json:"remarks,omitempty"`
}

const (
	gap, tab    = 4, 4 // the least distance to the remarks; the multiple at which they start
	narrowGap   = 2    // the distance to the remarks if the chart would be too wide
	logged      = "  log: "
	under       = "  " // the indentation of lines that belong to the row above
	between     = "  " // comes between an actor and its operation
	mostLog     = 80   // the number of columns up to which a logged line is not cut, even if a line of the chart has fewer
	fewestLabel = 12   // the least number of columns to which a text without parts is cut
)

// Text returns the chart with lines of at most the given number of columns, if that is not zero.
//
// A label that is too long loses whole fields and elements. If then only its type is left, the receiver
// comes on a line of its own. A remark without room on the right comes on lines of its own below the row.
func (rows Rows) Text(columns int) string {
	var b strings.Builder
	for _, line := range rows.Lines(columns) {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Lines returns the lines of Text, each with the index of its row.
func (rows Rows) Lines(columns int) iter.Seq2[int, string] {
	last := 0
	for i := range rows {
		last = max(last, rows[i].Step)
	}
	width, most := len(strconv.Itoa(last)), math.MaxInt
	if columns > 0 {
		most = max(1, columns-width-2)
	}
	column := rows.column(most)
	return func(yield func(int, string) bool) {
		for i := range rows {
			number := ""
			if rows[i].Step >= 0 {
				number = strconv.Itoa(rows[i].Step)
			}
			for _, line := range rows[i].lines(column, most) {
				if !yield(i, strings.Repeat(" ", width-len(number))+number+"  "+line) {
					return
				}
				number = ""
			}
		}
	}
}

// column returns the column in which the remarks start, 0 if no remark has room on the right of its row.
func (rows Rows) column(most int) (column int) {
	widths, remarks, widest := make([]int, len(rows)), make([]int, len(rows)), 0
	for i := range rows {
		if list := rows[i].body(most); len(list) == 1 && (rows[i].Step >= 0 || len(rows[i].Remarks) > 0) {
			widths[i], remarks[i] = Width(list[0]), Width(rows[i].remark())
			column, widest = max(column, widths[i]), max(widest, remarks[i])
		}
	}
	if column = (column + gap + tab - 1) / tab * tab; most-column >= widest {
		return column
	}
	for {
		column, fits := 0, true
		for i := range rows {
			if remarks[i] > 0 {
				column = max(column, widths[i]+narrowGap)
			}
		}
		for i := range rows {
			if remarks[i] > most-column {
				remarks[i], fits = 0, false
			}
		}
		if fits {
			return column
		}
	}
}

// remark returns the remarks in one line.
func (r *Row) remark() string {
	var list []string
	for _, p := range r.Remarks {
		list = append(list, p.Text)
	}
	return strings.Join(list, " ")
}

// lines returns the lines of a row, if remarks start in the given column.
func (r *Row) lines(column, most int) []string {
	list, remark := r.body(most), r.remark()
	switch n := Width(list[0]); {
	case remark == "":
		return list
	case len(list) == 1 && n < column && Width(remark) <= most-column:
		return []string{list[0] + strings.Repeat(" ", column-n) + remark}
	case Width(under+remark) <= most:
		return append(list, under+remark)
	}
	for i := range r.Remarks {
		text, _ := r.Remarks[i].Fit(most - len(under))
		list = append(list, Fold(under+text, most, 2, false)...)
	}
	return list
}

// body returns the lines of a row without its remarks.
func (r *Row) body(most int) []string {
	switch {
	case r.From != "" && r.To == "":
		text, _ := r.label(max(1, most-Width(r.From+between)))
		return []string{Shortened(r.From+between+text, most)}
	case r.To == "":
		text := r.Text
		if r.Log != "" {
			text = logged + Shortened(r.Log, max(most-len(logged), mostLog))
		}
		return Fold(text, most, 2, false)
	}
	from, to := r.From+shaft, head+r.To
	room := most - Width(from+to)
	label, kept := r.label(room)
	longer, more := r.label(most - Width(from))
	cut := !more && len(r.Label.Parts) == 0 && room >= fewestLabel
	if line := from + label + to; Width(line) <= most && (kept || cut || label == longer) {
		return []string{line}
	}
	return []string{Shortened(from+longer, most), Shortened(under+to, most)}
}

// label returns the label in a number of columns, and whether it has more than the name of its type, or
// all of its text if it has no parts.
func (r *Row) label(most int) (text string, kept bool) {
	most = min(most, labelRunes)
	if text, kept = r.Label.Fit(most); Width(text) > most {
		return Shortened(text, max(1, most)), false
	}
	return text, kept
}
