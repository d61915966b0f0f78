package explore

import (
	"time"

	"github.com/jostle-go/jostle/pulse/hash"
)

// The number of distinct orders is estimated by stochastic enumeration
// (Rubinstein 2013; Vaisman and Kroese 2017) on the tree of the optimal search.
// Each node of that tree is a run. Its children are the runs that vary it in
// one place; they are known as soon as it is over, whatever was run before it
// (see optimal). So the tree can be gone through level by level. Of each level
// a limited number of nodes is run, and they stand for those that are not.
//
// Which nodes are run is drawn, with a chance in proportion to how many runs a
// node seems to have below it: the product of the numbers of ways to vary each
// later step of its parent. That is exact where the choices of one step do not
// depend on those of another. Where it is exact for all nodes, as in programs
// like pi, so is the estimate.

// A beam goes through levels of the optimal search's tree.
type beam struct {
	optimal *optimal
	random  *uint64
	points  []point // of the level
	next    []point // of the next level
	turns   []turn  // what the points can be varied to
	// ways holds, for each step of a run, in how many ways it can be varied,
	// with the one that it has; after holds the product of those of all later
	// steps.
	ways, after []float64
	levels      int  // of the round before
	lost        bool // the optimal search cannot go through the program
}

// A point is a node of the level: a frame to be run.
type point struct {
	frame  *frame
	shared int // how many steps it has in common with its parent's run
	kept   int // how many answers of the step at the frame's base are not varied
	// stands is how many nodes of the tree it stands for.
	stands float64
}

// A turn is one way to vary the run of a point: in one step, by a revisit or by
// another value.
type turn struct {
	point, step int
	revisit     int     // its place among the frame's revisits; -1 for another value
	value       int     // counts the step's other values, from 1
	share       float64 // how many runs seem to be below it
}

func newBeam(w Worker) *beam {
	b := &beam{optimal: newOptimal(newSearch(&Options{}, w, time.Now(), true))}
	b.optimal.estimates = true
	return b
}

// enumerate goes through the tree with at most so many nodes of each level.
// It returns how many there seem to be in all, and how many were run. It is not
// whole when the optimal search cannot go through the program, or when it is late.
func (b *beam) enumerate(width int, random *uint64, late func() bool) (total float64, runs int, whole bool) {
	b.random, b.levels = random, 0
	b.points = append(b.points[:0], point{frame: &frame{}, stands: 1})
	for ; len(b.points) > 0; b.levels++ {
		b.turns = b.turns[:0]
		for i := range b.points {
			runs++
			if b.run(&b.points[i]) {
				total += b.points[i].stands
				b.vary(i)
			}
			if b.lost || late() {
				return 0, runs, false
			}
		}
		b.draw(width)
		b.points, b.next = b.next, b.points
	}
	return min(total, hugeTree), runs, true
}

// run runs a point. It reports whether there is such an order. A run that
// fails is one, and what it can be varied to is known.
func (b *beam) run(p *point) bool {
	o := b.optimal
	o.startAt(frameRoot{p.frame, p.shared})
	goesOn := o.runTop()
	r := &o.tally.result
	b.lost = o.follower.askedBetween || r.Nondeterminism != ""
	if !goesOn {
		r.Bound = NoBound
		return !b.lost
	}
	return o.depth > 0
}

// vary lists what a run can be varied to.
func (b *beam) vary(i int) {
	p := &b.points[i]
	f := p.frame
	b.countWays(p)
	for k := f.base; k < len(f.steps); k++ {
		for value := range p.values(k) {
			b.turns = append(b.turns, turn{i, k, -1, value + 1, p.stands * b.after[k]})
		}
		for r := f.revisitsBefore(k); r < int(f.steps[k].revisits); r++ {
			b.turns = append(b.turns, turn{i, k, r, 0, p.stands * b.below(f, k, int(f.revisits[r].step))})
		}
	}
}

// values returns how many other values a step has: other messages, and other
// answers to each question that it asked.
func (p *point) values(step int) int {
	f := p.frame
	alts, _, _ := f.ends(step - 1)
	n := int(f.steps[step].alts - alts)
	for _, q := range p.asked(step) {
		n += int(q.n) - 1
	}
	return n
}

// asked returns the answers of a step that are to be varied.
func (p *point) asked(step int) []reply {
	list := p.frame.answersOf(step)
	if step == p.frame.base {
		return list[p.kept:]
	}
	return list
}

// countWays counts the ways to vary each step.
func (b *beam) countWays(p *point) {
	f := p.frame
	n := len(f.steps)
	b.ways, b.after = grown(b.ways, n), grown(b.after, n)
	for k := range f.steps {
		b.ways[k] = 1
		if k >= f.base {
			alts, _, _ := f.ends(k - 1)
			b.ways[k] += float64(f.steps[k].alts - alts)
			for _, q := range p.asked(k) {
				b.ways[k] *= float64(q.n)
			}
		}
	}
	for _, r := range f.revisits {
		b.ways[r.step]++
	}
	product := 1.0
	for k := n - 1; k >= 0; k-- {
		b.after[k] = product
		product = min(product*b.ways[k], hugeTree)
	}
}

// below returns how many runs seem to be below a revisit by step k of step r:
// the steps that it drops can be varied again.
func (b *beam) below(f *frame, k, r int) float64 {
	product := b.after[k]
	set := f.past[k*f.words:]
	for i := r + 1; i < k; i++ {
		if !has(set, int32(i)) {
			product = min(product*b.ways[i], hugeTree)
		}
	}
	return product
}

// draw makes the next level: of all turns, or of as many as the beam is wide.
// Each turn has a chance in proportion to its share. They are drawn together,
// by systematic sampling, so that their number is fixed.
func (b *beam) draw(width int) {
	b.next = b.next[:0]
	scale := 0.0
	if len(b.turns) > width {
		scale = b.scale(width)
	}
	at := float64(hash.Splitmix(b.random)>>11) / (1 << 53)
	for i := range b.turns {
		t, chance := &b.turns[i], 1.0
		if scale > 0 {
			chance = min(1, t.share*scale)
			if at += chance; at < 1 {
				continue
			}
			at--
		}
		p := b.turned(t)
		p.stands /= chance
		b.next = append(b.next, p)
	}
}

// scale returns the factor by which shares become chances: none is more than 1,
// and they add up to the width.
func (b *beam) scale(width int) float64 {
	scale := 0.0
	for {
		certain, rest := 0, 0.0
		for i := range b.turns {
			if share := b.turns[i].share; share*scale >= 1 {
				certain++
			} else {
				rest += share
			}
		}
		if certain >= width {
			return scale
		}
		next := float64(width-certain) / rest
		if next <= scale {
			return scale
		}
		scale = next
	}
}

// turned makes the point that a turn leads to.
func (b *beam) turned(t *turn) point {
	p := &b.points[t.point]
	f, g := p.frame, &frame{}
	if t.revisit >= 0 {
		r := f.revisits[t.revisit]
		g.revisit(f, t.step, r)
		return point{g, int(r.step), 0, p.stands}
	}
	g.copyUpTo(f, t.step)
	for range t.value {
		g.vary()
	}
	kept := len(g.answersOf(t.step))
	g.fix(t.step)
	return point{g, t.step, kept, p.stands}
}
