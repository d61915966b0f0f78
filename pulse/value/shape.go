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

// A shape describes how to read the values of a type.
type shape struct {
	typ     reflect.Type
	kind    reflect.Kind
	role    Role
	id      int32 // a number that is unique among the shapes of a walker
	name    string
	hash    uint64 // a hash of name
	size    uintptr
	plain   bool // set if values of the type are plain (see Walker.Plain)
	steady  bool // set if values of the type are steady (see Walker.Steady)
	fixed   bool // set if values contain a tool (a value with RoleTool) that an Image cannot restore
	inBytes bool // set if values have no pointers, except in steady special values
	flat    bool // set if values consist of adjacent numbers only, so that equal bytes mean equal values
	methods bool // set if the type is an interface with methods
	boxed   bool // set for a struct or array that consists of one pointer, because an interface stores it without a pointer
	key     *shape
	elem    *shape
	len     int // the length of an array
	fields  []field
	special func(unsafe.Pointer) // writes a value, for a type with roleSpecial
	inCell  reflect.Value        // for a map or a boxed value: used to read the value that Walker.cell holds
	buffers []*mapBuffer         // the buffers that no walk uses at present

	program    bool // set if values of the type have a hash program (see op)
	programmed bool // set if ops was computed
	ops        []op
}

type field struct {
	name    string
	offset  uintptr
	shape   *shape
	guarded bool // set if a lock in the same struct guards the field (see guards)
}

// A Role is a property of a type. It says whether and how walks include the values of the
// type.
type Role uint8

const (
	// RoleData is the role of most types. Walks include the contents of their values.
	RoleData Role = iota
	// RoleTool is the role of types that belong to the test and not to the program, such as
	// testing.T. Walks ignore their values.
	RoleTool
	// RoleLock is the role of synchronization types, such as locks. Walks for a state include
	// their values like data. Fingerprint and Contents ignore their values, because these only
	// decide when code runs.
	RoleLock

	roleSpecial // the role of types whose values the function from Walker.Special writes
)

// findRole sets the role of a shape. If the role is roleSpecial, findRole also sets the
// function that writes the values.
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

// builder writes the text and the capacity of a strings.Builder. It cannot read the memory
// beyond the builder's length.
func (w *Walker) builder(p unsafe.Pointer) {
	b := (*strings.Builder)(p)
	w.string(b.String())
	w.Signed(int64(b.Cap()))
}

// recentShapes is the number of entries of the cache Walker.recent.
const recentShapes = 64

// A recentShape is an entry of a cache that maps the type word of an interface to a shape.
type recentShape struct {
	word  uintptr
	shape *shape
}

// nilShape is the shape of a nil interface.
var nilShape = shape{name: "nil", plain: true, steady: true}

// shapeOf returns the shape of the dynamic type of v.
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

// shape returns the shape of a type. Because types may be recursive, the shape is added to
// the map before the shapes of its parts are computed.
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
		sh.plain, sh.steady, sh.fixed, sh.inBytes = sh.elem.plain, sh.elem.steady, sh.elem.fixed, sh.elem.inBytes
	case reflect.Map:
		sh.key, sh.elem = w.shape(t.Key()), w.shape(t.Elem())
	case reflect.Struct:
		w.addFields(sh)
	case reflect.Interface:
		sh.methods = t.NumMethod() > 0
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
	case reflect.String:
		sh.plain = true
	default:
		sh.plain, sh.inBytes = true, true
	}
	sh.plain = sh.plain || sh.role == roleSpecial || sh.role == RoleTool
	if sh.role == RoleTool {
		sh.fixed = sh.typ != reflect.TypeFor[time.Location]() && (w.Kept == nil || !w.Kept(t))
	}
	sh.steady = sh.steady && sh.plain
	sh.flat = sh.isFlat()
	sh.program = sh.canProgram()
	sh.boxed = sh.size == unsafe.Sizeof(uintptr(0)) && !sh.plain && (sh.kind == reflect.Struct || sh.kind == reflect.Array)
	if sh.boxed || sh.kind == reflect.Map {
		sh.inCell = reflect.NewAt(t, unsafe.Pointer(&w.cell)).Elem()
	}
	return sh
}

// isFlat reports whether values of a shape consist only of numbers, without padding.
func (sh *shape) isFlat() bool {
	if sh.role != RoleData {
		return false
	}
	switch sh.kind {
	case reflect.Array:
		return sh.elem.flat
	case reflect.Struct:
		sum := uintptr(0) // the total size of the fields, which is less than the struct's size if there is padding
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

// addFields adds the fields of a struct with their shapes. It sets sh.plain at the end, so
// that a recursive struct is not plain.
func (w *Walker) addFields(sh *shape) {
	if sh.role == RoleTool {
		return
	}
	plain, steady := true, sh.steady
	sh.inBytes = true
	for i := range sh.typ.NumField() {
		f := sh.typ.Field(i)
		if f.Name == "_" {
			continue
		}
		inner := w.shape(f.Type)
		plain, steady = plain && inner.plain, steady && inner.steady
		sh.fixed = sh.fixed || inner.fixed
		sh.inBytes = sh.inBytes && inner.inBytes
		sh.fields = append(sh.fields, field{f.Name, f.Offset, inner, !f.IsExported()})
	}
	sh.plain = plain
	if sh.role == roleSpecial {
		sh.inBytes = sh.steady && sh.typ != reflect.TypeFor[strings.Builder]()
	} else { // for a type with roleSpecial, findRole has set the field steady already
		sh.steady = steady
	}
	guards(sh.fields)
}

// guards finds the fields of a struct that a lock in the struct guards. By convention these
// are the fields below the lock and the unexported fields above the lock. Fingerprints ignore
// guarded fields, because a holder of the lock may change them at any time, for example in a
// cache.
//
// Before the call, field.guarded must be set for exactly the unexported fields. After the
// call, it is set for the guarded fields.
func guards(fields []field) {
	lock := slices.IndexFunc(fields, func(f field) bool { return isGuard(f.shape.typ) })
	for i := range fields {
		f := &fields[i]
		f.guarded = i > lock && lock >= 0 || i < lock && f.guarded
	}
}

// isGuard reports whether a type is a lock that by convention guards other fields of its
// struct.
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

// TypeName returns the name of a type with the full path of its package.
// reflect.Type.String has only the last element of the path.
func TypeName(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer && t.Name() == "":
		return "*" + TypeName(t.Elem())
	case t.PkgPath() != "":
		return t.PkgPath() + "." + t.Name()
	}
	return t.String()
}
