package linear

import (
	"fmt"
	"reflect"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Model describes the effects of calls that are made one after another. S is the
// type of the state, In the type of a call, and Out the type of a result.
type Model[S, In, Out any] struct {
	// Name is used in messages, for example "register". It may be empty.
	Name string
	// Init returns the initial state.
	Init func() S
	// Step reports whether, in the given state, a call with the input in may have the
	// result out. It also returns the next state. Step must not modify the given state.
	Step func(state S, in In, out Out) (ok bool, next S)
	// Pending returns the state after a call that took effect but never returned. If
	// Pending is nil, Step is called with the zero Out, and the ok that Step returns is
	// ignored.
	Pending func(state S, in In) S
	// Equal compares states. Nil means reflect.DeepEqual.
	Equal func(a, b S) bool
	// Partition returns the name of the partition that a call belongs to, such as its
	// key. Calls in different partitions must not affect each other, because partitions
	// are checked separately. Nil means that all calls are in one partition.
	Partition func(in In) string
	// Describe returns a call as text. Nil means the text used in traces.
	Describe func(in In) string
	// Steps is the maximum number of calls to Step for each partition. Zero means
	// 2,000,000.
	Steps int
}

const defaultSteps = 2_000_000

func (m *Model[S, In, Out]) equal(a, b S) bool {
	if m.Equal != nil {
		return m.Equal(a, b)
	}
	return reflect.DeepEqual(a, b)
}

// step returns the results of Step if the call has returned. Otherwise it returns true
// and the state after the call (see Pending).
func (m *Model[S, In, Out]) step(state S, op *operation[In, Out]) (bool, S) {
	if op.returned {
		return m.Step(state, op.in, op.out)
	}
	if m.Pending != nil {
		return true, m.Pending(state, op.in)
	}
	var zero Out
	_, next := m.Step(state, op.in, zero)
	return true, next
}

func (m *Model[S, In, Out]) describe(in In) string {
	if m.Describe != nil {
		return m.Describe(in)
	}
	return trace.Label(in)
}

func (m *Model[S, In, Out]) part(in In) string {
	if m.Partition == nil {
		return ""
	}
	return m.Partition(in)
}

// of returns text for the middle of a message: the model's name, such as " of
// register", followed by the name of the partition if part is not "".
func (m *Model[S, In, Out]) of(part string) string {
	text := ""
	if m.Name != "" {
		text = " of " + m.Name
	}
	if part != "" {
		text += fmt.Sprintf(", part %q,", part)
	}
	return text
}
