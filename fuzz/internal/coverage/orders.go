package coverage

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Orders is the set of the orders that were seen in some runs. An order says that one
// receive of an actor came before another receive of the same actor. The zero value is
// empty and ready to use.
//
// Add adds the orders of a run from its trace, after the run. Within the limits, the
// result is exact: no order is missed or counted twice. An Orders belongs to one
// goroutine; Merge combines several. An Orders in use must not be copied; to get a copy,
// merge it into an empty Orders.
//
// The steps of each actor are numbered. Each step has a row of bits: bit j is set if step
// j came before it in some run. So adding a step takes only a few word operations.
type Orders struct {
	// Source identifies the runs of this Orders in a merge. Two searches, or two
	// workers of one search, must have different sources.
	Source uint64
	// Steps limits the number of steps of one actor that are told apart; zero means 4,096.
	// Further steps are told apart by message type alone (see Folded).
	Steps int
	// Bytes limits the memory for rows; zero means 64 MB. Beyond this limit, new steps
	// are told apart by message type alone, and new actors by their type.
	Bytes int
	// Unjudged turns off the check whether unseen orders are possible, to save time. Then
	// nearly all unseen orders have status unknown. Seen orders are counted as usual.
	Unjudged bool

	numbers   numbering  // maps the identity of a step to its number
	places    hash.Table // maps the identity of an actor to its index in receivers
	receivers []receiver
	words     vocabulary
	bytes     int     // the memory of all rows, in bytes
	seen      int     // the number of orders that were seen
	skips     int     // the number of steps that do not count but are in numbers
	past      past    // the runs so far
	own       *source // the counts of the runs that Add adds, under the ID ownID
	ownID     uint64
	judging   judge
	whole     bool                      // set if Whole was called and nothing new was added since
	last      folding                   // a cache for steps beyond the limits
	labels    map[trace.Operation]int32 // the label of each known operation of goroutines, as a number of words

	// The fields from here on are about the run that is being added.
	live    []live     // has an element for each actor of the trace, and for each object of goroutines
	objects hash.Table // maps the number of an object to its index in live
	run     []int32    // the number of each step of the trace
	id      uint64     // the ID of the run
	random  bool       // set if the run is unguided
	fresh   int        // the number of new orders in the run
	lost    bool       // set if the run is counted as one whose new orders did not fit into past.rare (source.lost)
}

// A receiver holds the known steps of one actor and their orders.
//
// Invariants: Each matrix in use has a row of width words for each step number. The
// matrices open and fixed are in use once they have a bit. Outside of the diagonal, a bit
// of many is set only if the same bit of pr is set. On the diagonal all bits of many are
// set, and no bits of pr. Therefore an order of a folded step with itself is never
// counted.
type receiver struct {
	id    uint64
	name  int32  // the type of the actor, as a number of Orders.words
	label int32  // the label of the actor, as a number of Orders.words
	steps []told // the steps; a step's number is its index
	width int    // the number of words in a row
	rows  [matrices][]uint64
}

// sorted returns the numbers of the steps, sorted by identity.
func (a *receiver) sorted() []int32 {
	list := make([]int32, len(a.steps))
	for i := range list {
		list[i] = int32(i)
	}
	slices.SortFunc(list, func(i, j int32) int { return cmp.Compare(a.steps[i].id, a.steps[j].id) })
	return list
}

// The matrices of bits. Bit j of row i is about the order in which step j comes before
// step i.
const (
	pr       = iota // set if this order was seen in some run
	many            // set if the runs with this order are no longer recorded for Chance (see past)
	open            // set if some run with this order could have had i before j
	fixed           // set if no run can have i before j
	matrices = iota
)

// A told describes one step.
type told struct {
	id     uint64
	msg    int32 // the type of the message, as a number of Orders.words
	from   int32 // the label of the sender, as a number of Orders.words
	folded bool  // set if this entry stands for all steps of the actor beyond the limits that have this message type
	full   int32 // the number of leading words in the step's row of matrix many that are all ones
}

// A live is an actor, or an object of goroutines, in the run that is being added.
type live struct {
	id    uint64   // the identity of the actor; objectsID for an object
	place int32    // the index in receivers, or -1; kept for the next run, which usually has the same actor here
	seen  []uint64 // the numbers of the receives so far, as a set of bits
	uses  []uint64 // the numbers of the actor's own operations on objects so far, as a set of bits
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
	// ID identifies the run among the runs of all sources (see Orders.Source). Zero
	// assigns the next ID of the source of the Orders.
	ID uint64
	// Unguided reports whether the run was planned without regard to the results of
	// earlier runs. Chance is computed from unguided runs alone.
	Unguided bool
}

