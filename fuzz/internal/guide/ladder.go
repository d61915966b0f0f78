package guide

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Limits of a ladder.
const (
	mostNames   = 32   // the maximum number of names of signs
	mostRungs   = 256  // the maximum number of values of one name
	mostInAll   = 512  // the maximum number of values of all names together
	mostHeights = 8    // the maximum number of kept runs of a name with heights
	mostClimbed = 4096 // of each kept run, the maximum number of first steps that are recorded
)

// A Sign is a hint that a property gave about how far its run got.
type Sign struct {
	Name  uint64 // a hash of the name of the hint
	Value uint64 // a hash of the reported value
	// IsHeight reports whether the sign has a Height instead of a Value.
	IsHeight bool
	// Height is a number that the search tries to maximize.
	Height float64
	// Steps is the number of steps that had begun when the sign was given.
	Steps int
}

// A Ladder keeps the runs that got far, as IJON does (Aschermann et al., S&P 2020). Signs
// say how far a run got. For each value of a name, the ladder keeps the run that gave this
// value after the fewest steps. For a name with heights, it keeps the runs with the
// greatest heights. With each run it keeps an S, which the caller needs to make a similar
// run.
//
// Climbs are orders made from kept runs. Each name gets the same number of climbs on
// average. Among the runs of a name, runs with rare values are chosen most. A run is not
// chosen for a value that more than half of all runs have. A run is chosen less often if
// climbs from it led to nothing new.
//
// The zero Ladder is empty. Results depend only on the seeds and the runs it has seen.
type Ladder[S any] struct {
	names  []*rungs[S]
	index  hash.Table // maps a name to its index in names
	runs   int
	inAll  int  // the number of values of all names
	isFull bool // set if there were too many names
}

// rungs are the rungs of one name.
type rungs[S any] struct {
	name   uint64
	list   []*rung[S] // the rungs; if they have heights, highest first
	index  hash.Table // maps a value to its index in list; unused for heights
	isFull bool       // set if there were too many values

	areHeights bool
}

// A rung is a point that a run has reached.
type rung[S any] struct {
	run    *climbed[S]
	height float64
	steps  int // the number of steps of the run before it reached the rung
	times  int // the number of runs that reached the rung
	tries  int // the number of climbs from the rung since such a climb last led to something new
}

// A climbed is a run that the ladder keeps.
type climbed[S any] struct {
	base *Base
	ids  []uint64 // the identities of the run's first steps; zero for steps that no strategy chooses
	with S
}

// A Climb is an order that a ladder makes from a kept run.
type Climb[S any] struct {
	Order
	// With belongs to the kept run. Other belongs to a second kept run, which may be
	// the same run.
	With, Other *S
	// Steps is the number of first steps of the kept run whose choices are repeated.
	Steps int

	from *rung[S]
}

// IsZero reports whether c is no climb.
func (c *Climb[S]) IsZero() bool { return c.from == nil }

// See adds a run and its signs. by is the climb that planned the run, or zero. isNew
// reports whether the run reached something new. If the ladder keeps the run, it also keeps
// the result of with.
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

// note records a value, and reports whether it is new and kept. A full ladder keeps no
// new values.
func (r *rungs[S]) note(s *Sign, full bool, keep func() *climbed[S]) (isNew bool) {
	i, had := r.index.Get(s.Value)
	switch {
	case had:
		at := r.list[i]
		at.times++
		if s.Steps < at.steps { // prefer fewer steps, because a climb varies only the run after these steps
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

// rise records a height, and reports whether it is the greatest so far.
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

// Full returns the names that have more values than the ladder keeps. more reports whether
// there were too many names.
func (l *Ladder[S]) Full() (names []uint64, more bool) {
	for _, r := range l.names {
		if r.isFull {
			names = append(names, r.name)
		}
	}
	return names, l.isFull
}

// Next returns a climb, or the zero Climb if no kept run can be chosen. Most climbs repeat
// a run up to the sign, or a bit less, and leave the rest open. Other climbs reverse two
// receives, or continue with the steps of another run.
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
		kind = 0 // the property gave the sign at the end of the run, so the steps that led to it are unknown
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

// choose draws a rung. It returns nil if no rung can be chosen.
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

// weights returns the weight of each rung, given the number of runs so far. Each height has
// an eighth of the weight of the next greater one.
func (r *rungs[S]) weights(runs int) []int {
	list := make([]int, len(r.list))
	for i, at := range r.list {
		switch worth := 1 << 30 / (8 + at.tries); {
		case 2*at.times > runs: // most runs reach the rung
		case r.areHeights:
			list[i] = 1 + worth>>(3*i)
		default:
			list[i] = 1 + worth/(at.times*at.times)
		}
	}
	return list
}

// first returns the identities of the first n steps, without steps that no strategy
// chooses.
func (c *climbed[S]) first(n int) []uint64 {
	return slices.DeleteFunc(slices.Clone(c.ids[:n]), func(id uint64) bool { return id == 0 })
}

// cross returns the first n steps of c, followed by the remaining steps of o.
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

// turn returns an order that ends with two reversed receives of the run. It returns the
// zero Order if no two receives can be reversed.
func (c *climbed[S]) turn(d *dice) Order {
	if c.base.Len() == 0 {
		return Order{}
	}
	x, y, ok := c.base.pair(d)
	if !ok {
		return Order{}
	}
	prefix, _ := c.base.bring(c.base.whole(), x, y, true, PCR)
	return Order{c.base.goal(PCR, y, x), c.base.identities(prefix)}
}
