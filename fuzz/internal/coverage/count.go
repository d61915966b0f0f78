package coverage

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
)

// Seen returns the number of orders that were seen. An order is one receive before another
// at the same actor, so two receives have two orders.
func (o *Orders) Seen() int { return o.seen }

// Runs returns the number of added runs, of all sources.
func (o *Orders) Runs() (n int) {
	for _, s := range o.past.sources {
		n += s.runs
	}
	return n
}

// find returns the number of the step with identity id, or skipped if the step is not one
// of this receiver.
func (a *receiver) find(numbers *hash.Table, id uint64) int32 {
	k, ok := numbers.Get(id)
	if !ok || int(k) >= len(a.steps) || k < 0 || a.steps[k].id != id {
		return skipped
	}
	return k
}

// bit reports whether the matrix has the bit "step j before step k".
func (a *receiver) bit(matrix int, j, k int32) bool {
	rows := a.rows[matrix]
	at := int(k)*a.width + int(j)>>6
	return at < len(rows) && rows[at]&(1<<(j&63)) != 0
}

// A Count is the number of receive pairs with each status. All pairs that were seen in at
// least one order are counted.
type Count struct {
	// Seen counts the orders that were seen: one or two for each pair.
	Seen int `json:"seen"`
	// Covered counts the pairs that were seen in both orders (definition 4 of the Bitá
	// paper).
	Covered int `json:"covered"`
	// Open counts the pairs that were seen in one order only and whose reverse order is
	// possible, as far as is known. In some run neither causality nor the order of a
	// channel nor a selective receive prevented the reverse order. The reverse order may
	// still be impossible if the actor ends in one of the two receives.
	Open int `json:"open"`
	// Impossible counts the pairs that can come in one order only. One receive causes the
	// other, or their channel keeps them in order.
	Impossible int `json:"impossible"`
	// Unknown counts the pairs that are neither covered nor open nor impossible.
	Unknown int `json:"unknown"`
}

// Pairs returns the number of pairs.
func (c Count) Pairs() int { return c.Covered + c.Open + c.Impossible + c.Unknown }

const (
	isCovered    status = iota // the reversed order was seen too
	isOpen                     // nothing known prevents the reversed order
	isImpossible               // no run can have the reversed order
	isUnknown                  // no run that was checked could have had the reversed order
)

func (c *Count) add(s status) {
	c.Seen++
	switch s {
	case isCovered:
		c.Covered++
		c.Seen++
	case isOpen:
		c.Open++
	case isImpossible:
		c.Impossible++
	case isUnknown:
		c.Unknown++
	}
}

// Count counts all receive pairs by status.
func (o *Orders) Count() (c Count) {
	for i := range o.receivers {
		a := &o.receivers[i]
		for j, k := range a.pairs() {
			c.add(o.status(a, j, k))
		}
	}
	return c
}

// A Part is the Count of the actors with one label.
type Part struct {
	Actor string `json:"actor"`
	Count
}

// Parts returns a Count for each label of actors.
func (o *Orders) Parts() (list []Part) {
	for _, i := range o.sorted() {
		a := &o.receivers[i]
		if label := o.words.texts[a.label]; len(list) == 0 || list[len(list)-1].Actor != label {
			list = append(list, Part{Actor: label})
		}
		for j, k := range a.pairs() {
			list[len(list)-1].add(o.status(a, j, k))
		}
	}
	return list
}

// pairs yields the numbers (j, k) of each receive pair once. Step j was seen before step
// k. If both orders were seen, j is less than k.
func (a *receiver) pairs() iter.Seq2[int32, int32] {
	return func(yield func(j, k int32) bool) {
		for k := range int32(len(a.steps)) {
			for j := range a.before(pr, k) {
				if (j < k || !a.bit(pr, k, j)) && !yield(j, k) {
					return
				}
			}
		}
	}
}

// before yields the number j of each step for which the matrix has the bit "j before k".
func (a *receiver) before(matrix int, k int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if len(a.rows[matrix]) == 0 {
			return
		}
		for w, word := range a.rows[matrix][int(k)*a.width : (int(k)+1)*a.width] {
			for ; word != 0; word &= word - 1 {
				if !yield(int32(64*w + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// sorted returns the indices of all receivers, sorted by label and identity.
func (o *Orders) sorted() []int {
	list := make([]int, len(o.receivers))
	for i := range list {
		list[i] = i
	}
	slices.SortFunc(list, func(i, j int) int {
		x, y := &o.receivers[i], &o.receivers[j]
		return cmp.Or(cmp.Compare(o.words.texts[x.label], o.words.texts[y.label]), cmp.Compare(x.id, y.id))
	})
	return list
}
