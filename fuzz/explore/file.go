package explore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jostle-go/jostle/corpus"
)

// Because the search is stateless (Eta, section 3.1), what is left of it is
// one path with what is known of the branches beside it, or the frames of the
// optimal search: a few kilobytes, whatever the number of runs. So it can be
// written to a file at any time, and another process can go on from there.

// A keeper keeps a search in a file.
type keeper struct {
	path   string
	name   string // of what is explored
	method keptMethod
	from   *kept // what the search went on from; nil when it began anew
	// runs is how many runs were made before the search went on, and took how
	// long they took: the bounds on runs and time are not about these.
	runs  int
	took  time.Duration
	every time.Duration // between two writings
	last  time.Time     // when it was written
}

// keepEvery is how often a search is written to its file while it goes on: as
// much as a process that is killed may lose.
const keepEvery = 30 * time.Second

// keepShare is how many times as long the search goes on as the writing took: a
// search that counts distinct orders may have much to write.
const keepShare = 20

func newKeeper(o *Options) *keeper {
	f := &keeper{path: o.File, name: o.Name, method: keptMethodOf(&o.Method), every: keepEvery, last: time.Now()}
	if o.keepEvery > 0 {
		f.every = o.keepEvery
	}
	return f
}

// open reads the file. It returns what was kept in it, nil when there is no
// file.
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
		return nil, f.errorf(fmt.Errorf("it is of %s, and this search is of %s: name another file, or remove it to begin again",
			orNothing(k.Name), orNothing(f.name)))
	case k.Search != f.method:
		return nil, f.errorf(fmt.Errorf("it is of a search with %v, and this one has %v: explore with the same options, or remove it to begin again",
			k.Search, f.method))
	}
	return k, f.errorf(f.tryOut())
}

// orNothing returns a name, or words that say that there is none.
func orNothing(name string) string {
	if name == "" {
		return "a program without a name"
	}
	return name
}

// errorf returns an error that names the file; nil of nil.
func (f *keeper) errorf(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("explore: the file %s cannot be used: %w", f.path, err)
}

// isDue reports whether it is time to write the search to its file.
func (f *keeper) isDue(now time.Time) bool { return now.Sub(f.last) >= f.every }

// writeWhileSearching writes the search to its file. An error can wait: the
// next writing may go well, and the error of the last one is returned.
func (f *keeper) writeWhileSearching(k *kept) {
	began := time.Now()
	_ = f.write(k)
	f.last = time.Now()
	f.every = max(f.every, keepShare*f.last.Sub(began))
}

// close writes what is left of a search to its file, or removes the file when
// the search cannot go on from it. A search that has only paused is not over.
func (f *keeper) close(k *kept, over bool) error {
	r := &k.Verdict
	switch {
	case r.Nondeterminism != "" && f.from != nil:
		if r.made() == f.runs {
			return f.errorf(fmt.Errorf("it is of another program, or of another version of it (%s): "+
				"go on with that, or remove it to begin again", r.Nondeterminism))
		}
		return nil // another program may have written the file: it is left alone
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

// tryOut returns an error if the search could not be written: that is better
// known before hours of it are lost.
func (f *keeper) tryOut() error {
	temp, err := corpus.WriteAside(filepath.Dir(f.path), nil)
	if err != nil {
		return err
	}
	return os.Remove(temp)
}
