package tool

import (
	"io"
	"os"
	"runtime"

	"github.com/jostle-go/jostle/fuzz/internal/screen"
)

// keyboard returns the standard input if it is a terminal, else nil.
func (call *Call) keyboard() *os.File {
	if f, ok := call.In.(*os.File); ok && call.Terminal.Is(int(f.Fd())) {
		return f
	}
	return nil
}

// display returns the standard output and a function that returns its size. Both are nil if the
// standard output is not a terminal.
func (call *Call) display() (out *screen.Output, size func() (columns, rows int)) {
	if size = call.sizeOf(call.Out); size != nil {
		out = call.Out.(*screen.Output)
	}
	return out, size
}

// sizeOf returns a function that returns the size of the terminal to which w writes, nil if w does
// not write to a terminal.
func (call *Call) sizeOf(w io.Writer) func() (columns, rows int) {
	o, ok := w.(*screen.Output)
	if !ok {
		return nil
	}
	fd, ok := o.Fd()
	if !ok || !call.Terminal.Is(int(fd)) {
		return nil
	}
	return func() (columns, rows int) { return call.size(int(fd)) }
}

// fitTerminal makes those outputs that are terminals break long lines and show links, if the
// terminal is known to support that.
func (call *Call) fitTerminal(outputs ...*screen.Output) {
	for _, o := range outputs {
		size := call.sizeOf(o)
		if size == nil {
			continue
		}
		o.Columns = func() int { columns, _ := size(); return columns }
		o.Links = allowed(os.Getenv, runtime.GOOS) && os.Getenv("NO_COLOR") == ""
	}
}

// size returns the size of a terminal, 80 by 24 if the size is unknown.
func (call *Call) size(fd int) (columns, rows int) {
	columns, rows, err := call.Terminal.Size(fd)
	if err != nil || columns < 1 || rows < 1 {
		return 80, 24
	}
	return columns, rows
}
