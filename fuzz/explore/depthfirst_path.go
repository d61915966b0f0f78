package explore

// A node is one decision of the run. Only the path is kept of the tree: completed
// subtrees are forgotten, as in Eta (section 3.2).
type node struct {
	digest uint64 // of what happened before: if it differs, the program is nondeterministic
	// first is the start of a pick's candidates in the path's list. For turns, it
	// is the index of the message that is taken first.
	first      int32
	answers    int32 // how many there are
	current    int32 // the answer of this run
	step       int32 // how many steps came before, without early passes
	pickBefore int32 // the last pick before this node; -1 when there is none
	budget     int32 // how many delays or preemptions are left
	lastActor  int32 // the actor of the previous step, if preemptions are bounded; -1 for none
	kind       kind
	// groupEnd is the end of the candidates that DCUTE has marked. nextGroup
	// reports whether it must also mark those of the next actor.
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

// A kind is what a node decides. Its values are saved in files.
type kind uint8

const (
	picks   kind = iota // which message is received
	turns               // the same, but each message is taken in turn and there are no candidates
	asks                // a question within a step
	strikes             // a question between steps: whether time passes, or which actor a fault strikes
)

// A candidate can be picked at a node: a message, or a crash or pass in place of one.
type candidate struct {
	seq      int32 // its position in the order of sends; it identifies the message
	index    int32 // among the messages that can be delivered
	send     int32 // its index in the trace, if the run is recorded
	actor    int32 // its receiver
	channel  int32
	rank     int32 // by the ordering: lower ranks come first
	touchSet int32 // the number of its step's set of touches, plus one; 0 for none (see touches)
	kind     candidateKind
	mark     mark
}

// A candidateKind says what a candidate is. Its values are saved in files.
type candidateKind uint8

const (
	aMessage candidateKind = iota
	aCrash                 // its actor crashes
	noCrash                // if nothing is deliverable: nobody crashes
	aPass                  // time passes early
)

// A mark is the state of a candidate in the search. Its values are saved in files.
type mark uint8

const (
	todo   mark = 1 << iota // it must be taken
	done                    // it was taken
	asleep                  // it need not be taken: what follows was run from another branch
)

// A path holds the decisions of one run, from the root of the tree.
//
// Invariant: the candidates of a later node follow those of an earlier one.
type path struct {
	nodes      []node
	candidates []candidate
	// floor is how many nodes lead to the searched subtree. Marks there are for
	// the trunk; other answers are not taken.
	floor int
}

// taken returns the candidate taken at a pick.
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

// sharedSteps returns how many steps the next run shares with the last.
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

// openBack marks all candidates of the picks from the last one back to one that is
// already opened; all picks before that are opened too.
func (p *path) openBack() {
	for i := p.lastPick(); i >= 0 && !p.nodes[i].opened && p.nodes[i].kind == picks; i = p.nodes[i].pickBefore {
		p.open(&p.nodes[i])
	}
}

// advance moves to the next path: the deepest node with an untried answer takes that
// answer. It returns false if the tree is done.
func (p *path) advance() bool {
	for len(p.nodes) > p.floor {
		if p.takeNext(&p.nodes[len(p.nodes)-1]) {
			return true
		}
		p.pop()
	}
	return false
}

// takeNext takes the next answer of a node. It reports whether there was one.
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

// takeMarked takes the next marked candidate of a pick. It reports whether there was one.
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

// markGroup marks the messages of one actor as DCUTE's next group. A sleeping message is
// not run, so its runs cannot show whether the next actor is needed; then it is marked
// too.
func (n *node) markGroup(list []candidate, actor int32) {
	n.groupEnd, n.nextGroup = markActor(list, actor), false
	for i := range list {
		if list[i].actor == actor && list[i].mark&asleep != 0 {
			n.nextGroup = true
		}
	}
}

// markActor marks all messages of one actor, and returns the index after the last.
func markActor(list []candidate, actor int32) (end int32) {
	for i := range list {
		if list[i].actor == actor {
			list[i].mark |= todo
			end = int32(i) + 1
		}
	}
	return end
}

// firstAwake returns the first candidate that does not sleep, -1 if all sleep. A pass
// comes first only if everything else sleeps.
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
