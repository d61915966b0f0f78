package value

import (
	"encoding/binary"
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A hash program is a list of ops for a type, which is computed once and stored in the type's
// shape. A walk for a state that writes no text uses hash programs, because they are faster. A
// hash program reads adjacent numbers as bytes, eight at a time, and skips padding. Numbers
// are compared by their bits, as in walks with texts. Therefore NaN equals itself, and -0
// differs from 0.
//
// Except for collisions, two values of one type have equal hashes with a hash program if and
// only if they have equal hashes in a walk with texts.

// An op is one step of a hash program. It reads the part of a value at op.offset.
type op struct {
	kind   opKind
	offset uintptr
	size   uintptr // the number of bytes that the op reads
	shape  *shape  // the shape of the part; nil for opWord and opBytes
}

type opKind uint8

const (
	opWord    opKind = iota // reads 8 bytes of numbers
	opBytes                 // reads op.size bytes of adjacent numbers
	opString                // reads a string
	opSpecial               // writes a value with roleSpecial
	opPart                  // reads a part without a hash program as an ordinary walk does
)

// mostUnrolled is the maximum size, in bytes, of an array whose elements become separate
// ops. A larger array has a hash program only if its elements are flat.
const mostUnrolled = 512

// canProgram reports whether values of a shape have a hash program. Pointers, interfaces,
// slices, maps, functions, channels and large arrays do not have one.
func (sh *shape) canProgram() bool {
	switch sh.kind {
	case reflect.Array:
		return sh.role == RoleData && (sh.size <= mostUnrolled || sh.elem.flat)
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return false
	}
	return true
}

// quickly writes the value at p with the hash program of shape sh.
func (w *Walker) quickly(sh *shape, p unsafe.Pointer) {
	if !sh.programmed {
		sh.ops, sh.programmed = sh.appendOps(nil, 0), true
	}
	h := w.sum
	for i := range sh.ops {
		o := &sh.ops[i]
		q := unsafe.Add(p, o.offset)
		switch o.kind {
		case opWord:
			h = hash.Fold(h, *(*uint64)(q))
			continue
		case opBytes:
			h = foldBytes(h, unsafe.Slice((*byte)(q), o.size))
			continue
		case opString:
			h = foldString(h, *(*string)(q))
			continue
		}
		if w.sum = h; o.kind == opSpecial {
			o.shape.special(q)
		} else if w.value(o.shape, q); w.unread {
			return
		}
		h = w.sum
	}
	w.sum = h
}

// appendOps appends the ops of a hash program that read a value of shape sh at an offset.
func (sh *shape) appendOps(list []op, offset uintptr) []op {
	switch {
	case sh.role == roleSpecial:
		return append(list, op{opSpecial, offset, sh.size, sh})
	case !sh.program:
		return append(list, op{opPart, offset, sh.size, sh})
	case sh.kind == reflect.Struct:
		for i := range sh.fields {
			list = sh.fields[i].shape.appendOps(list, offset+sh.fields[i].offset)
		}
		return list
	case sh.kind == reflect.Array && !sh.elem.flat:
		for i := range sh.len {
			list = sh.elem.appendOps(list, offset+uintptr(i)*sh.elem.size)
		}
		return list
	case sh.kind == reflect.String:
		return append(list, op{opString, offset, sh.size, sh})
	}
	return appendBytes(list, offset, sh.size)
}

// appendBytes appends an op that reads numbers, given by their offset and size. It extends the
// last op of list if the bytes are adjacent.
func appendBytes(list []op, offset, size uintptr) []op {
	if size == 0 {
		return list
	}
	if last := len(list) - 1; last >= 0 && list[last].kind <= opBytes && list[last].offset+list[last].size == offset {
		offset, size = list[last].offset, list[last].size+size
		list = list[:last]
	}
	if size == 8 && offset%unsafe.Alignof(uint64(0)) == 0 {
		return append(list, op{opWord, offset, size, nil})
	}
	return append(list, op{opBytes, offset, size, nil})
}

// foldString adds s to the hash h.
func foldString(h uint64, s string) uint64 {
	return foldBytes(hash.Fold(h, uint64(len(s))), unsafe.Slice(unsafe.StringData(s), len(s)))
}

// foldBytes adds p to the hash h, eight bytes at a time.
func foldBytes(h uint64, p []byte) uint64 {
	for ; len(p) >= 8; p = p[8:] {
		h = hash.Fold(h, binary.LittleEndian.Uint64(p))
	}
	if len(p) == 0 {
		return h
	}
	last := uint64(0)
	for i, b := range p {
		last |= uint64(b) << (8 * i)
	}
	return hash.Fold(h, last)
}
