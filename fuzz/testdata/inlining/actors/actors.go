// Package actors has functions that return function literals. When the
// compiler inlines these functions, it copies the literals to the caller.
package actors

import (
	"iter"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// Judge returns an actor that fails the test if it receives "bad".
func Judge(t *props.T) pulse.Actor {
	return pulse.Func(func(_ *pulse.Ctx, msg any) {
		if msg == "bad" {
			t.Errorf("received %v", msg)
		}
	})
}

// Refuser returns an actor that panics with what it receives, in a literal of
// a literal.
func Refuser() pulse.Actor {
	return pulse.Func(func(_ *pulse.Ctx, msg any) {
		refuse := func() { panic(msg) }
		refuse()
	})
}

// A Box is a value whose method returns an actor.
type Box[T any] struct{ Last T }

// Opener returns an actor that panics if a message is not a T.
func (b *Box[T]) Opener() pulse.Actor {
	return pulse.Func(func(_ *pulse.Ctx, msg any) { b.Last = msg.(T) })
}

// Twice returns an iterator that yields a message twice.
func Twice(msg any) iter.Seq[any] {
	return func(yield func(any) bool) { _ = yield(msg) && yield(msg) }
}

// Looper returns an actor that panics in a range loop over an iterator function.
func Looper() pulse.Actor {
	return pulse.Func(func(_ *pulse.Ctx, msg any) {
		for m := range Twice(msg) {
			panic(m)
		}
	})
}

// Waiter returns a process that waits for an answer that never comes.
func Waiter(other pulse.Ref) func(*pulse.Process) {
	return func(p *pulse.Process) { p.Ask(other, "anything") }
}
