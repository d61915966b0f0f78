package strategy

import (
	"math"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
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
	next  [math.MaxUint8 + 1]int
	unfit bool // set if the record had no fitting choice for a choice of the run
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
	l.count, l.held, l.unfit = 0, 0, false
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
	return !strikes || !l.unfit && l.answered()
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
	l.unfit = true
	if k == choice.Fault {
		return 0
	}
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
