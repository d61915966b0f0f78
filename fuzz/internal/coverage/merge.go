package coverage

import (
	"math/bits"
	"slices"
)

// Merge adds the runs and orders of other to o. The result does not depend on the order of
// merges, and a repeated merge changes nothing. The limits of o do not apply to merged
// orders.
func (o *Orders) Merge(other *Orders) {
	if o == other || other == nil {
		return
	}
	o.AddSeen(other)
	for id, s := range other.past.sources {
		o.past.of(id).merge(s)
	}
}

// AddSeen adds the orders of other to o without counting the runs of other. Use it for
// runs outside of the search, such as runs of saved cases. If a guided run of other has an
// order, Chance no longer counts the order as one that only a single run has.
func (o *Orders) AddSeen(other *Orders) {
	if o == other || other == nil {
		return
	}
	o.whole = false
	for i := range other.receivers {
		o.mergeReceiver(other, int32(i))
	}
}

// Append adds the runs of other to o under new run IDs, as if Add had added them to o.
// Therefore a search in several parts has one count of runs and one curve. If the memory
// for rows is used up, Append counts the runs but adds no new orders.
func (o *Orders) Append(other *Orders) {
	if o == other || other == nil {
		return
	}
	o.whole = false
	full := o.full()
	if !full {
		o.AddSeen(other)
	}
	own := o.past.of(o.Source)
	o.own, o.ownID = own, o.Source
	before := own.runs
	for _, s := range other.past.sources {
		own.runs += s.runs
		own.unguided += s.unguided
		own.folded += s.folded
		if own.lost += s.lost; full {
			own.lost += s.unguided - s.lost // any of these runs may have had a new order
		}
	}
	if own.runs > before {
		own.mark(o.seen)
	}
}

// addRows allocates rows for one matrix of a receiver. It does nothing if the matrix
// already has rows.
func (o *Orders) addRows(a *receiver, matrix int) {
	if want := a.width * len(a.steps); len(a.rows[matrix]) < want {
		a.rows[matrix] = make([]uint64, want)
		o.bytes += 8 * want
	}
}

// A union merges a receiver of a second Orders, the field named
// from, into the receiver for the same actor of the embedded Orders.
type union struct {
	*Orders
	from     *Orders
	to, of   int32   // the index of the receiver in the embedded Orders (to), and in from (of)
	renumber []int32 // maps a step number in from to the step number in Orders
}

func (o *Orders) mergeReceiver(from *Orders, of int32) {
	b := &from.receivers[of]
	name, label := o.words.of(from.words.texts[b.name]), o.words.of(from.words.texts[b.label])
	to, ok := o.places.Get(b.id)
	if !ok {
		to = o.addReceiver(receiver{id: b.id, name: name, label: label})
	}
	a := &o.receivers[to]
	a.name, a.label = o.words.first(a.name, name), o.words.first(a.label, label)
	u := union{Orders: o, from: from, to: to, of: of}
	for _, s := range b.steps {
		msg, sender := o.words.of(from.words.texts[s.msg]), o.words.of(from.words.texts[s.from])
		k := a.find(&o.numbers.Table, s.id)
		if k == skipped {
			k = o.addStep(to, told{id: s.id, msg: msg, from: sender, folded: s.folded})
		}
		mine := &a.steps[k]
		mine.msg, mine.from = o.words.first(mine.msg, msg), o.words.first(mine.from, sender)
		u.renumber = append(u.renumber, k)
	}
	u.rows()
}

// first returns the number of the alphabetically smaller of two texts, given by their
// numbers. Merge uses it if two Orders have different texts for one actor or step.
func (v *vocabulary) first(x, y int32) int32 {
	if v.texts[y] < v.texts[x] {
		return y
	}
	return x
}

func (u *union) rows() {
	a, b := &u.receivers[u.to], &u.from.receivers[u.of]
	for k := range int32(len(b.steps)) {
		for j := range b.before(pr, k) {
			u.sightings(a, b, j, k)
		}
		for m := range b.rows {
			if m == many {
				continue
			}
			for j := range b.before(m, k) {
				u.add(a, m, u.renumber[j], u.renumber[k])
			}
		}
	}
}

// add sets the bit "step j before step k" in a matrix, and counts the order if it is new.
func (u *union) add(a *receiver, matrix int, j, k int32) {
	u.addRows(a, matrix)
	if matrix == pr && !a.bit(pr, j, k) {
		u.seen++
	}
	a.put(matrix, j, k)
}

// sightings merges the IDs of the runs that were recorded for the order "step j before
// step k".
func (u *union) sightings(a, b *receiver, j, k int32) {
	myJ, myK := u.renumber[j], u.renumber[k]
	if a.bit(many, myJ, myK) {
		return
	}
	mine, order := spotOf(u.to, myJ, myK)
	was := u.past.rare.of(mine, order)
	is, ok := was.with(u.from.past.rare.of(spotOf(u.of, j, k)))
	if b.bit(many, j, k) || !ok {
		u.past.forget(mine, order)
		a.put(many, myJ, myK)
	} else if is != was {
		u.past.forget(mine, order)
		u.past.add(mine, order, is)
	}
}

// merge combines the counts of one source from two Orders. Counts only grow, so the larger
// count is the later one.
func (s *source) merge(other *source) {
	longer := slices.CompareFunc(s.marks, other.marks, func(x, y Point) int {
		if x.Runs != y.Runs {
			return x.Runs - y.Runs
		}
		return x.Orders - y.Orders
	})
	if s.runs < other.runs || s.runs == other.runs && longer < 0 {
		s.marks = slices.Clone(other.marks)
	}
	s.runs, s.unguided = max(s.runs, other.runs), max(s.unguided, other.unguided)
	s.lost, s.folded = max(s.lost, other.lost), max(s.folded, other.folded)
}

func (a *receiver) orders() (n int) {
	for _, word := range a.rows[pr] {
		n += bits.OnesCount64(word)
	}
	return n
}
