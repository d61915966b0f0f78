package pulse

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/pulse/value"
)

// traffic is all that messages and timers need from their making to their
// delivery or loss. It knows nothing of what actors are, but for their
// mailboxes, and takes no steps.
//
// Invariant: mail, clock and recorder agree on whether the run is recorded and
// on which slots hold messages on their way.
type traffic struct {
	mail     mailroom
	calls    calls
	todo     agenda
	from     int32 // who sent the message that is being received
	ask      int32 // the number of the Ask that it asks
	run      int32 // which run this is, to tell old references
	needs    Needs // of the strategy
	begun    bool  // the strategy knows that this run has begun
	settling bool  // in start-up, when no strategy is asked
	rec      recorder
	strategy Strategy
	clock    clock
	faults   faults
	fails    failing
	guards   guards
	values   *value.Walker // over the bodies of messages
	owner    *System       // is put into references
	threads  threads       // for the race detector; nothing in other builds
	options  Options
	seed     uint64
}

// agenda is what there is to look at around steps. It is empty in a plain run.
type agenda struct {
	beforeStep work
	afterStep  work // after the step that is running
	everyStep  work // what afterStep starts from in this run
	everyRun   work // what everyStep starts from
}

// work is a set of things to look at, each a bit, so that none costs anything
// while it is off.
type work uint16

const (
	workClock   work = 1 << iota // early timers
	workFault                    // faults that strike actors
	workMessage                  // faults that strike messages
	workIsolate                  // the isolation check
	workObserve                  // an observer
	workEnd                      // the actor ends with this step
	workFilter                   // what the actor accepts may have changed
	workChoosy                   // Unordered: not every message can be delivered at once
	workThrow                    // a failure that did not unwind the step
	workLinks                    // links that lose or delay messages
	workBounded                  // an actor has a mailbox that may be full
	workAnswer                   // the answer to the test's Ask has come: the run is over
	workCrash                    // the actor crashes with this step
)

// configure computes from the options what does not change from run to run.
func (t *traffic) configure(o Options) {
	if o.EarlyTimers == NeverEarly {
		o.EarlyTimers = 0 // it has told whoever made the options
	}
	t.options = o
	t.strategy = o.Strategy
	if t.strategy == nil {
		t.strategy = plain{}
	}
	t.needs = NeedsOf(t.strategy)
	t.rec.on = o.Record || t.needs.Record || t.needs.States || o.Isolation
	t.mail.keeps = t.rec.on
	t.mail.unordered = o.Delivery == DeliveryUnordered
	t.rec.trace.Unordered = t.mail.unordered
	t.mail.limit = int32(min(orDefault(o.Pending, defaultPending), math.MaxInt32))
	t.clock.patience = orDefault(o.Ticks, defaultTicks)
	t.todo.everyRun, t.mail.onSend = 0, 0
	if o.Isolation {
		t.todo.everyRun, t.mail.onSend = workIsolate, workIsolate
	}
}

// reset begins another run.
func (t *traffic) reset() {
	t.mail.reset()
	t.clock.reset()
	t.rec.reset()
	t.fails.reset()
	t.resetFaults()
	t.guards.reset()
	t.from, t.ask = none, 0
	t.run++
	t.begun, t.calls.crashing = false, trace.Test
	t.todo.everyStep, t.todo.afterStep = t.todo.everyRun, t.todo.everyRun
}

func (t *traffic) ref(actor int32) Ref { return Ref{sys: t.owner, run: t.run, actor: actor} }

// nameOf names the actor of a reference.
func (t *traffic) nameOf(r Ref) string {
	if r.run != t.run {
		return "an actor of an earlier run"
	}
	return t.rec.trace.Name(r.actor)
}

// check fails the run for a reference that is not of this run.
func (t *traffic) check(r Ref, what string) {
	switch {
	case r.sys == nil:
		t.misuse("%s: the Ref is the zero Ref, which is nobody: it was never set", what)
	case r.sys != t.owner:
		t.misuse("%s: %s belongs to another system", what, r.String())
	case r.run != t.run:
		t.misuse("%s: the Ref belongs to a run that is over: it was kept across Reset", what)
	}
}

