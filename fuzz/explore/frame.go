package explore

// A frame is one run of the optimal search and what is left to vary in it.
//
// Invariants: the steps before base are fixed; what is kept beside the steps
// lies in the order of the steps, so that to drop the last step is to cut the
// ends off.
type frame struct {
	steps    []taken
	base     int
	alts     []alt
	answers  []reply
	revisits []revisit
	// past holds, for each step, the set of those that happened before it.
	past  []uint64
	words int // of a set
}

// A taken is one step of a frame's run.
type taken struct {
	id    uint64 // its identity, the same in all runs
	hash  uint64 // of what had happened before
	index int32  // of its message among the enabled; unknown in a new frame
	n     int32  // how many were enabled
	// The ends of its part of alts, answers and revisits; that of the step
	// before is where it begins.
	alts, answers, revisits int32
	// byDefault: the step was chosen when there was nothing to follow, and its
	// message and answers are still what was chosen then.
	byDefault bool
	settled   bool // not chosen at all: it belongs to start-up
}

const unknown = -1

// An alt is another message that the step's actor could have received.
type alt struct {
	id    uint64
	index int32
}

// A reply is the answer to a question that was asked in a step.
type reply struct{ value, n int32 }

// A revisit is an earlier step that could have received a message that this
// step sent.
type revisit struct {
	step int32
	id   uint64 // of the step that it would be
}

// ends returns where the parts of the step before begin to be the next one's.
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

func (f *frame) reset() {
	f.steps, f.base = f.steps[:0], 0
	f.alts, f.answers, f.revisits = f.alts[:0], f.answers[:0], f.revisits[:0]
}

// answersOf returns the answers that belong to a step.
func (f *frame) answersOf(step int) []reply {
	_, from, _ := f.ends(step - 1)
	return f.answers[from:f.steps[step].answers]
}

// follow adds a step of another frame, with its answers and nothing to vary.
func (f *frame) follow(g *frame, step int) {
	s := g.steps[step]
	f.answers = append(f.answers, g.answersOf(step)...)
	s.alts, s.answers, s.revisits = 0, int32(len(f.answers)), 0
	f.steps = append(f.steps, s)
}

// child makes f the frame in which step r of g receives the message of a
// revisit by step i: what happened before i is kept, what else came after r
// is dropped, and r comes last.
func (f *frame) child(g *frame, i int, v revisit) {
	f.reset()
	r := int(v.step)
	for k := range r {
		f.follow(g, k)
	}
	set := g.past[i*g.words:]
	for k := r + 1; k <= i; k++ {
		if k == i || has(set, int32(k)) {
			f.follow(g, k)
			f.steps[len(f.steps)-1].index = unknown
		}
	}
	f.base, f.words = len(f.steps), g.words
	f.past = append(f.past[:0], g.past[:r*g.words]...)
	f.steps = append(f.steps, taken{id: v.id, index: unknown, answers: int32(len(f.answers))})
}

// other makes f the frame in which step i of g receives another message.
func (f *frame) other(g *frame, i int, a alt) {
	f.reset()
	for k := range i {
		f.follow(g, k)
	}
	f.base, f.words = i, g.words
	f.past = append(f.past[:0], g.past[:i*g.words]...)
	s := &g.steps[i]
	f.steps = append(f.steps, taken{id: a.id, hash: s.hash, index: a.index, n: s.n, answers: int32(len(f.answers))})
}

// vary gives the last step its next value: other answers, then another
// message. It is false when it has had all.
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
