package props

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// A generators draws values from rapid generators, which work only under rapid's own
// engine.
//
// rapid.MakeFuzz enters that engine with the numbers to draw from, as bytes, and with
// a testing.T for reports. A call costs about 5 µs, most of it in testing.T.Helper.
// Therefore MakeFuzz is called once, and the rapid.T of a Custom generator inside
// that call is kept. For each draw, the unexported field from which that rapid.T
// reads is set to the numbers of the draw. If a future rapid has no such field, each
// draw calls MakeFuzz, with the same values.
type generators struct {
	engine  *rapid.T  // the rapid.T of all draws
	numbers *[]uint64 // points to the numbers that engine reads next; nil if rapid has no such field
	groups  *groups   // rapid's record of which generator read which numbers; nil if rapid has no such field
	notes   bool      // set if groups are recorded
	opened  bool
	buffer  []uint64
	bytes   []byte
}

// A groups has the layout of rapid's recordedBits, which records which generator read
// which numbers.
type groups struct {
	data    []uint64
	list    []group
	dataLen int
	persist bool // set if rapid records groups
}

// A group has the layout of rapid's groupInfo: the range of numbers that one generator has read.
type group struct {
	begin, end          int
	label               string
	standalone, discard bool
}

// A draw first gets a number of words that firstSize returns, at least firstWords. If
// the words run out, the draw is repeated with eight times as many words, up to
// mostWords. The number of words does not change the drawn value.
const (
	firstWords = 16
	mostWords  = firstWords << 12
)

// underRapid calls f with a rapid.T that reads the words of a draw. It reports
// whether f found a value. If f found none, the next word of w is the first that f
// has not read.
func (r *Runner) underRapid(w *words, f func(*rapid.T)) bool {
	if r.rapid != nil {
		f(r.rapid)
		return true
	}
	g := &r.generators
	g.notes = r.plan.Parts
	read, reads, state := w.read, w.reads, w.state
	for size := r.firstSize(len(w.given)); ; size = min(8*size, mostWords) {
		g.buffer = w.list(g.buffer[:0], size)
		left, ok := g.call(g.buffer, f)
		if ok {
			r.keepParts(w.reads - size)
			w.reads -= left
			return true
		}
		if left > 0 {
			w.rewind(read, reads, state)
			w.skip(size - left)
			return false
		}
		if size >= mostWords {
			w.endless++
			return false
		}
		w.rewind(read, reads, state)
	}
}

// firstSize returns the number of words that the current draw gets in its first
// attempt. It is at least stored, and at least 1.5 times the number that the draw has
// read in recent runs. If the words run out, the draw is repeated after a panic, which
// costs more than some unused words.
func (r *Runner) firstSize(stored int) int {
	most := 0
	if i := len(r.inputs); i < len(r.most) {
		most = r.most[i]
	}
	return min(max(firstWords, stored, most+most/2), mostWords)
}

// call calls f with a rapid.T that reads the numbers. It returns the number of numbers
// that were not read. ok is false if f rejected what it drew or ran out of numbers.
func (g *generators) call(numbers []uint64, f func(*rapid.T)) (left int, ok bool) {
	if !g.opened {
		g.open()
	}
	if g.numbers == nil {
		return g.callViaFuzz(numbers, f)
	}
	*g.numbers = numbers
	if g.groups != nil {
		g.groups.data, g.groups.list, g.groups.persist = g.groups.data[:0], g.groups.list[:0], g.notes
	}
	defer func() {
		if ok {
			return
		}
		left = len(*g.numbers)
		if v := recover(); v != nil && !isInvalid(v) {
			panic(v)
		}
	}()
	f(g.engine)
	return len(*g.numbers), true
}

// open calls MakeFuzz once and stores its rapid.T in g.engine.
func (g *generators) open() {
	g.opened = true
	viaFuzz([]byte{0, 0}, func(rt *rapid.T) { g.engine = rt })
	g.numbers, g.groups = numbersOf(g.engine)
}

// A Part is a range of words that one rapid generator has read. The words belong to
// draw number Draw. They begin at index At and end before index End.
type Part struct {
	Draw, At, End int
	// Of is rapid's label of the generator. It is "" if rapid has discarded the words.
	Of string
	// Element is set if the generator draws elements of a list. The first word of the Part
	// says that another element follows. The word that ends the list is a separate Part,
	// also with Element set.
	Element bool
}

