package shrink

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// The limits of descents.
const (
	mostDescent  = 400 // the maximum number of runs of one descent
	mostDescents = 4   // the maximum number of descents from the runs of one search
)

// descend makes a failing run smaller that may be larger than the best run. It uses the cheap passes
// alone. It reports whether the result became the best run.
func (x *shrinker) descend(out *Outcome) bool {
	if x.over() {
		return false
	}
	y := newShrinker(x.ctx, x.subject, *out, Options{Runs: x.within(mostDescent)})
	y.parts, y.met = x.parts, x.met
	if x.options.Progress != nil {
		y.options.Progress = func(p Progress) { x.options.Progress(Progress{x.Runs + p.Runs, x.from, x.Best.Steps}) }
	}
	for taken := -1; y.Taken > taken && !y.over(); {
		taken = y.Taken
		y.round(&cheap)
	}
	x.Runs += y.Runs
	x.Others = append(x.Others, y.Others...)
	return x.take(y.Best)
}

// plunge searches failing orders of the given draws of any size, and descends from some of them. It
// reports whether the best run became smaller.
func (x *shrinker) plunge(inputs []choice.Input, runs int) bool {
	if x.over() {
		return false
	}
	near := x.Best
	near.External, near.Steps = math.MaxInt, math.MaxInt
	found, made, _ := x.subject.Search(inputs, x.Best.Signature, &near, x.within(runs), x.meet)
	x.Runs += made
	found = slices.Clone(found)
	for i := range found {
		found[i] = found[i].Clone()
	}
	shrunk := x.shrunk
	for i := range found[:min(len(found), mostDescents)] {
		if x.descend(&found[i]); x.shrunk > shrunk {
			return true
		}
	}
	return false
}

// restarts descends from random failing orders of the best program.
func restarts(x *shrinker) {
	for program := x.Best.program(); !x.over() && x.restarted[program] < x.effort; {
		x.restarted[program] = x.effort
		x.plunge(x.Best.Case.Inputs, 8*x.effort)
	}
}

// simpler sets draws to simpler values, and descends from the runs that fail with them.
func simpler(x *shrinker) {
	shrunk := x.shrunk
	for i := 0; i < len(x.Best.Case.Inputs); i++ {
		for _, list := range x.simplerDraws(i) {
			key := inputKey(list)
			if x.plunged[key] >= x.effort {
				continue
			}
			x.plunged[key] = x.effort
			if x.plunge(list, x.effort); x.over() || x.shrunk > shrunk {
				return
			}
		}
	}
}

func (x *shrinker) simplerDraws(i int) (all [][]choice.Input) {
	best := x.Best.Case.Inputs
	add := func(change func(in *choice.Input)) {
		list := choice.CloneInputs(best)
		change(&list[i])
		if compareInputs(list, best) < 0 {
			all = append(all, list)
		}
	}
	add(func(in *choice.Input) { clear(in.Words) })
	parts := x.partsOf(&x.Best)
	for k := range parts {
		if parts[k].Draw == i && parts[k].isNeedless() {
			all = append(all, spliced(best, []splice{{parts[k], nil}}))
		}
	}
	for at, w := range best[i].Words {
		if w > 0 && w < small {
			add(func(in *choice.Input) { in.Words[at] = 0 })
			add(func(in *choice.Input) { in.Words[at]-- })
		}
	}
	return all
}
