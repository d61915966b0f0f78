package search

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// An explored is a finished exploration with its result.
type explored struct {
	*exploring
	Exploration
}

// exploreFor explores a property, without the runs that confirm its result.
func exploreFor(t *testing.T, o ExploreOptions, property func(*props.T)) explored {
	t.Helper()
	return exploreUntil(t, context.Background(), o, property)
}

func exploreUntil(t *testing.T, ctx context.Context, o ExploreOptions, property func(*props.T)) explored {
	t.Helper()
	if o.Seed == 0 {
		o.Seed = 1
	}
	x := newExploring(ctx, Property{Name: t.Name(), Test: t.Name(), Func: property}, o)
	t.Cleanup(x.close)
	if err := x.all(); err != nil {
		t.Fatal(err)
	}
	return explored{x, x.result()}
}

// within returns a context that ends after d.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// A verdict states what was explored.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name     string
		e        ExploreOptions
		property func(*props.T)
		want     string
	}{
		{"all", ExploreOptions{KeepOn: true}, trial.Quarrel, "complete: 6 distinct orders in 6 runs, 18 steps; 4 runs failed, in 2 ways"},
		{"first", ExploreOptions{}, trial.Quarrel, "NOT complete (stopped at the first failure): 3 distinct orders in 3 runs, 11 steps; 1 run failed"},
		{"everything", ExploreOptions{Method: explore.Method{Reduction: explore.Everything, CountDistinct: true}, KeepOn: true}, trial.Quarrel,
			"complete: 6 distinct orders in 90 runs, 270 steps; 60 runs failed, in 2 ways"},
		{"uncounted", ExploreOptions{Method: explore.Method{Reduction: explore.Everything}, KeepOn: true}, trial.Quarrel, "complete: 90 runs, 270 steps; 60 runs failed, in 2 ways"},
		{"runs", ExploreOptions{Method: explore.Method{Reduction: explore.Everything}, Runs: 2}, trial.Monitored, "NOT complete (runs): "},
		{"depth", ExploreOptions{Method: explore.Method{Depth: 4}}, trial.Monitored, "NOT complete (depth): "},
		{"delays", ExploreOptions{Method: explore.Method{DelayBound: 1, Reduction: explore.Everything}}, trial.Monitored, "NOT complete (delays): "},
		{"workers", ExploreOptions{Workers: 2, KeepOn: true}, trial.Quarrel, "complete: 6 distinct orders in 6 runs, 18 steps; 4 runs failed, in 2 ways"},
		{"inputs", ExploreOptions{}, trial.Chosen, "complete for all 6 inputs: 6 distinct orders in 6 runs, 6 steps"},
		{"some inputs", ExploreOptions{Runs: 4}, trial.Chosen, "NOT complete (runs) after 4 inputs: 4 distinct orders in 4 runs, 4 steps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := exploreFor(t, c.e, c.property).Verdict
			v.Watched = false
			got := strings.Replace(v.String(), ", "+words.Elapsed(v.Elapsed), "", 1)
			if got != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(got, c.want)) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestInputsOfAnExploration checks which inputs are explored, and in which order.
func TestInputsOfAnExploration(t *testing.T) {
	var list []string
	var sources []uint64
	note := func(t *props.T, values ...any) {
		sys := t.System()
		sys.Send(sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) { list = append(list, strings.TrimSpace(fmt.Sprintln(values...))) })), 1)
		sys.Run()
	}
	for _, c := range []struct {
		name     string
		inputs   int
		property func(*props.T)
		want     string
		sampled  bool
	}{
		{"no draw", 0, func(t *props.T) { note(t, 0) }, "0", false},
		{"product", 0, func(t *props.T) {
			note(t, props.OneOf(t, "a", "x", "y", "z"), props.OneOf(t, "b", 1, 2))
		}, "x 1;x 2;y 1;y 2;z 1;z 2", false},
		{"later draws depend on earlier ones", 0, func(t *props.T) {
			switch props.OneOf(t, "kind", "bare", "sized", "both") {
			case "bare":
				note(t, "bare")
			case "sized":
				note(t, "sized", props.OneOf(t, "size", 1, 2, 3))
			case "both":
				note(t, "both", props.OneOf(t, "other", 7, 8), props.OneOf(t, "last", true, false))
			}
		}, "bare;sized 1;sized 2;sized 3;both 7 true;both 7 false;both 8 true;both 8 false", false},
		{"a small range", 0, func(t *props.T) { note(t, props.Draw(t, rapid.Bool(), "b")) }, "false;true", true},
		{"a range and a choice", 0, func(t *props.T) {
			note(t, props.OneOf(t, "a", "x", "y"), props.Draw(t, rapid.Bool(), "b"))
		}, "x false;y false;x true;y true", true},
		{"a draw for one value only", 0, func(t *props.T) {
			if props.OneOf(t, "a", "x", "y") == "x" {
				note(t, "x")
				return
			}
			note(t, "y", props.Draw(t, rapid.Bool(), "b"))
		}, "x;y false;y true", true},
		{"skipped inputs", 0, func(t *props.T) {
			n := props.OneOf(t, "n", 1, 2, 3, 4)
			if n%2 == 0 {
				t.Skip("even")
			}
			note(t, n)
		}, "1;3", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			list = nil
			x := exploreFor(t, ExploreOptions{Inputs: c.inputs}, c.property)
			want := strings.Split(c.want, ";")
			inputs := len(want)
			var twice []string // the first run of each input is repeated
			for _, w := range want {
				twice = append(twice, w, w)
			}
			want = twice
			if c.sampled {
				slices.Sort(list)
				slices.Sort(want)
			}
			if !slices.Equal(list, want) || x.Verdict.Runs != inputs || x.Verdict.Inputs != inputs || !x.Verdict.Complete || x.Verdict.Sampled != c.sampled {
				t.Errorf("explored %q, verdict %v, want %q", list, x.Verdict, want)
			}
		})
	}
	x := exploreFor(t, ExploreOptions{Inputs: 5}, func(t *props.T) {
		a := props.OneOf(t, "a", 1, 2)
		source := props.Source(t, "source")
		sources = append(sources, source.Uint64()<<2|uint64(a))
		note(t)
	})
	slices.Sort(sources)
	if n := len(slices.Compact(sources)); x.Verdict.Inputs != 10 || n != 10 {
		t.Errorf("%d inputs, %d different ones, want 5 seeds for each of 2 values: %v", x.Verdict.Inputs, n, x.Verdict)
	}
}

