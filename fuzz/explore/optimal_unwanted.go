package explore

import (
	"maps"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Would a process that waits in ReceiveMatch have taken a message that was sent after the
// wait was over? Only the process can say, during that wait. The optimal search finds out
// in two ways:
//
//   - By default it takes messages for such processes last. Then the messages of others
//     are there before the wait is over, and the system has asked. Only messages from one
//     such process to another while both wait leave the question open.
//   - If it is open, the search runs an order in which the message comes in time. If the
//     process does not want it, the run is wasted. The search keeps the answer. It holds
//     whenever the same process, with the same past, waits for the same message, with the
//     same past.

// unwanted is the set of questions answered with no: the process did not want the
// message. Zero is not a question.
type unwanted map[uint64]struct{}

// mostUnwanted bounds the memory. Later answers are not kept.
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

// longestWait is the maximum number of steps that a message is postponed. Without it, a
// program that runs until a process in ReceiveMatch ends it would run forever.
const longestWait = 1000

// first returns the index of that message: the first by the ordering that is not for a
// process in ReceiveMatch. If there is none, it is the oldest message of the process that
// has refused the fewest.
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

// leastChoosy returns the oldest message of the actors that have refused the fewest.
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

// list returns the questions in order.
func (u unwanted) list() []uint64 { return slices.Sorted(maps.Keys(u)) }

// causes holds, for each step of a run, a hash of what its actor had done until then and of
// all that led to it. Two steps with one hash have left their actors in the same state,
// whatever else the runs contain.
type causes struct {
	known bool     // for the run
	of    []uint64 // of each step
	// before[i] is the sum of the hashes of the steps before i. A step after a rest
	// depends on all steps before the rest.
	before []uint64
}

// question returns a number for the question whether the receiver of message m would have
// taken it in place of the message of step r. It is zero if the predicate of a process
// does not decide that. An actor of a Host may change what it wants while it waits.
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

// learn computes the hashes of a run.
func (c *causes) learn(p *past) {
	t := p.trace
	n := len(t.Steps)
	c.known, c.of, c.before = true, grown(c.of, n), grown(c.before, n+1)
	c.before = append(c.before[:0], 0)
	answers := t.Answers
	for len(answers) > 0 && answers[0].Step < 0 { // the test's are the same in all runs
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
