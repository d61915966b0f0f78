package explore

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// The optimal search is TruSt (Kokologiannakis et al., POPL 2022), brought to
// actors as in Must (Enea et al., OOPSLA 2024), with one change that makes it
// simpler: whether a step was chosen by default is noted when it is chosen and
// never asked again.
//
// A run follows a frame to its end and goes on by default: any actor that has
// messages, any of them. Then it is varied from its end to its beginning. A
// step can receive another message that its actor had; or, when a later step
// has sent its actor a message that it could have had, that one: a revisit.
// The revisit keeps what happened before the sending and drops what else came
// after, and it is made only if all that is dropped, and the step itself, was
// chosen by default. So everything that is not by default stays as it is in
// all that follows from a frame, and each distinct order is come to in one way:
//
//   - Each: take a distinct order, and follow it from the start. Where the
//     default differs from it at an actor, the message that it has there was
//     either there to be chosen instead, or is sent later; then what the
//     sending needs is made to happen first, in the same way, and all else by
//     default, which the revisit drops again.
//   - Once: a decision against the default cannot be taken back below, and one
//     for it can only be by the revisit that the order calls for.
//
// A frame has at least one decision against the default more than the frame
// that it came from, so there are never more frames than a run has steps.

// An optimal is the strategy that follows the top frame.
type optimal struct {
	options *Options
	frame   *frame
	enabled *pulse.Enabled // of the run
	habits  *habits
	list    []cand // scratch of the ordering
	at      int    // the step that is being taken; -1 before the first
	asked   int32  // questions that it has asked
	out     why
	differs string
	// beyond: something may come between steps that has to do with them all.
	beyond bool
}

// Begin begins a run.
func (w *optimal) Begin(uint64) {}

func (w *optimal) start(f *frame) { w.frame, w.at, w.asked, w.out = f, -1, 0, ended }

// Needs has every step asked for, and identities computed.
func (w *optimal) Needs() pulse.Needs { return pulse.Needs{Single: true, Record: true} }

// Verdict says why a run was given up.
func (w *optimal) Err() error {
	return w.out.verdict()
}

// Pick follows the frame, then takes what is next by default.
func (w *optimal) Pick(e *pulse.Enabled) int {
	f, k := w.frame, e.Step()
	w.at, w.asked, w.enabled = k, 0, e
	if k >= len(f.steps) {
		return w.grow(e, k)
	}
	s := &f.steps[k]
	hash := e.Digest()
	if s.index == unknown {
		return w.find(s, e, hash)
	}
	if int(s.n) != e.Len() || s.hash != hash {
		w.out = diverged
		w.differs = fmt.Sprintf("after step %d %d messages could be delivered, the first of them %s", k-1, e.Len(), e.Label(0))
		return pulse.Quit
	}
	return int(s.index)
}

// find looks for the message of a step that was taken in another order. A
// process may not want it here: then there is no such order.
func (w *optimal) find(s *taken, e *pulse.Enabled, hash uint64) int {
	for i := range e.Len() {
		if e.ID(i) == s.id {
			s.index, s.n, s.hash = int32(i), int32(e.Len()), hash
			return i
		}
	}
	w.out = blocked
	return pulse.Quit
}

// grow adds a step by default.
func (w *optimal) grow(e *pulse.Enabled, k int) int {
	f := w.frame
	for len(f.steps) < k { // of a start-up that nobody was asked about
		f.steps = append(f.steps, taken{settled: true, alts: int32(len(f.alts)), answers: int32(len(f.answers))})
	}
	pick := w.first(e)
	actor := e.Receiver(pick)
	for i := range e.Len() {
		if i != pick && e.Receiver(i) == actor {
			f.alts = append(f.alts, alt{e.ID(i), int32(i)})
		}
	}
	f.steps = append(f.steps, taken{id: e.ID(pick), hash: e.Digest(), index: int32(pick), n: int32(e.Len()),
		alts: int32(len(f.alts)), answers: int32(len(f.answers)), byDefault: true})
	return pick
}

// first is the message that is taken by default: any would do.
func (w *optimal) first(e *pulse.Enabled) (i int) {
	i, w.list = firstBy(e, w.options.Ordering, w.habits, w.list)
	return i
}

// Choose follows the frame, and answers what was not asked before with zero.
func (w *optimal) Choose(k choice.Kind, n int) int {
	f := w.frame
	if k == choice.Clock || k == choice.Fault || w.at < 0 {
		w.beyond, w.out = true, diverged
		return pulse.Quit
	}
	_, from, _ := f.ends(w.at - 1)
	i := from + w.asked
	w.asked++
	if i == f.steps[w.at].answers {
		if int(i) < len(f.answers) {
			w.out, w.differs = diverged, fmt.Sprintf("step %d asked a question (%v) that it did not ask before", w.at, k)
			return pulse.Quit
		}
		f.answers = append(f.answers, reply{0, int32(n)})
		f.steps[w.at].answers++
	}
	if int(f.answers[i].n) != n {
		w.out, w.differs = diverged, fmt.Sprintf("step %d asked a question (%v) of %d answers that had %d before", w.at, k, n, f.answers[i].n)
		return pulse.Quit
	}
	return int(f.answers[i].value)
}

