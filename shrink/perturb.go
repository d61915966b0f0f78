package shrink

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// perturb adds random constraints to the best run, and then removes as many constraints as possible
// in random order. It continues from the result if that is no larger. It finds runs that need fewer
// constraints than all runs that differ in one or two constraints.
func perturb(x *shrinker) {
	if len(x.Best.Case.Schedule.Before) == 0 {
		return
	}
	state, shrunk := hash.Mix(uint64(x.Runs)), x.shrunk
	now := x.Best.Clone()
	for end := x.Runs + perturbRuns*x.effort; x.Runs < end && x.shrunk == shrunk && !x.over(); {
		c := now.Case.Clone()
		for range 1 + below(&state, 2) {
			j := below(&state, len(now.Taken))
			k := below(&state, len(now.Taken))
			c.Schedule.Before = append(c.Schedule.Before, choice.Constraint{First: now.Taken[max(j, k)], Second: now.Taken[min(j, k)]})
		}
		out, alike := x.run(c)
		if !alike || out.External > now.External || out.Steps > now.Steps {
			continue
		}
		out = out.Clone()
		shuffle(out.Case.Schedule.Before, &state)
		x.reduce(&out)
		if slices.Compare(sizeOf(&out), sizeOf(&now)) <= 0 {
			now = out.Clone()
			x.take(out)
		}
	}
}

const perturbRuns = 16

func sizeOf(o *Outcome) []int { s := o.size(); return s[:] }

func shuffle(list []choice.Constraint, state *uint64) {
	for i := range list {
		j := i + below(state, len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}
