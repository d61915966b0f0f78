package coverage

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A judge finds out which orders of a run could have been reversed, and which orders
// cannot be reversed in any run.
//
// Judging takes more time than everything else in this package; in the worst case its time
// grows with the square of the number of steps. Therefore it has a budget, a fraction of
// the time of all runs, and only runs with a new order and a few other runs are judged.
type judge struct {
	causality trace.Causality
	spent     int // the cost of all judged runs, in units of the budget
	earned    int // the budget that all runs have added

	// These slices have an element for each actor.
	last   []int32 // the actor's last receive so far
	first  []int32 // the actor's first receive
	choosy []bool  // set if some receive was selective, because then no channel to the actor has a fixed order
	counts []int   // the number of the actor's receives that count
	// These slices have an element for each step.
	before []int32 // the previous receive of the step's actor
	number []int32 // the step's number, or skipped if the step does not count
	timers []int32 // the number of timers that fired up to and including the step
	// Bit a of row b is set if step a comes before step b in every run that has both.
	must  []uint64
	width int // the length of a row, in words
}

// The budget for judging is in units of about a nanosecond. It starts at credit, and each
// step of any run adds earnings. A run is never judged if it has more than mostJudged
// steps, or if its number of steps times its number of actors exceeds mostClocks.
const (
	earnings   = 1
	credit     = 1 << 20
	mostJudged = 4096
	mostClocks = 1 << 21
)

// judge finds the orders of a run that could have been reversed, and the orders that
// cannot be reversed in any run. It does nothing if the budget is used up, or if steps use objects
// such as mutexes, which also decide what can be reversed.
func (o *Orders) judge(t *trace.Trace) {
	j := &o.judging
	n := len(t.Steps)
	if n > mostJudged || n*len(t.Actors) > mostClocks || t.UsesObjects() {
		return
	}
	work := 8*n + 2*n*len(t.Actors) + n*n/32
	j.counts = append(j.counts[:0], make([]int, len(t.Actors))...)
	for i, k := range o.run {
		if k != skipped {
			j.counts[t.Steps[i].Actor]++
		}
	}
	for _, c := range j.counts {
		work += 4 * c * c
	}
	if j.spent+work > credit+j.earned {
		return
	}
	j.spent += work
	j.causality.Reset(t)
	j.line(o, t)
	j.findMust(t)
	for i := range t.Steps {
		if j.number[i] != skipped {
			o.judgeStep(t, int32(i))
		}
	}
}

// line fills the fields of j that have an element for each actor or each step, except
// counts.
func (j *judge) line(o *Orders, t *trace.Trace) {
	j.last, j.first, j.choosy = j.last[:0], j.first[:0], j.choosy[:0]
	j.before, j.number, j.timers = j.before[:0], j.number[:0], j.timers[:0]
	fired := int32(0)
	for range t.Actors {
		j.last = append(j.last, trace.None)
		j.first = append(j.first, trace.None)
		j.choosy = append(j.choosy, false)
	}
	for i := range t.Steps {
		st := &t.Steps[i]
		k := int32(skipped)
		j.before = append(j.before, j.last[st.Actor])
		if st.Kind == trace.Receive {
			if known, ok := o.numbers.Get(st.ID); ok && !st.Settled { // a step whose identity has no number shares the number of its message type (see fold)
				k = known
			}
			j.last[st.Actor] = int32(i)
			if j.first[st.Actor] == trace.None {
				j.first[st.Actor] = int32(i)
			}
			j.choosy[st.Actor] = j.choosy[st.Actor] || st.Wanted != trace.Anything
		}
		if st.Send != trace.None && t.Sends[st.Send].Kind.IsTimer() {
			fired++
		}
		j.number, j.timers = append(j.number, k), append(j.timers, fired)
	}
}

// judgeStep finds out, for each earlier step of the same actor, whether the step could
// have come before it or never can.
func (o *Orders) judgeStep(t *trace.Trace, step int32) {
	j := &o.judging
	a := &o.receivers[o.live[t.Steps[step].Actor].place]
	k, behind := j.number[step], false // behind is set once the loop passes a message of the same channel
	for e := j.before[step]; e != trace.None; e = j.before[e] {
		i := j.number[e]
		switch {
		case i == skipped || a.bit(pr, k, i) || a.bit(open, i, k) || a.bit(fixed, i, k):
		case !behind && j.could(t, e, step):
			o.learn(a, open, i, k)
		case j.mustCome(e, step):
			o.learn(a, fixed, i, k)
		}
		behind = behind || !t.Unordered && from(t, e) == from(t, step)
	}
}

