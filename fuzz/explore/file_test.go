package explore_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// keptWays are the searches that can be saved in a file.
func keptWays() (list []explore.Options) {
	for _, r := range explore.Reductions() {
		for _, sleep := range []bool{false, true} {
			if sleep && r <= explore.SourceSets {
				continue
			}
			list = append(list, explore.Options{Method: explore.Method{Reduction: r, Sleep: sleep, CountDistinct: true}})
		}
	}
	return append(list, explore.Options{Method: explore.Method{Reduction: explore.PersistentSets, Ordering: explore.OrderHMS}},
		explore.Options{Method: explore.Method{Reduction: explore.DCUTE, Ordering: explore.OrderSGR, Sleep: true}},
		explore.Options{Method: explore.Method{Ordering: explore.OrderSGR}}, explore.Options{Method: explore.Method{Reduction: explore.SourceSets, Ordering: explore.OrderLIFO}},
		explore.Options{Method: explore.Method{Reduction: explore.Everything, Ordering: explore.OrderLDM}}, explore.Options{Method: explore.Method{Depth: 4}},
		explore.Options{Method: explore.Method{Reduction: explore.Everything, Depth: 4}})
}

func nameOf(o explore.Options) string {
	return fmt.Sprintf("%v sleep %v ordering %v depth %d", o.Reduction, o.Sleep, o.Ordering, o.Depth)
}

// A searcher explores one program from the beginning at each call.
type searcher func(explore.Options) find

func (s *subject) searcher() searcher { return s.explore }

// searcher explores a random program. Each call uses a new system.
func (p *program) searcher() searcher {
	return func(o explore.Options) find {
		r := &rig{}
		f := find{orders: map[uint64]int{}}
		q := p.clone()
		f.Result = r.explore(q, o, func(run explore.Run) { f.orders[classOf(run.System)]++ }).Result
		r.sys.Close()
		return f
	}
}

// inPieces explores in pieces of n runs each.
func (search searcher) inPieces(o explore.Options, runs int) (all find, pieces int) {
	all.orders = map[uint64]int{}
	o.Runs = runs
	for {
		f := search(o)
		pieces++
		made := 0
		for order, n := range f.orders {
			all.orders[order] += n
			made += n
		}
		if made > 2*runs { // an optimal search that restarts with another reduction counts its runs anew
			panic("a piece has more runs than it should")
		}
		if all.Result = f.Result; f.Bound != "runs" {
			return all, pieces
		}
	}
}

// sameFinds returns how two explorations differ, "" if they are equal.
func sameFinds(a, b find) string {
	a.Elapsed, b.Elapsed, a.Estimate, b.Estimate = 0, 0, 0, 0
	if !reflect.DeepEqual(a.Result, b.Result) || !maps.Equal(a.orders, b.orders) {
		return fmt.Sprintf("%d classes, %+v; else %d classes, %+v", len(a.orders), a.Result, len(b.orders), b.Result)
	}
	return ""
}

