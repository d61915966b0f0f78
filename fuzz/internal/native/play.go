package native

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Play returns the strategy of a draft. It delivers the message with the highest priority;
// the oldest one if several messages have this priority. The priority of the i-th message
// sent is byte i of the draft's Priorities. If Priorities is too short, the priority is
// derived from the draft's seed and the identity of the message. The draft's Answers
// determine all other choices, and the draft's seed does when the Answers are used up. The
// seed of the run has no effect.
//
// Each run reads the draft when it begins. The draft must not change until the run is over.
func Play(d *Draft) pulse.Strategy { return &player{draft: d} }

type player struct {
	strategy.Seeded
	draft   *Draft
	answers answerReader
}

func (s *player) Begin(uint64) {
	s.Seeded.Begin(s.draft.Seed)
	s.answers.Reset(s.draft.Answers)
}

// Needs asks for recording, because in a recorded run the slot of a message is its index
// in the order of sending.
func (s *player) Needs() pulse.Needs { return pulse.Needs{Record: true} }

func (s *player) Pick(e *pulse.Enabled) int {
	best, top := 0, s.of(e, 0)
	for i := 1; i < e.Len(); i++ {
		p := s.of(e, i)
		if p > top || p == top && e.Seq(i) < e.Seq(best) {
			best, top = i, p
		}
	}
	return best
}

// of returns the priority of deliverable message i.
func (s *player) of(e *pulse.Enabled, i int) uint64 {
	if slot := e.Slot(i); slot < len(s.draft.Priorities) {
		return uint64(s.draft.Priorities[slot]) << 56
	}
	return s.Priority(e.ID(i))
}

func (s *player) Choose(k choice.Kind, n int) int {
	if v, ok := s.answers.Next(k, n); ok {
		return v
	}
	return s.Seeded.Choose(k, n)
}
