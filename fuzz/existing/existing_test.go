package existing

import (
	"strings"
	"testing"
)

// TestFailure: the failure of a test is what its log says first, at the line that says it.
func TestFailure(t *testing.T) {
	for _, c := range []struct{ log, text, at, detail string }{
		{"--- FAIL: TestA (0.00s)\n    a_test.go:12: no leader\n", "no leader", "a_test.go:12", ""},
		{"--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n        a_test.go:12: 1: 2\n            more\n        a_test.go:13: then\n", "1: 2", "a_test.go:12",
			"    more\n    a_test.go:13: then"},
		{"", "the test failed", "", ""},
		{"no place here: 12\n", "the test failed", "", "    no place here: 12"},
		{"a.go:x: no number\n", "the test failed", "", "    a.go:x: no number"},
	} {
		f := failure("TestA", c.log)
		at := ""
		if len(f.Stack) > 0 {
			at = f.Stack[0].Place()
		}
		if f.Text != c.text || at != c.at || f.Detail != c.detail || f.Site != "TestA" {
			t.Errorf("%q: %q at %q, %q", c.log, f.Text, at, f.Detail)
		}
	}
}

// TestLeave: the search ends when runs have abandoned too many goroutines, or goroutines
// that hold too much memory.
func TestLeave(t *testing.T) {
	defer func(f func() uint64) { inUse = f }(inUse)
	for _, c := range []struct {
		left  int
		grows uint64
		runs  int // the number of runs after which the search ends
	}{{0, mostHeld, 0}, {1, 1, 50_001}, {50, 1, 1001}, {1, mostHeld / 4, 6}, {1, mostHeld + 1, 2}} {
		held, ended := uint64(100<<20), 0
		inUse = func() uint64 { held += c.grows; return held }
		e := &existing{}
		for run := 1; run < 60_000 && ended == 0; run++ {
			e.enough = func() { ended = run }
			e.leave(c.left)
		}
		if ended != c.runs {
			t.Errorf("%d goroutines and %d bytes in each run: it ends after %d runs, want %d", c.left, c.grows, ended, c.runs)
		}
	}
}

// TestOrdinaryBuild: without the overlay a test is neither run under control nor passes.
func TestOrdinaryBuild(t *testing.T) {
	runs := 0
	e := &existing{Subject: Subject{Once: func() Outcome { runs++; return Outcome{} }}}
	out, end, failed := try(e.Once)
	if runs > 0 || out.Failed || end.Outside != "" || !failed {
		t.Errorf("%d runs, %v, %v, failed: %v", runs, out, end, failed)
	}
	e.DoubtedByJostle("first")
	e.DoubtedByJostle("second")
	if !strings.HasPrefix(e.doubts, "first") {
		t.Errorf("the reason is %q", e.doubts)
	}
}