// checkPieces checks that a search in pieces has the same result as a search without a
// pause.
func checkPieces(t *testing.T, name string, search searcher, o explore.Options, path string) {
	t.Helper()
	whole := search(o)
	made := whole.Runs + whole.Wasted + whole.Cut
	o.File = path
	for _, runs := range []int{1, 7, 100} {
		if made > 20*runs && !nightly() || made > 100*runs { // each piece writes to the disk, which is slow
			continue
		}
		got, pieces := search.inPieces(o, runs)
		if why := sameFinds(got, whole); why != "" {
			t.Fatalf("%s, %s, in %d pieces of %d runs: %s", name, nameOf(o), pieces, runs, why)
		}
		// A search that restarted with another reduction may need a different number of pieces.
		if want := (made + runs - 1) / runs; pieces != max(want, 1) && got.Reduction == o.Reduction && got.Because == "" {
			t.Errorf("%s, %s: %d pieces of %d runs, want %d", name, nameOf(o), pieces, runs, want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Fatalf("%s, %s: the file is left though the search is complete", name, nameOf(o))
		}
	}
}

// TestPiecesOfSubjects checks that searches can be interrupted and continued from their files.
func TestPiecesOfSubjects(t *testing.T) {
	trial.Long(t)
	path := filepath.Join(t.TempDir(), "kept")
	for i, s := range smallSubjects() {
		for k, o := range keptWays() {
			if o.Reduction == explore.Everything && sizes()[s.name].all > 2000 && !nightly() || !nightly() && (i+k)%9 != 0 {
				continue
			}
			checkPieces(t, s.name, s.searcher(), o, path)
		}
	}
}

// TestPiecesOfRandomPrograms is TestPiecesOfSubjects on random programs.
func TestPiecesOfRandomPrograms(t *testing.T) {
	trial.Long(t)
	path := filepath.Join(t.TempDir(), "kept")
	e := &enumerator{}
	defer e.close()
	for seed := range uint64(byDay(2, 150)) {
		programs := []*program{newProgram(seed, agreementFeatures(seed)), newProgram(seed, foolishFeatures(seed))}
		if seed%2 == 1 {
			programs = append(programs, crashingProgram(seed), cutOffProgram(seed), earlyProgram(seed))
		}
		for _, p := range programs {
			if _, ok := e.enumerate(p.options(), p.Build, 1000); !ok {
				continue
			}
			for k, o := range keptWays() {
				if nightly() || (int(seed)+k)%3 == 0 {
					checkPieces(t, fmt.Sprintf("program %d", seed), p.searcher(), o, path)
				}
			}
		}
	}
}

// TestKilledSearch checks that after a kill a search continues from the state that it saved while it
// ran.
func TestKilledSearch(t *testing.T) {
	trial.Long(t)
	folder := t.TempDir()
	for _, o := range []explore.Options{{}, {Method: explore.Method{Reduction: explore.SourceSets}}, {Method: explore.Method{Reduction: explore.Everything, CountDistinct: true}}} {
		s := pi(4)
		want := s.explore(o)
		o.KeepOn, o.File = true, filepath.Join(folder, o.Reduction.String())
		o.KeepEvery(1)
		copied, runs := "", 0
		look := func(run explore.Run) {
			if run.Index%5 != 4 || run.Index > 1000 || run.Index > want.Runs-3 {
				return
			}
			if text, err := os.ReadFile(o.File); err == nil {
				copied, runs = string(text), run.Index+1
			}
		}
		if _, err := explore.Explore(o, on(s.options, s.build()).tell(look)); err != nil || copied == "" {
			t.Fatalf("%v: %v, %d bytes in the file", o.Reduction, err, len(copied))
		}
		if err := os.WriteFile(o.File, []byte(copied), 0o600); err != nil {
			t.Fatal(err)
		}
		left := 0
		v, err := explore.Explore(o, on(s.options, s.build()).tell(func(explore.Run) { left++ }))
		if err != nil || !v.Complete || v.Runs != want.Runs || v.Steps != want.Steps || v.Distinct != want.Distinct || left > want.Runs-1 {
			t.Errorf("%v: killed after %d of %d runs, %d more were made: %+v %v", o.Reduction, runs, want.Runs, left, v, err)
		}
	}
}

// keptSearch returns a search that is saved in a file.
func keptSearch(t *testing.T, o explore.Options, build func(*pulse.System) func() error) explore.Options {
	t.Helper()
	o.File, o.Runs = filepath.Join(t.TempDir(), "kept"), 5
	if v, err := explore.Explore(o, on(pulse.Options{}, build)); err != nil || v.Bound != "runs" {
		t.Fatalf("%+v %v", v, err)
	}
	return o
}

// TestChangedProgram checks that a search refuses the file of another program. The error names the file, and the file
// does not change.
func TestChangedProgram(t *testing.T) {
	for _, r := range explore.Reductions() {
		o := keptSearch(t, explore.Options{Method: explore.Method{Reduction: r}}, load.Senders(4, 1).Build)
		before, _ := os.ReadFile(o.File)
		for _, other := range []func(*pulse.System) func() error{load.Senders(5, 1).Build, load.Senders(4, 2).Build, load.Pi(4).Build, fickle(1, 1)} {
			_, err := explore.Explore(o, on(pulse.Options{}, other))
			if err == nil || !strings.Contains(err.Error(), "belongs to another program") || !strings.Contains(err.Error(), o.File) {
				t.Errorf("%v: %v", r, err)
			}
			if after, _ := os.ReadFile(o.File); string(after) != string(before) {
				t.Errorf("%v: the file has changed", r)
			}
		}
		o.Runs = 0
		if v, err := explore.Explore(o, on(pulse.Options{}, load.Senders(4, 1).Build)); err != nil || !v.Complete || v.Runs != 24 {
			t.Errorf("%v: the search does not go on: %+v %v", r, v, err)
		}
	}
}

// TestBadFiles checks the errors about files from which no search can continue. These files must remain
// unchanged.
func TestBadFiles(t *testing.T) {
	build := load.Senders(4, 1).Build
	o := keptSearch(t, explore.Options{Method: explore.Method{Reduction: explore.SourceSets}}, build)
	text, _ := os.ReadFile(o.File)
	whole := string(text)
	expect := func(text string, o explore.Options, want string) {
		t.Helper()
		if err := os.WriteFile(o.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := explore.Explore(o, on(pulse.Options{}, build))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), o.File) || v.Runs > 0 {
			t.Errorf("%v, want %q", err, want)
		}
		if after, _ := os.ReadFile(o.File); string(after) != text {
			t.Error("the file has changed")
		}
	}
	for n := range len(whole) {
		if n%7 == 0 || n < 30 || n > len(whole)-5 {
			expect(whole[:n], o, "remove it")
		}
	}
	expect("hello\n", o, "not an exploration")
	expect(strings.Replace(whole, "exploration 2", "exploration 1", 1), o, `version "1", and this jostle supports version 2`)
	expect(strings.Replace(whole, "exploration 2", "exploration 3", 1), o, `version "3"`)
	expect(strings.Replace(whole, `"Cur":1`, `"Cur":2`, 1), o, "damaged")
	other := o
	other.Ordering = explore.OrderLIFO
	expect(whole, other, "ordering FIFO, and this one has reduction source with sleep sets, ordering LIFO")
	other = o
	other.Reduction = explore.PersistentSets
	expect(whole, other, "use the same options, or remove it")
}

