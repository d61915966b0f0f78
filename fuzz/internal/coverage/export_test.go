package coverage

import "github.com/jostle-go/jostle/pulse/hash"

// ObjectsID is the identity of the receiver that stands for all objects.
const ObjectsID = objectsID

// OperationID returns the identity that a step has at ObjectsID.
func OperationID(step uint64) uint64 { return hash.Fold(step, operationSalt) }

// Has reports whether a step was seen before another. Arguments are the identities of an
// actor and of two of its steps.
func (o *Orders) Has(receiver, first, second uint64) bool {
	a, j, k := o.find(receiver, first, second)
	return a != nil && a.bit(pr, j, k)
}

// IsImpossible reports whether two steps of an actor were seen
// in one order only and the reverse counts as impossible.
func (o *Orders) IsImpossible(receiver, first, second uint64) bool {
	a, j, k := o.find(receiver, first, second)
	switch {
	case a == nil:
		return false
	case a.bit(pr, j, k):
		return o.status(a, j, k) == isImpossible
	}
	return a.bit(pr, k, j) && o.status(a, k, j) == isImpossible
}

// find returns an actor and the numbers of two of its steps, or nil if it has not
// received both.
func (o *Orders) find(receiver, first, second uint64) (a *receiver, j, k int32) {
	place, ok := o.places.Get(receiver)
	if !ok {
		return nil, skipped, skipped
	}
	a = &o.receivers[place]
	j, k = a.find(&o.numbers.Table, first), a.find(&o.numbers.Table, second)
	if j == skipped || k == skipped {
		return nil, j, k
	}
	return a, j, k
}

// Taken computes the result of Memory anew, for comparison.
func (o *Orders) Taken() (bytes int) {
	for i := range o.receivers {
		a := &o.receivers[i]
		bytes += perActor + perStep*len(a.steps)
		for _, rows := range a.rows {
			bytes += 8 * len(rows)
		}
	}
	for _, text := range o.words.texts {
		bytes += perText + len(text)
	}
	return bytes
}
