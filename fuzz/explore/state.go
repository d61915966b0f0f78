package explore

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
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
type states struct {
	entries map[uint64]state // by hash
	checked bool             // their descriptions are compared
	asleep  []uint64         // scratch
	clash   string           // two states with one hash, if any were found
	unread  string           // the first part of a state that could not be read, if any
}

// A state is what is known of a state that was seen.
type state struct {
	asleep []uint64 // the identities of what slept there, sorted
	text   string   // its description, if they are compared
}

// isKnown reports whether a run need not go on from a state, and notes it. The
// candidates are those of its pick, none when only one message is there.
func (s *states) isKnown(e *pulse.Enabled, list []candidate) bool {
	s.asleep = s.asleep[:0]
	for i := range list {
		if list[i].mark&asleep != 0 {
			s.asleep = append(s.asleep, e.ID(int(list[i].index)))
		}
	}
	slices.Sort(s.asleep)
	hash := e.State()
	old, seen := s.entries[hash]
	if s.checked && s.clashes(&old, seen, e.StateText()) {
		return true
	}
	if s.unread == "" {
		s.unread = e.Unread()
	}
	if seen && contains(s.asleep, old.asleep) {
		return true
	}
	if seen {
		old.asleep = slices.DeleteFunc(old.asleep, func(id uint64) bool { return !slices.Contains(s.asleep, id) })
	} else {
		old.asleep = slices.Clone(s.asleep)
	}
	s.put(hash, old)
	return false
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

func (s *states) put(hash uint64, st state) {
	if s.entries == nil {
		s.entries = map[uint64]state{}
	}
	s.entries[hash] = st
}

// clashes reports whether a state has another description than the one with
// the same hash. Then the search is over.
func (s *states) clashes(old *state, seen bool, text string) bool {
	if seen && old.text != text {
		s.clash = fmt.Sprintf("two states have one hash: a Hash method leaves out what matters "+
			"(what a slice has room for matters too: append writes there).\nOne state:\n%s\nthe other:\n%s", old.text, text)
		return true
	}
	old.text = text
	return false
}

// end notes the state in which a run ended.
func (s *states) end(sys *pulse.System) {
	hash := sys.State()
	old, seen := s.entries[hash]
	if s.checked && s.clashes(&old, seen, sys.StateText()) {
		return
	}
	if !seen {
		s.put(hash, old)
	}
}
