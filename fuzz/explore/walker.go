package explore

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// A walker is the strategy that walks one path of the decision tree: down to
// the last node of the stack as it was decided, and on by making new nodes.
type walker struct {
	stack
	options *Options
	needs   pulse.Needs
	at      int   // nodes that this run has passed
	out     why   // why the run was given up
	cut     bool  // a candidate was left out because of a bound
	inTurn  bool  // nothing need be known of the candidates of picks
	budget  int32 // on delays or preemptions
	habits  habits
	touches touches
	seen    states
	differs string // what was different where a run should have repeated
	// floor is how many nodes belong to whoever handed out this subtree: they
	// are walked and never changed.
	floor int
	// handOut is how many picks deep subtrees begin that are handed out; 0 for none.
	handOut int
}

// A why says why a run was given up.
type why uint8

const (
	ended    why = iota // it was not
	blocked             // all that could come next is asleep
	known               // the state was seen before
	tooDeep             // it has as many steps as the bound allows
	handed              // what is left of it is for a worker
	diverged            // it did not repeat what the run before it did
)

var whyTexts = [...]string{"", "all that could come next was run from another branch", "the state is known",
	"the bound on the depth was hit", "what is left of it is another worker's", "the program did not repeat itself"}

// A givenUp is a why as an error. It takes no memory, as many runs may be.
type givenUp why

func (g givenUp) Error() string { return "explore: " + whyTexts[g] }

func (y why) verdict() error {
	if y == ended {
		return nil
	}
	return givenUp(y)
}

// Needs returns what the search needs.
func (w *walker) Needs() pulse.Needs { return w.needs }

// Begin begins a run.
func (w *walker) Begin(uint64) { w.start() }

func (w *walker) start() {
	w.at, w.out = 0, ended
}

// Verdict says why a run was given up.
func (w *walker) Err() error {
	return w.out.verdict()
}

// Pick follows the path, or lengthens it.
func (w *walker) Pick(e *pulse.Enabled) int {
	if w.at == len(w.nodes) {
		return w.grow(e)
	}
	if e.Len() == 1 { // only a holder is asked
		return 0
	}
	n := &w.nodes[w.at]
	if n.kind > turns || int(n.n) != e.Len() || n.hash != e.Digest() {
		return w.diverge(e)
	}
	w.at++
	if n.kind == turns {
		return int((n.base + n.cur) % n.n)
	}
	return int(w.cands[n.base+n.cur].index)
}

// Choose follows the path, or lengthens it.
func (w *walker) Choose(k choice.Kind, n int) int {
	if w.at == len(w.nodes) {
		w.ask(k, n)
	}
	q := &w.nodes[w.at]
	if q.kind <= turns || int(q.n) != n {
		w.out, w.differs = diverged, otherQuestion(k, n)
		return pulse.Quit
	}
	w.at++
	return int(q.cur)
}

// diverge gives up a run that is not what it was before.
func (w *walker) diverge(e *pulse.Enabled) int {
	w.out, w.differs = diverged, otherMessages(e)
	return pulse.Quit
}

func otherMessages(e *pulse.Enabled) string {
	return fmt.Sprintf("after step %d %d messages could be delivered, the first of them %s", e.Step()-1, e.Len(), e.Label(0))
}

func otherQuestion(k choice.Kind, n int) string {
	return fmt.Sprintf("a question (%v) of %d answers came where there was none like it", k, n)
}

// give gives up a run.
func (w *walker) give(reason why) int {
	w.out = reason
	return pulse.Quit
}

// ask makes a node of a question. All its answers are taken up in turn.
func (w *walker) ask(k choice.Kind, n int) {
	q := node{n: int32(n), pick: w.lastPick(), kind: asks}
	if k == choice.Clock || k == choice.Fault {
		q.kind = strikes
		w.openAll()
	}
	w.nodes = append(w.nodes, q)
}

// openAll takes up all candidates of all picks of this run: what comes
// between steps has to do with every step, so that it has to be tried after
// every set of steps.
func (w *walker) openAll() {
	for p := w.lastPick(); p >= 0 && !w.nodes[p].open && w.nodes[p].kind == picks; p = w.nodes[p].pick {
		w.open(&w.nodes[p])
	}
}

// open takes up all candidates of a node.
func (w *walker) open(n *node) {
	n.open = true
	for i := range w.of(n) {
		w.of(n)[i].mark |= todo
	}
}

