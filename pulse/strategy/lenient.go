package strategy

import (
	"fmt"
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A lenient is a replay that keeps what still applies. It picks the deliverable
// message that comes first in the record, or the oldest if none is in the
// record. It returns Hold where the record has one, if a timer may fire early.
// It answers a question with the next choice of its kind.
type lenient struct {
	record *choice.Record
	places hash.Table // by identity: the position in the record's deliveries, from 1
	// made[i] is the position in the run of delivery i of the record, from 1;
	// zero if it was not made yet.
	made  []int32
	count int32   // deliveries made that are in the record
	holds []int32 // positions of Holds in the record's deliveries, from 1
	held  int     // how many of holds were made

	// next is by kind: where in the record's choices to look for the next one.
	next   [math.MaxUint8 + 1]int
	strays []int32  // steps that are not in the record
	unfit  []misfit // questions for which the record had no fitting answer
}

// A misfit is a question for which the record had no fitting answer.
type misfit struct {
	stored choice.Choice // the answer in the record; N is 0 if there was none
	kind   choice.Kind
	n      int
	given  int
}

func newLenient(record *choice.Record) *lenient {
	l := &lenient{record: record, made: make([]int32, len(record.Deliveries))}
	for i, id := range record.Deliveries {
		if id == choice.Hold {
			l.holds = append(l.holds, int32(i)+1)
			continue
		}
		l.places.Put(id, int32(i)+1)
	}
	return l
}

func (l *lenient) begin() {
	clear(l.made)
	clear(l.next[:])
	l.count, l.held, l.strays, l.unfit = 0, 0, l.strays[:0], l.unfit[:0]
}

func (l *lenient) pick(e *pulse.Enabled) int {
	best, place := -1, int32(math.MaxInt32)
	for i := range e.Len() {
		if at, ok := l.places.Get(e.ID(i)); ok && at < place {
			best, place = i, at
		}
	}
	if l.held < len(l.holds) && l.holds[l.held] < place && e.CanHold() {
		l.make(l.holds[l.held])
		l.held++
		return pulse.Hold
	}
	if best < 0 {
		l.strays = append(l.strays, int32(e.Step()))
		return e.Oldest()
	}
	l.make(place)
	return best
}

// make records that a delivery of the record was made.
func (l *lenient) make(place int32) {
	l.count++
	l.made[place-1] = l.count
}

// whole reports whether the whole record was replayed.
func (l *lenient) whole() bool {
	for i, at := range l.made {
		if at != int32(i)+1 {
			return false
		}
	}
	strikes := slices.ContainsFunc(l.record.Choices, func(c choice.Choice) bool { return c.Value != 0 })
	return !strikes || len(l.unfit) == 0 && l.answered()
}

// answered reports whether every answer of the record was used.
func (l *lenient) answered() bool {
	for i, c := range l.record.Choices {
		if i >= l.next[c.Kind] {
			return false
		}
	}
	return true
}

// choose answers with the next choice of this kind. If that had a different
// number of alternatives, its value is capped. A fault then does not strike,
// since it might strike another actor than the recorded one.
func (l *lenient) choose(k choice.Kind, n int) int {
	stored := l.find(k)
	v := min(int(stored.Value), n-1)
	if int(stored.N) == n {
		return v
	}
	if k == choice.Fault {
		v = 0
	}
	l.unfit = append(l.unfit, misfit{stored, k, n, v})
	return v
}

// find returns the next choice of a kind, or the zero Choice.
func (l *lenient) find(k choice.Kind) choice.Choice {
	for i := l.next[k]; i < len(l.record.Choices); i++ {
		if c := l.record.Choices[i]; c.Kind == k {
			l.next[k] = i + 1
			return c
		}
	}
	l.next[k] = len(l.record.Choices)
	return choice.Choice{}
}

// mostStale is how many differences are listed. A changed program may differ in
// every step, and naming a step takes time.
const mostStale = 100

// stale lists what did not apply: first parts of the record, then parts of the
// run.
func (l *lenient) stale(run *trace.Trace, label func(int) (string, bool)) (list []string) {
	more := 0
	add := func(text func() string) {
		if len(list) < mostStale {
			list = append(list, text())
		} else {
			more++
		}
	}
	name := func(i int) string {
		if text, known := label(i); known {
			return text
		}
		return fmt.Sprintf("identity %016x", l.record.Deliveries[i])
	}
	after := int32(0)
	for i, order := range l.made {
		switch {
		case order == 0:
			add(func() string { return fmt.Sprintf("delivery %d, %s, was not made", i, name(i)) })
		case order < after:
			add(func() string {
				return fmt.Sprintf("delivery %d, %s, came before an earlier delivery of the record", i, name(i))
			})
		}
		after = max(after, order)
	}
	for i, c := range l.record.Choices {
		if i >= l.next[c.Kind] {
			add(func() string { return fmt.Sprintf("choice %d, %v of %d, was not asked for", i, c.Kind, c.N) })
		}
	}
	for _, m := range l.unfit {
		add(m.String)
	}
	for _, step := range l.strays {
		add(func() string { return fmt.Sprintf("step %d, %s, is not in the record", step, run.StepLabel(int(step))) })
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}

func (m misfit) String() string {
	if m.stored.N == 0 {
		return fmt.Sprintf("the record has no answer to %v of %d: %d was given", m.kind, m.n, m.given)
	}
	return fmt.Sprintf("the record answers %v of %d with %d, the run asks %v of %d: %d was given",
		m.stored.Kind, m.stored.N, m.stored.Value, m.kind, m.n, m.given)
}
