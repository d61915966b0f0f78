// Package value is internal to jostle, not for users: it walks over Go values of any type
// and computes hashes. There are two sorts of walks:
//
//   - A walk for a state (Begin, then Value and the methods that write single
//     words) has hashes that are the same in every process. It can also write a
//     text that distinguishes the same values; the hash is then a different one
//     and useless. It cannot read functions, channels and unsafe pointers, nor
//     values that hold one (Try).
//   - A walk for a fingerprint (Fingerprint) shows whether a value was changed.
//     It reads every value. Unreadable parts count by their addresses, so
//     fingerprints are valid only in the process that made them.
//
// In both, a pointer counts by what it points to, not by its address. The blocks of
// memory behind pointers are numbered in the order of the walk, and a pointer to a
// numbered block counts by that number. So cycles end and nothing is walked twice. Two
// values are equal if they have equal contents and the same sharing: where one has two
// pointers to one block, so has the other. Maps are sets of entries. In a state a slice
// counts up to its capacity, in a fingerprint up to its length.
package value

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A Walker walks over values, one walk at a time. It reuses its shapes of types, and its
// memory, in later walks. The zero Walker is ready.
type Walker struct {
	// Special returns a function that writes values of a struct type in walks for states,
	// in place of their contents, or nil for other types. The function gets the address
	// of a value, which it must not keep. Special is called once for each type. Steady
	// reports whether a value counts the same at all times of a run. In fingerprints such
	// values count by their contents.
	Special func(reflect.Type) (write func(unsafe.Pointer), steady bool)
	// Role returns the role of a struct type; nil means RoleData for all types. It is
	// called once for each type. It is not called for types of the packages testing, log
	// and log/slog and for time.Location, which are tools, nor for those of sync,
	// sync/atomic and context, which are locks.
	Role func(reflect.Type) Role

	words
	mode
	quick  bool   // use programs: the walk is for a state, and writes no text now
	unread bool   // something could not be read
	why    string // the reason; valid while unread, and after Try and TryAll until the next walk
	depth  int    // of pointers, slices, maps and interfaces around the current value
	probes int    // begun and not ended
	effort int    // see maxEffort

	shapes map[reflect.Type]*shape
	recent [recentShapes]recentShape

	blocks  blocks
	spans   []span // scratch memory of Overlaps
	errands []errand
	cell    unsafe.Pointer // a map or a boxed value, to be read by shape.inCell
}

// A mode is how a walk treats some values. The zero mode is for states, fingerprintMode
// for fingerprints.
type mode struct {
	addresses bool // unreadable values, and tools behind pointers, count by their addresses
	noSpecial bool // special values are data
	noLocks   bool // locks are tools
	later     bool // blocks are walked last, so that long chains need no deep stack
}

var fingerprintMode = mode{addresses: true, noSpecial: true, noLocks: true, later: true}

