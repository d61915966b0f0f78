package finding

import (
	"fmt"
	"reflect"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// twoNames has the names of a run's messages, by ID. In the first map actors have their full
// names, in the second one only their labels, without numbers.
type twoNames [2]map[uint64]stepName

// renamed translates constraints to another run, by the names of messages. from has the names
// in the original run, and to has the names in the other run; the keys are message IDs.
// Constraints on messages that the other run does not send are dropped.
func renamed(list []choice.Constraint, from, to map[uint64]stepName) (out []choice.Constraint) {
	byName := map[stepName]uint64{}
	for id, name := range to {
		byName[name] = id
	}
	for _, c := range list {
		first, ok := byName[from[c.First]]
		second, also := byName[from[c.Second]]
		if ok && also {
			out = append(out, choice.Constraint{First: first, Second: second})
		}
	}
	return out
}

// labelsOf returns the labels of a run's actors, which are the names without numbers.
func labelsOf(sys *pulse.System) trace.Names {
	t := sys.Trace()
	names := make(trace.Names, len(t.Actors))
	for i := range t.Actors {
		names[i] = t.Actors[i].Label
	}
	return names
}

// A stepName identifies a message in all orders of the property's messages.
type stepName struct {
	message, sender, receiver string // sender is "" for an operation by which the receiver continues
	before                    int    // the number of earlier messages with the same text, sender and receiver
}

func (n stepName) number() uint64 { return hash.String(fmt.Sprint(n)) }

// namesOf returns the names of a run's messages; the keys are step IDs. actors has the names of
// the run's actors.
func namesOf(sys *pulse.System, actors trace.Names) map[uint64]stepName {
	names, count := map[uint64]stepName{}, map[stepName]int{}
	t := sys.Trace()
	for i := range t.Sends {
		d := &t.Sends[i]
		name := stepName{message: trace.Label(d.Body), sender: actors.Of(d.From), receiver: actors.Of(d.To)}
		if d.From == d.To && isOperation(d) {
			name.sender = ""
		}
		count[name]++
		name.before = count[name] - 1
		names[sys.Host().StepID(d)] = name
	}
	return names
}

// mostName is the number of columns up to which explanations print messages as they are.
const mostName = 40

// shortened maps the labels of a run's messages that are longer than mostName to shorter ones, without
// some of their fields and elements.
func shortened(t *trace.Trace) map[string]string {
	var long []*trace.Send
	for i := range t.Sends {
		if d := &t.Sends[i]; !isOperation(d) && trace.Width(trace.Label(d.Body)) > mostName {
			long = append(long, d)
		}
	}
	short := map[string]string{}
	for i, p := range trace.Phrases(long) {
		if text, kept := p.Fit(mostName); kept && len(p.Parts) > 0 {
			short[trace.Label(long[i].Body)] = text
		}
	}
	return short
}

// inFull returns the complete name of a message. No other message of the run has the same.
func (n stepName) inFull() string {
	text := n.message
	if n.sender != "" {
		text += " from " + n.sender
	}
	text += " at " + n.receiver
	if n.before > 0 {
		text += fmt.Sprintf(" (number %d)", n.before+1)
	}
	return text
}

// isOperation reports whether a message stands for the next operation of a goroutine under control.
func isOperation(d *trace.Send) bool {
	_, ok := d.Body.(trace.Operation)
	return ok
}

// kindOf returns the type of a message and the label of its receiver: "main.Write at writer". If the
// type belongs to no package, such as string, kindOf returns the value in place of the type. It also
// returns the value for operations of goroutines, because all of these have the same type.
func kindOf(t *trace.Trace, d *trace.Send) string {
	kind := trace.Label(d.Body)
	if hasPackage(d.Body) && !isOperation(d) {
		kind = reflect.TypeOf(d.Body).String()
	}
	if int(d.To) < 0 || int(d.To) >= len(t.Actors) {
		return kind
	}
	return kind + " at " + t.Actors[d.To].Label
}

// shortKind returns the type of a message without its package: "Write". If the type belongs to no
// package, shortKind returns the label of the message.
func shortKind(d *trace.Send) string {
	if hasPackage(d.Body) && !isOperation(d) {
		return trace.TypeLabel(d.Body)
	}
	return d.Label()
}

// hasPackage reports whether the type of a message, or the type that it points to, belongs to a package.
func hasPackage(body any) bool {
	of := reflect.TypeOf(body)
	if of != nil && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return of != nil && of.PkgPath() != ""
}
