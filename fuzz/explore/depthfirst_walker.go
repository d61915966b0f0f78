package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// A walker is the strategy of the depth-first search. It repeats the decisions of its
// path, and then adds new decisions.
type walker struct {
	path
	outcome
	method   *Method
	habits   *habits
	chooser  chooser // finds the message to take first, if choice points store no candidates
	sleeping sleeping
	seen     states
	passed   int                       // the number of nodes of the path that the run has passed
	again    bool                      // set if the run repeats the last run, so that all states were seen before
	bound    int32                     // the current bound on delays or preemptions
	isPlain  bool                      // see Method.isPlain
	goesBack func(*pulse.Enabled) bool // restores a snapshot when a run is stopped (depthFirst.goBack); nil for no snapshots
	endsAt   func(*pulse.Enabled) int  // restores a snapshot when a run ends (depthFirst.endsAt); nil for no snapshots
	copies   copies
}

func newWalker(m *Method, h *habits, bound int32) walker {
	return walker{method: m, habits: h, chooser: chooser{ordering: m.Ordering, habits: h}, bound: bound, isPlain: m.isPlain(), seen: states{checked: m.States == Checked}}
}

// Begin begins a run.
func (w *walker) Begin(uint64) { w.begin() }

// beginProgram begins a run of the program from its beginning.
func (w *walker) beginProgram() {
	w.copies.used = false
	w.copies.keep(0)
	w.begin()
}

func (w *walker) begin() {
	w.passed, w.ending = 0, endedItself
	w.sleeping.touches.endedBy = 0
}

// Pick repeats the next decision of the path or, at the end of the path, adds a choice
// point.
func (w *walker) Pick(e *pulse.Enabled) int {
	if w.isLate() {
		return w.giveUp(endedLate)
	}
	if e.Len() == 0 && w.endsAt != nil {
		return w.endsAt(e)
	}
	if w.passed == len(w.nodes) {
		k := w.lengthen(e)
		if k == pulse.Quit && w.goesBack != nil && w.goesBack(e) {
			return pulse.Again
		}
		return k
	}
	if isAlone(e) { // there is no choice point if only one message is deliverable
		return 0
	}
	n := &w.nodes[w.passed]
	if n.kind > turns || int(n.answers) != candidatesOf(e) || n.digest != e.Digest() {
		return w.differ(otherMessages(e))
	}
	w.copy(e)
	w.passed++
	if n.kind == turns {
		return int((n.first + n.current) % n.answers)
	}
	return int(w.candidates[n.first+n.current].index)
}

// copy makes a snapshot at the current choice point, if the search will go back to it.
func (w *walker) copy(e *pulse.Enabled) {
	if w.copies.on && !w.again {
		w.copies.save(e, &w.path, w.passed)
	}
}

// Choose repeats the next decision of the path or, at the end of the path, adds a node.
func (w *walker) Choose(k choice.Kind, n int) int {
	if w.passed == len(w.nodes) {
		w.addQuestion(k, n)
	}
	q := &w.nodes[w.passed]
	if q.kind <= turns || int(q.answers) != n {
		return w.differ(otherQuestion(k, n))
	}
	w.passed++
	return int(q.current)
}

// addQuestion adds a node for a choice of kind k with n alternatives, which will all be
// explored. If the choice is a fault or early timer between two steps, it conflicts with
// every step, and must be tried after every set of steps. Therefore addQuestion then
// marks all candidates of earlier choice points for exploration.
func (w *walker) addQuestion(k choice.Kind, n int) {
	q := node{answers: int32(n), pickBefore: w.lastPick(), kind: asks}
	if k == choice.Clock || k == choice.Fault {
		q.kind = strikes
		w.openBack()
	}
	w.nodes = append(w.nodes, q)
}

// lengthen extends the run beyond the path. If there are several candidates, it adds a
// choice point and takes the first awake candidate.
func (w *walker) lengthen(e *pulse.Enabled) int {
	if d := w.method.Depth; d > 0 && e.Step() >= d && e.Len() > 0 {
		w.leftOut = true
		return w.giveUp(endedDeep)
	}
	if isAlone(e) {
		return w.takeOnly(e)
	}
	if w.isPlain {
		return w.addTurns(e)
	}
	w.addPick(e)
	list := w.of(&w.nodes[len(w.nodes)-1])
	first, end := w.choose(e, list)
	if end != endedItself {
		w.pop()
		return w.giveUp(end)
	}
	w.nodes[len(w.nodes)-1].current = int32(first)
	w.markFirst()
	w.copy(e)
	w.passed++
	return int(list[first].index)
}

// takeOnly takes the only message.
func (w *walker) takeOnly(e *pulse.Enabled) int {
	if w.method.compares() && !w.again && w.seen.isKnown(e, nil) {
		return w.giveUp(endedKnown)
	}
	return 0
}

// addTurns adds a choice point of kind turns, at which all messages are taken in turn. It
// returns the index of the message that is taken first.
func (w *walker) addTurns(e *pulse.Enabled) int {
	first := w.chooser.first(e)
	w.nodes = append(w.nodes, node{digest: e.Digest(), first: int32(first), answers: int32(e.Len()), step: int32(e.Step()),
		pickBefore: w.lastPick(), kind: turns})
	w.passed++
	return first
}

// addPick adds a choice point with its candidates.
func (w *walker) addPick(e *pulse.Enabled) {
	n := node{digest: e.Digest(), first: int32(len(w.candidates)), answers: int32(candidatesOf(e)), step: int32(e.Step()), pickBefore: w.lastPick()}
	for i := range e.Len() {
		w.candidates = append(w.candidates, candidate{seq: e.Seq(i), index: int32(i), send: int32(e.Slot(i)),
			actor: int32(e.Receiver(i)), channel: int32(e.Channel(i))})
	}
	w.addCrashes(e)
	w.nodes = append(w.nodes, n)
}

// choose sorts the candidates of a new choice point, and returns the index of the first
// awake candidate. If the search must stop the run, the result end says why.
func (w *walker) choose(e *pulse.Enabled, list []candidate) (first int, end ending) {
	if w.method.sleeps() && !w.sleeping.mark(&w.path, e.Trace()) {
		return 0, endedAsleep
	}
	if w.method.compares() && w.seen.isKnown(e, list) {
		return 0, endedKnown
	}
	if w.method.PreemptionBound != 0 {
		n := &w.nodes[len(w.nodes)-1]
		n.lastActor = lastActor(e)
		rankRunning(list, n.lastActor)
	} else {
		rank(list[:e.Len()], w.method.Ordering, w.habits)
	}
	sortByRank(list)
	if first = firstAwake(list); first < 0 {
		return 0, endedAsleep
	}
	return first, endedItself
}

// markFirst marks the candidates of a new choice point that must be explored regardless
// of races.
func (w *walker) markFirst() {
	last := len(w.nodes) - 1
	n := &w.nodes[last]
	list := w.of(n)
	afterStrike := last > 0 && w.nodes[last-1].kind == strikes
	switch r := w.method.Reduction; {
	case w.method.bounded():
		w.leftOut = spend(&w.path, w.method, w.bound) || w.leftOut
	case r == Everything || afterStrike || list[n.current].kind != aMessage ||
		r != SourceSets && slices.ContainsFunc(list, func(c candidate) bool { return c.kind != aMessage }):
		w.open(n)
	case r == PersistentSets || r == DCUTE:
		n.markGroup(list, list[n.current].actor)
	default:
		list[n.current].mark |= todo
	}
}
