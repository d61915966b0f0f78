package explore

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
)

// States are compared as in Basset (section 3.5.1): a run stops at a state that was seen
// before, because what follows was run, or will be, from the first visit.
//
// With sleep sets this holds only if everything that slept at the first visit sleeps now
// (Godefroid 1996, chapter 6), because sleepers were left out. Otherwise the run
// continues from the state. With the other reductions a stopped run does not show the
// races of the missing steps. Then all candidates of its picks are marked
// (path.openPicks), which keeps the search complete and loses much of the reduction.
//
// If a state cannot be read, the history of the actor or message replaces it. This is
// enough unless actors share variables, and nobody can see whether a function does.
// Result.Unread reports such states.

// states holds the states that were seen.
//
// Invariant: the table's number for a hash is the state's index in list and, if
// descriptions are compared, in texts.
type states struct {
	table   hash.Table // by hash: an index in list
	list    []state
	texts   []string // the states' descriptions, if they are compared
	slept   []uint64 // the sleepers of each state, one list after the other
	checked bool     // descriptions are compared
	asleep  []uint64 // scratch
	clash   string   // two states with one hash, if any were found
	unread  string   // the first part of a state that could not be read, if any
}

// A state is a seen state: the start and length of its list of sleepers in states.slept.
type state struct{ first, count int }

// isKnown reports whether a run need not continue from a state, and notes the state.
// list is the candidates of its pick, nil if only one message is deliverable.
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
	old := s.sleptIn(i)
	if contains(s.asleep, old) {
		return true
	}
	old = slices.DeleteFunc(old, func(id uint64) bool { return !slices.Contains(s.asleep, id) })
	s.list[i].count = len(old)
	return false
}

// note returns the index of the state with a hash, and adds the state if it is new.
func (s *states) note(sum uint64) (place int32, seen bool) {
	place, seen = s.table.Add(sum, int32(len(s.list)))
	if !seen {
		s.list = append(s.list, state{})
	}
	return place, seen
}

// sleptIn returns what slept at every visit of a state so far.
func (s *states) sleptIn(place int32) []uint64 {
	st := s.list[place]
	return s.slept[st.first : st.first+st.count]
}

// contains reports whether many contains all of few.
func contains(many, few []uint64) bool {
	for _, id := range few {
		if !slices.Contains(many, id) {
			return false
		}
	}
	return true
}

// clashes reports whether a state's description differs from that of the state with the
// same hash. Then the search is over.
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

// end notes the state in which a run ended.
func (s *states) end(sys *pulse.System) {
	i, seen := s.note(sys.State())
	if s.checked {
		s.clashes(i, seen, sys.StateText())
	}
}
