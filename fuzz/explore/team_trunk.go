package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// When several workers explore a tree depth-first, the trunk is the part of the tree
// above their subtrees. If there are too few subtrees, the first decisions of a subtree
// are moved to the trunk, and the untried answers of these decisions become the roots of
// new subtrees.
//
// If a run in a subtree requires a candidate above the subtree, the candidate is marked
// in the subtree's own copy of the trunk. The marks of all copies are merged between two
// rounds. So the trunk needs no lock, its marks depend only on the rounds, and there are
// no more marks than with a single worker.
//
// At a choice point of the trunk, a candidate that was begun earlier sleeps in the
// subtrees of candidates begun later. The subtree of the earlier candidate need not be
// done by then, because it will be explored anyway. No candidate is begun before the
// accesses (see trace.Touch) by the steps of the sleeping candidates are known.
type trunk struct {
	junctions []*junction // the nodes of the trunk that have unfinished subtrees or answers that were not begun
	touches   touches     // the accesses by all candidates of the trunk
	sleeps    bool
}

// A junction is a node of the trunk: a decision above some subtrees.
type junction struct {
	above   *junction   // nil for the root of the tree
	answer  int32       // the alternative, at the parent junction, that leads to this junction
	node    node        // the decision; if it is no choice point, node.current is the alternative that was begun last
	list    []candidate // the candidates of a choice point
	begun   []int32     // for each candidate, its position (from 1) in the order in which candidates were begun; 0 if not begun
	count   int32       // the highest position in the field begun
	last    *subtree    // the subtree that was begun last
	open    int         // the number of unfinished subtrees and junctions directly below
	changed bool        // set if marks changed in the last round
}

// A limb is a place in the trunk at which a subtree begins.
type limb struct {
	from   *junction // nil for the root of the tree
	answer int32     // the alternative of junction `from` that leads to the subtree
}

// putPath makes p the path to l, the place of a subtree in the trunk. At each choice
// point, it marks as done the candidates whose subtrees were begun before that of the
// taken candidate.
func (l limb) putPath(p *path) {
	var chain []limb
	size := 0
	for ; l.from != nil; l = (limb{l.from.above, l.from.answer}) {
		chain = append(chain, l)
		size += len(l.from.list)
	}
	p.nodes, p.candidates, p.floor = slices.Grow(p.nodes[:0], 2*len(chain)), slices.Grow(p.candidates[:0], 2*size), len(chain)
	for _, l := range slices.Backward(chain) {
		n := l.from.node
		n.current = l.answer
		if n.kind == picks {
			n.first = int32(len(p.candidates))
			p.candidates = append(p.candidates, l.from.list...)
			l.from.putDone(p.of(&n), l.answer)
		}
		p.nodes = append(p.nodes, n)
	}
}

// putDone marks as done the candidates that were begun before the current one.
func (j *junction) putDone(list []candidate, current int32) {
	for i := range list {
		if k := j.begun[i]; k > 0 && k < j.begun[current] {
			list[i].mark = list[i].mark&^todo | done
		}
	}
}

// divide moves the first nodes of a subtree to the trunk, up to the first node that has
// an answer still to be taken. It returns false if there is no such node.
func (k *trunk) divide(t *subtree) bool {
	d := t.way.(*depthFirst)
	p := &d.walker.path
	at := p.floor
	for at < len(p.nodes) && !p.hasNext(&p.nodes[at]) {
		at++
	}
	if at == len(p.nodes) {
		return false
	}
	for ; p.floor <= at; p.floor++ {
		k.add(t, p, &p.nodes[p.floor], &d.walker.sleeping.touches)
	}
	return true
}

// add moves the first node of a subtree to the trunk, as a junction.
func (k *trunk) add(t *subtree, p *path, n *node, known *touches) {
	j := &junction{above: t.limb.from, answer: t.limb.answer, node: *n, last: t, open: 1}
	if n.kind == picks {
		j.list, j.begun, j.count = slices.Clone(p.of(n)), make([]int32, n.answers), 2
		for i := range j.list {
			c := &j.list[i]
			if c.mark&done != 0 {
				j.begun[i] = 1
			}
			c.mark &^= done
			c.touchSet = k.number(known.of(c), c)
		}
		j.begun[n.current] = 2
		j.markGroups()
	}
	k.junctions = append(k.junctions, j)
	t.limb = limb{j, n.current}
}

// number returns the number, in k.touches, of a candidate's set of accesses. It returns 0
// if the set is empty.
func (k *trunk) number(set []trace.Touch, c *candidate) int32 {
	if len(set) == 0 || c.kind == aPass {
		return 0
	}
	return k.touches.number(set)
}

