package strategy

import (
	"math/bits"

	"github.com/jostle-go/jostle/pulse/choice"
)

// A source is splitmix64 (Steele, Lea and Flood, OOPSLA 2014): one word of
// state, a few instructions a number.
type source struct{ state uint64 }

const gamma = 0x9e3779b97f4a7c15

func (s *source) seed(seed uint64) { s.state = mix(seed + gamma) }

func (s *source) next() uint64 {
	s.state += gamma
	return mix(s.state)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1. Its bias is below n/2⁶⁴.
func (s *source) below(n int) int {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int(hi)
}

// faultRate is one in how many times a fault that may happen does. Faults
// have budgets; a rate much higher would spend them in the first steps.
const faultRate = 16

// choose answers a question without looking at it: program choices evenly,
// faults and early timers rarely.
func (s *source) choose(k choice.Kind, n int) int {
	rare := k.IsFault() || k == choice.Clock
	if rare && s.below(faultRate) != 0 {
		return 0
	}
	if rare {
		return 1 + s.below(n-1)
	}
	return s.below(n)
}
