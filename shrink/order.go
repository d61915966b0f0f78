package shrink

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// order leaves out constraints: all of them first, then half, a quarter and so on,
// and last one at a time. This is Zeller's ddmin without its complements: constraints
// are mostly independent of each other.
func order(x *shrinker) {
	best := x.Best.Clone()
	x.reduce(&best)
	x.take(best)
}

// reduce leaves out constraints of a run, which need not be the best one.
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

// leaveOut leaves out the constraints from at to end, if the run fails without them.
// With link, if the first of them is "a before b", it also replaces "b before c" by
// "a before c".
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

// later moves deliveries after the last one of the run, which mostly is the one that
// failed. It moves all that the failure does not need, many together first.
func later(x *shrinker) {
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
}

// elsewhere searches for smaller runs in other orders of the same draws.
func elsewhere(x *shrinker) {
	for program := x.Best.program(); !x.over() && x.around[program] < x.effort; {
		taken, all := x.search(x.Best.Case.Inputs, 8*x.effort)
		switch {
		case all:
			x.around[program] = noMore
		case !taken:
			x.around[program] = x.effort
		}
	}
}

// nearestRuns is the least budget of nearest, in runs.
const nearestRuns = 200

// nearest searches for orders of the same draws that are nearer to plain order. It
// tries plain order, then each constraint that plain order does not keep, then each
// pair of constraints and so on. An answer that is not zero may move to another
// question.
func nearest(x *shrinker) {
	best := x.Best.Clone()
	end := x.Runs + nearestRuns + 5*x.effort
	if len(best.Case.Schedule.Before) == 0 {
		return
	}
	lists := x.moves(best.Case.Schedule.Choices)
	pairs, runs := len(best.Taken)*len(best.Taken)/2, len(lists)
	for n := range len(best.Case.Schedule.Before) + 1 { // the same number may give fewer steps
		if x.Runs+runs > end { // too many to try them all
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

// never is the identity of a step that never comes. A step that waits for it comes
// only when nothing else can.
const never = 0

// nearer runs a case, and then tries n more constraints that its run does not keep.
// It returns the outcome of the unchanged case, and whether the best run became
// smaller.
//
// A run that holds a step back for good begins like every run that holds it back
// until some other step. So it shows every step that the held one can wait for.
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
			_, found = x.nearer(waiting(c, held.Taken[k], second), n-1, end)
		}
		if found {
			return out, true
		}
	}
	return out, false
}

// waiting returns the case with the constraint that the second step waits for the
// first.
func waiting(c Case, first, second uint64) Case {
	c = c.Clone()
	c.Schedule.Before = append(c.Schedule.Before, choice.Constraint{First: first, Second: second})
	return c
}

// moves returns the answers, and variants in which one nonzero answer moves to
// another question of its kind. An answer may prevent later questions, so the
// variants have the questions that plain order asks when all answers are zero.
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

// others returns how many answers are of another kind.
func others(list []choice.Choice, kind choice.Kind) (n int) {
	for _, c := range list {
		if c.Kind != kind {
			n++
		}
	}
	return n
}

// nth returns the index of the n-th answer of a kind, from 0; -1 if there are fewer.
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

// mostReplaced bounds the length of the runs that fewer tries.
const mostReplaced = 60

// fewer replaces two constraints by one, on two deliveries of the run.
func fewer(x *shrinker) {
	if len(x.Best.Taken) > mostReplaced {
		return
	}
	for end := x.Runs + 10*x.effort; x.replaceTwo(end); {
	}
}

// replaceTwo tries each such replacement until Runs reaches end. It reports whether
// one made the case smaller.
func (x *shrinker) replaceTwo(end int) bool {
	best := x.Best.Clone()
	list := best.Case.Schedule.Before
	seconds := slices.Clone(best.Taken)
	for _, c := range list {
		if !slices.Contains(seconds, c.Second) { // which was not received
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
