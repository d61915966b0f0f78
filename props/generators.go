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
// rapid.MakeFuzz is the entry of that engine that takes the numbers to draw
// from: as bytes, with a testing.T that it only reports to. A call costs some
// 5 µs, most of it spent in testing.T.Helper. So MakeFuzz is called once, the
// rapid.T of a Custom generator inside it is kept, and the numbers of each draw
// are put into the unexported field that this rapid.T reads. If a future rapid
// has no such field, each draw calls MakeFuzz; the values are the same.
type generators struct {
	kept    *rapid.T
	numbers *[]uint64 // the field that kept reads; nil when rapid has no such field
	groups  *groups   // what kept notes of its draws; nil when rapid has no such field
	notes   bool      // whether it is to do so
	opened  bool
	buffer  []uint64
	bytes   []byte
}

// A groups is rapid's recordedBits: which numbers were read for what.
type groups struct {
	data    []uint64
	list    []group
	dataLen int
	persist bool // whether it notes anything
}

// A group is rapid's groupInfo.
type group struct {
	begin, end          int
	label               string
	standalone, discard bool
}

// A draw is first given firstWords numbers, or as many as are stored for it, or half
// as many again as the same draw of the last runs has read. If they do not suffice it is made
// again with eight times as many, up to mostWords. How many it is given does not change
// its value.
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

// firstSize returns how many numbers the current draw is given at first, of which some
// are stored. To be made again, by a panic, costs a draw more than a few numbers too many.
func (r *Runner) firstSize(stored int) int {
	most := 0
	if i := len(r.inputs); i < len(r.most) {
		most = r.most[i]
	}
	return min(max(firstWords, stored, most+most/2), mostWords)
}

// call calls f with a rapid.T that reads the numbers. It returns how many of them
// were not read, and whether f returned: it may have rejected what it drew, or have
// run out of numbers.
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

// A Part is a part of a draw that one generator has read: the words from At to End
// of draw Draw.
type Part struct {
	Draw, At, End int
	// Of names the generator, or what it repeats. It is "" for words that were read
	// and then thrown away.
	Of string
	// Element reports that it is one element of a list with the number before it that
	// says that there is one; or that number alone which says that there is none.
	Element bool
}

// keepParts keeps the parts of the current draw, if the plan wants them. Its generator
// read from a word on.
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

// callViaFuzz is call by way of MakeFuzz.
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

// escape is the value of the panic by which viaFuzz leaves rapid once f has
// returned, so that rapid does not log the draw.
type escape struct{}

// viaFuzz calls f with a rapid.T that reads input and does not log. An empty
// testing.T will do: each panic is recovered inside MakeFuzz and thrown again
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

// numbersOf returns the field from which a rapid.T reads its numbers and that in which
// it notes which it has read for what, each nil if this version of rapid has another
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
