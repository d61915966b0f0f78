package value

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"
)

// A Single is a pointer to a plain value (see Walker.Plain), such as the handler of most
// actors. A walk for a state that writes no text can write a Single without a search for
// its block, if no two blocks of the walk overlap.
type Single struct {
	typ   uintptr // the type word of the interface value
	start uintptr
	shape *shape // the shape of the pointer; nil if the value is not a pointer to a plain value
	seen  []byte // the contents at the last InSingle; empty if unknown or if the hash depends on other memory
	sum   uint64 // the hash after the last InSingle
	from  uint64 // the hash before the last InSingle
}

// SingleOf returns the Single of v, which is empty if v is no pointer to a plain value.
func (w *Walker) SingleOf(v any) Single {
	sh := w.shapeOf(v)
	word := (*[2]uintptr)(unsafe.Pointer(&v))
	if sh.kind != reflect.Pointer || word[1] == 0 || sh.elem.size == 0 || !sh.elem.plain || !sh.elem.program || sh.elem.role == RoleTool {
		sh = nil
	}
	return Single{typ: word[0], start: word[1], shape: sh}
}

// IsEmpty reports whether the value is no pointer to a plain value.
func (s *Single) IsEmpty() bool { return s.shape == nil }

// Forget makes the next InSingle read the contents and compute the hash again,
// even if the contents have not changed.
func (s *Single) Forget() { s.seen = s.seen[:0] }

// Is reports whether SingleOf made s from v.
func (s *Single) Is(v any) bool {
	word := (*[2]uintptr)(unsafe.Pointer(&v))
	return s.typ == word[0] && s.start == word[1]
}

// BeforeSingle writes what Value writes of s before the contents: its type, and that it
// points to a new block.
func (w *Walker) BeforeSingle(s *Single) {
	w.Word(s.shape.hash)
	w.Word(1)
}

// InSingle writes the contents of v, from which SingleOf made s. If the contents and the
// hash before them are the same as in the last call, it reuses the hash of that call.
func (w *Walker) InSingle(s *Single, v any) {
	elem, p := s.shape.elem, (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
	if !elem.inBytes {
		w.quickly(elem, p)
		return
	}
	now := unsafe.Slice((*byte)(p), elem.size)
	if w.sum == s.from && string(now) == string(s.seen) {
		w.sum = s.sum
		return
	}
	s.seen, s.from = append(s.seen[:0], now...), w.sum
	w.quickly(elem, p)
	s.sum = w.sum
}

// Apart reports whether no two of n Singles refer to memory that overlaps. It
// ignores empty Singles.
func (w *Walker) Apart(n int, value func(int) *Single) bool {
	w.spans = w.spans[:0]
	for i := range n {
		if s := value(i); s.shape != nil {
			w.spans = append(w.spans, span{start: s.start, end: s.start + s.shape.elem.size})
		}
	}
	slices.SortFunc(w.spans, func(x, y span) int { return cmp.Compare(x.start, y.start) })
	for i := 1; i < len(w.spans); i++ {
		if w.spans[i].start < w.spans[i-1].end {
			return false
		}
	}
	return true
}

// HasBlocks reports whether the walk has found a block of memory.
func (w *Walker) HasBlocks() bool { return len(w.blocks.list) > 0 }
