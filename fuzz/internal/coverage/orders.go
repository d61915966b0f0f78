package coverage

import (
	"math"
	"math/bits"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Orders is the set of orders of receives that some runs have shown. The zero value is
// empty and ready.
//
// An Orders learns from the trace of a run when the run is over. Within its limits it is
// exact: no order is missed or counted twice. It belongs to one goroutine. Merge combines
// several that have seen different runs. An Orders in use must not be copied: merge it
// into an empty one instead.
//
// Each actor numbers its steps. Each step has a row of bits for the steps that came
// before it in some run, so a step costs a few word operations.
type Orders struct {
	// Source identifies the runs of this Orders in a merge. Two searches, or two
	// workers of one search, must have different sources.
	Source uint64
	// Steps limits how many steps of one actor are told apart; zero means 4,096. Bytes
	// limits the memory for rows; zero means 64 MB. Beyond these limits, steps are told
	// apart by the type of their message alone, and actors by their own type: Folded
	// returns how often that happened.
	Steps, Bytes int
	// Unjudged saves time by not checking which unseen orders are possible. Orders seen
	// are counted as ever; nearly all others are then unknown.
	Unjudged bool

	numbers   numbering  // identity of a step: its number
	places    hash.Table // identity of an actor: its place in receivers
	receivers []receiver
	words     vocabulary
	bytes     int // of all rows
	seen      int
	skips     int  // how many steps that do not count have a number
	past      past // the runs so far
	own       *source
	ownID     uint64
	judging   judge
	whole     bool    // the runs were all possible ones
	last      folding // the last folded step

	// The fields below belong to the run that is being added.
	live   []live  // by index in its trace
	run    []int32 // the numbers of its steps
	id     uint64  // of the run
	random bool    // the run is unguided
	fresh  int
	lost   bool // the run is counted in source.lost
}

// A receiver holds what is known of the steps of one actor.
//
// Invariants: each matrix in use has a row of width words for each step number; open and
// fixed are in use once they have a bit. A bit of many is set only if that of pr is, except
// on the diagonal, which is set in many only. There it keeps folded steps, which can come
// before themselves, from counting.
type receiver struct {
	id    uint64
	name  int32  // of its type
	label int32  // what the program called it
	steps []told // by number
	width int
	rows  [matrices][]uint64
}

// Matrices of bits: bit j of row i is about step j before step i.
const (
	pr       = iota // seen in some run
	many            // no run need be recorded for it any more: see past
	open            // seen in a run in which i could have come before j
	fixed           // no run can have i before j
	matrices = iota
)

// told describes one step.
type told struct {
	id     uint64
	msg    int32 // the type of the message
	from   int32 // the label of the sender
	folded bool  // it stands for all folded steps with such a message
	full   int32 // this many words at the beginning of its row of many have all bits set
}

// A live is an actor in the run that is being added.
type live struct {
	id    uint64
	place int32    // in receivers, or -1; kept from the run before if the actor is the same
	seen  []uint64 // its receives
}

const (
	defaultSteps = 4096
	defaultBytes = 64 << 20
	mostActors   = 1 << 14
	mostSkipped  = 1 << 16
	skipped      = -1 // the number of a step that does not count
)

// A Run describes a run in addition to its trace.
type Run struct {
	// ID identifies the run among the runs of all sources. Zero means the next run of the
	// Orders' own source.
	ID uint64
	// Unguided reports that the run did not depend on what earlier runs have shown.
	// Chance is computed from unguided runs alone.
	Unguided bool
}

// Counts reports whether a step counts: it is an asynchronous receive. The answer to an
// Ask, the start of an actor and the steps of start-up do not count.
func Counts(t *trace.Trace, step int) bool {
	st := &t.Steps[step]
	if st.Kind != trace.Receive || st.Settled {
		return false
	}
	kind := t.Sends[st.Send].Kind
	return kind != trace.Reply && kind != trace.Start
}

// Add adds the orders that a run has shown, and returns how many of them are new.
func (o *Orders) Add(t *trace.Trace, r Run) (fresh int) {
	o.begin(t, r)
	for i := o.pass(t, 0); i < len(o.run); i = o.pass(t, i+1) {
		o.receive(t, i)
	}
	o.end(t)
	return o.fresh
}

// pass goes through the steps of a run from index from on, and returns the index of the
// first step that may show something to record. In nearly all runs it reaches the end. It
// is fast because it calls nothing.
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

// within reports whether a set is a subset of a row of the same length.
func within(set, row []uint64) bool {
	row = row[:len(set)]
	for i, word := range set {
		if word&^row[i] != 0 {
			return false
		}
	}
	return true
}

// begin prepares for a run, and finds the numbers of its steps.
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

// end counts the run. It judges runs that showed something new, and a few others.
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

// receive adds step i of a run. The step counts.
func (o *Orders) receive(t *trace.Trace, i int) {
	l, k := &o.live[t.Steps[i].Actor], o.run[i]
	if l.place < 0 { // unreachable in a real system: another actor of the same identity has the step
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

// fewWords limits how many words of a set of receives begin allocates: pass cannot add
// any.
const fewWords = 4

// skip returns how many leading words of a step's row of many have all bits set. In a
// long run nearly all have: what comes long before a step does so in each run.
func (s *told) skip(row []uint64) int {
	for int(s.full) < len(row) && row[s.full] == math.MaxUint64 {
		s.full++
	}
	return int(s.full)
}

// set records orders in a word of step k's row, and counts the new ones.
func (o *Orders) set(a *receiver, k int32, word int, news uint64) {
	w := &a.rows[pr][int(k)*a.width+word]
	if news &^= *w; news != 0 {
		*w |= news
		n := bits.OnesCount64(news)
		o.seen += n
		o.fresh += n
	}
}

// note records orders that at most two runs have shown. Orders that no run has shown are
// not in past.rare: without runs to record they are marked without a look-up.
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

// with sets a bit of a set, which grows as needed.
func with(set []uint64, k int32) []uint64 {
	for len(set) <= int(k)>>6 {
		set = append(set, 0)
	}
	set[k>>6] |= 1 << (k & 63)
	return set
}