const (
	// maxDepth limits the depth of a walk for a state, and thereby the stack for a long
	// list. Deeper values count as unreadable.
	maxDepth = 10_000
	// maxEffort limits how many blocks a Try meets inside of probes. A map with pointers
	// as keys is sorted by probes, and each map behind such a key again by probes of its
	// own: the work can double with each level. Values beyond the limit count as
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

// Why returns why the last Try or TryAll returned false, in words that follow the name of
// a value: "holds a function".
func (w *Walker) Why() string { return w.why }

// Begin begins a walk for a state and discards the one before, which may have panicked.
// With texts it writes a text, and Sum differs from that without.
func (w *Walker) Begin(texts bool) {
	w.words = words{texts: texts, text: w.text[:0]}
	w.mode, w.unread, w.why = mode{}, false, ""
	w.quick = !texts
	w.depth, w.probes, w.effort = 0, 0, 0
	w.blocks.reset()
	clear(w.errands)
	w.errands = w.errands[:0]
}

// Fingerprint returns a hash of everything that a value leads to. It ends the current
// walk. Functions and channels count by their addresses only, and so do tools and locks
// behind pointers. Other tools and locks do not count. Neither do the fields of a struct
// that its Mutex, RWMutex or Once guards: those below it, and those above that are not
// exported.
func (w *Walker) Fingerprint(v any) uint64 {
	w.Begin(false)
	w.mode, w.quick = fingerprintMode, false
	w.Value(v)
	w.runErrands(0)
	return w.sum
}

// FlatSlice returns the memory of a slice up to its length. ok is false if v is not a
// slice, is nil or empty, or has elements with anything but adjacent numbers.
func (w *Walker) FlatSlice(v any) (data []byte, ok bool) {
	sh := w.shapeOf(v)
	if sh.kind != reflect.Slice || !sh.elem.flat || sh.role != RoleData {
		return nil, false
	}
	h := (*sliceHeader)((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1])
	if h.data == nil || h.len == 0 {
		return nil, false // nil and empty slices differ
	}
	return unsafe.Slice((*byte)(h.data), uintptr(h.len)*sh.elem.size), true
}

// SliceOf returns a new slice of the type of like, with data that FlatSlice returned for
// a slice of that type.
func SliceOf(like any, data []byte) any {
	t := reflect.TypeOf(like)
	n := len(data) / int(t.Elem().Size())
	list := reflect.MakeSlice(t, n, n)
	copy(unsafe.Slice((*byte)(list.UnsafePointer()), len(data)), data)
	return list.Interface()
}

// Contents returns a hash of what a value leads to that is the same in every run and
// process. ok is false if a part, such as a function, cannot be read. Locks do not count.
// It ends the current walk.
func (w *Walker) Contents(v any) (sum uint64, ok bool) {
	w.Begin(false)
	w.mode, w.quick = mode{noLocks: true, later: true}, false
	w.Value(v)
	w.runErrands(0)
	return w.sum, !w.unread
}

// Steady reports whether the value in an interface is Plain and counts the same in states
// at all times of a run: it has no special value that does not.
func (w *Walker) Steady(v any) bool { return w.shapeOf(v).steady }

// SteadySum returns the hash of a Steady value by itself, or zero for other values. It
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

// Plain reports whether the value in an interface has no pointers except those of
// strings, tools and special values. No other value can be a part of it, and nobody else
// can change a copy of it.
func (w *Walker) Plain(v any) bool { return w.shapeOf(v).plain }

// Try writes a value as Value does, if it can be read. Otherwise it writes nothing and
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

// TryAll writes values one after another, if all can be read. Otherwise it writes nothing
// and returns false.
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

// undo restores the hash, the length of the text and the number of blocks.
func (w *Walker) undo(sum uint64, text, blocks int) {
	w.blocks.cut(blocks)
	w.sum, w.text, w.unread = sum, w.text[:text], false
}

// A Mark is the state of a walk when a probe begins.
type Mark struct {
	sum             uint64
	blocks, errands int32
	texts, quick    bool
}

// Probe begins a separate hash, without a text. The probe knows the blocks of the walk,
// but adds none to it. EndProbe ends it.
func (w *Walker) Probe() Mark {
	m := Mark{w.sum, int32(len(w.blocks.list)), int32(len(w.errands)), w.texts, w.quick}
	w.probes++
	w.sum, w.texts, w.quick = 0, false, w.mode == mode{}
	return m
}

// EndProbe returns the hash begun by Probe, and continues the walk from there.
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

// Type writes the type of the value in an interface.
func (w *Walker) Type(v any) { w.typed(w.shapeOf(v)) }

func (w *Walker) typed(sh *shape) {
	w.Word(sh.hash)
	w.Say(sh.name)
	w.Say(" ")
}

// Value writes the value in an interface, and its type.
func (w *Walker) Value(v any) {
	sh := w.shapeOf(v)
	w.typed(sh)
	if v == nil || !w.deeper() {
		return
	}
	// The second word of an interface is a pointer to the value, or the value itself if
	// that is only a pointer.
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

// deeper reports whether the walk may follow one more pointer, slice, map or interface.
// If so, it increments depth.
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

// held writes a struct or an array that an interface holds.
func (w *Walker) held(sh *shape, v any, word unsafe.Pointer) {
	switch {
	case sh.boxed:
		// Its only content is one pointer. That is read before anything else can come
		// into the cell.
		sh.inCell.Set(reflect.ValueOf(v))
		w.value(sh, unsafe.Pointer(&w.cell))
		w.cell = nil
	case w.later && !sh.plain:
		w.postpone(sh, word, 0)
	default:
		w.value(sh, word)
	}
}

// value writes the value of a shape at an address.
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
			w.Value(any(*(*interface{ method() })(p))) // as package reflect does it
		} else {
			w.Value(*(*any)(p))
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.opaque(sh.kind, *(*unsafe.Pointer)(p))
	default:
		w.number(sh.kind, p)
	}
}

// standsApart reports whether a value does not count by its contents. It writes what such
// a value counts by, if anything.
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

// opaque writes a value that cannot be read unless it is nil.
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
	case sh.elem.size == 0: // its address is arbitrary
		w.Tag(1, "& ")
	case !w.refer(sh, p, sh.elem.size, 1):
	case w.later && !sh.elem.plain:
		w.postpone(sh, p, 0)
	case w.deeper():
		w.value(sh.elem, p)
		w.depth--
	}
}

// sliceHeader is a slice in memory.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// slice writes a slice. Its block is as large as its capacity: an append may write to
// memory that another slice shares.
//
// In a state a slice counts up to its capacity. The capacity decides whether two slices
// appended to one share an array, and elements beyond the length come back when the slice
// is resliced. A fingerprint ignores both: a mere reader of a message does not see them.
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

// capacity writes how far a slice counts. The text leaves it out if it is the length.
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

// An errand is a postponed part of the walk: over what a pointer, a slice or a map of the
// shape leads to, or over a struct or an array in an interface.
type errand struct {
	shape *shape
	start unsafe.Pointer
	len   int // of a slice
}

func (w *Walker) postpone(sh *shape, start unsafe.Pointer, n int) {
	w.errands = append(w.errands, errand{sh, start, n})
}

// runErrands runs the errands after the first n, the last one first: so those of a linked
// list, each of which leads to the next, do not pile up.
func (w *Walker) runErrands(n int) {
	for len(w.errands) > n {
		last := len(w.errands) - 1
		e := w.errands[last]
		w.errands[last] = errand{} // it holds a pointer
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

// refer writes a pointer to a block. It reports whether the block is new: its contents
// must then follow.
//
// Part distinguishes blocks with one start and one shape: slices of different lengths.
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
