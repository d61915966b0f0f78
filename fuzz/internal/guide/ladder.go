package guide

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Limits of a ladder. A rung holds the first mostClimbed steps of a run, and may share
// them with other rungs.
const (
	mostNames   = 32   // names of signs
	mostRungs   = 256  // values of one name
	mostInAll   = 512  // values of all names
	mostHeights = 8    // runs for one name with heights
	mostClimbed = 4096 // steps of a run
)

// A Sign is what a user's program reported about its run.
type Sign struct {
	// Name and Value are hashes of the name and the value reported under it.
	Name, Value uint64
	// IsHeight reports that the sign is a Height, not a Value: higher is better.
	IsHeight bool
	Height   float64
	// Steps is how many steps had begun when the sign was given.
	Steps int
}

// A Ladder keeps the runs that got far, in the manner of IJON (Aschermann et al., S&P
// 2020). Signs of the user say what far is. For each value of a name it keeps the run
// that showed it after the fewest steps, and for heights the highest runs. With each run
// it keeps an S, which its user needs to replay it.
//
// Each name gets the same share of the climbs. Within a name, runs with rare values are
// chosen most. Runs with values that more than half of all runs have are not chosen. Runs
// that were chosen in vain are chosen less.
//
// The zero Ladder is empty. Results depend only on the seeds and the runs it has seen.
type Ladder[S any] struct {
	names  []*rungs[S]
	index  hash.Table // by name: its place in names
	runs   int
	inAll  int  // values of all names
	isFull bool // there were more names
}

// rungs are the rungs of one name.
type rungs[S any] struct {
	name   uint64
	list   []*rung[S] // heights: highest first
	index  hash.Table // by value: its place in the list; unused for heights
	isFull bool       // there were more values

	areHeights bool
}

// A rung is a point that a run has reached.
type rung[S any] struct {
	run    *climbed[S]
	height float64
	steps  int // how many steps of the run lead here
	times  int // runs that reached it
	tries  int // climbs from here since the last one that led to something new
}

// climbed is a run that is kept.
type climbed[S any] struct {
	base *Base
	ids  []uint64 // its first steps; zero for those that no strategy chooses
	with S
}

// A Climb is an order that a ladder makes from a run it keeps.
type Climb[S any] struct {
	Order
	// With belongs to the run, and Other to another run, which may be the same.
	With, Other *S
	// Steps is how many steps at the beginning of the run are kept.
	Steps int

	from *rung[S]
}

// IsZero reports whether there is no climb.
func (c *Climb[S]) IsZero() bool { return c.from == nil }

// See adds a run, its signs, and the climb that led to it, which may be zero. It reports
// whether the run reached something new. If so, the ladder keeps it with the result of
// with.
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

// climb returns a run to keep.
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
		if s.Steps < at.steps { // a shorter beginning leaves more of the run open
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

// rise records a height, and reports whether it is the highest so far.
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

// Full returns the names with more values than the ladder keeps, and reports whether
// there were too many names.
func (l *Ladder[S]) Full() (names []uint64, more bool) {
	for _, r := range l.names {
		if r.isFull {
			names = append(names, r.name)
		}
	}
	return names, l.isFull
}

// Next makes a climb, or the zero Climb if no run is kept. Most climbs keep a run up to
// the sign, or a bit less, and leave the rest open. Others reverse two receives, or
// continue with the order of another run.
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
		kind = 0 // the sign came at the end: what led to it is unknown
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

// choose draws a rung, or returns nil if there is none.
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
	return nil // unreachable: the weights have this sum
}

// weights returns the weight of each rung, after so many runs. Each height weighs an
// eighth of the next higher one.
func (r *rungs[S]) weights(runs int) []int {
	list := make([]int, len(r.list))
	for i, at := range r.list {
		switch worth := 1 << 30 / (8 + at.tries); {
		case 2*at.times > runs: // it distinguishes no runs
		case r.areHeights:
			list[i] = 1 + worth>>(3*i)
		default:
			list[i] = 1 + worth/(at.times*at.times)
		}
	}
	return list
}

// first returns the first n steps of a run, without those that no strategy chooses.
func (c *climbed[S]) first(n int) []uint64 {
	return slices.DeleteFunc(slices.Clone(c.ids[:n]), func(id uint64) bool { return id == 0 })
}

// cross returns the first n steps of a run, followed by those of another.
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

// turn returns an order that reverses two receives of a run, and leaves open what came
// after them.
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
