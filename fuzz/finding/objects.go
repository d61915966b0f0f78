package finding

import (
	"cmp"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/shrink"
)

// A use is the operation of a step on an object that is no actor, such as a mutex.
type use struct {
	step uint64 // the number of the step's message: see explainer.name
	nth  int    // the number of other objects that the step used before
}

// usesIn returns the operations on each object of a run, in order. numbers has, by message ID,
// the number that stands for the message's name.
func usesIn(t *trace.Trace, numbers map[uint64]uint64) (list [][]use) {
	at := map[int32]int{} // for each object, its index in list
	last, nth := trace.None, 0
	for _, x := range t.Touches {
		if x.What != trace.AnObject || x.Step < 0 {
			continue
		}
		if x.Step != last {
			last, nth = x.Step, 0
		}
		i, known := at[x.Actor]
		if !known {
			i = len(list)
			at[x.Actor], list = i, append(list, nil)
		}
		u := use{numbers[t.Steps[x.Step].ID], nth}
		if n := len(list[i]); n > 0 && list[i][n-1].step == u.step {
			continue // the step has used the object before
		}
		list[i] = append(list[i], u)
		nth++
	}
	return list
}

// objects recognizes the objects of a program in several orders of one case. The numbers of
// objects depend on the order. But if a step uses an object in two orders, that is one object.
type objects struct{ same map[use]use }

// root returns the use that stands for the object of a use.
func (o *objects) root(u use) use {
	for {
		up, known := o.same[u]
		if !known || up == u {
			return u
		}
		u = up
	}
}

// add notes the uses of one object in one order.
func (o *objects) add(uses []use) {
	if o.same == nil {
		o.same = map[use]use{}
	}
	first := o.root(uses[0])
	for _, u := range uses[1:] {
		if r := o.root(u); r != first {
			o.same[r] = first
		}
	}
}

// addObjects adds the operations on objects to orders, as if the objects were actors that
// received the steps. used has the operations of each order. An object is left out if it was
// taken for another one.
func addObjects(orders []shrink.Order, used [][][]use) {
	var all objects
	for _, list := range used {
		for _, uses := range list {
			all.add(uses)
		}
	}
	mistaken := map[use]bool{}
	for _, list := range used {
		seen := map[use]bool{}
		for _, uses := range list {
			r := all.root(uses[0])
			mistaken[r] = mistaken[r] || seen[r]
			seen[r] = true
		}
	}
	for i, list := range used {
		for _, uses := range list {
			r := all.root(uses[0])
			if mistaken[r] {
				continue
			}
			received := shrink.Received{Actor: hash.Fold(hash.Mix(r.step), uint64(r.nth))}
			for _, u := range uses {
				received.Steps = append(received.Steps, u.step)
			}
			orders[i].Received = append(orders[i].Received, received)
		}
		slices.SortFunc(orders[i].Received, func(a, b shrink.Received) int { return cmp.Compare(a.Actor, b.Actor) })
	}
}
