package value

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A shape is how values of a type are read.
type shape struct {
	typ     reflect.Type
	kind    reflect.Kind
	role    Role
	id      int32 // no other shape of the walker has it
	name    string
	hash    uint64 // of the name
	size    uintptr
	plain   bool // see Walker.Plain
	steady  bool // see Walker.Steady
	flat    bool // nothing but numbers, side by side: values are alike when their bytes are
	methods bool // the type is an interface with methods
	boxed   bool // a struct or array that an interface holds in the place of the pointer to it
	key     *shape
	elem    *shape
	len     int // of an array
	fields  []field
	special func(unsafe.Pointer) // how a special value is written
	inCell  reflect.Value        // of a map or a boxed value: what is in the walker's cell
	buffers []*mapBuffer         // those not in use

	program    bool // see Walker.quickly
	programmed bool // ops are made
	ops        []op
}

type field struct {
	name    string
	offset  uintptr
	shape   *shape
	guarded bool // by a lock beside it: see guards
}

// A Role is what the values of a type are besides their kind.
type Role uint8

const (
	// RoleData is the role of most types: they count by what they hold.
	RoleData Role = iota
	// RoleTool is that of the tools of a test, which say nothing of the
	// program. They count for nothing, whatever they hold.
	RoleTool
	// RoleLock is that of locks and the like: they tell when something runs,
	// not what it knows. For states they are data, for fingerprints tools.
	RoleLock

	roleSpecial // Walker.Special writes them
)

// findRole sets the role of a shape and, if that is roleSpecial, how its values are
// written.
func (w *Walker) findRole(sh *shape) {
	sh.role, sh.steady = RoleData, true
	if sh.kind != reflect.Struct {
		return
	}
	if sh.typ == reflect.TypeFor[strings.Builder]() {
		sh.role, sh.special = roleSpecial, w.builder
		return
	}
	if w.Special != nil {
		if special, steady := w.Special(sh.typ); special != nil {
			sh.role, sh.special, sh.steady = roleSpecial, special, steady
			return
		}
	}
	switch sh.typ.PkgPath() {
	case "testing", "log", "log/slog":
		sh.role = RoleTool
		return
	case "sync", "sync/atomic", "context":
		sh.role = RoleLock
		return
	}
	switch {
	case sh.typ == reflect.TypeFor[time.Location]():
		sh.role = RoleTool
	case w.Role != nil:
		sh.role = w.Role(sh.typ)
	}
}

// builder writes a strings.Builder. The memory behind its length holds whatever
// was there before, and nobody can read it.
func (w *Walker) builder(p unsafe.Pointer) {
	b := (*strings.Builder)(p)
	w.string(b.String())
	w.Signed(int64(b.Cap()))
}

// recentShapes is how many shapes are found without a search in the map.
const recentShapes = 64

// A recentShape is the shape of the type that an interface's type word names.
type recentShape struct {
	word  uintptr
	shape *shape
}

// nilShape is the shape of an interface that holds nothing.
var nilShape = shape{name: "nil", plain: true, steady: true}

// shapeOf returns the shape of what an interface holds.
func (w *Walker) shapeOf(v any) *shape {
	word := *(*uintptr)(unsafe.Pointer(&v))
	r := &w.recent[word>>5%recentShapes]
	if r.word == word && r.shape != nil {
		return r.shape
	}
	sh := &nilShape
	if v != nil {
		sh = w.shape(reflect.TypeOf(v))
	}
	*r = recentShape{word, sh}
	return sh
}

// shape returns the shape of a type. The type may lead to itself: its shape
// is in the map before those of its parts are asked for.
func (w *Walker) shape(t reflect.Type) *shape {
	if sh := w.shapes[t]; sh != nil {
		return sh
	}
	if w.shapes == nil {
		w.shapes = map[reflect.Type]*shape{}
	}
	sh := &shape{typ: t, kind: t.Kind(), id: int32(len(w.shapes)), name: TypeName(t), size: t.Size()}
	sh.hash = hash.String(sh.name)
	w.findRole(sh)
	w.shapes[t] = sh
	switch sh.kind {
	case reflect.Pointer, reflect.Slice:
		sh.elem = w.shape(t.Elem())
	case reflect.Array:
		sh.elem, sh.len = w.shape(t.Elem()), t.Len()
		sh.plain, sh.steady = sh.elem.plain, sh.elem.steady
	case reflect.Map:
		sh.key, sh.elem = w.shape(t.Key()), w.shape(t.Elem())
	case reflect.Struct:
		w.addFields(sh)
	case reflect.Interface:
		sh.methods = t.NumMethod() > 0
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
	default:
		sh.plain = true
	}
	sh.plain = sh.plain || sh.role == roleSpecial || sh.role == RoleTool
	sh.steady = sh.steady && sh.plain
	sh.flat = sh.isFlat()
	sh.program = sh.canProgram()
	sh.boxed = sh.size == unsafe.Sizeof(uintptr(0)) && !sh.plain && (sh.kind == reflect.Struct || sh.kind == reflect.Array)
	if sh.boxed || sh.kind == reflect.Map {
		sh.inCell = reflect.NewAt(t, unsafe.Pointer(&w.cell)).Elem()
	}
	return sh
}

// isFlat reports whether values of a shape hold nothing but numbers, and nothing
// between them that is no part of the value.
func (sh *shape) isFlat() bool {
	if sh.role != RoleData {
		return false
	}
	switch sh.kind {
	case reflect.Array:
		return sh.elem.flat
	case reflect.Struct:
		sum := uintptr(0) // less than the size if anything lies between
		for i := range sh.fields {
			f := &sh.fields[i]
			if !f.shape.flat || f.guarded {
				return false
			}
			sum += f.shape.size
		}
		return sum == sh.size
	case reflect.String:
		return false
	}
	return sh.plain
}

// addFields gives the shape of a struct those of its fields. Whether the
// struct is plain is set last: one that leads to itself is not.
func (w *Walker) addFields(sh *shape) {
	if sh.role == RoleTool {
		return
	}
	plain, steady := true, sh.steady
	for i := range sh.typ.NumField() {
		f := sh.typ.Field(i)
		if f.Name == "_" {
			continue
		}
		inner := w.shape(f.Type)
		plain, steady = plain && inner.plain, steady && inner.steady
		sh.fields = append(sh.fields, field{f.Name, f.Offset, inner, !f.IsExported()})
	}
	sh.plain = plain
	if sh.role != roleSpecial { // it counts by what is written of it
		sh.steady = steady
	}
	guards(sh.fields)
}

// guards notes which fields of a struct a lock guards: those below it, as is
// the custom, and those above that are not exported. Whoever holds the lock may
// change them at any time, as a cache does, so they do not count in
// fingerprints.
//
// Before the call a field is guarded if it is not exported.
func guards(fields []field) {
	lock := slices.IndexFunc(fields, func(f field) bool { return isGuard(f.shape.typ) })
	for i := range fields {
		f := &fields[i]
		f.guarded = i > lock && lock >= 0 || i < lock && f.guarded
	}
}

// isGuard reports whether a type is a lock that guards what stands beside it.
func isGuard(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[sync.Mutex](), reflect.TypeFor[sync.RWMutex](), reflect.TypeFor[sync.Once]():
		return true
	}
	return false
}

// TypeName returns the name of a type with the whole path of its package,
// which reflect.Type.String leaves out.
func TypeName(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer && t.Name() == "":
		return "*" + TypeName(t.Elem())
	case t.PkgPath() != "":
		return t.PkgPath() + "." + t.Name()
	}
	return t.String()
}
