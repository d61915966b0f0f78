package finding

import (
	"context"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/shrink"
)

// needsEarly reports whether the case has early timers and does not fail with the same
// signature if none are allowed. It returns false if there is no time to find out.
func (s *shrinking) needsEarly(ctx context.Context, best *shrink.Outcome) bool {
	if ctx.Err() != nil {
		return false
	}
	if res := s.run(best.Case); res.System == nil || res.System.Record().Early() == 0 {
		return false
	}
	allowed := s.early
	s.early = pulse.NeverEarly
	res := s.run(best.Case)
	s.early = allowed
	return res.Failure == nil || res.Failure.Signature() != best.Signature
}

// faults returns the number of needed faults of each kind. A fault is needed if the case does
// not fail with the same signature without it. When the time is up, faults returns nil.
func (s *shrinking) faults(ctx context.Context, best *shrink.Outcome) (list []corpus.Need) {
	for _, kind := range [...]choice.Kind{choice.Drop, choice.Duplicate, choice.Delay, choice.Fault} {
		n := 0
		for i, c := range best.Case.Schedule.Choices {
			if c.Kind != kind || c.Value == 0 {
				continue
			}
			without := best.Case.Clone()
			without.Schedule.Choices[i].Value = 0
			if ctx.Err() != nil {
				return nil
			}
			if s.Run(without).Signature != best.Signature {
				n++
			}
		}
		if n > 0 {
			list = append(list, corpus.Need{Kind: kind, N: n})
		}
	}
	return list
}