// TestFileThatCannotBe checks that a search does not begin if its file cannot be
// written.
func TestFileThatCannotBe(t *testing.T) {
	o := explore.Options{File: filepath.Join(t.TempDir(), "no", "folder")}
	if _, err := explore.Explore(o, nil); err == nil || !strings.Contains(err.Error(), o.File) {
		t.Error(err)
	}
	o.File = t.TempDir()
	if _, err := explore.Explore(o, nil); err == nil || !strings.Contains(err.Error(), o.File) {
		t.Error(err)
	}
}

// TestFileOfEnds checks for each way a search ends whether its file exists. The folder must hold no other
// file.
func TestFileOfEnds(t *testing.T) {
	stopped := make(chan struct{})
	close(stopped)
	broken := func(s *pulse.System) func() error {
		load.Senders(4, 1).Build(s)
		return func() error { return fmt.Errorf("broken") }
	}
	for _, c := range []struct {
		bound explore.Bound
		kept  bool
		build func(*pulse.System) func() error
		o     explore.Options
	}{
		{"", false, load.Senders(4, 1).Build, explore.Options{}},
		{"runs", true, load.Senders(4, 1).Build, explore.Options{Runs: 3}},
		{"time", true, load.Senders(4, 1).Build, explore.Options{Time: 1}},
		{"stop", true, load.Senders(4, 1).Build, explore.Options{Stop: stopped}},
		{"depth", false, load.Senders(4, 1).Build, explore.Options{Method: explore.Method{Depth: 2}}},
		{"failure", false, broken, explore.Options{}},
	} {
		for _, r := range explore.Reductions() {
			folder := t.TempDir()
			c.o.Reduction, c.o.File = r, filepath.Join(folder, "kept")
			v, err := explore.Explore(c.o, on(pulse.Options{}, c.build))
			list, _ := os.ReadDir(folder)
			if err != nil || v.Bound != c.bound || (len(list) == 1) != c.kept || len(list) > 1 {
				t.Errorf("%v: %+v %v, %d files", r, v, err, len(list))
			}
		}
	}
}

