package etcdraft_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/etcdraft"
	"github.com/jostle-go/jostle/pulse/trace"
)

// contested is a property: nodes whose leaders a LeaderNemesis elects and isolates.
func contested(t *props.T) {
	c := etcdraft.Config{
		Voters: props.OneOf(t, "voters", 3, 5),
		Raft: raft.Config{
			ElectionTick:       2,
			AsyncStorageWrites: props.Draw(t, rapid.Bool(), "async"),
			PreVote:            props.Draw(t, rapid.Bool(), "prevote"),
			CheckQuorum:        props.Draw(t, rapid.Bool(), "check quorum"),
		},
		SnapshotEvery: props.Draw(t, rapid.SampledFrom([]int{0, 0, 3}), "snapshot every"),
	}
	if props.Draw(t, rapid.Bool(), "one at a time") {
		c.Raft.MaxSizePerMsg = 1
	}
	sys := t.SystemWith(pulse.Options{Horizon: 1500 * time.Millisecond, Steps: 20_000})
	cluster := c.Spawn(sys)
	t.Always("raft", cluster.Err)
	n := cluster.LeaderNemesis()
	n.Requests = []any{etcdraft.Propose{Data: []byte("a")}}
	if props.Draw(t, rapid.Bool(), "changes") {
		for id := uint64(2); id <= uint64(c.Voters); id++ { // never remove node 1: raft needs at least one voter
			n.Requests = append(n.Requests, etcdraft.ChangeConf{Change: change(raftpb.ConfChangeAddNode, id)},
				etcdraft.ChangeConf{Change: change(raftpb.ConfChangeRemoveNode, id)})
		}
	}
	sys.Go("nemesis", n.Run)
	sys.Run()
}

// TestContested checks that published raft keeps its promises when its leaders are
// elected, isolated and revived: 300 runs, or 30,000 with JOSTLE_NIGHTLY=1. The
// golden files count the events of these runs.
func TestContested(t *testing.T) {
	runs, file := 100, "testdata/contested.txt"
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		runs, file = 30_000, "testdata/contested-nightly.txt"
	}
	counts := map[string]int{}
	res := search.Sample(context.Background(), search.PropertyOf(contested, "TestContested"), search.Options{Runs: runs, Seed: 1,
		Passed: func(_ string, res *props.Result) { countLeaders(res, counts) }})
	if res.Finding != nil {
		t.Fatalf("run %d fails: %s", res.Index+1, res.Finding.Failure.Text)
	}
	golden.File(t, file, fmt.Sprintf("%d runs of %d steps: %d leaders, %d partitions, %d crashes, %d requests applied\n",
		runs, counts["steps"], counts["leaders"], counts["partitions"], counts["crashes"], counts["applied"]))
}

// countLeaders counts the events of a run. A leader counts if at least one of its messages arrives.
func countLeaders(res *props.Result, counts map[string]int) {
	tr, terms := res.System.Trace(), map[uint64]bool{}
	for i := range tr.Sends {
		switch m := tr.Sends[i].Body.(type) {
		case etcdraft.Message:
			if m.GetType() == raftpb.MsgApp && tr.Sends[i].Receipt != trace.None {
				terms[m.GetTerm()] = true
			}
		case etcdraft.Result:
			counts["applied"]++
		}
	}
	for _, s := range tr.Strikes {
		switch s.Kind {
		case trace.Crash:
			counts["crashes"]++
		case trace.Partition:
			counts["partitions"]++
		}
	}
	counts["steps"] += res.System.Steps()
	counts["leaders"] += len(terms)
}

// An edit plants a fault in the library. The replaced line of raft.go is active
// only if plantedName has the edit's name.
type edit struct {
	name string
	line string // a line that raft.go contains exactly once
	by   string // the text that replaces line; %q stands for name
	seed uint64 // a seed with which the search finds the fault soon
}

// plantedName is the environment variable that turns on a fault.
const plantedName = "JOSTLE_PLANTED"

var edits = []edit{
	{"an entry of an older term is counted as committed", // Figure 8 of the Raft paper
		"	return r.raftLog.maybeCommit(entryID{term: r.Term, index: r.trk.Committed()})\n",
		`	term := r.Term
	if planted == %q {
		term = r.raftLog.zeroTermOnOutOfBounds(r.raftLog.term(r.trk.Committed()))
	}
	return r.raftLog.maybeCommit(entryID{term: term, index: r.trk.Committed()})
`, 24},
	{"the configuration is changed while a change is pending",
		"				alreadyPending := r.pendingConfIndex > r.raftLog.applied\n",
		`				alreadyPending := r.pendingConfIndex > r.raftLog.applied && planted != %q
`, 19},
}

