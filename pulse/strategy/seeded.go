package strategy

import (
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// A Seeded makes the decisions that a schedule or a plan leaves open. With seed
// zero it delivers the oldest message first, without faults.
type Seeded struct {
	source // random numbers for choices
	key    uint64
	plain  bool
}

// Begin sets the seed that determines all priorities and choices.
func (s *Seeded) Begin(seed uint64) {
	s.plain = seed == 0
	s.seed(seed)
	s.key = s.next()
}

// Priority returns the priority of the message with identity id. It depends only on
// the seed and the identity.
func (s *Seeded) Priority(id uint64) uint64 {
	if s.plain {
		return choice.Plain
	}
	return hash.Mix(s.key ^ id)
}

// Choose draws the result of the program's Choose uniformly. Choices about faults
// and early timers are mostly zero.
func (s *Seeded) Choose(k choice.Kind, n int) int {
	if s.plain {
		return 0
	}
	return s.choose(k, n)
}
