// Package words formats numbers, times and commands for users.
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
