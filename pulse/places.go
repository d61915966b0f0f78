package pulse

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A SendObserver is an Observer that also observes messages, timers and actors. The System
// calls its methods within the call that sends, sets or spawns. So the line of that call is
// on the stack.
type SendObserver interface {
	Observer
	// Sent is called for each message that is sent and for each timer that is set, but not
	// for copies of messages. The argument send is an index in Trace.Sends.
	Sent(s *System, send int)
	// Spawned is called for each actor that is spawned. The argument actor is an index in
	// Trace.Actors.
	Spawned(s *System, actor int)
}

// tell calls a method of all SendObservers with the index of a message or actor.
// It clears the bit workObserve during the calls, so that a message sent by an
// observer causes no further call.
func tell(s *System, method func(SendObserver, *System, int), index int32) {
	s.mail.onSend &^= workObserve
	was := s.rec.called
	s.rec.callOut()
	for _, o := range s.observers {
		if o, ok := o.(SendObserver); ok {
			method(o, s, int(index))
		}
	}
	s.rec.called = was
	s.mail.onSend |= workObserve
}

// A Placed is an actor that runs code of another actor runtime. It knows the
// source line at which that code begins.
type Placed interface {
	Actor
	// HandlerPlace returns the line that Host.Place returns for this actor.
	HandlerPlace() Frame
}

// Place returns the source line at which the code of an actor's current
// handler or process begins. It returns the zero Frame for the test, and if the
// line is not known.
func (h Host) Place(actor int32) Frame {
	if actor <= trace.Test || int(actor) >= len(h.s.actors) {
		return Frame{}
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

// WaitPlace returns the source line at which the process of an actor waits. It
// returns the zero Frame if the actor is no process, or does not wait.
func (h Host) WaitPlace(actor int32) (at Frame) {
	if actor > trace.Test && int(actor) < len(h.s.actors) && h.s.actors[actor].process != nil && h.s.actors[actor].life == alive {
		at = (&stuckReport{cast: &h.s.cast}).whereWaits(h.s.actors[actor]).At
	}
	return at
}

// deepest limits the depth to which receivePlace searches embedded types, since
// some types embed themselves.
const deepest = 8

// receivePlace returns the line at which the method Receive of type t, or of a
// type embedded in t, begins. It returns the zero Frame if none is found.
func receivePlace(t reflect.Type, deepest int) Frame {
	if deepest == 0 {
		return Frame{}
	}
	if m, ok := t.MethodByName("Receive"); ok && t.Kind() != reflect.Interface {
		if f, ok := stack.Begin(m.Func.Interface()); ok {
			return f
		}
	}
	if t.Kind() == reflect.Pointer {
		return receivePlace(t.Elem(), deepest-1)
	}
	if t.Kind() != reflect.Struct {
		return Frame{}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous {
			continue
		}
		if place := receivePlace(f.Type, deepest-1); place.File != "" {
			return place
		}
	}
	return Frame{}
}

// placeOf returns the line at which a function begins. For a method value it
// returns the line at which the method begins, and caches that line in
// c.places.
func (c *cast) placeOf(function any) Frame {
	if f, ok := stack.Begin(function); ok {
		return f
	}
	of := reflect.ValueOf(function).Pointer()
	place, known := c.places[of]
	if !known {
		if place, _ = stack.BeginOfMethod(function); c.places == nil {
			c.places = map[uintptr]Frame{}
		}
		c.places[of] = place
	}
	return place
}
