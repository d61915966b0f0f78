package explore

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// A frameFollower is the strategy of the optimal search. It repeats the steps of a frame
// (a prefix of decisions), and then adds steps by default.
type frameFollower struct {
	outcome
	chooser postponer
	frame   *frame
	enabled *pulse.Enabled // what the run offers to its strategy
	step    int            // the current step; -1 before the first
	asked   int32          // the number of choices that the current step has made
	// askedBetween is set when the system asks for a choice between two steps, which
	// the optimal search does not support.
	askedBetween bool
	divides      bool // set if the search makes partitions (a copy of lessons.divides)
}

// begin makes f the frame of the next run.
func (w *frameFollower) begin(f *frame) { w.frame, w.step, w.asked, w.ending = f, -1, 0, endedItself }

// Begin begins a run.
func (w *frameFollower) Begin(uint64) {}

// Pick repeats the frame's next step or, after its last step, adds a step by default.
func (w *frameFollower) Pick(e *pulse.Enabled) int {
	if w.isLate() {
		return w.giveUp(endedLate)
	}
	if e.Strikes() > 0 {
		w.askedBetween = true
		return w.giveUp(endedOther)
	}
	f, k := w.frame, e.Step()
	w.step, w.asked, w.enabled = k, 0, e
	if k >= len(f.steps) {
		return w.addStep(e, k)
	}
	s := &f.steps[k]
	digest := e.Digest()
	if s.index == unknown {
		return w.find(s, e, digest)
	}
	if int(s.n) != e.Len() || s.digest != digest {
		return w.differ(otherMessages(e))
	}
	return int(s.index)
}

// find returns the index of the message of step s, whose index in this run is not known
// yet. If the message is not deliverable, because a process refuses the message, the
// frame's order does not exist. Then find stops the run.
func (w *frameFollower) find(s *frameStep, e *pulse.Enabled, digest uint64) int {
	for i := range e.Len() {
		if e.ID(i) == s.id {
			s.index, s.n, s.digest = int32(i), int32(e.Len()), digest
			return i
		}
	}
	return w.giveUp(endedAsleep)
}

// addStep adds a step by default, and returns the index of its message.
func (w *frameFollower) addStep(e *pulse.Enabled, k int) int {
	f := w.frame
	if len(f.steps) < k {
		f.addSettled(k)
	}
	pick, n := 0, e.Len()
	if n > 1 {
		pick = w.chooser.first(e)
		actor := e.Receiver(pick)
		for i := range n {
			if e.Receiver(i) == actor && i != pick {
				f.alts = append(f.alts, alt{e.ID(i), int32(i)})
			}
		}
	}
	s := f.add()
	s.digest, s.index, s.n = e.Digest(), int32(pick), int32(n)
	s.alts, s.answers, s.revisits = int32(len(f.alts)), int32(len(f.answers)), 0
	s.byDefault, s.settled = true, false
	return pick
}

// Choose repeats the next choice of the frame. After the last one it adds a choice with
// the value 0.
func (w *frameFollower) Choose(k choice.Kind, n int) int {
	f := w.frame
	if k == choice.Clock || k == choice.Fault || k == choice.Loss || w.step < 0 {
		w.askedBetween = true
		return w.giveUp(endedOther)
	}
	_, begin, _ := f.ends(w.step - 1)
	i := begin + w.asked
	w.asked++
	if i == f.steps[w.step].answers {
		if int(i) < len(f.answers) {
			return w.differ(fmt.Sprintf("step %d asked for a choice (%v) that it did not ask for in the earlier run", w.step, k))
		}
		f.answers = append(f.answers, reply{0, int32(n)})
		f.steps[w.step].answers++
	}
	if int(f.answers[i].n) != n {
		return w.differ(fmt.Sprintf("step %d asked for a choice (%v) with %d alternatives, and in the earlier run with %d", w.step, k, n, f.answers[i].n))
	}
	return int(f.answers[i].value)
}

// Needs asks for a call to Pick at every step, and for a record, because Pick reads
// identities.
func (w *frameFollower) Needs() pulse.Needs {
	return pulse.Needs{Single: true, Record: true, Strikes: !w.divides}
}
