package finding

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"text/scanner"

	"github.com/jostle-go/jostle/pulse"
)

// branchOf returns the line of a Go source that handles messages of a type, in the function that
// begins at the given line. The line is a case of a type switch, or a type assertion. If inside is
// set, the given line is one within the function, and branchOf searches only what comes after it.
// branchOf returns 0 if it finds nothing. helpers are the functions of the source that the case calls.
//
// It compares the names of types, without packages, so that it needs neither package go/parser,
// which would become a part of every test binary, nor the types of the program.
func branchOf(source string, begin int, inside bool, message reflect.Type) (line int, helpers []string) {
	for _, nested := range []bool{false, true} {
		b := &branches{wanted: nameIn(message.String()), depth: 1, nested: nested}
		if b.read(source, begin, inside); b.found > 0 {
			return b.found, b.helpers(source)
		}
		line = b.asserted
	}
	return line, nil
}

// nameIn returns the name of a type without its package and its type arguments: "*write" for
// "*writer.write".
func nameIn(text string) string {
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "map[") || strings.HasPrefix(text, "func(") {
		return text
	}
	text, _, _ = strings.Cut(text, "[")
	name := text[strings.LastIndexByte(text, '.')+1:]
	if strings.HasPrefix(text, "*") && !strings.HasPrefix(name, "*") {
		name = "*" + name
	}
	return name
}

// A sources reads the files of a program. It maps their paths to their content, "" if there is none.
type sources map[string]string

// branch returns the line that handles a message. handler is the handler of
// the receiver, and waits is the line at which its process waited, if it is one. branch returns the
// zero Frame if the line is unknown, for example because the sources are not on this machine. helpers are the functions
// of the same file that the case calls.
func (s sources) branch(handler, waits pulse.Frame, message any) (place pulse.Frame, helpers []string) {
	at := handler
	if waits.File != "" {
		at = waits
	}
	if at.Path() == "" || message == nil {
		return waits, nil
	}
	line, helpers := branchOf(s.read(at.Path()), at.Line, waits.File != "", reflect.TypeOf(message))
	if line == 0 {
		return waits, nil
	}
	at.Line = line
	return at, helpers
}

// read returns the content of a file, "" if it cannot be read.
func (s sources) read(path string) string {
	text, known := s[path]
	if !known {
		content, _ := os.ReadFile(path)
		text = string(content)
		s[path] = text
	}
	return text
}

// A branches reads the tokens of a Go source.
type branches struct {
	scanner.Scanner
	token    rune
	last     string // the token before
	wanted   string // the name of the type, see nameIn
	nested   bool   // set if the case may be in a type switch within another one
	depth    int    // the number of open braces; 0 after the end of the function
	switches []int  // for each type switch around the current token, the value of the field depth within it
	found    int    // the line of the case; 0 if there is none yet
	asserted int    // the line of the first type assertion to the type; 0 if there is none yet
}

// read reads a source until it finds the case of the wanted type or the function ends.
func (b *branches) read(source string, begin int, inside bool) {
	b.Init(strings.NewReader(source))
	b.Mode = scanner.GoTokens
	b.Error = func(*scanner.Scanner, string) {}
	b.next()
	for b.token != scanner.EOF && b.Position.Line < begin {
		b.next()
	}
	if !inside {
		b.enter()
	}
	for b.token != scanner.EOF && b.depth > 0 && b.found == 0 {
		b.take()
	}
}

func (b *branches) next() {
	b.last = b.TokenText()
	b.token = b.Scan()
}

// enter reads up to the body of the next function. A brace after "interface" or "struct" belongs to
// the type of a parameter.
func (b *branches) enter() {
	for b.token != scanner.EOF && b.TokenText() != "func" {
		b.next()
	}
	for types := 0; b.token != scanner.EOF; b.next() {
		switch {
		case b.token == '{' && types == 0 && b.last != "interface" && b.last != "struct":
			b.next()
			return
		case b.token == '{':
			types++
		case b.token == '}':
			types--
		}
	}
}

// take reads one token of the function, or the list of a case, or a type in parentheses.
func (b *branches) take() {
	switch {
	case b.token == '{':
		b.depth++
	case b.token == '}':
		if n := len(b.switches); n > 0 && b.switches[n-1] == b.depth {
			b.switches = b.switches[:n-1]
		}
		b.depth--
	case b.TokenText() == "case" && (len(b.switches) == 1 || len(b.switches) > 1 && b.nested) && b.switches[len(b.switches)-1] == b.depth:
		b.list()
	case b.token == '(' && b.last == ".":
		b.assertion()
	}
	b.next()
}

// list reads the types of a case.
func (b *branches) list() {
	line, nested, text := b.Position.Line, 0, ""
	for b.next(); b.token != scanner.EOF && (b.token != ':' || nested > 0); b.next() {
		switch {
		case b.token == ',' && nested == 0:
			b.compare(text, line)
			text = ""
			continue
		case strings.ContainsRune("([{", b.token):
			nested++
		case strings.ContainsRune(")]}", b.token):
			nested--
		}
		if text += b.TokenText(); text == b.TokenText() {
			line = b.Position.Line
		}
	}
	b.compare(text, line)
}

func (b *branches) compare(text string, line int) {
	if b.found == 0 && nameIn(text) == b.wanted {
		b.found = line
	}
}

// helpers reads the rest of a case. It returns the functions that the case calls and the source
// declares, in the order of the calls.
func (b *branches) helpers(source string) (list []string) {
	for depth := b.depth; b.token != scanner.EOF && b.depth >= depth; b.take() {
		if b.depth == depth && (b.TokenText() == "case" || b.TokenText() == "default") {
			break
		}
		if b.token == '(' && !slices.Contains(list, b.last) && declares(source, b.last) {
			list = append(list, b.last)
		}
	}
	return list
}

// declares reports whether a source declares a function or a method with a name.
func declares(source, name string) bool {
	for line := range strings.Lines(source) {
		head, is := strings.CutPrefix(line, "func ")
		if strings.HasPrefix(head, "(") {
			_, head, _ = strings.Cut(head, ") ")
		}
		if function, _, _ := strings.Cut(head, "("); is && function == name {
			return true
		}
	}
	return false
}

// assertion reads the type of a type assertion. After ".(type)" a type switch begins.
func (b *branches) assertion() {
	line, text := b.Position.Line, ""
	for b.next(); b.token != scanner.EOF && b.token != ')'; b.next() {
		text += b.TokenText()
	}
	switch {
	case text == "type":
		b.switches = append(b.switches, b.depth+1)
	case b.asserted == 0 && nameIn(text) == b.wanted:
		b.asserted = line
	}
}
