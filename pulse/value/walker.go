// Package value is internal to jostle, not for users. It walks over Go values of any type
// and computes hashes. There are two sorts of walks:
//
//   - A walk for a state (Begin, then Value and the methods that write single words) computes
//     hashes that are the same in every process. It can also write a text, which is different
//     for different values. In a walk with a text, the hash is a different one and should not
//     be used. The walk cannot read functions, channels and unsafe pointers, nor values that
//     contain them (see Try).
//   - A walk for a fingerprint (Fingerprint) detects whether a value was changed. It reads
//     every value. Parts that a walk for a state cannot read are represented by their
//     addresses, so fingerprints are valid only in the process that made them.
//
// In both walks, a pointer is compared by what it points to, not by its address. Blocks of
// memory are numbered in the order in which the walk finds them. A pointer to a numbered block
// is represented by the number, so that cycles end and no block is read twice. Two values are
// equal if they have equal contents and the same sharing of blocks. The order of map entries
// does not matter. A walk for a state includes a slice up to its capacity, a walk for a
// fingerprint up to its length.
package value

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A Walker walks over values, one walk at a time. Later walks reuse its type information
// and its memory. The zero Walker is ready for use.
type Walker struct {
	// Special returns a function that writes the values of a struct type in walks for a state,
	// or nil if the walk must write the contents of the values. The values of types with such
	// a function are called special. The function gets the address of a value, which it must
	// not keep. steady reports whether the function writes the same for a value throughout a
	// run. Special is called once for each type. Walks for a fingerprint write the contents of
	// special values.
	Special func(reflect.Type) (write func(unsafe.Pointer), steady bool)
	// Role returns the role of a struct type. It is called once for each type. If Role is nil,
	// types have RoleData. Role is not called for time.Location and the types of packages
	// testing, log and log/slog, which have RoleTool. It is not called for the types of
	// packages sync, sync/atomic and context, which have RoleLock.
	Role func(reflect.Type) Role
	// Kept reports whether an Image may leave the values of a type with RoleTool as they are,
	// because somebody else restores them. If Kept is nil, no Image can be made of values that
	// refer to tools.
	Kept func(reflect.Type) bool

	words
	mode
	quick  bool   // set to use hash programs, in a walk for a state that writes no text
	unread bool   // set if a value could not be read
	why    string // why a value could not be read; kept after Try and TryAll until the next walk
	depth  int    // the number of pointers, slices, maps and interfaces on the path to the current value
	probes int    // the number of nested attempts to read a value that have not ended
	effort int    // the number of blocks that probes have read (see maxEffort)

	shapes map[reflect.Type]*shape
	recent [recentShapes]recentShape

	blocks  blocks
	spans   []span // memory that Overlaps reuses
	errands []errand
	cell    unsafe.Pointer // holds a map or a boxed value (see shape.boxed), which is read through shape.inCell
}

// A mode says how a walk treats special cases. The zero mode is for walks for a state, and
// fingerprintMode is for walks for a fingerprint (see the package documentation).
type mode struct {
	addresses bool // set if pointers to unreadable values and to values with RoleTool are represented by addresses
	noSpecial bool // set if special values are read like data (see Walker.Special)
	noLocks   bool // set if values with RoleLock are ignored, as values with RoleTool are
	later     bool // set if the contents of blocks are read last, so that long linked lists need no deep stack
}

var fingerprintMode = mode{addresses: true, noSpecial: true, noLocks: true, later: true}

const (
	// maxDepth limits the depth of a walk for a state, and therefore the stack needed for a
	// long linked list. Deeper values are unreadable.
	maxDepth = 10_000
	// maxEffort limits the number of blocks that a Try reads inside probes. A map with
	// pointers as keys is sorted with probes, and so are the maps that these pointers refer
	// to. The work can therefore double with each level. Values beyond the limit are
	// unreadable.
	maxEffort = 1 << 17
)

const tooDeep = "is too deep to compare"

// cannot records that a value cannot be read, and why.
func (w *Walker) cannot(why string) {
	if !w.unread {
		w.unread, w.why = true, why
	}
}

