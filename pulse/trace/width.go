package trace

import (
	"strings"
	"unicode"
)

// wide are the characters that occupy two columns of a terminal.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x1100, Hi: 0x115f, Stride: 1}, {Lo: 0x2e80, Hi: 0x303e, Stride: 1}, {Lo: 0x3041, Hi: 0xa4cf, Stride: 1},
		{Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xfe30, Hi: 0xfe6f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, {Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1}, {Lo: 0x20000, Hi: 0x3fffd, Stride: 1}},
}

// Columns returns the number of columns that a character occupies on a terminal: 0, 1 or 2.
func Columns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// Width returns the number of columns that a text without escape sequences occupies on a terminal.
func Width(text string) (n int) {
	for _, r := range text {
		n += Columns(r)
	}
	return n
}

// Fold breaks a text into lines of at most width columns, between words. What follows a break is
// indented by more additional columns. Fold breaks a word only if the word is too long for a line,
// unless whole is set.
func Fold(text string, width, more int, whole bool) (lines []string) {
	width = max(width, 2)
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		indent := strings.Repeat(" ", min(len(line)-len(strings.TrimLeft(line, " "))+more, width/2))
		for Width(line) > width {
			end, space := breakAt(line, width)
			if !space && whole {
				next := strings.IndexByte(line[end:], ' ')
				if next < 0 {
					break
				}
				end, space = end+next, true
			}
			lines = append(lines, strings.TrimRight(line[:end], " "))
			if line = line[end:]; space {
				line = indent + strings.TrimLeft(line, " ")
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// breakAt returns the number of bytes at the beginning of a line that fit into width columns. It
// reports whether a space follows them. If no space allows this, the bytes end within a word.
func breakAt(line string, width int) (end int, space bool) {
	n, begin := 0, len(line)-len(strings.TrimLeft(line, " "))
	for i, r := range line {
		if r == ' ' && i > begin {
			end, space = i, true
		}
		if n += Columns(r); n > width {
			if !space {
				end = i
			}
			break
		}
	}
	return end, space
}

// Shortened returns a text with at most the given number of columns. If it must be cut, it is
// cut between words, if that costs few characters, and ends with "…". It is not cut between the name
// of a field and its value.
func Shortened(text string, most int) string {
	if Width(text) <= most {
		return text
	}
	const costs = 16 // the number of characters that a line may lose by a cut between words
	list, left := []rune(nil), most-1
	for _, r := range text {
		if left -= Columns(r); left < 0 {
			break
		}
		list = append(list, r)
	}
	for i := len(list) - 1; i > max(0, len(list)-costs); i-- {
		if strings.ContainsRune(" ,;([", list[i]) && list[i-1] != ':' {
			list = list[:i+1]
			break
		}
	}
	return strings.TrimRight(string(list), " ") + "…"
}
