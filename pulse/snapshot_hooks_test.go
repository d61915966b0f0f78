package pulse

// StateSlowly returns State as a walk computes it that knows nothing of earlier walks.
func (s *System) StateSlowly() uint64 {
	w := s.states
	w.lone.skip, w.bodies = 1, w.bodies[:0]
	sum := s.State()
	w.lone.skip = 0
	return sum
}
