package pulse

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A SendObserver is an Observer that is also told of each message that is put on its
// way, by its index in Trace.Sends, while the call that sends it is on the stack: so
// it can note which line that is. It is not told of timers, nor of copies.
type SendObserver interface {
	Observer
	Sent(s *System, send int)
}

// tellSent tells the observers that want to know of a message that was sent. They are
// not told of what they send themselves.
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

// A Placed actor stands for code of another runtime, and says itself where that code
// begins.
type Placed interface {
	Actor
	// HandlerPlace returns what Host.Place is to return of the actor, such as
	// "writer.go:12".
	HandlerPlace() string
}

// Place returns where the code begins that handles the messages of an actor now, such
// as "writer.go:12"; "" when nobody wrote it, and for the test.
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

// deepest is how many types inside of each other are looked at for a Receive. Some
// embed themselves.
const deepest = 8

// receivePlace returns where the Receive of a type begins, which may be that of a
// type embedded in it.
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

// placeOf returns where a function begins; of a method value, where its method does,
// which is looked for once.
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
