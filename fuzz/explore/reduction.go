package explore

import "fmt"

// A Reduction is a method of pruning equivalent orders. Two orders are equivalent if
// every actor receives the same messages in the same order. A distinct order is a class
// of equivalent orders.
type Reduction uint8

const (
	// Optimal runs each distinct order once and wastes no run, unless processes
	// call ReceiveMatch. It is TruSt (Kokologiannakis et al., POPL 2022), for
	// actors as in Must (Enea et al., OOPSLA 2024).
	Optimal Reduction = iota
	// SourceSets (Abdulla et al., POPL 2014) with sleep sets run each distinct order
	// once. They may also waste runs. The search stops a wasted run when every
	// continuation was run before.
	SourceSets
	// PersistentSets are the persistent sets of Figure 2.4 of the Basset thesis
	// (Lauterburg 2011). They try all deliverable messages of one actor. If a later
	// message could have come earlier, they also try all messages of an actor that
	// leads to the send of the later message.
	PersistentSets
	// DCUTE is Figure 2.5 of the Basset thesis. It tries all deliverable messages of
	// one actor. If a later message could have come earlier, it also tries all
	// messages of the next actor.
	DCUTE
	// GoodSiblings are the reduction of the Eta paper (section 5.2). They try one
	// message m and, for each later message that could have come before m, one
	// message that leads to that later message.
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

// An Ordering selects which actor's messages the search tries first (the Basset thesis,
// section 4.2). With reductions other than Optimal the ordering affects how much is
// pruned.
type Ordering uint8

const (
	// OrderFIFO starts with the actor that has the oldest deliverable message.
	OrderFIFO Ordering = iota
	// OrderLIFO starts with the actor that has the newest deliverable message.
	OrderLIFO
	// OrderECA takes the actors in the order of their creation.
	OrderECA
	// OrderLCA takes the actors in the reverse order of their creation.
	OrderLCA
	// OrderLDM starts with the actor with the fewest deliverable messages.
	OrderLDM
	// OrderHDM starts with the actor with the most deliverable messages.
	OrderHDM
	// OrderHMS starts with the actor that has sent the most messages per message
	// received, in all runs so far.
	OrderHMS
	// OrderSGR takes actor A before actor B if messages sent by A have led to
	// messages to B in the runs so far, and never the reverse.
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
//
// A search that compares states goes back to earlier states by restoring snapshots (see
// pulse.Snapshot), if the program's actors and messages can be copied. The results of runs
// that ended by themselves are always from runs made from the beginning. If the search
// notices that the program keeps state that its actors and messages do not refer to, such as
// a variable of a package, it restarts without snapshots.
type States uint8

const (
	// NoStates compares no states.
	NoStates States = iota
	// ByHash treats two states as equal if their hashes are equal.
	ByHash
	// Checked keeps a description of every state and fails if two different states
	// have the same hash. Checked detects a Hash method that omits relevant state.
	Checked
)
