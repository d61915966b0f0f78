package coverage

import (
	"math/bits"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// PR counts ordered pairs of receives: a before b at one actor in one run,
// not necessarily one right after the other (Bitá, definition 2). It is exact:
// no pair is missed or counted twice, however many runs there are.
//
// A PR is a pulse.Observer. Call Begin before each run. The zero value is ready.
//
// Each actor numbers its steps. A row of bits for each step marks the steps that
// came before it in some run. The pairs that a step adds are the steps seen in
// this run that its row does not have: a few words, not a pass over the run.
type PR struct {
	// Limit bounds how many different steps of one actor are told apart; zero
	// means 4,096. Steps beyond it are not counted; Skipped returns their number.
	Limit int

	steps   hash.Table // identity of a step: its number at its actor
	places  hash.Table // identity of an actor: its place in actors
	actors  []receipt  // what is known of each actor
	present []int32    // by index in this run's trace: place + 1, 0 when not looked up
	run     int        // counts runs, so that nothing need be cleared between them
	pairs   int
	skipped int
}

// A receipt holds what is known of the steps of one actor.
//
// Invariant: len(seen) is words, len(rows) is words for each number given out.
type receipt struct {
	rows  []uint64 // bit j of row i: step j came before step i in some run
	seen  []uint64 // the steps taken in the current run
	words int
	used  int
	run   int // the run that seen belongs to
}

const defaultLimit = 4096

// Begin starts a run: no step of an earlier run comes before a step of this one.
func (c *PR) Begin() {
	c.run++
	clear(c.present)
}

// Pairs returns how many ordered pairs have been seen in all runs.
func (c *PR) Pairs() int { return c.pairs }

// Skipped returns how many steps were not counted because their actor had
// more different ones than Limit.
func (c *PR) Skipped() int { return c.skipped }

// Stepped notes a step that was taken.
func (c *PR) Stepped(s *pulse.System, step int) {
	t := s.Trace()
	st := &t.Steps[step]
	if st.Kind != trace.Receive {
		return
	}
	a := c.receiptOf(t, st.Actor)
	k, ok := c.number(a, st.ID)
	if !ok {
		c.skipped++
		return
	}
	row := a.rows[k*a.words : k*a.words+a.words]
	for i, seen := range a.seen {
		if add := seen &^ row[i]; add != 0 {
			row[i] |= add
			c.pairs += bits.OnesCount64(add)
		}
	}
	a.seen[k>>6] |= 1 << (k & 63)
}

// receiptOf returns the receipt of an actor of this run's trace.
func (c *PR) receiptOf(t *trace.Trace, actor int32) *receipt {
	for int(actor) >= len(c.present) {
		c.present = append(c.present, 0)
	}
	place := c.present[actor] - 1
	if place < 0 {
		place = c.place(t.Actors[actor].ID)
		c.present[actor] = place + 1
	}
	a := &c.actors[place]
	if a.run != c.run {
		a.run = c.run
		clear(a.seen)
	}
	return a
}

// place returns the index in actors of the actor with an identity.
func (c *PR) place(id uint64) int32 {
	place, ok := c.places.Get(id)
	if !ok {
		place = int32(len(c.actors))
		c.actors = append(c.actors, receipt{words: 1, seen: make([]uint64, 1)})
		c.places.Put(id, place)
	}
	return place
}

// number returns the number of a step at its actor, a new one for a new step. It
// returns false when the actor has reached the limit.
func (c *PR) number(a *receipt, id uint64) (int, bool) {
	if n, ok := c.steps.Get(id); ok {
		return int(n), true
	}
	limit := c.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	if a.used == limit {
		return 0, false
	}
	if a.used == 64*a.words {
		a.widen()
	}
	a.used++
	a.rows = append(a.rows, make([]uint64, a.words)...)
	c.steps.Put(id, int32(a.used-1))
	return a.used - 1, true
}

// widen makes room for twice as many steps in each row.
func (a *receipt) widen() {
	rows := make([]uint64, 0, 4*len(a.rows))
	for i := 0; i < len(a.rows); i += a.words {
		rows = append(rows, a.rows[i:i+a.words]...)
		rows = append(rows, make([]uint64, a.words)...)
	}
	a.rows = rows
	a.seen = append(a.seen, make([]uint64, a.words)...)
	a.words *= 2
}
