package choice

// Word returns number n, from 0, of those that the draw's generator reads:
// first Words, then what splitmix64 gives from Seed (Steele, Lea and Flood,
// OOPSLA 2014). A stored case depends on these numbers: they never change.
func (in *Input) Word(n int) uint64 {
	if n < len(in.Words) {
		return in.Words[n]
	}
	return Mix(in.Seed + uint64(n-len(in.Words)+1)*Gamma)
}
