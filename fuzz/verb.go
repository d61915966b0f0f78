package fuzz

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
)

// A verb is one call to Check, MustFind, Explore or Target. It sends requests to a session and
// prints the replies.
type verb struct {
	Config
	t       output
	name    string // "Check", "MustFind", "Explore" or "Target"
	session *session.Session
	dog     *search.Watchdog
	shower  *shower
	sought  bool // set if the method alone has been called
}

// begin returns a verb with the given name. If the settings are wrong, it fails and ends the test.
// The parameter usual is the default budget.
func (c Config) begin(t testing.TB, name string, usual time.Duration, property func(*props.T)) *verb {
	t.Helper()
	out := output{t}
	if property == nil {
		out.Fatalf("fuzz.%s: the property is nil: give it a func(*props.T)", name)
	}
	e, err := env.Read(search.Names())
	if err == nil {
		err = c.refuse(name)
	}
	var arms []search.Entry
	shares := name == "Check" && c.Budget == 0 && e.Budget == 0
	if c = c.settle(&e, usual); err == nil {
		arms, err = portfolio(c.Strategies)
	}
	if err != nil {
		out.Fatal(err)
	}
	v := &verb{Config: c, t: out, name: name, shower: newShower()}
	s := &session.Session{Property: search.PropertyOf(property, t.Name()), Portfolio: arms, Workers: c.Workers, Passed: v.shower.passed(),
		Explore: search.ExploreOptions{Method: c.Method, Inputs: c.Inputs, KeepOn: c.KeepOn, Estimate: c.Estimate, File: c.File},
		Shrink:  c.Shrink, Limit: search.LimitOf(t), Pages: e.Out != "", Repair: e.Repair, Shown: shown, Shrinking: v.shrinking}
	if d, ok := t.(doubter); ok {
		s.Property.Existing, s.Spent = true, d.SpentByJostle()
	}
	s.Folder = corpus.FolderOf(c.Folder, s.Property.Name)
	if c.Strategies == nil && c.Runs == 0 {
		s.FewFor = c.Budget / fewPart
	}
	if e.Distill && name != "MustFind" {
		s.Cache = s.Property.Cache(env.Cache(packageFolder))
	}
	v.session, v.dog = s, newWatchdog(&e, s.Limit)
	_, benchmark := t.(*testing.B)
	if shares && c.Runs == 0 && !benchmark { // a benchmark gets its full time in each call, so that its results are comparable
		s.Share = func() (time.Duration, func()) {
			return ofProcess.begin(time.Now(), c.Budget), func() { ofProcess.end(time.Now()) }
		}
	}
	s.Property.Made = func(r *props.Runner) {
		v.dog.Look(r)
		if !benchmark { // a benchmark may call the verb a million times, and would keep a Cleanup for each call
			askAtTheEnd(out, r)
		}
	}
	return v
}

// portfolio returns the strategies with the given names. It returns nil if strategies is nil.
func portfolio(strategies []string) ([]search.Entry, error) {
	if strategies == nil {
		return nil, nil
	}
	return search.Strategies(strategies...)
}

// fewPart limits the time in which Check tries to run all distinct orders to 1/fewPart of the
// budget.
const fewPart = 10

// askAtTheEnd makes the test fail at its end if a goroutine of the property has failed, which may
// happen long after its run.
func askAtTheEnd(t output, r *props.Runner) {
	t.Cleanup(func() {
		if late := r.Over(); late != nil {
			t.Error(late)
		}
	})
}

// request returns a request with the settings of the verb.
func (v *verb) request(do session.Kind) *session.Request {
	return &session.Request{Do: do, Seed: v.Seed, Runs: v.Runs, Time: v.Budget}
}

// ask sends a request to the session and prints the reply.
func (v *verb) ask(do session.Kind) *session.Reply {
	v.t.Helper()
	r, err := v.session.Do(v.t.Context(), v.request(do))
	if err != nil {
		v.t.Fatal(err)
	}
	v.tell(r)
	return r
}

// tell prints a reply, and fails the test if it has findings or problems.
func (v *verb) tell(r *session.Reply) {
	v.t.Helper()
	for _, text := range r.Notes {
		v.t.Log(text)
	}
	for i := range r.Findings {
		v.fail(&r.Findings[i])
	}
	for _, text := range r.Problems {
		v.t.Error(text)
	}
	for _, text := range r.Doubts {
		v.t.TB.(doubter).DoubtedByJostle(text)
	}
}

