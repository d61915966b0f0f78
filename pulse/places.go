package pulse

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A SendObserver is an Observer that is also called for each message sent, with
// the message's index in Trace.Sends. The sending call is still on the stack,
// so it can note its line. It is not called for timers and copies.
type SendObserver interface {
	Observer
	Sent(s *System, send int)
}

// tellSent calls the SendObservers for a message. It is not called for messages
// that they send themselves.
func tellSent(s *System, m int32) {
	s.mail.onSend &^= workObserve
	was := s.rec.called
	s.rec.callOut()
	for _, o := range s.observers {
		if o, ok := o.(SendObserver); ok {
			o.Sent(s, int(m))
		}
	}
	s.rec.called = was
	s.mail.onSend |= workObserve
}

// A Placed actor runs code of another runtime and reports where that code
// begins.
type Placed interface {
	Actor
	// HandlerPlace returns the result of Host.Place, such as "writer.go:12".
	HandlerPlace() string
}

// Place returns where the code that now handles an actor's messages begins,
// such as "writer.go:12". It returns "" if there is no such line, and for the
// test.
func (h Host) Place(actor int32) string {
	if actor <= trace.Test || int(actor) >= len(h.s.actors) {
		return ""
	}
	a := h.s.actors[actor]
	if a.special && a.spec.Process != nil {
		return h.s.placeOf(a.spec.Process)
	}
	if p, ok := a.handler.(Placed); ok {
		return p.HandlerPlace()
	}
	if f := reflect.ValueOf(a.handler); f.Kind() == reflect.Func {
		return h.s.placeOf(a.handler)
	}
	return receivePlace(reflect.TypeOf(a.handler), deepest)
}

// deepest bounds the depth of embedded types searched for a Receive, since some
// types embed themselves.
const deepest = 8

// receivePlace returns where the Receive of a type, or of a type embedded in
// it, begins.
func receivePlace(t reflect.Type, deepest int) string {
	if deepest == 0 {
		return ""
	}
	if m, ok := t.MethodByName("Receive"); ok && t.Kind() != reflect.Interface {
		if f, ok := stack.Begin(m.Func.Interface()); ok {
			return f.Place()
		}
	}
	if t.Kind() == reflect.Pointer {
		return receivePlace(t.Elem(), deepest-1)
	}
	if t.Kind() != reflect.Struct {
		return ""
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous {
			continue
		}
		if place := receivePlace(f.Type, deepest-1); place != "" {
			return place
		}
	}
	return ""
}

// placeOf returns where a function begins; for a method value, where its method
// begins, which is cached.
func (c *cast) placeOf(function any) string {
	if f, ok := stack.Begin(function); ok {
		return f.Place()
	}
	of := reflect.ValueOf(function).Pointer()
	place, known := c.places[of]
	if !known {
		f, _ := stack.BeginOfMethod(function)
		if place = f.Place(); c.places == nil {
			c.places = map[uintptr]string{}
		}
		c.places[of] = place
	}
	return place
}