// grow makes a node of a pick and takes its first candidate.
func (w *walker) grow(e *pulse.Enabled) int {
	if d := w.options.Depth; d > 0 && e.Step() >= d {
		w.cut = true
		return w.give(tooDeep)
	}
	if e.Len() == 1 {
		return w.alone(e)
	}
	if w.handOut > 0 && w.depth() == w.handOut {
		return w.give(handed)
	}
	if w.inTurn {
		return w.takeTurns(e)
	}
	n := w.node(e)
	list := w.of(n)
	if w.options.sleeps() && !w.fallAsleep(n, list, e) {
		w.pop()
		return w.give(blocked)
	}
	if w.options.States != NoStates && w.isKnown(e, list) {
		w.pop()
		return w.give(known)
	}
	w.order(list, e)
	first := firstAwake(list)
	if first < 0 {
		w.pop()
		return w.give(blocked)
	}
	n.cur = int32(first)
	w.plan(n, list)
	w.at++
	return int(list[first].index)
}

// takeTurns makes a node of a pick of which nothing need be known.
func (w *walker) takeTurns(e *pulse.Enabled) int {
	oldest := e.Oldest()
	w.nodes = append(w.nodes, node{hash: e.Digest(), base: int32(oldest), n: int32(e.Len()), step: int32(e.Step()), pick: w.lastPick(), kind: turns})
	w.at++
	return oldest
}

// depth is how many picks the path has.
func (w *walker) depth() int {
	n := 0
	for p := w.lastPick(); p >= 0; p = w.nodes[p].pick {
		n++
	}
	return n
}

// alone takes the only message that there is.
func (w *walker) alone(e *pulse.Enabled) int {
	if w.options.States != NoStates && w.isKnown(e, nil) {
		return w.give(known)
	}
	return 0
}

// node makes a node of what can be delivered now.
func (w *walker) node(e *pulse.Enabled) *node {
	n := node{hash: e.Digest(), base: int32(len(w.cands)), n: int32(e.Len()), step: int32(e.Step()), pick: w.lastPick()}
	for i := range e.Len() {
		w.cands = append(w.cands, cand{seq: e.Seq(i), index: int32(i), send: int32(e.Slot(i)),
			actor: int32(e.Receiver(i)), channel: int32(e.Channel(i))})
	}
	w.nodes = append(w.nodes, n)
	return &w.nodes[len(w.nodes)-1]
}

func firstAwake(list []cand) int {
	for i := range list {
		if list[i].mark&asleep == 0 {
			return i
		}
	}
	return -1
}

// plan says what of a new node must be taken up, before anything is known of
// what follows.
func (w *walker) plan(n *node, list []cand) {
	afterStrike := len(w.nodes) > 1 && w.nodes[len(w.nodes)-2].kind == strikes
	switch r := w.options.Reduction; {
	case w.options.bounded():
		w.spend(n, list)
	case r == Everything || afterStrike || w.handOut > 0:
		w.open(n)
	case r == PersistentSets || r == DCUTE:
		n.takeGroup(list, list[n.cur].actor)
	default:
		list[n.cur].mark |= todo
	}
}

// takeGroup takes up all messages of one actor. If one of them sleeps, what
// dCUTE would have learned from it, that it must go on to the next actor, is
// not learned here: it must.
func (n *node) takeGroup(list []cand, actor int32) {
	n.group, n.delay = takeActor(list, actor), false
	for i := range list {
		if list[i].actor == actor && list[i].mark&asleep != 0 {
			n.delay = true
		}
	}
}

// takeActor takes up all messages of one actor, and says where they end.
func takeActor(list []cand, actor int32) (end int32) {
	for i := range list {
		if list[i].actor == actor {
			list[i].mark |= todo
			end = int32(i) + 1
		}
	}
	return end
}

// next goes to the next path: the deepest node of which something is to be
// taken up still. It is false when the tree is done.
func (w *walker) next() bool {
	for len(w.nodes) > w.floor {
		n := &w.nodes[len(w.nodes)-1]
		n.done++
		if n.kind == picks && w.advance(n) || n.kind != picks && n.cur+1 < n.n {
			if n.kind != picks {
				n.cur++
			}
			return true
		}
		leaves := n.leaves
		w.pop()
		if last := len(w.nodes) - 1; last >= 0 {
			w.nodes[last].leaves += leaves
		}
	}
	return false
}

// advance takes the next candidate of a node, if there is one to take.
func (w *walker) advance(n *node) bool {
	list := w.of(n)
	list[n.cur].mark = list[n.cur].mark&^todo | done
	for {
		for i := range list {
			if list[i].mark&(todo|done|asleep) == todo {
				n.cur = int32(i)
				return true
			}
		}
		if !n.delay || int(n.group) >= len(list) {
			return false
		}
		n.takeGroup(list, list[n.group].actor)
	}
}
