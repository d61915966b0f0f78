// Package actors makes actors whose literals the compiler takes along when it
// inlines the functions that they are written in.
package actors

import (
	"iter"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// Judge returns an actor that breaks the property with what it receives.
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

// A Box is an actor made by its method.
type Box[T any] struct{ Last T }

// Opener returns an actor that panics when it receives what is no T.
func (b *Box[T]) Opener() pulse.Actor {
	return pulse.Func(func(_ *pulse.Ctx, msg any) { b.Last = msg.(T) })
}

// Twice gives a message twice.
func Twice(msg any) iter.Seq[any] {
	return func(yield func(any) bool) { _ = yield(msg) && yield(msg) }
}

// Looper returns an actor that panics in a loop over a function.
func Looper() pulse.Actor {
	return pulse.Func(func(_ *pulse.Ctx, msg any) {
		for m := range Twice(msg) {
			panic(m)
		}
	})
}

// Waiter returns a process that waits for what never comes.
func Waiter(other pulse.Ref) func(*pulse.Process) {
	return func(p *pulse.Process) { p.Ask(other, "anything") }
}
