package existing

import (
	"runtime"
	"strings"
	"testing"
)

// TestFailure: the failure of a test is the first text that fails it, at the line and in
// the subtest that says so. What was only logged is a detail.
func TestFailure(t *testing.T) {
	at := func(line int) runtime.Frame {
		return runtime.Frame{Function: "a.TestA", File: "/home/a_test.go", Line: line}
	}
	logs := Said{"TestA", at(3), false, "b_test.go:1: 7 calls\nmore\n", "b_test.go:1: %d calls\nmore"}
	fails := Said{"TestA/b", at(12), true, "1: 2", "%d: %d"}
	for _, c := range []struct {
		said                           []Said
		site, text, format, at, detail string
	}{
		{nil, "TestA", "the test failed", "", "", ""},
		{[]Said{logs}, "TestA", "the test failed", "", "", "    a_test.go:3: b_test.go:1: 7 calls\n        more"},
		{[]Said{logs, fails}, "TestA/b", "1: 2", "%d: %d", "a_test.go:12", "    a_test.go:3: b_test.go:1: 7 calls\n        more"},
		{[]Said{fails, {"TestA", at(13), true, "then\n", ""}}, "TestA/b", "1: 2", "%d: %d", "a_test.go:12", "    a_test.go:13: then"},
		{[]Said{{"TestA", at(14), true, "", ""}}, "TestA", "the test failed", "", "a_test.go:14", ""},
	} {
		f := failure("TestA", c.said)
		at := ""
		if len(f.Stack) > 0 {
			at = f.Stack[0].Place()
		}
		if f.Text != c.text || f.Format != c.format || at != c.at || f.Detail != c.detail || f.Site != c.site {
			t.Errorf("%v: %q (%q) at %q in %s, %q", c.said, f.Text, f.Format, at, f.Site, f.Detail)
		}
	}
}

// TestOrdinaryBuild: without the overlay, a test is not controlled and fails.
func TestOrdinaryBuild(t *testing.T) {
	runs := 0
	e := &existing{stalled: make(chan struct{}, 1), Subject: Subject{Once: func() Outcome { runs++; return Outcome{} }}}
	out, end, failed := e.try()
	if runs > 0 || out.Failed || end.Outside != "" || !failed {
		t.Errorf("%d runs, %v, %v, failed: %v", runs, out, end, failed)
	}
	e.DoubtedByJostle("first")
	e.DoubtedByJostle("second")
	if !strings.HasPrefix(e.doubts, "first") {
		t.Errorf("the reason is %q", e.doubts)
	}
}
