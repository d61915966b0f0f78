package choice

import "github.com/jostle-go/jostle/pulse/hash"

// An Input is one draw of a property. The generator of the draw first reads the numbers in
// Words, and then numbers derived from Seed.
type Input struct {
	Label string
	Seed  uint64
	Words []uint64
}

// Word returns number n, counted from 0, of the numbers that the generator reads. These are
// the numbers in Words, and then the numbers that hash.Splitmix generates from Seed.
func (in *Input) Word(n int) uint64 {
	if n < len(in.Words) {
		return in.Words[n]
	}
	return hash.Nth(in.Seed, uint64(n-len(in.Words)))
}

// CloneInputs returns a deep copy of a list of inputs.
func CloneInputs(list []Input) []Input {
	c := make([]Input, len(list))
	for i, in := range list {
		c[i] = Input{in.Label, in.Seed, append([]uint64(nil), in.Words...)}
	}
	return c
}
