package guide

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// What a ladder keeps at most. A rung keeps a run, which it may share with others, and
// of it the first mostClimbed steps.
const (
	mostNames   = 32   // names that signs may have
	mostRungs   = 256  // values of one name
	mostInAll   = 512  // values of all names
	mostHeights = 8    // runs for one name whose signs are heights
	mostClimbed = 4096 // steps of a run
)

// A Sign is what a user has said of a run.
type Sign struct {
	// Name stands for the name under which it was said, and Value for what was said.
	Name, Value uint64
	// IsHeight reports that Height was said and not Value: more of it is better.
	IsHeight bool
	Height   float64
	// Steps is how many steps had begun when it was said.
	Steps int
}

// A Ladder keeps the runs that have come far, as users say by signs what far is, in
// the manner of IJON (Aschermann et al., S&P 2020): for each value of a name the first
// run that showed it, or the one that did after the fewest steps, and for heights the
// highest runs. With each it keeps what its user needs to make the run again, of type S.
//
// Each name gets the same share of the moves. Within a name the runs of rare values
// are chosen most, and those of values that more than half of all runs have, not at
// all. Runs that are chosen in vain are chosen less.
//
// The zero Ladder is empty. What it returns follows from the seeds and from what it
// is told.
type Ladder[S any] struct {
	names  []*rungs[S]
	index  hash.Table // by name: its place in names
	runs   int
	inAll  int  // values of all names
	isFull bool // there were more names
}

// rungs are those of one name.
type rungs[S any] struct {
	name   uint64
	list   []*rung[S] // of heights the highest first
	index  hash.Table // by value: its place in the list; not of heights
	isFull bool       // there were more values

	areHeights bool
}

// A rung is what a run has come to.
type rung[S any] struct {
	run    *climbed[S]
	height float64
	steps  int // the first steps of the run, which lead here
	times  int // runs that came here
	tries  int // moves from here since one of them led to something new
}

// climbed is a run that is kept.
type climbed[S any] struct {
	base *Base
	ids  []uint64 // its first steps; zero for those that come by themselves
	with S
}

// A Climb is what a ladder makes of a run that it keeps.
type Climb[S any] struct {
	Order
	// With is what was kept with the run, and Other what was kept with another run, which
	// may be the same.
	With, Other *S
	// Steps is how many steps of the run are kept at its beginning.
	Steps int

	from *rung[S]
}

// IsZero reports whether no climb was made.
func (c *Climb[S]) IsZero() bool { return c.from == nil }

// See tells the ladder of a run and its signs, and by which climb it was made, which
// may be the zero Climb. It reports whether the run has come to something new; if so
// the ladder keeps it, with what the function with returns.
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

// climb reads a run.
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

// named returns the rungs of the name of a sign; nil when there are too many names.
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

// note notes a value, and reports whether it is new and is kept. No new one is, when
// the ladder is full.
func (r *rungs[S]) note(s *Sign, full bool, keep func() *climbed[S]) (isNew bool) {
	i, had := r.index.Get(s.Value)
	switch {
	case had:
		at := r.list[i]
		at.times++
		if s.Steps < at.steps { // the rest of the run is more of it
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

// rise notes a height, and reports whether none was higher.
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

// Full returns the names of which there were more values than the ladder keeps, and
// reports whether there were more names.
func (l *Ladder[S]) Full() (names []uint64, more bool) {
	for _, r := range l.names {
		if r.isFull {
			names = append(names, r.name)
		}
	}
	return names, l.isFull
}

// Next makes a climb: mostly it keeps a run up to where the sign was given, or a bit
// less, and leaves the rest open; it also turns two receives round, or goes on
// in the order of another run. It is the zero Climb when no run has come far.
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
		kind = 0 // it was said at the end: what led there is not known
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

// choose chooses a rung, nil when there is none.
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
	return nil // not reached: the weights have this sum
}

// weights returns how much each rung is worth, in a search of so many runs. Of
// heights each is worth an eighth of the next higher.
func (r *rungs[S]) weights(runs int) []int {
	list := make([]int, len(r.list))
	for i, at := range r.list {
		switch worth := 1 << 30 / (8 + at.tries); {
		case 2*at.times > runs: // it is nothing that sets runs apart
		case r.areHeights:
			list[i] = 1 + worth>>(3*i)
		default:
			list[i] = 1 + worth/(at.times*at.times)
		}
	}
	return list
}

// first returns the first steps of a run, n with those that come by themselves.
func (c *climbed[S]) first(n int) []uint64 {
	return slices.DeleteFunc(slices.Clone(c.ids[:n]), func(id uint64) bool { return id == 0 })
}

// cross returns the first n steps of a run, and then those of another.
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

// turn returns an order that turns two receives of a run round, and leaves open what
// came after them.
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
