package search

import "testing"

// TestLimitOfTests: the time limit of a test is that of go test. A test without a deadline has
// none.
func TestLimitOfTests(t *testing.T) {
	deadline, ok := t.Deadline()
	if l := LimitOf(t); !l.Deadline.Equal(deadline) || l.Margin > 0 != ok {
		t.Errorf("%+v, want %v", l, deadline)
	}
	if l := LimitOf(struct{ testing.TB }{t}); l != (Limit{}) {
		t.Errorf("%+v of what knows none", l)
	}
}
