package pulse

import (
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A recorder keeps track of the running step. If the field on is set, it also
// computes identities and records the trace.
//
// Invariants: while the system takes no steps, r.step is trace.None and r.cur
// is the test. Between two steps, r.cur may still be the actor of the earlier
// step. If r.on is set, r.trace.Steps has the steps taken so far and r.id is
// the identity of the running step.
type recorder struct {
	id      uint64 // identity of the running step
	hash    uint64 // hash of the run so far
	cur     int32  // the actor whose step is running; trace.Test outside a step
	step    int32  // number of the running step; trace.None outside a step
	steps   int32  // number of steps taken so far
	called  int32  // equal to steps while code that is not an actor's is called, else none: see callOut
	sent    int32  // number of messages sent by the running step
	spawned int32  // number of actors spawned by the running step
	on      bool
	asked   int32 // number of choices answered in this run
	logged  int32 // number of log lines
	written int32 // number of disk writes
	point   point
	strikes int32   // number of faults caused by a Nemesis
	holds   []int32 // for each Hold, the number of steps taken before the Hold
	types   types
	trace   trace.Trace
	record  choice.Record
}

// A track holds the identity and the last step of an actor.
type track struct {
	id   uint64
	last int32 // the actor's last step so far
}

// A point identifies a call to MayCrash. n is the number of the call within
// its step, and is 1 for the first call.
type point struct{ step, n int32 }

// nextPoint counts a call to MayCrash in the running step.
func (r *recorder) nextPoint() {
	if r.point.step != r.step {
		r.point = point{step: r.step}
	}
	r.point.n++
}

// origin counts the messages that the test itself has sent and the actors that
// it has spawned. All actions of the test in a run count as one step, even if
// there are calls to Run between them.
type origin struct{ sent, spawned int32 }

func (r *recorder) reset() {
	r.trace.Reset()
	r.record.Reset()
	r.holds = r.holds[:0]
	r.hash, r.steps, r.asked, r.logged, r.written, r.strikes, r.called = 0, 0, 0, 0, 0, 0, trace.None
	r.point = point{}
	r.outside(origin{})
}

// outside makes the test's own step the running step.
func (r *recorder) outside(test origin) {
	r.cur, r.step, r.id = trace.Test, trace.None, rootID
	r.sent, r.spawned = test.sent, test.spawned
}

// callOut is called before code that is not an actor's: the strategy, an
// observer or a function of Faults. If such code panics, the panic is not
// attributed to a step. The effect ends with a call to callOver or with the
// next step.
func (r *recorder) callOut() { r.called = r.steps }

func (r *recorder) callOver() { r.called = none }

func (r *recorder) inStep() bool { return r.cur != trace.Test && r.called != r.steps }

// identify sets the identity and the step of a message sent by the running
// step.
func (r *recorder) identify(d *trace.Send) {
	d.Step, d.Receipt = r.step, trace.None
	d.ID = messageID(r.types.hash(d.Body), r.id, r.sent)
	r.sent++
}

// addActor records an actor that the running step spawns, and returns the
// actor's identity.
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
	t := &r.trace.Actors[n] // set field by field, because a composite literal would be built first and then copied
	t.ID, t.Label, t.Type = id, name, info.name
	t.Parent, t.Step, t.Ended = parent, r.step, trace.None
	return id
}

