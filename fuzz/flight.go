package fuzz

import (
	"cmp"
	"os"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/flight"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/fuzz/worker"
)

// recorded does what a verb does and records which run is on, so that a run that
// takes the process with it is known to the next. If the last process died so, its
// run is made again before, in a process of its own; when that dies too, the test
// fails and no search follows.
func (v *verb) recorded(do func()) {
	v.t.Helper()
	if v.name != "MustFind" && worker.Serve(worker.Call{Verb: v.name, Property: v.property, Folder: v.folder, Strategies: v.Strategies,
		Stall: v.dog.Limit, Explore: search.ExploreOptions{Method: v.Method, Inputs: v.Inputs}}) {
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
	folder, record := flight.In(cacheFolder(packageFolder)), v.record()
	left, broken := folder.Left(record.Call)
	if broken > 0 {
		v.t.Logf("removed %s of what runs the last process was at: no such record can be read", words.Count(broken, "file"))
	}
	for _, l := range left {
		if !v.lookAt(l) {
			return
		}
	}
	v.property.Recorder = folder.Record(record)
	defer v.property.Recorder.End()
	do()
}

// record returns what is recorded of this call.
func (v *verb) record() flight.Record {
	call := flight.Call{Dir: packageFolder, Test: v.t.Name(), Verb: v.name, Func: v.property.FuncName()}
	return flight.Record{Call: call, Seed: v.Seed, Strategies: v.Strategies, Workers: v.Workers, Runs: v.Runs}
}

// lookAt makes the runs again with which a process died. It reports whether it was
// not they, so that a search may follow.
func (v *verb) lookAt(l *flight.Left) bool {
	v.t.Helper()
	limit := v.dog.Limit + 2*checkBudget
	if v.name == "Explore" {
		limit += 2 * v.Budget
	}
	if d := v.limit.Deadline; !d.IsZero() {
		limit = min(limit, time.Until(d)/2)
	}
	out := l.Again(limit)
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

// makeAgain makes the runs of the record at a path again, if they are of this call.
func (v *verb) makeAgain(path string, do func()) {
	v.t.Helper()
	r, err := flight.Read(path)
	if err != nil {
		v.t.Fatalf("%s: %v", flight.Variable, err)
	}
	if r.Call != v.record().Call {
		v.t.Logf("nothing was run: %s asks for what fuzz.%s of %s did", flight.Variable, r.Verb, r.Test)
		return
	}
	if err := flight.Begin(path); err != nil {
		v.t.Fatal(err)
	}
	reached := true
	var found []*finding.Finding
	defer func() {
		flight.Land(path, reached)
		for _, f := range found { // which is shrunk: that is no part of its run
			v.keep(f, "a run with which a process died")
		}
	}()
	v.Seed, v.Strategies, v.Workers, v.Runs, v.Budget = r.Seed, r.Strategies, r.Workers, 0, 0
	v.File = flight.CopyOf(v.File, v.t.TempDir())
	ctx, cancel := v.context()
	defer cancel()
	all := false
	for _, run := range r.On {
		switch run.Phase {
		case flight.Saved:
			v.replaySaved()
		case flight.Explore, flight.Bytes:
			all, v.Runs = true, v.Runs+run.Index+1
		default:
			portfolio, err := v.portfolio()
			if err != nil {
				v.t.Fatal(err)
			}
			h := v.hints(ctx)
			f, made := search.Again(ctx, v.property, search.Options{Seed: v.Seed, Portfolio: portfolio, Hinted: h.Given, Cache: v.cache()}, exhaustRuns, run)
			reached = reached && made
			if f = cmp.Or(f, h.Failed); f != nil && v.name != "MustFind" {
				found = append(found, f)
			}
		}
	}
	if all {
		do()
		if v.name == "Explore" && !v.Estimate {
			v.Estimate = true // it may have been one of these runs, which come when there is time
			do()
		}
		reached = reached && !v.limit.Struck()
	}
}
