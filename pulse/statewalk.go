package pulse

import (
	"cmp"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A stateWalk goes over all that a state is made of. Its memory is used again
// by the next.
//
// A pointer counts by where it was met first, never by its address: blocks are
// numbered in the order of the walk, which follows from identities and values
// alone.
type stateWalk struct {
	sys    *System
	h      uint64
	text   []byte
	texts  bool // writes the text, too
	unread bool // met something that cannot be read

	shapes map[reflect.Type]*shape
	recent [recentTypes]recentShape

	// Invariant: cells[b.cell] is i+1 for block i, all other cells are 0; at
	// most half of them are in use. Blocks go in the reverse order of coming,
	// so that no search is cut short by a cell that has become empty.
	blocks []block
	cells  []int32

	run       int32       // of which the order and the histories are
	order     []int32     // the actors by identity
	histories []uint64    // for each step, its actor's in it
	due       []entry     // see dueTimers
	sorted    bool        // due is that of this walk
	inward    []int32     // scratch of channels
	keyed     []keyedSlot // scratch of cloud
	spans     []span      // scratch of overlaps
}

type recentShape struct {
	word  uintptr
	shape *shape
}

func newStateWalk(s *System) *stateWalk {
	return &stateWalk{sys: s, shapes: map[reflect.Type]*shape{}, cells: make([]int32, 64)}
}

// A block is memory that a pointer, a slice or a map stands for.
type block struct {
	start, end uintptr // equal for a map, whose memory nothing else leads into
	shape      *shape
	len        int
	cell       int32
}

// hasher is a handler that hashes its state itself.
type hasher interface{ Hash() uint64 }

// A shape is how values of a type are read.
type shape struct {
	typ     reflect.Type
	kind    reflect.Kind
	role    role
	name    string
	hash    uint64 // of the name
	size    uintptr
	tree    bool // holds no pointers but strings: no other value can be a part of it
	hashes  bool // is a hasher
	methods bool // of an interface: it has some
	boxed   bool // in an interface it may lie in the place of the pointer
	key     *shape
	elem    *shape
	len     int
	fields  []shapeField
	maps    []*mapBuffer // not in use
}

type shapeField struct {
	name   string
	offset uintptr
	shape  *shape
}

// role is what a type is besides its kind.
type role uint8

const (
	data      role = iota
	reference      // Ref
	clockTime      // Timer
	machinery      // counts for nothing
)

// isMachinery says whether values of a type are tools of the test: what they
// hold says nothing of the program.
func isMachinery(t reflect.Type) bool {
	switch t.PkgPath() {
	case "testing", "log", "log/slog", "pgregory.net/rapid", "github.com/jostle-go/jostle/props":
		return true
	}
	return slices.Contains([]reflect.Type{reflect.TypeFor[System](), reflect.TypeFor[Ctx](),
		reflect.TypeFor[Process](), reflect.TypeFor[time.Location]()}, t)
}

func roleOf(t reflect.Type) role {
	switch {
	case t == reflect.TypeFor[Ref]():
		return reference
	case t == reflect.TypeFor[Timer]():
		return clockTime
	case t.Kind() == reflect.Struct && isMachinery(t):
		return machinery
	}
	return data
}

var nilShape = shape{name: "nil", tree: true}

// shapeOf returns the shape of what an interface holds.
func (w *stateWalk) shapeOf(v any) *shape {
	word := typeWord(v)
	r := &w.recent[word>>5%recentTypes]
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

// shape returns the shape of a type, which may lead to itself.
func (w *stateWalk) shape(t reflect.Type) *shape {
	if sh := w.shapes[t]; sh != nil {
		return sh
	}
	sh := &shape{typ: t, kind: t.Kind(), role: roleOf(t), name: typeName(t), size: t.Size(),
		hashes: t.Implements(reflect.TypeFor[hasher]())}
	sh.hash = hash.String(sh.name)
	w.shapes[t] = sh
	switch sh.kind {
	case reflect.Pointer, reflect.Slice:
		sh.elem = w.shape(t.Elem())
	case reflect.Array:
		sh.elem, sh.len = w.shape(t.Elem()), t.Len()
		sh.tree = sh.elem.tree
	case reflect.Map:
		sh.key, sh.elem = w.shape(t.Key()), w.shape(t.Elem())
	case reflect.Struct:
		w.addFields(sh)
	case reflect.Interface:
		sh.methods = t.NumMethod() > 0
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
	default:
		sh.tree = true
	}
	sh.tree = sh.tree || sh.role != data
	sh.boxed = sh.size == unsafe.Sizeof(uintptr(0)) && !sh.tree && (sh.kind == reflect.Struct || sh.kind == reflect.Array)
	return sh
}

// addFields gives the shape of a struct those of its fields. It is set last
// whether it is a tree: one that leads to itself is none.
func (w *stateWalk) addFields(sh *shape) {
	if sh.role != data {
		return
	}
	tree := true
	for i := range sh.typ.NumField() {
		f := sh.typ.Field(i)
		if f.Name == "_" {
			continue
		}
		inner := w.shape(f.Type)
		tree = tree && inner.tree
		sh.fields = append(sh.fields, shapeField{f.Name, f.Offset, inner})
	}
	sh.tree = tree
}

// A saved is what a walk has come to, to go back to it.
type saved struct {
	h      uint64
	text   int
	blocks int
	texts  bool
}

func (w *stateWalk) save() saved { return saved{w.h, len(w.text), len(w.blocks), w.texts} }

// restore undoes what came after save, if only for something that cannot be read.
func (w *stateWalk) restore(b saved) {
	w.rollback(b.blocks)
	w.h, w.text, w.texts, w.unread = b.h, w.text[:b.text], b.texts, false
}

// probe begins a hash of its own, which endProbe ends. It knows the blocks
// that there are and leaves none behind.
func (w *stateWalk) probe() saved {
	b := w.save()
	w.h, w.texts = 0, false
	return b
}

func (w *stateWalk) endProbe(b saved) {
	w.rollback(b.blocks)
	w.h, w.texts = b.h, b.texts
}

// rollback forgets all but the first n blocks.
func (w *stateWalk) rollback(n int) {
	for i := len(w.blocks) - 1; i >= n; i-- {
		w.cells[w.blocks[i].cell] = 0
	}
	w.blocks = w.blocks[:n]
}

// refer is a pointer to a block: its number if the walk has been there. It
// says whether it is new, and what is in it has to follow.
func (w *stateWalk) refer(b block) bool {
	mask := len(w.cells) - 1
	shift := bits.LeadingZeros64(uint64(mask))
	i := int((uint64(b.start)+uint64(b.len))*actorSalt>>shift) & mask
	for ; w.cells[i] != 0; i = (i + 1) & mask {
		n := int(w.cells[i]) - 1
		if o := &w.blocks[n]; o.start == b.start && o.shape == b.shape && o.len == b.len {
			w.says("#")
			w.unsigned(uint64(n) + 2)
			return false
		}
	}
	w.tag(1, "&")
	b.cell = int32(i)
	w.cells[i] = int32(len(w.blocks)) + 1
	w.blocks = append(w.blocks, b)
	if 2*len(w.blocks) > len(w.cells) {
		w.growCells()
	}
	return true
}

func (w *stateWalk) growCells() {
	w.cells = make([]int32, 2*len(w.cells))
	mask := len(w.cells) - 1
	shift := bits.LeadingZeros64(uint64(mask))
	for n := range w.blocks {
		b := &w.blocks[n]
		i := int((uint64(b.start)+uint64(b.len))*actorSalt>>shift) & mask
		for w.cells[i] != 0 {
			i = (i + 1) & mask
		}
		w.cells[i], b.cell = int32(n)+1, int32(i)
	}
}

// typed is the dynamic type of what follows.
func (w *stateWalk) typed(sh *shape) {
	w.word(sh.hash)
	w.says(sh.name)
	w.says(" ")
}

// dynamic is what an interface holds.
func (w *stateWalk) dynamic(v any) {
	sh := w.shapeOf(v)
	w.typed(sh)
	if v == nil {
		return
	}
	// The second word of an interface is a pointer to the value, or the value
	// itself where that is nothing but a pointer.
	word := (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
	switch {
	case sh.kind == reflect.Pointer:
		w.pointer(sh, word)
	case sh.kind == reflect.Map:
		w.mapping(sh, reflect.ValueOf(v))
	case sh.kind == reflect.Func, sh.kind == reflect.Chan, sh.kind == reflect.UnsafePointer:
		w.opaque(word)
	case sh.boxed:
		p := reflect.New(sh.typ)
		p.Elem().Set(reflect.ValueOf(v))
		w.value(sh, p.UnsafePointer())
	default:
		w.value(sh, word)
	}
}

// value is the value of a shape at an address.
func (w *stateWalk) value(sh *shape, p unsafe.Pointer) {
	if sh.role != data {
		w.special(sh, p)
		return
	}
	switch sh.kind {
	case reflect.Struct:
		w.says("{")
		for i := range sh.fields {
			f := &sh.fields[i]
			w.says(f.name)
			w.says(":")
			if w.value(f.shape, unsafe.Add(p, f.offset)); w.unread {
				return
			}
		}
		w.says("} ")
	case reflect.Array:
		w.elements(sh.elem, p, sh.len)
	case reflect.Slice:
		w.slice(sh, (*sliceHeader)(p))
	case reflect.String:
		w.string(*(*string)(p))
	case reflect.Pointer:
		w.pointer(sh, *(*unsafe.Pointer)(p))
	case reflect.Map:
		w.mapping(sh, reflect.NewAt(sh.typ, p).Elem())
	case reflect.Interface:
		if sh.methods {
			w.dynamic(any(*(*interface{ method() })(p))) // as package reflect does it
		} else {
			w.dynamic(*(*any)(p))
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		w.opaque(*(*unsafe.Pointer)(p))
	default:
		w.number(sh.kind, p)
	}
}

func (w *stateWalk) number(k reflect.Kind, p unsafe.Pointer) {
	switch k {
	case reflect.Bool:
		w.flag(*(*bool)(p))
	case reflect.Int:
		w.signed(int64(*(*int)(p)))
	case reflect.Int8:
		w.signed(int64(*(*int8)(p)))
	case reflect.Int16:
		w.signed(int64(*(*int16)(p)))
	case reflect.Int32:
		w.signed(int64(*(*int32)(p)))
	case reflect.Int64:
		w.signed(*(*int64)(p))
	case reflect.Uint:
		w.unsigned(uint64(*(*uint)(p)))
	case reflect.Uintptr:
		w.unsigned(uint64(*(*uintptr)(p)))
	case reflect.Uint8:
		w.unsigned(uint64(*(*uint8)(p)))
	case reflect.Uint16:
		w.unsigned(uint64(*(*uint16)(p)))
	case reflect.Uint32, reflect.Float32:
		w.unsigned(uint64(*(*uint32)(p)))
	case reflect.Uint64, reflect.Float64:
		w.unsigned(*(*uint64)(p))
	case reflect.Complex64:
		w.number(reflect.Float32, p)
		w.number(reflect.Float32, unsafe.Add(p, 4))
	case reflect.Complex128:
		w.number(reflect.Float64, p)
		w.number(reflect.Float64, unsafe.Add(p, 8))
	}
}

// special is a value of this package, by what it stands for in any run.
func (w *stateWalk) special(sh *shape, p unsafe.Pointer) {
	s := w.sys
	switch sh.role {
	case reference:
		switch r := (*Ref)(p); {
		case r.sys == nil:
			w.tag(0, "nobody ")
		case r.sys != s || r.run != s.run:
			w.tag(1, "stranger ")
			w.signed(int64(r.actor))
		default:
			w.hex(s.actors[r.actor].id)
			w.signed(int64(r.ask))
		}
	case clockTime:
		t := (*Timer)(p)
		w.says("timer ")
		if t.sys != s || t.run != s.run {
			w.signed(0)
			return
		}
		w.signed(w.timerIndex(func(e *entry) bool { return e.number == t.number }))
	}
}

// opaque is what cannot be read unless it is nil.
func (w *stateWalk) opaque(p unsafe.Pointer) {
	if p != nil {
		w.unread = true
		return
	}
	w.tag(0, "nil ")
}

func (w *stateWalk) pointer(sh *shape, p unsafe.Pointer) {
	switch {
	case p == nil:
		w.tag(0, "nil ")
	case sh.elem.role == machinery:
		w.tag(1, "… ")
	case sh.elem.size == 0: // has an address only by chance
		w.tag(1, "& ")
	case w.refer(block{start: uintptr(p), end: uintptr(p) + sh.elem.size, shape: sh, len: 1}):
		w.value(sh.elem, p)
	}
}

// sliceHeader is a slice in memory.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// slice stands for a block as large as it can grow: what is appended to it may
// be another's.
func (w *stateWalk) slice(sh *shape, h *sliceHeader) {
	size := sh.elem.size
	switch {
	case h.data == nil:
		w.tag(0, "nil ")
		return
	case size == 0 || h.cap == 0:
		w.tag(1, "&")
	case !w.refer(block{start: uintptr(h.data), end: uintptr(h.data) + uintptr(h.cap)*size, shape: sh, len: h.len}):
		return
	}
	w.signed(int64(h.len))
	if sh.elem.kind == reflect.Uint8 && !w.texts {
		w.bytes((*byte)(h.data), h.len)
		return
	}
	w.elements(sh.elem, h.data, h.len)
}

func (w *stateWalk) elements(elem *shape, p unsafe.Pointer, n int) {
	w.says("[")
	for i := range n {
		if w.value(elem, unsafe.Add(p, uintptr(i)*elem.size)); w.unread {
			return
		}
	}
	w.says("] ")
}

// A mapBuffer is the entries of a map while they are walked.
type mapBuffer struct {
	iter         reflect.MapIter
	keys, values reflect.Value // slices
	order        []keyedEntry
}

type keyedEntry struct {
	key   uint64
	place int
}

// mapping is a map. Its entries are a multiset where they have no pointers,
// else they are walked in an order that follows from what they are. Entries
// that are alike but for which pointers they are have no such order: then the
// map cannot be read.
func (w *stateWalk) mapping(sh *shape, v reflect.Value) {
	if v.IsNil() {
		w.tag(0, "nil ")
		return
	}
	at := uintptr(v.UnsafePointer())
	if !w.refer(block{start: at, end: at, shape: sh}) {
		return
	}
	n := v.Len()
	w.signed(int64(n))
	b := sh.fill(v, n)
	if sh.key.tree && sh.elem.tree && !w.texts {
		sum := uint64(0)
		for i := range n {
			sum += w.probeEntry(sh, b, i, true)
		}
		w.word(sum)
	} else {
		w.sortedEntries(sh, b, n)
	}
	b.iter.Reset(reflect.Value{})
	b.keys.Clear()
	b.values.Clear()
	sh.maps = append(sh.maps, b)
}

// fill copies the entries of a map into a buffer.
func (sh *shape) fill(v reflect.Value, n int) *mapBuffer {
	var b *mapBuffer
	if last := len(sh.maps) - 1; last >= 0 {
		b, sh.maps = sh.maps[last], sh.maps[:last]
	} else {
		b = &mapBuffer{}
	}
	if !b.keys.IsValid() || b.keys.Len() < n {
		b.keys = reflect.MakeSlice(reflect.SliceOf(sh.key.typ), 2*n, 2*n)
		b.values = reflect.MakeSlice(reflect.SliceOf(sh.elem.typ), 2*n, 2*n)
	}
	b.iter.Reset(v)
	for i := 0; b.iter.Next(); i++ {
		b.keys.Index(i).SetIterKey(&b.iter)
		b.values.Index(i).SetIterValue(&b.iter)
	}
	return b
}

func (w *stateWalk) entry(sh *shape, b *mapBuffer, i int, whole bool) {
	w.value(sh.key, unsafe.Add(b.keys.UnsafePointer(), uintptr(i)*sh.key.size))
	if whole && !w.unread {
		w.says("→ ")
		w.value(sh.elem, unsafe.Add(b.values.UnsafePointer(), uintptr(i)*sh.elem.size))
	}
}

// probeEntry is a hash of an entry of its own.
func (w *stateWalk) probeEntry(sh *shape, b *mapBuffer, i int, whole bool) uint64 {
	before := w.probe()
	w.entry(sh, b, i, whole)
	key := w.h
	w.endProbe(before)
	return key
}

func (w *stateWalk) sortedEntries(sh *shape, b *mapBuffer, n int) {
	b.order = b.order[:0]
	for i := range n {
		b.order = append(b.order, keyedEntry{w.probeEntry(sh, b, i, !sh.key.tree), i})
		if w.unread {
			return
		}
	}
	slices.SortFunc(b.order, func(x, y keyedEntry) int { return cmp.Compare(x.key, y.key) })
	w.says("[")
	for i, k := range b.order {
		if i > 0 && k.key == b.order[i-1].key {
			w.unread = true
		}
		if w.unread {
			return
		}
		w.entry(sh, b, k.place, true)
	}
	w.says("] ")
}

// A span is the memory of a block.
type span struct {
	start, end uintptr
	block      int32
}

// overlaps says which blocks lie in which: a pointer to an element of a slice
// that is known too, two slices of one array. Each is placed by the one that
// reaches farthest among those that begin before it, so all that hang together are.
func (w *stateWalk) overlaps() {
	w.spans = w.spans[:0]
	for i := range w.blocks {
		if b := &w.blocks[i]; b.end > b.start {
			w.spans = append(w.spans, span{b.start, b.end, int32(i)})
		}
	}
	slices.SortFunc(w.spans, func(x, y span) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.block, y.block))
	})
	sum, far := uint64(0), span{}
	var lines []string
	for _, sp := range w.spans {
		if sp.start < far.end {
			sum += hash.Fold(hash.Fold(tagOverlap+uint64(far.block), uint64(sp.block)), uint64(sp.start-far.start))
			if w.texts {
				lines = append(lines, fmt.Sprintf("\n#%d lies %d behind #%d", sp.block+2, sp.start-far.start, far.block+2))
			}
		}
		if sp.end > far.end {
			far = sp
		}
	}
	w.word(sum)
	slices.Sort(lines) // not by address
	w.says(strings.Join(lines, "") + "\n")
}
