package shrink

import "github.com/jostle-go/jostle/pulse/schedule"

// order leaves out constraints: all of them first, then half, a quarter and so on,
// and last one at a time (Zeller's ddmin without its complements: constraints are
// mostly independent of each other).
func order(x *shrinker) {
	best := x.Best
	best.Case = best.Case.Clone()
	if len(best.Case.Schedule.Before) == 0 || x.over() || x.try(unconstrained(&best)) {
		return
	}
	x.reduce(&best)
	x.take(best)
}

func unconstrained(out *Outcome) Case {
	c := out.Case.Clone()
	c.Schedule.Before = []schedule.Constraint{}
	return c
}

// elsewhere looks for other orders of the same draws that are smaller.
func elsewhere(x *shrinker) {
	for x.search(x.Best.Case.Inputs, 10*x.options.RunsPerInput) {
	}
}
