package pulse

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse/trace"
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
}

// guard starts to watch a message, unless it holds nothing that can be changed.
func (s *traffic) guard(m int32) {
	body := s.mail.sends[m].Body
	if !s.values.Plain(body) {
		s.guards = append(s.guards, guard{m, s.values.Fingerprint(body), s.label(body)})
	}
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
	for _, g := range s.guards {
		d := &s.mail.sends[g.send]
		if d.Fate != trace.Pending {
			continue
		}
		kept = append(kept, g)
		if s.values.Fingerprint(d.Body) != g.print {
			f := s.isolationFailure(d, g)
			s.fails.fail(f)
			panic(f)
		}
	}
	s.guards = kept
}

func (s *traffic) isolationFailure(d *trace.Send, g guard) *Failure {
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
			s.rec.nameOf(d.From), s.rec.nameOf(d.To), g.text, trace.Label(d.Body))}
	f.Detail = "    sent by " + sender + ", changed by " + changer +
		"\n    actors share nothing but messages: send a copy, or do not keep what was sent"
	return f
}
