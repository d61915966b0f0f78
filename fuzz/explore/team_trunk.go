package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// The trunk is the part above the subtrees when several workers explore a tree depth-first.
// It grows with the search: if there are too few subtrees, one of them hands its first
// decisions to the trunk, and their untried answers begin new subtrees.
//
// A run marks what it requires above its subtree in the subtree's own copy of the trunk.
// These marks are merged between two rounds. So the trunk needs no lock, its marks depend
// only on the rounds, and there are no more marks than with a single worker.
//
// At a pick, the answers begun earlier sleep in the subtrees of those begun later, even if
// their own subtrees are not done: they will be. No answer begins before it is known what
// the steps of its sleepers touch.
type trunk struct {
	junctions []*junction // those with something open below, or something to begin
	touches   touches     // of all candidates of the trunk
	sleeps    bool
}

// A junction is a node of the trunk.
type junction struct {
	above   *junction // nil for the root of the tree
	answer  int32     // of the junction above that leads here
	node    node      // for a question, current is the answer that was begun last
	list    []candidate
	begun   []int32 // for each candidate, its position among those begun, from 1; 0 if it was not
	count   int32
	last    *subtree // that was begun last
	open    int      // how many subtrees and junctions below are not done
	changed bool     // in the last round
}

// A limb is a place in the trunk at which a subtree begins.
type limb struct {
	from   *junction // nil for the root of the tree
	answer int32     // of that junction
}

// putPath makes p the path to a limb, as seen from there: at each pick, the answers begun
// before the one taken are done.
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

// putDone marks the candidates that were begun before the current one.
func (j *junction) putDone(list []candidate, current int32) {
	for i := range list {
		if k := j.begun[i]; k > 0 && k < j.begun[current] {
			list[i].mark = list[i].mark&^todo | done
		}
	}
}

// divide makes junctions of the first nodes of a subtree, up to the first with another
// answer to take. It reports whether there is one.
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

// hasNext reports whether another answer of a node is to be taken.
func (p *path) hasNext(n *node) bool {
	if n.kind != picks {
		return n.current+1 < n.answers
	}
	for i, c := range p.of(n) {
		if int32(i) != n.current && c.isOpen() {
			return true
		}
	}
	return n.nextGroup && n.groupEnd < n.answers
}

// isOpen reports whether a candidate is marked and was not taken.
func (c *candidate) isOpen() bool { return c.mark&(todo|done|asleep) == todo }

// add makes a junction of the first node of a subtree.
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

// number returns the trunk's number for a candidate's set of touches.
func (k *trunk) number(set []trace.Touch, c *candidate) int32 {
	if len(set) == 0 || c.kind == aPass {
		return 0
	}
	return k.touches.number(set)
}

// take merges what a subtree has marked above it, and what it has learned of the steps
// there.
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

// learn notes what a candidate's step touched in a subtree. With other answers to its
// questions it may have touched something else in another subtree.
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

// takeMarks merges the marks of a copy of the junction.
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

// markGroups marks DCUTE's next groups as soon as they are required.
func (j *junction) markGroups() {
	for n := &j.node; n.nextGroup && n.groupEnd < n.answers; j.changed = true {
		n.markGroup(j.list, j.list[n.groupEnd].actor)
	}
}

// give passes the marks of others above a subtree to it.
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

// leave notes that something below a junction is done.
func (k *trunk) leave(j *junction) {
	for ; j != nil; j = j.above {
		if j.open--; j.open > 0 || j.next() >= 0 {
			return
		}
	}
}

// prune forgets completed junctions.
func (k *trunk) prune() {
	k.junctions = slices.DeleteFunc(k.junctions, func(j *junction) bool {
		j.changed = false
		return j.open == 0 && j.next() < 0
	})
}

// next returns the next answer of a junction to begin, -1 if there is none.
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

// isLastKnown reports whether everything is known that the step of the answer begun last can
// touch: whether it was run with all answers to its questions.
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

// isPastStep reports whether the step that leads to a subtree was run with all answers to
// its questions. The last node of a path is one with an untried answer.
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

// begin begins the next answer of a junction, if one can begin now.
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

// way returns the way to explore the subtree of a limb, reusing a completed one unless that
// is nil.
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
