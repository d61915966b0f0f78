// Package hash is internal to jostle, not for users. It contains hash functions for words
// and strings, the random numbers from which all draws and decisions are derived, and a
// table with hashes as keys.
//
// Stored cases depend on these numbers, so the functions never change.
package hash

import "math/bits"

// Fold mixes two words into one. It combines the halves of a 128-bit product.
func Fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x2d358dccaa6c78a5, b^0x8bb84b93962eacc9)
	return hi ^ lo
}

// String returns a hash of a string: FNV-1a, followed by a Fold with the length.
func String(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return Fold(h, uint64(len(s)))
}

// Gamma is the increment of the state of splitmix64. Multiplication by Gamma spreads small
// numbers over a word.
const Gamma = 0x9e3779b97f4a7c15

// Splitmix returns the next number of splitmix64 (Steele, Lea and Flood, OOPSLA 2014),
// whose state is one word. All random draws and decisions are derived from this generator.
func Splitmix(state *uint64) uint64 {
	*state += Gamma
	return Mix(*state)
}

// Nth returns the result of call number n to Splitmix, counted from 0, if the first call
// gets the given state.
func Nth(state, n uint64) uint64 { return Mix(state + (n+1)*Gamma) }

// Mix is the output function of Splitmix. It is a permutation of the words in which each
// output bit depends on every input bit.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Seed returns a new seed, which is derived from a given seed and the number n.
func Seed(from, n uint64) uint64 {
	z := from*Gamma ^ (n+1)*0xd6e8feb86659fd93
	z = (z ^ z>>32) * 0xd6e8feb86659fd93
	z = (z ^ z>>32) * 0xd6e8feb86659fd93
	return z ^ z>>32
}
