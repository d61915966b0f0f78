package guide

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The limits of a Ladder.
const (
	mostNames   = 32   // the maximum number of different names of signs
	mostRungs   = 256  // the maximum number of values with one name
	mostInAll   = 512  // the maximum number of values in a ladder
	mostHeights = 8    // the maximum number of heights with one name
	mostClimbed = 4096 // the maximum number of recorded steps of a kept run
)

// A Sign is a hint that a property gave in a run about how far the run got.
type Sign struct {
	Name  uint64 // a hash of the name of the hint
	Value uint64 // a hash of the reported value
	// IsHeight is set if the sign has a Height, and no Value.
	IsHeight bool
	// Height is a number that the search tries to maximize.
	Height float64
	// Steps is the number of steps that had begun when the sign was given.
	Steps int
}

// A Ladder keeps the runs that got far, as IJON does (Aschermann et al., S&P 2020). How
// far a run got is known from its signs (see Sign). For each value of a sign, the ladder
// keeps the run that gave the sign after the fewest steps. For signs with heights, it
// keeps the runs with the greatest heights. With each run the ladder keeps an S, which the
// caller needs to make a similar run.
//
// A climb is an order that the ladder makes from a kept run. Each name of a sign gets the
// same number of climbs on average. Among the runs of a name, runs with rare values are
// chosen most. Values that more than half of all runs have are not chosen. A run is chosen
// less often if climbs from it led to nothing new.
//
// The zero Ladder is empty. Results depend only on the seeds and the runs it has seen.
type Ladder[S any] struct {
	names  []*rungs[S]
	index  hash.Table // maps the name of a sign to its index in names
	runs   int
	inAll  int  // the number of values in the ladder
	isFull bool // set if some sign was ignored because the ladder has mostNames names already
}

// rungs holds the rungs of the signs with one name.
type rungs[S any] struct {
	name   uint64
	list   []*rung[S] // the rungs; those with heights are sorted, highest first
	index  hash.Table // maps a value to its index in list; unused for heights
	isFull bool       // set if some value was ignored because of a limit

	areHeights bool
}

// A rung is a value that some run reported as a hint, or a height if the hint is a number to
// maximize, with the run that the ladder keeps for it.
type rung[S any] struct {
	run    *climbed[S]
	height float64
	steps  int // the number of steps of the run when it gave the sign
	times  int // the number of runs that gave this value or height
	tries  int // the number of climbs from the rung since such a climb last led to something new
}

// A climbed is a run that the ladder keeps.
type climbed[S any] struct {
	base *Base
	ids  []uint64 // the identities of the run's first steps; zero for a step that the strategy did not choose
	with S
}

// A Climb is an order that a ladder makes from a kept run.
type Climb[S any] struct {
	Order
	// With is the S that the ladder keeps with the run. Other is the S of a second kept
	// run, or of the same run.
	With, Other *S
	// Steps is the number of steps, at the start of the kept run, whose choices are
	// repeated.
	Steps int

	from *rung[S]
}

// IsZero reports whether c is the zero Climb.
func (c *Climb[S]) IsZero() bool { return c.from == nil }

// See adds a run with trace t and its signs. by is the Climb from which the run was planned, or the
// zero Climb. isNew reports whether the run gave a new value or a new greatest height. If the
// ladder keeps the run, it calls the function `with` and keeps the result.
func (l *Ladder[S]) See(t *trace.Trace, signs []Sign, by Climb[S], with func() S) (isNew bool) {
	l.runs++
	var run *climbed[S]
	keep := func() *climbed[S] {
		if run == nil {
			run = climb(t, with())
		}
		return run
	}
	for i := range signs {
		s := &signs[i]
		r := l.named(s)
		switch {
		case r == nil:
		case s.IsHeight:
			isNew = r.rise(s, keep) || isNew
		case r.note(s, l.inAll == mostInAll, keep):
			l.inAll++
			isNew = true
		}
	}
	if isNew && by.from != nil {
		by.from.tries = 0
	}
	return isNew
}

func climb[S any](t *trace.Trace, with S) *climbed[S] {
	run := &climbed[S]{base: NewBase(t), with: with}
	for i := range t.Steps[:min(len(t.Steps), mostClimbed)] {
		s := &t.Steps[i]
		if s.Kind == trace.Receive && !s.Settled {
			run.ids = append(run.ids, s.ID)
		} else {
			run.ids = append(run.ids, 0)
		}
	}
	return run
}

// named returns the rungs of the sign's name, or nil if there are too many names.
func (l *Ladder[S]) named(s *Sign) *rungs[S] {
	i, had := l.index.Get(s.Name)
	switch {
	case had:
		return l.names[i]
	case len(l.names) == mostNames:
		l.isFull = true
		return nil
	}
	r := &rungs[S]{name: s.Name, areHeights: s.IsHeight}
	l.index.Put(s.Name, int32(len(l.names)))
	l.names = append(l.names, r)
	return r
}

