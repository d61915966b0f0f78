package explore

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Would a process that waits in ReceiveMatch have taken a message that was sent after the
// wait was over? Only the process's predicate can tell, and only during that wait. The
// optimal search finds out in two ways:
//
//   - By default it takes messages for processes in ReceiveMatch last. Then messages from
//     other actors are sent before the wait is over, and the system has called the
//     predicate. The question remains open only for messages from one process in
//     ReceiveMatch to another while both wait.
//   - If the question is open, the search starts a run in which the message comes in
//     time. If the process refuses the message, the run is wasted, and the search stores
//     the answer. The answer is the same whenever the same process with the same history
//     waits for the same message with the same history.

// unwanted is the set of questions whose answer is no. A question (see reviser.question)
// asks whether a process would have taken a message. The number 0 identifies no question.
type unwanted map[uint64]struct{}

// mostUnwanted bounds the number of questions in an unwanted. Later questions are not
// stored.
const mostUnwanted = 1 << 18

func (u unwanted) has(question uint64) bool {
	_, ok := u[question]
	return ok
}

func (u unwanted) add(question uint64) {
	if len(u) < mostUnwanted {
		u[question] = struct{}{}
	}
}

// A postponer finds the message that the optimal search takes by default.
type postponer struct{ chooser }

// longestWait is the maximum number of steps that a message is postponed. Without this
// limit, a program that runs until a process in ReceiveMatch ends the run would never
// end.
const longestWait = 1000

// first returns the index of the message to take by default. It is the first message, by
// the ordering, that is not for a process in ReceiveMatch. If all messages are for
// processes in ReceiveMatch, it is the oldest message for the process that has refused
// the fewest messages.
func (p *postponer) first(e *pulse.Enabled) int {
	matched := e.Matched()
	if matched == 0 || e.Len() == 1 || e.Step()-int(e.Send(e.Oldest()).Step) > longestWait {
		return p.chooser.first(e)
	}
	if matched == e.Len() {
		return p.leastChoosy(e)
	}
	p.list = p.list[:0]
	for i := range e.Len() {
		if !e.IsMatched(i) {
			p.add(e, i)
		}
	}
	return p.best()
}

// leastChoosy returns the index of the oldest message for the actors that have refused
// the fewest messages.
func (p *postponer) leastChoosy(e *pulse.Enabled) int {
	best, fewest := -1, int32(0)
	for i := range e.Len() {
		n := p.habits.refusals(e.Receiver(i))
		if best < 0 || n < fewest || n == fewest && e.Seq(i) < e.Seq(best) {
			best, fewest = i, n
		}
	}
	return best
}

// causes holds, for each step of a run, a hash of the step and of all steps that happened
// before it. After two steps with the same hash, their actors are in the same state, even
// in different runs.
type causes struct {
	known bool     // set if the fields `of` and `before` are valid for the run
	of    []uint64 // for each step, its hash
	// before[i] is the sum of the hashes of the steps before step i. A step after a
	// quiescent point depends on all steps before that point.
	before []uint64
}

// question returns a hash that identifies a question: would the receiver of message m
// have taken m instead of the message of step r? It returns 0 if the answer does not
// depend on the predicate of a process. For example, an actor of a Host may change what
// it wants while it waits.
func (v *reviser) question(r, m int32) uint64 {
	st, d := &v.trace.Steps[r], &v.trace.Sends[m]
	if !v.isProcess[d.To] || st.Kind != trace.Receive || st.Wanted != trace.SomeMatch || d.Kind == trace.Kill {
		return 0
	}
	if !v.causes.known {
		v.causes.learn(&v.past)
	}
	of := v.causes.of
	return hash.Fold(hash.Fold(of[v.waitBegan(st)], of[d.Step]), d.ID)
}

// learn sets the fields `of` and `before` for a run.
func (c *causes) learn(p *past) {
	t := p.trace
	n := len(t.Steps)
	c.known, c.of, c.before = true, grown(c.of, n), grown(c.before, n+1)
	c.before = append(c.before[:0], 0)
	answers := t.Answers
	for len(answers) > 0 && answers[0].Step < 0 { // skip the choices of the test, which are the same in all runs
		answers = answers[1:]
	}
	for i := range t.Steps {
		st := &t.Steps[i]
		h := hash.Fold(st.ID, uint64(st.Time))
		if st.Prev >= 0 {
			h = hash.Fold(c.of[st.Prev], h)
		}
		if st.Send >= 0 && t.Sends[st.Send].Step >= 0 {
			h = hash.Fold(c.of[t.Sends[st.Send].Step], h)
		}
		if len(p.rests) > 0 {
			h = hash.Fold(c.before[p.lastRest(int32(i))], h)
		}
		for ; len(answers) > 0 && answers[0].Step == int32(i); answers = answers[1:] {
			h = hash.Fold(h, uint64(answers[0].Value)<<32|uint64(answers[0].Sent))
		}
		c.of[i] = h
		c.before = append(c.before, c.before[i]+h)
	}
}
