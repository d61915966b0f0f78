package pulse

import (
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/value"
)

// Walks over values treat some types of this package specially. System, Ctx,
// Disk and Process are tools, which are no part of the program's state. A walk
// writes the actor or timer to which a Ref or Timer refers, and not the fields
// of the Ref or Timer, which differ from run to run.

// walkWith makes a new walk over values for Options.Tools. If the old walk was
// made with the same function tools, walkWith keeps the old walk, which has
// cached data about types.
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
	w.Kept = func(t reflect.Type) bool { return roleOf(t) == value.RoleTool }
	c.walk, c.states, c.values = w, nil, &w.Walker
}

// isSameFunc reports whether two function values are identical, including
// captured variables.
func isSameFunc(a, b func(reflect.Type) bool) bool {
	return *(*unsafe.Pointer)(unsafe.Pointer(&a)) == *(*unsafe.Pointer)(unsafe.Pointer(&b))
}

// roleOf returns how a walk treats a type (see value.Role). Types that are not
// of this package are data.
func roleOf(t reflect.Type) value.Role {
	switch t {
	case reflect.TypeFor[System](), reflect.TypeFor[Ctx](), reflect.TypeFor[Disk](), reflect.TypeFor[Process]():
		return value.RoleTool
	case reflect.TypeFor[Coroutine]():
		return value.RoleLock
	}
	return value.RoleData
}

// specialOf returns the function that writes a Ref or a Timer to a state, and
// nil for all other types. steady reports whether the function always writes
// the same for the same value. It does for a Ref, but not for a Timer, whose
// position changes when other timers fire.
func (w *stateWalk) specialOf(t reflect.Type) (write func(unsafe.Pointer), steady bool) {
	switch t {
	case reflect.TypeFor[Ref]():
		return func(p unsafe.Pointer) { w.ref((*Ref)(p)) }, true
	case reflect.TypeFor[Timer]():
		return func(p unsafe.Pointer) { w.timerValue((*Timer)(p)) }, false
	}
	return nil, false
}

// ref writes a Ref. If the Ref is of this run, it writes the identity of the
// actor and the number of the Ask.
func (w *stateWalk) ref(r *Ref) {
	switch {
	case r.sys == nil:
		w.Tag(0, "nobody ")
	case r.sys != w.sys || r.run != w.sys.run:
		w.Tag(1, "stranger ")
		w.Signed(int64(r.actor))
	case w.Texts():
		w.Hex(w.sys.actors[r.actor].id)
		w.Signed(int64(r.ask))
	default:
		w.Word(w.sys.actors[r.actor].id + uint64(r.ask)*count)
	}
}

// timerValue writes a Timer as its position in dueTimers. It writes 0 if the
// timer has fired, was stopped or is of another run.
func (w *stateWalk) timerValue(t *Timer) {
	w.Say("timer ")
	if t.sys != w.sys || t.run != w.sys.run {
		w.Signed(0)
		return
	}
	w.Signed(w.timerIndex(func(e *entry) bool { return e.number == t.number }))
}
