package explore

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jostle-go/jostle/corpus"
)

// The search is stateless (the Eta paper, section 3.1). It keeps only one path of
// decisions with marks for the branches to explore, or the frames of the optimal search.
// These take a few kilobytes for any number of runs. So the search can be saved in a file
// at any time, and another process can continue the search.

// A keeper saves a search in a file.
type keeper struct {
	path   string
	name   string     // the name of the explored program
	method keptMethod // the method of the search
	from   *kept      // the search read from the file; nil if there was none
	// runs is the number of runs before the search was continued; Options.Runs does
	// not count them.
	runs int
	// took is the search time before the search was continued; Options.Time does not
	// count this time.
	took  time.Duration
	every time.Duration // the interval between two saves
	last  time.Time     // the time of the last save
}

// keepEvery is the interval between two saves during a search. A killed process loses at
// most this time.
const keepEvery = 30 * time.Second

// keepShare is the minimum ratio of search time to saving time. It limits the number of
// saves, because a search that counts distinct orders may have a large file.
const keepShare = 20

func newKeeper(o *Options) *keeper {
	f := &keeper{path: o.File, name: o.Name, method: keptMethodOf(&o.Method), every: keepEvery, last: time.Now()}
	if o.keepEvery > 0 {
		f.every = o.keepEvery
	}
	return f
}

// open returns the saved search of the file, nil if there is no file.
func (f *keeper) open() (*kept, error) {
	data, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f.errorf(f.tryOut())
	}
	if err != nil {
		return nil, f.errorf(err)
	}
	k, err := decode(data)
	switch {
	case err != nil:
		return nil, f.errorf(err)
	case k.Name != f.name:
		return nil, f.errorf(fmt.Errorf("it belongs to %s, and this search explores %s: use another file, or remove it to start over",
			orNothing(k.Name), orNothing(f.name)))
	case k.Search != f.method:
		return nil, f.errorf(fmt.Errorf("it belongs to a search with %v, and this one has %v: use the same options, or remove it to start over",
			k.Search, f.method))
	}
	return k, f.errorf(f.tryOut())
}

// orNothing returns name, or "a program without a name" if name is "".
func orNothing(name string) string {
	if name == "" {
		return "a program without a name"
	}
	return name
}

// errorf returns an error that names the file, nil if err is nil.
func (f *keeper) errorf(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("explore: the file %s cannot be used: %w", f.path, err)
}

// writeWhileSearching saves the search. It ignores errors, because the next save may
// succeed, and close returns an error of the last save.
func (f *keeper) writeWhileSearching(k *kept) {
	began := time.Now()
	_ = f.write(k)
	f.last = time.Now()
	f.every = max(f.every, keepShare*f.last.Sub(began))
}

// close saves the search if a later search can continue it, and otherwise removes the
// file. The argument over is false for a search that has only paused.
func (f *keeper) close(k *kept, over bool) error {
	r := &k.Verdict
	switch {
	case r.Nondeterminism != "" && f.from != nil:
		if r.made() == f.runs {
			return f.errorf(fmt.Errorf("it belongs to another program, or another version of it (%s): "+
				"continue with that version, or remove it to start over", r.Nondeterminism))
		}
		return nil // another program may have written the file, so leave it unchanged
	case !over || r.Bound == BoundRuns || r.Bound == BoundTime || r.Bound == BoundStop:
		return f.errorf(f.write(k))
	}
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.errorf(err)
	}
	return nil
}

// write writes the search to its file.
func (f *keeper) write(k *kept) error {
	text, err := k.encode()
	if err != nil {
		return err
	}
	return corpus.Replace(f.path, text)
}

// tryOut returns an error if the file cannot be written. It is called before the search,
// so that such an error does not come after hours of search.
func (f *keeper) tryOut() error {
	temp, err := corpus.WriteAside(filepath.Dir(f.path), nil)
	if err != nil {
		return err
	}
	return os.Remove(temp)
}

// open reads the file of the search, if there is one, and continues from it.
func (x *explorer) open() error {
	if x.options.File == "" {
		return nil
	}
	x.file = newKeeper(&x.options)
	k, err := x.file.open()
	if err != nil || k == nil {
		return err
	}
	if used, _ := reductionOf(k.Used); used != x.options.Reduction || k.Verdict.Because != "" {
		x.beginWith(handover{used, k.Sleeps, reason{k.Verdict.Because, lessons{heedsMeetings: k.Heeds, divides: k.Divides}}})
	}
	x.restore(k)
	return nil
}

// restore makes the search continue from k, a search that was saved in a file.
func (x *explorer) restore(k *kept) {
	s := x.search
	k.takeTally(&s.tally)
	s.habits = k.takeHabits()
	switch w := x.way.(type) {
	case *depthFirst:
		k.takePath(&w.walker.path, &w.walker.sleeping.touches)
		w.shared = w.walker.sharedSteps()
	case *optimal:
		w.resume(k.takeFrames())
		w.unwanted = k.takeUnwanted()
	}
	x.file.from, x.file.runs, x.file.took = k, s.tally.result.made(), s.tally.result.Elapsed
	x.began = x.began.Add(-x.file.took)
	s.limits.began = x.began
	x.goOnCounting()
}

// goOnCounting raises the bounds of a search that was continued from a file. It adds the
// runs and the time before the continuation.
func (x *explorer) goOnCounting() {
	l, o := &x.search.limits, &x.options
	if o.Runs > 0 {
		l.runs = o.Runs + x.file.runs
	}
	if o.Time > 0 {
		l.time = o.Time + x.file.took
	}
}

// kept returns the search in the form in which it is saved in its file.
func (x *explorer) kept() *kept {
	k := &kept{Name: x.file.name, Search: x.file.method, Used: x.options.Reduction.String(), Sleeps: x.options.Sleep,
		Divides: x.options.divides, Heeds: x.options.heedsMeetings}
	k.putTally(&x.search.tally)
	k.Verdict.Elapsed, k.Verdict.Estimate = time.Since(x.began), 0
	h := &x.search.habits
	k.Habits = keptHabits{h.received, h.sent, h.leads, h.refused}
	switch w := x.way.(type) {
	case *depthFirst:
		k.putPath(&w.walker.path, &w.walker.sleeping.touches)
	case *optimal:
		k.putFrames(w.frames[:w.depth], w.shared)
		k.Unwanted = packed(slices.Sorted(maps.Keys(w.unwanted)))
	}
	return k
}
