package trace

import (
	"fmt"
	"strconv"
)

// A reading is a trace together with data that all output formats need.
type reading struct {
	*Trace
	names Names
	turns []int32 // for each step, the number of messages that its actor has received up to this step
}

func newReading(t *Trace) *reading {
	r := &reading{Trace: t, names: t.Names(), turns: make([]int32, len(t.Steps))}
	received := make([]int32, len(t.Actors))
	for i, step := range t.Steps {
		if step.Kind == Receive {
			received[step.Actor]++
			r.turns[i] = received[step.Actor]
		}
	}
	return r
}

// StepLabel returns a text for a step. "writer#2 ← flush" is the second receive
// of writer, and "crash of writer" is a fault. The label of None is "test".
func (t *Trace) StepLabel(step int) string {
	if step == int(None) {
		return testName
	}
	s := &t.Steps[step]
	turn := 0
	for i := range t.Steps[:step+1] {
		if t.Steps[i].Kind == Receive && t.Steps[i].Actor == s.Actor {
			turn++
		}
	}
	return t.stepLabel(s, t.Name(s.Actor), turn)
}

func (r *reading) step(i int) string {
	s := &r.Steps[i]
	return r.stepLabel(s, r.names.Of(s.Actor), int(r.turns[i]))
}

func (t *Trace) stepLabel(s *Step, name string, turn int) string {
	if s.Kind != Receive {
		return faultLabel(s.Kind, name)
	}
	return received(name, turn) + t.Sends[s.Send].Label()
}

// received returns what comes before the message in the label of a step that receives one.
func received(name string, turn int) string { return name + "#" + strconv.Itoa(turn) + " ← " }

func faultLabel(kind StepKind, name string) string {
	return kind.String() + " of " + name
}

// Label returns the label of a message. For a system message without a body, the
// label is its kind.
func (s *Send) Label() string {
	if s.Body == nil && !s.Kind.carriesBody() {
		return s.Kind.String()
	}
	return Label(s.Body)
}

// Phrase returns the label of a message as a Phrase.
func (s *Send) Phrase() Phrase {
	if s.Body == nil && !s.Kind.carriesBody() {
		return Phrase{Text: s.Kind.String()}
	}
	return PhraseOf(s.Body)
}

// sentLater reports whether a timer was set by SendAfter. The sender of such a
// timer is not its receiver.
func (s *Send) sentLater() bool { return s.From >= 0 && s.From != s.To }

// from returns the name of a message's sender, or "timer" for an actor's own
// timer.
func (r *reading) from(s *Send) string {
	if s.Kind.IsTimer() && !s.sentLater() {
		return Timer.String()
	}
	return r.names.Of(s.From)
}

// isOwn reports whether a message is an operation by which an actor continues.
func (s *Send) isOwn() bool {
	_, ok := s.Body.(Operation)
	return ok && s.From == s.To
}

// arrow returns a message as Arrow does, with a remark if it is a copy.
func (r *reading) arrow(s *Send) string {
	label := s.Label()
	if s.Kind == Copy {
		label += copied
	}
	return Arrow(r.from(s), label, r.names.Of(s.To))
}

// Arrow returns a message as text with sender and receiver, such as "action ──write──▶ writer".
func Arrow(from, label, to string) string { return from + shaft + label + head + to }

// The parts of an arrow with a message as its label, and what follows the label of a copy.
const shaft, head, copied = " ──", "──▶ ", " (copy)"

// stepName returns the number of a step, or "test" for None.
func stepName(step int32) string {
	if step == None {
		return testName
	}
	return strconv.Itoa(int(step))
}

// fateLabel returns the fate of a message as one word.
func (s *Send) fateLabel() string {
	if s.stopped() {
		return "stopped"
	}
	return s.Fate.String()
}

// missing returns the indices in Sends of all messages that were not delivered.
// It omits stopped timers.
func (r *reading) missing() (missing []int) {
	for i := range r.Sends {
		if s := &r.Sends[i]; s.Fate != Delivered && !s.stopped() {
			missing = append(missing, i)
		}
	}
	return missing
}

// lossRemark says why a message was not delivered, and how often equal messages were not, if more than once.
func (r *reading) lossRemark(s *Send, times int) string {
	why := "never received"
	switch {
	case s.Fate == Orphaned:
		why = r.names.Of(s.To) + " had ended"
	case s.Fate == Dropped:
		why = "lost"
	case s.Kind.IsTimer():
		why = "never fired"
	}
	if times > 1 {
		why += fmt.Sprintf(", %d times", times)
	}
	return "(" + why + ")"
}
