package native

import "github.com/jostle-go/jostle/pulse/choice"

// The Answers of a Draft are bytes. They answer the questions of the run. A question is
// any decision except the one which message comes next. All bytes are valid answers to all
// questions.
//
// The answer to most questions is a number modulo the number of possible answers. The
// number takes one byte for at most 256 answers, two bytes (little-endian) for at most
// 65,536, and four bytes for more.
//
// Questions about faults and early timers are called rare, because their answer is mostly
// zero (see choice.Kind.IsRare). One byte answers several of them. A byte n below 192
// answers the current rare question and the next n rare questions by zero. The bytes from
// 192 on are the answers 1, 2, … modulo the number of nonzero answers. If a question has
// more than 64 nonzero answers, the byte is followed by a number as above.
const (
	strikes   = 192           // the first byte that causes a fault
	direct    = 256 - strikes // the number of byte values that cause a fault
	mostQuiet = strikes - 1   // the largest byte that causes no fault
)

// An answerReader reads the answers of a draft. The zero answerReader has no answers.
type answerReader struct {
	bytes []byte
	quiet int // the number of further rare questions that the last byte answers by zero
}

// Reset makes r read the given answers from the start. The caller must not change the
// answers while r reads them.
func (r *answerReader) Reset(answers []byte) { *r = answerReader{bytes: answers} }

// Next answers a question of kind k with n possible answers. If too few bytes are left, ok
// is false and r skips the remaining bytes.
func (r *answerReader) Next(k choice.Kind, n int) (value int, ok bool) {
	switch {
	case n < 2:
		return 0, true
	case !k.IsRare():
		return r.number(n)
	case r.quiet > 0:
		r.quiet--
		return 0, true
	}
	b, ok := r.number(256)
	switch {
	case !ok:
		return 0, false
	case b < strikes:
		r.quiet = b
		return 0, true
	case n-1 <= direct:
		return 1 + (b-strikes)%(n-1), true
	}
	if value, ok = r.number(n - 1); ok {
		value++
	}
	return value, ok
}

// number reads a number and returns it modulo n.
func (r *answerReader) number(n int) (value int, ok bool) {
	size := answerSize(n)
	if len(r.bytes) < size {
		r.bytes = nil
		return 0, false
	}
	x := uint32(0)
	for i, b := range r.bytes[:size] {
		x |= uint32(b) << (8 * i)
	}
	r.bytes = r.bytes[size:]
	return int(uint64(x) % uint64(n)), true
}

// answerSize returns the number of bytes that a number below n takes.
func answerSize(n int) int {
	switch {
	case n <= 1<<8:
		return 1
	case n <= 1<<16:
		return 2
	}
	return 4
}

// appendAnswers appends bytes that lead to the given choices. It stops
// before a choice that would exceed maxAnswers bytes.
func appendAnswers(b []byte, choices []choice.Choice) []byte {
	w := answerWriter{bytes: b, room: maxAnswers}
	for i, c := range choices {
		if c.N >= 2 && !w.answer(c, choices[i+1:]) {
			break
		}
	}
	return w.bytes
}

// An answerWriter writes answers in the form that an answerReader reads.
type answerWriter struct {
	bytes []byte
	room  int
	quiet int // the number of further rare questions that the last byte answers by zero
}

// answer writes choice c. rest are the choices after c. answer reports whether there was
// room.
func (w *answerWriter) answer(c choice.Choice, rest []choice.Choice) bool {
	n := int(c.N)
	switch {
	case !c.Kind.IsRare():
		return w.number(c.Value, answerSize(n))
	case w.quiet > 0: // c.Value is 0
		w.quiet--
		return true
	case c.Value == 0:
		w.quiet = quietFor(rest)
		return w.number(uint32(w.quiet), 1)
	case n-1 <= direct:
		return w.number(strikes+c.Value-1, 1)
	}
	return w.number(strikes, 1) && w.number(c.Value-1, answerSize(n-1))
}

// quietFor returns the number of rare questions in rest that are answered by zero, up to
// the first nonzero answer. It returns at most mostQuiet.
func quietFor(rest []choice.Choice) (n int) {
	for _, c := range rest {
		switch {
		case c.N < 2 || !c.Kind.IsRare():
			continue
		case c.Value != 0 || n == mostQuiet:
			return n
		}
		n++
	}
	return n
}

func (w *answerWriter) number(x uint32, size int) bool {
	if w.room < size {
		return false
	}
	w.room -= size
	for range size {
		w.bytes = append(w.bytes, byte(x))
		x >>= 8
	}
	return true
}
