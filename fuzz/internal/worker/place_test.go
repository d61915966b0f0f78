package worker

import (
	"os"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/flight"
)

// TestPlace: the command reads the last number that either end of a place has written, whether or
// not the worker could map the file into memory. With a mapped file, a new batch takes no system
// call, and the worker needs no open file.
func TestPlace(t *testing.T) {
	ours, err := newPlace()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.close()
	theirs := mapped(ours.file)
	defer flight.Unmap(theirs.words)
	if _, err := os.Stat(ours.file.Name()); err == nil && theirs.words != nil {
		t.Errorf("the file %s still has a name", ours.file.Name())
	}
	if theirs.words != nil {
		theirs.file = nil
	}
	if got := ours.batch(); got != 0 {
		t.Errorf("a new place has batch %d", got)
	}
	for i, p := range []place{theirs, ours, theirs, {file: ours.file}} {
		p.set(1<<40 + i)
		if got := ours.batch(); got != 1<<40+i {
			t.Errorf("batch %d was read, want %d", got, 1<<40+i)
		}
	}
}
