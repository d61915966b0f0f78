package choice

// Gamma is what the state of splitmix64 grows by with each number.
const Gamma = 0x9e3779b97f4a7c15

// Splitmix returns the next number of splitmix64 (Steele, Lea and Flood,
// OOPSLA 2014): one word of state, a few instructions. All that is drawn or
// decided at random follows from it, and stored cases depend on its numbers.
func Splitmix(state *uint64) uint64 {
	*state += Gamma
	return Mix(*state)
}

// Mix is the second half of Splitmix: a permutation of the words in which
// each bit depends on every bit.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
