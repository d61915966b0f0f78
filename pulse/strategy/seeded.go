package strategy

import (
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// A Seeded makes the decisions that a schedule, or another part of a plan,
// leaves open. Seed zero means plain order without faults.
type Seeded struct {
	source // of choices
	key    uint64
	plain  bool
}

// Begin sets the seed for all priorities and answers.
func (s *Seeded) Begin(seed uint64) {
	s.plain = seed == 0
	s.seed(seed)
	s.key = s.next()
}

// Priority returns the priority of the message with an identity. It depends
// only on the seed and the identity.
func (s *Seeded) Priority(id uint64) uint64 {
	if s.plain {
		return choice.Plain
	}
	return hash.Mix(s.key ^ id)
}

// Choose answers a question of the program uniformly, and other questions
// mostly with zero.
func (s *Seeded) Choose(k choice.Kind, n int) int {
	if s.plain {
		return 0
	}
	return s.choose(k, n)
}
