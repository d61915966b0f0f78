package explore

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
)

// States are compared as in Basset (section 3.5.1): a run that comes to a
// state that was seen before is given up, because what follows from there was
// run, or will be, from where the state was seen first.
//
// With sleep sets that holds only if no more slept there than sleeps here
// (Godefroid 1996, chapter 6): what slept was left out. Else the run goes on
// from the state again. With the other reductions the run that is given up
// does not show what its steps race with: all candidates of its picks are
// marked (path.openPicks), which keeps the search complete and costs much of
// the reduction.
//
// Where a state cannot be read, the history of an actor or a message stands in
// for it. That is enough unless actors share variables, and whether a function
// does cannot be seen. Result.Unread tells so.

// states is what is known of the states that were seen.
//
// Invariant: the state that the table has at a number is that of list, and of texts
// if descriptions are compared.
type states struct {
	table   hash.Table // by hash: a place in list
	list    []state
	texts   []string // their descriptions, if they are compared
	slept   []uint64 // what slept in each, one list behind the other
	checked bool     // their descriptions are compared
	asleep  []uint64 // scratch
	clash   string   // two states with one hash, if any were found
	unread  string   // the first part of a state that could not be read, if any
}

// A state is what is known of a state that was seen: where in states.slept the
// identities of what slept there begin, and how many they are.
type state struct{ first, count int }

// isKnown reports whether a run need not go on from a state, and notes it. The
// candidates are those of its pick, none when only one message is there.
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

// note returns the place of the state with a hash, which is given one if it was not
// seen.
func (s *states) note(sum uint64) (place int32, seen bool) {
	place, seen = s.table.Add(sum, int32(len(s.list)))
	if !seen {
		s.list = append(s.list, state{})
	}
	return place, seen
}

// sleptIn returns what slept in a state when it was seen, each time that it was.
func (s *states) sleptIn(place int32) []uint64 {
	st := s.list[place]
	return s.slept[st.first : st.first+st.count]
}

// contains reports whether each of the few is among the many.
func contains(many, few []uint64) bool {
	for _, id := range few {
		if !slices.Contains(many, id) {
			return false
		}
	}
	return true
}

// clashes reports whether a state has another description than the one with
// the same hash. Then the search is over.
func (s *states) clashes(place int32, seen bool, text string) bool {
	if !seen {
		s.texts = append(s.texts, text)
		return false
	}
	if old := s.texts[place]; old != text {
		s.clash = fmt.Sprintf("two states have one hash: a Hash method leaves out what matters "+
			"(what a slice has room for matters too: append writes there).\nOne state:\n%s\nthe other:\n%s", old, text)
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
