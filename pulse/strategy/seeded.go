package strategy

import (
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/schedule"
)

// A Seeded decides what a schedule leaves open, or whatever else a strategy
// is given that says a part only. Seed zero is plain order: no message is
// preferred, nothing goes wrong.
type Seeded struct {
	source // of choices
	key    uint64
	plain  bool
}

// Begin makes all that follows follow from a seed.
func (s *Seeded) Begin(seed uint64) {
	s.plain = seed == 0
	s.seed(seed)
	s.key = s.next()
}

// Priority returns that of the message with an identity. It depends on
// nothing else in the run.
func (s *Seeded) Priority(id uint64) uint64 {
	if s.plain {
		return schedule.Plain
	}
	return hash.Mix(s.key ^ id)
}

// Choose answers a question: evenly if it is the program's own, else mostly by zero.
func (s *Seeded) Choose(k choice.Kind, n int) int {
	if s.plain {
		return 0
	}
	return s.choose(k, n)
}
