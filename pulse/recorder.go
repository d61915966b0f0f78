package pulse

import (
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A recorder knows the running step, gives what it makes an identity, and when
// it is on writes down what happens.
//
// Invariants: step is None outside of steps, and there cur is the test, but
// from the end of a step to the beginning of the next it may still be that
// step's actor. When on, trace.Steps has the steps that were taken, and id is
// that of the running one.
type recorder struct {
	id      uint64 // identity of the running step
	hash    uint64 // of all that has happened
	cur     int32  // the actor whose step is running; trace.Test outside a step
	step    int32  // the running one; trace.None outside a step
	steps   int32  // taken so far
	called  int32  // steps, while code is called that is no actor's: see callOut
	sent    int32  // messages sent by the running step
	spawned int32  // actors spawned by it
	on      bool
	asked   int32 // questions that were answered in this run
	logged  int32 // lines that its actors have logged
	written int32 // writes to its actors' disks
	point   point
	strikes int32   // faults that its actors have made happen
	holds   []int32 // for each time that all messages were held back: the steps before it
	types   types
	trace   trace.Trace
	record  choice.Record
}

// A track is what the recorder knows of an actor.
type track struct {
	id   uint64
	last int32 // its previous step
}

// A point is which MayCrash of a step asks, from 1 on.
type point struct{ step, n int32 }

// nextPoint notes that a MayCrash of the running step asks.
func (r *recorder) nextPoint() {
	if r.point.step != r.step {
		r.point = point{step: r.step}
	}
	r.point.n++
}

// origin is how much the test itself has sent and spawned: a step that goes on
// after each Run.
type origin struct{ sent, spawned int32 }

func (r *recorder) reset() {
	r.trace.Reset()
	r.record.Reset()
	r.holds = r.holds[:0]
	r.hash, r.steps, r.asked, r.logged, r.written, r.strikes, r.called = 0, 0, 0, 0, 0, 0, trace.None
	r.point = point{}
	r.outside(origin{})
}

// outside makes the test's own step the running one.
func (r *recorder) outside(test origin) {
	r.cur, r.step, r.id = trace.Test, trace.None, rootID
	r.sent, r.spawned = test.sent, test.spawned
}

// callOut notes that code is to be called that is no actor's: the strategy, an
// observer or a function of Faults. If it panics, no step is blamed for that.
// The mark holds until callOver, or until the next step begins.
func (r *recorder) callOut() { r.called = r.steps }

func (r *recorder) callOver() { r.called = none }

// inStep reports whether an actor's code is running.
func (r *recorder) inStep() bool { return r.cur != trace.Test && r.called != r.steps }

// identify completes a message of the running step for the trace.
func (r *recorder) identify(d *trace.Send) {
	d.Step, d.Receipt = r.step, trace.None
	d.ID = messageID(r.types.hash(d.Body), r.id, r.sent)
	r.sent++
}

// addActor writes an actor that the running step spawns into the trace and
// returns its identity.
func (r *recorder) addActor(name string, info *typeInfo, parent int32) uint64 {
	id := actorID(info.hash, r.id, r.spawned)
	r.spawned++
	r.hash = hash.Fold(r.hash, id)
	list := r.trace.Actors
	n := len(list)
	if n == cap(list) {
		r.trace.Actors = append(list, trace.Actor{})
	}
	r.trace.Actors = r.trace.Actors[:n+1]
	t := &r.trace.Actors[n] // field by field: a literal would be built first and then copied
	t.ID, t.Label, t.Type = id, name, info.name
	t.Parent, t.Step, t.Ended = parent, r.step, trace.None
	return id
}

// addStep writes the step that begins into the trace: a, which accepts what
// want says, receives the message d in slot m.
func (r *recorder) addStep(d *trace.Send, m int32, a *track, want trace.Want, now int64, settled bool) {
	t := &r.trace
	n := len(t.Steps)
	if n == cap(t.Steps) {
		t.Steps = append(t.Steps, trace.Step{})
	}
	t.Steps = t.Steps[:n+1]
	st := &t.Steps[n] // field by field: a literal would be built first and then copied
	id := stepID(d.ID, a.id)
	d.Receipt, d.Fate = r.step, trace.Delivered
	st.ID, st.Time = id, now
	st.Send, st.Actor, st.Prev = m, d.To, a.last
	st.Kind, st.Changed, st.Settled, st.Wanted = trace.Receive, false, settled, want
	a.last = r.step
	r.sent, r.spawned = 0, 0
	r.id = id
	r.hash = hash.Fold(r.hash, id)
}

// beginFault makes a fault that strikes an actor the running step, and writes
// it into the trace. name tells it from other faults of its kind.
func (r *recorder) beginFault(kind trace.StepKind, name uint64, actor int32, a *track, now int64) {
	r.cur, r.sent, r.spawned = actor, 0, 0
	r.step = r.steps
	r.steps++
	if !r.on {
		return
	}
	r.id = faultID(name, a.id, r.stepID(r.lastOf(a, kind)))
	r.hash = hash.Fold(r.hash, r.id)
	r.trace.Steps = append(r.trace.Steps, trace.Step{
		ID: r.id, Time: now, Send: trace.None, Actor: actor, Prev: a.last, Kind: kind,
	})
	a.last = r.step
}

// lastOf returns the step of an actor that a fault of a kind follows. No crash, and
// nothing that one leads to, gets another identity by a partition, which nobody notices.
func (r *recorder) lastOf(a *track, kind trace.StepKind) int32 {
	last := a.last
	for last >= 0 && kind != trace.Partition && kind != trace.Heal {
		st := &r.trace.Steps[last]
		if st.Kind != trace.Partition && st.Kind != trace.Heal {
			break
		}
		last = st.Prev
	}
	return last
}

// struck notes a fault that the running step, or the test, has made happen.
func (r *recorder) struck(x trace.Strike) {
	r.strikes++
	r.hash = hash.Fold(r.hash^faultSalt+faultName(x.Kind, x.Lost), channelKey(x.From, x.To))
	r.hash = hash.Fold(r.hash, uint64(x.N))
	for _, g := range x.Groups {
		r.hash = hash.Fold(r.hash, uint64(len(g)))
		for _, actor := range g {
			r.hash = hash.Fold(r.hash, uint64(actor))
		}
	}
	if r.on {
		x.Step, x.After = r.step, r.steps
		r.trace.Strikes = append(r.trace.Strikes, x)
	}
}

// endActor notes that an actor has ended in the running step.
func (r *recorder) endActor(actor int32) { r.trace.Actors[actor].Ended = r.step }

// stepID returns the identity of a step, or zero when it is trace.None.
func (r *recorder) stepID(step int32) uint64 {
	if step < 0 {
		return 0
	}
	return r.trace.Steps[step].ID
}

// decided writes down what the strategy answered. Answers of start-up count
// for the hash, but are not decisions.
func (r *recorder) decided(k choice.Kind, n, v int, settling bool) {
	r.asked++
	if r.on && !settling {
		r.record.Choices = append(r.record.Choices, choice.Choice{Kind: k, N: uint32(n), Value: uint32(v)})
		if k == choice.Program || v > 0 && k != choice.Clock && k != choice.Fault { // these come between steps
			a := trace.Answer{Step: r.step, Value: int32(v), Of: int32(n), Sent: r.sent}
			if k == choice.Crash {
				a.Value = r.point.n
			}
			r.trace.Answers = append(r.trace.Answers, a)
		}
	}
	r.hash = hash.Fold(r.hash^uint64(k+1), uint64(v))
}

// redecide changes the answer to the last question, before which the hash was another.
func (r *recorder) redecide(before uint64, k choice.Kind, v int) {
	if last := len(r.record.Choices) - 1; r.on {
		r.record.Choices[last].Value = uint32(v)
	}
	r.hash = hash.Fold(before^uint64(k+1), uint64(v))
}

// decisions returns the decisions of the run so far.
func (r *recorder) decisions() *choice.Record {
	list, holds := r.record.Deliveries[:0], r.holds
	for i := range r.trace.Steps {
		for ; len(holds) > 0 && int(holds[0]) <= i; holds = holds[1:] {
			list = append(list, choice.Hold)
		}
		if st := &r.trace.Steps[i]; st.Kind == trace.Receive && !st.Settled {
			list = append(list, st.ID)
		}
	}
	for range holds {
		list = append(list, choice.Hold)
	}
	r.record.Deliveries = list
	return &r.record
}

// held notes that the strategy held all messages back, and time passed.
func (r *recorder) held() {
	if r.on {
		r.holds = append(r.holds, r.steps)
	}
}

// passes notes that time passes, where a strategy picks whether it does so early. seq is
// the mailroom's.
func (r *recorder) passes(f *faults, seq int32, how trace.PassKind) {
	if f.timed && r.on {
		r.trace.Passes = append(r.trace.Passes, trace.Pass{Before: r.steps, Seq: seq, How: how})
	}
}

// meetsTime notes that the running step has to do with virtual time or with timers.
func (r *recorder) meetsTime(f *faults, what trace.Touched) {
	if f.timed && r.on && r.step >= 0 && r.called != r.steps {
		r.trace.Touches = append(r.trace.Touches, trace.Touch{Step: r.step, Actor: trace.None, What: what, Reads: true})
	}
}

// atRest notes that nothing was deliverable after the steps so far.
func (r *recorder) atRest() {
	n := int32(len(r.trace.Steps))
	if !r.on || n == 0 {
		return
	}
	if rests := r.trace.Rests; len(rests) == 0 || rests[len(rests)-1] != n {
		r.trace.Rests = append(rests, n)
	}
}

// note adds a line to the trace.
func (r *recorder) note(text string) {
	r.trace.Notes = append(r.trace.Notes, trace.Note{Step: r.step, Actor: r.cur, Text: text})
}

// changed marks the running step as one that changed its actor's handlers.
func (r *recorder) changed() {
	if r.on && r.step >= 0 {
		r.trace.Steps[r.step].Changed = true
	}
}

// touch notes that the running step meets others in a way that no message
// shows. Searches that leave out orders need it: all else that steps have to
// do with each other is in the messages.
func (r *recorder) touch(actor int32, what trace.Touched, ask int32) {
	if r.on && r.step >= 0 {
		r.trace.Touches = append(r.trace.Touches, trace.Touch{Step: r.step, Actor: actor, Ask: ask, What: what})
	}
}

// read notes that the running step has asked whether an actor lives.
func (r *recorder) read(actor int32) {
	if r.on && r.step >= 0 {
		r.trace.Touches = append(r.trace.Touches, trace.Touch{Step: r.step, Actor: actor, What: trace.ItsLife, Reads: true})
	}
}

// look notes that an actor's code reads or changes what steps of other actors
// depend on or change, if it is an actor's code that runs. Places and names are only
// ever read: what steps that spawn do to them is no touch.
func (r *recorder) look(actor int32, what trace.Touched) {
	if !r.on || !r.inStep() {
		return
	}
	x := trace.Touch{Step: r.step, Actor: actor, What: what, Reads: what == trace.ItsPlace || what == trace.ItsName}
	if n := len(r.trace.Touches); n == 0 || r.trace.Touches[n-1] != x { // a handler may look in a loop
		r.trace.Touches = append(r.trace.Touches, x)
	}
}

// touchOther notes that the running step ends or restarts another actor.
func (r *recorder) touchOther(actor int32) {
	if actor != r.cur {
		r.touch(actor, trace.ItsSteps, 0)
	}
}

// nameOf names an actor, which may be of an older run.
func (r *recorder) nameOf(actor int32) string {
	if int(actor) < len(r.trace.Actors) {
		return r.trace.Name(actor)
	}
	return "an actor of an earlier run"
}

// inTest reports whether no actor runs, but the test.
func (r *recorder) inTest() bool { return r.cur == trace.Test || int(r.cur) >= len(r.trace.Actors) }

// where names the running step, or the test. sends are the messages by slot.
func (r *recorder) where(sends []trace.Send) string {
	if r.inTest() {
		return "the test"
	}
	if r.on && r.step >= 0 && int(r.step) < len(r.trace.Steps) {
		r.trace.Sends = sends
		return r.trace.StepLabel(int(r.step))
	}
	return r.nameOf(r.cur)
}

// longestCycle is how many steps a repeating pattern may have to be recognised.
const longestCycle = 32

// lastSteps names the steps with which the trace ends, without their numbers,
// so that repetition shows.
func (r *recorder) lastSteps(sends []trace.Send) []string {
	list := make([]string, 0, 3*longestCycle)
	for i := max(0, len(r.trace.Steps)-3*longestCycle); i < len(r.trace.Steps); i++ {
		st := &r.trace.Steps[i]
		text := st.Kind.String() + " of " + r.nameOf(st.Actor)
		if st.Send >= 0 {
			text = r.nameOf(st.Actor) + " ← " + trace.Label(sends[st.Send].Body)
		}
		list = append(list, text)
	}
	return list
}

// repeating shows the steps that the end of the trace repeats. sends are the
// messages by slot.
func (r *recorder) repeating(sends []trace.Send) string {
	if !r.on {
		return "    (record the run to see its last steps)"
	}
	list := r.lastSteps(sends)
	n := period(list)
	what := "the last steps repeat"
	if n == 0 {
		n, what = min(8, len(list)), "the last steps"
	}
	return "    " + what + ": " + strings.Join(list[len(list)-n:], ", ")
}

// period returns the length of the shortest pattern that a list ends with
// three times, or 0.
func period(list []string) int {
	for n := 1; 3*n <= len(list); n++ {
		same := true
		for i := len(list) - 2*n; i < len(list) && same; i++ {
			same = list[i] == list[i-n]
		}
		if same {
			return n
		}
	}
	return 0
}
