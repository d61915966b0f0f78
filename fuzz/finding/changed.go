package finding

import (
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A stateAt is an observer that records the state of an actor before and after one of its steps. The
// zero stateAt records nothing.
type stateAt struct {
	on            bool
	step          int
	actor         int32 // the actor of the step, if it is known beforehand
	before, after []trace.Field
}

func (o *stateAt) Stepped(s *pulse.System, step int) {
	switch {
	case !o.on:
	case step == o.step-1:
		o.before = s.Host().Fields(o.actor)
	case step == o.step:
		o.after = s.Host().Fields(s.Trace().Steps[step].Actor)
	}
}

// end records the state after the step that failed, for which Stepped is not called.
func (o *stateAt) end(s *pulse.System) {
	if len(s.Trace().Steps) == o.step+1 && o.after == nil {
		o.Stepped(s, o.step)
	}
}

// changes returns the fields that the deciding step of a failing run has left with another value than
// the same step of the nearest passing run. If there is no such field or no such step, it returns the
// fields that the step has changed.
func (o *stateAt) changes(actor string, passing []trace.Field) []record.Change {
	all := compared(actor, o.before, o.after, passing)
	differ := slices.DeleteFunc(slices.Clone(all), func(c record.Change) bool { return passing == nil || c.After == c.Passing })
	if len(differ) > 0 || o.before == nil {
		return differ
	}
	return slices.DeleteFunc(all, unchanged)
}

func unchanged(c record.Change) bool { return c.After == c.Before }

// compared returns the fields of an actor's state after a step, with their values before the step and
// after the same step of the passing run.
func compared(actor string, before, after, passing []trace.Field) (list []record.Change) {
	text := func(fields []trace.Field, name string) string {
		i := slices.IndexFunc(fields, func(f trace.Field) bool { return f.Name == name })
		if i < 0 {
			return ""
		}
		return visible(fields[i].Text)
	}
	for _, f := range after {
		if f.Name != "" || len(before) == 1 && before[0].Name == "" { // otherwise the only field has no name and is not a value: it says, for example, where a process waits
			list = append(list, record.Change{Actor: actor, Field: visible(f.Name), Before: text(before, f.Name), After: visible(f.Text), Passing: text(passing, f.Name)})
		}
	}
	return list
}
