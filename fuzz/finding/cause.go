package finding

import (
	"fmt"
	"strings"

	"github.com/jostle-go/jostle/fuzz/page"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Cause is what is known of why a shrunk run fails, beside in which orders.
type Cause struct {
	// Draws has a remark for each draw that other values do for as well: "any" or
	// "≥ 3"; else it is "".
	Draws []string
	// Faults says which faults are needed; "" when none is.
	Faults string
	// Early reports that it does not fail without the timers that fired early.
	Early bool
	// Constraints say in which orders it fails: in those in which all of one term hold, or,
	// of Sampled orders, in as many as that says.
	Constraints []Constraint
	// Sampled is what random orders show, nil if all orders were run, or none at random.
	Sampled *page.Sampled
}

// A Constraint is that one message is received before another.
type Constraint struct {
	Term          int // from 0
	First, Second Message
	Turned        *page.Share // see page.Constraint
}

// A Message is one that a constraint is about.
type Message struct {
	Text string
	Send int32 // its index in Trace.Sends; trace.None when this run does not send it
}

// drawn returns the draws with what is known of other values.
func (f *Finding) drawn() []string {
	list := append([]string(nil), f.Draws...)
	for i := range list {
		if remark := at(f.Cause.Draws, int32(i)); remark != "" {
			list[i] += " (" + remark + ")"
		}
	}
	return list
}

// places returns the lines of code that send and receive the messages of the
// constraints: "flush: sent at writer.go:83, handler at writer.go:45".
func (f *Finding) places() (lines []string) {
	told := map[string]bool{}
	for _, c := range f.Cause.Constraints {
		for _, m := range []Message{c.First, c.Second} {
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

// placesOf returns the lines that send a message and that receive it, or would.
func (f *Finding) placesOf(send int32) (sent, received string) {
	if send == trace.None || f.Seen == nil {
		return "", ""
	}
	d := &f.Trace.Sends[send]
	if sent = at(f.Seen.Sent, send); d.Receipt == trace.None {
		return sent, at(f.Seen.Handlers, d.To)
	}
	return sent, at(f.Seen.Handled, d.Receipt)
}