// With a reduction, an Always that reads two actors is not checked in every
// state.
func TestAlwaysNeedsEverything(t *testing.T) {
	if x := exploreFor(t, ExploreOptions{}, trial.Apart); !x.Verdict.Watched || len(x.Found) > 0 || !x.Verdict.Complete {
		t.Errorf("optimal: %v", x.Verdict)
	}
	if x := exploreFor(t, ExploreOptions{Method: explore.Method{Reduction: explore.Everything}}, trial.Apart); x.Verdict.Watched || len(x.Found) != 1 {
		t.Errorf("everything: %v", x.Verdict)
	}
}

// A budget ends an exploration between inputs, or within an input.
func TestExplorationEndsInTime(t *testing.T) {
	huge := func(t *props.T) {
		props.OneOf(t, "n", 1, 2)
		sys := t.System()
		trial.Crowd(sys, 12, func(string) {})
		sys.Run()
	}
	start := time.Now()
	x := exploreUntil(t, within(t, 100*time.Millisecond), ExploreOptions{}, huge)
	if x.Verdict.Complete || x.Verdict.Bound != "time" || time.Since(start) > 5*time.Second {
		t.Errorf("after %v: %v", time.Since(start), x.Verdict)
	}
	x = exploreUntil(t, within(t, 1), ExploreOptions{}, trial.Chosen)
	if x.Verdict.Complete || x.Verdict.Bound != "time" {
		t.Errorf("with no time at all: %v", x.Verdict)
	}
}

