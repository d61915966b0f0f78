package pulse

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An asking is what has come of the Asks of the test.
type asking struct {
	answer  any   // to the last one
	answers []any // to all of this run, while states are compared: what the test does next follows from them
}

func (k *asking) reset() { k.answer, k.answers = nil, k.answers[:0] }

// answered notes the answer for which the test waits, and ends the run with the
// step that is running. How far the others have come by then, and so what the
// test does next, depends on all steps that came before.
func (k *asking) answered(c *cast, answer any) {
	k.answer = answer
	if c.states != nil {
		k.answers = append(k.answers, answer)
	}
	c.actors[trace.Test].await = 0
	c.todo.beforeStep |= workAnswer
	c.rec.touch(trace.Test, trace.AllSteps, 0)
	if c.rec.on && c.moreMayCome() {
		c.rec.touch(trace.Test, trace.TheRest, 0)
	}
}

// moreMayCome reports whether anything could come in place of the answer other than a step
// of the test: a message, a fault or an early timer. It may be wrong only in reporting true.
func (c *cast) moreMayCome() bool {
	left := &c.faults.left
	if c.faults.strikes && left.Crash+left.Partition+left.RestartKept+left.RestartLost > 0 {
		return true
	}
	if n := c.options.EarlyTimers; (n < 0 || c.faults.early < n) && len(c.clock.heap) > 0 {
		return true
	}
	return slices.ContainsFunc(c.mail.ready, func(m int32) bool { return c.mail.sends[m].To != trace.Test })
}

// Ask sends a message from the test, takes steps until the answer has come, and
// returns it: what the receiver sends to the sender of this message, by Reply or
// later. It is a Run that ends with the answer. Messages that still wait then
// go on waiting, until the next Run or Ask. What actors send to the test other
// than the answer is in Received.
//
// The run fails when it comes to rest without the answer, and Ask returns nil, as
// it does when the run fails in any other way. A test has no AskTimeout: a process
// of its own may ask with one.
func (s *System) Ask(to Ref, msg any) any {
	if s.calls.running && s.mayCall("Ask") {
		s.misuse("Ask of a system while it runs: a process asks by its own Process, and an actor sends and has the answer later")
	}
	if !s.mustBeIdle("Ask") {
		return nil
	}
	if to.sys != s || to.run != s.run { // the text is made only when it is needed
		s.check(to, "Ask "+trace.Label(msg))
	}
	test := s.actors[trace.Test]
	test.asks++
	test.await, test.waits = test.asks, wait{verb: "Ask", on: to.actor}
	s.asking.answer = nil
	s.sendAs(trace.Test, to.actor, msg, trace.Message, test.await)
	s.drive("Ask", s.options.horizon(), true)
	test.await = 0
	if s.fails.failure == nil && len(s.mail.ready) > 0 {
		s.rec.step = s.rec.steps - 1 // the system is not at rest: what the test does next it does in the step of the answer
	}
	return s.asking.answer
}

// unanswered fails a run at rest in which the test waits for an answer: it tells
// of the test, of whom it asks, and of the others that cannot go on.
func (c *cast) unanswered(others []*actor) *Failure {
	test := c.actors[trace.Test]
	asked := c.actors[test.waits.on]
	list := []*actor{test}
	if asked != test && asked.life == alive {
		list = append(list, asked)
	}
	for _, a := range others {
		if a != asked {
			list = append(list, a)
		}
	}
	r := &stuckReport{cast: c, list: list}
	text := fmt.Sprintf("stuck: the test asks %s, and no answer comes: nothing is deliverable", c.rec.nameOf(asked.actor))
	return &Failure{Kind: KindStuck, Step: -1, Text: text, Detail: r.detail(), Site: r.site}
}
