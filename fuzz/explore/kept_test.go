package explore

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/orders"
	"github.com/jostle-go/jostle/fuzz/subjects/server"
	"github.com/jostle-go/jostle/pulse"
)

// anew makes a program that has a new system in each run.
func anew(o pulse.Options, build func(*pulse.System) func() error) Program {
	return func(s pulse.Strategy) Run {
		o.Strategy = s
		sys := pulse.New(o)
		defer sys.Close()
		build(sys)
		sys.Run()
		return Run{System: sys, Failure: sys.Failure()}
	}
}

// keptAfter makes a search of so many runs. It returns the explorer, and what
// was written of it.
func keptAfter(tb testing.TB, program Program, o Options, runs int) (*explorer, []byte) {
	tb.Helper()
	o.File, o.Runs, o.KeepOn = filepath.Join(tb.TempDir(), "kept"), runs, true
	x := newExplorer(program, o)
	if err := x.open(); err != nil {
		tb.Fatal(err)
	}
	x.levels()
	text, err := x.kept().encode()
	if x.verdict.Bound != "runs" || err != nil {
		tb.Fatalf("%+v %v", x.verdict, err)
	}
	return x, text
}

func keptPrograms() map[string]Program {
	list := map[string]Program{"pi(4)": anew(pulse.Options{}, load.Pi(4).Build), "server": anew(server.Options(), server.Config{}.Build)}
	for _, p := range orders.All() {
		list[p.Name] = anew(p.Options, p.Build)
	}
	return list
}

// TestNothingIsForgotten holds that what is written of a search is all of it:
// read back it is the same, down to the last field.
func TestNothingIsForgotten(t *testing.T) {
	after := []int{2, 9}
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		after = []int{1, 2, 3, 5, 9, 30, 100}
	}
	for name, program := range keptPrograms() {
		for _, r := range Reductions() {
			for _, runs := range after {
				o := Options{Reduction: r, Ordering: OrderSGR, CountDistinct: true}
				if v, err := Explore(program, Options{Reduction: r, Ordering: OrderSGR, KeepOn: true, Runs: runs + 1}); err != nil || v.Bound == "" {
					continue
				}
				x, text := keptAfter(t, program, o, runs)
				k, err := decode(text)
				if err != nil {
					t.Fatalf("%s, %v: %v", name, r, err)
				}
				y := newExplorer(program, x.options)
				y.file = &keeper{search: k.Search, left: y.walker.keep}
				y.restore(k)
				if !reflect.DeepEqual(append([]node{}, x.walker.nodes...), append([]node{}, y.walker.nodes...)) || !bytes.Equal(text[:20], []byte("jostle exploration 1")) {
					t.Errorf("%s, %v: %+v, read %+v", name, r, x.walker.nodes, y.walker.nodes)
				}
				if !reflect.DeepEqual(append([]cand{}, x.walker.cands...), append([]cand{}, y.walker.cands...)) {
					t.Errorf("%s, %v: %+v, read %+v", name, r, x.walker.cands, y.walker.cands)
				}
				if !reflect.DeepEqual(x.walker.habits, y.walker.habits) || !reflect.DeepEqual(x.walker.touches.sets, y.walker.touches.sets) {
					t.Errorf("%s, %v: other habits or touches", name, r)
				}
				if x.from != y.from && r != Optimal || x.made() != y.made() || !reflect.DeepEqual(x.classes, y.classes) {
					t.Errorf("%s, %v: from step %d, read %d; %+v, read %+v", name, r, x.from, y.from, x.verdict, y.verdict)
				}
				z := kept{}
				for i := range k.Frames {
					z.Frames = append(z.Frames, k.Frames[i].restore().keep())
				}
				if !reflect.DeepEqual(z.Frames, k.Frames) {
					t.Errorf("%s, %v: %+v, read %+v", name, r, k.Frames, z.Frames)
				}
			}
		}
	}
}

// TestKeptFields counts the fields of what is kept: who adds one must see to
// it that the file holds it, or that it need not.
func TestKeptFields(t *testing.T) {
	for _, c := range []struct {
		of   any
		want int
	}{{node{}, 14}, {cand{}, 8}, {frame{}, 7}, {taken{}, 9}, {alt{}, 2}, {reply{}, 2}, {revisit{}, 2}, {habits{}, 4}} {
		if n := reflect.TypeOf(c.of).NumField(); n != c.want {
			t.Errorf("%T has %d fields, and had %d when kept.go was written: keep the new one there, and count it here", c.of, n, c.want)
		}
	}
}

// FuzzDecodeFile holds that any file is either refused or can be taken over.
func FuzzDecodeFile(f *testing.F) {
	for _, o := range []Options{{}, {Reduction: SourceSets}, {Reduction: Everything}, {Reduction: DCUTE, Ordering: OrderSGR, CountDistinct: true}} {
		_, text := keptAfter(f, anew(pulse.Options{}, load.Pi(3).Build), o, 5)
		f.Add(text)
		_, body, _ := bytes.Cut(text, []byte("\n"))
		f.Add(body)
	}
	f.Add([]byte("jostle exploration 2 0\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		takeOver(t, data)
		takeOver(t, append([]byte(keptForm+keptVersion+" "+checksum(data)+"\n"), data...))
	})
}

// takeOver takes over a file if it can be.
func takeOver(t *testing.T, data []byte) {
	k, err := decode(data)
	if err != nil {
		if !strings.Contains(err.Error(), ": ") {
			t.Errorf("%v: does not say what to do", err)
		}
		return
	}
	x := newExplorer(nil, Options{Reduction: reductionOf(k.Used), CountDistinct: true})
	x.file = &keeper{search: k.Search, left: x.walker.keep}
	x.restore(k)
	for i := range k.Frames {
		k.Frames[i].restore()
	}
	text, err := x.kept().encode()
	if err != nil {
		t.Fatal(err)
	}
	if len(k.Frames) == 0 {
		if _, err := decode(text); err != nil {
			t.Error(err)
		}
	}
}

// TestGuessOfBranches holds that Eta's estimate, which is kept up run by run,
// is what the tree says, and the number of runs in the end.
func TestGuessOfBranches(t *testing.T) {
	x := newExplorer(anew(pulse.Options{}, load.Pi(3).Build), Options{Reduction: Everything, RandomBranch: true, Seed: 7})
	x.options.Done = func(Run) {
		b := x.brancher
		if x.verdict.Runs%9 != 2 {
			return
		}
		if size := b.sizeOf(b.path[0].fork); size < b.size*0.999 || size > b.size*1.001 {
			t.Fatalf("after %d runs the guess is %v, and should be %v", x.verdict.Runs, b.size, size)
		}
	}
	if !x.branches() || x.guess() != 540 || len(x.brancher.free) != len(x.brancher.forks) {
		t.Errorf("guess %v of 540 runs, %d of %d forks free", x.guess(), len(x.brancher.free), len(x.brancher.forks))
	}
}

// sizeOf is the estimate of what lies below a fork, by Eta's definition.
func (b *brancher) sizeOf(at int32) float64 {
	f := &b.forks[at]
	sum, seen := f.leaves, float64(f.done)
	free := map[int32]bool{}
	for _, i := range b.free {
		free[i] = true
	}
	for i := range b.forks {
		if g := &b.forks[i]; g.from.fork == at && !free[int32(i)] && g.done+g.begun > 0 {
			sum, seen = sum+b.sizeOf(int32(i)), seen+1
		}
	}
	return sum / seen * float64(f.n)
}
