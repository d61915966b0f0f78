package coverage

import (
	"math"
	"math/bits"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Orders is a set of orders of receives: those that some runs have shown. The zero
// value is empty and ready.
//
// An Orders learns from the trace of a run when the run is over. It is exact as
// long as its bounds last: no order is missed or counted twice, however many runs
// there are. It belongs to one goroutine. Several that have seen different runs are
// put together by Merge, which into an empty one makes a copy: an Orders itself must not
// be copied once it is in use.
//
// Each actor numbers its steps. A row of bits for each step marks the steps that
// came before it in some run, so that what a step adds is known from a few words
// and not from a pass over the run.
type Orders struct {
	// Source tells the runs of this Orders from those of others that it is to be
	// merged with: two searches, or two workers of one, must not have the same.
	Source uint64
	// Steps bounds how many steps of one actor are told apart; zero means 4,096.
	// Bytes bounds the memory for rows, in bytes; zero means 64 MB. Steps beyond these
	// bounds are told apart by the type of their message alone, and actors beyond
	// them by their own: Folded returns how often that was so.
	Steps, Bytes int
	// Unjudged has no run looked at for orders that could have been the other way, or never
	// can be, which saves time. What was seen is counted as ever; of nearly all orders that
	// were not seen it is then unknown whether they are possible.
	Unjudged bool

	numbers   numbering  // by identity of a step
	places    hash.Table // identity of an actor: its place in receivers
	receivers []receiver
	words     vocabulary
	bytes     int // of all rows
	seen      int
	skips     int  // how many steps that do not count have a number
	past      past // which runs there were
	own       *source
	ownID     uint64
	judging   judge
	whole     bool    // the runs were all that there can be
	last      folding // the last step that was not told apart

	// What follows belongs to the run that is being added.
	live   []live  // by index in its trace
	run    []int32 // the numbers of its steps
	id     uint64  // of the run
	random bool    // the run is unguided
	fresh  int
	lost   bool // the run is the only one with an order of which that is not kept
}

// A receiver holds what is known of the steps of one actor.
//
// Invariants: each matrix that is in use has a row for each number, of so many
// words as width says; open and fixed are in use when they have a bit. A bit of many is
// set only if that of pr is, but for the diagonal, which is set in many and in no other:
// no step comes before itself, but one that stands for several does.
type receiver struct {
	id    uint64
	name  int32  // of its type
	label int32  // what the program called it
	steps []told // by number
	width int
	rows  [matrices][]uint64
}

// matrices of bits: bit j of row i is about step j before step i.
const (
	pr       = iota // seen in some run
	many            // seen so often that no run need be noted for it: see past
	open            // seen in a run in which i could have come before j
	fixed           // i can come before j in no run: what they are decides it
	matrices = iota
)

// told is what is known of a step by itself.
type told struct {
	id     uint64
	msg    int32 // the type of the message
	from   int32 // the label of the sender
	folded bool  // it stands for all steps with such a message that are not told apart
	full   int32 // all bits of so many words at the beginning of its row of many are set
}

// A live is an actor in the run that is being added.
type live struct {
	id    uint64
	place int32    // in receivers, -1 as long as it has none; that of the run before if it is the same actor
	seen  []uint64 // its receives
}

const (
	defaultSteps = 4096
	defaultBytes = 64 << 20
	mostActors   = 1 << 14
	mostSkipped  = 1 << 16
	skipped      = -1 // the number of a step that does not count
)

// A Run is what Add needs to know of a run besides its trace.
type Run struct {
	// ID tells the run from all others, of whatever source. Zero means that
	// the run is the next one of its source.
	ID uint64
	// Unguided reports that how the run was made did not depend on what earlier
	// runs have shown. The chance of what the next unguided run shows follows from
	// these alone.
	Unguided bool
}

// Counts reports whether the order of a step counts: the step is an asynchronous
// receive. The answer to an Ask is a synchronous one, and so is no part of the
// order, nor is the start of an actor, nor a step of start-up, whose order is fixed.
func Counts(t *trace.Trace, step int) bool {
	st := &t.Steps[step]
	if st.Kind != trace.Receive || st.Settled {
		return false
	}
	kind := t.Sends[st.Send].Kind
	return kind != trace.Reply && kind != trace.Start
}

// Add adds the orders that a run has shown. It returns how many of them are new.
func (o *Orders) Add(t *trace.Trace, r Run) (fresh int) {
	o.begin(t, r)
	for i := o.pass(t, 0); i < len(o.run); i = o.pass(t, i+1) {
		o.receive(t, i)
	}
	o.end(t)
	return o.fresh
}

// pass goes through the steps of a run from one on, as long as they show nothing that
// need be noted, and returns the one that may. In nearly all runs it comes to the end. It is
// this fast because it calls nothing.
func (o *Orders) pass(t *trace.Trace, from int) int {
	run, live, receivers := o.run, o.live, o.receivers
	steps := t.Steps[:len(run)]
	for i := from; i < len(steps); i++ {
		k := int(run[i])
		if k == skipped {
			continue
		}
		l := &live[steps[i].Actor]
		if uint(l.place) >= uint(len(receivers)) {
			return i
		}
		a := &receivers[l.place]
		seen, row, word := l.seen, a.rows[many][k*a.width:], uint(k)>>6
		if word >= uint(len(seen)) || len(row) < len(seen) {
			return i
		}
		row = row[:len(seen)]
		switch news := seen[0] &^ row[0]; {
		case len(seen) == 1:
			if news != 0 {
				return i
			}
		case len(seen) == 2:
			if news |= seen[1] &^ row[1]; news != 0 {
				return i
			}
		default:
			from := min(a.steps[k].skip(row), len(seen))
			if !within(seen[from:], row[from:]) {
				return i
			}
		}
		seen[word] |= 1 << (k & 63)
	}
	return len(steps)
}

// within reports whether a set has no more than a row, which is as long.
func within(set, row []uint64) bool {
	row = row[:len(set)]
	for i, word := range set {
		if word&^row[i] != 0 {
			return false
		}
	}
	return true
}

// begin makes ready for a run, and finds the numbers of its steps.
func (o *Orders) begin(t *trace.Trace, r Run) {
	if o.own == nil || o.ownID != o.Source {
		o.own, o.ownID = o.past.of(o.Source), o.Source
	}
	o.id, o.random, o.fresh, o.lost = r.ID, r.Unguided, 0, false
	if o.id == 0 {
		o.id = hash.Seed(o.Source+1, uint64(o.own.runs)) | 1
	}
	for len(o.live) < len(t.Actors) {
		o.live = append(o.live, live{place: -1})
	}
	for i := range t.Actors {
		l := &o.live[i]
		if id := t.Actors[i].ID; l.id != id || l.place < 0 {
			l.id, l.place = id, o.placed(id)
		}
		l.seen = l.seen[:0]
	}
	o.read(t)
	for i := range t.Actors {
		if l := &o.live[i]; l.place >= 0 {
			for len(l.seen) < min(o.receivers[l.place].width, fewWords) {
				l.seen = append(l.seen, 0)
			}
		}
	}
}

// end counts the run.
func (o *Orders) end(t *trace.Trace) {
	o.own.runs++
	o.judging.earned += earnings * len(t.Steps)
	if o.random {
		o.own.unguided++
	}
	o.whole = o.whole && o.fresh == 0
	if o.fresh > 0 || o.own.runs&(o.own.runs-1) == 0 {
		if !o.Unjudged {
			o.judge(t)
		}
		o.own.mark(o.seen)
	}
}

// receive adds step i of a run, which counts.
func (o *Orders) receive(t *trace.Trace, i int) {
	l, k := &o.live[t.Steps[i].Actor], o.run[i]
	if l.place < 0 { // another actor of its identity has the step, which no system does
		l.place = o.placeOf(&t.Actors[t.Steps[i].Actor])
	}
	a := &o.receivers[l.place]
	row := a.rows[many][int(k)*a.width : (int(k)+1)*a.width]
	for i, seen := range l.seen {
		if news := seen &^ row[i]; news != 0 {
			o.note(a, l.place, k, i, news)
		}
	}
	l.seen = with(l.seen, k)
}

// fewWords is how many words a set of receives has from the beginning at most: pass adds
// none to it.
const fewWords = 4

// skip returns how many words of a step's row of many have all bits set. In a long run
// these are nearly all: what comes long before a step is seen there in each run.
func (s *told) skip(row []uint64) int {
	for int(s.full) < len(row) && row[s.full] == math.MaxUint64 {
		s.full++
	}
	return int(s.full)
}

// set notes orders of step k that were seen, in a word of its row, and counts those that are new.
func (o *Orders) set(a *receiver, k int32, word int, news uint64) {
	w := &a.rows[pr][int(k)*a.width+word]
	if news &^= *w; news != 0 {
		*w |= news
		n := bits.OnesCount64(news)
		o.seen += n
		o.fresh += n
	}
}

// note looks at orders that few runs have shown, or none. What no run has shown is
// not in past.rare; so it is marked without a look there, unless its runs are noted.
func (o *Orders) note(a *receiver, place, k int32, word int, news uint64) {
	if first := news &^ a.rows[pr][int(k)*a.width+word]; first != 0 && !o.notes() {
		a.rows[many][int(k)*a.width+word] |= first
		o.set(a, k, word, first)
		news &^= first
	}
	o.set(a, k, word, news)
	for ; news != 0; news &= news - 1 {
		if o.shown(spot{place, k, int32(64*word + bits.TrailingZeros64(news))}) {
			a.rows[many][int(k)*a.width+word] |= news & -news
		}
	}
}

// with sets a bit of a set that has as many words as it needs.
func with(set []uint64, k int32) []uint64 {
	for len(set) <= int(k)>>6 {
		set = append(set, 0)
	}
	set[k>>6] |= 1 << (k & 63)
	return set
}
