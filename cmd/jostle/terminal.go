package main

import (
	"errors"

	"golang.org/x/term"
)

var errBackground = errors.New("the process is in the background of its terminal")

// A terminal implements tool.Terminal with the operating system's calls.
type terminal struct{}

func (terminal) Is(fd int) bool { return term.IsTerminal(fd) }

func (terminal) Size(fd int) (columns, rows int, err error) { return term.GetSize(fd) }

func (t terminal) Foreground() bool {
	for fd := range 3 {
		if t.Is(fd) && inForeground(fd) {
			return true
		}
	}
	return false
}

func (terminal) Raw(fd int) (restore func() error, err error) {
	if !inForeground(fd) {
		return nil, errBackground
	}
	was, err := term.MakeRaw(fd)
	return func() error { return term.Restore(fd, was) }, err
}
