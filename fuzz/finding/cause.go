package finding

import (
	"fmt"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse/trace"
)

// nothing is what is known of a case that nobody has looked at.
var nothing corpus.Explanation

// known returns what is known of why the finding fails.
func (f *Finding) known() *corpus.Explanation {
	if f.Case.Explanation == nil {
		return &nothing
	}
	return f.Case.Explanation
}

// Why says in words in which orders the finding fails, "" if that is not known.
func (f *Finding) Why() string {
	text := Why(f.Case.Explanation)
	if told := f.known().Told; told != "" {
		text = told
	}
	if f.filed && text != "" {
		return "its file says: " + text
	}
	return text
}

// drawn returns the draws with what is known of other values.
func (f *Finding) drawn() []string {
	list := append([]string(nil), f.Draws...)
	for i := range list {
		if remark := at(f.known().Draws, int32(i)); remark != "" {
			list[i] += " (" + remark + ")"
		}
	}
	return list
}

// places returns the lines of code that send and receive the messages of the
// constraints: "flush: sent at writer.go:83, handler at writer.go:45".
func (f *Finding) places() (lines []string) {
	told := map[string]bool{}
	for _, c := range f.known().Main() {
		for _, m := range []corpus.Message{c.First, c.Second} {
			sent, received := f.placesOf(m.Send)
			var parts []string
			if sent != "" {
				parts = append(parts, "sent at "+sent)
			}
			if received != "" {
				parts = append(parts, "handler at "+received)
			}
			line := fmt.Sprintf("%s: %s", m.Text, strings.Join(parts, ", "))
			if len(parts) > 0 && !told[line] {
				told[line] = true
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// sends reports whether the run has a message at this place: what a file says may be of
// another.
func (f *Finding) sends(send int) bool {
	return send >= 0 && f.Trace != nil && send < len(f.Trace.Sends)
}

// placesOf returns the lines that send a message and that receive it, or would.
func (f *Finding) placesOf(send int) (sent, received string) {
	if !f.sends(send) || f.Seen == nil {
		return "", ""
	}
	d := &f.Trace.Sends[send]
	if sent = at(f.Seen.Sent, int32(send)); d.Receipt == trace.None {
		return sent, at(f.Seen.Handlers, d.To)
	}
	return sent, at(f.Seen.Handled, d.Receipt)
}
