package explore

import (
	"math/bits"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A reviser finds the revisits of a run.
type reviser struct {
	finder
	last   []int32 // the last step of each actor so far
	before []int32 // the message before, in its channel
	tail   []int32 // the last message of each channel so far
	fixed  []uint64
	// enabled is of the run: it knows identities.
	enabled *pulse.Enabled
}

// revise lists, for the steps of a frame's run from `from` on, what they
// revisit. Before step `same` the run is as the one that the frame's sets are
// of. It is false when steps have to do with each other by more than messages.
func (v *reviser) revise(f *frame, t *trace.Trace, same, from int) bool {
	v.bits, v.words = f.past, f.words
	v.learn(&stack{}, t, same)
	f.past, f.words = v.bits, v.words
	if !v.onlyMessages(same) {
		return false
	}
	v.chain()
	v.fixed = grown(v.fixed, v.words)
	clear(v.fixed)
	for k := range f.steps {
		if s := &f.steps[k]; !s.byDefault && !s.settled {
			v.fixed[k>>6] |= 1 << (k & 63)
		}
	}
	v.last = grown(v.last, len(t.Actors))
	for a := range v.last {
		v.last[a] = -1
	}
	m := 0
	for i := range t.Steps {
		if i >= from {
			for ; m < len(t.Sends) && int(t.Sends[m].Step) < i; m++ {
			}
			for ; m < len(t.Sends) && int(t.Sends[m].Step) == i; m++ {
				v.revisitsOf(f, int32(i), int32(m))
			}
			f.steps[i].revisits = int32(len(f.revisits))
		}
		v.last[t.Steps[i].Actor] = int32(i)
	}
	return true
}

// chain links each message to the one before it in its channel.
func (v *reviser) chain() {
	sends := v.t.Sends
	v.before = grown(v.before, len(sends))
	for c := range v.tail {
		v.tail[c] = -1
	}
	for m := range sends {
		c := int(sends[m].Channel)
		v.before[m] = -1
		if v.t.Unordered || sends[m].Fate == trace.Dropped || sends[m].Kind == trace.Reply || sends[m].Kind.IsTimer() {
			continue
		}
		for len(v.tail) <= c {
			v.tail = append(v.tail, -1)
		}
		v.before[m], v.tail[c] = v.tail[c], int32(m)
	}
}

// revisitsOf lists the steps that message m of step i revisits.
func (v *reviser) revisitsOf(f *frame, i, m int32) {
	d := &v.t.Sends[m]
	if d.Kind.IsTimer() { // it comes at a rest, after all that it could revisit
		return
	}
	bound := v.lastFixed(i)
	set := v.of(i)
	for r := v.last[d.To]; r > bound && !f.steps[r].settled; r = v.t.Steps[r].Prev {
		if has(set, r) {
			return // and so are all before it
		}
		if st := &v.t.Steps[r]; v.mayTake(st, d) != never && v.isFirst(r, m) {
			f.revisits = append(f.revisits, revisit{r, v.enabled.IDOf(d)})
		}
	}
}

// lastFixed is the last step before i that is not by default and did not
// happen before i: what revisits it, or would drop it, is not made.
func (v *reviser) lastFixed(i int32) int32 {
	set := v.of(i)
	for w := i >> 6; w >= 0; w-- {
		x := v.fixed[w] &^ set[w]
		if w == i>>6 {
			x &= 1<<(i&63) - 1
		}
		if x != 0 {
			return w<<6 + int32(bits.Len64(x)) - 1
		}
	}
	return -1
}

// isFirst says whether a message can have been the first of its channel that
// its receiver wanted before step r.
func (v *reviser) isFirst(r, m int32) bool {
	for b := v.before[m]; b >= 0; b = v.before[b] {
		d := &v.t.Sends[b]
		if d.Receipt >= 0 && d.Receipt < r {
			if !v.process[d.To] {
				return true
			}
			continue
		}
		if !v.process[d.To] || d.Receipt == r || v.mayTake(&v.t.Steps[r], d) == always {
			return false
		}
	}
	return true
}
