package fuzz

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/distill"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/flight"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/props"
)

// A verb is one call of Check, Explore or Target: what all of them do with
// saved cases and with findings.
type verb struct {
	Config
	t        output
	name     string // of the verb
	property search.Property
	folder   corpus.Folder
	limit    search.Limit
	dog      *search.Watchdog
	shower   *shower
	keeper   *search.Keeper
}

// begin makes a verb, or fails the test when it is called wrongly.
func (c Config) begin(t testing.TB, name string, usual time.Duration, property func(*props.T)) *verb {
	t.Helper()
	out := output{t}
	if property == nil {
		out.Fatalf("fuzz.%s: the property is nil: give it a func(*props.T)", name)
	}
	if err := c.refuse(name); err != nil {
		out.Fatal(err)
	}
	c, err := c.settle(usual)
	if err != nil {
		out.Fatal(err)
	}
	v := &verb{Config: c, t: out, name: name, property: search.PropertyOf(property, t.Name()), limit: search.LimitOf(t), shower: newShower()}
	v.dog = newWatchdog(v.limit)
	v.folder = corpus.FolderOf(c.Folder, v.property.Name)
	v.keeper = &search.Keeper{Folder: v.folder, Left: v.Shrink, Limit: v.limit, Shown: shown, Progress: v.shrinking,
		Pages: os.Getenv("JOSTLE_OUT") != "", Repair: os.Getenv("JOSTLE_REPAIR") == "1"}
	_, benchmark := t.(*testing.B)
	v.property.Made = func(r *props.Runner) {
		v.dog.Look(r)
		if !benchmark { // which may explore a million times
			askAtTheEnd(out, r)
		}
	}
	return v
}

// askAtTheEnd fails a test for what goroutines of a property have done wrong
// when the test is over. Its last runs may be over for long by then.
func askAtTheEnd(t output, r *props.Runner) {
	t.Cleanup(func() {
		if late := r.Over(); late != nil {
			t.Error(late)
		}
	})
}

// context returns that of a search, which ends with the budget and before go test
// ends the process.
func (v *verb) context() (context.Context, context.CancelFunc) {
	var end time.Time
	if v.Budget > 0 {
		end = time.Now().Add(v.Budget)
	}
	if end = v.limit.Before(end); end.IsZero() {
		return context.WithCancel(context.Background())
	}
	return context.WithDeadline(context.Background(), end)
}

// cache is where passing runs are kept for other searches, if JOSTLE_DISTILL asks for that.
func (v *verb) cache() (c distill.Cache) {
	if os.Getenv("JOSTLE_DISTILL") == "1" {
		c = v.property.Cache(cacheFolder(packageFolder))
	}
	return c
}

// replay runs the case that JOSTLE_REPLAY names, or else all saved cases. It
// returns what keeps a search from following, "" when nothing does.
func (v *verb) replay() (bound string) {
	v.t.Helper()
	if name := os.Getenv("JOSTLE_REPLAY"); name != "" {
		v.replayOne(name)
		return "replay"
	}
	if !v.replaySaved() {
		return "saved case"
	}
	return ""
}

// replaySaved runs the cases that failed before. It reports whether all of
// them could be read and the property held in each.
func (v *verb) replaySaved() bool {
	v.t.Helper()
	r := v.property.NewRunner()
	defer r.Close()
	if v.keeper.Repair {
		for _, path := range finding.Tidy(v.folder, r) {
			v.t.Logf("removed case %s: another shows the same failure, and is no larger", filepath.Base(path))
		}
	}
	cases, problems := v.folder.Load()
	if v.property.Name != v.property.Test {
		old, more := corpus.FolderOf(v.Folder, v.property.Test).LoadOld()
		cases, problems = append(cases, old...), append(problems, more...)
	}
	for _, p := range problems {
		v.t.Error(p)
	}
	held := true
	for i := range cases {
		v.property.Recorder.Slot(0).Begin(flight.Saved, i)
		if held = v.replayCase(r, &cases[i], false) && held; !held && !v.keeper.Repair { // which is for all of them
			return false
		}
	}
	return held && len(problems) == 0
}

