package coverage

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/hash"
)

// Seen returns the number of orders that were seen. An order is one receive before another
// at the same actor, so two receives have two orders.
func (o *Orders) Seen() int { return o.seen }

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

// A status says whether both orders of a receive pair were seen, and if not, whether the
// order that was not seen is possible.
type status uint8

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

// Whole records that every distinct order of the whole program was run. Receive orders that
// were not seen are then impossible, until something new is added.
func (o *Orders) Whole() { o.whole = true }

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
