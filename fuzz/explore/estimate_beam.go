package explore

import (
	"time"

	"github.com/jostle-go/jostle/pulse/hash"
)

// The number of distinct orders is estimated by stochastic enumeration (Rubinstein 2013;
// Vaisman and Kroese 2017) on the tree of the optimal search. Each node of that tree is a
// run. The children of a run are the runs that vary the parent run in one place. The
// children are known at the end of the parent run, and do not depend on earlier runs (see
// optimal). So the tree can be explored level by level. Only a sample of the nodes of
// each level is run. The sample stands for all nodes of the level.
//
// Nodes are drawn with a probability proportional to the presumed number of runs below
// them. The presumed number is the product, over all later steps of the parent, of the
// number of ways to vary the step. The presumed number is exact if the choices of
// different steps are independent. If the presumed number is exact for all nodes, the
// estimate is exact too.

// A beam explores a sample of the optimal search's tree, level by level.
type beam struct {
	optimal *optimal
	random  *uint64
	points  []point // the nodes of the current level
	next    []point // the nodes of the next level
	turns   []turn  // all variations of the runs of the points
	// ways holds, for each step of a run, the number of values that the step can
	// take, including the current value. after holds, for each step, the product of
	// the ways of all later steps.
	ways, after []float64
	levels      int  // the number of levels of the tree in the last round
	lost        bool // set if the optimal search does not support the program
}

// A point is a node in a level of the tree. It is a frame (a prefix of decisions) that is
// run in this level.
type point struct {
	frame  *frame
	shared int // the number of steps shared with the parent's run
	kept   int // in the first step that may vary (at frame.base), the number of choices whose values are fixed
	// stands is the number of nodes of the tree for which the point stands.
	stands float64
}

// A turn is one variation of a point's run. It is a revisit, or one step takes a
// different message or makes a different choice.
type turn struct {
	point   int     // the index of the point
	step    int     // the varied step
	revisit int     // if the turn is a revisit: its index in the frame's list revisits; else -1
	value   int     // the number, from 1, of the alternative value that the step takes; 0 for a revisit
	share   float64 // the presumed number of runs below this variation
}

func newBeam(w Worker) *beam {
	b := &beam{optimal: newOptimal(newSearch(&Options{}, w, time.Now(), true))}
	b.optimal.estimates = true
	return b
}

// enumerate runs at most `width` nodes per level of the tree. It returns the estimated
// number of nodes of the tree, and the number of nodes that were run. The result whole is
// false if the optimal search does not support the program, or the time is over.
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

// run performs the run of a point. It returns false if no run can have the point's order, or if it
// sets b.lost. A failed run counts like any other, because its variations are known.
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

// vary adds the variations of point i to b.turns. Point i must have been run.
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

// values returns the number of alternative values of a step. They are alternative
// messages, and alternative results of each choice in the step.
func (p *point) values(step int) int {
	f := p.frame
	alts, _, _ := f.ends(step - 1)
	n := int(f.steps[step].alts - alts)
	for _, q := range p.asked(step) {
		n += int(q.n) - 1
	}
	return n
}

// asked returns the choices of a step whose results are not fixed.
func (p *point) asked(step int) []reply {
	list := p.frame.answersOf(step)
	if step == p.frame.base {
		return list[p.kept:]
	}
	return list
}

// countWays sets b.ways and b.after for the last run, which is the run of point p.
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

// below returns the presumed number of runs below a revisit of step r by step k. The steps that the
// revisit drops can vary again, so the number is multiplied by the number of values that each of
// them can take.
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

// draw makes the next level from all turns. If there are more turns than width, it makes
// the level from a sample of turns. The probability of a turn is proportional to
// turn.share. Systematic sampling keeps the size of the sample fixed.
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

// scale returns the factor by which the turns' shares are multiplied to get
// probabilities. Each probability is at most 1, and the sum of all probabilities is
// width.
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

// turned returns the point (the frame to run) that a turn leads to.
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