// A doubter is a test that does not know of jostle and runs under package existing.
// Instead of failing because of a possible false alarm, it stores the reason.
type doubter interface {
	DoubtedByJostle(reason string)
	// StalledByJostle is called instead of reporting a run without progress.
	StalledByJostle()
	// EnvironmentOfJostle returns the environment in which a new process of the test binary runs
	// existing tests under control too, or nil for that of this process.
	EnvironmentOfJostle() []string
	// SpentByJostle returns the time that runs before the search have taken.
	SpentByJostle() time.Duration
}

// again returns the shell command that repeats the test.
func (v *verb) again() string {
	return v.launch().Command(flight.Selection(v.session.Property.Test))
}

// replay runs the case that JOSTLE_REPLAY names, or all saved cases if JOSTLE_REPLAY is not set. It
// returns explore.NoBound if a search may follow, else the reason why no search may follow.
func (v *verb) replay() explore.Bound {
	v.t.Helper()
	if name := os.Getenv("JOSTLE_REPLAY"); name != "" {
		v.replayOne(name)
		return explore.BoundReplay
	}
	if r := v.ask(session.Saved); r.Fails() {
		return explore.BoundSaved
	}
	return explore.NoBound
}

// replayOne runs only the case with the given name, and prints its trace.
func (v *verb) replayOne(name string) {
	v.t.Helper()
	q := v.request(session.Replay)
	if q.File = name; isFile(inPackage(name)) {
		q.File = inPackage(name)
	}
	r, err := v.session.Do(context.Background(), q)
	switch {
	case errors.Is(err, corpus.ErrElsewhere):
		v.t.Logf("nothing was run: the case %s of JOSTLE_REPLAY does not belong to %s", name, v.session.Property.Name)
	case err != nil:
		v.t.Fatal(err)
	default:
		answer(r)
		v.t.print(words.Indented(r.Trace))
		v.tell(r)
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// hurry returns a message if go test -timeout ended the search before its budget was used.
// Otherwise it returns "".
func (v *verb) hurry() string {
	if !v.session.Limit.Struck() {
		return ""
	}
	_, budget := v.inWords()
	return fmt.Sprintf("ended early, %s before go test -timeout: raise -timeout or lower %s",
		words.Elapsed(v.session.Limit.Margin), budget)
}

// searching returns how messages name what searches: a verb, or for an existing test the command.
func (v *verb) searching(verb string) string {
	if v.session.Property.Existing {
		return "jostle test"
	}
	return "fuzz." + verb
}

// inWords returns how messages name the searches of a package and the setting of their time.
func (v *verb) inWords() (searches, budget string) {
	if v.session.Property.Existing {
		return "tests", "-for"
	}
	return "Checks", "Config.Budget"
}

// fail prints a failing run and fails the test. If the case could not be saved, it also prints the
// case.
func (v *verb) fail(f *record.Record) {
	v.t.Helper()
	if d, ok := v.t.TB.(doubter); ok && !v.repeats(d, f) {
		if !f.Known {
			os.Remove(f.Path)
		}
		if f = v.alone(); f == nil {
			return
		}
	}
	if v.answerAlone(f) {
		return
	}
	f.Existing = v.session.Property.Existing
	text := f.Text(0) + "        again: " + env.Again(f.Path) + v.again() + "\n"
	if f.Path != "" {
		text += "        " + f.InWords(env.When(), shown) + "\n"
	}
	v.t.print(text)
	v.t.Fail()
	if f.Problem == "" {
		return
	}
	v.t.Error(f.Problem)
	if f.Path == "" {
		v.t.print("to save the case yourself, write this to a file *.case in " + v.session.Folder.Dir + ":\n\n" + f.Case + "\n")
	}
}

// repeats reports whether a failing run of an existing test repeats, also in a new process if there can be one.
func (v *verb) repeats(d doubter, f *record.Record) bool {
	v.t.Helper()
	if f.Differs != "" {
		run := "a failing run"
		if !f.Worth { // it has passed
			run = "a run"
		}
		d.DoubtedByJostle(run + " did not repeat: " + f.Differs)
		return false
	}
	if os.Getenv("JOSTLE_REPLAY") != "" {
		return true // this process is the new process that repeats the run
	}
	switch how, err := v.elsewhere(f); {
	case err != nil:
		v.t.Logf("a failing run was not repeated in a new process: %v", err)
	case how != "":
		d.DoubtedByJostle("a failing run did not repeat in a new process: " + how)
		return false
	default:
		f.Elsewhere = true
	}
	return true
}
