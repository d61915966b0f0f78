package explore

import "slices"

// A frame is one run of the optimal search with its variations.
//
// Invariants: the steps before base are fixed; alts, answers and revisits are in the order
// of their steps, so that truncating them drops the last step.
type frame struct {
	steps    []frameStep
	base     int
	alts     []alt
	answers  []reply
	revisits []revisit
	// past holds, for each step, the set of the steps that happened before it.
	past  []uint64
	words int // of a set
	// question is that of the last step if it is a revisit; see unwanted.
	question uint64
}

// A frameStep is one step of a frame's run.
type frameStep struct {
	id     uint64 // its identity, the same in all runs
	digest uint64 // of what happened before
	index  int32  // of its message among the enabled ones; unknown in a new frame
	n      int32  // how many were enabled
	// The ends of the step's parts of alts, answers and revisits. They begin where
	// those of the previous step end.
	alts, answers, revisits int32
	// byDefault: the step was chosen with nothing to follow, and still has the
	// message and answers chosen then.
	byDefault bool
	settled   bool // it belongs to start-up, which has no choices
}

const unknown = -1

// An alt is another message that the step's actor could have received.
type alt struct {
	id    uint64
	index int32
}

// A reply is the answer to a question that was asked in a step.
type reply struct{ value, n int32 }

// A revisit is an earlier step that could have received a message sent by a later step.
type revisit struct {
	step     int32
	id       uint64 // of the step that receives the message
	question uint64 // whether its actor wants the message; see unwanted
}

// ends returns where the parts of a step end; for step -1, zeros.
func (f *frame) ends(step int) (alts, answers, revisits int32) {
	if step < 0 {
		return 0, 0, 0
	}
	s := &f.steps[step]
	return s.alts, s.answers, s.revisits
}

// cut drops the steps from number n on.
func (f *frame) cut(n int) {
	f.steps = f.steps[:n]
	alts, answers, revisits := f.ends(n - 1)
	f.alts, f.answers, f.revisits = f.alts[:alts], f.answers[:answers], f.revisits[:revisits]
}

// cutFixed drops the steps at the end without variations. It reports whether there are
// variations before them.
func (f *frame) cutFixed() bool {
	last := len(f.steps) - 1
	for ; last >= f.base; last-- {
		alts, answers, revisits := f.ends(last - 1)
		if len(f.alts) > int(alts) || len(f.answers) > int(answers) || len(f.revisits) > int(revisits) {
			break
		}
	}
	f.steps = f.steps[:last+1]
	return last >= f.base
}

func (f *frame) reset() {
	f.steps, f.base, f.question = f.steps[:0], 0, 0
	f.alts, f.answers, f.revisits = f.alts[:0], f.answers[:0], f.revisits[:0]
}

// altsOf returns the alternatives of a step that were not taken yet. For the last step
// they may end before its mark.
func (f *frame) altsOf(step int) []alt {
	begin, _, _ := f.ends(step - 1)
	return f.alts[begin:min(int(f.steps[step].alts), len(f.alts))]
}

// answersOf returns the answers of a step.
func (f *frame) answersOf(step int) []reply {
	_, begin, _ := f.ends(step - 1)
	return f.answers[begin:min(int(f.steps[step].answers), len(f.answers))]
}

// revisitsOf returns the revisits of a step that were not made yet. For the last step
// they may end before its mark.
func (f *frame) revisitsOf(step int) []revisit {
	return f.revisits[f.revisitsBefore(step):min(int(f.steps[step].revisits), len(f.revisits))]
}

// revisitsBefore returns where the revisits of a step begin.
func (f *frame) revisitsBefore(step int) int {
	_, _, n := f.ends(step - 1)
	return int(n)
}

// leastSteps is the minimum capacity for the steps of a frame.
const leastSteps = 16

// add adds a step. The caller sets all its fields, because a literal would be built first
// and then copied.
func (f *frame) add() *frameStep {
	n := len(f.steps)
	if n == cap(f.steps) {
		f.steps = slices.Grow(f.steps, max(n, leastSteps))
	}
	f.steps = f.steps[:n+1]
	return &f.steps[n]
}

