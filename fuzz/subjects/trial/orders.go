package trial

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// EachOrder runs a property as planned, but in every order and with all answers, each from its
// start, and calls f with each run. Chance is the probability of that run if each decision is
// made at random. EachOrder reports whether at most so many runs were all.
//
// It is slow and knows no reduction: tests compare reductions and shrinkers with it.
func EachOrder(r *props.Runner, plan props.Plan, most int, f func(res *props.Result, chance float64)) bool {
	by := &slowRun{slowly: &slowly{}}
	plan.Strategy = by
	for range most {
		res := r.Run(plan)
		n, chance := len(by.digits), 1.0
		for _, of := range by.of[:n] {
			chance /= float64(of)
		}
		f(&res, chance)
		for n > 0 && by.digits[n-1]+1 == by.of[n-1] {
			n--
		}
		if by.digits, by.of = by.digits[:n], by.of[:n]; n == 0 {
			return true
		}
		by.digits[n-1]++
	}
	return false
}

// slowly is a strategy that makes other decisions in each run until it has made all.
type slowly struct{ digits, of []int }

// A slowRun is the place of slowly in a run.
type slowRun struct {
	*slowly
	at int
}

func (s *slowRun) Begin(uint64)                    { s.at = 0 }
func (s *slowRun) Pick(e *pulse.Enabled) int       { return s.next(e.Len()) }
func (s *slowRun) Choose(_ choice.Kind, n int) int { return s.next(n) }

func (s *slowRun) next(n int) int {
	if s.at == len(s.digits) {
		s.digits, s.of = append(s.digits, 0), append(s.of, n)
	}
	s.at++
	return s.digits[s.at-1]
}
