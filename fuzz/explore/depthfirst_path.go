package explore

// A node is one decision of the run that is on the path. The path is all of
// the tree that is kept: subtrees that are done are forgotten, as in Eta
// (section 3.2).
type node struct {
	digest uint64 // of what had happened before: if it differs, the program does not repeat itself
	// first is, of a pick, where its candidates begin in the path's list; of
	// turns, the index of the message that is taken first.
	first      int32
	answers    int32 // how many there are
	current    int32 // the answer that is taken now
	step       int32 // how many steps came before, early passes of time not counted
	pickBefore int32 // the last pick before this node; -1 when there is none
	budget     int32 // how many delays or preemptions are left
	lastActor  int32 // the actor of the step before, when preemptions are bounded; -1 for none
	kind       kind
	// groupEnd is the end of the candidates that dCUTE has marked, and
	// nextGroup reports that it must mark those of the next actor too.
	groupEnd  int32
	nextGroup bool
	opened    bool // all candidates are marked
}

// answerOf returns the answer of a question, or of turns, by its index.
func (n *node) answerOf(index int32) int32 {
	if n.kind == turns {
		return (index - n.first + n.answers) % n.answers
	}
	return index
}

// A kind is what a node decides. Its values are kept in files.
type kind uint8

const (
	picks   kind = iota // which message is received
	turns               // the same, where each is taken in turn and has no candidate
	asks                // a question that is part of a step
	strikes             // a question that comes between steps: whether time passes, or whom a fault strikes
)

// A candidate is what can be picked at a node: a message, or a crash that can come in
// place of one.
type candidate struct {
	seq      int32 // its place in the order in which messages were sent; it identifies the message
	index    int32 // among the messages that can be delivered
	send     int32 // its place in the trace, if the run is recorded
	actor    int32 // its receiver
	channel  int32
	rank     int32 // by the ordering: smaller ranks are taken earlier
	touchSet int32 // the number of the set that its step touches, plus one; 0 for none (see touches)
	kind     candidateKind
	mark     mark
}

// A candidateKind is what a candidate is. Its values are kept in files.
type candidateKind uint8

const (
	aMessage candidateKind = iota
	aCrash                 // its actor crashes
	noCrash                // where nothing can be delivered: nobody crashes
	aPass                  // time passes early
)

// A mark is what the search knows of a candidate. Its values are kept in files.
type mark uint8

const (
	todo   mark = 1 << iota // it must be taken
	done                    // it was taken
	asleep                  // it need not be taken: what follows was run from another branch
)

// A path is the decisions of one run, from the root of the tree on.
//
// Invariant: the candidates of a later node lie behind those of an earlier one.
type path struct {
	nodes      []node
	candidates []candidate
	// floor is how many nodes lead to the subtree that is gone through. What is
	// marked there is for the trunk; other answers are not taken.
	floor int
}

// taken returns the candidate that is taken at a pick.
func (p *path) taken(n *node) *candidate { return &p.candidates[n.first+n.current] }

// of returns the candidates of a pick.
func (p *path) of(n *node) []candidate { return p.candidates[n.first : n.first+n.answers] }

// pop removes the last node.
func (p *path) pop() {
	last := len(p.nodes) - 1
	if n := &p.nodes[last]; n.kind == picks {
		p.candidates = p.candidates[:n.first]
	}
	p.nodes = p.nodes[:last]
}

// lastPick returns the index of the last pick, -1 when there is none.
func (p *path) lastPick() int32 {
	last := int32(len(p.nodes) - 1)
	if last < 0 || p.nodes[last].kind <= turns {
		return last
	}
	return p.nodes[last].pickBefore
}

// sharedSteps returns how many steps the next run has in common with the last.
func (p *path) sharedSteps() int {
	if i := p.lastPick(); i >= 0 {
		return int(p.nodes[i].step)
	}
	return 0
}

// open marks all candidates of a pick.
func (p *path) open(n *node) {
	n.opened = true
	list := p.of(n)
	for i := range list {
		list[i].mark |= todo
	}
}

// openPicks marks all candidates of all picks.
func (p *path) openPicks() {
	for i := range p.nodes {
		if n := &p.nodes[i]; n.kind == picks {
			p.open(n)
		}
	}
}

// openBack marks all candidates of the picks from the last one back to one
// that is opened: picks before that are opened too.
func (p *path) openBack() {
	for i := p.lastPick(); i >= 0 && !p.nodes[i].opened && p.nodes[i].kind == picks; i = p.nodes[i].pickBefore {
		p.open(&p.nodes[i])
	}
}

// advance goes to the next path: at the deepest node that has an answer to be
// taken, it takes that. It reports whether there was one; if not, the tree is
// done.
func (p *path) advance() bool {
	for len(p.nodes) > p.floor {
		if p.takeNext(&p.nodes[len(p.nodes)-1]) {
			return true
		}
		p.pop()
	}
	return false
}

// takeNext takes the next answer of a node, if there is one to be taken.
func (p *path) takeNext(n *node) bool {
	if n.kind == picks {
		return p.takeMarked(n)
	}
	if n.current+1 == n.answers {
		return false
	}
	n.current++
	return true
}

// takeMarked takes the next marked candidate of a pick, if there is one.
func (p *path) takeMarked(n *node) bool {
	list := p.of(n)
	list[n.current].mark = list[n.current].mark&^todo | done
	for {
		for i := range list {
			if list[i].mark&(todo|done|asleep) == todo {
				n.current = int32(i)
				return true
			}
		}
		if !n.nextGroup || int(n.groupEnd) >= len(list) {
			return false
		}
		n.markGroup(list, list[n.groupEnd].actor)
	}
}

// markGroup marks the messages of one actor as dCUTE's next group. A message
// that sleeps is not run, so its runs cannot show whether dCUTE must go on to
// the next actor; then it must.
func (n *node) markGroup(list []candidate, actor int32) {
	n.groupEnd, n.nextGroup = markActor(list, actor), false
	for i := range list {
		if list[i].actor == actor && list[i].mark&asleep != 0 {
			n.nextGroup = true
		}
	}
}

// markActor marks all messages of one actor, and returns the index after the
// last of them.
func markActor(list []candidate, actor int32) (end int32) {
	for i := range list {
		if list[i].actor == actor {
			list[i].mark |= todo
			end = int32(i) + 1
		}
	}
	return end
}

// firstAwake returns the first candidate that does not sleep, -1 when all do. A pass is
// first only where all else sleeps.
func firstAwake(list []candidate) int {
	first := -1
	for i := range list {
		if list[i].mark&asleep != 0 {
			continue
		}
		if first = i; list[i].kind != aPass {
			break
		}
	}
	return first
}
