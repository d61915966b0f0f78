package trial

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// EachOrder runs a property as planned, once for each possible sequence of decisions, and calls f
// with each result and the probability of that run if each decision is random. It makes at most
// the given number of runs, and reports whether these were all.
//
// EachOrder is slow and uses no reduction. Tests compare reductions and shrinkers with it.
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

// slowly enumerates all sequences of decisions. Decision i is digits[i], one of of[i] alternatives.
type slowly struct{ digits, of []int }

// A slowRun is a strategy that makes the decisions of slowly. The next decision is number at.
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
