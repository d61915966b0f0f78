package main

import (
	"os"

	"golang.org/x/term"
)

// terminal returns what is read from or written to as a terminal, nil if it is none.
func terminal(rw any) *os.File {
	if f, ok := rw.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// size returns how large a terminal is; one that does not know is of the usual size.
func size(f *os.File) (columns, rows int) {
	columns, rows, err := term.GetSize(int(f.Fd()))
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
