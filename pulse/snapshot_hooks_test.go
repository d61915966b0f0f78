package pulse

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/value"
)

// StateSlowly returns the same as State, computed by a walk that reuses nothing from
// earlier walks.
func (s *System) StateSlowly() uint64 {
	w := s.states
	bodies := w.bodies
	w.lone.skip, w.bodies = 1, nil
	sum := s.State()
	w.lone.skip, w.bodies = 0, bodies
	return sum
}

// SnapshotFaults returns the names of the faults that RestoreWrong can plant.
func SnapshotFaults() []string {
	return []string{
		"the memory of handlers stays", "handlers stay", "mailboxes stay", "histories of steps stay", "the clock stays", "messages stay as they are",
		"what the test has received stays", "budgets stay", "channels stay in the table", "watchers stay", "counts of messages stay",
		"messages keep the hashes of others", "quick walks are wrong",
	}
}

// RestoreWrong is Restore with one planted fault, chosen by its name.
func (e *Enabled) RestoreWrong(n *Snapshot, fault string) bool {
	s := e.sys
	w := s.states
	bodies, channels := slices.Clone(w.bodies), slices.Clone(s.mail.channels)
	kept := min(len(n.actors), len(s.actors))
	switch fault {
	case "the memory of handlers stays":
		n.memory = value.Image{}
	case "handlers stay":
		for i := range kept {
			n.actors[i].handler = s.actors[i].handler
		}
	case "mailboxes stay":
		for i := range kept {
			n.actors[i].mailbox = s.actors[i].mailbox
		}
	case "histories of steps stay":
		for i := range kept {
			n.actors[i].track = s.actors[i].track
		}
	case "the clock stays":
		n.clock.save(&s.clock)
	case "messages stay as they are":
		copy(n.mail.sends, s.mail.sends[n.mail.first:])
	case "what the test has received stays":
		n.inbox = len(s.inbox)
	case "budgets stay":
		left := &s.faults.left
		n.losses = [...]int{left.Drop, left.Duplicate, left.Delay}
	case "watchers stay":
		for i := range kept {
			n.actors[i].more.watchers = append([]int32(nil), s.actors[i].watchers...)
			n.actors[i].rare = n.actors[i].rare || len(s.actors[i].watchers) > 0
		}
	case "counts of messages stay":
		n.mail.seq, n.rec.asked = s.mail.seq, s.rec.asked
	}
	done := e.Restore(n)
	switch fault {
	case "channels stay in the table":
		for i := len(s.mail.channels); i < len(channels); i++ {
			s.mail.table.Put(channelKey(channels[i].from, channels[i].to), int32(i))
		}
	case "messages keep the hashes of others":
		w.bodies = bodies
	case "quick walks are wrong":
		for i := range w.lone.list {
			w.lone.list[i].plain++
		}
	}
	return done
}
