package explore

import (
	"fmt"
	"strings"
)

// A Reduction says which of the orders that do the same are left out. Two
// orders do the same when every actor receives the same messages in the same
// order: they are one distinct order.
type Reduction uint8

const (
	// Optimal runs each distinct order once and wastes no run.
	Optimal Reduction = iota
	// Source sets (Abdulla et al., POPL 2014) with sleep sets run each
	// distinct order once; a run may be wasted on finding that what is left of
	// it was run before.
	SourceSets
	// Persistent sets are those of Basset's Figure 2.4: all messages of one
	// actor, and of those that cause a message which could come before one.
	PersistentSets
	// DCUTE is Basset's Figure 2.5: all messages of one actor, and then of
	// the next one, when some message could come before one.
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

// Reductions returns all reductions, the best first.
func Reductions() []Reduction {
	list := make([]Reduction, reductions)
	for i := range list {
		list[i] = Reduction(i)
	}
	return list
}

// An Ordering says which actor's messages come first where several could
// (Basset, section 4.2). With reductions other than Optimal it decides how
// much is left out.
type Ordering uint8

const (
	// FIFO takes the actor first whose oldest message is the oldest.
	OrderFIFO Ordering = iota
	// LIFO takes the actor first that was sent the youngest message.
	OrderLIFO
	// ECA takes the actors in the order in which they were created.
	OrderECA
	// LCA takes the actors that were created last first.
	OrderLCA
	// LDM takes the actor first that has the lowest number of messages.
	OrderLDM
	// HDM takes the actor first that has the highest number of messages.
	OrderHDM
	// HMS takes the actor first that has sent most messages for each that it
	// has received, in all runs so far.
	OrderHMS
	// SGR takes an actor before those that its messages lead to, in all runs so far.
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

// Orderings returns Basset's eight orderings, the default first.
func Orderings() []Ordering {
	list := make([]Ordering, orderings)
	for i := range list {
		list[i] = Ordering(i)
	}
	return list
}

// check says what of the options cannot go together.
func (o *Options) check() error {
	var wrong []string
	no := func(is bool, text string) {
		if is {
			wrong = append(wrong, text)
		}
	}
	reduced := o.Reduction != Everything || o.Sleep
	no(o.Reduction >= reductions, fmt.Sprintf("there is no reduction %d", o.Reduction))
	no(o.Ordering >= orderings, fmt.Sprintf("there is no ordering %d", o.Ordering))
	no(o.bounded() && reduced, "a bound on delays or preemptions needs the reduction Everything without Sleep: "+
		"of orders that do the same a reduction keeps one, which may be beyond the bound when another is not")
	no(o.bounded() && o.States != NoStates, "a bound on delays or preemptions cannot go with state comparison: "+
		"a state may be reached again with more of the bound left")
	no(o.Delays > 0 && o.Preemptions > 0, "delays and preemptions cannot be bounded together")
	no(o.Reduction == Optimal && o.States != NoStates, "state comparison cuts runs short, and Optimal learns from whole runs: "+
		"use Source, or Everything with Sleep")
	no(o.RandomBranch && reduced, "a random branch needs the reduction Everything without Sleep: "+
		"what a reduction leaves out follows from what was run before, depth-first")
	no(o.RandomBranch && (o.bounded() || o.States != NoStates), "a random branch cannot go with bounds or state comparison")
	no(o.Workers > 1 && o.More == nil, "several workers need Options.More, which makes a program for each")
	no(o.Workers > 1 && o.States != NoStates, "state comparison needs one worker: what one has seen the others do not know")
	no(o.Workers > 1 && o.RandomBranch, "a random branch is drawn from all that are open, by one worker")
	no(o.File != "" && o.Workers > 1, "a search that is kept in a file needs one worker")
	no(o.File != "" && o.States != NoStates, "a search that compares states cannot be kept in a file: it would have to hold all states")
	no(o.File != "" && o.RandomBranch, "a search by random branches cannot be kept in a file: it would have to hold all open branches")
	no(o.File != "" && o.bounded(), "a search with a bound on delays or preemptions cannot be kept in a file: "+
		"begin it again with the bound that it had come to")
	no(o.BigSteps && o.States == NoStates, "BigSteps is about state comparison: without it steps that are alone are never looked at")
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("explore: %s", strings.Join(wrong, "; "))
}
