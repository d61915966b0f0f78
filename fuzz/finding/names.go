package finding

import (
	"fmt"
	"reflect"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// twoNames holds the names of a run's steps, with and without the numbers of actors.
type twoNames [2]map[uint64]stepName

// renamed translates constraints to the steps with the same names in another run, and drops
// those without such steps.
func renamed(list []choice.Constraint, was, is map[uint64]stepName) (out []choice.Constraint) {
	byName := map[stepName]uint64{}
	for id, name := range is {
		byName[name] = id
	}
	for _, c := range list {
		first, ok := byName[was[c.First]]
		second, also := byName[was[c.Second]]
		if ok && also {
			out = append(out, choice.Constraint{First: first, Second: second})
		}
	}
	return out
}

// labelsOf returns the names of a run's actors without their numbers.
func labelsOf(sys *pulse.System) trace.Names {
	t := sys.Trace()
	names := make(trace.Names, len(t.Actors))
	for i := range t.Actors {
		names[i] = t.Actors[i].Label
	}
	return names
}

// A stepName names a step by its message, sender and receiver, and by how many such
// messages came before.
type stepName struct {
	message, sender, receiver string
	before                    int
}

func (n stepName) number() uint64 { return hash.String(fmt.Sprint(n)) }

// namesOf names the steps of a run, by identity, with the given names of its actors.
func namesOf(sys *pulse.System, actors trace.Names) map[uint64]stepName {
	names, count := map[uint64]stepName{}, map[stepName]int{}
	t := sys.Trace()
	for i := range t.Sends {
		d := &t.Sends[i]
		name := stepName{message: trace.Label(d.Body), sender: actors.Of(d.From), receiver: actors.Of(d.To)}
		count[name]++
		name.before = count[name] - 1
		names[sys.Host().StepID(d)] = name
	}
	return names
}

// inFull names a message so that no other message of a run has the name.
func (n stepName) inFull() string {
	text := fmt.Sprintf("%s from %s at %s", n.message, n.sender, n.receiver)
	if n.before > 0 {
		text += fmt.Sprintf(" (number %d)", n.before+1)
	}
	return text
}

// kindOf returns the types of a message and its receiver. A value whose type has no name of
// its own, such as a string, stands for itself.
func kindOf(t *trace.Trace, d *trace.Send) string {
	kind := trace.Label(d.Body)
	if of := reflect.TypeOf(d.Body); of != nil && of.PkgPath() != "" {
		kind = of.String()
	} else if of != nil && of.Kind() == reflect.Pointer && of.Elem().PkgPath() != "" {
		kind = of.String()
	}
	if int(d.To) < 0 || int(d.To) >= len(t.Actors) {
		return kind
	}
	return kind + " at " + t.Actors[d.To].Label
}
