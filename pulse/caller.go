package pulse

// A Caller says where a call stands to a system.
type Caller uint8

const (
	// Outsider: the call comes from no step of the system. While none runs,
	// every call does.
	CallerOutside Caller = iota
	// Insider: the call comes from the step that is running.
	CallerInside
	// Dying: the call comes from a process that is being ended, out of one of
	// its deferred functions.
	CallerDying
)

// Goroutine returns a word that tells the calling goroutine from every other
// that is alive; where that cannot be known, the same word for all. The zero
// Host has it too.
func (h Host) Goroutine() uintptr { return goroutine() }

// Caller says where the call stands to the system.
func (h Host) Caller() Caller {
	s, g := h.s, goroutine()
	switch {
	case s.dying != nil && s.dying.g == g:
		return CallerDying
	case s.running && s.g == g:
		return CallerInside
	}
	return CallerOutside
}
