package coverage

import (
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The operations of goroutines on objects, such as channels and mutexes, are receives of one
// receiver, which stands for all objects. An order says that an operation came before an
// operation of another goroutine on the same object. Nothing says which of these orders are
// possible: locks and buffers decide it.

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
	o.objects.Reset()
	for i := range t.Touches {
		x := &t.Touches[i]
		if !Operates(t, *x) {
			continue
		}
		n, had := o.objects.Add(uint64(uint32(x.Actor)), int32(len(t.Actors)+o.objects.Len()))
		if !had {
			o.enter(int(n), objectsID)
		}
		st, l := &t.Steps[x.Step], &o.live[n]
		if l.place < 0 {
			label := o.words.of(objectsLabel)
			l.place = o.addReceiver(receiver{id: objectsID, name: label, label: label})
		}
		k, uses := o.operation(t, st, l.place), &o.live[st.Actor].uses
		o.follow(l, k, *uses)
		*uses = with(*uses, k)
	}
}

// operation returns the number that a step has at the receiver that stands for all objects. It gives
// a number to a new step.
func (o *Orders) operation(t *trace.Trace, st *trace.Step, place int32) int32 {
	id := hash.Fold(st.ID, operationSalt)
	if k, ok := o.numbers.Get(id); ok {
		return k
	}
	msg := o.labelOf(&t.Sends[st.Send])
	if o.hasNoRoom(place) {
		return o.folded(place, msg)
	}
	return o.addStep(place, told{id: id, msg: msg, from: o.words.of(t.Actors[st.Actor].Label)})
}

// labelOf returns what a goroutine does in its turn: the operation and its line. If d is
// another message, it returns the type.
func (o *Orders) labelOf(d *trace.Send) int32 {
	op, ok := d.Body.(trace.Operation)
	if !ok {
		return o.words.of(typeOf(d))
	}
	n, ok := o.labels[op]
	if !ok {
		if o.labels == nil {
			o.labels = map[trace.Operation]int32{}
		}
		n = o.words.of(trace.Label(op))
		o.labels[op] = n
	}
	return n
}