func from(t *trace.Trace, step int32) int32 { return t.Sends[t.Steps[step].Send].From }

// put sets the bit "step j before step k" in a matrix.
func (a *receiver) put(matrix int, j, k int32) {
	a.rows[matrix][int(k)*a.width+int(j)>>6] |= 1 << (j & 63)
}

// learn sets the bit "step j before step k" in a matrix. It does nothing if the matrix has
// no bits yet and the memory is used up.
func (o *Orders) learn(a *receiver, matrix int, j, k int32) {
	if len(a.rows[matrix]) == 0 && o.full() {
		return
	}
	o.addRows(a, matrix)
	a.put(matrix, j, k)
}

// could reports whether step b could have come right before a, an earlier step of the same
// actor. The caller has checked that no earlier message of b's channel was received
// between a and b. could returns false if the receive in a was selective. It also returns
// false if a timer fired in a, in b or between them. A timer fires only when nothing else
// is deliverable, but with a postponed, the message of a would be deliverable.
func (j *judge) could(t *trace.Trace, a, b int32) bool {
	first := j.timers[a]
	if t.Sends[t.Steps[a].Send].Kind.IsTimer() {
		first-- // count only the timers before a
	}
	return t.Steps[a].Wanted == trace.Anything && first == j.timers[b] && j.causality.Swappable(int(a), int(b))
}

// findMust fills j.must: for each step, the steps that come before it in every run that
// has both steps. The direct ones are the step that sent its message, the step that
// created its actor, the start of the actor, and receives of messages of the same channel
// that are sent earlier in every run. The set also has all steps that must come before the
// direct ones.
func (j *judge) findMust(t *trace.Trace) {
	n := len(t.Steps)
	j.width = (n + 63) / 64
	j.must = slices.Grow(j.must[:0], n*j.width)[:n*j.width]
	clear(j.must)
	for i := range t.Steps {
		b := int32(i)
		st := &t.Steps[i]
		if st.Send == trace.None {
			continue
		}
		d := &t.Sends[st.Send]
		if d.Kind != trace.Periodic {
			j.comesAfter(b, d.Step)
		}
		j.comesAfter(b, t.Actors[st.Actor].Step)
		if f := j.first[st.Actor]; f != b && t.Sends[t.Steps[f].Send].Kind == trace.Start {
			j.comesAfter(b, f)
		}
		for a := j.before[i]; a != trace.None; a = j.before[a] {
			if !j.mustCome(a, b) && j.keepsChannel(t, a, b) {
				j.comesAfter(b, a)
			}
		}
	}
}

// comesAfter records that step b always comes after step a, and after all steps that always
// come before a.
func (j *judge) comesAfter(b, a int32) {
	if a == trace.None {
		return
	}
	row := j.must[int(b)*j.width:]
	for w, word := range j.must[int(a)*j.width : int(a)*j.width+int(a)>>6+1] {
		row[w] |= word
	}
	row[a>>6] |= 1 << (a & 63)
}

// mustCome reports whether step a always comes before step b.
func (j *judge) mustCome(a, b int32) bool {
	return j.must[int(b)*j.width+int(a)>>6]&(1<<(a&63)) != 0
}

// keepsChannel reports whether the messages of steps a and b have one channel, the message
// of a is sent first in every run, and the actor has no selective receive.
func (j *judge) keepsChannel(t *trace.Trace, a, b int32) bool {
	x, y := &t.Sends[t.Steps[a].Send], &t.Sends[t.Steps[b].Send]
	if t.Unordered || x.Kind != trace.Message || y.Kind != trace.Message || x.From != y.From || j.choosy[y.To] {
		return false
	}
	if x.Step == y.Step {
		return x.Seq < y.Seq
	}
	return x.Step != trace.None && y.Step != trace.None && t.Steps[x.Step].Actor == x.From && t.Steps[y.Step].Actor == y.From &&
		j.mustCome(x.Step, y.Step)
}
