package finding

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/legal"
)

// retried has a client that sets a timer again each time that it fires, until an answer comes.
// It fails if the timer has fired so often before that.
func retried(o pulse.Options, often int) func(*props.T) {
	return func(t *props.T) {
		retries, answered := 0, false
		sys := t.SystemWith(o)
		server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(ctx.Sender(), "answer") }))
		sys.Send(sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch {
			case msg == "begin":
				ctx.Send(server, "ask")
			case msg == "answer":
				answered = true
			case !answered:
				retries++
			}
			if !answered {
				ctx.After(time.Millisecond, "retry")
			}
		})), "begin")
		sys.Run()
		if retries >= often {
			t.Error("retried too often")
		}
	}
}

// TestHeldCases: cases of an older version hold messages back. One that is legal fails as it did.
// One that lets more timers fire early than the options allow says so, and is no failure: only a
// legal run near it may be one.
func TestHeldCases(t *testing.T) {
	const by = pulse.NeverEarly
	stale := func(most, applied int) string {
		return fmt.Sprintf("stale, since it holds messages back for time that cannot pass; made by an older version (early timers: 4, allowed: %d); "+
			"%d of its 8 deliveries still applied", most, applied)
	}
	for _, c := range []struct {
		name, file string
		early      int
		often      int
		exact      bool
		how        string
		fails      bool
	}{
		{"legal", "legal", 0, 2, true, "as saved", true},
		{"legal, mended", "legal", 0, 5, true, "as saved", false},
		{"at the end of the budget", "full", 2, 2, true, "as saved", true},
		{"at the end of the budget, mended", "full", 2, 5, true, "as saved", false},
		{"illegal", "illegal", by, 2, false, stale(0, 4), false},
		{"illegal, mended", "illegal", by, 5, false, stale(0, 4), false},
		{"illegal by the search's budget, with a failing run near it", "illegal-default", 0, 2, false, stale(3, 7), true},
		{"illegal by the search's budget, mended", "illegal-default", 0, 4, false, stale(3, 7), false},
		{"of other options", "full", 1, 2, false, "stale, since the program has changed: ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := "testdata/held-" + c.file + ".case"
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			saved, err := corpus.Decode(path, text)
			if err != nil {
				t.Fatal(err)
			}
			r := props.NewRunner("TestRetried", retried(pulse.Options{EarlyTimers: c.early}, c.often))
			defer r.Close()
			p := Play(r, &saved)
			if p.Exact != c.exact || !strings.HasPrefix(p.How, c.how) || (p.Result.Failure != nil) != c.fails {
				t.Errorf("exact %v, %q; failed with %v\n%s", p.Exact, p.How, p.Result.Failure, p.Result.System.Trace().Text())
			}
			if sys := p.Result.System; legal.Check(sys.Options(), sys.Trace(), sys.Record()) != nil {
				t.Error(legal.Check(sys.Options(), sys.Trace(), sys.Record()))
			}
			told := p.Held("x.case", false)
			if impossible := strings.HasPrefix(c.file, "illegal"); impossible != strings.HasPrefix(told, "case x.case shows no failure: no run can be as it was saved") {
				t.Errorf("told: %s", told)
			}
		})
	}
}