// note records the value of a sign. It reports whether the value is new and the ladder
// keeps it. If full is set, the ladder keeps no new values.
func (r *rungs[S]) note(s *Sign, full bool, keep func() *climbed[S]) (isNew bool) {
	i, had := r.index.Get(s.Value)
	switch {
	case had:
		at := r.list[i]
		at.times++
		if s.Steps < at.steps { // prefer fewer steps, because a climb varies only what comes after these steps
			at.run, at.steps = keep(), s.Steps
		}
		return false
	case full || len(r.list) == mostRungs:
		r.isFull = true
		return false
	}
	r.index.Put(s.Value, int32(len(r.list)))
	r.list = append(r.list, &rung[S]{run: keep(), steps: s.Steps, times: 1})
	return true
}

// rise records the height of a sign, and reports whether the height is the greatest so
// far.
func (r *rungs[S]) rise(s *Sign, keep func() *climbed[S]) (isHighest bool) {
	i, had := slices.BinarySearchFunc(r.list, s.Height, func(at *rung[S], h float64) int { return cmp.Compare(h, at.height) })
	if had {
		r.list[i].times++
		return false
	}
	if i == mostHeights {
		return false
	}
	r.list = slices.Insert(r.list, i, &rung[S]{run: keep(), height: s.Height, steps: s.Steps, times: 1})
	r.list = r.list[:min(len(r.list), mostHeights)]
	return i == 0
}

// Full returns the names of signs that have more values than the ladder keeps. more
// reports whether further names were ignored.
func (l *Ladder[S]) Full() (names []uint64, more bool) {
	for _, r := range l.names {
		if r.isFull {
			names = append(names, r.name)
		}
	}
	return names, l.isFull
}

// Next returns a climb, or the zero Climb if no kept run can be chosen. Most climbs repeat
// a run up to the step in which it gave the sign, or a few steps less, and say nothing
// about later steps. Other climbs reverse two receives, or continue with the steps of a
// second run.
func (l *Ladder[S]) Next(seed uint64) Climb[S] {
	d := dice(seed)
	from, other := l.choose(&d), l.choose(&d)
	if from == nil {
		return Climb[S]{}
	}
	from.tries++
	c := Climb[S]{With: &from.run.with, Other: &other.run.with, Steps: from.steps, from: from}
	n := max(0, min(from.steps, len(from.run.ids)))
	kind := d.below(8)
	if kind > 4 && n == len(from.run.ids) {
		kind = 0 // the sign came at the end of the run, so it is unknown which steps led to it
	}
	switch kind {
	case 0:
		c.Steps = d.below(n + 1)
	case 1:
		c.Steps = n - d.below(min(n, 4)+1)
	case 2:
		c.Order, c.Steps = from.run.turn(&d), len(from.run.ids)
		return c
	case 3:
		c.Order.Steps, c.Steps = from.run.cross(n, other.run), len(from.run.ids)
		return c
	}
	c.Order.Steps = from.run.first(min(c.Steps, n))
	return c
}

// choose chooses a rung at random. It returns nil if no rung has a weight.
func (l *Ladder[S]) choose(d *dice) *rung[S] {
	var open [][]int
	var of []*rungs[S]
	for _, r := range l.names {
		if weights := r.weights(l.runs); slices.ContainsFunc(weights, func(w int) bool { return w > 0 }) {
			open, of = append(open, weights), append(of, r)
		}
	}
	if len(open) == 0 {
		return nil
	}
	i := d.below(len(open))
	sum := 0
	for _, w := range open[i] {
		sum += w
	}
	at := d.below(sum)
	for k, w := range open[i] {
		if at -= w; at < 0 {
			return of[i].list[k]
		}
	}
	return nil // unreachable: the weights add up to the sum
}

// weights returns the weight of each rung, given the number of runs so far. Each height
// has an eighth of the weight of the next greater height.
func (r *rungs[S]) weights(runs int) []int {
	list := make([]int, len(r.list))
	for i, at := range r.list {
		switch worth := 1 << 30 / (8 + at.tries); {
		case 2*at.times > runs: // most runs give this value or height
		case r.areHeights:
			list[i] = 1 + worth>>(3*i)
		default:
			list[i] = 1 + worth/(at.times*at.times)
		}
	}
	return list
}

// first returns the identities of those among the first n steps that the strategy chose.
func (c *climbed[S]) first(n int) []uint64 {
	return slices.DeleteFunc(slices.Clone(c.ids[:n]), func(id uint64) bool { return id == 0 })
}

// cross returns the identities of the first n steps of c, followed by the steps of o that
// are not among them.
func (c *climbed[S]) cross(n int, o *climbed[S]) []uint64 {
	list := c.first(n)
	var had hash.Table
	for _, id := range list {
		had.Put(id, 1)
	}
	for _, id := range o.first(len(o.ids)) {
		if _, is := had.Get(id); !is {
			list = append(list, id)
		}
	}
	return list
}

// turn returns an order that ends with two receives of the run, reversed. It returns the
// zero Order if it finds no two receives that can be reversed.
func (c *climbed[S]) turn(d *dice) Order {
	if c.base.Len() == 0 {
		return Order{}
	}
	x, y, ok := c.base.pair(d)
	if !ok {
		return Order{}
	}
	prefix, _ := c.base.bring(nil, nil, c.base.whole(), x, y, true, PCR)
	return Order{c.base.goal(PCR, y, x), c.base.identities(prefix)}
}
