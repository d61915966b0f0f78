package coverage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A status says whether both orders of a receive pair were seen, and if not, whether the
// order that was not seen is possible.
type status uint8

// status returns the status of the pair of steps j and k, where j was seen before k.
func (o *Orders) status(a *receiver, j, k int32) status {
	switch {
	case a.bit(pr, k, j):
		return isCovered
	case o.whole, a.bit(fixed, j, k):
		return isImpossible
	case a.bit(open, j, k):
		return isOpen
	}
	return isUnknown
}

// A Goal is an order that was not seen but is possible, as far as is known: First before
// Second at Receiver.
type Goal struct {
	// Identities of the actor and of the two steps.
	Receiver uint64 `json:"receiver"`
	First    uint64 `json:"first"`
	Second   uint64 `json:"second"`
	// The names are for display: shortened, and with control characters escaped.
	Actor         string `json:"actor"`
	FirstReceive  string `json:"firstReceive"`
	SecondReceive string `json:"secondReceive"`

	kinds
}

// kinds has the label of an actor and the types of two messages, as the program calls them.
type kinds struct{ actor, first, second string }

// Open lists the orders that were not seen but are possible, as far as is known. They are
// sorted by actor.
func (o *Orders) Open() (list []Goal) {
	names := map[told]string{}
	for _, i := range o.sorted() {
		a := &o.receivers[i]
		label := shown(o.words.texts[a.label], mostNamed)
		for j, k := range a.pairs() {
			if o.status(a, j, k) == isOpen {
				x, y := &a.steps[k], &a.steps[j]
				list = append(list, Goal{a.id, x.id, y.id, label, o.text(x, names), o.text(y, names),
					kinds{o.words.texts[a.label], o.words.texts[x.msg], o.words.texts[y.msg]}})
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Goal) int {
		return cmp.Or(cmp.Compare(x.Actor, y.Actor), cmp.Compare(x.Receiver, y.Receiver),
			cmp.Compare(x.FirstReceive, y.FirstReceive), cmp.Compare(x.SecondReceive, y.SecondReceive),
			cmp.Compare(x.First, y.First), cmp.Compare(x.Second, y.Second))
	})
	return list
}

// An OpenName is the name of some goals (see Goal and OpenNames), with the number of goals
// that have it.
type OpenName struct {
	Name  string `json:"name"`
	Pairs int    `json:"pairs"`

	kinds
}

// OpenNames lists the names of the goals that Open returns. Receives share a name if they
// have the same message type and sender. A name is left out if any two receives with these
// names were seen in this order, because a reader would find such an order in a run.
func (o *Orders) OpenNames() (list []OpenName) {
	pairs := map[Goal]int{}
	for _, g := range o.Open() {
		pairs[Goal{Actor: g.Actor, FirstReceive: g.FirstReceive, SecondReceive: g.SecondReceive, kinds: g.kinds}]++
	}
	names := map[told]string{}
	for i := range o.receivers {
		o.removeSeen(&o.receivers[i], names, pairs)
	}
	for g, n := range pairs {
		list = append(list, OpenName{g.String(), n, g.kinds})
	}
	slices.SortFunc(list, func(x, y OpenName) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.first, y.first), cmp.Compare(x.second, y.second), cmp.Compare(x.actor, y.actor))
	})
	return list
}

// removeSeen removes from pairs the names of orders that were seen at a receiver.
func (o *Orders) removeSeen(a *receiver, names map[told]string, pairs map[Goal]int) {
	if len(pairs) == 0 {
		return
	}
	label, alike := shown(o.words.texts[a.label], mostNamed), map[string][]int32{}
	for k := range a.steps {
		name := o.text(&a.steps[k], names)
		alike[name] = append(alike[name], int32(k))
	}
	for g := range pairs {
		if g.Actor == label && a.hasAny(alike[g.FirstReceive], alike[g.SecondReceive]) {
			delete(pairs, g)
		}
	}
}

// hasAny reports whether some step in xs was seen before some step in ys.
func (a *receiver) hasAny(xs, ys []int32) bool {
	for _, j := range xs {
		for _, k := range ys {
			if a.bit(pr, j, k) {
				return true
			}
		}
	}
	return false
}

// text returns a name of a step for display, such as "Deposit from client". It caches the
// results in the map names.
func (o *Orders) text(s *told, names map[told]string) string {
	alike := told{msg: s.msg, from: s.from}
	name, ok := names[alike]
	if !ok {
		name = shown(shortType(o.words.texts[s.msg]), mostNamed) + " from " + shown(o.words.texts[s.from], mostNamed)
		names[alike] = name
	}
	return name
}

// shortType removes the package from the name of a type.
func shortType(name string) string {
	if strings.Contains(name, " ") { // no named type: "chan a.T", or the operation "send at a.go:3"
		return name
	}
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
		if name[i] == ']' || name[i] == '}' || name[i] == ')' {
			break
		}
	}
	return name
}

// Whole records that every distinct order of the whole program was run. Receive orders that
// were not seen are then impossible, until something new is added.
func (o *Orders) Whole() { o.whole = true }

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
