package explore

// A node is one decision of the run that is on the stack. The stack is the
// whole of the tree that is kept: subtrees that are done are forgotten, as in
// Eta (section 3.2).
type node struct {
	hash    uint64 // of what had happened, to see whether the program repeats
	base    int32  // its candidates are cands[base:base+n]; none for a question
	n       int32  // how many answers there are
	cur     int32  // the answer that is taken now
	step    int32  // how many steps came before
	pick    int32  // the pick before this node; -1 when there is none
	left    int32  // what is left of the bound on delays or preemptions
	running int32  // whose step came before
	kind    kind
	// group is the end of the candidates that dCUTE has taken up; delay says
	// that it must go on to those of the next actor.
	group int32
	delay bool
	open  bool // all of its candidates must be taken up
	// What Eta's estimate needs: how many of the answers are done, and how
	// many leaves they had.
	done   int32
	leaves float64
}

// A kind says what a node decides.
type kind uint8

const (
	picks   kind = iota // which message is received
	turns               // the same, where all are taken in turn and nothing need be known of them
	asks                // a question that is part of a step
	strikes             // a question that comes between steps: whether time passes, or whom a fault strikes
)

// A cand is a message that can be picked at a node.
type cand struct {
	seq     int32 // its place in the order of arrival, which names it
	index   int32 // among the enabled
	send    int32 // in the trace, if the run is recorded
	actor   int32 // its receiver
	channel int32
	rank    int32 // what the ordering makes of it
	touches int32 // where its step's touches are kept, plus one; 0 for none
	mark    mark
}

// A mark says what is to be done with a candidate.
type mark uint8

const (
	todo   mark = 1 << iota // must be taken up
	done                    // has been
	asleep                  // need not be: what follows was run from another branch
)

// A stack is the path from the root to the node that was decided last.
//
// Invariant: the candidates of later nodes lie behind those of earlier ones.
type stack struct {
	nodes []node
	cands []cand
}

func (s *stack) of(n *node) []cand { return s.cands[n.base : n.base+n.n] }

// pop forgets the last node.
func (s *stack) pop() {
	last := len(s.nodes) - 1
	if n := &s.nodes[last]; n.kind == picks {
		s.cands = s.cands[:n.base]
	}
	s.nodes = s.nodes[:last]
}

// lastPick returns the index of the last pick; -1 when there is none.
func (s *stack) lastPick() int32 {
	last := int32(len(s.nodes) - 1)
	if last < 0 || s.nodes[last].kind <= turns {
		return last
	}
	return s.nodes[last].pick
}
