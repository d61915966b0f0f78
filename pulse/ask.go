package pulse

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// asking holds the answers to the test's Asks.
type asking struct {
	answer  any   // to the last Ask
	answers []any // to all Asks of this run, while states are compared: the test's next actions follow from them
}

func (k *asking) reset() { k.answer, k.answers = nil, k.answers[:0] }

// answered records the answer that the test waits for, and ends the run after
// the running step. The answer depends on all steps before it: how far other
// actors have come decides what the test sees next.
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

// moreMayCome reports whether anything but a step of the test could come in
// place of the answer: a message, a fault or an early timer. A false positive
// is possible; a false negative is not.
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

// Ask sends a message from the test, takes steps until the answer comes, and
// returns the answer. The answer is what the receiver sends to the sender of
// this message, by Reply or later. Messages that still wait then keep waiting
// until the next Run or Ask. Other messages that actors send to the test are in
// Received.
//
// If the run comes to rest without the answer, it fails. Ask returns nil if the
// run fails. There is no AskTimeout for a test: spawn a process and use
// Process.AskTimeout.
func (s *System) Ask(to Ref, msg any) any {
	if s.calls.running && s.mayCall("Ask") {
		s.misuse("Ask of a system while it runs: a process calls Process.Ask, and an actor sends a message and receives the answer later")
	}
	if !s.mustBeIdle("Ask") {
		return nil
	}
	if to.sys != s || to.run != s.run { // build the text only if the check fails
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
		s.rec.step = s.rec.steps - 1 // the system is not at rest: the test acts next within the step of the answer
	}
	return s.asking.answer
}

// unanswered returns the failure of a run at rest in which the test waits for
// an answer. The report lists the test, the actor it asks, and the other actors
// that cannot continue.
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
