package subjects_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A program is one form of a subject, or a load, with some options.
type program struct {
	name    string
	options pulse.Options
	build   subjects.Build
}

// programs returns all programs, the hard ones only at night, each with its own options and with every
// kind of fault.
func programs() (list []program) {
	some := subjects.Easy()
	if nightly() {
		some = subjects.All()
	}
	for _, s := range some {
		list = append(list, program{s.Name + ", broken", s.Options, s.Broken}, program{s.Name + ", mended", s.Options, s.Mended})
	}
	for _, l := range load.Small() {
		list = append(list, program{l.Name, pulse.Options{}, l.Build})
	}
	for _, p := range list {
		p.name += ", with faults"
		p.options.EarlyTimers = 2
		p.options.Faults = pulse.Faults{Drop: 1, Duplicate: 1, Delay: 1, Crash: 1, RestartKept: 1, RestartLost: 1, Partition: 1, Swarm: true}
		list = append(list, p)
	}
	return list
}

// byName makes a strategy. Each sequence of runs has a new strategy: one that has learned from
// other runs would make other decisions.
func byName(name string) pulse.Strategy {
	s, err := strategy.ByName(name)
	if err != nil {
		panic(err)
	}
	return s
}

// A result is what the comparison of two runs uses.
type result struct {
	hash    uint64
	steps   int
	verdict string
	text    string // the trace, for some runs
}

// seeds is the number of runs of each program with each strategy.
func seeds() int {
	if nightly() {
		return 1000
	}
	return 25
}

// Every run whose number is a multiple of textOf stores its trace as text.
const textOf = 25

// freshSeeds returns how many of the runs are also made in a new system each, which takes four
// times as long. Few are enough, because a dependence on earlier runs shows up soon.
func freshSeeds() int {
	if nightly() {
		return seeds()
	}
	return seeds() / 4
}

// sequence runs a program with the seeds 1, 2, 3, … in one system, or each in
// a system of its own.
func sequence(p program, by pulse.Strategy, n int, fresh bool) []result {
	o := p.options
	o.Strategy, o.Record = by, true
	sys := pulse.New(o)
	results := make([]result, n)
	for i := range results {
		if fresh {
			sys.Close()
			sys = pulse.New(o)
		}
		err := run(sys, uint64(i+1), p.build)
		r := &results[i]
		r.hash, r.steps = sys.Trace().Hash, sys.Steps()
		if err != nil {
			r.verdict = err.Error()
		}
		if i%textOf == 0 {
			r.text = sys.Trace().Text()
		}
	}
	sys.Close()
	return results
}

// digests has the hash of the result of firstSequence, by strategy and program.
var digests = map[string][]byte{}

// firstSequence returns the sequence that others are compared with, and stores its digest.
func firstSequence(strategy string, p program) []result {
	list, h := sequence(p, byName(strategy), seeds(), false), fnv.New128a()
	for _, r := range list {
		fmt.Fprintf(h, "%x %d %s %s\n", r.hash, r.steps, r.verdict, r.text)
	}
	digests[strategy+", "+p.name] = h.Sum(nil)
	return list
}

// TestDeterminism runs every program with every strategy three times.
func TestDeterminism(t *testing.T) {
	for _, name := range strategy.Names() {
		t.Run(name, func(t *testing.T) {
			for _, p := range programs() {
				first := firstSequence(name, p)
				if d := difference(first, sequence(p, byName(name), seeds(), false)); d != "" {
					t.Errorf("%s, run again: %s", p.name, d)
				}
				if d := difference(first[:freshSeeds()], sequence(p, byName(name), freshSeeds(), true)); d != "" {
					t.Errorf("%s, each run in a fresh system: %s", p.name, d)
				}
			}
		})
	}
}

// difference describes the first run in which two sequences differ.
func difference(a, b []result) string {
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("run %d was %+v and is %+v", i+1, a[i], b[i])
		}
	}
	return ""
}

// TestReplay runs every program with every strategy, and then replays the record of
// each run strictly.
func TestReplay(t *testing.T) {
	for _, name := range strategy.Names() {
		t.Run(name, func(t *testing.T) {
			for _, p := range programs() {
				replay(t, p, byName(name))
			}
		})
	}
}

func replay(t *testing.T, p program, by pulse.Strategy) {
	var record choice.Record
	replayer := strategy.Replay(&record, strategy.ReplayOptions{})
	o := p.options
	o.Record = true
	o.Strategy = by
	recorded := pulse.New(o)
	defer recorded.Close()
	o.Strategy = replayer
	replayed := pulse.New(o)
	defer replayed.Close()
	for seed := range uint64(seeds()) {
		want := run(recorded, seed, p.build)
		record = *recorded.Record()
		got := run(replayed, 0, p.build)
		if fmt.Sprint(got) != fmt.Sprint(want) || recorded.Trace().Hash != replayed.Trace().Hash || replayer.Done() != nil {
			t.Errorf("%s, seed %d: replayed with %v, was %v; %v", p.name, seed, got, want, replayer.Done())
			return
		}
	}
}

// TestDeterminismCanary runs a program that is not deterministic: it counts
// across runs.
func TestDeterminismCanary(t *testing.T) {
	built := 0
	p := program{"counter", pulse.Options{}, func(sys *pulse.System) func() error {
		built++
		if built%(seeds()+1) == 0 {
			sys.Spawn("extra", pulse.Func(func(*pulse.Ctx, any) {}))
		}
		return func() error { return nil }
	}}
	if difference(sequence(p, nil, seeds(), false), sequence(p, nil, seeds(), false)) == "" {
		t.Error("two sequences of runs that differ compare as equal")
	}
}

const digestOnly = "JOSTLE_TEST_DIGEST"

// TestSecondProcess compares all runs with those of another process.
func TestSecondProcess(t *testing.T) {
	mine := digest()
	if os.Getenv(digestOnly) != "" {
		fmt.Printf("\n%s\n", mine)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestSecondProcess$", fmt.Sprintf("-test.short=%v", testing.Short()))
	cmd.Env = append(os.Environ(), digestOnly+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("\n"+mine+"\n")) {
		t.Errorf("this process has %s, the other printed\n%s", mine, out)
	}
}

// digest returns a line for the results of all programs with all strategies.
func digest() string {
	h := fnv.New128a()
	for _, name := range strategy.Names() {
		for _, p := range programs() {
			key := name + ", " + p.name
			if digests[key] == nil {
				firstSequence(name, p)
			}
			fmt.Fprintf(h, "%s: %x\n", key, digests[key])
		}
	}
	return fmt.Sprintf("digest %x", h.Sum(nil))
}
