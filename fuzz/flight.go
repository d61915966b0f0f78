package fuzz

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/pulse/goroutine"
)

// recorded calls the function do, and keeps a crash record of the current run meanwhile. If a run
// ended an earlier process, recorded first reruns that run in a new process. If the new process
// dies too, the test fails and do is not called. In a worker process, recorded only serves the
// command jostle.
func (v *verb) recorded(do func()) {
	v.t.Helper()
	verb := v.name
	if _, ok := v.t.TB.(doubter); ok {
		verb = worker.Existing
	}
	if v.name != "MustFind" && worker.Serve(verb, v.session, v.dog.Limit) {
		return
	}
	_, benchmark := v.t.TB.(*testing.B)
	if path := os.Getenv(flight.Variable); path != "" {
		v.makeAgain(inPackage(path), do)
		return
	}
	if benchmark || os.Getenv("JOSTLE_REPLAY") != "" {
		do()
		return
	}
	folder, record := flight.In(env.Cache(packageFolder)), v.record()
	left, broken := folder.Left(record.Call)
	if broken > 0 {
		v.t.Logf("removed %s of the last process that could not be read", words.Count(broken, "crash record"))
	}
	for _, l := range left {
		if !v.lookAt(l) {
			return
		}
	}
	v.session.Property.Recorder = folder.Record(record)
	defer v.session.Property.Recorder.End()
	do()
}

// record returns a crash record of this call to the verb, without runs.
func (v *verb) record() flight.Record {
	call := flight.Call{Dir: packageFolder, Test: v.t.Name(), Verb: v.name, Func: v.session.Property.FuncName()}
	return flight.Record{Call: call, Seed: v.Seed, Strategies: v.Strategies, Workers: v.Workers, Runs: v.Runs}
}

// lookAt reruns, in a new process, the runs during which an earlier process died. It reports
// whether the new process has survived. If the new process died, lookAt fails the test.
func (v *verb) lookAt(l *flight.Left) bool {
	v.t.Helper()
	out := l.Again(v.patience(0), v.launch())
	if out.Died {
		l.Keep()
		v.t.print(out.Text)
		v.t.Fail()
		return false
	}
	l.Remove()
	v.t.Log(out.Text)
	if !testing.Verbose() {
		v.beside(out.Text)
	}
	return true
}

// patience returns how long a new process may replay a run and, in addition, search for the given time.
func (v *verb) patience(search time.Duration) time.Duration {
	limit := v.dog.Limit + 2*checkBudget + search
	if v.name == "Explore" {
		limit += 2 * v.Budget
	}
	if d := v.session.Limit.Deadline; !d.IsZero() {
		limit = min(limit, time.Until(d)/2)
	}
	return limit
}

// launch says how the test binary is started again.
func (v *verb) launch() flight.Launch {
	info, _ := debug.ReadBuildInfo()
	by := flight.Launch{Tool: "go test", Verb: v.searching(v.name), Package: words.TestedPackage(info, packageFolder)}
	d, existing := v.t.TB.(doubter)
	if !existing {
		if goroutine.Available() {
			by.Tool += " $(jostle overlay --flags)"
		}
		return by
	}
	flags, from := os.Getenv(env.Flags), os.Getenv(env.Folder)
	if from != "" {
		by.Package = words.PackageFrom(from, info, packageFolder)
	} else if info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		flags = "-race" // in a campaign
	}
	by.Tool, by.Base, by.Endless = words.TestTool(flags), d.EnvironmentOfJostle(), true
	return by
}

// repeatVariable is the environment variable with the name of a file. A process that replays a
// case writes to that file how the run differs from the saved one, as a string in JSON. The
// string is empty if the run is the saved one, and fails in the same way.
const repeatVariable = "JOSTLE_REPEAT"

// elsewhere replays a failing run in a new process. It returns how that run differs, or "" if
// it fails in the same way. After an error there was no new process.
func (v *verb) elsewhere(f *record.Record) (differs string, err error) {
	dir := v.t.TempDir()
	path, answer := inPackage(f.Path), filepath.Join(dir, "answer")
	if f.Path == "" {
		path = filepath.Join(dir, "found.case")
		if err := os.WriteFile(path, []byte(f.Case), 0o600); err != nil {
			return "", err
		}
	}
	by := v.launch()
	by.Env = append([]string{"JOSTLE_REPLAY=" + path, repeatVariable + "=" + answer, "JOSTLE_SHRINK=0"}, by.Env...)
	var out flight.Tail
	end, _, err := by.Start(&out, v.session.Property.Test, packageFolder, v.patience(0))
	said, _ := os.ReadFile(answer)
	switch {
	case err != nil:
		return "", err
	case json.Unmarshal(said, &differs) != nil:
		differs = strings.TrimSpace("the process did not replay it, " + end.String() + "\n" + out.LastWords())
	}
	return differs, nil
}

