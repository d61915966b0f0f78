// Package words formats numbers, times and commands for users, and corrects mistyped words.
package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Count returns a count with its noun: "1 run", "12,400 runs", "2 properties".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "ty"); ok {
		return Grouped(n) + " " + stem + "ties"
	}
	return Grouped(n) + " " + what + "s"
}

// Grouped returns a number with commas: "12,400".
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// vast is the largest number that Roughly prints.
const vast = 1e18

// IsVast reports whether Roughly returns "more than 10^18" for a number.
func IsVast(x float64) bool { return !(x <= vast) }

// Roughly returns a number rounded to two digits: "81,000", "4.0e+17", "more than 10^18". If the
// rounded number is smaller than least, Roughly returns least.
func Roughly(x float64, least int) string {
	if IsVast(x) {
		return "more than 10^18"
	}
	if x >= 1e15 {
		return fmt.Sprintf("%.1e", x)
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(x))-1))
	return Grouped(max(least, int(math.Round(x/unit)*unit)))
}

// Elapsed returns an elapsed time with a suitable precision: "2m5s", "1.32s", "40.3ms".
func Elapsed(d time.Duration) string {
	switch {
	case d > 10*time.Second:
		return d.Round(time.Second).String()
	case d > 100*time.Millisecond:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}

// Short returns a number with few characters: "950", "12k", "3.1M".
func Short(x float64) string {
	switch {
	case x >= 9.95e6:
		return fmt.Sprintf("%.0fM", x/1e6)
	case x >= 999_500:
		return fmt.Sprintf("%.1fM", x/1e6)
	case x >= 9950:
		return fmt.Sprintf("%.0fk", x/1e3)
	case x >= 999.5:
		return fmt.Sprintf("%.1fk", x/1e3)
	}
	return fmt.Sprintf("%.0f", x)
}

// InOneUnit returns a time in one unit: "40 ms", "1.3 s", "95 min", "80 days".
func InOneUnit(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 2*day:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%s days", Grouped(int(d/day)))
}

// Indented indents each line by eight spaces, and ends the text with exactly one newline.
func Indented(s string) string {
	s = strings.TrimRight(s, "\n")
	return "        " + strings.ReplaceAll(s, "\n", "\n        ") + "\n"
}

// Nearest returns the name that a mistyped word most likely means, "" if no name is similar. Up to
// a third of the characters may differ, and a prefix of a single name means that name.
func Nearest(word string, names []string) string {
	best, least := "", len([]rune(word))/3+1
	for _, name := range names {
		if n := edits([]rune(word), []rune(name)); n < least {
			best, least = name, n
		}
	}
	if best == "" && len(word) > 1 {
		best = onlyWith(word, names)
	}
	return best
}

// onlyWith returns the name that begins with prefix, "" if there are none or several.
func onlyWith(prefix string, names []string) (found string) {
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			if found != "" && found != name {
				return ""
			}
			found = name
		}
	}
	return found
}

// DidYouMean returns ": did you mean NAME?" with the name that word most likely means, "" if no
// name is similar. Before is put before the name.
func DidYouMean(word, before string, names []string) string {
	if name := Nearest(word, names); name != "" {
		return ": did you mean " + before + name + "?"
	}
	return ""
}

// edits returns the least number of characters that must be inserted, removed, replaced, or swapped
// with the next one, to turn a into b.
func edits(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			row[j+1] = min(last[j+1], row[j]) + 1
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			} else {
				row[j+1] = min(row[j+1], last[j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
