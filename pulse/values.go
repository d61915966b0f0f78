package pulse

import (
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/value"
)

// Walks over values treat some types of this package specially. A System, a Ctx
// and a Process are tools, which are no part of the program's state. A Ref and
// a Timer count by what they refer to, which is the same in every run.

// walkWith prepares walks over values with the given tools. The walker keeps
// its type information while the tools stay the same.
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

// roleOf returns the role of a type of this package; all other types are data.
func roleOf(t reflect.Type) value.Role {
	switch t {
	case reflect.TypeFor[System](), reflect.TypeFor[Ctx](), reflect.TypeFor[Disk](), reflect.TypeFor[Process]():
		return value.RoleTool
	case reflect.TypeFor[Coroutine]():
		return value.RoleLock
	}
	return value.RoleData
}

// specialOf returns how states write values of a special type, or nil. The
// writing of a Ref is steady during a run; that of a Timer changes when other
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
