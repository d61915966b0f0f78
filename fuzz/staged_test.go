package fuzz

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/native"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// The staged bug needs several rare orders in a row. A gate asks three
// clerks for a stamp. It continues to the next gate only if the stamps
// arrive in the reverse order of asking, one order of six. A run that
// has passed all gates fails. Random orders do so once in 6^stages
// runs; a search that notices each passed gate can continue from there.
const stages = 7

type (
	ask   struct{ stage, clerk int }
	stamp struct{ stage, clerk int }
)

// A gate collects the stamps of the current stage, from the last clerk to the first.
type gate struct {
	clerks []pulse.Ref
	stage  int
	next   int
	passed bool
}

func (g *gate) Receive(ctx *pulse.Ctx, msg any) {
	s, ok := msg.(stamp)
	if ok && (s.stage != g.stage || s.clerk != g.next) {
		g.stage = -1 // the wrong order: the gate asks for no further stamps
		return
	}
	if ok && s.clerk > 0 {
		g.next--
		return
	}
	if ok {
		g.stage++
	}
	if g.passed = g.stage == stages; g.passed {
		return
	}
	g.next = len(g.clerks) - 1
	for i, c := range g.clerks {
		ctx.Send(c, ask{g.stage, i})
	}
}

func staged(t *props.T) {
	sys := t.System()
	g := &gate{}
	ref := sys.Spawn("gate", g)
	for range 3 {
		g.clerks = append(g.clerks, sys.Spawn("clerk", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			ctx.Reply(stamp(msg.(ask)))
		})))
	}
	sys.Send(ref, "open")
	sys.Run()
	if g.passed {
		t.Errorf("passed %d stages", stages)
	}
}

// FuzzStaged is the staged bug as a target; JOSTLE_SAMPLE=blind turns off the bridge. The
// number of the first run that fails is saved in the file runs.
func FuzzStaged(f *testing.F) {
	if os.Getenv("JOSTLE_SAMPLE") == "" {
		Target(f, func(t *props.T) { t.System().Run() }) // no planted bug unless a test asks for it
		return
	}
	runs := 0
	g := Config{}.newTarget(f, func(t *props.T) {
		runs++
		staged(t)
		if !t.Failed() {
			return
		}
		if _, err := os.Stat("runs"); err != nil {
			_ = os.WriteFile("runs", []byte(strconv.Itoa(runs)), 0o644)
		}
	})
	g.Blind = os.Getenv("JOSTLE_SAMPLE") == "blind"
	g.run(f)
}

// ownLoop is a simple fuzzing loop over the same bytes. It keeps
// inputs that show a new receive pair, and changes a byte or two
// of a kept input. It returns how many runs it took to fail, or 0.
func ownLoop(seed uint64, runs int, guided bool) int {
	rng := rand.New(rand.NewPCG(seed, 0))
	orders := &coverage.Orders{}
	r := props.NewRunner("staged", staged)
	defer r.Close()
	kept := [][]byte{native.RandomBytes(seed)}
	var d native.Draft
	for i := range runs {
		data := slices.Clone(kept[rng.IntN(len(kept))])
		if !guided {
			data = native.RandomBytes(rng.Uint64())
		} else if rng.IntN(8) == 0 { // another seed for all decisions that the bytes do not make
			data[rng.IntN(8)] = byte(rng.Uint32())
		}
		for range 1 + rng.IntN(3) {
			data[rng.IntN(len(data))] = byte(rng.Uint32())
		}
		d.FromBytes(data)
		res := r.Run(props.Plan{Words: d.Words, Seed: d.Seed, Strategy: native.Play(&d)})
		if res.Failure != nil {
			return i + 1
		}
		if fresh := orders.Add(res.System.Trace(), coverage.Run{}); guided && fresh > 0 {
			kept = append(kept, data)
		}
	}
	return 0
}

// A fuzzing loop guided by receive pairs needs far fewer
// runs to find the staged bug than an unguided one.
func TestGuidanceHelpsOnStages(t *testing.T) {
	trial.Long(t)
	var guided []int
	seeds := 5
	if nightly() {
		seeds = 11
	}
	for seed := range uint64(seeds) {
		guided = append(guided, orNever(ownLoop(seed, 100_000, true)))
	}
	slices.Sort(guided)
	median := guided[seeds/2]
	t.Logf("guided: median %d runs, %d of %d not found in 100,000", median, seeds-countBelow(guided, 1<<30), seeds)
	if median > 50_000 {
		t.Errorf("the guided loop needs %d runs in the median", median)
	}
	if n := ownLoop(1, 20_000, false); n != 0 {
		t.Errorf("a loop without guidance found the bug in run %d of the 280,000 that are to be expected", n)
	}
}

