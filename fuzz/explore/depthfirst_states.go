package explore

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
)

// States are compared as in the Basset thesis (section 3.5.1): a run stops at a state
// that was seen before, because all continuations are explored from the first visit.
//
// With sleep sets a run stops only if every message that slept at the first visit sleeps
// now (Godefroid 1996, chapter 6), because sleeping messages were not explored. Otherwise
// the run continues from the state. With all reductions except Everything, the races of
// the missing steps of a stopped run are unknown. Therefore all candidates on the run's
// path are marked (path.openPicks). This keeps the search complete, but prunes much less.
//
// If the state of an actor or message cannot be read, its history is compared instead.
// This is correct unless actors share variables, which a function may do unnoticed.
// Result.Unread reports such states.

// states is the set of states that were seen.
//
// Invariant: a state has the same index in list and, if descriptions are compared, in
// texts.
type states struct {
	table   hash.Table // maps the hash of a state to the state's index in list
	list    []state
	texts   []string // the descriptions of the states, if checked is set
	slept   []uint64 // the identities of the sleeping messages of all states, one list after the other
	checked bool     // set if states are compared by their descriptions too
	asleep  []uint64 // scratch memory
	clash   string   // a description of two states with the same hash, if any were found
	unread  string   // the first part of a state that could not be read, if any
}

// A state describes a state of the program that was seen. The messages that slept there
// are states.slept[first : first+count].
type state struct{ first, count int }

// isKnown reports whether a run can stop at the current state, because the state was seen
// before. It adds a new state to s. The argument list has the candidates of the state's
// choice point, and is nil if only one message is deliverable.
func (s *states) isKnown(e *pulse.Enabled, list []candidate) bool {
	s.asleep = s.asleep[:0]
	for i := range list {
		if list[i].mark&asleep != 0 {
			s.asleep = append(s.asleep, e.ID(int(list[i].index)))
		}
	}
	i, seen := s.note(e.State())
	if s.checked && s.clashes(i, seen, e.StateText()) {
		return true
	}
	if s.unread == "" {
		s.unread = e.Unread()
	}
	if !seen {
		s.list[i] = state{len(s.slept), len(s.asleep)}
		s.slept = append(s.slept, s.asleep...)
		return false
	}
	st := s.list[i]
	old := s.slept[st.first : st.first+st.count] // the candidates that have slept at every visit so far
	s.list[i].count = len(slices.DeleteFunc(old, func(id uint64) bool { return !slices.Contains(s.asleep, id) }))
	return s.list[i].count == len(old)
}

// note returns the index of the state with the given hash, and whether that state was
// seen before. It adds the state if it is new.
func (s *states) note(sum uint64) (place int32, seen bool) {
	place, seen = s.table.Add(sum, int32(len(s.list)))
	if !seen {
		s.list = append(s.list, state{})
	}
	return place, seen
}

// clashes reports whether a seen state with the same hash has a different description.
// Then the search ends with an error.
func (s *states) clashes(place int32, seen bool, text string) bool {
	if !seen {
		s.texts = append(s.texts, text)
		return false
	}
	if old := s.texts[place]; old != text {
		s.clash = fmt.Sprintf("two states have one hash: a Hash method omits relevant state "+
			"(the spare capacity of a slice is relevant too: append writes there).\nOne state:\n%s\nthe other:\n%s", old, text)
		return true
	}
	return false
}

// end adds the state in which a run ended.
func (s *states) end(sys *pulse.System) {
	i, seen := s.note(sys.State())
	if s.checked {
		s.clashes(i, seen, sys.StateText())
	}
}
