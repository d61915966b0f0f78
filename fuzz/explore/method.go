package explore

// A Method selects how the tree of orders is searched and which orders are pruned. The
// zero value runs every distinct order once.
type Method struct {
	// Reduction selects which equivalent orders are pruned.
	Reduction Reduction
	// Sleep adds sleep sets (Godefroid 1996): no distinct order runs twice, but runs
	// may be wasted. SourceSets and Optimal always use sleep sets.
	Sleep bool
	// Ordering selects which actor's messages are tried first.
	Ordering Ordering
	// RandomBranch continues each time with a branch drawn at random from all
	// unexplored branches. Without RandomBranch the search continues with the
	// deepest one. With it the search visits all parts of the tree early, but keeps
	// all unexplored branches in memory (the Eta paper, section 4).
	RandomBranch bool

	// States compares states: a run stops at a state that was seen before.
	States States
	// BigSteps compares states only before steps with more than one possible message
	// (the Basset thesis, section 3.5.3), instead of before every step.
	BigSteps bool

	// DelayBound bounds the number of delays. A delay skips the message that the
	// ordering takes next. The search raises the bound from 0 to DelayBound, so that
	// the first failure is one with the fewest delays. Negative means only the bound
	// 0; zero means no bound.
	DelayBound int
	// PreemptionBound bounds the number of preemptions, like DelayBound. A preemption
	// leaves an actor that could continue.
	PreemptionBound int
	// Depth bounds the number of steps of a run that are explored; zero means all.
	Depth int

	// DepthFirst turns off probes (random runs in addition to the depth-first
	// search): see the package comment.
	DepthFirst bool

	// CountDistinct counts distinct orders by keeping the hash of each. Optimal
	// ignores CountDistinct, because it runs each distinct order once.
	CountDistinct bool
}

func (m *Method) bounded() bool { return m.DelayBound != 0 || m.PreemptionBound != 0 }

// boundName returns the requested bound on delays or preemptions, and its name.
func (m *Method) boundName() (most int, name Bound) {
	if m.PreemptionBound != 0 {
		return m.PreemptionBound, BoundPreemptions
	}
	return m.DelayBound, BoundDelays
}

// sleeps reports whether sleep sets are in use.
func (m *Method) sleeps() bool { return m.Sleep || m.Reduction <= SourceSets }

func (m *Method) compares() bool { return m.States != NoStates }

// listsClasses reports whether distinct orders are counted by keeping the hash of each.
// Optimal needs no hashes, because it runs each distinct order once.
func (m *Method) listsClasses() bool { return m.CountDistinct && m.Reduction != Optimal }

// learns reports whether the ordering depends on statistics of earlier runs.
func (m *Method) learns() bool { return m.Ordering == OrderHMS || m.Ordering == OrderSGR }

// reduces reports whether equivalent orders are pruned.
func (m *Method) reduces() bool { return m.Reduction != Everything || m.Sleep }

// records reports whether runs must be recorded.
func (m *Method) records() bool {
	return m.reduces() || m.compares() || m.CountDistinct || m.PreemptionBound != 0
}

// isPlain reports whether the search tries every deliverable message at every choice
// point, in any order. Then a choice point does not store its candidates.
func (m *Method) isPlain() bool {
	return !m.reduces() && !m.bounded() && (m.Ordering == OrderFIFO || m.RandomBranch) && !m.compares()
}
