package pulse

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Signature tells two failures of one build apart: kind, site and, for a panic or a
// property, the line and what was said without its values. Two orders that fail at one
// line with other values have one signature.
func (f *Failure) Signature() string { return f.signature(f.place()) }

// Lasting returns the signature without the line: an edit elsewhere does not change it.
// Saved cases and reports have it.
func (f *Failure) Lasting() string { return f.signature("") }

func (f *Failure) signature(line string) string {
	s := f.head()
	if !f.speaks() {
		return s
	}
	if line != "" {
		s += " (" + line + ")"
	}
	return s + ": " + f.said()
}

// Matches reports whether a failure that was saved with a lasting signature is this one.
// Older versions of jostle took what was rendered in place of the format.
func (f *Failure) Matches(lasting string) bool {
	if lasting == f.Lasting() {
		return true
	}
	said, ok := strings.CutPrefix(lasting, f.head()+": ")
	if !ok || !f.speaks() {
		return false
	}
	if format := f.format(); format != "" {
		return mask(said) == mask(f.rendered()) || older(format).MatchString(said)
	}
	return mask(said) == f.said()
}

// head is the kind and the site.
func (f *Failure) head() string {
	if f.Site == "" {
		return f.Kind.String()
	}
	return f.Kind.String() + " at " + f.Site
}

// speaks reports whether what is said is a part of the signature.
func (f *Failure) speaks() bool { return f.Kind == KindPanic || f.Kind == KindProperty }

// place returns the line that failed.
func (f *Failure) place() string {
	if f.Line == "" && len(f.Stack) > 0 {
		return f.Stack[0].Place()
	}
	return f.Line
}

// said returns what was said, in one line and without values.
func (f *Failure) said() string {
	if format := f.format(); format != "" {
		return format
	}
	return mask(f.rendered())
}

// rendered returns the first line of what was said.
func (f *Failure) rendered() string {
	if f.Kind == KindPanic {
		return firstLine(trace.Thrown(f.Value))
	}
	return firstLine(f.Text)
}

// format returns the first line of the format, "" if it has no word of its own, such as
// the "\n%s" by which libraries of assertions hand over their texts.
func (f *Failure) format() string {
	format := firstLine(strings.TrimLeft(f.Format, "\n"))
	if strings.IndexFunc(verbs.ReplaceAllString(format, ""), unicode.IsLetter) < 0 {
		return ""
	}
	return format
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// verbs are what a format puts values in place of.
var verbs = regexp.MustCompile(`%[-+# 0]*(?:\[\d+\])?(?:\*|\d+)?(?:\.(?:\[\d+\])?(?:\*|\d+)?)?(?:\[\d+\])?[a-zA-Z]`)

// older returns the form of the masked texts that older versions of jostle saved for a
// format: anything may stand in place of a verb.
func older(format string) *regexp.Regexp {
	parts := strings.Split(mask(verbs.ReplaceAllString(format, "#")), "#")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(strings.ReplaceAll(parts[i], "%%", "%"))
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
}

// values are numbers with their units, hexadecimal numbers, identifiers such as UUIDs, and
// quoted parts. A number that is masked already counts as one.
var values = regexp.MustCompile(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|` +
	`-?[0-9#]+[a-zA-Zµ]*(?:[.:/+-]?[0-9#]+[a-zA-Zµ]*)*|"[^"]*"|` + "`[^`]*`")

// several are values one behind the other: how many there are varies too.
var several = regexp.MustCompile(`(#|"")(?:,? (?:#|""))+`)

// mask puts marks in place of values: of numbers, of quoted parts, of several of these, and
// of what is in brackets, as lists and maps are. To mask a text twice changes nothing.
func mask(s string) string {
	s = values.ReplaceAllStringFunc(s, func(value string) string {
		if value[0] == '"' || value[0] == '`' {
			return `""`
		}
		return "#"
	})
	return emptied(several.ReplaceAllString(s, "$1"))
}

// emptied leaves out what is in brackets. A nil list has the form of another.
func emptied(s string) string {
	s = strings.ReplaceAll(s, "(nil)", "{}")
	var b strings.Builder
	depth := 0
	for _, r := range s {
		switch r {
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth == 0 {
			b.WriteRune(r)
		}
		switch r {
		case '[', '{':
			if depth++; depth == 1 {
				b.WriteString("…")
			}
		}
	}
	return b.String()
}
