package choice

import "github.com/jostle-go/jostle/pulse/hash"

// An Input is one draw of a property. Its generator reads the numbers in Words, and then
// numbers derived from Seed.
type Input struct {
	Label string
	Seed  uint64
	Words []uint64
}

// Word returns the number at index n that the generator reads: first Words, then the
// numbers of hash.Splitmix from Seed.
func (in *Input) Word(n int) uint64 {
	if n < len(in.Words) {
		return in.Words[n]
	}
	return hash.Nth(in.Seed, uint64(n-len(in.Words)))
}

// CloneInputs returns a deep copy of a list.
func CloneInputs(list []Input) []Input {
	c := make([]Input, len(list))
	for i, in := range list {
		c[i] = Input{in.Label, in.Seed, append([]uint64(nil), in.Words...)}
	}
	return c
}
