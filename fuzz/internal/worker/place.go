package worker

import (
	"encoding/binary"
	"fmt"
	"os"
)

// A place is a small file in which a worker writes the number of its current batch. The command
// reads it when the process has died. A message for each batch would wake the command thousands of
// times a second.
type place struct{ file *os.File }

// newPlace creates the file of a new process, with its final size, so that a disk that fills up
// later does no harm. The file has no name if the system allows that.
func newPlace() (p place, err error) {
	if p.file, err = os.CreateTemp("", "jostle-batch-*"); err != nil {
		return p, fmt.Errorf("a worker needs a temporary file: %w", err)
	}
	os.Remove(p.file.Name()) // fails on Windows, where close removes the file
	if _, err = p.file.WriteAt(make([]byte, 8), 0); err != nil {
		p.close()
		return p, fmt.Errorf("a worker needs a temporary file: %w", err)
	}
	return p, nil
}

// set writes the number of a batch. It ignores an error, which only makes the report of a death
// less exact.
func (p place) set(batch int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(batch))
	p.file.WriteAt(b[:], 0)
}

// batch returns the number that was written last, 0 if there is none.
func (p place) batch() int {
	var b [8]byte
	p.file.ReadAt(b[:], 0)
	return int(binary.LittleEndian.Uint64(b[:]))
}

func (p place) close() {
	p.file.Close()
	os.Remove(p.file.Name())
}
