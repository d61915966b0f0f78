package linear

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Model describes what calls do when they happen one after another. S is the type
// of its state, In of a call, Out of a result.
type Model[S, In, Out any] struct {
	// Name is the name of the model in messages, such as "register". It may be empty.
	Name string
	// Init returns the first state.
	Init func() S
	// Step reports whether a call in a state may return out, and returns the
	// state after it. It must not change the state that it is given.
	Step func(state S, in In, out Out) (ok bool, next S)
	// Pending returns the state after a call that took effect but never
	// returned. Nil means the state that Step returns for the zero Out, even if
	// Step does not allow that result.
	Pending func(state S, in In) S
	// Equal compares states; nil means reflect.DeepEqual.
	Equal func(a, b S) bool
	// Partition returns the part of the state that a call is about, such as its
	// key. Calls about different parts must not affect each other; each part is
	// judged by itself. Nil means that there is one part.
	Partition func(in In) string
	// Describe returns a call as text; nil means the text that traces show.
	Describe func(in In) string
	// Steps bounds the search, in calls of Step for each part; zero means
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

// step applies Step to a call that returned, and Pending to one that did not.
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
