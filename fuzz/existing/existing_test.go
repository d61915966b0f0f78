package existing

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
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

// TestOrdinaryBuild: without the overlay, a test is not controlled and fails.
func TestOrdinaryBuild(t *testing.T) {
	runs := 0
	e := &existing{stalled: make(chan struct{}, 1), Subject: Subject{
		Once: func() Outcome { runs++; return Outcome{} },
		Mute: func() func() { return func() {} },
	}}
	first, again := e.try()
	for _, r := range []tried{first, again} {
		if runs > 0 || r.Failed || r.end.Outside != "" || r.failure == nil {
			t.Errorf("%d runs, %v", runs, r)
		}
	}
	e.DoubtedByJostle("first")
	e.DoubtedByJostle("second")
	if !strings.HasPrefix(e.doubts, "first") {
		t.Errorf("the reason is %q", e.doubts)
	}
}

// TestGiveUp: a test that is not controlled runs in a new process, with the environment and the
// working directory of the start. If it fails there, it runs in this process too.
func TestGiveUp(t *testing.T) {
	const changed = "JOSTLE_CHANGED"
	_, child := os.LookupEnv(Variable)
	for _, c := range []struct {
		name  string
		do    func(*testing.T) // in the new process
		again bool             // set if it runs in this process too
	}{
		{"passes", func(*testing.T) {}, false},
		{"skips", func(t *testing.T) { t.Skip() }, false}, // Skips: the tested function skips if its process does
		{"fails", func(t *testing.T) { t.Error(os.Args) }, true},
		{"starts afresh", func(t *testing.T) {
			if dir, _ := os.Getwd(); dir != folder || os.Getenv(changed) != "" {
				t.Error(dir)
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if child {
				c.do(t)
				return
			}
			t.Chdir(t.TempDir())
			t.Setenv(changed, "1")
			again := false
			defer func() {
				if again != c.again || t.Skipped() != (c.name == "skips") {
					t.Errorf("runs again: %v, skipped: %v", again, t.Skipped())
				}
			}()
			e := &existing{T: t, Subject: Subject{Plain: func() { again = true }, Because: func(string) {}}}
			e.giveUp("")
		})
	}
}

// TestAsAsked: the environment says how many faults the network may have, and how many timers may fire early.
func TestAsAsked(t *testing.T) {
	for text, want := range map[string][2]int{"": {0, pulse.NeverEarly}, "0": {0, pulse.NeverEarly}, "3": {3, 3}, "many": {0, pulse.NeverEarly}} {
		t.Setenv("JOSTLE_NETWORK", text)
		t.Setenv("JOSTLE_EARLY", text)
		if o := asAsked(options); o.Faults.Network != want[0] || o.EarlyTimers != want[1] {
			t.Errorf("%q: %d faults, %d early timers", text, o.Faults.Network, o.EarlyTimers)
		}
	}
}
