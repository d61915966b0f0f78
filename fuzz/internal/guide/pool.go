package guide

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mostKept is the maximum number of runs that a pool keeps.
const mostKept = 256

// A Pool keeps runs and makes orders from them. The caller decides which runs to keep, for
// example the runs with a new receive pair.
//
// Runs are chosen by their shapes. Two runs have the same shape if they took the same
// steps, in any order. Runs with rare shapes are chosen most. Runs with shapes that were
// seen more than twice as often as the average are not chosen. This follows the power
// schedule of reads-from fuzzing (Wolff et al., ASPLOS 2024), because rare orders lead to
// rare shapes.
//
// The zero Pool is empty. Results depend only on the seeds and the runs it has seen. A Pool
// grows by four bytes for each of the first 512 steps of each run, so a long search should
// replace it now and then.
type Pool struct {
	kept   []*Kept
	shapes hash.Table // maps a shape to its index in times; a shape is the sum of sight.mixed over a run's steps
	times  []int      // has an element for each shape: the number of runs with the shape
	runs   int
	reader closure
	odds   []int      // has an element for each kept run: its weight in the method choose
	number hash.Table // maps the identity of a step to its index in steps
	steps  []sight
	places places // of the run that See counts; has the index in steps of the last receive that counts
	failed Goals  // the goals of the orders that no run could follow
}

// A sight describes a step that occurred in some run.
type sight struct {
	mixed uint64  // a hash of the step's identity
	kept  bool    // set if a kept run has the step
	next  []int32 // the next receive at the same place, for each run with the step
}

// A Kept is a run that a Pool keeps.
type Kept struct {
	// Index is the number of runs that were kept before this one.
	Index int

	base    *Base
	fresh   int   // the index of the first step that no earlier kept run had, or the number of steps
	shape   int32 // the index of the run's shape in Pool.times
	tries   int   // the number of orders made from this run since one of them last led to something new
	root    *Base
	demands []follow // the abstract schedule (see follow) that led from the run root to this run
}

// A Move is an order that a Pool makes from a kept run.
type Move struct {
	Order
	From *Kept

	root    *Base
	demands []follow
}

// Len returns the number of kept runs.
func (p *Pool) Len() int { return len(p.kept) }

// See counts a run, its shape and its goals. isNew reports whether the run has a step that
// no kept run has.
func (p *Pool) See(t *trace.Trace) (isNew bool) {
	p.runs++
	sum := uint64(0)
	p.places.begin(t)
	for i := range t.Steps[:min(len(t.Steps), mostSteps)] {
		st := &t.Steps[i]
		k := p.numberOf(st.ID)
		at := &p.steps[k]
		sum += at.mixed
		isNew = isNew || !at.kept
		if place := p.places.of(i); counts(st) {
			if last := p.places.put(place, k); last != trace.None {
				p.steps[last].next = append(p.steps[last].next, k)
			}
		}
	}
	p.places.trace = nil
	p.times[p.shapeOf(sum)]++
	return isNew
}

// numberOf returns the index of a step in p.steps. It adds the step if it is new.
func (p *Pool) numberOf(id uint64) int32 {
	k, had := p.number.Get(id)
	if !had {
		k = int32(len(p.steps))
		p.number.Put(id, k)
		p.steps = append(p.steps, sight{mixed: hash.Mix(id)})
	}
	return k
}

// achieved returns the number of runs that achieved a goal of criterion PCR.
func (p *Pool) achieved(g Goal) (times int32) {
	second := p.numberOf(g.Second)
	for _, next := range p.steps[p.numberOf(g.First)].next {
		if next == second {
			times++
		}
	}
	return times
}

// shapeOf returns the index in p.times of the shape with the given sum. It adds the shape
// if it is new.
func (p *Pool) shapeOf(sum uint64) int32 {
	i, had := p.shapes.Add(sum, int32(len(p.times)))
	if !had {
		p.times = append(p.times, 0)
	}
	return i
}

// Keep adds a run to the kept runs and returns the Kept. See must have counted the run
// just before. by is the Move from which the run was planned, or the zero Move. Keep
// returns nil if the pool is full or the run has no steps.
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

// Failed records that no run could follow the order of m. This lowers the weight of its
// goal.
func (p *Pool) Failed(m Move) {
	if m.Goal != (Goal{}) {
		p.failed.Add(m.Goal)
	}
}

// Next returns a move, or the zero Move if the pool is empty.
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
	return nil // unreachable: the weights add up to the sum
}

// cut returns an order that repeats some first steps of a run. If the run has a step that
// no earlier kept run had, half of the orders repeat at least the steps before that step.
func (p *Pool) cut(k *Kept, d *dice) Move {
	from, n := 0, k.base.Len()
	if k.fresh < n && d.oneIn(2) {
		from = k.fresh
	}
	return k.move(k.base.whole()[:from+d.below(n-from)])
}

// turn returns an order that reverses two receives of a run. It chooses a few pairs of
// receives at random, and takes the pair whose reversal was least often achieved or found
// infeasible. Half of the orders also have the later steps of the run that do not depend
// on the two receives.
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
	prefix, tail := k.base.bring(nil, nil, k.base.whole(), first, second, true, PCR)
	if near {
		prefix = append(prefix, tail...)
	}
	m := k.move(prefix)
	m.Goal = k.base.goal(PCR, second, first)
	return m
}

// mutate adds, removes or negates one demand in the abstract schedule that led to a run.
// It returns an order that meets the changed demands.
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

func (k *Kept) move(list []int32) Move {
	return Move{Order: Order{Steps: k.base.identities(list)}, From: k}
}