// The arm guided finds the staged bug in at most 2,000 runs, whatever the seed.
func TestGuidedOnStages(t *testing.T) {
	guided, err := search.Strategies("guided")
	if err != nil {
		t.Fatal(err)
	}
	var runs []int
	for seed := range uint64(50) {
		res := search.Sample(t.Context(), search.Property{Name: "staged", Test: t.Name(), Func: staged},
			search.Options{Seed: seed + 1, Runs: 20_000, Portfolio: guided})
		runs = append(runs, res.Runs)
	}
	slices.Sort(runs)
	t.Logf("guided: median %d runs, at most %d", runs[25], runs[49])
	if runs[49] > 2000 {
		t.Errorf("the arm guided needs %d runs for one of 50 seeds", runs[49])
	}
}

func countBelow(list []int, limit int) (n int) {
	for _, v := range list {
		if v < limit {
			n++
		}
	}
	return n
}

func orNever(runs int) int {
	if runs == 0 {
		return 1 << 30
	}
	return runs
}

// TestNativeFuzzing measures go test -fuzz on the staged bug, with the bridge
// and without, and on three subjects without saved inputs.
//
// Skips: except in the nightly version, since it takes many minutes.
func TestNativeFuzzing(t *testing.T) {
	if !nightly() {
		t.Skip("set JOSTLE_NIGHTLY=1")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "fuzz.test")
	build := exec.Command("go", "test", "-c", "-fuzz", "FuzzStaged", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const trials, limit = 11, 60 * time.Second
	for _, mode := range []string{"bridge", "blind"} {
		var took []time.Duration
		var runs []int
		for range trials { // one process, so that runs can be counted, and no minimizing
			d, n := nativeFuzzing(t, binary, "FuzzStaged", mode, limit, "-test.parallel=1", "-test.fuzzminimizetime=1x")
			took, runs = append(took, d), append(runs, orNever(n))
		}
		slices.Sort(took)
		slices.Sort(runs)
		t.Logf("staged, %s: found %d of %d, median %v and %d runs", mode, countFound(took, limit), trials, took[trials/2], runs[trials/2])
	}
	for _, name := range []string{"writer", "threadring", "messenger"} {
		d, _ := nativeFuzzing(t, binary, "FuzzSubject", "fuzz-"+name, 30*time.Second)
		t.Logf("%s: %v", name, d)
		if d >= 30*time.Second {
			t.Errorf("%s was not found in 30 s", name)
		}
	}
}

func countFound(took []time.Duration, limit time.Duration) (n int) {
	for _, d := range took {
		if d < limit {
			n++
		}
	}
	return n
}

// nativeFuzzing runs the engine in an empty folder until it fails or reaches
// the limit. Then it runs the saved input, which must fail too. It returns
// the time and, if the target saves it, the number of the first failing run.
func nativeFuzzing(t *testing.T, binary, target, sample string, limit time.Duration, args ...string) (time.Duration, int) {
	t.Helper()
	dir := t.TempDir()
	run := func(args ...string) []byte {
		cmd := exec.Command(binary, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "JOSTLE_SAMPLE="+sample)
		out, _ := cmd.CombinedOutput()
		return out
	}
	start := time.Now()
	out := run(append(args, "-test.run=^$", "-test.fuzz=^"+target+"$", "-test.fuzzcachedir="+dir, fmt.Sprintf("-test.fuzztime=%v", limit))...)
	took := min(time.Since(start), limit)
	if bytes.Contains(out, []byte("failure while testing seed corpus entry")) {
		return took, 1 // the engine saves nothing: its seed inputs already fail
	}
	text, _ := os.ReadFile(filepath.Join(dir, "runs"))
	first, _ := strconv.Atoi(string(text))
	saved, _ := filepath.Glob(filepath.Join(dir, "testdata", "fuzz", target, "*"))
	if len(saved) == 0 {
		return limit, 0
	}
	if again := run("-test.run=^" + target + "$"); !bytes.Contains(again, []byte("--- FAIL: "+target)) {
		t.Errorf("%s: the saved input does not fail: %s", sample, again)
	}
	return took, first
}