// addStep records a new step in which actor a receives message d in slot m.
// want is the set of messages that actor a accepts.
func (r *recorder) addStep(d *trace.Send, m int32, a *track, want trace.Want, now int64, settled bool) {
	t := &r.trace
	n := len(t.Steps)
	if n == cap(t.Steps) {
		t.Steps = append(t.Steps, trace.Step{})
	}
	t.Steps = t.Steps[:n+1]
	st := &t.Steps[n] // set field by field, because a composite literal would be built first and then copied
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

// beginFault begins and records a step in which a fault affects an actor. The
// number name, from faultName, distinguishes different faults of one kind.
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

// lastOf returns the last step of an actor on which the identity of a new
// fault depends. For a crash or a restart it skips partitions. No actor
// notices a partition, so a partition must not change the identities of
// crashes and restarts.
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

// struck records a fault caused by a Nemesis.
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

func (r *recorder) endActor(actor int32) { r.trace.Actors[actor].Ended = r.step }

// stepID returns the identity of a step, or zero for trace.None.
func (r *recorder) stepID(step int32) uint64 {
	if step < 0 {
		return 0
	}
	return r.trace.Steps[step].ID
}

// decided records that the strategy answered v to a choice of kind k with n
// alternatives. During Settle it only adds the answer to the hash of the run.
func (r *recorder) decided(k choice.Kind, n, v int, settling bool) {
	r.asked++
	if r.on && !settling {
		r.record.Choices = append(r.record.Choices, choice.Choice{Kind: k, N: uint32(n), Value: uint32(v)})
		if k == choice.Program || v > 0 && k != choice.Clock && k != choice.Fault { // early timers (choice.Clock) and faults (choice.Fault) happen between steps, so their choices belong to no step
			a := trace.Answer{Step: r.step, Value: int32(v), Of: int32(n), Sent: r.sent}
			if k == choice.Crash {
				a.Value = r.point.n
			}
			r.trace.Answers = append(r.trace.Answers, a)
		}
	}
	r.hash = hash.Fold(r.hash^uint64(k+1), uint64(v))
}

// redecide replaces the last recorded answer by v. The parameter before is the
// hash of the run from before the last answer.
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

// held records that Pick returned Hold, which makes a timer fire early.
func (r *recorder) held() {
	if r.on {
		r.holds = append(r.holds, r.steps)
	}
}

// passes records a clock tick, if Pick chooses when timers fire early. seq is
// the value of mailroom.seq.
func (r *recorder) passes(f *faults, seq int32, how trace.PassKind) {
	if f.timed && r.on {
		r.trace.Passes = append(r.trace.Passes, trace.Pass{Before: r.steps, Seq: seq, How: how})
	}
}

// meetsTime records that the running step depends on virtual time or on
// timers. It does nothing unless Pick chooses when timers fire early.
func (r *recorder) meetsTime(f *faults, what trace.Touched) {
	if f.timed && r.on && r.step >= 0 && r.called != r.steps {
		r.trace.Touches = append(r.trace.Touches, trace.Touch{Step: r.step, Actor: trace.None, What: what, Reads: true})
	}
}

// atRest records a quiescent point: after the steps so far, no message was
// deliverable.
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

// changed marks the running step as one that changed its actor's handler.
func (r *recorder) changed() {
	if r.on && r.step >= 0 {
		r.trace.Steps[r.step].Changed = true
	}
}

// touch records that the running step accesses something that other steps also
// access, without a message between the steps. Partial-order reductions need
// the record, because they derive dependencies only from messages and from
// such records.
func (r *recorder) touch(actor int32, what trace.Touched, ask int32) {
	if r.on && r.step >= 0 {
		r.trace.Touches = append(r.trace.Touches, trace.Touch{Step: r.step, Actor: actor, Ask: ask, What: what})
	}
}

// read records that the running step depends on whether an actor is alive.
func (r *recorder) read(actor int32) {
	if r.on && r.step >= 0 {
		r.trace.Touches = append(r.trace.Touches, trace.Touch{Step: r.step, Actor: actor, What: trace.ItsLife, Reads: true})
	}
}

// look records that the running step accesses something that steps of other
// actors also access. It does nothing if no actor's code is running. An access
// to an actor's index or name counts as a read.
func (r *recorder) look(actor int32, what trace.Touched) {
	if !r.on || !r.inStep() {
		return
	}
	x := trace.Touch{Step: r.step, Actor: actor, What: what, Reads: what == trace.ItsPlace || what == trace.ItsName}
	if n := len(r.trace.Touches); n == 0 || r.trace.Touches[n-1] != x { // an access that a handler repeats in a loop is recorded once
		r.trace.Touches = append(r.trace.Touches, x)
	}
}

// touchOther records that the running step conflicts with all steps of another
// actor, for example because it ends that actor.
func (r *recorder) touchOther(actor int32) {
	if actor != r.cur {
		r.touch(actor, trace.ItsSteps, 0)
	}
}

// nameOf returns the name of an actor, or "an actor of an earlier run" if
// there is no such actor in this run.
func (r *recorder) nameOf(actor int32) string {
	if int(actor) < len(r.trace.Actors) {
		return r.trace.Name(actor)
	}
	return "an actor of an earlier run"
}

// inTest reports whether the test is running rather than an actor's step.
func (r *recorder) inTest() bool { return r.cur == trace.Test || int(r.cur) >= len(r.trace.Actors) }

// where returns the name of the running step, or "the test". sends has the
// messages of the run by slot.
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

// longestCycle is the maximum length of a repeating pattern of steps that the
// function period can recognize.
const longestCycle = 32

// lastSteps returns the names of the last steps of the trace, without the
// numbers of the steps, so that repeated steps have equal names.
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

// repeating describes the repeating pattern of steps at the end of the trace.
// If there is no pattern, it lists the last steps. sends has the messages of
// the run by slot.
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

// period returns the length of the shortest pattern that occurs three times in
// a row at the end of list, or 0 if there is no such pattern.
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

// view returns the trace of the run so far.
func (t *traffic) view() *trace.Trace {
	t.rec.trace.Hash = t.rec.hash
	if t.rec.on {
		t.rec.trace.Sends = t.mail.sends
	}
	return &t.rec.trace
}
