package worker

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/jostle-go/jostle/fuzz/internal/flight"
)

// A place is a small file in which a worker writes the number of its current batch. The command
// reads it when the process has died. A message for each batch would wake the command thousands of
// times a second.
type place struct {
	file  *os.File
	words []uint64 // in the worker: the number, mapped into memory; nil if the file cannot be mapped
}

// mapped returns the worker's end of a place, which needs no system call for each batch if the
// system can map files into memory.
func mapped(file *os.File) place {
	words, _ := flight.Map(file, 1)
	return place{file, words}
}

// newPlace creates the file of a new process, with its final size, so that a disk that fills up
// later does no harm. The file has no name if the system allows that.
func newPlace() (place, error) {
	file, err := os.CreateTemp("", "jostle-batch-*")
	if err != nil {
		return place{}, fmt.Errorf("a worker needs a temporary file: %w", err)
	}
	os.Remove(file.Name()) // on Windows Remove fails, but Close removes the file there
	if _, err = file.WriteAt(make([]byte, 8), 0); err != nil {
		place{file: file}.close()
		return place{}, fmt.Errorf("a worker needs a temporary file: %w", err)
	}
	return place{file: file}, nil
}

// set writes the number of a batch. It ignores an error, which only makes the report of a death
// less exact.
func (p place) set(batch int) {
	if p.words != nil {
		p.words[0] = uint64(batch)
		return
	}
	p.file.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(batch)), 0)
}

// batch returns the number that was written last, 0 if there is none.
func (p place) batch() int {
	var b [8]byte
	p.file.ReadAt(b[:], 0)
	return int(binary.NativeEndian.Uint64(b[:]))
}

func (p place) close() {
	p.file.Close()
	os.Remove(p.file.Name())
}