// Why says why the last Try or TryAll returned false, for example "holds a function". The
// text is meant to follow the name of a value.
func (w *Walker) Why() string { return w.why }

// Begin begins a walk for a state and discards the previous walk, even if the previous walk
// panicked. If texts is set, the walk also writes a text, and Sum returns a different hash
// than without a text.
func (w *Walker) Begin(texts bool) {
	w.words = words{texts: texts, text: w.text[:0]}
	w.mode, w.unread, w.why = mode{}, false, ""
	w.quick = !texts
	w.depth, w.probes, w.effort = 0, 0, 0
	w.blocks.reset()
	clear(w.errands)
	w.errands = w.errands[:0]
}

// Fingerprint returns a hash of everything that v refers to. It ends the current walk.
// Functions and channels are represented only by their addresses, and so are tools and locks
// behind pointers (see Role). Tools and locks that are not behind pointers are ignored. If a
// struct has a Mutex, RWMutex or Once, the fields that it guards are ignored too. These are
// the fields below it and the unexported fields above it.
func (w *Walker) Fingerprint(v any) uint64 {
	w.Begin(false)
	w.mode, w.quick = fingerprintMode, false
	w.Value(v)
	w.runErrands(0)
	return w.sum
}

// FlatSlice returns the memory of slice v, up to the length of v, as bytes. ok is false if v
// is not a slice, is nil or empty, or has elements that do not consist of adjacent numbers
// only.
func (w *Walker) FlatSlice(v any) (data []byte, ok bool) {
	sh := w.shapeOf(v)
	if sh.kind != reflect.Slice || !sh.elem.flat || sh.role != RoleData {
		return nil, false
	}
	h := (*sliceHeader)((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1])
	if h.data == nil || h.len == 0 {
		return nil, false // refused, because bytes cannot distinguish a nil slice from an empty one
	}
	return unsafe.Slice((*byte)(h.data), uintptr(h.len)*sh.elem.size), true
}

// SliceOf returns a new slice with the memory contents data. The slice has the type of like.
// FlatSlice must have returned data for a slice of that type.
func SliceOf(like any, data []byte) any {
	t := reflect.TypeOf(like)
	n := len(data) / int(t.Elem().Size())
	list := reflect.MakeSlice(t, n, n)
	copy(unsafe.Slice((*byte)(list.UnsafePointer()), len(data)), data)
	return list.Interface()
}

// Contents returns a hash of everything that v refers to, which is the same in every run
// and process. ok is false if a part, such as a function, cannot be read. Locks are
// ignored. Contents ends the current walk.
func (w *Walker) Contents(v any) (sum uint64, ok bool) {
	w.Begin(false)
	w.mode, w.quick = mode{noLocks: true, later: true}, false
	w.Value(v)
	w.runErrands(0)
	return w.sum, !w.unread
}

// Steady reports whether v is Plain and a walk for a state computes the same hash for v
// throughout a run. A special value in v may be written differently later in the run, unless
// Special has reported it as steady.
func (w *Walker) Steady(v any) bool { return w.shapeOf(v).steady }

// SteadySum returns the hash of v in a walk for a state if v is Steady, and otherwise zero. It
// may be called during a walk.
func (w *Walker) SteadySum(v any) uint64 {
	sh := w.shapeOf(v)
	if !sh.steady {
		return 0
	}
	m := w.Probe()
	if w.typed(sh); v != nil {
		w.value(sh, (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1])
	}
	return w.EndProbe(m)
}

// Plain reports whether v contains no pointers, except inside strings, tools
// (see RoleTool) and special values (see Special). A copy of a plain value
// cannot be changed by other code.
func (w *Walker) Plain(v any) bool { return w.shapeOf(v).plain }

// Try writes v as Value does and returns true. If v cannot be read, Try writes nothing and
// returns false.
func (w *Walker) Try(v any) bool {
	sum, text, blocks := w.sum, len(w.text), len(w.blocks.list)
	w.effort = 0
	if w.Value(v); w.unread {
		w.undo(sum, text, blocks)
		return false
	}
	return true
}

