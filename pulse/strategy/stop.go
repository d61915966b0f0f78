package strategy

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Stop says where a run left its schedule: the first constraint that was not
// met.
type Stop struct {
	Constraint int    // its index in Schedule.Before
	Step       uint64 // which of its two steps was not taken in time
	Why        Why
}

// Why is the reason why a step was not taken in time.
type Why uint8

const (
	// NeverSent: its message was never sent. An earlier step acted differently
	// than in the run from which the schedule was made: it had other inputs,
	// another answer to a choice, or another state of its actor.
	NeverSent Why = iota
	// Lost: its message was lost to a fault or a full mailbox.
	Lost
	// NobodyThere: its receiver had ended.
	NobodyThere
	// NotTaken: its message waits. Its receiver does not accept it, another
	// message is before it in its channel, or the run has ended.
	NotTaken
	// TooLate: it came after the step that had to wait for it, because nothing
	// else could come.
	TooLate
)

func (w Why) String() string {
	names := [...]string{"never sent", "lost", "nobody there", "not taken", "too late"}
	if int(w) < len(names) {
		return names[w]
	}
	return fmt.Sprintf("strategy.Why(%d)", uint8(w))
}

// Stopped returns the first constraint of the schedule that was not met: its
// first step was not taken, or its second step was not taken after that. ok is
// false if all were met. Unlike Unmet it includes constraints whose second step
// was never taken. Call it after the run and before the next one.
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

// why returns why a step was not taken.
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
