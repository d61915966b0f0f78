package legal

import (
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// time checks that virtual time never goes back or beyond the horizon. It also checks that
// time advances only if no message is deliverable or a timer fires early.
func (c *checker) time() error {
	busy, held := c.busy(), c.held()
	early, said := 0, 0
	for _, x := range c.r.Choices {
		if x.Kind == choice.Clock {
			said += int(x.Value)
		}
	}
	for i := range c.t.Steps {
		now, before := c.t.Steps[i].Time, int64(0)
		if i > 0 {
			before = c.t.Steps[i-1].Time
		}
		switch {
		case now < before:
			return c.broken(i, "time goes back")
		case c.o.Horizon > 0 && now > int64(c.o.Horizon):
			return c.broken(i, "it comes after Options.Horizon, the end of virtual time")
		case now == before || busy[i] == 0 || held[i]:
			continue
		}
		if early++; early > said {
			return c.broken(i, "time passes before it while a message can be delivered, and no early timer explains that")
		}
	}
	return nil
}

// held returns, for each step, whether the record has a Hold before the step. A Hold means
// that messages were held back so that a timer fired early.
func (c *checker) held() []bool {
	list, i := make([]bool, len(c.t.Steps)), 0
	for k := range c.t.Steps {
		st := &c.t.Steps[k]
		list[k] = i < len(c.r.Deliveries) && c.r.Deliveries[i] == choice.Hold
		if st.Kind != trace.Receive || st.Settled {
			continue
		}
		for i < len(c.r.Deliveries) && c.r.Deliveries[i] == choice.Hold {
			i++
		}
		i++
	}
	return list
}

// busy returns a number for each step. The number is greater than zero if some message was
// surely deliverable before the step. A message is deliverable after its sending step, if
// in the receiver's next step the receiver accepts that message or any message. What an
// actor accepts changes only in the actor's own steps.
func (c *checker) busy() []int {
	spans := make([]int, len(c.t.Steps)+1)
	if c.slow() {
		return spans
	}
	next := make([]pending, len(c.t.Actors))
	for i := len(c.t.Steps) - 1; i >= 0; i-- {
		st := &c.t.Steps[i]
		p := &next[st.Actor]
		if st.Kind != trace.Receive {
			continue
		}
		own := int32(i) // a step after which the message was deliverable
		if d := &c.t.Sends[st.Send]; arrives(d) {
			own = d.Step
		}
		if !p.any || own < p.sent {
			*p = pending{any: true, sent: own}
		}
		from := own
		if st.Wanted == trace.Anything {
			from = p.sent
		}
		if from = max(from, st.Prev) + 1; int(from) <= i {
			spans[from]++
			spans[i+1]--
		}
	}
	cut := false
	for i, n := range spans[1:] {
		spans[i+1] = spans[i] + n
	}
	for i := range c.t.Steps { // during a partition no message is surely deliverable
		if cut {
			spans[i] = 0
		}
		switch c.t.Steps[i].Kind {
		case trace.Partition:
			cut = true
		case trace.Heal:
			cut = false
		}
	}
	return spans
}

// A pending describes the messages that an actor receives in later steps.
type pending struct {
	any  bool
	sent int32 // the first step that sent one of these messages
}

// arrives reports whether a message waits at its receiver as soon as its sending step
// ends. It returns false for messages from the test and for timers, because the trace does
// not say when they begin to wait.
func arrives(d *trace.Send) bool {
	return d.Step >= 0 && !d.Kind.IsTimer() && d.Kind != trace.Poll && d.To != trace.Test
}

// slow reports whether a fault may have delayed or blocked messages. The trace then does
// not say when they were deliverable.
func (c *checker) slow() bool {
	for _, x := range c.r.Choices {
		if x.Kind == choice.Delay && x.Value > 0 {
			return true
		}
	}
	return len(c.t.Strikes) > 0
}