// take merges into the trunk the marks that a subtree has made on nodes above it, and the
// accesses of the steps taken there.
func (k *trunk) take(t *subtree) {
	d := t.way.(*depthFirst)
	p := &d.walker.path
	i := p.floor
	for j := t.limb.from; j != nil; j = j.above {
		i--
		n := &p.nodes[i]
		if n.kind != picks {
			continue
		}
		j.takeMarks(n, p.of(n))
		k.learn(&j.list[n.current], d.walker.sleeping.touches.of(p.taken(n)))
	}
}

// learn adds accesses by the step of c, a candidate of the trunk, that a subtree has
// found. They may differ between subtrees, because the choices within the step differ.
func (k *trunk) learn(c *candidate, more []trace.Touch) {
	known := k.touches.of(c)
	set := slices.Clip(known)
	for _, x := range more {
		if !slices.Contains(set, x) {
			set = append(set, x)
		}
	}
	if len(set) > len(known) {
		c.touchSet = k.number(set, c)
	}
}

// takeMarks merges into j, a node of the trunk, the marks of a subtree's copy of that
// node.
func (j *junction) takeMarks(n *node, list []candidate) {
	for i := range list {
		c := &j.list[i]
		mark := c.mark | list[i].mark&todo
		if list[i].mark&asleep == 0 { // see markPasses
			mark &^= asleep
		}
		j.changed = j.changed || mark != c.mark
		c.mark = mark
	}
	j.changed = j.changed || n.opened && !j.node.opened
	j.node.opened = j.node.opened || n.opened
	if n.nextGroup && n.groupEnd == j.node.groupEnd {
		j.node.nextGroup = true
		j.markGroups()
	}
}

// markGroups marks the next group of messages for DCUTE, and further groups as long as the last
// marked group requires another one.
func (j *junction) markGroups() {
	for n := &j.node; n.nextGroup && n.groupEnd < n.answers; j.changed = true {
		n.markGroup(j.list, j.list[n.groupEnd].actor)
	}
}

// give copies the marks of the trunk to a subtree's own copy of the trunk.
func (k *trunk) give(t *subtree) {
	p := &t.way.(*depthFirst).walker.path
	i := p.floor
	for j := t.limb.from; j != nil; j = j.above {
		if i--; !j.changed {
			continue
		}
		n := &p.nodes[i]
		n.opened = j.node.opened
		list := p.of(n)
		for i := range list {
			list[i].mark = list[i].mark&^asleep | j.list[i].mark&(todo|asleep)
		}
	}
}

// leave records that a subtree below junction j is done.
func (k *trunk) leave(j *junction) {
	for ; j != nil; j = j.above {
		if j.open--; j.open > 0 || j.next() >= 0 {
			return
		}
	}
}

// prune removes completed junctions, and resets the field changed of all others.
func (k *trunk) prune() {
	k.junctions = slices.DeleteFunc(k.junctions, func(j *junction) bool {
		j.changed = false
		return j.open == 0 && j.next() < 0
	})
}

// next returns the next answer of a junction at which a subtree must begin, -1 if there
// is none.
func (j *junction) next() int32 {
	if j.node.kind == picks {
		for i := range j.list {
			if j.begun[i] == 0 && j.list[i].isOpen() {
				return int32(i)
			}
		}
	} else if j.node.current+1 < j.node.answers {
		return j.node.current + 1
	}
	return -1
}

// isLastKnown reports whether the step of the candidate begun last was run with all
// alternatives of its choices. Then all possible accesses of the step are known.
func (j *junction) isLastKnown() bool {
	below := j.last.limb.from
	if below == j {
		return j.last.isPastStep()
	}
	for below.above != j {
		below = below.above
	}
	return below.node.kind != asks || below.open == 0 && below.next() < 0
}

// isPastStep reports whether the step that leads to a subtree was run with all
// alternatives of its choices.
func (t *subtree) isPastStep() bool {
	switch {
	case t.finished:
		return true
	case t.start != nil:
		return false
	}
	p := &t.way.(*depthFirst).walker.path
	for _, n := range p.nodes[p.floor:] {
		if n.kind != asks {
			return true
		}
		if n.current+1 < n.answers {
			return false
		}
	}
	return false
}

// begin makes the subtree of the next answer of a junction. It returns false if no answer
// can begin now.
func (k *trunk) begin(j *junction, make func(limb) *subtree) bool {
	i := j.next()
	if i < 0 || j.node.kind == picks && k.sleeps && !j.isLastKnown() {
		return false
	}
	if j.node.kind == picks {
		j.count++
		j.begun[i] = j.count
	} else {
		j.node.current = i
	}
	j.open++
	j.last = make(limb{j, i})
	return true
}

// way returns the algorithm that explores the subtree at l, a place in the trunk. It
// reuses the algorithm `old` unless that is nil.
func (k *trunk) way(s *search, l limb, old way) way {
	d, is := old.(*depthFirst)
	if !is {
		d = newDepthFirst(s)
	}
	d.beginAnew(s)
	l.putPath(&d.walker.path)
	d.walker.sleeping.touches.copy(&k.touches)
	d.shared = d.walker.sharedSteps()
	return d
}
