package screen

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An Output is the standard output or standard error of the command jostle. Write escapes
// control characters, as trace.Visible does. Therefore no text of a user's program, a file or
// an argument reaches a terminal as an escape sequence. Only this package writes escape
// sequences. The methods may be called by any goroutine.
type Output struct {
	to     io.Writer
	failed func(error) // called with the first error

	mu   sync.Mutex
	part []byte // the beginning of a character whose remaining bytes were not written yet
	err  error
}

// NewOutput returns an output to w. The function failed, unless nil, is called with the first error
// of a write.
func NewOutput(w io.Writer, failed func(error)) *Output { return &Output{to: w, failed: failed} }

// Write writes text and escapes its control characters, except newlines and tabs.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := append(o.part, p...)
	whole := wholeRunes(text)
	o.part = append([]byte(nil), text[whole:]...)
	return len(p), o.put(trace.Visible(string(text[:whole])))
}

// wholeRunes returns the length of a text without an incomplete character at its end.
func wholeRunes(text []byte) int {
	for i := 1; i <= min(utf8.UTFMax-1, len(text)); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) && !utf8.FullRune(last) {
			return len(text) - i
		}
	}
	return len(text)
}

// raw writes a text with escape sequences of this package. The caller must have escaped all
// other parts of the text.
func (o *Output) raw(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.put(text)
}

// put writes a text, unless an earlier write has failed. The caller must hold mu.
func (o *Output) put(text string) error {
	if o.err != nil || text == "" {
		return o.err
	}
	if _, o.err = io.WriteString(o.to, text); o.err != nil && o.failed != nil {
		o.failed(o.err)
	}
	return o.err
}

// Close writes the bytes of an incomplete character, if there are any, in escaped form. It returns
// the first error of all writes.
func (o *Output) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	left := o.part
	o.part = nil
	return o.put(trace.Visible(string(left)))
}

// Fd returns the descriptor of the file to which the output is written, or false if it is not
// written to a file.
func (o *Output) Fd() (fd uintptr, ok bool) {
	f, ok := o.to.(*os.File)
	if !ok {
		return 0, false
	}
	return f.Fd(), true
}

// JSON replaces the control characters of a JSON text by JSON escapes. Then Write has nothing to
// escape, and the output remains JSON.
func JSON(text []byte) string {
	all := string(text)
	if trace.Visible(all) == all {
		return all
	}
	var b strings.Builder
	for _, r := range all {
		if one := string(r); trace.Visible(one) == one {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
