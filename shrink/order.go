package shrink

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/schedule"
)

// order leaves out constraints: all of them first, then half, a quarter and so on,
// and last one at a time (Zeller's ddmin without its complements: constraints are
// mostly independent of each other).
func order(x *shrinker) {
	best := x.Best.Clone()
	x.reduce(&best)
	x.take(best)
}

// reduce leaves out constraints of a run that need not be the best one.
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

// leaveOut leaves out some constraints, if the run fails without them. What waits for
// a step that waits by the first of them may be linked to what that waits for.
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

// later has deliveries come after the last one of the run, which mostly is the one
// that failed: all that are not needed for it, and first many together.
func later(x *shrinker) {
	for size := (len(x.Best.Taken) + 1) / 2; size > 0; size /= 2 {
		for end := len(x.Best.Taken) - 1; end > 0 && !x.over(); end -= size {
			c := x.Best.Case.Clone()
			last := x.Best.Taken[len(x.Best.Taken)-1]
			for _, id := range x.Best.Taken[max(0, end-size):end] {
				c.Schedule.Before = append(c.Schedule.Before, schedule.Constraint{First: last, Second: id})
			}
			if x.try(c) {
				end = min(end, len(x.Best.Taken)-1+size)
			}
		}
	}
}

// elsewhere looks for other orders of the same draws that are smaller.
func elsewhere(x *shrinker) {
	for program := x.Best.program(); !x.over() && x.around[program] < x.effort; {
		taken, all := x.search(x.Best.Case.Inputs, 10*x.effort)
		switch {
		case all:
			x.around[program] = noMore
		case !taken:
			x.around[program] = x.effort
		}
	}
}

// mostReplaced bounds how long a run may be for fewer to look at it.
const mostReplaced = 60

// fewer puts one constraint on two deliveries of the run in the place of two.
func fewer(x *shrinker) {
	if len(x.Best.Taken) > mostReplaced {
		return
	}
	for again := true; again; {
		again = x.replaceTwo()
	}
}

func (x *shrinker) replaceTwo() bool {
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
					c.Schedule.Before = append(c.Schedule.Before, schedule.Constraint{First: first, Second: second})
					if x.over() || x.try(c) {
						return !x.over()
					}
				}
			}
		}
	}
	return false
}
