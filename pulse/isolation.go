package pulse

import (
	"bytes"
	"fmt"

	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/pulse/value"
)

// The isolation check computes a fingerprint of each message in flight and
// compares it after each step. Actors must share no memory. A sender breaks
// this rule if it changes a message that it has sent. A receiver breaks the
// rule if it changes a value that was also sent to another receiver.

// A guard records the content that a message had when it was sent, to detect
// later changes.
type guard struct {
	send  int32
	print uint64
	text  string
	// memory is a copy of the message if the message is a slice of numbers, as
	// most long messages are; otherwise it is nil. If memory is set, print and
	// text are not set, because a copy is faster to make and to compare than a
	// fingerprint.
	memory []byte
}

// guards holds a guard (a record of the content) of each message in flight
// that can change.
//
// Invariant: no two entries of the fields list and spare share memory.
type guards struct {
	list  []guard
	spare [][]byte // memory for reuse
}

// guard records the content of message m, to detect later changes. It does
// nothing if the message has no parts that can change.
func (s *traffic) guard(m int32) {
	body := s.mail.sends[m].Body
	if s.values.Plain(body) {
		return
	}
	g := guard{send: m}
	if data, ok := s.values.FlatSlice(body); ok {
		g.memory = append(s.guards.memory(), data...)
	} else {
		g.text = s.label(body) // before the fingerprint, since a String method may change the message
		g.print = s.values.Fingerprint(body)
	}
	s.guards.list = append(s.guards.list, g)
}

// memory returns an empty slice with memory for reuse, or nil.
func (l *guards) memory() []byte {
	n := len(l.spare)
	if n == 0 {
		return nil
	}
	memory := l.spare[n-1]
	l.spare = l.spare[:n-1]
	return memory
}

// reset removes all guards, but keeps their memory for reuse.
func (l *guards) reset() { l.keep(func(*guard) bool { return false }) }

// keep removes each guard for which f returns false, but keeps the memory of
// the guard for reuse.
func (l *guards) keep(f func(*guard) bool) {
	n := 0
	for i := range l.list {
		g := &l.list[i]
		if f(g) {
			l.list[n], l.list[i] = *g, l.list[n]
			n++
		} else if g.memory != nil {
			l.spare = append(l.spare, g.memory[:0])
			g.memory = nil
		}
	}
	l.list = l.list[:n]
}

// isChanged reports whether a message has changed since it was sent.
func (g *guard) isChanged(w *value.Walker, body any) bool {
	if g.memory != nil {
		data, _ := w.FlatSlice(body)
		return !bytes.Equal(data, g.memory)
	}
	return w.Fingerprint(body) != g.print
}

// label returns the text of a value. Making the text may read actor names,
// which records dependencies. label removes these dependencies, because no
// actor sees the text.
func (s *traffic) label(v any) string {
	touched := len(s.rec.trace.Touches)
	defer func() { s.rec.trace.Touches = s.rec.trace.Touches[:touched] }()
	return trace.Label(v)
}

// changer returns the name of the running step, or of the test. A report says
// that the named step has changed a message or a disk.
func (s *traffic) changer() string {
	if s.rec.cur == trace.Test {
		return "the test"
	}
	return fmt.Sprintf("step %d (%s)", s.rec.step, s.where())
}

// checkIsolation fails the run if a message in flight has changed.
func (s *traffic) checkIsolation() {
	s.guards.keep(func(g *guard) bool { return s.mail.sends[g.send].Fate == trace.Pending })
	for i := range s.guards.list {
		g := &s.guards.list[i]
		if d := &s.mail.sends[g.send]; g.isChanged(s.values, d.Body) {
			f := s.isolationFailure(d, g)
			s.fails.fail(f)
			panic(f)
		}
	}
}

func (s *traffic) isolationFailure(d *trace.Send, g *guard) *Failure {
	t := s.view()
	sender := "the test"
	if d.Step >= 0 {
		sender = fmt.Sprintf("step %d (%s)", d.Step, t.StepLabel(int(d.Step)))
	}
	changer := s.changer()
	if changer == sender {
		changer = "it after sending"
	}
	was := g.text
	if g.memory != nil {
		was = s.label(value.SliceOf(d.Body, g.memory))
	}
	f := &Failure{Kind: KindIsolation, Step: int(s.rec.step), Site: trace.TypeLabel(d.Body),
		Text: fmt.Sprintf("a message from %s to %s was changed on its way: sent as %s, now %s",
			s.rec.nameOf(d.From), s.rec.nameOf(d.To), was, trace.Label(d.Body))}
	f.Detail = "    sent by " + sender + ", changed by " + changer +
		"\n    actors share nothing but messages: send a copy, or do not keep what was sent"
	return f
}