// TestElapsedCountsOn checks that the times of all pieces are added up, and that the time limit applies to each piece
// alone.
func TestElapsedCountsOn(t *testing.T) {
	o := explore.Options{File: filepath.Join(t.TempDir(), "kept"), Time: 30 * time.Millisecond}
	slow := func(s *pulse.System) func() error {
		time.Sleep(time.Millisecond)
		return load.Senders(6, 1).Build(s)
	}
	last := explore.Result{}
	for range 3 {
		v, err := explore.Explore(o, on(pulse.Options{}, slow))
		if err != nil || v.Bound != "time" || v.Runs <= last.Runs || v.Elapsed < last.Elapsed+o.Time {
			t.Errorf("%+v after %+v: %v", v, last, err)
		}
		last = v
	}
}

// TestStopWithinARunContinues stops a search within its first run, after a race, and continues the search from its
// file. The result must be that of a search without a stop.
func TestStopWithinARunContinues(t *testing.T) {
	for _, r := range explore.Reductions() {
		steps, stop := 0, make(chan struct{})
		program := on(pulse.Options{}, func(sys *pulse.System) func() error {
			sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
			for range 2 {
				left := 300
				sys.Send(sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, msg any) {
					if steps++; steps == 300 {
						close(stop)
					}
					if left--; left == 299 {
						ctx.Send(sink, msg)
					}
					if left > 0 {
						ctx.Send(ctx.Self(), msg)
					}
				})), "go on")
			}
			return func() error { return nil }
		})
		o := explore.Options{Method: explore.Method{Reduction: r, Sleep: true, CountDistinct: true}, Stop: stop, File: filepath.Join(t.TempDir(), "kept")}
		if v, err := explore.Explore(o, program); err != nil || v.Bound != explore.BoundStop || v.Runs != 0 {
			t.Errorf("%v: %+v %v", r, v, err)
		}
		o.Stop = nil
		continued, err := explore.Explore(o, program)
		o.File = ""
		whole, _ := explore.Explore(o, program)
		if why := sameFinds(find{Result: continued}, find{Result: whole}); err != nil || why != "" || !whole.Complete || whole.Distinct != 2 {
			t.Errorf("%v: %s %v", r, why, err)
		}
	}
}

// TestFileRefusals checks which searches cannot be saved in a file.
func TestFileRefusals(t *testing.T) {
	for _, c := range []struct {
		options explore.Options
		want    string
	}{
		{explore.Options{Method: explore.Method{Reduction: explore.SourceSets, States: explore.ByHash}}, "would have to hold all states"},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, RandomBranch: true}}, "would have to hold all unexplored branches"},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, DelayBound: 2}}, "restart the search with the bound"},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, PreemptionBound: 2}}, "restart the search with the bound"},
	} {
		c.options.File = "kept"
		if _, err := explore.Explore(c.options, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.options, err, c.want)
		}
	}
	if _, err := explore.Explore(explore.Options{File: "kept"}, nil, nil); err == nil || !strings.Contains(err.Error(), "needs a single worker") {
		t.Errorf("two workers: %v", err)
	}
}

// TestOldFiles checks that a search continues from files that an older jostle wrote in this version of the format. They
// hold pi(4) after 10 runs. In one file an actor may crash.
func TestOldFiles(t *testing.T) {
	for name, m := range map[string]explore.Method{
		"optimal": {}, "source": {Reduction: explore.SourceSets}, "everything": {Reduction: explore.Everything, CountDistinct: true},
		"dcute": {Reduction: explore.DCUTE, Sleep: true}, "everything-sleep": {Reduction: explore.Everything, Sleep: true}, "crash": {},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", "kept", name))
		if err != nil {
			t.Fatal(err)
		}
		so := pulse.Options{Faults: pulse.Faults{Crash: count(name == "crash")}}
		want, err := explore.Explore(explore.Options{Method: m, KeepOn: true}, on(so, load.Pi(4).Build))
		if err != nil || !want.Complete {
			t.Fatal(want, err)
		}
		o := explore.Options{Method: m, KeepOn: true, File: filepath.Join(t.TempDir(), "kept")}
		if err := os.WriteFile(o.File, text, 0o600); err != nil {
			t.Fatal(err)
		}
		left := 0
		got, err := explore.Explore(o, on(so, load.Pi(4).Build).tell(func(explore.Run) { left++ }))
		if err != nil || got.Runs != want.Runs || got.Wasted != want.Wasted || got.Steps != want.Steps || got.Distinct != want.Distinct || left == want.Runs {
			t.Errorf("%s: %+v %v, want %+v; %d runs were made", name, got, err, want, left)
		}
	}
}
