package value

import (
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/hash"
)

// An Image is a copy of the memory that values refer to. Restore writes the copy back to
// the same addresses, so that every pointer to that memory stays valid, whoever has it. The
// next image made with an Image reuses its memory.
//
// An Image copies what a walk for a state reads: structs, arrays, slices up to their
// capacity, maps, what pointers refer to, and the values in interfaces. It cannot copy
// functions, channels, unsafe pointers and tools (see RoleTool and Walker.Kept), as these may
// lead to state anywhere.
type Image struct {
	walker *Walker
	parts  []part
	used   int        // the number of elements of parts in use; the others are memory for reuse
	flat   []byte     // the contents of the parts that consist of numbers only
	seen   hash.Table // the blocks with pointers that were copied already
	depth  int
}

// A part is the copy of one block of memory.
type part struct {
	shape *shape // the shape of an element of the block, or of the map
	start unsafe.Pointer
	len   int
	at    int           // the index in Image.flat of the copy, or -1
	live  reflect.Value // the original block: a single element, a slice of elements, or a map
	copy  reflect.Value // the copy of live; for a map, a slice with copies of the keys
	more  reflect.Value // for a map, a slice with copies of the values
}

// Begin begins an image of values that w can walk over, and discards the last image.
func (m *Image) Begin(w *Walker) {
	m.walker, m.used, m.flat, m.depth = w, 0, m.flat[:0], 0
	if m.seen.Len() > 0 {
		m.seen.Reset()
	}
}