// send puts a message of the running step on its way, in its actor's name.
func (t *traffic) send(to Ref, msg any) {
	if to.sys != t.owner || to.run != t.run { // the text is made only when it is needed
		t.check(to, "Send "+trace.Label(msg))
	}
	kind := trace.Message
	if to.ask != 0 {
		t.rec.touch(to.actor, trace.ItsAsk, to.ask)
		if !t.mail.boxes[to.actor].awaits(to.ask) { // it counts as sent: what else the step sends keeps its identity
			t.mail.discard(t.message(t.rec.cur, to.actor, msg, trace.Reply, to.ask), trace.Dropped)
			return
		}
		kind = trace.Reply
	}
	m := t.sendAs(t.rec.cur, to.actor, msg, kind, to.ask)
	if kind == trace.Reply && t.mail.sends[m].Fate == trace.Pending {
		t.mail.boxes[to.actor].answered = to.ask
	}
}

// kill sends the message that ends an actor.
func (t *traffic) kill(r Ref) {
	t.check(r, "Kill")
	t.sendAs(t.rec.cur, r.actor, stop{}, trace.Kill, 0)
}

// stop is the body of a Kill.
type stop struct{}

// sendAs makes a message of the running step, in anyone's name, and puts it on
// its way.
func (t *traffic) sendAs(from, to int32, msg any, kind trace.SendKind, ask int32) int32 {
	m := t.message(from, to, msg, kind, ask)
	if t.mail.onSend != 0 && t.goesAstray(m) {
		return m
	}
	t.mail.post(m, from)
	return m
}

// message makes a message of the running step and does not post it yet.
func (t *traffic) message(from, to int32, msg any, kind trace.SendKind, ask int32) int32 {
	if t.rec.sent > t.mail.limit && t.rec.cur != trace.Test {
		t.tooMany("sent") // though few of them wait: the record of that must not take all memory
	}
	m := t.newSlot()
	d := &t.mail.sends[m]
	d.Body = msg
	d.From, d.To = from, to
	d.Ask, d.Kind, d.Fate, d.Seq = ask, kind, trace.Pending, 0 // until it arrives: the slot may be one of an earlier run
	if t.rec.on {
		t.rec.identify(d)
	}
	if threaded {
		t.threads.released(m)
	}
	return m
}

// newSlot returns a place for a message; the run fails when there is none.
func (t *traffic) newSlot() int32 {
	m := t.mail.newSlot()
	if m < 0 {
		t.noSlot()
	}
	return m
}

// copySlot puts a copy of a message into a slot of its own; the run fails when
// there is none.
func (t *traffic) copySlot(m int32) int32 {
	c := t.mail.copySlot(m)
	if c < 0 {
		t.noSlot()
	}
	if threaded {
		t.threads.copied(m, c)
	}
	return c
}

func (t *traffic) noSlot() {
	if len(t.mail.sends) == math.MaxInt32 {
		t.misuse("the run has sent 2,147,483,647 messages, the most that one can keep")
	}
	t.tooMany("wait to be received")
}

// tooMany fails a run that sends more messages than it may.
func (t *traffic) tooMany(what string) {
	t.endless("messages", fmt.Sprintf("%d messages %s", t.mail.limit, what), "sends")
}

// perPending is how many choices and lines of a log a run may have for each
// message that may wait: there are several in most steps.
const perPending = 10

// bound fails a run in which there is more of something than there may be, as
// when a step has a loop without an end. What the test itself does has no bound.
func (t *traffic) bound(most int, site, what, does string) {
	if t.rec.cur != trace.Test {
		t.endless(site, fmt.Sprintf("%d %s", most, what), does)
	}
}

// endless fails a run of which it seems that a step has no end.
func (t *traffic) endless(site, moreThan, does string) {
	if t.fails.failure != nil { // and the user's code has recovered
		t.throw(t.fails.failure)
	}
	in := ""
	if !t.rec.inTest() {
		in = " in " + t.where()
	}
	t.failStep(&Failure{Kind: KindBudget, Site: site, Text: fmt.Sprintf(
		"more than %s%s: is there an end to what %s %s? Options.Pending allows more",
		moreThan, in, t.rec.nameOf(t.rec.cur), does)})
}

// setTimer sets a timer of an actor. Its message is one of the running step's.
func (t *traffic) setTimer(actor int32, d, period time.Duration, msg any) Timer {
	return t.pushTimer(entry{actor: actor, period: int64(period)}, d, actor, actor, msg)
}

