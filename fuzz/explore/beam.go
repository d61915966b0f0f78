package explore

import "github.com/jostle-go/jostle/pulse/hash"

// The number of distinct orders is estimated by stochastic enumeration
// (Rubinstein 2013; Vaisman and Kroese 2017) on the tree of the optimal search.
// Each node of that tree is a run, and its children, the runs that vary it in
// one place, are known when it is over, without anything that was run before;
// see optimal. So the tree can be gone through level by level, of each level
// only so many nodes: those that are run stand for those that are not.
//
// Which are run is drawn with a chance in proportion to how many runs the
// child seems to have below it. That is the product of how many ways there
// are to vary each later step of its parent, which is exact where no step's
// choices depend on another's. Where it is exact for all children, and it is
// for programs like pi, so is the estimate.

// A beam goes through levels of the optimal search's tree.
type beam struct {
	varier *varier
	random *uint64
	points []point // of the level
	next   []point
	turns  []turn // what the points can be varied to
	// ways is, of each step of a run, in how many ways it can be varied, its
	// own included; after is the product of those of all later steps.
	ways, after []float64
	levels      int  // of the round before
	lost        bool // the optimal search cannot go through the program
}

// A point is a node of the level: a frame to be run.
type point struct {
	frame *frame
	from  int // the first step that differs from its parent's run
	kept  int // how many answers of the step at the frame's base are not varied
	// stands is how many nodes of the tree it stands for.
	stands float64
}

// A turn is one way to vary the run of a point.
type turn struct {
	point, step int
	revisit     int     // which of the frame's; -1 for none
	value       int     // the how manyth other value of the step, from 1 on, if it is no revisit
	share       float64 // how many runs seem to be below, of the whole level's
}

func newBeam(program Program) *beam {
	return &beam{varier: newExplorer(program, Options{}).newVarier()}
}

// enumerate goes through the tree with at most so many nodes of each level.
// It returns how many there seem to be in all, and how many were run.
func (b *beam) enumerate(width int, random *uint64) (total float64, runs int) {
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
			if b.lost {
				return 0, runs
			}
		}
		b.draw(width)
		b.points, b.next = b.next, b.points
	}
	return min(total, hugeTree), runs
}

// run runs a point. It is false when there is no such order.
func (b *beam) run(p *point) bool {
	v := b.varier
	v.frames, v.depth = append(v.frames[:0], p.frame), 1
	taken := v.take(p.from)
	b.lost = v.follower.beyond || v.verdict.Nondeterminism != ""
	if !taken { // the run has failed: it counts, and what it can be varied to is known
		v.verdict.Bound = ""
		return !b.lost
	}
	return v.depth > 0
}

// vary lists what a run can be varied to.
func (b *beam) vary(i int) {
	p := &b.points[i]
	f := p.frame
	b.count(p)
	for k := f.base; k < len(f.steps); k++ {
		for value := range p.values(k) {
			b.turns = append(b.turns, turn{i, k, -1, value + 1, p.stands * b.after[k]})
		}
		for r := f.revisitsBefore(k); r < int(f.steps[k].revisits); r++ {
			b.turns = append(b.turns, turn{i, k, r, 0, p.stands * b.below(f, k, int(f.revisits[r].step))})
		}
	}
}

// values is how many other values a step has: other messages, and for each
// question that it asked, other answers.
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

// count counts the ways of each step.
func (b *beam) count(p *point) {
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

// below is how many runs seem to be below a revisit by step k of step r: the
// steps that it drops can be varied again.
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

// draw makes the next level of the turns: of all, or of as many as the beam is
// wide. Each has a chance in proportion to its share, and they are drawn
// together (systematic sampling), so that their number is fixed.
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

// scale is what the shares are multiplied by so that the chances, of which
// none is more than 1, add up to the width.
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
		g.child(f, t.step, r)
		return point{g, int(r.step), 0, p.stands}
	}
	g.copy(f, t.step)
	for range t.value {
		g.vary()
	}
	kept := len(g.answersOf(t.step))
	g.fix(t.step)
	return point{g, t.step, kept, p.stands}
}

// copy makes f the first steps of another frame, up to a last one.
func (f *frame) copy(g *frame, last int) {
	s := g.steps[last]
	f.steps = append(f.steps[:0], g.steps[:last+1]...)
	f.alts = append(f.alts[:0], g.alts[:s.alts]...)
	f.answers = append(f.answers[:0], g.answers[:s.answers]...)
	f.revisits = append(f.revisits[:0], g.revisits[:g.revisitsBefore(last)]...)
	f.past, f.words = append(f.past[:0], g.past[:(last+1)*g.words]...), g.words
	f.steps[last].revisits = int32(len(f.revisits))
}

// fix leaves a frame only what its run will find from its last step on.
func (f *frame) fix(last int) {
	alts, _, _ := f.ends(last - 1)
	f.base = last
	f.alts, f.steps[last].alts = f.alts[:alts], alts
}
