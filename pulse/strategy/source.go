package strategy

import (
	"math/bits"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// A source is a stream of random numbers from hash.Splitmix.
type source struct{ state uint64 }

func (s *source) seed(seed uint64) { s.state = hash.Splitmix(&seed) }

func (s *source) next() uint64 { return hash.Splitmix(&s.state) }

// below returns a random number from 0 to n-1. Its bias is less than n/2⁶⁴.
func (s *source) below(n int) int {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int(hi)
}

// faultRate is the inverse of the probability that a possible fault occurs. With a
// much higher probability, the fault budgets would be used up in the first steps.
const faultRate = 16

// choose draws the result of the program's Choose uniformly. Choices about faults
// and early timers are mostly zero.
func (s *source) choose(k choice.Kind, n int) int {
	rare := k.IsRare()
	if rare && s.below(faultRate) != 0 {
		return 0
	}
	if rare {
		return 1 + s.below(n-1)
	}
	return s.below(n)
}

// few is the number of deliverable messages up to which it is faster to check all
// messages than to track changes.
const few = 12