// answer tells the process that has asked for it how the run of a case differs from the saved
// one.
func answer(r *session.Reply) {
	path := os.Getenv(repeatVariable)
	if path == "" {
		return
	}
	differs := ""
	if !r.Exact || len(r.Findings) == 0 {
		differs = "it does not fail"
		for i := range r.Findings {
			differs = cmp.Or(r.Findings[i].Differs, "it fails in another way: "+r.Findings[i].Failure)
		}
	}
	said, _ := json.Marshal(differs)
	os.WriteFile(path, said, 0o600) // after a write error the file is empty, and its reader takes the run as not repeated
}

// aloneVariable is the environment variable with the name of a file. A process that searches in a single
// existing test writes the record of its failing run to that file, in JSON, instead of printing it.
const aloneVariable = "JOSTLE_ALONE"

// alonePart is the part of the budget that a search in a new process has.
const alonePart = 4

// alone searches for a failing run in a new process, once. Earlier tests of this process may have changed
// package-level variables, so that its failing runs do not repeat. alone returns nil if no run fails.
func (v *verb) alone() *record.Record {
	if v.sought || os.Getenv(aloneVariable) != "" || os.Getenv("JOSTLE_REPLAY") != "" {
		return nil
	}
	v.sought = true
	budget, limit := strconv.Itoa(v.Runs), v.Budget/alonePart
	if v.Runs == 0 {
		budget = limit.String()
	}
	path := filepath.Join(v.t.TempDir(), "answer")
	by := v.launch()
	by.Env = []string{aloneVariable + "=" + path, "JOSTLE_BUDGET=" + budget}
	var out flight.Tail
	by.Start(&out, v.session.Property.Test, packageFolder, v.patience(limit+v.Shrink)) // without an answer nothing was found
	var f record.Record
	if said, err := os.ReadFile(path); err != nil || json.Unmarshal(said, &f) != nil {
		return nil
	}
	return &f
}

// answerAlone answers the process that has called alone with a failing run. It returns false if there is no
// such process.
func (v *verb) answerAlone(f *record.Record) bool {
	path := os.Getenv(aloneVariable)
	if path == "" || os.Getenv("JOSTLE_REPLAY") != "" {
		return false
	}
	said, _ := json.Marshal(f)
	os.WriteFile(path, said, 0o600) // after a write error the file is empty, so that its reader finds nothing
	v.t.Fail()
	return true
}

// makeAgain reruns the runs of the crash record at path, if the record belongs to this call.
func (v *verb) makeAgain(path string, do func()) {
	v.t.Helper()
	r, err := flight.Read(path)
	if err != nil {
		v.t.Fatalf("%s: %v", flight.Variable, err)
	}
	if r.Call != v.record().Call {
		v.t.Logf("nothing was run: %s names a crash record of %s in %s", flight.Variable, v.searching(r.Verb), r.Test)
		return
	}
	if err := flight.Begin(path); err != nil {
		v.t.Fatal(err)
	}
	reached := true
	var found []*finding.Finding
	defer func() {
		flight.Land(path, reached)
		for _, f := range found { // after Land, because the shrinking is not part of the recorded run
			runner := v.session.Property.NewRunner()
			defer runner.Close()
			rec := v.session.Conclude(context.Background(), runner, f, "a run during which a process died")
			v.fail(&rec)
		}
	}()
	v.Seed, v.Runs, v.Budget = r.Seed, 0, 0
	if v.session.Portfolio, err = portfolio(r.Strategies); err != nil {
		v.t.Fatal(err)
	}
	v.session.Workers, v.session.Explore.File = r.Workers, flight.CopyOf(v.File, v.t.TempDir())
	all := false
	for _, run := range r.On {
		switch run.Phase {
		case flight.Saved:
			v.ask(session.Saved)
		case flight.Explore, flight.Bytes:
			all, v.Runs = true, v.Runs+run.Index+1
		default:
			f, made := v.session.Rerun(v.request(session.Check), run)
			if reached = reached && made; f != nil && v.name != "MustFind" {
				found = append(found, f)
			}
		}
	}
	if all {
		do()
		if v.name == "Explore" && !v.Estimate {
			v.session.Explore.Estimate = true // the recorded run may be one that Explore made for the estimate
			do()
		}
		reached = reached && !v.session.Limit.Struck()
	}
}