// keepParts records the parts of the current draw if the plan asks for parts. from is
// the number of the first word that the generator has read.
func (r *Runner) keepParts(from int) {
	g := r.generators.groups
	if !r.plan.Parts || g == nil {
		return
	}
	for _, p := range g.list {
		switch part := (Part{Draw: len(r.inputs), At: from + p.begin, End: from + p.end}); {
		case p.discard:
			r.parts = append(r.parts, part)
		case p.standalone && p.end > p.begin:
			part.Of, part.Element = p.label, strings.HasSuffix(p.label, "@repeat")
			r.parts = append(r.parts, part)
		}
	}
}

// callViaFuzz returns what call returns, but calls rapid.MakeFuzz. It is for versions
// of rapid whose fields are unknown.
func (g *generators) callViaFuzz(numbers []uint64, f func(*rapid.T)) (left int, ok bool) {
	g.bytes = g.bytes[:0]
	for _, n := range numbers {
		g.bytes = binary.LittleEndian.AppendUint64(g.bytes, n)
	}
	viaFuzz(g.bytes, func(rt *rapid.T) {
		defer func() {
			if ok {
				return
			}
			if v := recover(); v != nil && !isInvalid(v) {
				panic(v)
			}
			left = remaining(rt)
		}()
		f(rt)
		left, ok = remaining(rt), true
	})
	return left, ok
}

// remaining reads all numbers that a rapid.T has left, and returns how many it read.
func remaining(rt *rapid.T) (n int) {
	defer func() {
		if v := recover(); !isInvalid(v) {
			panic(v)
		}
	}()
	for {
		rapid.Bool().Draw(rt, "")
		n++
	}
}

// escape is the panic value with which viaFuzz leaves rapid after f has returned. The
// panic keeps rapid from logging the draw.
type escape struct{}

// viaFuzz calls f with a rapid.T that reads input and does not log. A zero testing.T
// suffices: viaFuzz recovers every panic inside MakeFuzz and rethrows it outside, so
// rapid never reports one.
func viaFuzz(input []byte, f func(*rapid.T)) {
	var thrown any
	rapid.MakeFuzz(func(rt *rapid.T) {
		defer func() { thrown = recover() }()
		rapid.Custom(func(inner *rapid.T) int {
			f(inner)
			panic(escape{})
		}).Draw(rt, "")
	})(&testing.T{}, input)
	if thrown != any(escape{}) {
		panic(thrown)
	}
}

// numbersOf returns pointers to two fields of a rapid.T: the numbers that rt reads,
// and the record of which generator read which numbers. A pointer is nil if the field
// has a different layout in this version of rapid.
func numbersOf(rt *rapid.T) (*[]uint64, *groups) {
	stream := reflect.ValueOf(rt).Elem().FieldByName("s")
	if stream.Kind() != reflect.Interface || stream.Elem().Kind() != reflect.Pointer {
		return nil, nil
	}
	stream = stream.Elem().Elem()
	if stream.Kind() != reflect.Struct || stream.Type().Name() != "bufBitStream" {
		return nil, nil
	}
	buf := stream.FieldByName("buf")
	if !buf.IsValid() || buf.Type() != reflect.TypeFor[[]uint64]() {
		return nil, nil
	}
	numbers := (*[]uint64)(unsafe.Pointer(buf.UnsafeAddr()))
	recorded := stream.FieldByName("recordedBits")
	if !recorded.IsValid() || !isLike(recorded.Type(), reflect.TypeFor[groups]()) {
		return numbers, nil
	}
	return numbers, (*groups)(unsafe.Pointer(recorded.UnsafeAddr()))
}

// isLike reports whether types a and b have the same layout in memory.
func isLike(a, b reflect.Type) bool {
	switch {
	case a.Kind() != b.Kind() || a.Size() != b.Size():
		return false
	case a.Kind() == reflect.Slice:
		return isLike(a.Elem(), b.Elem())
	case a.Kind() != reflect.Struct:
		return a == b
	case a.NumField() != b.NumField():
		return false
	}
	for i := range a.NumField() {
		if f, o := a.Field(i), b.Field(i); f.Offset != o.Offset || !isLike(f.Type, o.Type) {
			return false
		}
	}
	return true
}

// isInvalid reports whether v is the panic value of a rapid draw that found no value
// or ran out of numbers. Its type is unexported in rapid.
func isInvalid(v any) bool { return v != nil && reflect.TypeOf(v).String() == "rapid.invalidData" }

// isRapids reports whether v is a panic value that ends a rapid test.
func isRapids(v any) bool {
	return isInvalid(v) || v != nil && reflect.TypeOf(v).String() == "rapid.stopTest"
}