// Add copies the memory that v refers to into the image. It returns false if
// that memory cannot be copied; the image is then of no use.
func (m *Image) Add(v any) bool {
	if v == nil {
		return true
	}
	sh := m.walker.shapeOf(v)
	word := (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
	switch {
	case sh.fixed:
		return false
	case sh.plain:
		return true
	case sh.kind == reflect.Pointer && sh.elem.plain && !sh.elem.fixed && word != nil && sh.elem.size > 0:
		m.keep(sh.elem, word, 1)
		return true
	case sh.kind == reflect.Pointer, sh.kind == reflect.Map, sh.kind == reflect.Func, sh.kind == reflect.Chan, sh.kind == reflect.UnsafePointer:
		return m.refers(sh, word)
	case sh.boxed:
		return m.holds(sh, unsafe.Pointer(&word))
	}
	return m.holds(sh, word)
}

// holds adds to the image the memory that the value of shape sh at address p
// refers to.
func (m *Image) holds(sh *shape, p unsafe.Pointer) bool {
	switch {
	case sh.fixed:
		return false
	case sh.plain:
		return true
	}
	switch sh.kind {
	case reflect.Struct:
		for i := range sh.fields {
			if f := &sh.fields[i]; !m.holds(f.shape, unsafe.Add(p, f.offset)) {
				return false
			}
		}
		return true
	case reflect.Array:
		return m.hold(sh.elem, p, sh.len)
	case reflect.Slice:
		h := (*sliceHeader)(p)
		return h.data == nil || m.block(sh.elem, h.data, h.cap)
	case reflect.Interface:
		if sh.methods {
			return m.Add(any(*(*interface{ method() })(p)))
		}
		return m.Add(*(*any)(p))
	}
	return m.refers(sh, *(*unsafe.Pointer)(p))
}

// hold adds to the image the memory that the n values of one shape at address p
// refer to.
func (m *Image) hold(elem *shape, p unsafe.Pointer, n int) bool {
	for i := range n {
		if !m.holds(elem, unsafe.Add(p, uintptr(i)*elem.size)) {
			return false
		}
	}
	return true
}

// refers adds to the image the memory at address p, to which a pointer or a map
// refers. It returns false for a function, a channel or an unsafe pointer that
// is not nil.
func (m *Image) refers(sh *shape, p unsafe.Pointer) bool {
	switch {
	case p == nil:
		return true
	case sh.kind == reflect.Pointer && sh.elem.role == RoleTool:
		return !sh.elem.fixed
	case sh.kind == reflect.Pointer:
		return m.block(sh.elem, p, 1)
	case sh.kind == reflect.Map:
		return m.isKnown(sh, p, 1) || m.mapping(sh, p)
	}
	return false
}

// block adds to the image the n values of one shape at address p, and the
// memory that they refer to.
func (m *Image) block(elem *shape, p unsafe.Pointer, n int) bool {
	switch {
	case elem.fixed || m.depth > maxDepth:
		return false
	case elem.size == 0 || n == 0 || !elem.plain && m.isKnown(elem, p, n):
		return true
	}
	m.keep(elem, p, n)
	if elem.plain {
		return true
	}
	m.depth++
	defer func() { m.depth-- }()
	return m.hold(elem, p, n)
}

// isKnown reports whether a block was added to the image before, and records
// that it is added now.
func (m *Image) isKnown(sh *shape, p unsafe.Pointer, n int) bool {
	_, had := m.seen.Add(hash.Fold(uint64(uintptr(p)), uint64(n)^uint64(sh.id)<<40), 0)
	return had
}

// keep stores a copy of a block in the image.
func (m *Image) keep(elem *shape, p unsafe.Pointer, n int) {
	x := m.next()
	if elem.flat {
		*x = part{start: p, len: n * int(elem.size), at: len(m.flat)}
		m.flat = append(m.flat, unsafe.Slice((*byte)(p), x.len)...)
		return
	}
	if x.shape != elem || x.len != n || x.more.IsValid() {
		*x = part{shape: elem, len: n, at: -1, copy: reflect.New(elem.typ).Elem()}
		if n > 1 {
			x.copy = reflect.MakeSlice(reflect.SliceOf(elem.typ), n, n)
		}
	}
	if x.start != p {
		x.start, x.live = p, reflect.NewAt(elem.typ, p).Elem()
		if n > 1 {
			x.live = reflect.SliceAt(elem.typ, p, n)
		}
	}
	x.assign(x.copy, x.live)
}

// assign copies the contents of a part: a single value, or all elements of a
// slice.
func (x *part) assign(to, from reflect.Value) {
	if x.len == 1 {
		to.Set(from)
	} else {
		reflect.Copy(to, from)
	}
}

// next returns the next part of the image.
func (m *Image) next() *part {
	if m.used == len(m.parts) {
		m.parts = append(m.parts, part{})
	}
	m.used++
	return &m.parts[m.used-1]
}

// mapping copies a map, and adds the memory that its keys and values refer to.
func (m *Image) mapping(sh *shape, p unsafe.Pointer) bool {
	x := m.next()
	*x = part{shape: sh, start: p, at: -1}
	x.live = reflect.New(sh.typ).Elem()
	*(*unsafe.Pointer)(x.live.Addr().UnsafePointer()) = p
	n := x.live.Len()
	x.len = n
	x.copy = reflect.MakeSlice(reflect.SliceOf(sh.key.typ), n, n)
	x.more = reflect.MakeSlice(reflect.SliceOf(sh.elem.typ), n, n)
	keys, values := x.copy, x.more
	iter := x.live.MapRange()
	for i := 0; iter.Next(); i++ {
		keys.Index(i).SetIterKey(iter)
		values.Index(i).SetIterValue(iter)
	}
	m.depth++
	defer func() { m.depth-- }()
	return m.depth <= maxDepth && (n == 0 || m.hold(sh.key, keys.UnsafePointer(), n) && m.hold(sh.elem, values.UnsafePointer(), n))
}

// Restore writes the copies back to the memory from which Add made them.
func (m *Image) Restore() {
	for i := range m.used {
		x := &m.parts[i]
		switch {
		case x.at >= 0:
			copy(unsafe.Slice((*byte)(x.start), x.len), m.flat[x.at:])
		case x.more.IsValid():
			x.live.Clear()
			for k := range x.len {
				x.live.SetMapIndex(x.copy.Index(k), x.more.Index(k))
			}
		default:
			x.assign(x.live, x.copy)
		}
	}
}