// Counts reports whether a step is an asynchronous receive. Only asynchronous receives
// count. The answer to an Ask, the start of an actor and the steps of start-up do not
// count. The turn of a goroutine does not count either: its operations on objects count.
func Counts(t *trace.Trace, step int) bool {
	st := &t.Steps[step]
	if st.Kind != trace.Receive || st.Settled {
		return false
	}
	d := &t.Sends[st.Send]
	_, turn := d.Body.(trace.Operation)
	return !turn && d.Kind != trace.Reply && d.Kind != trace.Start
}

// Add adds the orders of a run, and returns the number of new ones.
func (o *Orders) Add(t *trace.Trace, r Run) (fresh int) {
	o.begin(t, r)
	for i := o.pass(t, 0); i < len(o.run); i = o.pass(t, i+1) {
		o.receive(t, i)
	}
	o.operate(t)
	o.end(t)
	return o.fresh
}

// pass returns the index of the first step, at or after index from, that may have
// something to record. If there is none, it returns the number of steps. It adds the steps
// before that index to live.seen. This is the fast path, because most runs have nothing to
// record.
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

// within reports whether set is a subset of row. Both are sets of bits of the same length.
func within(set, row []uint64) bool {
	row = row[:len(set)]
	for i, word := range set {
		if word&^row[i] != 0 {
			return false
		}
	}
	return true
}

// begin prepares for adding a run, and finds the numbers of its steps.
func (o *Orders) begin(t *trace.Trace, r Run) {
	if o.own == nil || o.ownID != o.Source {
		o.own, o.ownID = o.past.of(o.Source), o.Source
	}
	o.id, o.random, o.fresh, o.lost = r.ID, r.Unguided, 0, false
	if o.id == 0 {
		o.id = hash.Seed(o.Source+1, uint64(o.own.runs)) | 1
	}
	for i := range t.Actors {
		o.enter(i, t.Actors[i].ID)
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

// enter makes element i of o.live stand for the actor or object with the given identity.
func (o *Orders) enter(i int, id uint64) {
	if i == len(o.live) {
		o.live = append(o.live, live{place: -1})
	}
	l := &o.live[i]
	if l.id != id || l.place < 0 {
		l.id, l.place = id, o.placed(id)
	}
	l.seen, l.uses = l.seen[:0], l.uses[:0]
}

// end counts the run. It calls judge if the run has a new order, and for a few of the other runs.
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

// receive records that all earlier receives of the actor came before step i. Step i must
// be a receive that Counts accepts.
func (o *Orders) receive(t *trace.Trace, i int) {
	l, k := &o.live[t.Steps[i].Actor], o.run[i]
	if l.place < 0 { // only if the step's identity has a number at a different actor, which no real system has
		l.place = o.placeOf(&t.Actors[t.Steps[i].Actor])
	}
	o.follow(l, k, nil)
}

// follow records that all earlier receives of l, without those in the set except, came before
// step k.
func (o *Orders) follow(l *live, k int32, except []uint64) {
	a := &o.receivers[l.place]
	row := a.rows[many][int(k)*a.width : (int(k)+1)*a.width]
	for i, seen := range l.seen {
		if i < len(except) {
			seen &^= except[i]
		}
		if news := seen &^ row[i]; news != 0 {
			first := o.set(a, k, i, news)
			row[i] |= o.note(spot{l.place, k, int32(i)}, news&^first, first)
		}
	}
	l.seen = with(l.seen, k)
}

// fewWords is the maximum number of words that begin allocates for live.seen. Only receive
// adds further words, because pass must not allocate.
const fewWords = 4

// skip returns the number of leading words of row, the step's row of matrix many, that
// have all bits set. In a long run nearly all words have all bits set, because steps that
// come long before this step do so in every run.
func (s *told) skip(row []uint64) int {
	for int(s.full) < len(row) && row[s.full] == math.MaxUint64 {
		s.full++
	}
	return int(s.full)
}

// set adds the bits news to one word of step k's row in matrix pr. It counts and returns
// the bits that are new.
func (o *Orders) set(a *receiver, k int32, word int, news uint64) (first uint64) {
	w := &a.rows[pr][int(k)*a.width+word]
	first = news &^ *w
	*w |= first
	n := bits.OnesCount64(first)
	o.seen += n
	o.fresh += n
	return first
}

// with adds step number k to a set of bits and returns the set. It lengthens the set as
// needed.
func with(set []uint64, k int32) []uint64 {
	for len(set) <= int(k)>>6 {
		set = append(set, 0)
	}
	set[k>>6] |= 1 << (k & 63)
	return set
}