// sendAfter sends a message later. No actor owns it, unless it is sent to its
// sender, whose timer it is then.
func (t *traffic) sendAfter(from int32, to Ref, d time.Duration, msg any) Timer {
	if to.sys != t.owner || to.run != t.run { // the text is made only when it is needed
		t.check(to, "SendAfter "+trace.Label(msg))
	}
	if to.ask != 0 {
		t.misuse("SendAfter to the sender of an Ask: an answer is not sent later; set a timer by After and answer when it fires, or send to Ref.Actor what is no answer")
	}
	if to.actor == from {
		return t.setTimer(from, d, 0, msg)
	}
	return t.pushTimer(entry{actor: none}, d, from, to.actor, msg)
}

// pushTimer completes an entry of the clock with a message of the running step.
func (t *traffic) pushTimer(e entry, d time.Duration, from, to int32, msg any) Timer {
	if d < 0 {
		t.misuse("a timer of %v: time does not go back; zero is at once", d)
	}
	t.rec.meetsTime(&t.faults, trace.TheTimers)
	t.clock.set++
	e.at, e.effect, e.last = t.clock.later(d), fire, none
	kind := trace.Timer
	if e.period > 0 {
		kind, e.effect = trace.Periodic, tick
	}
	e.send = t.message(from, to, msg, kind, 0)
	return Timer{sys: t.owner, run: t.run, send: e.send, number: t.clock.push(e)}
}

// stopTimer takes a timer back that is not due yet, and reports whether it was one.
func (t *traffic) stopTimer(number, send int32) bool {
	if t.rec.on { // then the slot is still the timer's
		if owner := t.mail.sends[send].From; owner != t.rec.cur {
			t.rec.look(owner, trace.ItsSteps)
		}
	}
	t.rec.meetsTime(&t.faults, trace.TheTimers)
	i := t.clock.find(number, send)
	if i < 0 {
		return false
	}
	t.mail.discard(t.clock.removeAt(i).send, trace.Dropped)
	return true
}

// stopTimersOf stops all timers of an actor. The running step has to do with time also
// when all have fired: before that, it would have stopped them.
func (t *traffic) stopTimersOf(actor int32) {
	if t.faults.timed && t.rec.on && indexFunc(t.mail.sends, func(d trace.Send) bool { return d.Kind.IsTimer() && d.From == actor && d.To == actor }) >= 0 {
		t.rec.meetsTime(&t.faults, trace.TheTimers)
	}
	for i := t.clock.timerOf(actor); i >= 0; i = t.clock.timerOf(actor) {
		t.mail.discard(t.clock.removeAt(i).send, trace.Dropped)
	}
}

// timeCanPass reports whether there is anything to let time pass for.
func (t *traffic) timeCanPass(until int64) bool { return t.clock.canPass(until, t.mail.seq) }

// sourceOf returns from where a message comes: its sender; nobody for a timer that
// an actor has set for itself, and for what is sent later to another a number of
// its own, which no actor has.
func sourceOf(d *trace.Send) int32 {
	switch {
	case !d.Kind.IsTimer():
		return d.From
	case d.From == d.To:
		return none
	}
	return later - d.From
}

// later is less than none: later minus an actor is where what it has sent by
// SendAfter comes from.
const later = none - 1

// passTime moves to the next time at which something is due, not beyond until,
// and lets it happen. It reports whether anything did.
func (t *traffic) passTime(until int64) bool {
	if !t.timeCanPass(until) {
		return false
	}
	c := &t.clock
	c.now = max(c.now, c.heap[0].at)
	ticks, sent, arrived := 0, t.mail.seq != c.quietSeq, false
	for c.any(c.now) {
		e := c.removeAt(0)
		seq := t.mail.seq
		switch e.effect {
		case fire:
			t.mail.post(e.send, sourceOf(&t.mail.sends[e.send]))
		case tick:
			t.tick(e)
			ticks++
			continue
		default:
			t.mail.endDelay(&e)
		}
		arrived = arrived || t.mail.seq != seq
	}
	c.countQuiet(ticks, sent, arrived, t.mail.seq)
	return true
}

// tick posts the message of a periodic timer and makes the one that follows,
// unless the last still waits.
func (t *traffic) tick(e entry) {
	c := &t.clock
	e.at = addTime(e.at, e.period)
	if e.last == none {
		e.last = e.send
		e.send = t.copySlot(e.last) // its identity follows from the last one's
		d := &t.mail.sends[e.send]
		d.Receipt, d.Fate = none, trace.Pending
		t.mail.post(e.last, none)
	}
	c.insert(e)
}

