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

// changes is an observer that records the state of an actor after each step that changed it.
type changes struct {
	now   []string   // the current state of each actor
	steps [][]string // for each step, the actor states that the step changed
	whose [][]int32  // for each element of steps, the indices of the actors that have these states

	fields map[int32][]trace.Field    // the current fields of each actor; nil if nobody needs the field parts
	parts  map[[2]int][]record.Change // for a step and an actor, the fields that the step changed
}

func (c *changes) Stepped(s *pulse.System, step int) {
	for len(c.steps) <= step {
		c.steps, c.whose = append(c.steps, nil), append(c.whose, nil)
	}
	for i, state := range s.Host().States() {
		if i == len(c.now) {
			c.now = append(c.now, "")
		}
		if state != c.now[i] && i != int(trace.Test) {
			c.steps[step] = append(c.steps[step], state)
			c.whose[step] = append(c.whose[step], int32(i))
			c.compare(s, step, int32(i))
		}
		c.now[i] = state
	}
}

// compare records the fields of an actor that a step changed.
func (c *changes) compare(s *pulse.System, step int, actor int32) {
	if c.fields == nil {
		return
	}
	now := s.Host().Fields(actor)
	c.parts[[2]int{step, int(actor)}] = slices.DeleteFunc(compared("", c.fields[actor], now, nil), unchanged)
	c.fields[actor] = now
}

// whoseAt returns the actors whose states a step changed.
func (c *changes) whoseAt(step int) []int32 {
	if step >= len(c.whose) {
		return nil
	}
	return c.whose[step]
}

// after returns a function that returns the lines to print after a step, which show the states
// that the step changed. After the first step they show only its actor, because the earlier
// states of the other actors are unknown.
func (c *changes) after(t *trace.Trace, names trace.Names) func(int) []string {
	return func(step int) (lines []string) {
		for i, whose := range c.whoseAt(step) {
			if step > 0 || whose == t.Steps[0].Actor {
				lines = append(lines, names.Of(whose)+" now: "+c.steps[step][i])
			}
		}
		return lines
	}
}

// partsAfter returns the fields that a step changed, of the same actors as after.
func (c *changes) partsAfter(t *trace.Trace, names trace.Names, step int) (list []record.Change) {
	for _, whose := range c.whoseAt(step) {
		for _, part := range c.parts[[2]int{step, int(whose)}] {
			if part.Actor = visible(names.Of(whose)); step > 0 || whose == t.Steps[0].Actor {
				list = append(list, part)
			}
		}
	}
	return list
}

// fieldsOf returns the state of an actor.
func fieldsOf(s *pulse.System, actor int32) (list []record.Field) {
	for _, f := range s.Host().Fields(actor) {
		list = append(list, record.Field{Name: visible(f.Name), Text: visible(f.Text)})
	}
	return list
}
