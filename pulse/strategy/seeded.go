package strategy

import "github.com/jostle-go/jostle/pulse/choice"

// A seeded decides what a draft or a schedule leaves open. Seed zero is plain
// order: no message is preferred, nothing goes wrong.
type seeded struct {
	source // of choices
	key    uint64
	plain  bool
}

func (s *seeded) begin(seed uint64) {
	s.plain = seed == 0
	s.seed(seed)
	s.key = s.next()
}

// priority returns that of the message with an identity. It depends on
// nothing else in the run.
func (s *seeded) priority(id uint64) uint64 {
	if s.plain {
		return choice.Plain
	}
	return choice.Mix(s.key ^ id)
}

func (s *seeded) choose(k choice.Kind, n int) int {
	if s.plain {
		return 0
	}
	return s.source.choose(k, n)
}
