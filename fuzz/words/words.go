// Package words writes numbers and times as people read them.
package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Count writes how many of something there are: "1 run", "12,400 runs".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Grouped(n) + " " + what + "s"
}

// Grouped writes a number with a comma at each thousand.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Roughly writes a number to two digits, but none below least.
func Roughly(x float64, least int) string {
	if x >= 1e15 {
		return fmt.Sprintf("%.1e", x)
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(x))-1))
	return Grouped(max(least, int(math.Round(x/unit)*unit)))
}

// Elapsed writes how long something took.
func Elapsed(d time.Duration) string {
	switch {
	case d > 10*time.Second:
		return d.Round(time.Second).String()
	case d > 100*time.Millisecond:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}

// Indented puts eight spaces before each line, and ends the last.
func Indented(s string) string {
	s = strings.TrimRight(s, "\n")
	return "        " + strings.ReplaceAll(s, "\n", "\n        ") + "\n"
}
