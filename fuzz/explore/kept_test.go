package explore

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/orders"
	"github.com/jostle-go/jostle/fuzz/subjects/server"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A newWorker makes a new system for each run.
type newWorker struct {
	options pulse.Options
	build   func(*pulse.System) func() error
	done    func() // may be nil
}

func anew(o pulse.Options, build func(*pulse.System) func() error) *newWorker {
	return &newWorker{options: o, build: build}
}

func (w *newWorker) Run(s pulse.Strategy) Run {
	w.options.Strategy = s
	sys := pulse.New(w.options)
	defer sys.Close()
	w.build(sys)
	sys.Run()
	return Run{System: sys, Failure: sys.Failure()}
}

func (w *newWorker) Done(Run) {
	if w.done != nil {
		w.done()
	}
}

func (w *newWorker) Again() {}

// keptAfter runs a search for n runs. It returns the explorer, and the contents of its
// file.
func keptAfter(tb testing.TB, program Worker, o Options, runs int) (*explorer, []byte) {
	tb.Helper()
	o.File, o.Runs, o.KeepOn = filepath.Join(tb.TempDir(), "kept"), runs, true
	x := newExplorer(o, []Worker{program})
	if err := x.open(); err != nil {
		tb.Fatal(err)
	}
	x.explore()
	text, err := x.kept().encode()
	if r := x.search.tally.result; r.Bound != "runs" || err != nil {
		tb.Fatalf("%+v %v", r, err)
	}
	return x, text
}

// pathOf returns the path of a search and its steps' touches, both empty if the search has no path. It also returns how
// many steps the next run shares with this path.
func (x *explorer) pathOf() (path, [][]trace.Touch, int) {
	if d, is := x.way.(*depthFirst); is {
		return d.walker.path, d.walker.sleeping.touches.sets, d.shared
	}
	return path{}, nil, 0
}

func keptPrograms() map[string]Worker {
	list := map[string]Worker{"pi(4)": anew(pulse.Options{}, load.Pi(4).Build), "server": anew(server.Options(), server.Config{}.Build),
		"pi(3) with a crash": anew(pulse.Options{Faults: pulse.Faults{Crash: 1}}, load.Pi(3).Build)}
	for _, p := range orders.All() {
		list[p.Name] = anew(p.Options, p.Build)
	}
	return list
}

// TestNothingIsForgotten checks that the file of a search is complete: the search read back from it equals the original
// in every field.
func TestNothingIsForgotten(t *testing.T) {
	after := []int{9}
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		after = []int{1, 2, 3, 5, 9, 30, 100}
	}
	for name, program := range keptPrograms() {
		for _, r := range Reductions() {
			for _, runs := range after {
				o := Options{Method: Method{Reduction: r, Ordering: OrderSGR, CountDistinct: true}}
				if v, err := Explore(Options{Method: Method{Reduction: r, Ordering: OrderSGR}, KeepOn: true, Runs: runs + 1}, program); err != nil || v.Bound == "" {
					continue
				}
				x, text := keptAfter(t, program, o, runs)
				k, err := decode(text)
				if err != nil {
					t.Fatalf("%s, %v: %v", name, r, err)
				}
				y := newExplorer(x.options, []Worker{program})
				y.file = &keeper{method: k.Search}
				y.restore(k)
				xPath, xTouches, xShared := x.pathOf()
				yPath, yTouches, yShared := y.pathOf()
				xTally, yTally := &x.search.tally, &y.search.tally
				if !reflect.DeepEqual(append([]node{}, xPath.nodes...), append([]node{}, yPath.nodes...)) || !bytes.Equal(text[:20], []byte("jostle exploration 2")) {
					t.Errorf("%s, %v: %+v, read %+v", name, r, xPath.nodes, yPath.nodes)
				}
				if !reflect.DeepEqual(append([]candidate{}, xPath.candidates...), append([]candidate{}, yPath.candidates...)) {
					t.Errorf("%s, %v: %+v, read %+v", name, r, xPath.candidates, yPath.candidates)
				}
				if !reflect.DeepEqual(x.search.habits, y.search.habits) || !reflect.DeepEqual(xTouches, yTouches) {
					t.Errorf("%s, %v: other habits or touches", name, r)
				}
				if xShared != yShared || xTally.result.made() != yTally.result.made() || !reflect.DeepEqual(xTally.classes, yTally.classes) {
					t.Errorf("%s, %v: %d steps shared, read %d; %+v, read %+v", name, r, xShared, yShared, xTally.result, yTally.result)
				}
				z := kept{}
				for i := range k.Frames {
					z.Frames = append(z.Frames, keptFrameOf(k.Frames[i].frame()))
				}
				if !reflect.DeepEqual(z.Frames, k.Frames) {
					t.Errorf("%s, %v: %+v, read %+v", name, r, k.Frames, z.Frames)
				}
			}
		}
	}
}

// TestKeptFields counts the fields that a file holds. Whoever adds a field must also save it, or decide that the file
// does not need it.
func TestKeptFields(t *testing.T) {
	for _, c := range []struct {
		of   any
		want int
	}{{node{}, 12}, {candidate{}, 9}, {frame{}, 8}, {frameStep{}, 9}, {alt{}, 2}, {reply{}, 2}, {revisit{}, 3}, {habits{}, 5}} {
		if n := reflect.TypeOf(c.of).NumField(); n != c.want {
			t.Errorf("%T has %d fields, and had %d when kept.go was written: keep the new one there, and count it here", c.of, n, c.want)
		}
	}
}

// FuzzDecodeFile checks that any file is either refused or continued.
func FuzzDecodeFile(f *testing.F) {
	for _, o := range []Options{{}, {Method: Method{Reduction: SourceSets}}, {Method: Method{Reduction: Everything}}, {Method: Method{Reduction: DCUTE, Ordering: OrderSGR, CountDistinct: true}}} {
		_, text := keptAfter(f, anew(pulse.Options{}, load.Pi(3).Build), o, 5)
		f.Add(text)
		_, body, _ := bytes.Cut(text, []byte("\n"))
		f.Add(body)
	}
	f.Add([]byte("jostle exploration 3 0\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		takeOver(t, data)
		takeOver(t, append([]byte(keptForm+keptVersion+" "+checksum(data)+"\n"), data...))
	})
}

// takeOver continues a search from a file if the file is valid.
func takeOver(t *testing.T, data []byte) {
	k, err := decode(data)
	if err != nil {
		if !strings.Contains(err.Error(), ": ") {
			t.Errorf("%v: does not say what to do", err)
		}
		return
	}
	used, _ := reductionOf(k.Used)
	x := newExplorer(Options{Method: Method{Reduction: used, CountDistinct: true}}, []Worker{nil})
	x.file = &keeper{method: k.Search}
	x.restore(k)
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

// TestForksAreForgotten checks that a search keeps no fork of a subtree that it has completed.
func TestForksAreForgotten(t *testing.T) {
	s := newSearch(&Options{Method: Method{Reduction: Everything, RandomBranch: true}, Seed: 7}, anew(pulse.Options{}, load.Pi(3).Build), time.Now(), false)
	d := newDepthFirst(s)
	if b := d.branches; !d.explore() || s.tally.result.Runs != 540 || len(b.free) != len(b.forks) || len(b.forks) == 0 {
		t.Errorf("%d runs, want 540; %d of %d forks free", s.tally.result.Runs, len(b.free), len(b.forks))
	}
}
