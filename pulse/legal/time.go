package legal

import (
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// time checks that time never goes back or beyond the horizon, and that it passes only at
// rest or for an early timer.
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
			return c.broken(i, "it comes after the end of time")
		case now == before || busy[i] == 0 || held[i]:
			continue
		}
		if early++; early > said {
			return c.broken(i, "time passes before it while a message can be delivered, and no early timer explains that")
		}
	}
	return nil
}

// held returns for each step whether the record has a Hold before it.
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

// busy returns for each step the number of spans around it in which some message could be
// delivered all the time. A message can be delivered from its sending on if its receiver
// accepts it, or any message, in its next step: what an actor accepts changes only in its
// own steps.
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
		own := int32(i) // the step after which its message waits
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
	for i := range c.t.Steps { // messages across a partition wait
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

// A pending describes the messages that an actor receives later.
type pending struct {
	any  bool
	sent int32 // the first step that sent one of them
}

// arrives reports whether a message waits from the end of its sending step on. Unknown
// are the times at which the test sent a message or a timer fired.
func arrives(d *trace.Send) bool {
	return d.Step >= 0 && !d.Kind.IsTimer() && d.Kind != trace.Poll && d.To != trace.Test
}

// slow reports whether messages may take time.
func (c *checker) slow() bool {
	for _, x := range c.r.Choices {
		if x.Kind == choice.Delay && x.Value > 0 {
			return true
		}
	}
	return len(c.t.Strikes) > 0
}
