package props

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// words are the numbers that one draw reads: first the given ones, then any number
// that follow from a seed. They are a source for gopter and x/exp/rand.
type words struct {
	given   []uint64
	read    int // how many of given were read
	reads   int // how many numbers were read, given or not
	state   uint64
	endless int // how often the draw wanted more than mostWords numbers
	left    int // if not 0, one more than the count of numbers that may still be read

	rapid *rapid.T // when not nil, the seed is drawn from it when first needed
	label string
}

// begin makes w the numbers of an input. It sets each field by itself, which is
// fastest.
func (w *words) begin(in choice.Input, rt *rapid.T) {
	w.given, w.state, w.rapid, w.label = in.Words, in.Seed, rt, in.Label
	w.read, w.reads, w.endless, w.left = 0, 0, 0, 0
}

// seeded draws the seed under rapid, if that was not done yet.
func (w *words) seeded() {
	if rt := w.rapid; rt != nil {
		w.rapid = nil
		w.state = rapid.Uint64().Draw(rt, w.label)
	}
}

// tooMany is the panic value that ends a generator after its last allowed number.
type tooMany struct{}

// bounded calls a generator that may read mostWords numbers. It returns false
// when the generator wants more.
func (w *words) bounded(generate func() (any, bool)) (v any, ok bool) {
	w.left = mostWords + 1
	defer func() {
		w.left = 0
		if p := recover(); p == any(tooMany{}) {
			w.endless++
			v, ok = nil, false
		} else if p != nil {
			panic(p)
		}
	}()
	return generate()
}

// Uint64 returns the next number.
func (w *words) Uint64() uint64 {
	if w.left > 0 {
		if w.left--; w.left == 0 {
			w.left = 1 // also for a generator that recovers
			panic(tooMany{})
		}
	}
	w.reads++
	if w.read < len(w.given) {
		w.read++
		return w.given[w.read-1]
	}
	if w.rapid != nil {
		w.seeded()
	}
	return hash.Splitmix(&w.state)
}

// list appends the next n numbers to a list. It is not for words that are bounded or
// drawn from rapid.
func (w *words) list(to []uint64, n int) []uint64 {
	given := w.given[w.read:]
	given = given[:min(n, len(given))]
	w.read += len(given)
	w.reads += n
	to = slices.Grow(append(to, given...), n-len(given))
	for range n - len(given) {
		to = append(to, hash.Splitmix(&w.state))
	}
	return to
}

// rewind resets w to an earlier position.
func (w *words) rewind(read, reads int, state uint64) { w.read, w.reads, w.state = read, reads, state }

// skip reads n numbers.
func (w *words) skip(n int) {
	for range n {
		w.Uint64()
	}
}

// Seed makes all further numbers follow from a seed, as the source interface
// requires.
func (w *words) Seed(seed uint64) { *w = words{state: seed} }

// gopterWords adapts words to math/rand, which gopter uses.
type gopterWords struct{ *words }

// Int63 returns the next number without its last bit.
func (g gopterWords) Int63() int64 { return int64(g.Uint64() >> 1) }

// Seed does nothing: the draw decides the numbers.
func (gopterWords) Seed(int64) {}
