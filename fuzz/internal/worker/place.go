package worker

import (
	"encoding/binary"
	"os"
)

// A place is a small file in which a worker writes the number of its current batch. The command
// reads it when the process has died. A message for each batch would wake the command thousands of
// times a second.
type place struct{ file *os.File }

// newPlace creates the file of a new process. The file has no name where the system allows that.
func newPlace() (place, error) {
	f, err := os.CreateTemp("", "jostle-batch-*")
	if err == nil {
		os.Remove(f.Name()) // fails on Windows; then close removes it
	}
	return place{f}, err
}

// set writes the number of a batch. An error is ignored: then less is known about a death.
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
