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

// A Call identifies the call of a verb.
type Call struct {
	// Dir is the folder of the package, Test the name of the test, Verb the name of the
	// verb, and Func the name of the property's function.
	Dir, Test, Verb, Func string
}

// A Record has what is needed to replay a run.
type Record struct {
	Call
	// Seed, Strategies, Workers and Runs are the settings of the search.
	Seed       uint64
	Strategies []string
	Workers    int
	Runs       int
	// On has the last run that each worker began. It is stored in the head of the file.
	On []Run `json:"-"`
}

// A Run is one run of a search.
type Run struct {
	Phase Phase
	// Index is the number of the run in the phase, from 0.
	Index int
}

// A Phase is a part of a search that numbers its runs from 0.
type Phase uint8

// The phases.
const (
	// Saved are the runs of saved cases.
	Saved Phase = 1 + iota
	// Exhaust are the runs in every order with which Check begins.
	Exhaust
	// Sample are the random runs.
	Sample
	// Explore are the runs of Explore.
	Explore
	// Bytes are the runs of an engine's seed inputs.
	Bytes
	// Cached are the runs of passing cases that other searches have saved.
	Cached
	phases
)

// String describes the runs of the phase.
func (p Phase) String() string {
	return [...]string{"nothing", "of the saved cases", "of every order", "at random", "of Explore", "of Target", "of the cache"}[p]
}

// String returns a name such as "run 18 at random".
func (r Run) String() string { return fmt.Sprintf("run %d %v", r.Index+1, r.Phase) }

// A file begins with a head of words, which is mapped, followed by the record as JSON.
// The first word is the magic, the second the state. Each other word belongs to a worker:
// its phase in the highest byte, and below it the number of the run, from 1.
const (
	magic      = "jostlef1"
	headWords  = 128
	headSize   = 8 * headWords
	stateWord  = 1
	firstWord  = 2
	phaseShift = 56
)

// A state is the progress of a replay.
type state uint64

const (
	waiting state = iota // it has not begun, or there was no time for it
	flying               // it is in progress
	landed               // it has ended, and the process has not
)

// encode returns the file of a record before any run.
func encode(r *Record) []byte {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // all fields can be encoded
	}
	head := make([]byte, headSize)
	copy(head, magic)
	return append(head, text...)
}

var errBroken = errors.New("not a complete flight record")

// decode returns the record in a file.
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

// CopyOf copies a file into a folder, for a replay that must start from it without
// changing it. It returns the path of the copy, or "" if there is no such file.
func CopyOf(path, dir string) string {
	text, err := os.ReadFile(path)
	to := filepath.Join(dir, filepath.Base(path))
	if err != nil || os.WriteFile(to, text, 0o600) != nil {
		return ""
	}
	return to
}

// Begin marks the record at a path as being replayed.
func Begin(path string) error { return setState(path, flying) }

// Land marks the replay of the record at a path as over. Reached reports whether its run
// was replayed to its end.
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

// stateOf returns the state in the record at a path.
func stateOf(path string) state {
	file, err := os.ReadFile(path)
	if err != nil || len(file) < headSize {
		return waiting
	}
	return state(binary.NativeEndian.Uint64(file[8*stateWord:]))
}
