package props

import (
	"encoding/binary"
	"reflect"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// generators is the way into rapid's generators, which can be used but under
// rapid's own engine.
//
// The engine's entry for fuzzing, MakeFuzz, is one that can be given the
// numbers to draw from: as bytes, with a testing.T that it uses to report
// only. Each time through it costs some 5 µs, most of it for looking at stacks
// in testing.T.Helper. So we go through once, keep the rapid.T that a Custom
// generator is given inside, and put each draw's numbers where that rapid.T
// reads them: in a field that is rapid's own. When rapid has no such field any
// more, each draw goes through MakeFuzz; what is drawn is the same.
type generators struct {
	kept    *rapid.T
	numbers *[]uint64 // what kept reads; nil when rapid is built otherwise
	opened  bool
	buffer  []uint64
	bytes   []byte
}

// firstWords is how many numbers a draw is offered first, mostWords at most.
// One that runs out is made again with eight times as many.
const (
	firstWords = 16
	mostWords  = firstWords << 12
)

// underRapid calls f with a rapid.T that reads a draw's words, and says
// whether f came to a value. If not, the words go on where f stopped.
func (r *Runner) underRapid(w *words, f func(*rapid.T)) bool {
	if r.rapid != nil {
		f(r.rapid)
		return true
	}
	g := &r.generators
	start := *w
	for size := firstWords; ; size *= 8 {
		*w = start
		g.buffer = w.list(g.buffer[:0], size)
		left, ok := g.call(g.buffer, f)
		if ok {
			return true
		}
		if left > 0 {
			*w = start
			w.skip(size - left)
			return false
		}
		if size >= mostWords {
			w.endless = start.endless + 1
			return false
		}
	}
}

// call calls f with a rapid.T that reads the numbers. It says whether f
// returned, rather than reject what it drew, and how many numbers are left
// if it did not.
func (g *generators) call(numbers []uint64, f func(*rapid.T)) (left int, ok bool) {
	if !g.opened {
		g.open()
	}
	if g.numbers == nil {
		return g.callThrough(numbers, f)
	}
	*g.numbers = numbers
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
	return 0, true
}

// open goes through MakeFuzz once and keeps what is needed.
func (g *generators) open() {
	g.opened = true
	through([]byte{0, 0}, func(rt *rapid.T) { g.kept = rt })
	g.numbers = numbersOf(g.kept)
}

// callThrough is call that goes through MakeFuzz.
func (g *generators) callThrough(numbers []uint64, f func(*rapid.T)) (left int, ok bool) {
	g.bytes = g.bytes[:0]
	for _, n := range numbers {
		g.bytes = binary.LittleEndian.AppendUint64(g.bytes, n)
	}
	through(g.bytes, func(rt *rapid.T) {
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
		ok = true
	})
	return left, ok
}

// remaining counts the numbers that a rapid.T has left, and takes them.
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

// past is what through panics with once f has returned: the panic passes by
// the code with which rapid would log the draw.
type past struct{}

// through calls f with a rapid.T that reads input and does not log. Nothing in
// the testing.T is used, because every panic is taken here and thrown again
// outside.
func through(input []byte, f func(*rapid.T)) {
	var thrown any
	rapid.MakeFuzz(func(rt *rapid.T) {
		defer func() { thrown = recover() }()
		rapid.Custom(func(inner *rapid.T) int {
			f(inner)
			panic(past{})
		}).Draw(rt, "")
	})(&testing.T{}, input)
	if thrown != any(past{}) {
		panic(thrown)
	}
}

// numbersOf finds where a rapid.T reads its numbers, nil if not where it was
// when this was written.
func numbersOf(rt *rapid.T) *[]uint64 {
	stream := reflect.ValueOf(rt).Elem().FieldByName("s")
	if stream.Kind() != reflect.Interface || stream.Elem().Kind() != reflect.Pointer {
		return nil
	}
	stream = stream.Elem().Elem()
	if stream.Kind() != reflect.Struct || stream.Type().Name() != "bufBitStream" {
		return nil
	}
	buf := stream.FieldByName("buf")
	if !buf.IsValid() || buf.Type() != reflect.TypeFor[[]uint64]() {
		return nil
	}
	return (*[]uint64)(unsafe.Pointer(buf.UnsafeAddr()))
}

// isInvalid says whether a panic is how rapid says that a generator found
// nothing, or ran out of numbers. The type is rapid's own.
func isInvalid(v any) bool { return v != nil && reflect.TypeOf(v).String() == "rapid.invalidData" }

// isRapids says whether a panic is one of those by which rapid ends a test.
func isRapids(v any) bool {
	return isInvalid(v) || v != nil && reflect.TypeOf(v).String() == "rapid.stopTest"
}