// choose asks the strategy and keeps its answer.
func (t *traffic) choose(k choice.Kind, n int) int {
	if n == 1 {
		return 0
	}
	v := 0 // plain order's answer
	if !t.settling {
		t.begin()
		t.rec.callOut()
		v = t.strategy.Choose(k, n)
		t.rec.callOver()
	}
	if v == Quit && t.quit() {
		if !t.calls.running { // the test has called a Nemesis: its next Run does not begin
			return 0
		}
		t.throw(t.fails.failure)
	}
	if uint(v) >= uint(n) {
		t.badStrategy("answered %d to %v of %d", v, k, n)
	}
	t.rec.decided(k, n, v, t.settling)
	if most := perPending * int(t.mail.limit); int(t.rec.asked) > most {
		t.bound(most, "choices", "choices", "chooses")
	}
	return v
}

// begin tells the strategy of the run, once and not before it is needed.
func (t *traffic) begin() {
	if !t.begun {
		t.begun = true
		t.rec.callOut()
		t.strategy.Begin(t.seed)
		t.rec.callOver()
		t.beginFaults()
	}
}

// badStrategy fails the run for an answer that is none.
func (t *traffic) badStrategy(format string, args ...any) {
	t.failStep(&Failure{Kind: KindStrategy, Site: fmt.Sprintf("%T", t.strategy),
		Text: fmt.Sprintf("strategy %T ", t.strategy) + fmt.Sprintf(format, args...)})
}

// quit ends a run because the strategy says so, and reports whether it is one
// that may.
func (t *traffic) quit() bool {
	j, ok := t.strategy.(Judge)
	if !ok {
		return false
	}
	text := "the strategy gave up"
	if err := j.Err(); err != nil {
		text = err.Error()
	}
	t.fails.fail(&Failure{Kind: KindNondeterminism, Text: text, Step: int(t.rec.steps)})
	return true
}

// view completes the trace as it is so far.
func (t *traffic) view() *trace.Trace {
	t.rec.trace.Hash = t.rec.hash
	if t.rec.on {
		t.rec.trace.Sends = t.mail.sends
	}
	return &t.rec.trace
}

// where names the running step, or the test.
func (t *traffic) where() string { return t.rec.where(t.mail.sends) }

// misuse is the one way in which wrong calls are answered: in a step the run
// fails, outside of one the caller panics with the failure.
func (t *traffic) misuse(format string, args ...any) {
	var pcs [64]uintptr
	t.misuseAt(pcs[:runtime.Callers(2, pcs[:])], fmt.Sprintf(format, args...))
}

// misuseAt is misuse at another place than the caller's.
func (t *traffic) misuseAt(pcs []uintptr, text string) {
	f := &Failure{Kind: KindMisuse, Text: text, Step: int(t.rec.step)}
	if t.calls.running && t.rec.cur != trace.Test {
		f.Text += " (in " + t.where() + ")"
	}
	f.setFrames(pcs)
	if t.calls.running {
		t.fails.fail(f)
		t.throw(f)
	}
	panic(f)
}

// intrude answers a call from another goroutine than the one that takes steps.
func (t *traffic) intrude(what, on string) {
	t.fails.intrude(intrusion(what+" on a "+on, t.calls.running, "send what other goroutines make before Run", "let an actor do what it does"))
}

// intrusion returns the failure for such a call to the caller's caller, with what to do
// instead: while a step runs, and when none does.
func intrusion(what string, running bool, now, late string) *Failure {
	f := &Failure{Kind: KindMisuse, Text: what + " from another goroutine: a system is used by the goroutine that runs it, and by handlers; " + now}
	if !running {
		f.Step = -1
		f.Text = what + " from another goroutine when no step was running: does a handler leave a goroutine behind? " + late
	}
	var pcs [32]uintptr
	f.setFrames(pcs[:runtime.Callers(3, pcs[:])])
	return f
}

// failStep fails the run in the running step, and ends that.
func (t *traffic) failStep(f *Failure) {
	f.Step = int(t.rec.step)
	t.fails.fail(f)
	t.throw(f)
}

// throw ends the running step, also when the user's code recovers.
func (t *traffic) throw(f *Failure) {
	t.todo.afterStep |= workThrow
	panic(f)
}
