// Package legal checks that a recorded run obeys the rules of its options. Each received
// message must have been deliverable, time must advance only when allowed, and no budget
// may be exceeded.
//
// Package legal reads only the options, the trace and the record of a run, and shares no
// code with the scheduler. Therefore it detects impossible runs that a bug in the scheduler
// or in a strategy produced.
//
//	if err := legal.Check(sys.Options(), sys.Trace(), sys.Record()); err != nil {
//		// the run is impossible
//	}
package legal

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Check returns an error for the first rule that a run breaks, or nil. It reports only what
// the trace proves. For example, while messages are delayed or links are cut, the trace
// does not say whether a message was deliverable, and Check assumes that it was not.
func Check(o pulse.Options, t *trace.Trace, r *choice.Record) error {
	c := &checker{o: &o, t: t, r: r}
	return cmp.Or(c.deliveries(), c.order(), c.lives(), c.channels(), c.budgets(), c.time())
}

// A checker checks one run against its options.
type checker struct {
	o *pulse.Options
	t *trace.Trace
	r *choice.Record
}

// broken returns an error saying that a step breaks a rule.
func (c *checker) broken(step int, format string, args ...any) error {
	return fmt.Errorf("step %d, %s: %s", step, c.t.StepLabel(step), fmt.Sprintf(format, args...))
}

// deliveries checks that the record and the trace have the same deliveries.
func (c *checker) deliveries() error {
	i, list := 0, c.r.Deliveries
	for k := range c.t.Steps {
		st := &c.t.Steps[k]
		if st.Kind != trace.Receive || st.Settled {
			continue
		}
		for i < len(list) && list[i] == choice.Hold {
			i++
		}
		switch {
		case i < len(list) && list[i] == st.ID:
			i++
		case i < len(list):
			return c.broken(k, "the record has a different delivery in its place")
		case !c.r.Plain:
			return c.broken(k, "it is not in the record")
		}
	}
	for ; i < len(list); i++ {
		if list[i] != choice.Hold {
			return fmt.Errorf("the record has a delivery that is no step of the run: %016x", list[i])
		}
	}
	return nil
}

// order checks that each message was received only once, by its receiver, and after it was
// sent. It also checks that Step.Prev is the previous step of the same actor.
func (c *checker) order() error {
	last := make([]int32, len(c.t.Actors))
	for i := range last {
		last[i] = trace.None
	}
	for i := range c.t.Steps {
		st := &c.t.Steps[i]
		if st.Actor < 0 || int(st.Actor) >= len(last) || st.Prev != last[st.Actor] {
			return c.broken(i, "it does not follow the previous step of its actor")
		}
		last[st.Actor] = int32(i)
		if st.Kind != trace.Receive {
			continue
		}
		if st.Send < 0 || int(st.Send) >= len(c.t.Sends) {
			return fmt.Errorf("step %d receives no message", i)
		}
		switch d := &c.t.Sends[st.Send]; {
		case d.To != st.Actor:
			return c.broken(i, "its message was sent to another actor")
		case d.Receipt != int32(i) || d.Fate != trace.Delivered:
			return c.broken(i, "its message was received in another step, or never")
		case d.Step >= int32(i):
			return c.broken(i, "its message was sent only in step %d", d.Step)
		}
	}
	return nil
}

// lives checks that only live actors receive messages.
func (c *checker) lives() error {
	down := make([]bool, len(c.t.Actors))
	for i := range c.t.Steps {
		st := &c.t.Steps[i]
		a := &c.t.Actors[st.Actor]
		switch {
		case a.Step >= int32(i):
			return c.broken(i, "the actor was spawned only in step %d", a.Step)
		case st.Kind == trace.Receive && a.Ended >= 0 && a.Ended < int32(i):
			return c.broken(i, "the actor has ended in step %d", a.Ended)
		case st.Kind == trace.Receive && down[st.Actor] && !c.struck(st.Actor):
			return c.broken(i, "the actor has crashed")
		case st.Kind == trace.Crash:
			down[st.Actor] = true
		case st.Kind == trace.Restart:
			down[st.Actor] = false
		}
	}
	return nil
}

// struck reports whether a Nemesis has restarted the actor.
func (c *checker) struck(actor int32) bool {
	return slices.ContainsFunc(c.t.Strikes, func(x trace.Strike) bool { return x.Kind == trace.Restart && x.From == actor })
}

// channels checks that no message overtakes an earlier message of the same channel, unless
// the receiver accepted only certain messages.
func (c *checker) channels() error {
	if c.t.Unordered {
		return nil
	}
	type channel struct{ from, to int32 }
	oldest := map[channel]int32{} // the least Send.Seq among the messages received later
	for i := len(c.t.Steps) - 1; i >= 0; i-- {
		st := &c.t.Steps[i]
		if st.Kind != trace.Receive || c.t.Sends[st.Send].Kind.IsTimer() {
			continue
		}
		d := &c.t.Sends[st.Send]
		if d.Seq < 0 { // it was alone in its channel
			continue
		}
		to := channel{d.From, d.To}
		seq, later := oldest[to]
		if later && seq < d.Seq && st.Wanted == trace.Anything {
			return c.broken(i, "its message overtakes an earlier message from the same sender")
		}
		if !later || d.Seq < seq {
			oldest[to] = d.Seq
		}
	}
	return nil
}

// defaultSteps is the documented default of pulse.Options.Steps.
const defaultSteps = 100_000

// budgets checks that no limit of the options was exceeded.
func (c *checker) budgets() error {
	var steps [trace.Delay + 1]int
	for i := range c.t.Steps {
		steps[c.t.Steps[i].Kind]++
	}
	faults := map[choice.Kind]int{}
	for _, x := range c.r.Choices {
		if x.Value > 0 {
			faults[x.Kind]++
		}
	}
	f := &c.o.Faults
	for _, b := range []struct {
		what string
		n    int
		may  int
	}{
		{"steps", len(c.t.Steps), cmp.Or(c.o.Steps, defaultSteps) + 1}, // a crash may follow the last step
		{"crashes", steps[trace.Crash], f.Crash},
		{"restarts", steps[trace.Restart], f.RestartKept + f.RestartLost},
		{"partitions", steps[trace.Partition], f.Partition},
		{"lost messages", faults[choice.Drop], f.Drop},
		{"duplicates", faults[choice.Duplicate], f.Duplicate},
		{"delays", faults[choice.Delay], f.Delay},
	} {
		if b.n > b.may {
			return fmt.Errorf("%d %s, and the options allow %d", b.n, b.what, b.may)
		}
	}
	if n := c.r.Early(); c.o.EarlyTimers >= 0 && n > c.o.EarlyTimers {
		return fmt.Errorf("the strategy holds messages back for timers that may not fire: %d timers fire early, and the options allow %d",
			n, c.o.EarlyTimers)
	}
	return nil
}
