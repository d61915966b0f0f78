package pulse

import (
	"fmt"
	"reflect"

	"github.com/jostle-go/jostle/pulse/trace"
)

// Ask is Process.Ask for an answer of one type. Any other answer is a bug of the
// program under test: the process panics with what it asked and what came. An
// answer of nil is the zero value of an interface type.
func Ask[T any](p *Process, to Ref, msg any) T {
	answer := p.Ask(to, msg)
	typed, ok := answer.(T)
	if !ok && !(answer == nil && mayBeNil[T](p)) {
		came := trace.Label(answer)
		if answer != nil {
			came += fmt.Sprintf(" of type %T", answer)
		}
		panic(fmt.Sprintf("asked %v %s: the answer is %s, and is to be of type %v", to, trace.Label(msg), came, reflect.TypeFor[T]()))
	}
	return typed
}

// mayBeNil reports whether nil is an answer: where it is a T, and where the Ask
// was refused, which has failed the run already.
func mayBeNil[T any](p *Process) bool {
	return reflect.TypeFor[T]().Kind() == reflect.Interface || p.Ctx == nil || p.sys.fails.failure != nil
}

// ReceiveAs waits for a message of one type and returns it; others stay where they
// are, as with ReceiveMatch. An interface type stands for all that implement it.
func ReceiveAs[T any](p *Process) T {
	typed, _ := p.receiveMatch("ReceiveAs", is[T]).(T)
	return typed
}

// is reports whether a message is of a type.
func is[T any](msg any) bool {
	_, ok := msg.(T)
	return ok
}
