package explore

import (
	"math/bits"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A reviser finds the revisits of a run (see revisit). Its lists are indexed by actor,
// message or channel; -1 means none.
type reviser struct {
	past
	last []int32 // the last step of each actor so far
	// prepared is set if the fields before, tail and chosen are valid for the run:
	// see the method prepare.
	prepared bool
	before   []int32  // for each message, the previous message on the same channel
	tail     []int32  // for each channel, the last message so far
	chosen   []uint64 // the set of the steps that are not chosen by default
	causes   causes
	enabled  *pulse.Enabled // what the run offers to its strategy; it computes identities
}

// revise adds to f the revisits by step `from` and later steps of its run. The
// happens-before sets of the steps before step `same` are already valid. If messages do
// not order all conflicting steps, revise returns the handover to restart with, otherwise
// a zero handover.
func (v *reviser) revise(f *frame, t *trace.Trace, same, from int) handover {
	v.bits, v.words = f.past, f.words
	v.learn(t, same)
	v.causes.known, v.prepared = false, false
	f.past, f.words = v.bits, v.words
	if over := v.misfit(same); over != (handover{}) {
		return over
	}
	v.last = grown(v.last, len(t.Actors))
	for a := range v.last {
		v.last[a] = -1
	}
	steps := t.Steps
	for i := range steps[:min(from, len(steps))] {
		v.last[steps[i].Actor] = int32(i)
	}
	v.findRevisits(f, from)
	return handover{}
}

// findRevisits adds to f the revisits by step `from` and later steps, and sets the
// identities of step `from` and later steps.
func (v *reviser) findRevisits(f *frame, from int) {
	steps, sends := v.trace.Steps, v.trace.Sends
	m := 0 // scan all sends, because they are not sorted by step: a periodic timer's messages all count as sent by the step that set the timer
	for i := from; i < len(steps); i++ {
		set := v.of(int32(i))
		for ; m < len(sends) && int(sends[m].Step) <= i; m++ {
			if r := v.last[sends[m].To]; r >= 0 && !has(set, r) && int(sends[m].Step) == i {
				v.revisitsOf(f, int32(i), int32(m))
			}
		}
		st, s := &steps[i], &f.steps[i]
		s.id, s.revisits = st.ID, int32(len(f.revisits))
		v.last[st.Actor] = int32(i)
	}
}

// prepare computes the fields before, tail and chosen. It is called only when a message
// may have a revisit, because many runs have no such message.
func (v *reviser) prepare(f *frame) {
	if v.prepared {
		return
	}
	v.prepared = true
	v.learnProcesses()
	v.chain()
	v.noteChosen(f)
}

// chain sets the fields before and tail, which link each message to the previous message
// on the same channel.
func (v *reviser) chain() {
	sends := v.trace.Sends
	v.before = grown(v.before, len(sends))
	for c := range v.tail {
		v.tail[c] = -1
	}
	for m := range sends {
		c := int(sends[m].Channel)
		v.before[m] = -1
		if v.trace.Unordered || sends[m].Fate == trace.Dropped && sends[m].Kind != trace.Poll || sends[m].Kind == trace.Reply && sends[m].To != trace.Test || sends[m].Kind.IsTimer() {
			continue
		}
		for len(v.tail) <= c {
			v.tail = append(v.tail, -1)
		}
		v.before[m], v.tail[c] = v.tail[c], int32(m)
	}
}

// noteChosen sets chosen to the steps of a frame that are not chosen by default.
func (v *reviser) noteChosen(f *frame) {
	v.chosen = grown(v.chosen, v.words)
	clear(v.chosen)
	for k := range f.steps {
		if s := &f.steps[k]; !s.byDefault && !s.settled {
			v.chosen[k>>6] |= 1 << (k & 63)
		}
	}
}

// revisitsOf adds to f the revisits in which an earlier step receives message m, which
// step i sent. The receiver of m has taken a step that did not happen before step i.
func (v *reviser) revisitsOf(f *frame, i, m int32) {
	d := &v.trace.Sends[m]
	if d.Kind.IsTimer() { // a timer fires at a quiescent point, after every step that it could revisit
		return
	}
	v.prepare(f)
	bound := v.lastChosen(i)
	set := v.of(i)
	for r := v.last[d.To]; r > bound && !f.steps[r].settled; r = v.trace.Steps[r].Prev {
		if has(set, r) {
			return // step r and all earlier steps of the actor happened before the send
		}
		if st := &v.trace.Steps[r]; v.couldTake(st, d) != never && v.couldBeNext(r, m) {
			f.revisits = append(f.revisits, revisit{r, v.enabled.IDOf(d), v.question(r, m)})
		}
	}
}

// lastChosen returns the last step before step i that was not chosen by default and did
// not happen before step i, -1 if there is none. No revisit by step i may revisit or drop
// that step.
func (v *reviser) lastChosen(i int32) int32 {
	set := v.of(i)
	for w := i >> 6; w >= 0; w-- {
		x := v.chosen[w] &^ set[w]
		if w == i>>6 {
			x &= 1<<(i&63) - 1
		}
		if x != 0 {
			return w<<6 + int32(bits.Len64(x)) - 1
		}
	}
	return -1
}

// couldBeNext reports whether message m could have been the next message of its channel
// at step r, because the receiver had taken the earlier messages of the channel or did
// not want them.
func (v *reviser) couldBeNext(r, m int32) bool {
	for b := v.before[m]; b >= 0; b = v.before[b] {
		d := &v.trace.Sends[b]
		if d.Receipt >= 0 && d.Receipt < r {
			if !v.isProcess[d.To] {
				return true
			}
			continue
		}
		if !v.isProcess[d.To] || d.Receipt == r || v.couldTake(&v.trace.Steps[r], d) == always {
			return false
		}
	}
	return true
}