// Every kind of state comparison finds all failures. Checked detects a Hash that omits
// something.
func TestStatesOfAnExploration(t *testing.T) {
	x := exploreFor(t, ExploreOptions{Method: explore.Method{States: explore.ByHash, Reduction: explore.Everything}, KeepOn: true}, trial.Quarrel)
	if x.Verdict.States == 0 || !x.Verdict.Complete {
		t.Errorf("%v", x.Verdict)
	}
	if text := x.Verdict.String(); x.Verdict.Unread == "" || !strings.Contains(text, "; states were compared without a part that cannot be read: the handler of") {
		t.Errorf("functions as handlers: %s", text)
	}
	x = exploreFor(t, ExploreOptions{Method: explore.Method{States: explore.Checked, Reduction: explore.Everything}}, lying)
	if x.Verdict.Clash == "" || x.Verdict.Complete {
		t.Errorf("a constant for a hash: %v", x.Verdict)
	}
}

// A failure that a handler reports counts even if the search later stops the run, because the run
// has reached a known state.
func TestComplaintBeforeAKnownState(t *testing.T) {
	for _, r := range []explore.Reduction{explore.SourceSets, explore.Everything} {
		x := exploreFor(t, ExploreOptions{Method: explore.Method{Reduction: r, States: explore.ByHash}}, func(t *props.T) {
			sys := t.System()
			ref := sys.Spawn("adder", &adder{t: t})
			for i := range 2 {
				client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(ref, msg) }))
				sys.Send(client, i+1)
			}
			sys.Run()
		})
		if len(x.Found) != 1 || x.Verdict.Complete || len(x.Verdict.Failures) != 1 {
			t.Errorf("%v: %v", r, x.Verdict)
		}
	}
}

// adder is an actor whose state does not depend on which message came first, but its report does.
type adder struct {
	t   *props.T
	sum int
}

func (a *adder) Hash() uint64 { return uint64(a.sum) }

func (a *adder) Receive(ctx *pulse.Ctx, msg any) {
	if a.sum == 2 {
		a.t.Errorf("two came first")
	}
	if a.sum += msg.(int); a.sum == 3 {
		ctx.Send(ctx.Self(), 10)
	}
}

// Several workers save the same failures as one worker: for each signature, the first one.
func TestExplorationsWorkers(t *testing.T) {
	var lists []string
	for _, workers := range []int{2, 3, 5} {
		x := exploreFor(t, ExploreOptions{Workers: workers, KeepOn: true}, trial.Quarrel)
		var list []string
		for _, f := range x.Found {
			list = append(list, fmt.Sprintf("%s %x", f.Failure.Signature(), f.Trace.Hash))
		}
		slices.Sort(list)
		lists = append(lists, fmt.Sprint(list, maps.Collect(maps.All(x.Verdict.Failures))))
	}
	if lists[0] != lists[1] || lists[0] != lists[2] {
		t.Errorf("two, three and five workers:\n%s", strings.Join(lists, "\n"))
	}
}

// Every subject's bug is found with its smallest input. By day, only every other
// subject is tested.
func TestEverySubjectIsExplored(t *testing.T) {
	trial.Long(t)
	drawn := mediansOfRandom(t)
	var b strings.Builder
	row := func(cells ...any) { fmt.Fprintf(&b, "%32v%14v%14v%12v%12v%12v\n", cells...) }
	row("runs until found", "random, drawn", "random, same", "optimal", "everything", "delays")
	for i, s := range subjects.Easy() {
		if i%2 > 0 && !golden.Whole() {
			continue
		}
		row(s.Name, drawn[s.Name], medianOfRandom(s),
			runsUntilFound(t, s, ExploreOptions{}),
			runsUntilFound(t, s, ExploreOptions{Method: explore.Method{Reduction: explore.Everything}}),
			runsUntilFound(t, s, ExploreOptions{Method: explore.Method{Reduction: explore.Everything, DelayBound: 5}}))
	}
	golden.Part(t, "testdata/explored.golden", b.String())
}

// mostRuns is the largest number of runs for a subject.
const mostRuns = 50_000

