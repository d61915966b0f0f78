package shrink

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// order removes constraints: first all of them, then half, then a quarter and so on, and finally
// one at a time. This is Zeller's ddmin without complements, which are of little use because
// constraints are mostly independent of each other.
func order(x *shrinker) {
	best := x.Best.Clone()
	x.reduce(&best)
	x.take(best)
}

// reduce removes constraints from the case of a failing run, which need not be the best run.
func (x *shrinker) reduce(out *Outcome) {
	for size := len(out.Case.Schedule.Before); size > 0; size /= 2 {
		for at := 0; at < len(out.Case.Schedule.Before) && !x.over(); {
			end := min(at+size, len(out.Case.Schedule.Before))
			if !x.leaveOut(out, at, end, false) && (size > 1 || !x.leaveOut(out, at, end, true)) {
				at += size
			}
		}
	}
}

// leaveOut runs the case of out without the constraints [at, end). It reports whether the run still
// fails and is smaller, and if so, sets out to this run. If link is set and the removed constraint
// is "a before b", leaveOut also replaces each constraint "b before c" by "a before c".
func (x *shrinker) leaveOut(out *Outcome, at, end int, link bool) bool {
	c := out.Case.Clone()
	gone, linked := c.Schedule.Before[at], false
	c.Schedule.Before = slices.Delete(c.Schedule.Before, at, end)
	for i := range c.Schedule.Before {
		if b := &c.Schedule.Before[i]; link && b.First == gone.Second && b.Second != gone.First {
			b.First, linked = gone.First, true
		}
	}
	if link && !linked || x.over() {
		return false
	}
	less, alike := x.run(c)
	if !alike || less.Compare(out) >= 0 {
		return false
	}
	*out = less.Clone()
	return true
}

// later moves deliveries that the failure does not need to the end of the run, behind the delivery
// that was the last one. The run usually fails in that delivery, and then the moved deliveries no
// longer happen. later first moves many deliveries together, then fewer. It does nothing if it has
// failed before for a run with the same draws and deliveries.
func later(x *shrinker) {
	key, taken := x.Best.deliveries(), x.Taken
	if x.unmoved[key] {
		return
	}
	for size := (len(x.Best.Taken) + 1) / 2; size > 0; size /= 2 {
		for end := len(x.Best.Taken) - 1; end > 0 && !x.over(); end -= size {
			c := x.Best.Case.Clone()
			last := x.Best.Taken[len(x.Best.Taken)-1]
			for _, id := range x.Best.Taken[max(0, end-size):end] {
				c.Schedule.Before = append(c.Schedule.Before, choice.Constraint{First: last, Second: id})
			}
			if x.try(c) {
				end = min(end, len(x.Best.Taken)-1+size)
			}
		}
	}
	if x.Taken == taken && !x.over() {
		x.unmoved[key] = true
	}
}

// elsewhere searches for smaller runs with the same draws in other orders.
func elsewhere(x *shrinker) {
	for program := x.Best.program(); !x.over() && x.around[program] < x.effort; {
		taken, all := x.search(x.Best.Case.Inputs, 4*x.effort)
		switch {
		case all:
			x.around[program] = noMore
		case !taken:
			x.around[program] = x.effort
		}
	}
}

// nearestRuns is the number of runs that nearest may make in addition to a multiple of the effort.
const nearestRuns = 200

// nearest searches for failing runs with the same draws and fewer constraints. It tries no
// constraint, then each single constraint, then each pair of constraints and so on. It also moves
// nonzero choices (see moves).
func nearest(x *shrinker) {
	best := x.Best.Clone()
	end := x.Runs + nearestRuns + 5*x.effort
	if len(best.Case.Schedule.Before) == 0 {
		return
	}
	lists := x.moves(best.Case.Schedule.Choices)
	pairs, runs := waits(&best), len(lists)
	for n := range len(best.Case.Schedule.Before) + 1 { // a run with the same number of constraints may have fewer steps
		if x.Runs+runs > end { // trying all combinations of n constraints would take too many runs
			return
		}
		runs *= pairs
		for _, list := range lists {
			c := best.Case.Clone()
			c.Schedule.Before, c.Schedule.Choices = nil, list
			if _, found := x.nearer(c, n, end); found || x.Runs >= end {
				return
			}
		}
	}
}

