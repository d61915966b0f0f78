package adapttest

import (
	"fmt"
	"reflect"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A fault says which rule for adapters a run breaks, and how. The rule is "" if
// the run breaks none.
type fault struct {
	rule rule
	text string
}

func faulty(r rule, format string, args ...any) fault { return fault{r, fmt.Sprintf(format, args...)} }

// judge returns the first fault of a run that is over. The fault's rule is "" if there
// is none.
func (s *stage) judge() fault {
	s.mu.Lock()
	wrong := s.wrong
	s.mu.Unlock()
	if wrong != "" {
		return fault{steps, wrong}
	}
	switch {
	case s.host.Progress() == 0 && s.refused == nil:
		return faulty(runs, "no step is taken: the runtime's actors are not in the system that Adapter.New was given")
	case s.refused != nil:
		return faulty(runs, "the test's own calls fail: %v", s.refused)
	}
	for _, check := range []func() fault{s.judgeSteps, s.judgeNames, s.judgeReceipts, s.judgeEnd} {
		if f := check(); f.rule != "" {
			return f
		}
	}
	return fault{}
}

// judgeSteps checks that no two messages are received in the same step.
func (s *stage) judgeSteps() fault {
	last := entry{step: -1}
	for _, e := range s.entries {
		if e.step == last.step {
			return faulty(steps, "one step has %s receive %q and %s receive %q", last.player.name, last.text, e.player.name, e.text)
		}
		last = e
	}
	return fault{}
}

// judgeNames checks that a player, an actor of the program, receives messages
// only in steps of the actor that has the player's name in the trace.
func (s *stage) judgeNames() fault {
	t := s.sys.Trace()
	for _, e := range s.entries {
		if label := t.Actors[t.Steps[e.step].Actor].Label; label != e.player.name {
			return faulty(names, "%s receives %q in a step of the actor that the trace names %q", e.player.name, e.text, label)
		}
	}
	return fault{}
}

// judgeReceipts checks that each received message was sent to its receiver, and
// that messages come once and in order.
func (s *stage) judgeReceipts() fault {
	type pair struct{ from, to string }
	last := map[pair]parcel{}
	for _, e := range s.entries {
		p := pair{e.from, e.to}
		switch before := last[p]; {
		case !e.ok:
			return faulty(delivery, "%s receives %q, which nobody has sent to it", e.player.name, e.text)
		case s.sent[e.parcel] > 1:
			return faulty(delivery, "%s receives %q %d times", e.to, e.text, s.sent[e.parcel])
		case e.n < before.n:
			return faulty(delivery, "%s receives %q before %q", e.to, before, e.text)
		}
		last[p] = e.parcel
	}
	return fault{}
}

// judgeEnd checks that the run has not failed and that nothing is left to receive.
func (s *stage) judgeEnd() fault {
	if f := s.sys.Failure(); f != nil {
		r := runs
		switch f.Kind {
		case pulse.KindStuck:
			r = stuck
		case pulse.KindNondeterminism, pulse.KindStrategy:
			r = replay
		}
		return faulty(r, "the run fails: %v", f)
	}
	for _, m := range s.order {
		if s.sent[m] == 0 {
			return faulty(delivery, "%s never receives %q", m.to, m)
		}
	}
	return fault{}
}

// id returns the text of a player's address, "" if it has none that can be compared.
func (p *player) id() string {
	if isOpaque(p.address) {
		return ""
	}
	return trace.Label(p.address)
}

// isOpaque reports whether an address has no text that could be compared.
func isOpaque(a Address) bool {
	switch a.(type) {
	case nil:
		return true
	case fmt.Stringer, error:
		return false
	}
	switch reflect.TypeOf(a).Kind() {
	case reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return false
}

// judge checks a run and records the rule that it breaks, if any. It reports whether
// the run breaks no rule.
func (s *suite) judge(p program, st *stage, where string) bool {
	if f := st.judge(); f.rule != "" {
		return s.breaks(f.rule, p.name, "%s: %s", where, f.text)
	}
	for _, player := range st.players {
		key, id := p.name+" "+player.name, player.id()
		if old, known := s.ids[key]; known && old != id {
			return s.breaks(ids, p.name, "%s: the address of %s is %s, and in an earlier run it was %s", where, player.name, id, old)
		}
		s.ids[key] = id
	}
	return true
}
