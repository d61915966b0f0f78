package pulse

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Signature returns a text that distinguishes the bugs of one build of a
// program. It consists of the kind and the site of the failure. For a panic or
// a property it also has the line, and the message without values. So two runs
// that fail at one line with different values have the same signature.
func (f *Failure) Signature() string { return f.signature(f.place()) }

// Lasting returns the signature without the line, so that unrelated edits of
// the code do not change it. Saved cases and reports use this form.
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

// Matches reports whether lasting is the Lasting signature of this failure. It
// also accepts signatures saved by older versions of jostle, which have the
// formatted text in place of the format.
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

// head returns the first part of the signature: the kind and the site.
func (f *Failure) head() string {
	if f.Site == "" {
		return f.Kind.String()
	}
	return f.Kind.String() + " at " + f.Site
}

func (f *Failure) speaks() bool { return f.Kind == KindPanic || f.Kind == KindProperty }

// said returns the first line of the message without its values: the format,
// or the masked text.
func (f *Failure) said() string {
	if format := f.format(); format != "" {
		return format
	}
	return mask(f.rendered())
}

// rendered returns the first line of the message with its values.
func (f *Failure) rendered() string {
	if f.Kind == KindPanic {
		return firstLine(trace.Thrown(f.Value))
	}
	return firstLine(f.Text)
}

// format returns the first line of Format. It returns "" if that line has no
// letters except verbs, as in "\n%s", which assertion libraries use.
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

// verbs matches the verbs of a format string.
var verbs = regexp.MustCompile(`%[-+# 0]*(?:\[\d+\])?(?:\*|\d+)?(?:\.(?:\[\d+\])?(?:\*|\d+)?)?(?:\[\d+\])?[a-zA-Z]`)

// older returns a pattern for the masked text that older versions of jostle
// saved for a message with this format. The pattern allows any text in place
// of a verb.
func older(format string) *regexp.Regexp {
	parts := strings.Split(mask(verbs.ReplaceAllString(format, "#")), "#")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(strings.ReplaceAll(parts[i], "%%", "%"))
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
}

// values matches what mask removes: numbers with their units, hexadecimal
// numbers, identifiers such as UUIDs, and quoted parts. It also matches #,
// which replaces a number.
var values = regexp.MustCompile(`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|` +
	`-?[0-9#]+[a-zA-Zµ]*(?:[.:/+-]?[0-9#]+[a-zA-Zµ]*)*|"[^"]*"|` + "`[^`]*`")

// several matches a list of masked values. mask replaces a list by its first
// value, because the length of the list must not change the signature.
var several = regexp.MustCompile(`(#|"")(?:,? (?:#|""))+`)

// mask removes values from a message. It replaces numbers by #, quoted parts
// by "", a list of replaced values by its first value, and the contents of
// brackets by "…". A second mask changes nothing.
func mask(s string) string {
	s = values.ReplaceAllStringFunc(s, func(value string) string {
		if value[0] == '"' || value[0] == '`' {
			return `""`
		}
		return "#"
	})
	return emptied(several.ReplaceAllString(s, "$1"))
}

// emptied replaces the contents of brackets by "…". It treats "(nil)" as an
// empty list.
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
