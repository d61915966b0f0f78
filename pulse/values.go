package pulse

import (
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/value"
)

// Walks over values treat some types of this package in their own way. A
// System, a Ctx and a Process are tools: they say nothing of the program. A Ref
// and a Timer count in states by what they stand for, which is the same in
// every run.

// walkWith makes ready to walk over values of which some are tools of the test.
// The walker keeps what it knows of types while the tools are the same.
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

// isSameFunc reports whether two functions are one, with the same variables.
func isSameFunc(a, b func(reflect.Type) bool) bool {
	return *(*unsafe.Pointer)(unsafe.Pointer(&a)) == *(*unsafe.Pointer)(unsafe.Pointer(&b))
}

// roleOf returns the role of a type of this package; all others are data.
func roleOf(t reflect.Type) value.Role {
	switch t {
	case reflect.TypeFor[System](), reflect.TypeFor[Ctx](), reflect.TypeFor[Disk](), reflect.TypeFor[Process]():
		return value.RoleTool
	case reflect.TypeFor[Coroutine]():
		return value.RoleLock
	}
	return value.RoleData
}

// specialOf returns how states show the values of a type that is special, and
// nil for other types. What a Ref counts by is the same for the whole run, but what
// a Timer counts by changes when others fire.
func (w *stateWalk) specialOf(t reflect.Type) (write func(unsafe.Pointer), steady bool) {
	switch t {
	case reflect.TypeFor[Ref]():
		return func(p unsafe.Pointer) { w.ref((*Ref)(p)) }, true
	case reflect.TypeFor[Timer]():
		return func(p unsafe.Pointer) { w.timerValue((*Timer)(p)) }, false
	}
	return nil, false
}