// replayOne runs only the case of that name, and shows its trace.
func (v *verb) replayOne(name string) {
	v.t.Helper()
	if inside := inPackage(name); isFile(inside) {
		name = inside
	}
	c, err := v.folder.Find(name)
	if old := corpus.FolderOf(v.Folder, v.property.Test); errors.Is(err, corpus.ErrElsewhere) && old != v.folder {
		if c, err = old.Find(name); err == nil && c.Property != "" {
			err = corpus.ErrElsewhere
		}
	}
	switch {
	case errors.Is(err, corpus.ErrElsewhere):
		v.t.Logf("nothing was run: JOSTLE_REPLAY asks for the case %s, which is not of %s", name, v.property.Name)
		return
	case err != nil:
		v.t.Fatal(err)
	}
	r := v.property.NewRunner()
	defer r.Close()
	v.replayCase(r, &c, true)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// replayCase runs one saved case. It reports whether the property held. With
// full it shows the whole trace.
func (v *verb) replayCase(r *props.Runner, c *corpus.Case, full bool) bool {
	v.t.Helper()
	start := time.Now()
	played := finding.Play(r, c)
	res := &played.Result
	if full && res.System != nil {
		v.t.print(words.Indented(res.System.Trace().Text()))
	}
	file := filepath.Base(c.Path)
	if v.keeper.Repair && v.renewed(&played, c) {
		return true
	}
	if v.keeper.Repair && !played.Exact {
		if v.repaired(r, c, &played) {
			return false
		}
		played = finding.Play(r, c) // other runs have been made since
	}
	if res.Failure == nil {
		v.t.Log(played.Held(file, v.property.Name == v.property.Test))
		return true
	}
	f := played.Finding(r, finding.Origin{Property: v.property.Name, Test: v.property.Test, Strategy: c.Strategy, Seed: c.Seed}, c)
	run := fmt.Sprintf("saved case %s (%s), %s", file, played.How, words.Elapsed(time.Since(start)))
	f, kept, err := v.keeper.Retell(r, f, c)
	if v.fail(f, run, kept); err != nil {
		v.t.Error(err)
	}
	return false
}

// renewed saves a mended case of a program that sends more now as a regression test. It
// reports whether that was done.
func (v *verb) renewed(played *finding.Played, c *corpus.Case) bool {
	v.t.Helper()
	path, err := played.Renew(v.folder, c)
	if err != nil {
		v.t.Error(err)
	}
	if path == "" {
		return false
	}
	v.t.Logf("case %s: its failure is mended; saved as a regression test: %s", filepath.Base(c.Path), filepath.Base(path))
	return true
}

// repaired looks for a run in place of a stale case. It reports whether one was found:
// then it is kept, the case removed, and the test failed.
func (v *verb) repaired(r *props.Runner, c *corpus.Case, played *finding.Played) bool {
	v.t.Helper()
	ctx, cancel := v.context()
	defer cancel()
	f, ok := search.Repair(ctx, r, c)
	if !ok {
		v.t.Log(played.Unrepaired(filepath.Base(c.Path)))
		return false
	}
	path := v.keep(f, fmt.Sprintf("near case %s (%s)", filepath.Base(c.Path), played.How))
	if path != "" && path != c.Path && !f.Case.OfLiteral() { // else another literal may have failed so
		os.Remove(c.Path)
	}
	return true
}

// keep shrinks and saves a finding, if it is worth it, and fails the test with it. It
// returns the path of the case, "" when there is none.
func (v *verb) keep(f *finding.Finding, run string) (path string) {
	v.t.Helper()
	r := v.property.NewRunner()
	defer r.Close()
	f, kept, err := v.keeper.Save(r, f)
	if err != nil {
		defer v.notSaved(f, kept.Path, err)
	}
	v.fail(f, run, kept)
	return kept.Path
}

// notSaved tells why a finding was not saved, and shows the case itself unless
// that has been saved.
func (v *verb) notSaved(f *finding.Finding, path string, err error) {
	v.t.Error(err)
	if path == "" {
		v.t.print("put this into a file whose name ends in .case, in " + v.folder.Dir + ", and it runs first from then on:\n\n" + f.Whole() + "\n")
	}
}

// fail tells what was found and fails the test.
func (v *verb) fail(f *finding.Finding, run string, kept finding.Kept) {
	text := f.Text(run) + fmt.Sprintf("        again: %s%s\n", settingsFor(kept.Path), words.Command(v.property.Test, packageFolder))
	if kept.Path != "" {
		text += "        " + kept.Line(shown) + "\n"
	}
	v.t.print(text)
	v.t.Fail()
}

// complain fails the test for each complaint.
func (v *verb) complain(list []string) {
	v.t.Helper()
	for _, text := range list {
		v.t.Error(text)
	}
}
