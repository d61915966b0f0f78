package explore

// A Method is how the tree of orders is searched and which orders are pruned.
// The zero value runs every distinct order once.
type Method struct {
	// Reduction selects which equivalent orders are pruned.
	Reduction Reduction
	// Sleep adds sleep sets (Godefroid 1996): no distinct order runs twice, but
	// runs may be wasted. SourceSets and Optimal always have them.
	Sleep bool
	// Ordering selects which messages are tried first.
	Ordering Ordering
	// RandomBranch continues with a branch drawn from all open ones instead of
	// the deepest. It visits all parts of the tree early, but keeps all open
	// branches in memory (Eta, section 4).
	RandomBranch bool

	// States compares states: a run stops at a state that was seen before.
	States States
	// BigSteps compares states only at choices (Basset, section 3.5.3) instead
	// of after every step.
	BigSteps bool

	// DelayBound and PreemptionBound bound how far an order may differ from the
	// default one. A delay skips the next message; a preemption leaves an actor
	// that could continue. The search raises the bound from 0 to the given
	// number, so that the first failure is the nearest. Negative means exactly
	// the bound 0; zero means no bound.
	DelayBound, PreemptionBound int
	// Depth is how many steps of a run are explored; zero means all.
	Depth int

	// DepthFirst makes no probes: see the package comment.
	DepthFirst bool

	// CountDistinct counts distinct orders by keeping the hash of each. Optimal
	// ignores it: it knows their number.
	CountDistinct bool
}

// bounded reports whether delays or preemptions are bounded.
func (m *Method) bounded() bool { return m.DelayBound != 0 || m.PreemptionBound != 0 }

// boundName returns the maximum bound and its name.
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

// listsClasses reports whether distinct orders are counted by keeping the hash of each.
// Optimal knows their number. So do sleep sets, unless a fault comes between steps or
// steps conflict without a message.
func (m *Method) listsClasses() bool { return m.CountDistinct && m.Reduction != Optimal }

// learns reports whether the ordering depends on what actors did in earlier runs.
func (m *Method) learns() bool { return m.Ordering == OrderHMS || m.Ordering == OrderSGR }

// reduces reports whether equivalent orders are pruned.
func (m *Method) reduces() bool { return m.Reduction != Everything || m.Sleep }

// records reports whether runs must be recorded.
func (m *Method) records() bool {
	return m.reduces() || m.compares() || m.CountDistinct || m.PreemptionBound != 0
}

// isPlain reports whether every message is taken at every pick, in no order that
// matters. Then a pick needs no data about its candidates.
func (m *Method) isPlain() bool {
	return !m.reduces() && !m.bounded() && (m.Ordering == OrderFIFO || m.RandomBranch) && !m.compares()
}
