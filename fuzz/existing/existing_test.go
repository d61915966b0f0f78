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

// TestWithFaults: the environment says how many faults the network may have.
func TestWithFaults(t *testing.T) {
	for text, want := range map[string]int{"": 0, "3": 3, "many": 0} {
		t.Setenv("JOSTLE_NETWORK", text)
		if got := withFaults(options).Faults.Network; got != want {
			t.Errorf("JOSTLE_NETWORK=%s: %d faults", text, got)
		}
	}
}
