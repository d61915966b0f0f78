package fuzz

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Check searches for a run in which the property does not hold, for a few
// seconds, and fails the test if there is one. Cases that failed before run first.
func Check(t *testing.T, property func(*props.T)) {
	t.Helper()
	Config{}.Check(t, property)
}

// Check is Check with settings.
func (c Config) Check(t *testing.T, property func(*props.T)) {
	t.Helper()
	s, err := c.settle()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range s.strategies {
		if _, err := strategy.ByName(name); err != nil {
			t.Fatal(err)
		}
	}
	k := newChecker(t, s, property)
	if s.replay != "" {
		k.replayOne()
		return
	}
	if k.replaySaved() {
		k.search()
	}
}

// A checker is one call of Check, or of Explore: what both do with saved cases
// and with findings.
type checker struct {
	settings
	t        testing.TB
	property func(*props.T)
	folder   corpus.Folder
	start    time.Time
}

func newChecker(t testing.TB, s settings, property func(*props.T)) *checker {
	return &checker{t: t, settings: s, property: property, folder: corpus.FolderOf(s.folder, t.Name())}
}

// print writes lines to the test's output, without the position in this
// package that t.Log would put before them.
func (k *checker) print(text string) {
	fmt.Fprint(k.t.Output(), text)
}

// replaySaved runs the cases that failed before. It says whether to go on.
func (k *checker) replaySaved() bool {
	k.t.Helper()
	entries, problems := k.folder.Load()
	for _, p := range problems {
		k.t.Error(p)
	}
	r := props.NewRunner(k.t.Name(), k.property)
	defer r.Close()
	for _, e := range entries {
		if !k.replayEntry(r, e, false) {
			return false
		}
	}
	return len(problems) == 0
}

// replayEntry runs one saved case. It says whether the property held. With
// full it shows the whole trace.
func (k *checker) replayEntry(r *props.Runner, e corpus.Case, full bool) bool {
	k.t.Helper()
	start := time.Now()
	res, how := play(r, &e)
	if full && res.System != nil {
		k.print(indented(res.System.Trace().Text()))
	}
	if res.Failure == nil {
		k.t.Logf("case %s passes now (%s); it may be deleted", filepath.Base(e.Path), how)
		return true
	}
	f := newFinding(k.t.Name(), e.Strategy, e.Seed, &res)
	f.confirm(r)
	k.fail(f, fmt.Sprintf("saved case %s (%s), %s", filepath.Base(e.Path), how, elapsed(start)), e.Path)
	return false
}

// play runs a case as it was; or by its schedule, if it never ran; or, if the
// program has changed since, as far as the case still applies. It says which.
func play(r *props.Runner, e *corpus.Case) (props.Result, string) {
	if e.Planned() {
		ordered := strategy.Ordered(&e.Schedule)
		res := r.Run(props.Plan{Inputs: e.Inputs, Strategy: ordered})
		return res, fmt.Sprintf("by its schedule, %s not met", plural(len(ordered.Unmet()), "constraint"))
	}
	replayer := strategy.Replay(&e.Record, strategy.ReplayOptions{})
	res := r.Run(props.Plan{Inputs: e.Inputs, Strategy: replayer})
	difference := firstDifference(&res, replayer, e.Hash)
	if difference == "" {
		return res, "as saved"
	}
	replayer = strategy.Replay(&e.Record, strategy.ReplayOptions{Lenient: true})
	res = r.Run(props.Plan{Inputs: e.Inputs, Strategy: replayer})
	how := fmt.Sprintf("the program has changed since: %s; of its decisions %d no longer apply", difference, len(replayer.Stale()))
	if res.System != nil {
		for _, change := range changedSettings(e.Settings, settingsOf(res.System.Options())) {
			how += "; " + change
		}
	}
	return res, how
}

// firstDifference says in what a strict replay differs from what was saved, ""
// when in nothing.
func firstDifference(res *props.Result, replayer *strategy.Replayer, hash uint64) string {
	switch {
	case res.Stray != "":
		return res.Stray
	case replayer.Done() != nil:
		return replayer.Done().Error()
	case res.System != nil && res.System.Trace().Hash != hash:
		return fmt.Sprintf("the trace is another (%016x, was %016x)", res.System.Trace().Hash, hash)
	}
	return ""
}

