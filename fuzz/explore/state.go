package explore

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// States are compared as in Basset (section 3.5.1): a run that comes to a
// state that was seen before is given up, because what follows from there was
// run, or will be, from where it was seen first.
//
// With sleep sets that holds only if no more slept there than sleeps here
// (Godefroid 1996, chapter 6): what slept was left out. Else the state is gone
// on with again. With the other reductions the run that is given up does not
// show what its steps race with: all that could come at its picks is taken up
// (openPath), which keeps the search complete and costs much of the reduction.

// states is what is known of the states that were seen.
type states struct {
	entries map[uint64]entry
	asleep  []uint64 // scratch
	clash   string   // two states with one hash, if any were found
}

// An entry is what is known of one state.
type entry struct {
	asleep []uint64 // the identities of what slept there, in order
	text   string   // what it is, in Checked
}

// isKnown says whether a state need not be gone on with, and notes it.
func (w *walker) isKnown(e *pulse.Enabled, list []cand) bool {
	st := &w.seen
	st.asleep = st.asleep[:0]
	for i := range list {
		if list[i].mark&asleep != 0 {
			st.asleep = append(st.asleep, e.ID(int(list[i].index)))
		}
	}
	slices.Sort(st.asleep)
	hash := e.State()
	old, seen := st.entries[hash]
	if w.options.States == Checked {
		if st.compare(&old, seen, e.StateText()) {
			return true
		}
	}
	if seen && contains(st.asleep, old.asleep) {
		return true
	}
	if seen {
		old.asleep = slices.DeleteFunc(old.asleep, func(id uint64) bool { return !slices.Contains(st.asleep, id) })
	} else {
		old.asleep = slices.Clone(st.asleep)
	}
	st.put(hash, old)
	return false
}

// contains says whether each of the few is among the many.
func contains(many, few []uint64) bool {
	for _, id := range few {
		if !slices.Contains(many, id) {
			return false
		}
	}
	return true
}

func (st *states) put(hash uint64, e entry) {
	if st.entries == nil {
		st.entries = map[uint64]entry{}
	}
	st.entries[hash] = e
}

// compare holds a state's description against that of the one with the same
// hash. It is true when they differ: then the search is over.
func (st *states) compare(old *entry, seen bool, text string) bool {
	if seen && old.text != text {
		st.clash = fmt.Sprintf("two states have one hash: a Hash method leaves out what matters.\nOne state:\n%s\nthe other:\n%s", old.text, text)
		return true
	}
	old.text = text
	return false
}

// end notes the state in which a run ended.
func (st *states) end(s *pulse.System, checked bool) {
	hash := s.State()
	old, seen := st.entries[hash]
	if checked && st.compare(&old, seen, s.StateText()) {
		return
	}
	if !seen {
		st.put(hash, old)
	}
}