// TryAll writes the values one after another, as Value does, and returns true. If some value
// cannot be read, TryAll writes nothing and returns false.
func (w *Walker) TryAll(values []any) bool {
	sum, text, blocks := w.sum, len(w.text), len(w.blocks.list)
	w.effort = 0
	for _, v := range values {
		if w.Value(v); w.unread {
			w.undo(sum, text, blocks)
			return false
		}
	}
	return true
}

// undo restores the hash, the length of the text and the number of blocks that the walk had
// earlier.
func (w *Walker) undo(sum uint64, text, blocks int) {
	w.blocks.cut(blocks)
	w.sum, w.text, w.unread = sum, w.text[:text], false
}

// A Mark is the state of a walk at the beginning of a probe (see Probe).
type Mark struct {
	sum             uint64
	blocks, errands int32
	texts, quick    bool
}

// Probe begins a probe: a walk inside the current walk that computes a separate hash and
// writes no text. The probe knows the numbered blocks of the current walk. The blocks that the
// probe adds are forgotten when EndProbe ends the probe.
func (w *Walker) Probe() Mark {
	m := Mark{w.sum, int32(len(w.blocks.list)), int32(len(w.errands)), w.texts, w.quick}
	w.probes++
	w.sum, w.texts, w.quick = 0, false, w.mode == mode{}
	return m
}

// EndProbe ends the probe that began with m and returns its hash. The walk continues where it
// was before the probe.
func (w *Walker) EndProbe(m Mark) uint64 {
	if w.later {
		w.runErrands(int(m.errands))
	}
	sum := w.sum
	w.probes--
	w.blocks.cut(int(m.blocks))
	w.sum, w.texts, w.quick = m.sum, m.texts, m.quick
	return sum
}

// Type writes the type of v.
func (w *Walker) Type(v any) { w.typed(w.shapeOf(v)) }

func (w *Walker) typed(sh *shape) {
	w.Word(sh.hash)
	w.Say(sh.name)
	w.Say(" ")
}

