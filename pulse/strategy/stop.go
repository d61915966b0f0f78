package strategy

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Stop says where a run deviated from its schedule: the first constraint that was
// not met.
type Stop struct {
	Constraint int    // the index in Schedule.Before
	Step       uint64 // the identity of the constraint's step that was not taken in time
	Why        Why
}

// A Why says why a step was not taken in time.
type Why uint8

const (
	// NeverSent: the step's message was never sent. An earlier step acted differently
	// than in the run from which the schedule was made. It had different inputs, a
	// different choice, or a different actor state.
	NeverSent Why = iota
	// Lost: the step's message was lost to a fault or a full mailbox.
	Lost
	// NobodyThere: the receiver of the step's message had ended.
	NobodyThere
	// NotTaken: the step's message was still waiting. Its receiver does not accept it,
	// another message is before it in its channel, or the run has ended.
	NotTaken
	// TooLate: the constraint's first step came after its second step. The second step
	// was taken while it was blocked, because all deliverable messages were blocked.
	TooLate
)

func (w Why) String() string {
	names := [...]string{"never sent", "lost", "nobody there", "not taken", "too late"}
	if int(w) < len(names) {
		return names[w]
	}
	return fmt.Sprintf("strategy.Why(%d)", uint8(w))
}

// Stopped returns the first constraint of the schedule that was not met. A
// constraint is met if its first step and then its second step were taken. ok is
// false if all were met. Unlike Unmet, Stopped includes constraints whose second
// step was never taken. Call it after the run and before the next one.
func (o *Orderer) Stopped() (s Stop, ok bool) {
	o.catchUp()
	for i, c := range o.schedule.Before[:len(o.unmet)] {
		switch {
		case !o.find(c.First).taken:
			return Stop{i, c.First, o.why(c.First)}, true
		case !o.find(c.Second).taken:
			return Stop{i, c.Second, o.why(c.Second)}, true
		case o.unmet[i]:
			return Stop{i, c.First, TooLate}, true
		}
	}
	return Stop{}, false
}

// why says why the step with identity id was not taken.
func (o *Orderer) why(id uint64) Why {
	if o.run == nil {
		return NeverSent
	}
	for i := range o.run.Sends {
		m := &o.run.Sends[i]
		if o.enabled.IDOf(m) != id {
			continue
		}
		switch m.Fate {
		case trace.Dropped:
			return Lost
		case trace.Orphaned:
			return NobodyThere
		}
		return NotTaken
	}
	return NeverSent
}
