package props

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// A generators draws from generators of rapid, which work only under rapid's
// own engine.
//
// rapid.MakeFuzz enters that engine with numbers to draw from: as bytes, with a
// testing.T that it only reports to. A call costs some 5 µs, most of it spent in
// testing.T.Helper. So MakeFuzz is called once, and the rapid.T of a Custom generator
// inside it is kept. The numbers of each draw are put into the unexported field that
// this rapid.T reads. If a future rapid has no such field, each draw calls MakeFuzz;
// the values are the same.
type generators struct {
	kept    *rapid.T
	numbers *[]uint64 // the field that kept reads; nil when rapid has no such field
	groups  *groups   // which numbers kept read for what; nil when rapid has no such field
	notes   bool      // whether groups are recorded
	opened  bool
	buffer  []uint64
	bytes   []byte
}

// A groups is rapid's recordedBits: which numbers were read for what.
type groups struct {
	data    []uint64
	list    []group
	dataLen int
	persist bool // whether groups are recorded
}

// A group is rapid's groupInfo.
type group struct {
	begin, end          int
	label               string
	standalone, discard bool
}

// A draw is first given at least firstWords numbers, at least all that are stored for
// it, and at least 1.5 times as many as it read in the last runs. If they do not
// suffice, the draw is repeated with eight times as many, up to mostWords. How many
// it is given does not change its value.
const (
	firstWords = 16
	mostWords  = firstWords << 12
)

// underRapid calls f with a rapid.T that reads the words of a draw, and reports
// whether f found a value. If it did not, w stands at the first word that f has
// not read.
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

// firstSize returns how many numbers the current draw is given at first, at least as
// many as are stored. Repeating a draw takes a panic, which costs more than a few
// numbers too many.
func (r *Runner) firstSize(stored int) int {
	most := 0
	if i := len(r.inputs); i < len(r.most) {
		most = r.most[i]
	}
	return min(max(firstWords, stored, most+most/2), mostWords)
}

// call calls f with a rapid.T that reads the numbers. It returns how many were not
// read, and whether f returned. If f did not return, it rejected what it drew or ran
// out of numbers.
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
	f(g.kept)
	return len(*g.numbers), true
}

// open calls MakeFuzz once and keeps its rapid.T.
func (g *generators) open() {
	g.opened = true
	viaFuzz([]byte{0, 0}, func(rt *rapid.T) { g.kept = rt })
	g.numbers, g.groups = numbersOf(g.kept)
}

// A Part is the part of a draw that one generator has read: the words from At to End
// of draw Draw.
type Part struct {
	Draw, At, End int
	// Of names the generator, or what it repeats. It is "" for words that were read
	// and then discarded.
	Of string
	// Element reports that the part is a list element, including the number before
	// it that announces it. The number that ends a list is an Element of its own.
	Element bool
}

// keepParts keeps the parts of the current draw, if the plan wants them. From is the
// first word that the generator read.
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

// callViaFuzz is call by way of MakeFuzz, for a rapid whose fields are unknown.
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

// remaining reads the numbers that a rapid.T has left and returns their count.
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

// escape is the panic value with which viaFuzz leaves rapid after f has returned, so
// that rapid does not log the draw.
type escape struct{}

// viaFuzz calls f with a rapid.T that reads input and does not log. An empty
// testing.T suffices: each panic is recovered inside MakeFuzz and thrown again
// outside, so that rapid never reports one.
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

// numbersOf returns two fields of a rapid.T: the numbers that it reads, and its
// record of which it read for what. Each is nil if this version of rapid has another
// layout.
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

// isLike reports whether two types have the same layout in memory.
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

// isInvalid reports whether v is the panic by which rapid ends a draw that found
// no value or ran out of numbers. Its type is unexported in rapid.
func isInvalid(v any) bool { return v != nil && reflect.TypeOf(v).String() == "rapid.invalidData" }

// isRapids reports whether v is a panic by which rapid ends a test.
func isRapids(v any) bool {
	return isInvalid(v) || v != nil && reflect.TypeOf(v).String() == "rapid.stopTest"
}