// TestFaultsOfTheLibrary checks that searches in contested find each fault that is planted in
// a copy of the library. By day one seed searches, with JOSTLE_NIGHTLY=1 five do. The golden
// files have, for each seed, the run that found the fault. The same copy without a fault passes
// as many runs.
//
// The copy is built with this test. The process with the copy runs this test with JOSTLE_PLANTED set.
func TestFaultsOfTheLibrary(t *testing.T) {
	trial.Long(t)
	if name, on := os.LookupEnv(plantedName); on {
		searchContested(t, name)
		return
	}
	bin := buildPlanted(t)
	file, nightly := "testdata/planted.txt", os.Getenv("JOSTLE_NIGHTLY") != ""
	if nightly {
		file = "testdata/planted-nightly.txt"
	}
	var text strings.Builder
	for _, e := range edits {
		seeds := []uint64{e.seed}
		if nightly {
			seeds = []uint64{1, 2, 3, 4, 5}
		}
		var list []contest
		for _, seed := range seeds {
			start, c := time.Now(), runPlanted(t, bin, e.name, contest{Seed: seed, Runs: 50_000})
			t.Logf("%s: seed %d: run %d, %v: %s", e.name, seed, c.Found, time.Since(start), c.Said)
			list = append(list, c)
		}
		slices.SortFunc(list, func(a, b contest) int { return a.Found - b.Found })
		median := list[len(list)/2]
		fmt.Fprintf(&text, "%s: found in run", e.name)
		for _, c := range list {
			fmt.Fprint(&text, " ", c.Found)
		}
		fmt.Fprintf(&text, " by seeds %v: %s\n", seeds, median.Said)
		if c := runPlanted(t, bin, "", contest{Seed: median.Seed, Runs: median.Found}); c.Found != 0 {
			t.Errorf("%s: seed %d: with no fault on run %d fails: %s", e.name, median.Seed, c.Found, c.Said)
		}
	}
	golden.File(t, file, text.String())
}

// A contest is a search that uses the scene contested, with its result.
type contest struct {
	Seed  uint64
	Runs  int
	Found int // the number of the failing run, counted from 1; 0 if no run fails
	Said  string
}

// contestName is the environment variable that has a process's contest, as JSON.
const contestName = "JOSTLE_CONTEST"

// searchContested runs a contest in the process with the fault, and prints the result.
func searchContested(t *testing.T, fault string) {
	var c contest
	if err := json.Unmarshal([]byte(os.Getenv(contestName)), &c); err != nil {
		t.Fatal(err)
	}
	res := search.Sample(context.Background(), search.PropertyOf(contested, "TestFaultsOfTheLibrary"), search.Options{Runs: c.Runs, Seed: c.Seed})
	if res.Finding != nil {
		c.Found, c.Said = res.Index+1, res.Finding.Failure.Text
	} else if fault != "" {
		t.Errorf("nothing is found in %d runs", res.Runs)
	}
	out, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\n%s=%s\n", contestName, out)
}

// runPlanted runs a contest in a process with a fault, "" for none.
func runPlanted(t *testing.T, bin, fault string, c contest) contest {
	in, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-test.run=^TestFaultsOfTheLibrary$")
	cmd.Env = append(os.Environ(), plantedName+"="+fault, contestName+"="+string(in))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: seed %d: %v\n%s", fault, c.Seed, err, out)
	}
	_, rest, _ := strings.Cut(string(out), "\n"+contestName+"=")
	rest, _, _ = strings.Cut(rest, "\n")
	if err := json.Unmarshal([]byte(rest), &c); err != nil {
		t.Fatalf("%s: seed %d: %v\n%s", fault, c.Seed, err, out)
	}
	return c
}

// buildPlanted builds this package's tests with a copy of the library that has the
// edits, and returns the binary. A work file replaces the library by the copy.
func buildPlanted(t *testing.T) string {
	dir := filepath.Join(os.TempDir(), "jostle-planted") // always one folder, so that go can cache compiled packages
	if err := os.Mkdir(dir, 0o700); err != nil {
		dir = t.TempDir() // the folder exists: another process uses it
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	library, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "go.etcd.io/raft/v3").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	copied := filepath.Join(dir, "raft")
	if err := os.CopyFS(copied, os.DirFS(strings.TrimSpace(string(library)))); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(copied, "raft.go"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, e := range edits {
		if n := strings.Count(text, e.line); n != 1 {
			t.Fatalf("%s: raft.go has the line %d times, want once: %s", e.name, n, e.line)
		}
		text = strings.Replace(text, e.line, fmt.Sprintf(e.by, e.name), 1)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"raft/raft.go":    text,
		"raft/planted.go": fmt.Sprintf("package raft\n\nimport \"os\"\n\nvar planted = os.Getenv(%q)\n", plantedName),
		"go.work": fmt.Sprintf("go 1.26\nuse %q\nuse %q\nreplace github.com/jostle-go/jostle v0.0.0 => %q\nreplace go.etcd.io/raft/v3 => %q\n",
			root, filepath.Join(root, "pulse/adapt/etcdraft"), root, copied),
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "planted.test")
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-o", bin, ".")
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	return bin
}
