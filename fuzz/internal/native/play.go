package native

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Play returns the strategy of a draft: of the deliverable messages comes the one with the
// highest priority, the oldest where there are several. The priority of the
// i-th message that was sent is byte i of the draft; where the bytes are used
// up it follows from the draft's seed and the message's identity. Questions
// are answered likewise. The seed that the run is given does not matter.
//
// The draft is read anew as each run begins, and must stay as it is until that
// run is over.
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

// Needs has identities computed. In a run that is recorded a slot is a message's
// place in the order of sending.
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

// of returns the priority of message i.
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
