package pulse

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// asking holds the answers to the Ask calls of the test.
type asking struct {
	answer  any   // the answer to the test's last Ask
	answers []any // the answers to all Ask calls of the test in this run; a part of the state, so recorded only if the strategy compares states
}

func (k *asking) reset() { k.answer, k.answers = nil, k.answers[:0] }

// answered records the answer that the test waits for, and stops the run after
// the running step. The step depends on all steps before it, because the test
// can inspect the whole system when Ask returns.
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

// moreMayCome reports whether a delivery to another actor, a fault or an early
// timer could have come in place of the answer. It may return true although
// nothing could have come. If it returns false, nothing could have come.
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
// this message, by Reply or later. Messages that were not delivered by then
// wait until the next Run or Ask. Received returns the other messages that
// actors send to the test.
//
// If nothing more can happen and no answer has come, the run fails. Ask returns
// nil if the run fails. There is no AskTimeout for a test: spawn a process and
// use Process.AskTimeout.
func (s *System) Ask(to Ref, msg any) any {
	if s.calls.running && s.mayCall("Ask") {
		s.misuse("System.Ask was called while the system runs: in a process call Process.Ask; in an actor send a message and receive the answer later")
	}
	if !s.mustBeIdle("Ask") {
		return nil
	}
	if to.sys != s || to.run != s.run { // the test in check, repeated here because building the text for check is slow
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
		s.rec.step = s.rec.steps - 1 // the run goes on after this Ask, so the test's next actions belong to the step that received the answer
	}
	return s.asking.answer
}

// unanswered returns the failure of a run that ended while the test waits for
// an answer. The report lists the test, the asked actor and the other stuck
// actors.
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
	text := fmt.Sprintf("stuck: the test asks %s, and no answer comes: nothing is deliverable", c.rec.nameOf(asked.actor))
	return (&stuckReport{cast: c, list: list}).failure(text)
}
