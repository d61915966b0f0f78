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

// A lenient makes the decisions of a lenient replay, which skips parts of the record
// that no longer apply. It picks the deliverable message that comes first in the
// record, or the oldest message if none is in the record. It repeats a recorded Hold
// if a timer may fire early. For each choice it makes the next recorded choice of
// the same kind.
type lenient struct {
	record *choice.Record
	places hash.Table // maps the identity of a step to its position in record.Deliveries, from 1
	// made[i] is k if delivery i of the record was the k-th delivery of the record that
	// the run made. It is zero if the run has not made the delivery yet.
	made  []int32
	count int32   // the number of recorded deliveries that the run has made so far
	holds []int32 // positions of Holds in record.Deliveries, from 1
	held  int     // the number of Holds that were made so far

	// next has, for each kind of choice, the index in record.Choices at which find
	// starts.
	next   [math.MaxUint8 + 1]int
	strays []int32  // steps that are not in the record
	unfit  []misfit // choices of the run for which the record had no fitting choice
}

// A misfit is a choice of the run for which the record had no fitting choice.
type misfit struct {
	stored choice.Choice // the choice in the record; N is 0 if there was none
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

// make records that the run made the delivery at position place of the record.
func (l *lenient) make(place int32) {
	l.count++
	l.made[place-1] = l.count
}

// whole reports whether the run made all deliveries of the record, in order, and all
// of its choices. Choices are ignored if all choices of the record are zero.
func (l *lenient) whole() bool {
	for i, at := range l.made {
		if at != int32(i)+1 {
			return false
		}
	}
	strikes := slices.ContainsFunc(l.record.Choices, func(c choice.Choice) bool { return c.Value != 0 })
	return !strikes || len(l.unfit) == 0 && l.answered()
}

// answered reports whether every choice of the record was used.
func (l *lenient) answered() bool {
	for i, c := range l.record.Choices {
		if i >= l.next[c.Kind] {
			return false
		}
	}
	return true
}

// choose makes a choice of kind k: it returns the next recorded choice of that kind.
// If the recorded choice had a different number of alternatives, the value is
// capped. A fault then does not occur, because it might affect a different actor.
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

// find returns the next recorded choice of kind k, or the zero Choice if none is
// left.
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

// mostStale is the maximum number of differences that stale lists. A changed program
// may differ in every step, and naming a step takes time.
const mostStale = 100

// stale lists the differences between the record and the run: first the deliveries
// and choices of the record that did not apply, then the steps of the run that are
// not in the record.
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
			add(func() string { return fmt.Sprintf("delivery %d of the record, %s, was not made", i, name(i)) })
		case order < after:
			add(func() string {
				return fmt.Sprintf("delivery %d of the record, %s, came before an earlier delivery of the record", i, name(i))
			})
		}
		after = max(after, order)
	}
	for i, c := range l.record.Choices {
		if i >= l.next[c.Kind] {
			add(func() string { return fmt.Sprintf("choice %d of the record, %v of %d, was not made", i, c.Kind, c.N) })
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
		return fmt.Sprintf("the record has no choice for %v of %d: %d was chosen", m.kind, m.n, m.given)
	}
	return fmt.Sprintf("the record has value %d for %v of %d, the run asks for %v of %d: %d was chosen",
		m.stored.Value, m.stored.Kind, m.stored.N, m.kind, m.n, m.given)
}
