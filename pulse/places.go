package pulse

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A SendObserver is an Observer whose method Sent is called for each message
// sent. send is the message's index in Trace.Sends. The sending call is still
// on the stack, so Sent can find the line of the call. Sent is not called for
// timers and copies.
type SendObserver interface {
	Observer
	Sent(s *System, send int)
}

// tellSent calls the SendObservers for message m. It clears the bit
// workObserve during the calls, so that a message sent by an observer causes
// no further call.
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

// A Placed is an actor that runs code of another actor runtime. It knows the
// source line at which that code begins.
type Placed interface {
	Actor
	// HandlerPlace returns the line that Host.Place returns for this actor,
	// such as "writer.go:12".
	HandlerPlace() string
}

// Place returns the source line at which the code of an actor's current
// handler or process begins, such as "writer.go:12". It returns "" for the
// test, and if the line is not known.
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

// deepest limits the depth to which receivePlace searches embedded types, since
// some types embed themselves.
const deepest = 8

// receivePlace returns the line at which the method Receive of type t, or of a
// type embedded in t, begins. It returns "" if none is found.
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

// placeOf returns the line at which a function begins. For a method value it
// returns the line at which the method begins, and caches that line in
// c.places.
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
