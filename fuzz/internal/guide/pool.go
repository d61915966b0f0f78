package guide

import (
	"iter"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostKept limits the runs that a pool keeps.
const mostKept = 256

// A Pool keeps the runs that showed something new, and makes orders from them. Its user
// decides what is new.
//
// A run is chosen according to how often runs of its shape were seen. Two runs have one
// shape if they took the same steps, in whatever order. Rare shapes are chosen most, and
// shapes seen more often than twice the average not at all. This follows the power
// schedule of reads-from fuzzing (Wolff et al., ASPLOS 2024): rare orders lead to rare
// shapes.
//
// The zero Pool is empty. Results depend only on the seeds and the runs it has seen. It
// takes four bytes for each of the first 512 steps of each run. Replace it now and then.
type Pool struct {
	kept   []*Kept
	shapes hash.Table // by shape, the sum of its mixed steps: its place in times
	times  []int      // by shape: how many runs had it
	runs   int
	reader closure
	odds   []int      // by kept run, in choose
	number hash.Table // by step: its place in steps
	steps  []sight
	last   []int32 // by actor of the run being seen: its last receive that counts, or None
	failed Goals   // goals of orders that could not be followed
}

// A sight describes a step that was seen.
type sight struct {
	mixed uint64  // its identity, mixed
	kept  bool    // a kept run has it
	next  []int32 // the steps that came right after it at its actor, one for each run
}

// Kept is a run that a pool keeps.
type Kept struct {
	// Index is the number of runs kept before it.
	Index int

	base    *Base
	fresh   int   // the first step that no earlier run had, or the number of steps
	shape   int32 // its place in Pool.times
	tries   int   // orders made from it since the last one that led to something new
	root    *Base
	demands []follow // the abstract schedule by which it was made from root
}

// A Move is an order that a pool makes from a run it keeps.
type Move struct {
	Order
	From *Kept

	root    *Base
	demands []follow
}

// Len returns how many runs are kept.
func (p *Pool) Len() int { return len(p.kept) }

// See counts a run, which makes its shape and goals less rare. It reports whether the run
// took steps that no kept run has taken.
func (p *Pool) See(t *trace.Trace) (isNew bool) {
	p.runs++
	sum := uint64(0)
	p.last = p.last[:0]
	for range t.Actors {
		p.last = append(p.last, trace.None)
	}
	for i := range t.Steps[:min(len(t.Steps), mostSteps)] {
		st := &t.Steps[i]
		k := p.numberOf(st.ID)
		at := &p.steps[k]
		sum += at.mixed
		isNew = isNew || !at.kept
		if counts(st) {
			if last := p.last[st.Actor]; last != trace.None {
				p.steps[last].next = append(p.steps[last].next, k)
			}
			p.last[st.Actor] = k
		}
	}
	p.times[p.shapeOf(sum)]++
	return isNew
}

// numberOf returns the place of a step in steps.
func (p *Pool) numberOf(id uint64) int32 {
	k, had := p.number.Get(id)
	if !had {
		k = int32(len(p.steps))
		p.number.Put(id, k)
		p.steps = append(p.steps, sight{mixed: hash.Mix(id)})
	}
	return k
}

// achieved returns how often a goal of criterion PCR was achieved.
func (p *Pool) achieved(g Goal) (times int32) {
	second := p.numberOf(g.Second)
	for _, next := range p.steps[p.numberOf(g.First)].next {
		if next == second {
			times++
		}
	}
	return times
}

// shapeOf returns the place of a shape, given the sum of its steps.
func (p *Pool) shapeOf(sum uint64) int32 {
	i, had := p.shapes.Add(sum, int32(len(p.times)))
	if !had {
		p.times = append(p.times, 0)
	}
	return i
}

// Keep keeps a run that See has just counted. by is the move that led to it, and may be
// zero. Keep returns nil when the pool is full.
func (p *Pool) Keep(t *trace.Trace, by Move) *Kept {
	if by.From != nil {
		by.From.tries = 0
	}
	if len(p.kept) == mostKept || len(t.Steps) == 0 {
		return nil
	}
	k := &Kept{Index: len(p.kept), base: p.reader.base(t), root: by.root, demands: by.demands}
	sum := uint64(0)
	k.fresh = k.base.Len()
	for i, s := range k.base.steps {
		at := &p.steps[p.numberOf(s.id)]
		sum += at.mixed
		if !at.kept {
			k.fresh = min(k.fresh, i)
		}
		at.kept = true
	}
	k.shape = p.shapeOf(sum)
	if k.root == nil {
		k.root = k.base
	}
	p.kept = append(p.kept, k)
	return k
}

// Failed records that an order could not be followed, which lowers the weight of its
// goal.
func (p *Pool) Failed(m Move) {
	if m.Goal != (Goal{}) {
		p.failed.Add(m.Goal)
	}
}

// Next makes a move, or the zero Move if the pool is empty.
func (p *Pool) Next(seed uint64) Move {
	if len(p.kept) == 0 {
		return Move{}
	}
	d := dice(seed)
	k := p.choose(&d)
	k.tries++
	switch {
	case d.oneIn(2):
		return p.cut(k, &d)
	case d.oneIn(2):
		return p.turn(k, &d)
	}
	return p.mutate(k, &d)
}

// choose draws a run.
func (p *Pool) choose(d *dice) *Kept {
	sum := 0
	p.odds = append(p.odds[:0], make([]int, len(p.kept))...)
	for i, k := range p.kept {
		if n := p.times[k.shape]; n*len(p.times) <= 2*p.runs {
			p.odds[i] = 1 + 1<<20/(max(n, 1)*(8+k.tries))
			sum += p.odds[i]
		}
	}
	if sum == 0 {
		return p.kept[d.below(len(p.kept))]
	}
	at := d.below(sum)
	for i, w := range p.odds {
		if at -= w; at < 0 {
			return p.kept[i]
		}
	}
	return nil // unreachable: the weights have this sum
}

// cut returns an order that keeps the beginning of a run, and leaves the rest open. Half
// of the orders keep everything before the first new step.
func (p *Pool) cut(k *Kept, d *dice) Move {
	from, n := 0, k.base.Len()
	if k.fresh < n && d.oneIn(2) {
		from = k.fresh
	}
	return k.move(k.base.whole()[:from+d.below(n-from)])
}

// turn returns an order that reverses two receives of a run: the rarest of a few pairs,
// where failures count as well. Half of the orders keep all other steps of the run that
// can still be expected.
func (p *Pool) turn(k *Kept, d *dice) Move {
	least, near := int32(-1), d.oneIn(2)
	var first, second int32
	for range 8 {
		x, y, ok := k.base.pair(d)
		if !ok {
			continue
		}
		goal := k.base.goal(PCR, y, x)
		if n := p.achieved(goal) + 8*p.failed.Times(goal); least < 0 || n < least {
			first, second, least = x, y, n
		}
	}
	if least < 0 {
		return p.cut(k, d)
	}
	prefix, tail := k.base.bring(k.base.whole(), first, second, true, PCR)
	if near {
		prefix = append(prefix, tail...)
	}
	m := k.move(prefix)
	m.Goal = k.base.goal(PCR, second, first)
	return m
}

// mutate changes the abstract schedule by which a run was made: it adds, removes or
// negates a demand.
func (p *Pool) mutate(k *Kept, d *dice) Move {
	demands := slices.Clone(k.demands)
	i := d.below(len(demands) + 1)
	switch {
	case i < len(demands) && d.oneIn(2):
		demands = slices.Delete(demands, i, i+1)
	case i < len(demands):
		demands[i].not = !demands[i].not
	default:
		x, y, ok := k.root.pair(d)
		if !ok {
			return p.cut(k, d)
		}
		if d.oneIn(2) {
			x, y = y, x
		}
		demands = append(demands, follow{x, y, d.oneIn(4)})
	}
	return Move{Order{Steps: k.root.identities(k.root.realize(demands))}, k, k.root, demands}
}

// move returns a move whose order is the given steps.
func (k *Kept) move(list []int32) Move {
	return Move{Order: Order{Steps: k.base.identities(list)}, From: k}
}

// pair draws two receives of one actor of which the second could come first.
func (b *Base) pair(d *dice) (x, y int32, ok bool) {
	for range 16 {
		y = int32(d.below(b.Len()))
		n := 0
		for range b.turnable(y) {
			n++
		}
		if n == 0 {
			continue
		}
		at := n - 1 - d.below(n)
		for x = range b.turnable(y) {
			if at--; at < 0 {
				return x, y, true
			}
		}
	}
	return 0, 0, false
}

// turnable yields the receives before y at its actor that need not come before y, the
// last one first. It yields none if y is not a receive that counts.
func (b *Base) turnable(y int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for x := b.steps[y].before; x != trace.None; x = b.steps[x].before {
			if !b.MustPrecede(int(x), int(y)) && !yield(x) {
				return
			}
		}
	}
}
