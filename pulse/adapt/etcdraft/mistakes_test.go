package etcdraft_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/etcdraft"
	"github.com/jostle-go/jostle/shrink"
)

// A fault is a mistake planted in a driver, with a scene that should show it. said
// lists the possible messages: a monitor's, raft's, or that a node refuses the same
// entries of its leader forever.
type fault struct {
	mistake string
	scene   scene
	said    []string

	// seed is a seed with which a search finds the mistake soon. among is such a seed for a
	// search with all kinds of faults. Both are 0 if the driver writes asynchronously.
	seed, among uint64
}

// byDay returns the given seed by day, and five seeds at night.
func byDay(seed uint64) []uint64 {
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		return []uint64{1, 2, 3, 4, 5}
	}
	return []uint64{seed}
}

// either returns the name of the golden file: by day the first, at night the second.
func either(day, night string) string {
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		return night
	}
	return day
}

// planted returns the mistakes, each with synchronous and with asynchronous writes.
func planted() []fault {
	quick := etcdraft.Config{Voters: 3, Raft: raft.Config{ElectionTick: 3}}
	quicker, snapshots, spares := quick, quick, quick
	quicker.Raft.ElectionTick = 2
	snapshots.SnapshotEvery = 2
	spares.Spares = 1
	add := []raftpb.ConfChangeI{change(raftpb.ConfChangeAddNode, 4)}
	list := []fault{
		{"sends before sync", scene{config: quick, proposals: 1, ticks: 15, faults: pulse.Faults{Crash: 1, RestartLost: 1, Drop: 2, Partition: 1}},
			[]string{"leader completeness", "election safety", "log matching", "state machine safety", "raft: tocommit(", "has not ended"}, 23, 46},
		{"forgets vote", scene{config: quicker, ticks: 4, reboot: 3, reboots: 200 * time.Millisecond, faults: pulse.Faults{Drop: 1}},
			[]string{"election safety"}, 37, 4},
		{"applies early", scene{config: quick, proposals: 1, ticks: 15, faults: pulse.Faults{Drop: 1}},
			[]string{"state machine safety"}, 1, 1},
		{"restores late", scene{config: snapshots, proposals: 2, ticks: 25, faults: pulse.Faults{Partition: 2, Drop: 2}},
			[]string{"monotone state", "state machine safety"}, 25, 3},
		{"reads alone", scene{config: quick, proposals: 1, reads: 1, ticks: 25, faults: pulse.Faults{Partition: 1, Drop: 2}},
			[]string{"linearizable reads"}, 17, 3},
		{"changes early", scene{config: spares, changes: add, ticks: 15},
			[]string{"one configuration"}, 1, 1},
	}
	for i, f := range list {
		f.scene.config.Raft.AsyncStorageWrites = true
		f.seed, f.among = []uint64{23, 2, 1, 4, 1, 1}[i], 0
		list = append(list, f)
	}
	return list
}

// String returns the mistake, after "async" if the driver writes asynchronously.
func (f fault) String() string {
	if f.scene.config.Raft.AsyncStorageWrites {
		return "async " + f.mistake
	}
	return f.mistake
}

// made returns a property that runs a scene with a mistake planted in the driver.
func made(s scene, mistake string) search.Property {
	s.config, s.punctual = s.config.With(mistake), true
	return search.PropertyOf(s.property, "TestMistakes")
}

