package pulse

import (
	"bytes"
	"fmt"

	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/pulse/value"
)

// The isolation check keeps a fingerprint of each message on its way and
// compares it after each step. Actors share nothing but messages; a sender
// that kept a pointer into one, or sent one value to two receivers that change
// it, breaks that.

// A guard is what a message looked like when it was sent.
type guard struct {
	send  int32
	print uint64
	text  string
	// memory stands for both if the message is a slice of numbers, as most are that
	// are long: a copy of them is soon made and compared, and described only when
	// it must be. Else it is nil.
	memory []byte
}

// guard starts to watch a message, unless it holds nothing that can be changed.
func (s *traffic) guard(m int32) {
	body := s.mail.sends[m].Body
	if s.values.Plain(body) {
		return
	}
	g := guard{send: m}
	if data, ok := s.values.FlatSlice(body); ok {
		if n := len(s.copies); n > 0 {
			g.memory, s.copies = s.copies[n-1], s.copies[:n-1]
		}
		g.memory = append(g.memory, data...)
	} else {
		g.print, g.text = s.values.Fingerprint(body), s.label(body)
	}
	s.guards = append(s.guards, g)
}

// unguard forgets a guard and keeps its memory.
func (s *traffic) unguard(g *guard) {
	if g.memory != nil {
		s.copies = append(s.copies, g.memory[:0])
		g.memory = nil
	}
}

// changed reports whether a message is not what it was.
func (s *traffic) changed(g *guard, body any) bool {
	if g.memory != nil {
		data, _ := s.values.FlatSlice(body)
		return !bytes.Equal(data, g.memory)
	}
	return s.values.Fingerprint(body) != g.print
}

// sentAs describes a message as it was sent.
func (s *traffic) sentAs(g *guard) string {
	if g.memory != nil {
		return s.label(value.SliceOf(s.mail.sends[g.send].Body, g.memory))
	}
	return g.text
}

// label returns the label of a value for a text that no actor sees: which names
// are in it touches nothing.
func (s *traffic) label(v any) string {
	touched := len(s.rec.trace.Touches)
	defer func() { s.rec.trace.Touches = s.rec.trace.Touches[:touched] }()
	return trace.Label(v)
}

// changer names the step that runs, as the one that has changed something.
func (s *traffic) changer() string {
	if s.rec.cur == trace.Test {
		return "the test"
	}
	return fmt.Sprintf("step %d (%s)", s.rec.step, s.where())
}

// checkIsolation compares all messages on their way with what they were.
func (s *traffic) checkIsolation() {
	kept := s.guards[:0]
	for i := range s.guards {
		g := &s.guards[i]
		d := &s.mail.sends[g.send]
		if d.Fate != trace.Pending {
			s.unguard(g)
			continue
		}
		kept = append(kept, *g)
		if s.changed(g, d.Body) {
			f := s.isolationFailure(d, g)
			s.guards = s.guards[:0] // some are there twice now
			s.fails.fail(f)
			panic(f)
		}
	}
	clear(s.guards[len(kept):]) // what was moved has its memory once
	s.guards = kept
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
	f := &Failure{Kind: KindIsolation, Step: int(s.rec.step), Site: trace.TypeLabel(d.Body),
		Text: fmt.Sprintf("a message from %s to %s was changed on its way: sent as %s, now %s",
			s.rec.nameOf(d.From), s.rec.nameOf(d.To), s.sentAs(g), trace.Label(d.Body))}
	f.Detail = "    sent by " + sender + ", changed by " + changer +
		"\n    actors share nothing but messages: send a copy, or do not keep what was sent"
	return f
}
