package choice

// Word returns number n, from 0, of those that the draw's generator reads:
// first Words, then what splitmix64 gives from Seed (Steele, Lea and Flood,
// OOPSLA 2014). A stored case depends on these numbers: they never change.
func (in *Input) Word(n int) uint64 {
	if n < len(in.Words) {
		return in.Words[n]
	}
	z := in.Seed + uint64(n-len(in.Words)+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
