package pulse

import (
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/value"
)

// Walks over values treat some types of this package specially. System, Ctx,
// Disk and Process are tools, which are no part of the program's state. A Ref
// or a Timer is written as what it refers to, and not as its fields, which
// differ from run to run.

// walkWith makes a new walk over values for Options.Tools. If tools is the same
// as before, it keeps the old walk with its cached type information.
func (c *cast) walkWith(tools func(reflect.Type) bool) {
	if c.walk != nil && isSameFunc(tools, c.options.Tools) {
		return
	}
	w := &stateWalk{sys: c.owner}
	w.Special = w.specialOf
	w.Role = func(t reflect.Type) value.Role {
		if tools != nil && tools(t) {
			return value.RoleTool
		}
		return roleOf(t)
	}
	c.walk, c.states, c.values = w, nil, &w.Walker
}

// isSameFunc reports whether two function values are identical, including
// captured variables.
func isSameFunc(a, b func(reflect.Type) bool) bool {
	return *(*unsafe.Pointer)(unsafe.Pointer(&a)) == *(*unsafe.Pointer)(unsafe.Pointer(&b))
}

// roleOf returns the role of a type in walks. Types that are not of this
// package are data.
func roleOf(t reflect.Type) value.Role {
	switch t {
	case reflect.TypeFor[System](), reflect.TypeFor[Ctx](), reflect.TypeFor[Disk](), reflect.TypeFor[Process]():
		return value.RoleTool
	case reflect.TypeFor[Coroutine]():
		return value.RoleLock
	}
	return value.RoleData
}

// specialOf returns the function that writes values of a special type to a
// state, or nil for other types. What is written for a Ref is steady: it does
// not change during a run. What is written for a Timer changes when other
// timers fire.
func (w *stateWalk) specialOf(t reflect.Type) (write func(unsafe.Pointer), steady bool) {
	switch t {
	case reflect.TypeFor[Ref]():
		return func(p unsafe.Pointer) { w.ref((*Ref)(p)) }, true
	case reflect.TypeFor[Timer]():
		return func(p unsafe.Pointer) { w.timerValue((*Timer)(p)) }, false
	}
	return nil, false
}
