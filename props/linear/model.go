package linear

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Model says what calls do when they happen one after another: S is its
// state, In what a call asks, Out what it returns.
type Model[S, In, Out any] struct {
	// Name is what is modelled, for messages: "register". May be empty.
	Name string
	// Init returns the first state.
	Init func() S
	// Step says whether a call in a state may return out, and what the state
	// is then. It leaves the state that it is given as it is: it returns
	// another.
	Step func(state S, in In, out Out) (ok bool, next S)
	// Pending returns the state after a call that never returned, should it
	// have taken effect. Nil: the state that Step returns for the zero Out,
	// whether or not Step finds that ok.
	Pending func(state S, in In) S
	// Equal compares states; nil is reflect.DeepEqual.
	Equal func(a, b S) bool
	// Partition returns which part of the state a call is about, such as its
	// key: calls of different parts do not touch each other, so that each part
	// is judged by itself. Nil: there is one part.
	Partition func(in In) string
	// Describe shows a call; nil shows it as traces show messages.
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

// step is Step for calls that returned, Pending for others.
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