// Value writes the type and the value of v.
func (w *Walker) Value(v any) {
	sh := w.shapeOf(v)
	w.typed(sh)
	if v == nil || !w.deeper() {
		return
	}
	// The second word of an interface is a pointer to the value. But if the value is itself
	// only a pointer, the word is the value.
	word := (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
	switch sh.kind {
	case reflect.Pointer:
		w.pointer(sh, word)
	case reflect.Map:
		w.mapping(sh, word)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.opaque(sh.kind, word)
	case reflect.Struct, reflect.Array:
		w.held(sh, v, word)
	default:
		w.value(sh, word)
	}
	w.depth--
}

// deeper reports whether the walk may go one level deeper, into a pointer, slice, map or
// interface. If so, it increments depth.
func (w *Walker) deeper() bool {
	if w.probes > 0 {
		w.effort++
	}
	if !w.later && (w.depth == maxDepth || w.effort > maxEffort) {
		w.cannot(tooDeep)
		return false
	}
	w.depth++
	return true
}

// held writes the struct or array v, which is stored in an interface.
func (w *Walker) held(sh *shape, v any, word unsafe.Pointer) {
	switch {
	case sh.boxed:
		// The value consists of one pointer, so the field cell can hold it. The walk
		// reads the pointer before it uses cell again.
		sh.inCell.Set(reflect.ValueOf(v))
		w.value(sh, unsafe.Pointer(&w.cell))
		w.cell = nil
	case w.later && !sh.plain:
		w.postpone(sh, word, 0)
	default:
		w.value(sh, word)
	}
}

// value writes the value of shape sh at address p.
func (w *Walker) value(sh *shape, p unsafe.Pointer) {
	if w.quick && sh.program {
		w.quickly(sh, p)
		return
	}
	if sh.role != RoleData && w.standsApart(sh, p) {
		return
	}
	switch sh.kind {
	case reflect.Struct:
		w.Say("{")
		for i := range sh.fields {
			f := &sh.fields[i]
			if f.guarded && w.noLocks {
				continue
			}
			w.Say(f.name)
			w.Say(":")
			if w.value(f.shape, unsafe.Add(p, f.offset)); w.unread {
				return
			}
		}
		w.Say("} ")
	case reflect.Array:
		w.elements(sh.elem, p, sh.len)
	case reflect.Slice:
		w.slice(sh, (*sliceHeader)(p))
	case reflect.String:
		w.string(*(*string)(p))
	case reflect.Pointer:
		w.pointer(sh, *(*unsafe.Pointer)(p))
	case reflect.Map:
		w.mapping(sh, *(*unsafe.Pointer)(p))
	case reflect.Interface:
		if sh.methods {
			w.Value(any(*(*interface{ method() })(p))) // reflect converts an interface with methods to any in the same way
		} else {
			w.Value(*(*any)(p))
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.opaque(sh.kind, *(*unsafe.Pointer)(p))
	default:
		w.number(sh.kind, p)
	}
}

// standsApart reports whether the walk must not read the contents of a value,
// because of the value's role. If the value is special (see Walker.Special),
// standsApart writes it.
func (w *Walker) standsApart(sh *shape, p unsafe.Pointer) bool {
	switch sh.role {
	case roleSpecial:
		if w.noSpecial {
			return false
		}
		sh.special(p)
		return true
	case RoleLock:
		return w.noLocks
	}
	return true
}

func (w *Walker) number(k reflect.Kind, p unsafe.Pointer) {
	switch k {
	case reflect.Bool:
		w.Flag(*(*bool)(p))
	case reflect.Int:
		w.Signed(int64(*(*int)(p)))
	case reflect.Int8:
		w.Signed(int64(*(*int8)(p)))
	case reflect.Int16:
		w.Signed(int64(*(*int16)(p)))
	case reflect.Int32:
		w.Signed(int64(*(*int32)(p)))
	case reflect.Int64:
		w.Signed(*(*int64)(p))
	case reflect.Uint:
		w.Unsigned(uint64(*(*uint)(p)))
	case reflect.Uintptr:
		w.Unsigned(uint64(*(*uintptr)(p)))
	case reflect.Uint8:
		w.Unsigned(uint64(*(*uint8)(p)))
	case reflect.Uint16:
		w.Unsigned(uint64(*(*uint16)(p)))
	case reflect.Uint32, reflect.Float32:
		w.Unsigned(uint64(*(*uint32)(p)))
	case reflect.Uint64, reflect.Float64:
		w.Unsigned(*(*uint64)(p))
	case reflect.Complex64:
		w.number(reflect.Float32, p)
		w.number(reflect.Float32, unsafe.Add(p, 4))
	case reflect.Complex128:
		w.number(reflect.Float64, p)
		w.number(reflect.Float64, unsafe.Add(p, 8))
	}
}

// opaque writes a function, channel or unsafe pointer, which can be read only if it is nil.
func (w *Walker) opaque(k reflect.Kind, p unsafe.Pointer) {
	switch {
	case p == nil:
		w.Tag(0, "nil ")
	case w.addresses:
		w.Word(uint64(uintptr(p)))
	case k == reflect.Func:
		w.cannot("holds a function")
	case k == reflect.Chan:
		w.cannot("holds a channel")
	default:
		w.cannot("holds an unsafe pointer")
	}
}

func (w *Walker) pointer(sh *shape, p unsafe.Pointer) {
	switch {
	case p == nil:
		w.Tag(0, "nil ")
	case sh.elem.role == RoleTool, sh.elem.role == RoleLock && w.noLocks:
		if w.Tag(1, "… "); w.addresses {
			w.Word(uint64(uintptr(p)))
		}
	case sh.elem.size == 0: // the address of a value of size zero is arbitrary, so it is not compared
		w.Tag(1, "& ")
	case !w.refer(sh, p, sh.elem.size, 1):
	case w.later && !sh.elem.plain:
		w.postpone(sh, p, 0)
	case w.deeper():
		w.value(sh.elem, p)
		w.depth--
	}
}

// A sliceHeader is the memory layout of a slice.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// slice writes a slice. The block of a slice extends to the capacity, because an append may
// write to memory beyond the length that a second slice shares.
//
// A state includes a slice up to its capacity, because reslicing makes elements beyond the
// length visible. The capacity also decides whether appending to two slices writes to one
// array. A fingerprint includes a slice only up to its length, because a reader of a message
// uses neither the elements beyond it nor the capacity.
func (w *Walker) slice(sh *shape, h *sliceHeader) {
	n, key := h.len, uint64(h.len)
	if !w.addresses {
		n, key = h.cap, hash.Fold(key, uint64(h.cap))
	}
	switch size := sh.elem.size; {
	case h.data == nil:
		w.Tag(0, "nil ")
		return
	case size == 0 || h.cap == 0:
		w.Tag(1, "&")
	case !w.refer(sh, h.data, uintptr(h.cap)*size, key):
		return
	}
	w.Signed(int64(h.len))
	w.capacity(n, h.len)
	if w.later && !sh.elem.plain {
		w.postpone(sh, h.data, n)
	} else if w.deeper() {
		w.items(sh, h.data, n)
		w.depth--
	}
}

// capacity writes n, the number of elements of a slice that are written. The text omits n if n
// is the length of the slice.
func (w *Walker) capacity(n, length int) {
	if w.addresses {
		return
	}
	w.Word(uint64(n))
	if n != length && w.texts {
		w.Say(fmt.Sprintf("of %d ", n))
	}
}

func (w *Walker) items(sh *shape, data unsafe.Pointer, n int) {
	if sh.elem.flat && w.addresses {
		w.Word(flatHash(unsafe.Slice((*byte)(data), uintptr(n)*sh.elem.size)))
	} else if sh.elem.flat && w.quick {
		w.sum = foldBytes(w.sum, unsafe.Slice((*byte)(data), uintptr(n)*sh.elem.size))
	} else if sh.elem.kind == reflect.Uint8 && !w.texts {
		w.bytes((*byte)(data), n)
	} else {
		w.elements(sh.elem, data, n)
	}
}

func (w *Walker) elements(elem *shape, p unsafe.Pointer, n int) {
	w.Say("[")
	for i := range n {
		if w.value(elem, unsafe.Add(p, uintptr(i)*elem.size)); w.unread {
			return
		}
	}
	w.Say("] ")
}

// An errand is a postponed part of a walk. It reads what a pointer, slice or map refers to, or
// a struct or array in an interface.
type errand struct {
	shape *shape
	start unsafe.Pointer
	len   int // the number of elements of a slice
}

func (w *Walker) postpone(sh *shape, start unsafe.Pointer, n int) {
	w.errands = append(w.errands, errand{sh, start, n})
}

// runErrands runs the errands from index n on, always the last one first. This keeps the list
// of errands short, because each element of a linked list adds an errand for the next element.
func (w *Walker) runErrands(n int) {
	for len(w.errands) > n {
		last := len(w.errands) - 1
		e := w.errands[last]
		w.errands[last] = errand{} // the list must not keep the memory of a finished errand alive
		w.errands = w.errands[:last]
		w.run(e)
	}
}

func (w *Walker) run(e errand) {
	switch e.shape.kind {
	case reflect.Pointer:
		w.value(e.shape.elem, e.start)
	case reflect.Slice:
		w.items(e.shape, e.start, e.len)
	case reflect.Map:
		w.entries(e.shape, e.start)
	default:
		w.value(e.shape, e.start)
	}
}

// refer writes a pointer to the block at start. It reports whether the block is new. If so,
// the caller must write or postpone the contents of the block.
//
// part distinguishes blocks with equal start and shape, such as slices of different length.
func (w *Walker) refer(sh *shape, start unsafe.Pointer, size uintptr, part uint64) bool {
	b := block{start: uintptr(start), end: uintptr(start) + size}
	b.key = hash.Fold(uint64(b.start), part^uint64(sh.id)<<40)
	if i, known := w.blocks.add(b); known {
		w.Say("#")
		w.Unsigned(uint64(i) + 2)
		return false
	}
	w.Tag(1, "&")
	return true
}
