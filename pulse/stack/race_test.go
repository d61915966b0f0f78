package stack

import (
	"strings"
	"testing"
)

// TestAccesses: a report names both accesses, in either order, by the innermost calls of user code.
func TestAccesses(t *testing.T) {
	const read = "ead at 0x00c000018d30 by goroutine 24:\n  runtime.mapaccess1()\n      /go/src/runtime/map.go:1 +0x1\n" +
		"  example.com/bank.(*Account).Sum()\n      /home/me/bank/a.go:19 +0x77\n  example.com/bank.F()\n      /home/me/bank/a.go:3 +0x7\n"
	const write = "rite at 0x00c000018d30 by goroutine 23:\n  example.com/bank.Set.func1()\n      /home/me/bank/a_test.go:13 +0x3c\n"
	const rest = "\nGoroutine 23 (running) created at:\n  testing.tRunner()\n      /go/src/testing/testing.go:2041 +0x21c\n"
	const want = "bank.(*Account).Sum a.go:19, func in Set a_test.go:13"
	for report, want := range map[string]string{
		"WARNING: DATA RACE\nR" + read + "\nPrevious w" + write + rest:                                   want,
		"WARNING: DATA RACE\nW" + write + "\nPrevious r" + read + rest:                                   want,
		"W" + write + "\nPrevious read at 0x1 by goroutine 8:\n  [failed to restore the stack]\n" + rest: "func in Set a_test.go:13",
		"W" + write + "\nPrevious w" + write + "\nR" + read:                                              "func in Set a_test.go:13, func in Set a_test.go:13",
		"Write at 0x1 by goroutine 1:\n  f()\n      nonsense\n":                                          "",
		rest: "",
	} {
		var list []string
		for _, f := range Accesses(report) {
			list = append(list, FrameOf(f).String())
		}
		if got := strings.Join(list, ", "); got != want {
			t.Errorf("%s\n%s, want %s", report, got, want)
		}
	}
}
