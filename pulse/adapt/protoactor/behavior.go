package protoactor

import (
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/pulse/stack"
)

// behaviors are the fields of an actor that hold stacks of behaviors. The functions
// on top are the actor's current handlers.
type behaviors struct {
	fields []reflect.Value
	tops   []uintptr
}

// find finds these fields in a new actor.
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

// changed reports whether one of the stacks has another function on top.
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

// HandlerPlace returns where the code of the actor's current handler begins.
func (c *cell) HandlerPlace() string {
	if c.invoker == nil {
		return ""
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
		return ""
	}
	return placeOf(m.Func.Interface())
}

// placeOf returns where a function begins, or the method that it is bound to.
func placeOf(function any) string {
	f, ok := stack.Begin(function)
	if !ok {
		f, _ = stack.BeginOfMethod(function)
	}
	return f.Place()
}

// functionName returns the name of a function without its package. For a literal it
// returns the function around it.
func functionName(pc uintptr) string {
	name := runtime.FuncForPC(pc).Name()
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	name = strings.TrimSuffix(name, "-fm")
	if i := strings.LastIndexByte(name, '.'); i >= 0 && strings.HasPrefix(name[i+1:], "func") {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}
