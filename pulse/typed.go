package pulse

import (
	"fmt"
	"reflect"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An Asker sends a message and waits for the answer: a Process during its
// steps, a System between runs.
type Asker interface {
	Ask(to Ref, msg any) any
}

// Ask is Process.Ask or System.Ask for an answer of type T. Any other answer is
// a bug in the program under test: Ask panics with the request and the answer.
// A nil answer gives the zero value if T is an interface type.
func Ask[T any](from Asker, to Ref, msg any) T {
	mustAsk(from)
	answer := from.Ask(to, msg)
	typed, ok := answer.(T)
	if !ok && !(answer == nil && mayBeNil[T](from)) {
		came := trace.Label(answer)
		if answer != nil {
			came += fmt.Sprintf(" of type %T", answer)
		}
		panic(fmt.Sprintf("asked %v %s: the answer is %s, and is to be of type %v", to, trace.Label(msg), came, reflect.TypeFor[T]()))
	}
	return typed
}

// mustAsk panics with a misuse if from is nil.
func mustAsk(from Asker) {
	p, isProcess := from.(*Process)
	s, isSystem := from.(*System)
	if from == nil || isProcess && p == nil || isSystem && s == nil {
		panic(&Failure{Kind: KindMisuse, Step: -1, Text: "Ask: the Asker is nil: give it the Process that asks or, between runs, the System"})
	}
}

// mayBeNil reports whether a nil answer is legal: T is an interface, or the Ask
// was refused, or the run failed.
func mayBeNil[T any](from Asker) bool {
	if reflect.TypeFor[T]().Kind() == reflect.Interface {
		return true
	}
	switch from := from.(type) {
	case *Process:
		return from.Ctx == nil || from.sys.fails.any()
	case *System:
		return from.fails.any()
	}
	return false
}

// ReceiveAs waits for a message of type T and returns it; others stay in their
// channels, as with ReceiveMatch. An interface type matches all types that
// implement it.
func ReceiveAs[T any](p *Process) T {
	if p == nil {
		panic(&Failure{Kind: KindMisuse, Step: -1, Text: "ReceiveAs: the Process is nil: give it the one that receives"})
	}
	typed, _ := p.receiveMatch("ReceiveAs", is[T], (*T)(nil)).(T)
	return typed
}

// is reports whether a message is of a type.
func is[T any](msg any) bool {
	_, ok := msg.(T)
	return ok
}