// TestMistakes finds each mistake with one seed, at night with five. The golden file has the number
// of runs until each mistake was found, smallest first. Without the mistake, as many runs as the
// largest of these numbers pass.
func TestMistakes(t *testing.T) {
	var text strings.Builder
	for _, p := range planted() {
		var at []int
		for _, seed := range byDay(p.seed) {
			res := search.Sample(context.Background(), made(p.scene, p.mistake), search.Options{Runs: 10_000, Seed: seed})
			if res.Finding == nil {
				t.Fatalf("%s: seed %d finds nothing in %d runs", p, seed, res.Runs)
			}
			at = append(at, res.Index+1)
			if said := res.Finding.Failure.Text; !slices.ContainsFunc(p.said, func(m string) bool { return strings.Contains(said, m) }) {
				t.Errorf("%s: seed %d finds %q, want one of %q", p, seed, said, p.said)
			}
		}
		slices.Sort(at)
		fmt.Fprintf(&text, "%s: found after %d runs\n", p, at)
		if res := search.Sample(context.Background(), made(p.scene, "none"), search.Options{Runs: at[len(at)-1], Seed: 1}); res.Finding != nil {
			t.Errorf("%s: without the mistake: %s", p, res.Finding.Failure.Text)
		}
	}
	golden.File(t, either("testdata/mistakes.txt", "testdata/mistakes-nightly.txt"), text.String())
}

// TestShrunkMistakes shrinks a failing run of each mistake, and prints the orders in which the
// shrunk run fails.
//
// Skips: without JOSTLE_NIGHTLY=1, since it takes a minute.
func TestShrunkMistakes(t *testing.T) {
	if os.Getenv("JOSTLE_NIGHTLY") == "" {
		t.Skip("set JOSTLE_NIGHTLY=1")
	}
	for _, p := range planted() {
		name := strings.ReplaceAll(p.String(), " ", "-")
		text := ""
		for seed := uint64(1); seed <= 20 && text == ""; seed++ {
			if f := search.Sample(context.Background(), made(p.scene, p.mistake), search.Options{Runs: 10_000, Seed: seed}).Finding; f != nil {
				text = shrunk(made(p.scene, p.mistake), f)
			}
		}
		if text == "" {
			t.Errorf("%s: nothing of 20 seeds is shrunk", p)
		}
		golden.File(t, path.Join("testdata/shrunk", name+".txt"), text)
	}
}

// shrunk shrinks a finding and describes the result. It returns "" if no schedule
// reproduces the failure.
func shrunk(p search.Property, f *finding.Finding) string {
	r := p.NewRunner()
	defer r.Close()
	out := finding.Shrink(context.Background(), r, f, shrink.Options{Runs: 300})
	if out.Finding == nil || out.Finding.Replays != finding.Tried {
		return ""
	}
	return fmt.Sprintf("%d steps instead of %d: %s\n%s\n\n%s", out.Best.Steps, out.From, out.Finding.Failure.Text, out.Finding.Why(), out.Finding.Chart())
}

// TestMistakesAmongEverything plants each mistake in scenes of the kinds that TestPublished
// draws, which pass without a mistake. By day one seed makes 1,000 runs. With JOSTLE_NIGHTLY=1
// five seeds make 10,000 each. The golden files have the number of the first failing run for
// each seed, or a dash if none fails. "forgets vote" has two dashes even at night. The
// failure's text is that of the first seed that fails.
func TestMistakesAmongEverything(t *testing.T) {
	trial.Long(t)
	runs := 1000
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		runs = 10_000
	}
	var text strings.Builder
	for _, f := range planted() {
		if f.scene.config.Raft.AsyncStorageWrites {
			continue // search every mistake once: the seed chooses whether storage is asynchronous
		}
		at, said := "", ""
		for _, seed := range byDay(f.among) {
			res := search.Sample(context.Background(), search.PropertyOf(func(t *props.T) {
				_, s := drawn(t)
				s.config = s.config.With(f.mistake)
				s.property(t)
			}, "TestMistakes"), search.Options{Runs: runs, Seed: seed})
			if res.Finding == nil {
				at += " -"
				continue
			}
			at += fmt.Sprint(" ", res.Index+1)
			said = cmp.Or(said, res.Finding.Failure.Text)
		}
		if said == "" {
			t.Errorf("%s: nothing is found in %d runs by each seed", f, runs)
		}
		fmt.Fprintf(&text, "%s: found in run%s of seeds %v: %s\n", f, at, byDay(f.among), said)
	}
	golden.File(t, either("testdata/mistakes-among-everything.txt", "testdata/mistakes-among-everything-nightly.txt"), text.String())
}
