package value

import (
	"encoding/binary"
	"strconv"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/hash"
)

// words is the output of a walk: a hash and, on request, a text. Values with different hashes
// in a walk have different texts.
type words struct {
	sum   uint64
	text  []byte
	texts bool // set if the walk also writes the text
}

// Sum returns the hash of everything written since Begin.
func (w *words) Sum() uint64 { return w.sum }

// Text returns the text written since Begin. The next walk overwrites it.
func (w *words) Text() []byte { return w.text }

// Texts reports whether the walk also writes the text.
func (w *words) Texts() bool { return w.texts }

// Word adds a word to the hash but not to the output text.
func (w *words) Word(x uint64) { w.sum = hash.Fold(w.sum, x) }

// Part begins a part of the hash, which a later EndPart or a sum of parts adds to the hash.
// The result is the hash before the part. A hash of parts takes less time than that of all
// their words in a row, because the processor can compute parts at the same time.
func (w *words) Part() (before uint64) {
	before, w.sum = w.sum, 0
	return before
}

// BeginPart sets the hash at the beginning of a part to a hash that is already
// known.
func (w *words) BeginPart(sum uint64) { w.sum = sum }

// EndPart ends a part of the hash, and returns the hash of the part alone. before is the
// result of Part.
func (w *words) EndPart(before uint64) (part uint64) {
	part, w.sum = w.sum, before
	return part
}

// Say adds to the output text but not to the hash.
func (w *words) Say(text string) {
	if w.texts {
		w.text = append(w.text, text...)
	}
}

// Tag adds x to the hash, and the parameter text to the output text.
func (w *words) Tag(x uint64, text string) {
	w.Word(x)
	w.Say(text)
}

// Flag writes a bool.
func (w *words) Flag(b bool) {
	if b {
		w.Tag(1, "yes ")
	} else {
		w.Tag(0, "no ")
	}
}

// Signed writes a signed integer.
func (w *words) Signed(x int64) {
	w.Word(uint64(x))
	if w.texts {
		w.text = append(strconv.AppendInt(w.text, x, 10), ' ')
	}
}

// Unsigned writes an unsigned integer.
func (w *words) Unsigned(x uint64) {
	w.Word(x)
	if w.texts {
		w.text = append(strconv.AppendUint(w.text, x, 10), ' ')
	}
}

// Hex writes an integer. In the output text the integer is hexadecimal.
func (w *words) Hex(x uint64) {
	w.Word(x)
	if w.texts {
		w.text = append(strconv.AppendUint(append(w.text, "0x"...), x, 16), ' ')
	}
}

func (w *words) string(s string) {
	w.bytes(unsafe.StringData(s), len(s))
	if w.texts {
		w.text = append(strconv.AppendQuote(w.text, s), ' ')
	}
}

// bytes adds n bytes, starting at data, to the hash, eight at a time. Eight bytes count as a
// little-endian number on every machine.
func (w *words) bytes(data *byte, n int) {
	h := hash.Fold(w.sum, uint64(n))
	list := unsafe.Slice(data, n)
	for len(list) >= 8 {
		_ = list[7]
		h = hash.Fold(h, uint64(list[0])|uint64(list[1])<<8|uint64(list[2])<<16|uint64(list[3])<<24|
			uint64(list[4])<<32|uint64(list[5])<<40|uint64(list[6])<<48|uint64(list[7])<<56)
		list = list[8:]
	}
	last := uint64(0)
	for i, b := range list {
		last |= uint64(b) << (8 * i)
	}
	w.sum = hash.Fold(h, last)
}

// flatHash returns a hash of memory for fingerprints. For speed it computes four
// independent hashes and combines them.
func flatHash(p []byte) uint64 {
	a, b, c, d := uint64(len(p)), uint64(1), uint64(2), uint64(3)
	for ; len(p) >= 64; p = p[64:] {
		a = hash.Fold(a^binary.NativeEndian.Uint64(p), binary.NativeEndian.Uint64(p[8:]))
		b = hash.Fold(b^binary.NativeEndian.Uint64(p[16:]), binary.NativeEndian.Uint64(p[24:]))
		c = hash.Fold(c^binary.NativeEndian.Uint64(p[32:]), binary.NativeEndian.Uint64(p[40:]))
		d = hash.Fold(d^binary.NativeEndian.Uint64(p[48:]), binary.NativeEndian.Uint64(p[56:]))
	}
	for ; len(p) >= 8; p = p[8:] {
		a = hash.Fold(a, binary.NativeEndian.Uint64(p))
	}
	for _, x := range p {
		b = hash.Fold(b, uint64(x))
	}
	return hash.Fold(hash.Fold(a, b), hash.Fold(c, d))
}
