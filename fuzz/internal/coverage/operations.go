package coverage

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The operations of goroutines on objects, such as channels and mutexes, are receives of one
// receiver, which stands for all objects. An order says that an operation came before an
// operation of another goroutine on the same object. Nothing says which of these orders are
// possible: locks and buffers decide it.

// A uses holds the operations of the run that is being added.
type uses struct {
	numbers hash.Table                // maps the number of an object to its index in objects
	objects [][]uint64                // for each object, the numbers of the operations so far, as a set of bits
	actors  [][]uint64                // the same for each actor
	labels  map[trace.Operation]int32 // the label of each operation, as a number of Orders.words; kept for later runs
}

const (
	objectsID     = 0x8ebc6af09c88c6e3 // the identity of the receiver that stands for all objects
	operationSalt = 0x589965cc75374cc3 // makes the identity of an operation from that of its step
	objectsLabel  = "objects of goroutines"
)

// Operates reports whether a touch is an operation on an object that counts. Operations in the
// steps of start-up do not count.
func Operates(t *trace.Trace, x trace.Touch) bool {
	return x.What == trace.AnObject && !t.Steps[x.Step].Settled && t.Steps[x.Step].Send != trace.None
}

// operate records the orders of the operations of a run.
func (o *Orders) operate(t *trace.Trace) {
	u := &o.uses
	u.numbers.Reset()
	u.objects, u.actors = u.objects[:0], u.actors[:0]
	for i := range t.Touches {
		x := &t.Touches[i]
		if !Operates(t, *x) {
			continue
		}
		st := &t.Steps[x.Step]
		place, k := o.operation(t, st)
		n, had := u.numbers.Add(uint64(uint32(x.Actor)), int32(len(u.objects)))
		if !had {
			u.objects = withSets(u.objects, int(n)+1)
		}
		u.actors = withSets(u.actors, int(st.Actor)+1)
		before, own := &u.objects[n], &u.actors[st.Actor]
		o.follow(place, k, *before, *own)
		*before, *own = with(*before, k), with(*own, k)
	}
}

// withSets adds empty sets to a list until it has at least n sets. It uses the memory of
// earlier sets again.
func withSets(list [][]uint64, n int) [][]uint64 {
	for len(list) < n {
		list = slices.Grow(list, 1)[:len(list)+1]
		last := &list[len(list)-1]
		*last = (*last)[:0]
	}
	return list
}

// operation returns the receiver that stands for all objects, and the number of a step there.
// It gives a number to a new step.
func (o *Orders) operation(t *trace.Trace, st *trace.Step) (place, k int32) {
	if place = o.placed(objectsID); place < 0 {
		label := o.words.of(objectsLabel)
		place = o.addReceiver(receiver{id: objectsID, name: label, label: label})
	}
	id := hash.Fold(st.ID, operationSalt)
	k, ok := o.numbers.Get(id)
	if ok {
		return place, k
	}
	msg := o.labelOf(&t.Sends[st.Send])
	if o.hasNoRoom(place) {
		return place, o.folded(place, msg)
	}
	return place, o.addStep(place, told{id: id, msg: msg, from: o.words.of(t.Actors[st.Actor].Label)})
}

// labelOf returns what a goroutine does in its turn: the operation and its line. If d is
// another message, it returns the type.
func (o *Orders) labelOf(d *trace.Send) int32 {
	op, ok := d.Body.(trace.Operation)
	if !ok {
		return o.words.of(typeOf(d))
	}
	n, ok := o.uses.labels[op]
	if !ok {
		if o.uses.labels == nil {
			o.uses.labels = map[trace.Operation]int32{}
		}
		n = o.words.of(trace.Label(op))
		o.uses.labels[op] = n
	}
	return n
}
