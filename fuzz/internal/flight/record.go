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

// A Call identifies a call to a verb, such as fuzz.Check.
type Call struct {
	Dir  string // the folder of the package
	Test string // the name of the test
	Verb string // the name of the verb
	Func string // the name of the property's function
}

// A Record holds everything needed to replay the runs that were in progress in a process.
type Record struct {
	Call
	Seed       uint64   // the seed of the search
	Strategies []string // the strategies of the search
	Workers    int      // the number of workers of the search
	Runs       int      // the number of runs that the search was to make
	// On holds the last run that each worker began. The head of the file stores it, not
	// the JSON text.
	On []Run `json:"-"`
}

// A Run is one run of a search.
type Run struct {
	Phase Phase
	// Index is the number of the run in the phase, from 0.
	Index int
}

// A Phase is a part of a search. Each phase numbers its runs from 0.
type Phase uint8

// The phases of a search.
const (
	// Saved is the phase that runs the saved cases.
	Saved Phase = 1 + iota
	// Exhaust is the phase in which Check tries every order, before it searches at
	// random.
	Exhaust
	// Sample is the phase of random runs.
	Sample
	// Explore is the phase with the runs of fuzz.Explore.
	Explore
	// Bytes is the phase that runs the seed inputs of a fuzzing engine.
	Bytes
	// Cached is the phase that runs passing cases which earlier searches have saved.
	Cached
	phases
)

// String returns words that describe the runs of the phase, such as "at random".
func (p Phase) String() string {
	return [...]string{"nothing", "of the saved cases", "of every order", "at random", "of Explore", "of Target", "of the cache"}[p]
}

// String returns a name such as "run 18 at random".
func (r Run) String() string { return fmt.Sprintf("run %d %v", r.Index+1, r.Phase) }

// The file of a record begins with a head of 128 words, which is mapped into memory. The
// record as JSON follows the head. The first word is magic, and the second word is the
// state. Each further word belongs to a worker: its highest byte is the phase of the run
// in progress, and its lower bytes are the number of the run, from 1.
const (
	magic      = "jostlef1"
	headWords  = 128
	headSize   = 8 * headWords
	stateWord  = 1
	firstWord  = 2
	phaseShift = 56
)

// A state says whether the replay of a record has begun or ended.
type state uint64

const (
	waiting state = iota // the replay has not begun, or stopped before the runs of the record
	flying               // the replay is in progress
	landed               // the replay has ended, but the process has not ended yet
)

// encode returns the contents of a record's file before the first run.
func encode(r *Record) []byte {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // cannot happen, because JSON can encode all fields of a Record
	}
	head := make([]byte, headSize)
	copy(head, magic)
	return append(head, text...)
}

var errBroken = errors.New("not a complete flight record")

// decode returns the record from the contents of its file.
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

// Read returns the record in the file at path.
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

// CopyOf copies the file at path into the folder dir, so that a replay can use the copy
// and leave the original unchanged. It returns the path of the copy, or "" if the file
// cannot be copied.
func CopyOf(path, dir string) string {
	text, err := os.ReadFile(path)
	to := filepath.Join(dir, filepath.Base(path))
	if err != nil || os.WriteFile(to, text, 0o600) != nil {
		return ""
	}
	return to
}

// Begin sets the state of the record at path: the replay of the record has begun.
func Begin(path string) error { return setState(path, flying) }

// Land sets the state of the record at path: the replay of the record is over. reached
// must be set if the run was replayed to its end.
func Land(path string, reached bool) error {
	if !reached {
		return setState(path, waiting)
	}
	return setState(path, landed)
}

// setState writes state s into the record at path.
func setState(path string, s state) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(s)), 8*stateWord)
	return errors.Join(err, f.Close())
}

// stateOf returns the state in the record at path, or waiting if the record cannot be
// read.
func stateOf(path string) state {
	file, err := os.ReadFile(path)
	if err != nil || len(file) < headSize {
		return waiting
	}
	return state(binary.NativeEndian.Uint64(file[8*stateWord:]))
}