// addSettled adds steps of start-up up to number n.
func (f *frame) addSettled(n int) {
	for len(f.steps) < n {
		f.steps = append(f.steps, frameStep{settled: true, alts: int32(len(f.alts)), answers: int32(len(f.answers))})
	}
}

// follow adds a step of another frame, with its answers but without variations.
func (f *frame) follow(g *frame, step int) {
	s := g.steps[step]
	f.answers = append(f.answers, g.answersOf(step)...)
	s.alts, s.answers, s.revisits = 0, int32(len(f.answers)), 0
	f.steps = append(f.steps, s)
}

// followUpTo makes f the first n steps of another frame.
func (f *frame) followUpTo(g *frame, n int) {
	f.reset()
	for k := range n {
		f.follow(g, k)
	}
	f.words = g.words
	f.past = append(f.past[:0], g.past[:n*g.words]...)
}

// revisit makes f the frame in which an earlier step of g receives a message sent by step
// i. It keeps what happened before step i, drops all else after the earlier step, and puts
// that step last.
func (f *frame) revisit(g *frame, i int, v revisit) {
	r := int(v.step)
	f.followUpTo(g, r)
	set := g.past[i*g.words:]
	for k := r + 1; k <= i; k++ {
		if k == i || has(set, int32(k)) {
			f.follow(g, k)
			f.steps[len(f.steps)-1].index = unknown
		}
	}
	f.base, f.question = len(f.steps), v.question
	f.steps = append(f.steps, frameStep{id: v.id, index: unknown, answers: int32(len(f.answers))})
}

// replace makes f the frame in which step i of g receives another message.
func (f *frame) replace(g *frame, i int, a alt) {
	f.followUpTo(g, i)
	f.base = i
	s := &g.steps[i]
	f.steps = append(f.steps, frameStep{id: a.id, digest: s.digest, index: a.index, n: s.n, answers: int32(len(f.answers))})
}

// vary gives the last step its next value: other answers, then another message. It
// reports whether there was one.
func (f *frame) vary() bool {
	i := len(f.steps) - 1
	s := &f.steps[i]
	alts, answers, _ := f.ends(i - 1)
	for len(f.answers) > int(answers) {
		q := &f.answers[len(f.answers)-1]
		if q.value+1 < q.n {
			q.value++
			s.byDefault, s.answers = false, int32(len(f.answers))
			return true
		}
		f.answers = f.answers[:len(f.answers)-1]
	}
	if int(alts) == len(f.alts) {
		return false
	}
	a := f.alts[len(f.alts)-1]
	f.alts = f.alts[:len(f.alts)-1]
	s.id, s.index, s.byDefault = a.id, a.index, false
	s.alts, s.answers = int32(len(f.alts)), int32(len(f.answers))
	return true
}

// popRevisit removes and returns a revisit of the last step, if there is one.
func (f *frame) popRevisit() (r revisit, ok bool) {
	n := len(f.revisits)
	if n <= f.revisitsBefore(len(f.steps)-1) {
		return revisit{}, false
	}
	r = f.revisits[n-1]
	f.revisits = f.revisits[:n-1]
	return r, true
}

// copyUpTo makes f the first steps of another frame, up to and including last, with their
// variations.
func (f *frame) copyUpTo(g *frame, last int) {
	s := g.steps[last]
	f.steps = append(f.steps[:0], g.steps[:last+1]...)
	f.alts = append(f.alts[:0], g.alts[:s.alts]...)
	f.answers = append(f.answers[:0], g.answers[:s.answers]...)
	f.revisits = append(f.revisits[:0], g.revisits[:g.revisitsBefore(last)]...)
	f.past, f.words = append(f.past[:0], g.past[:(last+1)*g.words]...), g.words
	f.steps[last].revisits = int32(len(f.revisits))
}

// fix removes all variations but those that the frame's run finds from its last step on.
func (f *frame) fix(last int) {
	alts, _, _ := f.ends(last - 1)
	f.base = last
	f.alts, f.steps[last].alts = f.alts[:alts], alts
}
