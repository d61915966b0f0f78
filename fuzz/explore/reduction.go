package explore

import "fmt"

// A Reduction is a way to leave out orders that do the same as another. Two
// orders do the same when every actor receives the same messages in the same
// order: they are one distinct order.
type Reduction uint8

const (
	// Optimal runs each distinct order once and wastes no run, unless processes
	// call ReceiveMatch. It is TruSt (Kokologiannakis et al., POPL 2022), for
	// actors as in Must (Enea et al., OOPSLA 2024).
	Optimal Reduction = iota
	// SourceSets (Abdulla et al., POPL 2014) with sleep sets run each distinct
	// order once; a run may be wasted on finding that what is left of it was
	// run before.
	SourceSets
	// PersistentSets are those of Basset's Figure 2.4. Where a message could
	// come before another, all messages of one actor are run that lead to it.
	PersistentSets
	// DCUTE is Basset's Figure 2.5: all messages of one actor, and those of
	// the next one too when some message could come before another.
	DCUTE
	// GoodSiblings are Eta's (section 5.2): one message, and for each that
	// could have come before it one that leads to that.
	GoodSiblings
	// Everything leaves out nothing: every order in which messages can be
	// delivered is run.
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

// reductionOf returns the reduction of a name.
func reductionOf(name string) (r Reduction, ok bool) {
	for i, n := range reductionNames {
		if n == name {
			return Reduction(i), true
		}
	}
	return 0, false
}

// An Ordering is which actor's messages come first where several could
// (Basset, section 4.2). With reductions other than Optimal it decides how
// much is left out.
type Ordering uint8

const (
	// OrderFIFO takes the actor first whose oldest message is the oldest.
	OrderFIFO Ordering = iota
	// OrderLIFO takes the actor first that was sent the youngest message.
	OrderLIFO
	// OrderECA takes the actors in the order in which they were created.
	OrderECA
	// OrderLCA takes the actors that were created last first.
	OrderLCA
	// OrderLDM takes the actor first that has the lowest number of messages.
	OrderLDM
	// OrderHDM takes the actor first that has the highest number of messages.
	OrderHDM
	// OrderHMS takes the actor first that has sent most messages for each that
	// it has received, in all runs so far.
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

// States is whether and how states are compared.
type States uint8

const (
	// NoStates compares no states.
	NoStates States = iota
	// ByHash takes two states for equal when their hashes are.
	ByHash
	// Checked keeps a description of every state and fails when two different
	// states have one hash: it finds a Hash method that leaves out what matters.
	Checked
)
