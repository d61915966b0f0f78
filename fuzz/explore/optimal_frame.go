package explore

import "slices"

// A frame is one run of the optimal search, with the variations of its steps that are not
// yet explored.
//
// Invariants: the steps before base have no variations. The lists alts, answers and
// revisits are in the order of their steps, so that truncating the lists drops the last
// step.
type frame struct {
	steps    []frameStep
	base     int       // the number of steps, from the first, that have no variations
	alts     []alt     // for each step, the alternative messages that its actor could have received
	answers  []reply   // for each step, the results of its choices
	revisits []revisit // for each step, the earlier steps that can receive a message sent by the step
	// past holds, for each step, the bit set of the steps that happened before it.
	past  []uint64
	words int // the length of a set in past, in words
	// question identifies the question whether the actor of the last step takes the
	// message (see unwanted), if the last step is a revisit; otherwise 0.
	question uint64
}

// A frameStep is one step of a frame's run.
type frameStep struct {
	id     uint64 // the identity of the step, the same in all runs
	digest uint64 // a hash of the run before the step
	index  int32  // the index of the message among the deliverable messages; the constant unknown in a new frame
	n      int32  // the number of deliverable messages
	// alts, answers and revisits say where the step's elements end in the frame's
	// lists with the same names. The elements begin where those of the previous step
	// end.
	alts, answers, revisits int32
	// byDefault is set if the step was added by default, and has not been varied
	// since.
	byDefault bool
	settled   bool // set if the step belongs to start-up, which has no choices
}

// unknown stands for the index of a message that must be found by its identity.
const unknown = -1

// An alt is an alternative of a step: another message that the actor could have received.
type alt struct {
	id    uint64
	index int32
}

// A reply is the value of one choice within a step. The choice has n alternatives.
type reply struct{ value, n int32 }

// A revisit says that an earlier step can receive a message sent by a later step.
type revisit struct {
	step     int32  // the earlier step
	id       uint64 // the identity of the step that receives the message
	question uint64 // identifies the question whether the actor takes the message: see unwanted
}

// ends returns the indices at which a step's elements of the lists alts, answers and
// revisits end. It returns zeros for step -1.
func (f *frame) ends(step int) (alts, answers, revisits int32) {
	if step < 0 {
		return 0, 0, 0
	}
	s := &f.steps[step]
	return s.alts, s.answers, s.revisits
}

// cut drops step n and all later steps.
func (f *frame) cut(n int) {
	f.steps = f.steps[:n]
	alts, answers, revisits := f.ends(n - 1)
	f.alts, f.answers, f.revisits = f.alts[:alts], f.answers[:answers], f.revisits[:revisits]
}

// cutFixed drops the last steps that have no variations. It reports whether a step with
// variations remains.
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

// altsOf returns the alternatives of a step that were not taken yet. For the last step,
// the list f.alts may be shorter than the step's field alts says.
func (f *frame) altsOf(step int) []alt {
	begin, _, _ := f.ends(step - 1)
	return f.alts[begin:min(int(f.steps[step].alts), len(f.alts))]
}

// answersOf returns the results of a step's choices.
func (f *frame) answersOf(step int) []reply {
	_, begin, _ := f.ends(step - 1)
	return f.answers[begin:min(int(f.steps[step].answers), len(f.answers))]
}

// revisitsOf returns the revisits of a step that were not made yet. For the last step,
// the list f.revisits may be shorter than the step's field revisits says.
func (f *frame) revisitsOf(step int) []revisit {
	return f.revisits[f.revisitsBefore(step):min(int(f.steps[step].revisits), len(f.revisits))]
}

// revisitsBefore returns the index of the first revisit of a step.
func (f *frame) revisitsBefore(step int) int {
	_, _, n := f.ends(step - 1)
	return int(n)
}

// leastSteps is the minimum capacity for the steps of a frame.
const leastSteps = 16

// add adds a step and returns it. The caller must set all its fields. It takes no literal
// as an argument, because copying the literal would take longer.
func (f *frame) add() *frameStep {
	n := len(f.steps)
	if n == cap(f.steps) {
		f.steps = slices.Grow(f.steps, max(n, leastSteps))
	}
	f.steps = f.steps[:n+1]
	return &f.steps[n]
}

// addSettled adds steps of start-up until the frame has n steps.
func (f *frame) addSettled(n int) {
	for len(f.steps) < n {
		f.steps = append(f.steps, frameStep{settled: true, alts: int32(len(f.alts)), answers: int32(len(f.answers))})
	}
}

// follow appends to f a step of frame g, with the step's answers but without its
// variations.
func (f *frame) follow(g *frame, step int) {
	s := g.steps[step]
	f.answers = append(f.answers, g.answersOf(step)...)
	s.alts, s.answers, s.revisits = 0, int32(len(f.answers)), 0
	f.steps = append(f.steps, s)
}

// followUpTo makes f consist of the first n steps of frame g, without their variations.
func (f *frame) followUpTo(g *frame, n int) {
	f.steps, f.base, f.question = f.steps[:0], 0, 0
	f.alts, f.answers, f.revisits = f.alts[:0], f.answers[:0], f.revisits[:0]
	for k := range n {
		f.follow(g, k)
	}
	f.words = g.words
	f.past = append(f.past[:0], g.past[:n*g.words]...)
}

// revisit makes f the frame in which step v.step of g receives a message sent by step i.
// It keeps the steps before v.step, step i and the steps that happened before step i, and
// drops all other steps. The last step of f is the one that receives the message.
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

// replace makes f the frame in which step i, the last step of g, receives message a
// instead of its own message.
func (f *frame) replace(g *frame, i int, a alt) {
	f.followUpTo(g, i)
	f.base = i
	s := &g.steps[i]
	f.steps = append(f.steps, frameStep{id: a.id, digest: s.digest, index: a.index, n: s.n, answers: int32(len(f.answers))})
}

// vary gives the last step its next value. It first tries the remaining results of the
// step's choices, then an alternative message. It returns false if the step has no
// further value.
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

// popRevisit removes and returns a revisit of the last step; ok is false if there is
// none.
func (f *frame) popRevisit() (r revisit, ok bool) {
	n := len(f.revisits)
	if n <= f.revisitsBefore(len(f.steps)-1) {
		return revisit{}, false
	}
	r = f.revisits[n-1]
	f.revisits = f.revisits[:n-1]
	return r, true
}

// copyUpTo makes f consist of the steps of frame g up to and including step `last`, with
// their variations.
func (f *frame) copyUpTo(g *frame, last int) {
	s := g.steps[last]
	f.steps = append(f.steps[:0], g.steps[:last+1]...)
	f.alts = append(f.alts[:0], g.alts[:s.alts]...)
	f.answers = append(f.answers[:0], g.answers[:s.answers]...)
	f.revisits = append(f.revisits[:0], g.revisits[:g.revisitsBefore(last)]...)
	f.past, f.words = append(f.past[:0], g.past[:(last+1)*g.words]...), g.words
	f.steps[last].revisits = int32(len(f.revisits))
}

// fix removes all variations of the frame's steps. The next run of the frame finds the
// variations of step `last` and later steps anew.
func (f *frame) fix(last int) {
	alts, _, _ := f.ends(last - 1)
	f.base = last
	f.alts, f.steps[last].alts = f.alts[:alts], alts
}

// shortest returns the index in list of the first frame with the fewest steps.
func shortest(list []frameRoot) (i int) {
	for k := range list {
		if len(list[k].frame.steps) < len(list[i].frame.steps) {
			i = k
		}
	}
	return i
}
