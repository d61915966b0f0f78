package stack

import (
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Accesses returns the calls with the two accesses in a report of the race detector, which has no other
// interface. The calls are sorted, because the same race may be reported in either order. The report may lack
// one of them or both.
func Accesses(report string) (list []runtime.Frame) {
	wanted, name := false, ""
	for line := range strings.Lines(report) {
		text := strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, " "):
			wanted = strings.Contains(line, " at 0x") && len(list) < 2
			name = ""
		case !wanted:
		case !strings.HasPrefix(line, "      "):
			name = strings.TrimSuffix(text, "()")
			if strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/") {
				name = ""
			}
		case name != "":
			place, _, _ := strings.Cut(text, " +0x")
			at := strings.LastIndexByte(place, ':')
			number, err := strconv.Atoi(place[at+1:])
			if wanted = false; at > 0 && err == nil {
				list = append(list, runtime.Frame{Function: name, File: place[:at], Line: number})
			}
		}
	}
	slices.SortFunc(list, func(a, b runtime.Frame) int {
		return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}
