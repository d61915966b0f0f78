package explore

// A node is one decision of a run. At a choice point (kind picks or turns) it decides
// which message is received. Otherwise it is another choice, such as Choose or a fault.
// Only the nodes of the current path are in memory, as in the Eta paper (section 3.2).
type node struct {
	digest uint64 // a hash of the run before the node; if a repeated run has another hash, the program is nondeterministic
	// first is the index in path.candidates of the node's first candidate if the
	// kind is picks. If the kind is turns, it is the index of the message that is
	// taken first.
	first      int32
	answers    int32 // the number of alternatives: candidates or answers of a choice
	current    int32 // the index of the alternative that the current run takes
	step       int32 // the number of steps before the node, without early clock ticks
	pickBefore int32 // the index of the previous choice point among the nodes of the path; -1 for none
	budget     int32 // the number of delays or preemptions that the run may still make
	lastActor  int32 // the actor of the previous step, if preemptions are bounded; -1 for none
	kind       kind
	// groupEnd is the index after the last candidate that DCUTE has marked for
	// exploration.
	groupEnd  int32
	nextGroup bool // set if DCUTE must also mark the next actor's candidates for exploration
	opened    bool // set if all candidates are marked for exploration
}

// answerOf returns the value of n.current that stands for the alternative with the given
// index. With kind turns, n.current counts from the message that is taken first.
func (n *node) answerOf(index int32) int32 {
	if n.kind == turns {
		return (index - n.first + n.answers) % n.answers
	}
	return index
}

// A kind says what a node decides. Its values are saved in files, so they must not
// change.
type kind uint8

const (
	picks   kind = iota // a choice point: the node decides which message is received
	turns               // a choice point that stores no candidates, because all messages are taken in turn
	asks                // a choice within a step, such as Choose
	strikes             // a choice between two steps, such as whether a timer fires early or which actor a fault affects
)

// A candidate is an event that can be chosen at a choice point: a message, a crash or an
// early clock tick.
type candidate struct {
	seq      int32 // identifies the candidate; for a message, its position in the order of sends
	index    int32 // the value that Pick returns to take the candidate; for a message, its index among the deliverable ones
	send     int32 // the index of the message in trace.Trace.Sends, if the run is recorded
	actor    int32 // the actor that receives the message or crashes
	channel  int32
	rank     int32 // the rank according to Method.Ordering; lower ranks come first
	touchSet int32 // identifies the set of accesses by the candidate's step (see touches); 0 for no accesses
	kind     candidateKind
	mark     mark
}

// A candidateKind says what a candidate is. Its values are saved in files, so they must
// not change.
type candidateKind uint8

const (
	aMessage candidateKind = iota
	aCrash                 // the actor crashes
	noCrash                // no actor crashes; a candidate only if no message is deliverable
	aPass                  // the clock ticks early
)

// A mark is a set of flags that say whether a candidate must be explored. Its values are
// saved in files, so they must not change.
type mark uint8

const (
	todo   mark = 1 << iota // the candidate must be taken
	done                    // the candidate was taken
	asleep                  // the candidate need not be taken, because everything that follows was run from another branch
)

// A path holds the decisions of one run, from the root of the tree.
//
// Invariant: candidates holds the candidates of all nodes, in the order of the nodes.
type path struct {
	nodes      []node
	candidates []candidate
	// floor is the number of nodes above the searched subtree. The search changes no
	// decisions of these nodes. Candidates that it marks there are marked in the
	// trunk too (see trunk).
	floor int
}

// taken returns the candidate that was taken at a choice point.
func (p *path) taken(n *node) *candidate { return &p.candidates[n.first+n.current] }

// of returns the candidates of a choice point.
func (p *path) of(n *node) []candidate { return p.candidates[n.first : n.first+n.answers] }

// pop removes the last node.
func (p *path) pop() {
	last := len(p.nodes) - 1
	if n := &p.nodes[last]; n.kind == picks {
		p.candidates = p.candidates[:n.first]
	}
	p.nodes = p.nodes[:last]
}

// cut removes all nodes except the first n.
func (p *path) cut(n int) {
	for len(p.nodes) > n {
		p.pop()
	}
}

// lastPick returns the index of the last choice point of the path, -1 if there is none.
func (p *path) lastPick() int32 {
	last := int32(len(p.nodes) - 1)
	if last < 0 || p.nodes[last].kind <= turns {
		return last
	}
	return p.nodes[last].pickBefore
}

// sharedSteps returns the number of steps that the next run shares with the last run.
func (p *path) sharedSteps() int {
	if i := p.lastPick(); i >= 0 {
		return int(p.nodes[i].step)
	}
	return 0
}

// open marks all candidates of a choice point for exploration.
func (p *path) open(n *node) {
	n.opened = true
	list := p.of(n)
	for i := range list {
		list[i].mark |= todo
	}
}

// openPicks marks all candidates of all choice points of the path for exploration.
func (p *path) openPicks() {
	for i := range p.nodes {
		if n := &p.nodes[i]; n.kind == picks {
			p.open(n)
		}
	}
}

// openBack marks all candidates of all choice points for exploration. It goes back from
// the last choice point. It stops at the first choice point whose candidates are all
// marked, because then the candidates of all earlier choice points are marked too.
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

// takeNext takes the next answer of a node, and returns false if there is none.
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

// takeMarked takes the next marked candidate of a choice point, and returns false if
// there is none.
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

// branches reports whether the search may still take another candidate of a choice point
// than the current one.
func (p *path) branches(n *node) bool {
	for i, x := range p.of(n) {
		if int32(i) != n.current && x.mark&(done|asleep) == 0 {
			return true
		}
	}
	return false
}

// hasNext reports whether a node has an answer that must be taken and was not taken yet.
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

// isOpen reports whether a candidate is marked for exploration and was not taken.
func (c *candidate) isOpen() bool { return c.mark&(todo|done|asleep) == todo }

// firstAwake returns the index of the first candidate that does not sleep, -1 if all
// sleep. It returns a clock tick only if every other candidate sleeps.
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