// never is the identity of a step that never happens. A step that has to wait for such a step
// happens only when no other step is possible.
const never = 0

// nearer runs case c, and then tries c with n additional constraints that the run of c violates. It
// returns the outcome of c without additional constraints, and whether the best run became smaller.
// It ends when x.Runs reaches end.
//
// To find a constraint, nearer runs c with one step delayed as long as possible. In this run, the
// steps before the delayed step are those that it can come after. Of these, nearer tries only
// the steps with the same receiver as the delayed step, and the step just before the delayed
// step. Coming after any other step is nearly the same as coming after the step with the same
// receiver that precedes that other step.
func (x *shrinker) nearer(c Case, n, end int) (out Outcome, found bool) {
	if x.over() || x.Runs >= end {
		return out, false
	}
	shrunk := x.shrunk
	out, alike := x.run(c)
	if alike && x.take(out) && x.shrunk > shrunk {
		return out, true
	}
	out = out.Clone()
	for at := 0; n > 0 && at < len(out.Taken); at++ {
		second := out.Taken[at]
		held, found := x.nearer(waiting(c, never, second), n-1, end)
		for k := at; !found && k < len(held.Taken) && held.Taken[k] != second; k++ {
			if last := k+1 == len(held.Taken) || held.Taken[k+1] == second; last || sameReceiver(&held, k, &out, at) {
				_, found = x.nearer(waiting(c, held.Taken[k], second), n-1, end)
			}
		}
		if found {
			return out, true
		}
	}
	return out, false
}

// sameReceiver reports whether delivery i of run a and delivery j of run b may have the same receiver.
func sameReceiver(a *Outcome, i int, b *Outcome, j int) bool {
	return a.Receivers == nil || b.Receivers == nil || a.Receivers[i] == b.Receivers[j]
}

// waits returns about how many constraints nearer tries in a run.
func waits(out *Outcome) (n int) {
	for j := range out.Taken {
		for i := range j {
			if sameReceiver(out, i, out, j) {
				n++
			}
		}
	}
	return n + len(out.Taken)
}

// waiting returns a copy of case c with the additional constraint that one step waits for another
// step.
func waiting(c Case, first, second uint64) Case {
	c = c.Clone()
	c.Schedule.Before = append(c.Schedule.Before, choice.Constraint{First: first, Second: second})
	return c
}

// moves returns list, and variants of list in which one nonzero choice is moved to a different
// choice of the same kind. A nonzero choice may prevent later choices. So the variants are made
// from the choices of a run in which all choices are zero and the oldest message comes first.
func (x *shrinker) moves(list []choice.Choice) [][]choice.Choice {
	all := [][]choice.Choice{list}
	if given(list) == 0 {
		return all
	}
	c := x.Best.Case.Clone()
	c.Schedule.Before, c.Schedule.Choices = nil, nil
	out, alike := x.run(c)
	if alike {
		x.take(out)
	}
	for i, a := range list {
		rest := slices.Clone(out.Case.Schedule.Choices)
		for k, b := range list {
			if at := nth(rest, b.Kind, k-others(list[:k], b.Kind)); k != i && at >= 0 {
				rest[at].Value = b.Value
			}
		}
		for j, b := range rest {
			if a.Value != 0 && b.Value == 0 && a.Kind == b.Kind {
				moved := slices.Clone(rest)
				moved[j].Value = a.Value
				all = append(all, moved)
			}
		}
	}
	return all
}

// others returns the number of choices in list that are not of the given kind.
func others(list []choice.Choice, kind choice.Kind) (n int) {
	for _, c := range list {
		if c.Kind != kind {
			n++
		}
	}
	return n
}

// nth returns the index of the n-th choice of the given kind, counted from 0, or -1 if there are
// too few choices of this kind.
func nth(list []choice.Choice, kind choice.Kind, n int) int {
	for i, c := range list {
		if c.Kind == kind {
			if n--; n < 0 {
				return i
			}
		}
	}
	return -1
}

// mostReplaced is the maximum number of deliveries of a run for which the pass fewer does anything.
const mostReplaced = 60

