package etcdraft_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/raft/v3/raftpb"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/adapt/etcdraft"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// TestPublished checks that published versions of raft keep their promises under all
// kinds of faults. It makes 500 runs by day. With JOSTLE_NIGHTLY=1 it makes 1,000,000
// runs, 50,000 with each of twenty seeds, which take about 14 minutes. The golden files
// say how many runs had which events.
func TestPublished(t *testing.T) {
	trial.Long(t)
	seeds, runs, file := 1, 200, "testdata/published.txt"
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		seeds, runs, file = 20, 50_000, "testdata/published-nightly.txt"
	}
	c := tallies{}
	for seed := range seeds {
		c.hold(t, uint64(seed+1), runs)
		if seeds > 1 {
			t.Logf("until now:\n%v", c)
		}
	}
	all := c.total()
	for _, name := range events {
		if n := all.in[name]; n < all.runs/50 {
			t.Errorf("of %d runs only %d have %q", all.runs, n, name)
		}
	}
	t.Logf("all of %d runs hold: where figures differ from %s, the runs are others than those that it tells of", all.runs, file)
	golden.File(t, file, c.String())
}

// hold makes runs, fails the test if one of them fails, and counts their events.
func (c tallies) hold(t *testing.T, seed uint64, runs int) {
	var kind string // the kind of scene in the current run; one worker makes all runs
	res := search.Sample(context.Background(), search.PropertyOf(func(t *props.T) {
		var s scene
		kind, s = drawn(t)
		s.property(t)
	}, "TestPublished"), search.Options{Runs: runs, Seed: seed, Passed: func(_ string, res *props.Result) { c.count(kind, res) }})
	if res.Finding != nil { // search again with Check, which shrinks the failing run and saves its case
		fuzz.Config{Runs: res.Index + 1, Seed: seed}.Check(t, everything)
		t.Fatalf("seed %d: run %d fails: %s", seed, res.Index, res.Finding.Failure.Text)
	}
}

// events are the names of the counted events, in the order of the columns.
var events = []string{"leader", "another", "applied", "read", "changed", "moved", "snapshot", "drop", "duplicate", "delay", "crash", "in step", "restart", "loss", "partition"}

// A tally counts the runs of one kind of scene, their steps and their events.
type tally struct {
	runs, steps int
	in          map[string]int // for each event, the number of runs in which it happened
}

// tallies are the counts for each kind of scene.
type tallies map[string]*tally

// count adds the events of a run to the counts.
func (c tallies) count(kind string, res *props.Result) {
	n := c[kind]
	if n == nil {
		n = &tally{in: map[string]int{}}
		c[kind] = n
	}
	n.runs++
	n.steps += res.System.Steps()
	for name := range happened(res) {
		n.in[name]++
	}
}

// happened returns which events a run has.
func happened(res *props.Result) map[string]bool {
	tr, is, term := res.System.Trace(), map[string]bool{}, uint64(0)
	for i := range tr.Sends {
		s := &tr.Sends[i]
		if s.Receipt == trace.None {
			continue
		}
		switch m := s.Body.(type) {
		case etcdraft.Message:
			switch m.GetType() {
			case raftpb.MsgApp: // only leaders send this message
				is["leader"] = true
				is["another"] = is["another"] || term > 0 && term != m.GetTerm()
				term = m.GetTerm()
			case raftpb.MsgTimeoutNow:
				is["moved"] = true
			case raftpb.MsgSnap:
				is["snapshot"] = true
			}
		case etcdraft.Result:
			switch m.Value.(type) {
			case int:
				is["applied"] = true
			case string:
				is["read"] = true
			default:
				is["changed"] = true
			}
		}
	}
	for _, s := range tr.Steps {
		is["crash"] = is["crash"] || s.Kind == trace.Crash
		is["restart"] = is["restart"] || s.Kind == trace.Restart
		is["partition"] = is["partition"] || s.Kind == trace.Partition
	}
	names := map[choice.Kind]string{choice.Drop: "drop", choice.Duplicate: "duplicate", choice.Delay: "delay", choice.Crash: "in step", choice.Loss: "loss"}
	for _, c := range res.System.Record().Choices {
		if name := names[c.Kind]; name != "" && c.Value > 0 {
			is[name] = true
		}
	}
	maps.DeleteFunc(is, func(_ string, yes bool) bool { return !yes })
	return is
}

// total returns the sum of all kinds.
func (c tallies) total() *tally {
	sum := &tally{in: map[string]int{}}
	for _, n := range c {
		sum.runs += n.runs
		sum.steps += n.steps
		for name, k := range n.in {
			sum.in[name] += k
		}
	}
	return sum
}

func (c tallies) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%-28s %9s %11s", "runs of each kind, and with", "runs", "steps")
	for _, name := range events {
		fmt.Fprintf(&text, " %9s", name)
	}
	line := func(kind string, n *tally) {
		fmt.Fprintf(&text, "\n%-28s %9d %11d", kind, n.runs, n.steps)
		for _, name := range events {
			fmt.Fprintf(&text, " %9d", n.in[name])
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		line(kind, c[kind])
	}
	line("all", c.total())
	return text.String() + "\n"
}
