package pulse

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Print is a fingerprint of a recorded run. It covers all steps, and the
// contents of all messages at the end of the run. The zero Print is ready for
// use, and Take reuses its memory.
type Print struct {
	hash  uint64 // the value of Trace.Hash
	sends []printed
	steps int
}

// A printed is what a Print stores about one message.
type printed struct {
	id       uint64
	contents uint64 // a hash of the contents; 0 if they cannot be read
}

// differs reports whether two messages are known to differ. Unreadable
// contents count as equal to any contents, because formatting a message can
// make it unreadable. For example, the String method of a protobuf message
// sets a pointer in the message.
func (x printed) differs(y printed) bool {
	return x.id != y.id || x.contents != y.contents && x.contents != 0 && y.contents != 0
}

// Take sets p to the Print of the last run of s. The system must not be
// running.
func (p *Print) Take(s *System) {
	t := s.view()
	p.hash, p.steps, p.sends = t.Hash, len(t.Steps), slices.Grow(p.sends[:0], len(t.Sends))
	s.walk.begin(false)
	for i := range t.Sends {
		x := printed{id: t.Sends[i].ID}
		if sum, ok := s.walk.Contents(t.Sends[i].Body); ok {
			x.contents = sum
		}
		p.sends = append(p.sends, x)
	}
}

// Differs describes the first difference between the run with Print p and the
// later run with Print q. The later run must be the last run of s. It returns
// "" if no difference is known.
func (p *Print) Differs(q *Print, s *System) string {
	t := s.view()
	for i := range min(len(p.sends), len(q.sends)) {
		x, y := p.sends[i], q.sends[i]
		if x.differs(y) {
			what := "was a different message"
			if x.id == y.id {
				what = "had different contents"
			}
			return fmt.Sprintf("%s sends %s to %s, which %s in the previous run, though all decisions were the same",
				senderOf(t, i), trace.Label(t.Sends[i].Body), t.Name(t.Sends[i].To), what)
		}
	}
	switch {
	case len(p.sends) < len(q.sends):
		i := len(p.sends)
		return fmt.Sprintf("%s sends %s to %s, which was not sent in the previous run, though all decisions were the same",
			senderOf(t, i), trace.Label(t.Sends[i].Body), t.Name(t.Sends[i].To))
	case len(p.sends) > len(q.sends):
		return fmt.Sprintf("%d messages were sent, but %d messages in the previous run, though all decisions were the same", len(q.sends), len(p.sends))
	case p.steps != q.steps:
		return fmt.Sprintf("there were %d steps, but %d steps in the previous run, though all decisions were the same", q.steps, p.steps)
	case p.hash != q.hash:
		return "actors were spawned, steps came, or a Nemesis struck in a different order than in the previous run, though all decisions were the same"
	}
	return ""
}

// senderOf names the sender of message i: a step or the test.
func senderOf(t *trace.Trace, i int) string {
	if k := t.Sends[i].Step; k >= 0 {
		return fmt.Sprintf("step %d (%s)", k, t.StepLabel(int(k)))
	}
	return "the test"
}
