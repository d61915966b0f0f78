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

// Because the search is stateless (Eta, section 3.1), what is left of it is
// one path with what is known of the branches beside it, or the frames of the
// optimal search: a few kilobytes, whatever the number of runs. So it can be
// written to a file at any time, and gone on from there by another process.

// A keeper keeps a search in a file. A nil one keeps nothing.
type keeper struct {
	path   string
	search searched // as it was asked for
	from   *kept    // what the search went on from; nil when it began anew
	// What was made and how long it took before the search went on.
	runs int
	took time.Duration
	// left adds what is left to do to what is kept.
	left  func(*kept)
	every time.Duration
	last  time.Time
}

// keepEvery is how often a search is written to its file while it goes on: as
// much as a process that is killed may lose.
const keepEvery = 30 * time.Second

// keepShare is how much longer the search goes on at least than it took to
// write it: a search that counts distinct orders has much to write.
const keepShare = 20

// open reads the file of a search, if the options name one, and makes ready to
// go on from there.
func (x *explorer) open() error {
	o := &x.options
	if o.File == "" {
		return nil
	}
	f := &keeper{path: o.File, search: o.searched(), every: keepEvery, last: time.Now()}
	if o.keepEvery > 0 {
		f.every = o.keepEvery
	}
	x.file, f.left = f, x.walker.keep
	data, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f.errorf(f.tryOut())
	}
	if err != nil {
		return f.errorf(err)
	}
	k, err := decode(data)
	switch {
	case err != nil:
		return f.errorf(err)
	case k.Search != f.search:
		return f.errorf(fmt.Errorf("it is of a search with %v, and this one has %v: explore with the same options, or remove it to begin again",
			k.Search, f.search))
	}
	if err := f.tryOut(); err != nil {
		return f.errorf(err)
	}
	if k.Used != k.Search.Reduction {
		x.restart(reductionOf(k.Used))
	}
	x.restore(k)
	return nil
}

// errorf says which file an error is about.
func (f *keeper) errorf(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("explore: the file %s cannot be used: %w", f.path, err)
}

// restore takes over what was kept.
func (x *explorer) restore(k *kept) {
	x.verdict, x.walker.cut = k.Verdict, k.Cut
	v := &x.verdict
	v.Bound, v.Complete, v.Reduction = "", false, reductionOf(k.Used)
	if v.Failures == nil {
		v.Failures = map[string]int{}
	}
	h := &k.Habits
	x.walker.habits = habits{received: h.Received, sent: h.Sent, leads: h.Leads, size: int32(len(h.Received))}
	if x.classes != nil {
		for _, class := range unpacked(k.Classes) {
			x.classes[class] = struct{}{}
		}
	}
	var places []int32
	for _, set := range k.Touches {
		places = append(places, x.walker.touches.intern(set))
	}
	x.walker.restore(k, places)
	x.from = x.branch()
	x.began = x.began.Add(-v.Elapsed)
	x.file.from, x.file.runs, x.file.took = k, x.made(), v.Elapsed
}

// afresh says that the search begins again.
func (f *keeper) afresh(left func(*kept)) {
	if f != nil {
		f.left, f.runs = left, 0
	}
}

// before is what was made, and how long it took, before the search went on
// from its file: the bounds on runs and time are not about that.
func (f *keeper) before() (runs int, took time.Duration) {
	if f == nil {
		return 0, 0
	}
	return f.runs, f.took
}

// tick writes the search to its file, if it is time to. An error can wait: the
// next writing may go well, and the last one tells.
func (f *keeper) tick(x *explorer) {
	if f == nil || x.clock.last.Sub(f.last) < f.every {
		return
	}
	began := time.Now()
	_ = f.write(x)
	f.last = time.Now()
	f.every = max(f.every, keepShare*f.last.Sub(began))
}

// close writes what is left of a search to its file, or removes the file when
// there is nothing left that could be gone on with.
func (f *keeper) close(x *explorer) error {
	v := &x.verdict
	switch {
	case f == nil:
		return nil
	case v.Nondeterminism != "" && f.from != nil:
		if x.made() == f.runs {
			return f.errorf(fmt.Errorf("it is of another program, or of another version of it (%s): "+
				"go on with that, or remove it to begin again", v.Nondeterminism))
		}
		return nil // it may have been written by another program
	case v.Bound == "runs" || v.Bound == "time" || v.Bound == "stop":
		return f.errorf(f.write(x))
	}
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.errorf(err)
	}
	return nil
}

// kept returns what is left of the search and what it has come to.
func (x *explorer) kept() *kept {
	w := &x.walker
	k := &kept{Search: x.file.search, Used: x.options.Reduction.String(), Verdict: x.verdict, Cut: w.cut,
		Habits:  keptHabits{w.habits.received, w.habits.sent, w.habits.leads},
		Classes: packed(slices.Sorted(maps.Keys(x.classes))), Touches: w.touches.sets}
	k.Verdict.Elapsed, k.Verdict.Estimate = time.Since(x.began), 0
	x.file.left(k)
	return k
}

// write writes the search to a file that then takes the place of the old one,
// so that there is always one that is whole.
func (f *keeper) write(x *explorer) error {
	text, err := x.kept().encode()
	if err != nil {
		return err
	}
	temp, err := corpus.WriteAside(filepath.Dir(f.path), text)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, f.path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// tryOut finds out whether the search could be written, before hours of it are
// at stake.
func (f *keeper) tryOut() error {
	temp, err := corpus.WriteAside(filepath.Dir(f.path), nil)
	if err != nil {
		return err
	}
	return os.Remove(temp)
}

// keep adds the frames to what is kept.
func (v *varier) keep(k *kept) {
	for _, f := range v.frames[:v.depth] {
		k.Frames = append(k.Frames, f.keep())
	}
	k.From = v.next
}

// all goes through the whole tree, or on from what was kept.
func (v *varier) all() (finished bool) {
	f := v.file
	if f == nil {
		return v.through(&frame{}, 0)
	}
	f.left = v.keep
	if f.from == nil {
		return v.through(&frame{}, 0)
	}
	for i := range f.from.Frames {
		v.frames = append(v.frames, f.from.Frames[i].restore())
	}
	v.depth = len(v.frames)
	return v.take(f.from.From) && v.vary()
}
