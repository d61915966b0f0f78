package shrink

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// The limits of descents.
const (
	mostDescent  = 400 // the maximum number of runs of one descent
	descending   = 8   // the effort of a descent
	mostDescents = 2   // the maximum number of descents from the runs of one search
)

// descend makes a failing run smaller that may be larger than the best run. It uses the cheap passes
// alone, and draws only if the order alone makes the run nearly as small as the best run. It reports
// whether the result became the best run.
func (x *shrinker) descend(out *Outcome) bool {
	if x.over() {
		return false
	}
	y := newShrinker(x.ctx, x.subject, *out, Options{Runs: x.within(mostDescent)})
	y.parts, y.met = x.parts, x.met
	if x.options.Progress != nil {
		y.options.Progress = func(p Progress) { x.options.Progress(Progress{x.Runs + p.Runs, x.from, x.Best.Steps}) }
	}
	for l := &inOrder; !y.over(); {
		taken := y.Taken
		if y.round(l); y.Taken > taken {
			continue
		}
		if l == &falling || x.fallen[y.Best.program()] || y.Best.External > x.Best.External+1 || 4*y.Best.Steps > 5*x.Best.Steps+8 {
			break
		}
		l = &falling
		x.fallen[y.Best.program()] = true
	}
	x.Runs += y.Runs
	x.Others = append(x.Others, y.Others...)
	return x.take(y.Best)
}

// The levels of a descent.
var (
	inOrder = level{[]func(*shrinker){later, order, answers}, quickEffort, true}
	falling = level{[]func(*shrinker){later, order, draws, answers}, descending, true}
)

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

// simpler sets draws to simpler values, and descends from the runs that fail with them.
func simpler(x *shrinker) {
	shrunk := x.shrunk
	for i := 0; i < len(x.Best.Case.Inputs); i++ {
		for _, list := range x.simplerDraws(i) {
			out, alike := x.run(Case{list, x.Best.Case.Schedule})
			if alike {
				x.take(out)
			}
			key := out.program()
			if out.Void || key == x.Best.program() || x.plunged[key] >= x.effort {
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

// The limits of afresh.
const (
	mostAfresh = 6    // the maximum number of calls to Subject.Afresh
	freshRuns  = 1000 // the maximum number of runs of such a call
)

// afresh descends from other failing runs, with other draws. Often they lead to a smaller run than
// the given one. With little effort it calls Subject.Afresh once, and else until that is no use.
func afresh(x *shrinker) {
	for shrunk := x.shrunk; x.afresh < mostAfresh && x.shrunk == shrunk && !x.over(); {
		found, made := x.subject.Afresh(x.afresh, x.Best.Signature, x.within(freshRuns), x.meet)
		x.Runs += made
		x.afresh++
		for i := 0; i < len(found) && x.shrunk == shrunk && !x.over(); i++ {
			out := found[i].Clone()
			x.descend(&out)
		}
		if len(found) == 0 {
			x.afresh = mostAfresh
		}
		if x.effort < fullEffort {
			return
		}
	}
}
