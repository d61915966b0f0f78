package explore

// A Method is how the tree of orders is gone through and what of it is left
// out. The zero value runs every distinct order once.
type Method struct {
	// Reduction is which of the orders that do the same are left out.
	Reduction Reduction
	// Sleep adds sleep sets (Godefroid 1996): no distinct order is run twice,
	// but a run may be wasted on finding that. SourceSets and Optimal have
	// them anyway.
	Sleep bool
	// Ordering is which messages are tried first.
	Ordering Ordering
	// RandomBranch goes on with a branch drawn from all that are open instead
	// of the deepest. All parts of the tree are seen early, and all open
	// branches are kept in memory (Eta, section 4).
	RandomBranch bool

	// States compares states: a run does not go on from a state that was seen
	// before.
	States States
	// BigSteps compares states only where there is a choice (Basset, section
	// 3.5.3); else they are compared after every step.
	BigSteps bool

	// DelayBound and PreemptionBound bound how far an order may be from the
	// plain one. A delay passes over the message that is next; a preemption
	// leaves an actor that could go on. The bound is raised from 0 to the
	// given number, so that the first failure is the nearest. Negative means
	// exactly the bound 0; zero means no bound.
	DelayBound, PreemptionBound int
	// Depth is how many steps of a run are explored; zero means all.
	Depth int

	// DepthFirst makes no probes: see the package comment.
	DepthFirst bool

	// CountDistinct keeps the hash of every distinct order in order to count
	// them, with every reduction but Optimal, which gives their number itself.
	CountDistinct bool
}

// bounded reports whether delays or preemptions are bounded.
func (m *Method) bounded() bool { return m.DelayBound != 0 || m.PreemptionBound != 0 }

// boundName returns what is bounded, and by how many at most.
func (m *Method) boundName() (most int, name Bound) {
	if m.PreemptionBound != 0 {
		return m.PreemptionBound, BoundPreemptions
	}
	return m.DelayBound, BoundDelays
}

// sleeps reports whether sleep sets are in use.
func (m *Method) sleeps() bool { return m.Sleep || m.Reduction <= SourceSets }

// compares reports whether states are compared.
func (m *Method) compares() bool { return m.States != NoStates }

// listsClasses reports whether distinct orders are counted by keeping the
// hash of each. Optimal gives their number itself. Sleep sets do so too unless
// a fault comes between steps or steps touch the same thing: then it is not known.
func (m *Method) listsClasses() bool { return m.CountDistinct && m.Reduction != Optimal }

// learns reports whether the ordering depends on what actors did in the runs
// so far.
func (m *Method) learns() bool { return m.Ordering == OrderHMS || m.Ordering == OrderSGR }

// reduces reports whether orders that do the same are left out.
func (m *Method) reduces() bool { return m.Reduction != Everything || m.Sleep }

// records reports whether runs must be recorded.
func (m *Method) records() bool {
	return m.reduces() || m.compares() || m.CountDistinct || m.PreemptionBound != 0
}

// isPlain reports whether every message is taken everywhere, in no order that matters, so
// that nothing need be known of the candidates of a pick.
func (m *Method) isPlain() bool {
	return !m.reduces() && !m.bounded() && (m.Ordering == OrderFIFO || m.RandomBranch) && !m.compares()
}