// fewer replaces two constraints by one constraint on two deliveries of the run, as often as
// possible.
func fewer(x *shrinker) {
	if len(x.Best.Taken) > mostReplaced {
		return
	}
	for end := x.Runs + 10*x.effort; x.replaceTwo(end); {
	}
}

// replaceTwo tries to replace each two constraints by one constraint on two deliveries. It stops
// when a replacement makes the case smaller, or when x.Runs reaches end. It reports whether a
// replacement made the case smaller.
func (x *shrinker) replaceTwo(end int) bool {
	best := x.Best.Clone()
	list := best.Case.Schedule.Before
	seconds := slices.Clone(best.Taken)
	for _, c := range list {
		if !slices.Contains(seconds, c.Second) { // the run has no step Second
			seconds = append(seconds, c.Second)
		}
	}
	for i := range list {
		for j := range i {
			for at, first := range best.Taken {
				for _, second := range seconds[at+1:] {
					c := best.Case.Clone()
					c.Schedule.Before = slices.Delete(slices.Delete(c.Schedule.Before, i, i+1), j, j+1)
					c.Schedule.Before = append(c.Schedule.Before, choice.Constraint{First: first, Second: second})
					if x.over() || x.Runs >= end {
						return false
					}
					if x.try(c) {
						return true
					}
				}
			}
		}
	}
	return false
}

// natural replaces each constraint on deliveries to different receivers by a constraint on deliveries
// to one receiver, if one leads to an equally small run. Such constraints are easier to understand.
func natural(x *shrinker) {
	defer x.limit(naturalRuns)()
	for i := range x.Best.Case.Schedule.Before {
		if x.over() {
			return
		}
		best := x.Best.Clone()
		b := best.Case.Schedule.Before[i]
		first, second := slices.Index(best.Taken, b.First), slices.Index(best.Taken, b.Second)
		if best.Receivers == nil || first >= 0 && second >= 0 && sameReceiver(&best, first, &best, second) {
			continue
		}
		x.replaceNaturally(&best, i)
	}
}

// naturalRuns limits the runs of natural. A long run has so many pairs of deliveries that trying
// them all would take minutes.
const naturalRuns = 3000

// replaceNaturally replaces one constraint of the best run (see natural).
func (x *shrinker) replaceNaturally(best *Outcome, i int) {
	for second := range best.Taken {
		for first := second - 1; first >= 0; first-- {
			if x.over() {
				return
			}
			if !sameReceiver(best, first, best, second) {
				continue
			}
			c := best.Case.Clone()
			c.Schedule.Before[i] = choice.Constraint{First: best.Taken[first], Second: best.Taken[second]}
			if out, alike := x.run(c); alike && out.size() == best.size() && out.Compare(&x.Best) <= 0 {
				x.Best = out.Clone()
				return
			}
		}
	}
}

// perturbRuns is the maximum number of runs of perturb, as a multiple of the effort.
const perturbRuns = 16

// perturb adds random constraints to a run, and then removes as many constraints as possible in random
// order. It continues with the result if that is no larger. It begins with the best run. It finds runs
// that need fewer constraints than all runs that differ in one or two constraints.
func perturb(x *shrinker) {
	if len(x.Best.Case.Schedule.Before) == 0 || len(x.Best.Taken) == 0 {
		return
	}
	now, state, shrunk := x.Best.Clone(), hash.Mix(uint64(x.effort)), x.shrunk
	for end := x.Runs + perturbRuns*x.effort; x.Runs < end && x.shrunk == shrunk && !x.over(); {
		c := now.Case.Clone()
		for range 1 + below(&state, 2) {
			i, j := below(&state, len(now.Taken)), below(&state, len(now.Taken))
			c.Schedule.Before = append(c.Schedule.Before, choice.Constraint{First: now.Taken[max(i, j)], Second: now.Taken[min(i, j)]})
		}
		out, alike := x.run(c)
		if !alike || out.External > now.External || out.Steps > now.Steps {
			continue
		}
		out = out.Clone()
		shuffle(out.Case.Schedule.Before, &state)
		x.reduce(&out)
		if size, was := out.size(), now.size(); slices.Compare(size[:], was[:]) <= 0 {
			now = out
			x.take(out)
		}
	}
}

// shuffle puts the constraints in random order.
func shuffle(list []choice.Constraint, state *uint64) {
	for i := range list {
		j := i + below(state, len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
}