// A varier goes through the tree of the optimal search. The frames before the
// last are those that it came from.
type varier struct {
	*explorer
	follower optimal
	reviser  reviser
	frames   []*frame
	depth    int // of the frames that are in use
	next     int // the first step in which the next run differs
	// handOut keeps new frames for workers instead of going into them.
	handOut bool
	handed  []subtree
}

func (x *explorer) newVarier() *varier {
	v := &varier{explorer: x}
	v.follower.options, v.follower.habits = &x.options, &x.walker.habits
	v.strategy = &v.follower
	return v
}

// optimal goes through the whole tree.
func (x *explorer) optimal() (finished bool) {
	return x.newVarier().all()
}

// through goes through what follows from a frame, whose run is new from step
// `from` on.
func (v *varier) through(f *frame, from int) (finished bool) {
	v.frames, v.depth = append(v.frames[:0], f), 1
	return v.take(from) && v.vary()
}

// push puts a frame on the stack.
func (v *varier) push() *frame {
	if v.depth == len(v.frames) {
		v.frames = append(v.frames, &frame{})
	}
	v.depth++
	return v.frames[v.depth-1]
}

// vary varies the top frame until it has nothing left, and so those below it.
func (v *varier) vary() (finished bool) {
	for v.depth > 0 {
		f := v.frames[v.depth-1]
		i := len(f.steps) - 1
		if i < f.base {
			v.depth--
			continue
		}
		from := i
		if v.handOut {
			v.handAlts(f, i)
		}
		if n := len(f.revisits); n > f.revisitsBefore(i) {
			r := f.revisits[n-1]
			f.revisits = f.revisits[:n-1]
			if v.handOut {
				v.hand(f, i, r)
				continue
			}
			v.push().child(f, i, r)
			from = int(r.step)
		} else if !f.vary() {
			f.cut(i)
			continue
		}
		v.next = from
		if v.bound() || !v.take(from) {
			return false
		}
	}
	return true
}

// hand makes a frame for a worker.
func (v *varier) hand(f *frame, i int, r revisit) {
	c := &frame{}
	c.child(f, i, r)
	v.handed = append(v.handed, subtree{frame: c, from: int(r.step)})
}

// handAlts makes a frame of each other message of a step.
func (v *varier) handAlts(f *frame, i int) {
	from, _, _ := f.ends(i - 1)
	for _, a := range f.alts[from:] {
		c := &frame{}
		c.other(f, i, a)
		v.handed = append(v.handed, subtree{frame: c, from: i})
	}
	f.alts = f.alts[:from]
	f.steps[i].alts = from
}

func (f *frame) revisitsBefore(step int) int {
	_, _, n := f.ends(step - 1)
	return int(n)
}

// take runs the top frame, from which `from` on the steps are not those of the
// run before, and finds what it can be varied to. It is false when that was
// the last run.
func (v *varier) take(from int) bool {
	w, f := &v.follower, v.frames[v.depth-1]
	w.start(f)
	run := v.program(v.strategy)
	v.from = from
	if w.out == ended && stepsOf(run) < len(f.steps) {
		w.out, w.differs = diverged, endedEarly(run)
	}
	switch {
	case w.beyond:
		v.instead = SourceSets
		return false
	case w.out == diverged:
		v.verdict.Nondeterminism = w.differs
		return false
	case w.out == blocked:
		v.verdict.Wasted++
		v.verdict.Steps += stepsOf(run) - from
		v.depth--
		return true
	}
	return v.account(run, from)
}

// account counts a run and finds its revisits.
func (v *varier) account(run Run, from int) bool {
	f := v.frames[v.depth-1]
	if run.System != nil && run.System.Steps() > 0 {
		t := run.System.Trace()
		for len(f.steps) < len(t.Steps) {
			f.steps = append(f.steps, taken{settled: true, alts: int32(len(f.alts)), answers: int32(len(f.answers))})
		}
		v.reviser.enabled = v.follower.enabled
		switch {
		case v.verdict.Runs == 0 && hasStrikes(run.System), v.options.KeepOn && run.Failure != nil && !rested(t):
			v.instead = SourceSets
			return false
		case !v.reviser.revise(f, t, from, max(from, f.base)):
			v.instead = Everything
			return false
		}
	}
	v.walker.out = ended
	return !v.finish(run)
}

// hasStrikes says whether something may come between the steps of a system's
// runs that has to do with them all.
func hasStrikes(s *pulse.System) bool {
	o := s.Options()
	return o.EarlyTimers != 0 || o.Faults.Crash > 0 || o.Faults.Partition > 0
}
