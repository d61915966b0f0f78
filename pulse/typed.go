package pulse

import (
	"fmt"
	"reflect"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An Asker sends a message and waits for the answer. An Asker is a Process
// during its steps, or a System between runs.
type Asker interface {
	Ask(to Ref, msg any) any
}

// Ask calls from.Ask and returns the answer, which must be of type T. An
// answer of a different type is a bug in the program under test, so Ask panics
// with a text that has the request and the answer. If T is an interface type,
// the answer may be nil.
func Ask[T any](from Asker, to Ref, msg any) T {
	mustAsk(from)
	answer := from.Ask(to, msg)
	typed, ok := answer.(T)
	if !ok && !(answer == nil && mayBeNil[T](from)) {
		came := trace.Label(answer)
		if answer != nil {
			came += fmt.Sprintf(" of type %T", answer)
		}
		panic(fmt.Sprintf("asked %v %s: the answer is %s, expected type %v", to, trace.Label(msg), came, reflect.TypeFor[T]()))
	}
	return typed
}

// mustAsk panics with a Failure of KindMisuse if from is nil.
func mustAsk(from Asker) {
	p, isProcess := from.(*Process)
	s, isSystem := from.(*System)
	if from == nil || isProcess && p == nil || isSystem && s == nil {
		panic(&Failure{Kind: KindMisuse, Step: -1, Text: "Ask: the Asker is nil: give it the Process that asks or, between runs, the System"})
	}
}

// mayBeNil reports whether the answer may be nil. It may if T is an interface
// type, if from is not usable, or if the run has failed.
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

// ReceiveAs waits for a message of type T and returns it. Other messages stay
// in their channels, as with ReceiveMatch. If T is an interface type, each
// message that implements T matches.
func ReceiveAs[T any](p *Process) T {
	if p == nil {
		panic(&Failure{Kind: KindMisuse, Step: -1, Text: "ReceiveAs: the Process is nil: give it the one that receives"})
	}
	typed, _ := p.receiveMatch("ReceiveAs", is[T], (*T)(nil)).(T)
	return typed
}

// is reports whether a message is of type T.
func is[T any](msg any) bool {
	_, ok := msg.(T)
	return ok
}
