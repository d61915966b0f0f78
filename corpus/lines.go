package corpus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
)

// The advice at the end of an error about a file that cannot be read.
const (
	restore = "restore the file from version control, or delete it"
	oneSide = "keep the lines of one side, all of them (git checkout --ours, or --theirs, and the path)"
	update  = "update jostle (go get github.com/jostle-go/jostle@latest), or delete the file"
)

// A reader reads the lines of a case file. After the first error, it reads nothing more and all
// methods return zero values.
type reader struct {
	path  string
	lines []string
	at    int    // the index of the line after the current one
	rest  string // the unread part of the current line
	err   error

	version int // the version of the file's format
}

// next moves to the next line, which must exist.
func (r *reader) next() {
	if r.err != nil {
		return
	}
	r.rest = r.lines[r.at]
	r.at++
}

// peek returns the first word of the next line.
func (r *reader) peek() string {
	if r.err != nil || r.at == len(r.lines) {
		return ""
	}
	word, _, _ := strings.Cut(r.lines[r.at], " ")
	return word
}

// failf records an error about the current line, unless an error was recorded before.
func (r *reader) failf(advice, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s:%d: %s: %s", r.path, max(r.at, 1), fmt.Sprintf(format, args...), advice)
	}
}

// shown returns a text in the form for error messages: quoted, and cut if it is long.
func shown(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(strings.ToValidUTF8(text[:most], "")) + "…"
	}
	if text == "" {
		return "the end of the line"
	}
	return strconv.Quote(text)
}

// lineShown returns a whole line in the form for error messages.
func lineShown(line string) string {
	if line == "" {
		return "empty"
	}
	return shown(line)
}

// keyword moves to the next line, which must begin with the given word, and reads the word.
func (r *reader) keyword(word string) {
	r.next()
	r.literal(word)
}

// literal reads a word. It fails unless this is the given word.
func (r *reader) literal(word string) {
	got := r.word()
	if r.err == nil && got != word {
		r.failf(restore, "%s, expected %q", shown(got), word)
	}
}

// word reads a word, up to the next space or the end of the line.
func (r *reader) word() string {
	if r.err != nil {
		return ""
	}
	if strings.HasPrefix(r.rest, " ") {
		r.failf(restore, "two spaces, expected one")
		return ""
	}
	var word string
	word, r.rest, _ = strings.Cut(r.rest, " ")
	return word
}

// line reads a line that begins with a word. It calls read for the rest of the line.
func (r *reader) line(word string, read func()) {
	r.keyword(word)
	read()
	r.end()
}

// each reads the lines that begin with a word. It calls read for the rest of each line.
func (r *reader) each(word string, read func()) {
	for r.peek() == word {
		r.line(word, read)
	}
}

// more reports whether the current line has an unread part.
func (r *reader) more() bool { return r.err == nil && r.rest != "" }

// end fails if the current line has an unread part.
func (r *reader) end() {
	if r.more() {
		r.failf(restore, "%s, expected the end of the line", shown(r.rest))
	}
}

// quoted reads a string in double quotes, as in Go.
func (r *reader) quoted() string {
	if r.err != nil {
		return ""
	}
	text, err := strconv.QuotedPrefix(r.rest)
	if err != nil || text[0] != '"' {
		r.failf(restore, "%s, expected a string in double quotes", shown(r.rest))
		return ""
	}
	s, _ := strconv.Unquote(text)
	r.rest = strings.TrimPrefix(r.rest[len(text):], " ")
	return s
}

func (r *reader) hex() uint64 { return r.number(16, 64, true, "16 hexadecimal digits") }

// short reads a hexadecimal number of at most 16 digits.
func (r *reader) short() uint64 {
	return r.number(16, 64, false, "a hexadecimal number of at most 16 digits")
}

// decimal reads a decimal number of at most 32 bits.
func (r *reader) decimal() uint32 {
	return uint32(r.number(10, 32, false, "a number of at most 4294967295"))
}

func (r *reader) number(base, bits int, full bool, what string) uint64 {
	word := r.word()
	n, err := strconv.ParseUint(word, base, bits)
	if r.err == nil && (err != nil || full && len(word) != 16) {
		r.failf(restore, "%s, expected %s", shown(word), what)
		return 0
	}
	return n
}

// kind reads the name of a choice.Kind.
func (r *reader) kind() choice.Kind {
	name := r.word()
	kind, known := choice.KindOf(name)
	if r.err == nil && !known {
		r.failf(update, "%s, expected a kind of choice, such as %q or %q", shown(name), choice.Program, choice.Drop)
	}
	return kind
}
