package stack

import (
	"fmt"
	"strings"
)

// A Wait says where an actor waits, and for what.
type Wait struct {
	Actor string   `json:"actor"`           // the name of the actor
	What  string   `json:"what"`            // what the actor waits for or does, such as "in sync.Mutex.Lock" or "can run"
	At    Frame    `json:"at,omitzero"`     // the line of code, if there is one
	On    []Object `json:"on,omitempty"`    // the locks and channels it waits for, as far as something is known about them
	Mail  []string `json:"mail,omitempty"`  // the messages in its mailbox
	Empty bool     `json:"empty,omitempty"` // set if its mailbox is empty
}

// An Object is a lock or a channel.
type Object struct {
	Made Frame  `json:"made,omitzero"`  // the line that made the channel
	Held []Hold `json:"held,omitempty"` // who has locked the lock
}

// A Hold says who has locked a lock, and where.
type Hold struct {
	Actor string `json:"actor"`
	At    Frame  `json:"at,omitzero"`
	Reads bool   `json:"reads,omitempty"` // set if the lock is an RWMutex that was locked by RLock, so that other actors may do the same
}

// String returns a line such as "worker waits in sync.Mutex.Lock at a.go:12 (pkg.F), locked by
// main at a.go:7". More lines list the mailbox.
func (w *Wait) String() string {
	text := w.Actor + " waits " + w.What
	if w.At.Func != "" {
		text += fmt.Sprintf(" at %s (%s)", w.At.Place(), w.At.Func)
	}
	for _, o := range w.On {
		text += o.String()
	}
	switch {
	case w.Empty:
		text += "; its mailbox is empty"
	case len(w.Mail) > 0:
		text += "; in its mailbox:\n    " + strings.Join(w.Mail, "\n    ")
	}
	return text
}

func (o *Object) String() (text string) {
	if place := o.Made.Place(); place != "" {
		text = ", channel made at " + place
	}
	for i, h := range o.Held {
		how := ", locked by "
		switch {
		case i > 0:
			how = " and by "
		case h.Reads:
			how = ", locked for reading by "
		}
		text += how + h.Actor
		if place := h.At.Place(); place != "" {
			text += " at " + place
		}
	}
	return text
}

// Report describes all waits and, if there is one, the cycle that Cycle returns. Each line is
// indented.
func Report(list []Wait, asks map[string]string) string {
	var lines []string
	for i := range list {
		lines = append(lines, strings.Split(list[i].String(), "\n")...)
	}
	if c := Cycle(list, asks); c != nil {
		lines = append(lines, "cycle: "+strings.Join(c, " → "))
	}
	return "    " + strings.Join(lines, "\n    ")
}

// Cycle returns the names of actors that wait for each other in a circle, or
// nil. Each actor waits for a lock that the next actor has locked, or for an
// answer of the next actor, which asks gives. The last name is equal to the
// first.
func Cycle(list []Wait, asks map[string]string) []string {
	next := map[string][]string{}
	for _, w := range list {
		if to, ok := asks[w.Actor]; ok {
			next[w.Actor] = append(next[w.Actor], to)
		}
		for _, o := range w.On {
			for _, h := range o.Held {
				next[w.Actor] = append(next[w.Actor], h.Actor)
			}
		}
	}
	for _, w := range list {
		if path := cycleOf(next, []string{w.Actor}, map[string]bool{}); path != nil {
			return path
		}
	}
	return nil
}

// cycleOf extends path to a cycle that ends at the first actor of path. next
// has the actors for which each actor waits. It returns nil if there is no such
// cycle.
func cycleOf(next map[string][]string, path []string, seen map[string]bool) []string {
	for _, to := range next[path[len(path)-1]] {
		if to == path[0] {
			return append(path, to)
		}
		if seen[to] {
			continue
		}
		seen[to] = true
		if found := cycleOf(next, append(path, to), seen); found != nil {
			return found
		}
	}
	return nil
}
