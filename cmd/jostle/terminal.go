package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/jostle-go/jostle/cmd/jostle/internal/screen"
)

// keyboard returns what is read from as a terminal, nil if it is none.
func keyboard(r io.Reader) *os.File {
	if f, ok := r.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// display returns what is written to and its descriptor if it is a terminal, else nil.
func display(w io.Writer) (*screen.Output, int) {
	if o, ok := w.(*screen.Output); ok {
		if fd, ok := o.Fd(); ok && term.IsTerminal(int(fd)) {
			return o, int(fd)
		}
	}
	return nil, 0
}

// size returns how large a terminal is; one that does not know is of the usual size.
func size(fd int) (columns, rows int) {
	columns, rows, err := term.GetSize(fd)
	if err != nil || columns < 1 || rows < 1 {
		return 80, 24
	}
	return columns, rows
}

// raw has a terminal give each key at once, and show none, until restore is called.
func raw(f *os.File) (restore func(), err error) {
	was, err := term.MakeRaw(int(f.Fd()))
	return func() { term.Restore(int(f.Fd()), was) }, err
}
