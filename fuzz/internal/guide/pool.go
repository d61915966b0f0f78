package guide

import (
	"iter"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostKept is how many runs a pool keeps at most.
const mostKept = 256

// A Pool keeps the runs that showed something new, and makes orders from them. It
// is not told what is new: who uses it decides.
//
// Which run is chosen depends on how often runs like it were seen: two runs are of
// one shape when the same steps were taken in them, in whatever order. The runs of
// rare shapes are chosen most, and those of shapes that are seen more often than the
// average, not at all, as the power schedule of reads-from fuzzing does (Wolff et
// al., ASPLOS 2024). A shape that is rare lies behind orders that are rare.
//
// The zero Pool is empty. What it returns follows from the seeds and from what it is
// told. It takes four bytes for each step of each run that it sees, of which it looks at
// the first 512: whoever uses it begins anew now and then.
type Pool struct {
	kept   []*Kept
	shapes hash.Table // by shape, which is the sum of its steps, mixed: its place in times
	times  []int      // by shape: how many runs had it
	runs   int
	reader closure
	odds   []int      // by run that is kept, in choose
	number hash.Table // by step: its place in steps
	steps  []sight
	last   []int32 // by actor of the run that is seen: its last receive that counts, None before the first
	failed Goals   // goals for which an order was made that did not come true
}

// A sight is what is known of a step that was seen.
type sight struct {
	mixed uint64  // its identity, mixed
	kept  bool    // a run with it was kept
	next  []int32 // the steps that came right after it at its actor, for each run
}

// Kept is a run that a pool keeps.
type Kept struct {
	// Index is how many runs were kept before it.
	Index int

	base    *Base
	fresh   int   // the first of its steps that no run before had; the number of its steps if none
	shape   int32 // its place in Pool.times
	tries   int   // orders that were made from it since one of them led to something new
	root    *Base
	demands []follow // the abstract schedule by which it was made of root
}

// A Move is what a pool makes of a run that it keeps.
type Move struct {
	Order
	From *Kept

	root    *Base
	demands []follow
}

// Len returns how many runs are kept.
func (p *Pool) Len() int { return len(p.kept) }

// See tells the pool of a run: what it has achieved is less rare from now on. It
// reports whether the run took steps that no run before that is kept has taken.
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

// achieved returns how often a goal by PCR was achieved.
func (p *Pool) achieved(g Goal) (times int32) {
	second := p.numberOf(g.Second)
	for _, next := range p.steps[p.numberOf(g.First)].next {
		if next == second {
			times++
		}
	}
	return times
}

// shapeOf returns the place of a shape, by the sum of its steps.
func (p *Pool) shapeOf(sum uint64) int32 {
	i, had := p.shapes.Add(sum, int32(len(p.times)))
	if !had {
		p.times = append(p.times, 0)
	}
	return i
}

// Keep keeps a run that has just been seen. By is the move by which it was made; it
// may be the zero Move. It returns nil when the pool is full.
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

// Failed tells the pool that an order did not come true: its goal is worth less.
func (p *Pool) Failed(m Move) {
	if m.Goal != (Goal{}) {
		p.failed.Add(m.Goal)
	}
}

// Next makes a move; of an empty pool it is the zero Move.
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

// choose chooses a run.
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
	return nil // not reached: the weights have this sum
}

// cut returns an order that keeps the beginning of a run, and leaves the rest open:
// in half of them from somewhere in what was new in it.
func (p *Pool) cut(k *Kept, d *dice) Move {
	from, n := 0, k.base.Len()
	if k.fresh < n && d.oneIn(2) {
		from = k.fresh
	}
	return k.move(k.base.whole()[:from+d.below(n-from)])
}

// turn returns an order that turns two receives of a run round: of a few pairs the
// one that was seen the fewest times so and failed the fewest times. In half of the
// orders all else comes as in the run, as far as it can be known to come at all.
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

// mutate returns an order by the abstract schedule by which a run was made, with one
// demand more, one less, or one negated.
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

// move returns a move by which the given steps come first.
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

// turnable goes through the receives of its actor before step y that need not come before
// it, the last one first. There are none if y is no receive that counts.
func (b *Base) turnable(y int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for x := b.steps[y].before; x != trace.None; x = b.steps[x].before {
			if !b.MustPrecede(int(x), int(y)) && !yield(x) {
				return
			}
		}
	}
}
