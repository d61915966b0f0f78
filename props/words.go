package props

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// words is the sequence of random numbers that one draw reads: first the given
// numbers, then numbers generated from a seed. It is a random source for gopter and
// x/exp/rand.
type words struct {
	given   []uint64
	read    int // the number of given words that were read
	reads   int // the number of all words that were read, both given and generated
	state   uint64
	endless int // the number of times that the draw exceeded mostWords
	left    int // the number of words that may still be read, plus one; 0 for no limit

	rapid *rapid.T // if not nil, the seed is drawn from rapid when first needed
	label string
}

// begin sets w to the words of an input. It sets each field separately, which is
// faster.
func (w *words) begin(in choice.Input, rt *rapid.T) {
	w.given, w.state, w.rapid, w.label = in.Words, in.Seed, rt, in.Label
	w.read, w.reads, w.endless, w.left = 0, 0, 0, 0
}

// seeded draws the seed from rapid if this is a run under rapid and the seed was
// not drawn before.
func (w *words) seeded() {
	if rt := w.rapid; rt != nil {
		w.rapid = nil
		w.state = rapid.Uint64().Draw(rt, w.label)
	}
}

// tooMany is the panic value of Uint64 if a draw reads more words than it may.
type tooMany struct{}

// bounded calls a generator that may read mostWords words. ok is false if the
// generator reads more.
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
			w.left = 1 // the next call panics too, even if the generator recovers from this panic
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

// list appends the next n words to a list. It must not be used inside bounded or
// under rapid.
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

// rewind sets w back to an earlier position, which read, reads and state describe.
func (w *words) rewind(read, reads int, state uint64) { w.read, w.reads, w.state = read, reads, state }

// skip reads and discards n words.
func (w *words) skip(n int) {
	for range n {
		w.Uint64()
	}
}

// Seed discards the given words. All further words are generated from seed. The
// interface of random sources requires this method.
func (w *words) Seed(seed uint64) { *w = words{state: seed} }

// gopterWords adapts words to math/rand, which gopter uses.
type gopterWords struct{ *words }

// Int63 returns the next number without its last bit.
func (g gopterWords) Int63() int64 { return int64(g.Uint64() >> 1) }

// Seed does nothing, because the draw determines the words.
func (gopterWords) Seed(int64) {}
