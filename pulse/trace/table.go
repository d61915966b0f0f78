package trace

import (
	"strings"
	"unicode/utf8"
)

// A table aligns text in columns, two spaces apart. A column is omitted if all
// its cells are empty.
type table struct {
	header []string // nil if there is no header line
	right  int      // the number of columns, from the left, that are right-aligned
	indent string
	rows   []row
}

// A row is a list of cells, or one line of text across all columns.
type row struct {
	cells []string
	line  string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, row{cells: cells}) }

func (t *table) addLine(line string) { t.rows = append(t.rows, row{line: line}) }

func (t *table) appendTo(b []byte) []byte {
	widths := t.widths()
	if t.header != nil {
		b = t.appendCells(b, t.header, widths)
	}
	for _, row := range t.rows {
		if row.cells == nil {
			b = append(append(b, row.line...), '\n')
			continue
		}
		b = t.appendCells(b, row.cells, widths)
	}
	return b
}

// widths returns the width of each column in runes, and zero for omitted columns.
func (t *table) widths() []int {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row.cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i := range widths {
		if widths[i] > 0 && t.header != nil {
			widths[i] = max(widths[i], utf8.RuneCountInString(t.header[i]))
		}
	}
	return widths
}

// width returns the width of the table, given the widths of its columns.
func (t *table) width(widths []int) int {
	sum := len(t.indent) - len(gapOfCells)
	for _, n := range widths {
		if n > 0 {
			sum += n + len(gapOfCells)
		}
	}
	return sum
}

// gapOfCells separates the cells of a row.
const gapOfCells = "  "

func (t *table) appendCells(b []byte, cells []string, widths []int) []byte {
	var line strings.Builder
	gap := t.indent
	for i, cell := range cells {
		if i >= len(widths) || widths[i] == 0 {
			continue
		}
		line.WriteString(gap)
		gap = gapOfCells
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i < t.right {
			line.WriteString(padding + cell)
		} else {
			line.WriteString(cell + padding)
		}
	}
	b = append(b, strings.TrimRight(line.String(), " ")...)
	return append(b, '\n')
}
