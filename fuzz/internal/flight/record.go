package flight

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// A Call says which call of a verb a record is of.
type Call struct {
	// Dir is the folder of the package, Test the name of the test, Verb the name of
	// the verb and Func that of the property's function.
	Dir, Test, Verb, Func string
}

// A Record has what is needed to make a run again.
type Record struct {
	Call
	// Seed, Strategies, Workers and Runs are the settings of the search.
	Seed       uint64
	Strategies []string
	Workers    int
	Runs       int
	// On has, for each worker that has begun any, the run that it began last. It
	// stands apart in the file.
	On []Run `json:"-"`
}

// A Run is one run of a search.
type Run struct {
	Phase Phase
	// Index is its number in the phase, from 0.
	Index int
}

// A Phase is a part of a search that has run numbers of its own.
type Phase uint8

// The phases.
const (
	// Saved is the runs of saved cases.
	Saved Phase = 1 + iota
	// Exhaust is the runs in every order with which Check begins.
	Exhaust
	// Sample is the runs at random.
	Sample
	// Explore is the runs of Explore.
	Explore
	// Bytes is the runs of what an engine begins with.
	Bytes
	// Cached is the runs of passing cases that other searches have kept.
	Cached
	phases
)

// String returns what the runs of the phase are.
func (p Phase) String() string {
	return [...]string{"nothing", "of the saved cases", "of every order", "at random", "of Explore", "of Target", "of the cache"}[p]
}

// String names the run: "run 18 at random".
func (r Run) String() string { return fmt.Sprintf("run %d %v", r.Index+1, r.Phase) }

// A file begins with a head of words, which is what is mapped. The first is the
// magic, the second the state, and each other word is of a worker: the phase of
// its run in the highest byte, below it the number of the run, from 1. Behind the
// head stands the record as JSON.
const (
	magic      = "jostlef1"
	headWords  = 128
	headSize   = 8 * headWords
	stateWord  = 1
	firstWord  = 2
	phaseShift = 56
)

// A state is how far a run that is made again has come.
type state uint64

const (
	waiting state = iota // it has not begun, or there was no time for it
	flying               // it is on
	landed               // it has ended, and the process has not
)

// encode returns the file of a record with which nothing was begun.
func encode(r *Record) []byte {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it has nothing that cannot be written
	}
	head := make([]byte, headSize)
	copy(head, magic)
	return append(head, text...)
}

var errBroken = errors.New("it is no flight record, or half of one")

// decode reads a file.
func decode(file []byte) (r Record, err error) {
	if len(file) < headSize || !bytes.HasPrefix(file, []byte(magic)) {
		return r, errBroken
	}
	if json.Unmarshal(file[headSize:], &r) != nil || r.Verb == "" || r.Workers < 1 || r.Runs < 0 {
		return r, errBroken
	}
	for i := firstWord; i < headWords; i++ {
		word := binary.NativeEndian.Uint64(file[8*i:])
		if word == 0 {
			continue
		}
		run := Run{Phase(word >> phaseShift), int(word&(1<<phaseShift-1)) - 1}
		if run.Phase == 0 || run.Phase >= phases || run.Index < 0 {
			return r, errBroken
		}
		r.On = append(r.On, run)
	}
	return r, nil
}

// Read reads the record at a path.
func Read(path string) (Record, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return Record{}, err
	}
	r, err := decode(file)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return r, err
}

// CopyOf copies a file into a folder, for a run that is made again: it begins where
// the run began, and must not change that. It returns the path of the copy, "" when
// there is no such file.
func CopyOf(path, dir string) string {
	text, err := os.ReadFile(path)
	to := filepath.Join(dir, filepath.Base(path))
	if err != nil || os.WriteFile(to, text, 0o600) != nil {
		return ""
	}
	return to
}

// Begin notes in the record at a path that its run is being made again.
func Begin(path string) error { return setState(path, flying) }

// Land notes in the record at a path that nothing is made again any more, and whether
// its run was, to its end.
func Land(path string, reached bool) error {
	if !reached {
		return setState(path, waiting)
	}
	return setState(path, landed)
}

func setState(path string, s state) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(s)), 8*stateWord)
	return errors.Join(err, f.Close())
}

// stateOf returns what the record at a path says of its run.
func stateOf(path string) state {
	file, err := os.ReadFile(path)
	if err != nil || len(file) < headSize {
		return waiting
	}
	return state(binary.NativeEndian.Uint64(file[8*stateWord:]))
}
