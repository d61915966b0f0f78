package pulse

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// With Unordered delivery there are no channels: every message that may come
// is enabled, and those that may not are held.

// arriveUnordered places a message whose receiver does not take just anything,
// or that a partition may stop.
func (s *System) arriveUnordered(m, from int32) {
	a := s.actors[s.sends[m].To]
	if a.life != alive {
		s.undeliverable(m, a)
		return
	}
	if !s.crosses(from, a.ctx.actor) && a.accepts(&s.sends[m]) {
		s.enabled.slots = append(s.enabled.slots, m)
		return
	}
	s.faults.held = append(s.faults.held, m)
}

// refilterUnordered sorts the messages to an actor into enabled and held.
func (s *System) refilterUnordered(a *actor) {
	to := a.ctx.actor
	mine := s.faults.scratch[:0]
	gather := func(m int32) bool {
		if s.sends[m].To != to {
			return false
		}
		mine = append(mine, m)
		return true
	}
	s.enabled.removeIf(gather)
	s.faults.held = slices.DeleteFunc(s.faults.held, gather)
	slices.SortFunc(mine, func(x, y int32) int { return int(s.sends[x].Seq - s.sends[y].Seq) })
	for _, m := range mine {
		s.arriveUnordered(m, s.sends[m].From)
	}
	s.faults.scratch = mine[:0]
}

func (s *System) unhold(m int32) {
	s.faults.held = slices.DeleteFunc(s.faults.held, func(x int32) bool { return x == m })
}

func (s *System) emptyUnordered(to int32, fate trace.Fate) {
	drop := func(m int32) bool {
		if s.sends[m].To != to {
			return false
		}
		s.discard(m, fate)
		return true
	}
	s.enabled.removeIf(drop)
	s.faults.held = slices.DeleteFunc(s.faults.held, drop)
}