// runsUntilFound explores a broken subject until its bug is found. Optimal must find every bug.
func runsUntilFound(t *testing.T, s subjects.Subject, e ExploreOptions) string {
	t.Helper()
	e.Runs = mostRuns
	x := exploreFor(t, e, s.Smallest(false))
	if e.Method.DelayBound == 0 && x.finishedRuns() != x.Verdict.Runs { // package explore may have restarted with another reduction
		t.Errorf("%s: %d runs ended: %v", s.Name, x.finishedRuns(), x.Verdict)
	}
	if len(x.Found) == 0 {
		if e.Method.Reduction == explore.Optimal {
			t.Errorf("%s: %v", s.Name, x.Verdict)
		}
		return "-"
	}
	for _, f := range x.Found {
		if f.Replays != finding.Tried {
			t.Errorf("%s: replayed %d of %d: %s", s.Name, f.Replays, finding.Tried, f.Differs)
		}
	}
	return fmt.Sprint(x.made)
}

// medianOfRandom returns the median number of random runs that find the same bug.
func medianOfRandom(s subjects.Subject) int {
	const trials = 101
	r := props.NewRunner(s.Name, s.Smallest(false))
	defer r.Close()
	by := strategy.Random()
	var list []int
	seed := uint64(0)
	for range trials {
		for n := 1; ; n++ {
			seed++
			if r.Run(props.Plan{Strategy: by, StrategySeed: seed}).Failure != nil {
				list = append(list, n)
				break
			}
		}
	}
	slices.Sort(list)
	return list[trials/2]
}

// mediansOfRandom reads the stored median numbers of runs that random order takes to find each subject's
// bug, with drawn inputs.
func mediansOfRandom(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "subjects", "testdata", "found.txt"))
	if err != nil {
		t.Fatal(err)
	}
	medians := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 {
			medians[f[0]] = strings.TrimSuffix(f[1], ",")
		}
	}
	return medians
}

func TestMendedSubjectsAreExplored(t *testing.T) {
	runs := 2000
	if nightly() {
		runs = 1_000_000
	}
	complete := 0
	for _, s := range subjects.Easy() {
		x := exploreFor(t, ExploreOptions{Runs: runs}, s.Smallest(true))
		if len(x.Found) > 0 || x.Verdict.Nondeterminism != "" || x.Verdict.Wasted > 0 || x.finishedRuns() != x.Verdict.Runs {
			t.Errorf("%s: %v %s", s.Name, x.Verdict, x.Verdict.Nondeterminism)
		}
		if x.Verdict.Complete {
			complete++
		}
	}
	large := 5 // their orders are too many to run
	if nightly() {
		large = 3
	}
	if complete < len(subjects.Easy())-large {
		t.Errorf("%d of %d subjects are complete in %d runs", complete, len(subjects.Easy()), runs)
	}
}

// The mended forms of the subjects taken from bug reports pass in every order. The numbers are those of distinct
// orders. Subjects with too many orders are left out.
func TestReportsAreExplored(t *testing.T) {
	for name, want := range map[string]int{
		"raft-votedfor": 6104, "chain-repair": 260, "snapshot-late": 49, "evictable": 18_539, "chain-repair-10": 260, "paxos-commit": 226_080,
		"deposed-read": 2117, "session-lost": 15_614,
	} {
		if want > 10_000 && !nightly() || want > 1000 && testing.Short() {
			continue
		}
		s, _ := subjects.ByName(name)
		v := exploreFor(t, ExploreOptions{Runs: 300_000}, s.Smallest(true)).Verdict
		if !v.Complete || v.Runs != want || v.Failing() > 0 {
			t.Errorf("%s: %v, want %d", name, v, want)
		}
	}
}

