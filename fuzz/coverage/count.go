package coverage

import (
	"math/bits"

	"github.com/jostle-go/jostle/pulse/hash"
)

// matrix returns the matrix of a single criterion.
func (c Criteria) matrix() int {
	switch c {
	case PCR:
		return pcr
	case PMR:
		return pmr
	}
	return pr
}

// Seen returns how many orders by one criterion were seen. A pair of receives has
// two orders.
func (o *Orders) Seen(c Criteria) int {
	if c == Positions {
		return o.positions.Len()
	}
	return o.seen[c.matrix()]
}

// Has reports whether a step was seen before another by PR, PCR or PMR. The
// three are the identities of an actor and of two steps of it.
func (o *Orders) Has(c Criteria, receiver, first, second uint64) bool {
	place, ok := o.places.Get(receiver)
	if !ok {
		return false
	}
	a := &o.receivers[place]
	j, k := a.find(&o.numbers, first), a.find(&o.numbers, second)
	return j >= 0 && k >= 0 && a.bit(c.matrix(), j, k)
}

// find returns the number of a step, or skipped if it is none of this receiver's.
func (a *receiver) find(numbers *hash.Table, id uint64) int32 {
	k, ok := numbers.Get(id)
	if !ok || int(k) >= len(a.steps) || k < 0 || a.steps[k].id != id {
		return skipped
	}
	return k
}

// bit reports what a matrix says about step j before step k.
func (a *receiver) bit(matrix int, j, k int32) bool {
	rows := a.rows[matrix]
	at := int(k)*a.width + int(j)>>6
	return at < len(rows) && rows[at]&(1<<(j&63)) != 0
}

// Covered returns how many pairs of receives were seen in both orders.
func (o *Orders) Covered(c Criteria) (pairs int) {
	for i := range o.receivers {
		a := &o.receivers[i]
		for k := range int32(len(a.steps)) {
			pairs += a.both(c.matrix(), k)
		}
	}
	return pairs
}

// both returns how many steps below k were seen before and after it.
func (a *receiver) both(matrix int, k int32) (n int) {
	if len(a.rows[matrix]) == 0 {
		return 0
	}
	for w, word := range a.rows[matrix][int(k)*a.width : (int(k)+1)*a.width] {
		if 64*w > int(k) {
			break
		}
		if 64*w+63 >= int(k) {
			word &= 1<<(k&63) - 1
		}
		for ; word != 0; word &= word - 1 {
			if a.bit(matrix, k, int32(64*w+bits.TrailingZeros64(word))) {
				n++
			}
		}
	}
	return n
}
