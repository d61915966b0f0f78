package machine

import (
	"cmp"
	"fmt"
	"reflect"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/value"
)

// triesPerCommand is the maximum number of draws for a command that the model allows.
const triesPerCommand = 50

// sequence draws at most n commands that may be run one after another, beginning in
// the given state. It returns the commands and the model's states. states[i] is the
// state before command i, and the last element is the state after the last command.
func (m *Machine[S]) sequence(t *props.T, state S, n int, what string) (steps []step[S], states []S) {
	states = append(states, state)
	w := &value.Walker{Role: roleOf}
	for i := range props.Draw(t, rapid.IntRange(0, n), what+"s") {
		s, ok := m.drawStep(t, 0, state, fmt.Sprintf("%s %d", what, i+1), func(s step[S]) bool { return s.when(state) })
		if !ok {
			break
		}
		state = m.after(t, w, state, s)
		steps, states = append(steps, s), append(states, state)
	}
	return steps, states
}

// drawStep draws a command for which may returns true. ok is false if triesPerCommand
// draws found no such command.
func (m *Machine[S]) drawStep(t *props.T, client int, state S, label string, may func(step[S]) bool) (s step[S], ok bool) {
	which := rapid.SampledFrom(m.Commands)
	s = props.Draw(t, rapid.Custom(func(rt *rapid.T) step[S] {
		for range triesPerCommand {
			if s := which.Draw(rt, "command").draw(rt, client, state); may(s) {
				return s
			}
		}
		return step[S]{text: "none"}
	}), label)
	return s, s.run != nil
}

// after returns the state after a command. It ends the run if Next has modified the
// given state.
func (m *Machine[S]) after(t *props.T, w *value.Walker, state S, s step[S]) S {
	before := w.Fingerprint(state)
	next := s.next(state)
	if w.Fingerprint(state) != before {
		t.Report(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: fmt.Sprintf(
			"machine%s: Next of %s changes the state that it is given: let it return a changed copy", m.named(), s)})
	}
	return next
}

// roleOf returns the role of a type inside a model state. The types of packages pulse
// and props, except pulse.Ref, are tools. The contents of tools are ignored, because
// they can change even if Next does not modify the state.
func roleOf(t reflect.Type) value.Role {
	switch t.PkgPath() {
	case reflect.TypeFor[pulse.System]().PkgPath(), reflect.TypeFor[props.T]().PkgPath():
		if t != reflect.TypeFor[pulse.Ref]() {
			return value.RoleTool
		}
	}
	return value.RoleData
}

// branches draws the commands of several concurrent clients, beginning in the given
// state. The model allows each command in every interleaving of the clients.
func (m *Machine[S]) branches(t *props.T, state S) [][]step[S] {
	list := make([][]step[S], cmp.Or(m.Clients, 2))
	for i := range list {
		for j := range props.Draw(t, rapid.IntRange(1, cmp.Or(m.Branch, 4)), "commands of "+clientName(i)) {
			s, ok := m.drawStep(t, i+1, state, fmt.Sprintf("command %d of %s", j+1, clientName(i)), func(s step[S]) bool {
				list[i] = append(list[i], s)
				allowed := m.allows(state, list)
				list[i] = list[i][:j]
				return allowed
			})
			if !ok {
				break
			}
			list[i] = append(list[i], s)
		}
	}
	return list
}

// allows reports whether the model allows each command in every interleaving of the
// clients. For each position (see position), it computes the set of all states that
// can be reached at the position.
func (m *Machine[S]) allows(state S, branches [][]step[S]) bool {
	at := position{}
	reached := map[position][]S{at: {state}}
	for todo := []position{at}; len(todo) > 0; todo = todo[1:] {
		for i, b := range branches {
			at := todo[0]
			if at[i] == len(b) {
				continue
			}
			s := b[at[i]]
			at[i]++
			if reached[at] == nil {
				todo = append(todo, at)
			}
			for _, state := range reached[todo[0]] {
				if !s.when(state) {
					return false
				}
				reached[at] = m.include(reached[at], s.next(state))
			}
		}
	}
	return true
}

// mostClients is the maximum number of concurrent clients.
const mostClients = 8

// A position is a point in an interleaving of the clients. It contains the number of
// commands that each client has run.
type position [mostClients]int

// include returns states with s added, unless states contains an equal state.
func (m *Machine[S]) include(states []S, s S) []S {
	for _, known := range states {
		if m.equal(known, s) {
			return states
		}
	}
	return append(states, s)
}