// If several workers each find a failure, the reported failure depends only on the program.
func TestWorkersShowTheSameFailure(t *testing.T) {
	fails := func(t *props.T) {
		said := ""
		sys := t.System()
		trial.Crowd(sys, 6, func(word string) { said += word })
		sys.Run()
		switch {
		case strings.HasPrefix(said, "cf"):
			t.Error("clumsy start")
		case strings.HasSuffix(said, "ad"):
			t.Error("sad end")
		}
	}
	for _, keepOn := range []bool{false, true} {
		first := ""
		for i := range 20 {
			x := exploreFor(t, ExploreOptions{Workers: []int{2, 5}[i%2], KeepOn: keepOn}, fails)
			var b strings.Builder
			found := x.merged()
			for _, signature := range slices.Sorted(maps.Keys(found)) {
				f := found[signature]
				fmt.Fprintf(&b, "%s %x %v %v\n", signature, f.Trace.Hash, f.place, f.Case.Record)
			}
			if i == 0 {
				first = b.String()
			}
			if want := map[bool]int{false: 1, true: 2}[keepOn]; len(x.Found) != want || b.String() != first {
				t.Fatalf("exploration %d: found\n%snot\n%s", i, b.String(), first)
			}
		}
	}
}

// An exploration saved in a file continues until it is complete.
func TestExplorationInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "search")
	for i := 1; ; i++ {
		x := exploreFor(t, ExploreOptions{Runs: 10, File: file}, trial.Crowded(4))
		v := &x.Verdict
		_, err := os.Stat(file)
		if v.Runs != min(10*i, 24) || v.Complete != (i == 3) || (err == nil) == v.Complete || i > 3 {
			t.Fatalf("exploration %d: %v; %v", i, v, err)
		}
		if v.Complete {
			return
		}
	}
}

// lying has state that its Hash omits.
func lying(t *props.T) {
	sys := t.System()
	l := &liar{}
	ref := sys.Spawn("liar", l)
	for i := range 3 {
		client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(ref, msg) }))
		sys.Send(client, i)
	}
	sys.Run()
}

type liar struct{ last int }

func (l *liar) Receive(_ *pulse.Ctx, msg any) { l.last = msg.(int) }

func (l *liar) Hash() uint64 { return 1 }

// The verdict names the reduction that was used in the end, and says if it is not the one
// requested. The verdict once always named Optimal.
func TestVerdictTellsTheReductionThatWasUsed(t *testing.T) {
	trial.Long(t)
	early := func(t *props.T) {
		sys := t.SystemWith(pulse.Options{EarlyTimers: 1})
		sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
		for range 2 {
			sys.Send(sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				ctx.Send(sink, msg)
				ctx.After(1, "late")
			})), "go")
		}
		sys.Run()
	}
	x := exploreFor(t, ExploreOptions{}, early)
	if v := x.Verdict; v.Reduction != explore.SourceSets || !strings.Contains(v.String(), "; restarted with the reduction source instead of optimal, because ") {
		t.Errorf("reduction %v: %v", v.Reduction, v)
	}
	twins := func(t *props.T) {
		sys := t.System()
		for range 2 {
			sys.Send(sys.Spawn("parent", pulse.Func(func(ctx *pulse.Ctx, _ any) { _ = ctx.Spawn("child", pulse.Func(func(*pulse.Ctx, any) {})).String() })), "go")
		}
		sys.Run()
	}
	x = exploreFor(t, ExploreOptions{Method: explore.Method{Reduction: explore.Everything, Sleep: true}}, twins)
	if v := x.Verdict; !strings.Contains(v.String(), "; restarted with the reduction everything instead of everything with sleep sets, because ") {
		t.Errorf("from everything with sleep sets to everything: %v", v)
	}
	x = exploreFor(t, ExploreOptions{Method: explore.Method{Reduction: explore.SourceSets}}, early)
	if v := x.Verdict; v.Reduction != explore.SourceSets || strings.Contains(v.String(), "restarted") {
		t.Errorf("asked for source sets, reduction %v: %v", v.Reduction, v)
	}
	alive := func(t *props.T) {
		sys := t.System()
		sink := sys.Spawn("sink", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
		sys.Send(sink, "stop")
		sys.Send(sys.Spawn("asker", pulse.Func(func(*pulse.Ctx, any) { sys.Alive(sink) })), "go")
		sys.Run()
	}
	x = exploreFor(t, ExploreOptions{Method: explore.Method{Reduction: explore.SourceSets}}, alive)
	if v := x.Verdict; v.Reduction != explore.SourceSets || !strings.Contains(v.String(), "; restarted, because two steps that messages do not order watch, end or query") {
		t.Errorf("source sets that heed meetings: %v", v)
	}
}
