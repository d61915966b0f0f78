package screen

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
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

	// Columns returns the number of columns of the terminal to which the output is written. Longer
	// lines are broken between words. It is nil if the output is not written to a terminal.
	Columns func() int
	// Links is set if the terminal can show links.
	Links bool

	mu    sync.Mutex
	inRaw bool   // set if the terminal does not return to the first column after a newline
	mid   bool   // set if the last text did not end a line
	part  []byte // the beginning of a character whose remaining bytes were not written yet
	err   error
}

// NewOutput returns an output to w. The function failed, unless nil, is called with the first error
// of a write.
func NewOutput(w io.Writer, failed func(error)) *Output { return &Output{to: w, failed: failed} }

// Write writes text and escapes its control characters, except newlines and tabs. If the text begins
// a line, Write breaks long lines.
func (o *Output) Write(p []byte) (int, error) { return o.write(p, true) }

// write writes text with its control characters escaped, and breaks long lines if fold is set.
func (o *Output) write(p []byte, fold bool) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := append(o.part, p...)
	whole := wholeRunes(text)
	o.part = append([]byte(nil), text[whole:]...)
	visible := trace.Visible(string(text[:whole]))
	if fold {
		visible = o.fold(visible)
	}
	return len(p), o.put(visible)
}

// ColumnsOf returns the number of columns of the terminal to which w writes, or 0 if w writes to none.
func ColumnsOf(w io.Writer) int {
	if o, ok := w.(*Output); ok && o.Columns != nil {
		return o.Columns()
	}
	return 0
}

// fold breaks the long lines of a text that is about to be written. The caller must hold mu.
func (o *Output) fold(text string) string {
	begun := o.mid
	o.mid = text != "" && !strings.HasSuffix(text, "\n") || text == "" && begun
	if o.Columns == nil || begun {
		return text
	}
	return folded(text, o.Columns())
}

// folded returns a text with its long lines broken between words.
func folded(text string, columns int) string {
	end := text[len(strings.TrimRight(text, "\n")):]
	return strings.Join(trace.Fold(text, columns, 2, true), "\n") + end
}

// WriteLinked writes a text in which places of the source, such as "bank.go:27", are links if the
// terminal can show them. Links maps the places to URLs.
func (o *Output) WriteLinked(text string, links map[string]string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text = o.fold(trace.Visible(text))
	if o.Links {
		text = linked(text, links)
	}
	o.put(text)
}

// linked returns text with the escape sequences that make places links. Call it after lines were
// broken, because the sequences occupy no columns.
func linked(text string, links map[string]string) string {
	if len(links) == 0 {
		return text
	}
	var places []string
	for _, place := range slices.SortedFunc(maps.Keys(links), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
		places = append(places, regexp.QuoteMeta(place))
	}
	return regexp.MustCompile(`\b(`+strings.Join(places, "|")+`)\b`).ReplaceAllStringFunc(text, func(place string) string {
		return linkTo + trace.Visible(links[place]) + linkEnd + place + linkTo + linkEnd
	})
}

// The escape sequence of a link (OSC 8) is linkTo, the URL and linkEnd. An empty URL ends the link.
const linkTo, linkEnd = "\x1b]8;;", "\x1b\\"

// SetRaw says whether the terminal is in raw mode, in which a newline does not return to the first
// column.
func (o *Output) SetRaw(raw bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.inRaw = raw
}

// Whole returns a writer like w that does not break long lines, for output that programs read.
func Whole(w io.Writer) io.Writer {
	if o, ok := w.(*Output); ok {
		return &unbroken{o}
	}
	return w
}

// An unbroken writes to an Output without breaking lines.
type unbroken struct{ *Output }

func (w *unbroken) Write(p []byte) (int, error) { return w.write(p, false) }

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
	if o.inRaw {
		text = strings.ReplaceAll(text, "\n", "\r\n")
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
