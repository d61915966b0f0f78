package protoactor

import (
	"reflect"
	"unsafe"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/jostle-go/jostle/pulse/stack"
)

// behaviors holds all fields of type actor.Behavior that an actor has. Such a
// field is a stack of handlers, and the handler on top is in use.
type behaviors struct {
	fields []reflect.Value
	tops   []uintptr
}

// find records the actor.Behavior fields of a new actor and their current top
// handlers.
func (b *behaviors) find(a actor.Actor) {
	b.fields, b.tops = b.fields[:0], b.tops[:0]
	v := reflect.ValueOf(a)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct && v.CanAddr() {
		for i := range v.NumField() {
			if f := v.Field(i); f.Type() == reflect.TypeFor[actor.Behavior]() {
				b.fields, b.tops = append(b.fields, f), append(b.tops, top(f))
			}
		}
	}
}

// changed reports whether some stack has another top handler than the one recorded
// last, and records the new top handlers.
func (b *behaviors) changed() (yes bool) {
	for i, f := range b.fields {
		now := top(f)
		yes = yes || now != b.tops[i]
		b.tops[i] = now
	}
	return yes
}

func top(f reflect.Value) uintptr {
	if f.Len() == 0 {
		return 0
	}
	return f.Index(f.Len() - 1).Pointer()
}

// HandlerPlace returns the source line at which the actor's current handler begins, the
// zero Frame if there is none.
func (c *cell) HandlerPlace() stack.Frame {
	if c.invoker == nil {
		return stack.Frame{}
	}
	for _, f := range c.behaviors.fields {
		if b := *(*actor.Behavior)(unsafe.Pointer(f.UnsafeAddr())); len(b) > 0 {
			return placeOf(b[len(b)-1])
		}
	}
	a := c.invoker.Actor()
	if v := reflect.ValueOf(a); v.Kind() == reflect.Func {
		return placeOf(a)
	}
	m, ok := reflect.TypeOf(a).MethodByName("Receive")
	if !ok {
		return stack.Frame{}
	}
	return placeOf(m.Func.Interface())
}

// placeOf returns the source line at which a handler, a function, begins. For a method value it
// returns the line of the method.
func placeOf(function any) stack.Frame {
	f, ok := stack.Begin(function)
	if !ok {
		f, _ = stack.BeginOfMethod(function)
	}
	return f
}
