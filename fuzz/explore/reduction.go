package explore

import "fmt"

// A Reduction is a method of pruning equivalent orders. Two orders are equivalent, and
// one distinct order, if every actor receives the same messages in the same order.
type Reduction uint8

const (
	// Optimal runs each distinct order once and wastes no run, unless processes
	// call ReceiveMatch. It is TruSt (Kokologiannakis et al., POPL 2022), for
	// actors as in Must (Enea et al., OOPSLA 2024).
	Optimal Reduction = iota
	// SourceSets (Abdulla et al., POPL 2014) with sleep sets run each distinct
	// order once. A run may be wasted: its rest turns out to have been run before.
	SourceSets
	// PersistentSets are those of Basset's Figure 2.4. If a message could come
	// before another, they run all messages of one actor that lead to it.
	PersistentSets
	// DCUTE is Basset's Figure 2.5: all messages of one actor, and those of the
	// next actor too if some message could come before another.
	DCUTE
	// GoodSiblings are Eta's (section 5.2): one message and, for each message that
	// could have come before it, one that leads to that.
	GoodSiblings
	// Everything prunes nothing: it runs every order in which messages can be
	// delivered.
	Everything

	reductions
)

var reductionNames = [reductions]string{"optimal", "source", "persistent", "dcute", "siblings", "everything"}

func (r Reduction) String() string {
	if r < reductions {
		return reductionNames[r]
	}
	return fmt.Sprintf("explore.Reduction(%d)", uint8(r))
}

// reductionOf returns the reduction with the given name.
func reductionOf(name string) (r Reduction, ok bool) {
	for i, n := range reductionNames {
		if n == name {
			return Reduction(i), true
		}
	}
	return 0, false
}

// An Ordering selects which actor's messages come first (Basset, section 4.2). With
// reductions other than Optimal it affects how much is pruned.
type Ordering uint8

const (
	// OrderFIFO starts with the actor with the oldest of the oldest messages.
	OrderFIFO Ordering = iota
	// OrderLIFO starts with the actor that was sent the youngest message.
	OrderLIFO
	// OrderECA takes the actors in the order of their creation.
	OrderECA
	// OrderLCA takes the actors in the reverse order of their creation.
	OrderLCA
	// OrderLDM starts with the actor with the fewest messages.
	OrderLDM
	// OrderHDM starts with the actor with the most messages.
	OrderHDM
	// OrderHMS starts with the actor that has sent the most messages per message
	// received, in all runs so far.
	OrderHMS
	// OrderSGR takes an actor before those that its messages lead to, in all
	// runs so far.
	OrderSGR

	orderings
)

var orderingNames = [orderings]string{"FIFO", "LIFO", "ECA", "LCA", "LDM", "HDM", "HMS", "SGR"}

func (o Ordering) String() string {
	if o < orderings {
		return orderingNames[o]
	}
	return fmt.Sprintf("explore.Ordering(%d)", uint8(o))
}

// States selects whether and how states are compared.
type States uint8

const (
	// NoStates compares no states.
	NoStates States = iota
	// ByHash treats two states as equal if their hashes are equal.
	ByHash
	// Checked keeps a description of every state and fails if two different states
	// have one hash. So it finds a Hash method that omits relevant state.
	Checked
)