// replayOne runs only the case that JOSTLE_REPLAY names, and shows its trace.
func (k *checker) replayOne() {
	k.t.Helper()
	e, err := k.folder.Find(k.replay)
	if err != nil {
		k.t.Fatal(err)
	}
	r := props.NewRunner(k.t.Name(), k.property)
	defer r.Close()
	k.replayEntry(r, e, true)
}

// search goes through the portfolio.
func (k *checker) search() {
	k.t.Helper()
	k.start = time.Now()
	x := newSearch(k.settings, k.t.Name(), k.property)
	defer x.close()
	f := x.run()
	k.complainOfLate(x.runners)
	if f == nil {
		k.summarize(x)
		return
	}
	k.keep(f, x.runners[0], fmt.Sprintf("run %d of %d (%s), %s", f.index+1, x.tally.runs, f.kase.Strategy, elapsed(k.start)))
}

// complainOfLate fails the test for goroutines that outlived the last run.
func (k *checker) complainOfLate(runners []*props.Runner) {
	k.t.Helper()
	for _, r := range runners {
		if late := r.Late(); late != nil {
			k.t.Error(late)
		}
	}
}

// keep replays a finding, saves it and fails the test with it.
func (k *checker) keep(f *finding, r *props.Runner, run string) {
	k.t.Helper()
	f.confirm(r)
	path, err := k.save(f)
	if err != nil {
		k.t.Error(err)
	}
	k.fail(f, run, path)
}

// save keeps a finding as a file, and what belongs to it beside that. A run
// without a system has nothing to keep but its inputs, which is worth it too.
func (k *checker) save(f *finding) (string, error) {
	e := *f.kase
	e.Property, e.Signature, e.Comment = e.Test, f.failure.Signature(), f.comment()
	if f.trace != nil {
		e.Hash = f.trace.Hash
	}
	path, _, err := k.folder.Save(e)
	if err != nil {
		return path, err
	}
	for _, a := range f.attachments {
		beside := strings.TrimSuffix(path, filepath.Ext(path)) + "-" + a.name
		if err := os.WriteFile(beside, a.data, 0o644); err != nil {
			return path, err
		}
	}
	return path, nil
}

// fail says what was found and fails the test.
func (k *checker) fail(f *finding, run, path string) {
	k.print(f.report(run, k.t.Name(), path))
	k.t.Fail()
}

// summarize says what was run when nothing was found, and fails a test that
// did not test what it seems to.
func (k *checker) summarize(x *search) {
	k.t.Helper()
	t := &x.tally
	k.complainOfRejected(t.rejected, t.runs)
	if t.skipped == t.runs {
		k.t.Errorf("all of %d runs were skipped: nothing was tested (%s)", t.runs, t.skips)
	}
	k.complainOfMissed(x.runners, t.runs)
	k.t.Logf("%d runs in %s (%s), %d steps, %d orders of two receives seen", t.runs, elapsed(k.start), t.strategies(), t.steps, t.pairs)
}

// complainOfRejected fails the test for draws that hardly ever give a value.
func (k *checker) complainOfRejected(byLabel map[string]int, runs int) {
	k.t.Helper()
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		n := byLabel[label]
		if 10*n >= 9*runs {
			k.t.Errorf("draw %q found no value in %d of %d runs: its generator rejects too much; make what is wanted instead of filtering", label, n, runs)
		}
	}
}

// complainOfMissed fails the test for situations that no worker has reached.
func (k *checker) complainOfMissed(runners []*props.Runner, runs int) {
	k.t.Helper()
	missed := runners[0].Missed()
	for _, r := range runners[1:] {
		other := r.Missed()
		missed = slices.DeleteFunc(missed, func(name string) bool { return !slices.Contains(other, name) })
	}
	for _, name := range missed {
		k.t.Errorf("sometimes %q: reached in none of %d runs: the test tests less than it seems to", name, runs)
	}
}
