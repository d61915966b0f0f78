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

// traffic handles messages and timers from sending to delivery or loss. It
// knows actors only by their mailboxes, and takes no steps.
//
// Invariant: mail, clock and recorder agree on whether the run is recorded and
// on which slots hold messages on their way.
type traffic struct {
	mail     mailroom
	calls    calls
	todo     agenda
	from     int32 // the sender of the message being received
	ask      int32 // the number of the Ask that the message belongs to
	run      int32 // the number of this run, to detect old references
	needs    Needs // of the strategy
	begun    bool  // the strategy's Begin was called for this run
	settling bool  // in start-up, where no strategy is asked
	rec      recorder
	strategy Strategy
	clock    clock
	faults   faults
	fails    failing
	guards   guards
	values   *value.Walker // over message bodies
	owner    *System       // for references
	threads  threads       // for the race detector; empty in other builds
	options  Options
	seed     uint64
}

// agenda is the extra work around steps. It is empty in a plain run.
type agenda struct {
	beforeStep work
	afterStep  work // after the running step
	everyStep  work // the initial value of afterStep in this run
	everyRun   work // the initial value of everyStep
}

// work is a set of extra work, one bit for each kind, so that a kind costs
// nothing while it is off.
type work uint16

const (
	workClock   work = 1 << iota // early timers
	workFault                    // faults that strike actors
	workMessage                  // faults that strike messages
	workIsolate                  // the isolation check
	workObserve                  // an observer
	workEnd                      // the actor ends after this step
	workFilter                   // what the actor accepts may have changed
	workChoosy                   // Unordered: not every message can be delivered at once
	workThrow                    // a failure that did not unwind the step
	workLinks                    // links that lose or delay messages
	workBounded                  // a mailbox has a bound
	workAnswer                   // the answer to the test's Ask has come: the run is over
	workCrash                    // the actor crashes after this step
)

// configure derives the settings that do not change from run to run.
func (t *traffic) configure(o Options) {
	if o.EarlyTimers == NeverEarly {
		o.EarlyTimers = 0 // only the maker of the options needed to know
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

// check fails the run for a reference that does not belong to this run.
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

// send sends a message from the actor of the running step.
func (t *traffic) send(to Ref, msg any) {
	if to.sys != t.owner || to.run != t.run { // build the text only if the check fails
		t.check(to, "Send "+trace.Label(msg))
	}
	kind := trace.Message
	if to.ask != 0 {
		t.rec.touch(to.actor, trace.ItsAsk, to.ask)
		if !t.mail.boxes[to.actor].awaits(to.ask) { // it counts as sent, so that later messages of the step keep their identities
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

// sendAs sends a message of the running step in any actor's name.
func (t *traffic) sendAs(from, to int32, msg any, kind trace.SendKind, ask int32) int32 {
	m := t.message(from, to, msg, kind, ask)
	if t.mail.onSend != 0 && t.goesAstray(m) {
		return m
	}
	t.mail.post(m, from)
	return m
}

// message makes a message of the running step without posting it.
func (t *traffic) message(from, to int32, msg any, kind trace.SendKind, ask int32) int32 {
	if t.rec.sent > t.mail.limit && t.rec.cur != trace.Test {
		t.tooMany("sent") // even if few of them wait, their record must not take all memory
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

// newSlot returns a slot for a message; the run fails if there is none.
func (t *traffic) newSlot() int32 {
	m := t.mail.newSlot()
	if m < 0 {
		t.noSlot()
	}
	return m
}

// copySlot copies a message into a slot of its own; the run fails if there is
// none.
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

// tooMany fails a run that sends too many messages.
func (t *traffic) tooMany(what string) {
	t.endless("messages", fmt.Sprintf("%d messages %s", t.mail.limit, what), "sends")
}

// perPending is how many choices and log lines a run may have for each message
// that may wait, since most steps have several.
const perPending = 10

// bound fails a run that exceeds a bound, as when a step loops without end. The
// test itself has no bound.
func (t *traffic) bound(most int, site, what, does string) {
	if t.rec.cur != trace.Test {
		t.endless(site, fmt.Sprintf("%d %s", most, what), does)
	}
}

// endless fails a run in which a step seems to have no end.
func (t *traffic) endless(site, moreThan, does string) {
	if t.fails.failure != nil { // and the user's code has recovered
		t.throw(t.fails.failure)
	}
	in := ""
	if !t.rec.inTest() {
		in = " in " + t.where()
	}
	t.failStep(&Failure{Kind: KindBudget, Site: site, Text: fmt.Sprintf(
		"more than %s%s: is there an end to what %s %s? Options.Pending raises the limit",
		moreThan, in, t.rec.nameOf(t.rec.cur), does)})
}

// setTimer sets a timer of an actor. Its message belongs to the running step.
func (t *traffic) setTimer(actor int32, d, period time.Duration, msg any) Timer {
	return t.pushTimer(entry{actor: actor, period: int64(period)}, d, actor, actor, msg)
}

// sendAfter sends a message later. No actor owns it, unless the sender sends it
// to itself: then it is the sender's timer.
func (t *traffic) sendAfter(from int32, to Ref, d time.Duration, msg any) Timer {
	if to.sys != t.owner || to.run != t.run { // build the text only if the check fails
		t.check(to, "SendAfter "+trace.Label(msg))
	}
	if to.ask != 0 {
		t.misuse("SendAfter to the sender of an Ask: an answer cannot be sent later; set a timer by After and answer when it fires, or send to Ref.Actor if it is no answer")
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

// stopTimer stops a timer, and reports whether it was not due yet.
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

// stopTimersOf stops all timers of an actor. The running step depends on time
// even if all timers have fired: earlier, it would have stopped them.
func (t *traffic) stopTimersOf(actor int32) {
	if t.faults.timed && t.rec.on && indexFunc(t.mail.sends, func(d trace.Send) bool { return d.Kind.IsTimer() && d.From == actor && d.To == actor }) >= 0 {
		t.rec.meetsTime(&t.faults, trace.TheTimers)
	}
	for i := t.clock.timerOf(actor); i >= 0; i = t.clock.timerOf(actor) {
		t.mail.discard(t.clock.removeAt(i).send, trace.Dropped)
	}
}

// timeCanPass reports whether time can pass before until.
func (t *traffic) timeCanPass(until int64) bool { return t.clock.canPass(until, t.mail.seq) }

// sourceOf returns the source of a message's channel: its sender, or nobody for
// an actor's own timer. Messages of SendAfter have a source number of their
// own, which no actor has.
func sourceOf(d *trace.Send) int32 {
	switch {
	case !d.Kind.IsTimer():
		return d.From
	case d.From == d.To:
		return none
	}
	return later - d.From
}

// later is less than none: later minus an actor is the source of the actor's
// SendAfter messages.
const later = none - 1

// passTime moves to the next time at which something is due, at most until, and
// lets it happen. It reports whether anything did.
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

// tick posts the message of a periodic timer and sets the timer again. If the
// last message still waits, no message is posted.
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

// choose asks the strategy and records its answer.
func (t *traffic) choose(k choice.Kind, n int) int {
	if n == 1 {
		return 0
	}
	v := 0 // the answer of plain order
	if !t.settling {
		t.begin()
		t.rec.callOut()
		v = t.strategy.Choose(k, n)
		t.rec.callOver()
	}
	if v == Quit && t.quit() {
		if !t.calls.running { // the test called a Nemesis: its next Run does not begin
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

// begin calls the strategy's Begin, once and not before it is needed.
func (t *traffic) begin() {
	if !t.begun {
		t.begun = true
		t.rec.callOut()
		t.strategy.Begin(t.seed)
		t.rec.callOver()
		t.beginFaults()
	}
}

// badStrategy fails the run for an invalid answer of the strategy.
func (t *traffic) badStrategy(format string, args ...any) {
	t.failStep(&Failure{Kind: KindStrategy, Site: fmt.Sprintf("%T", t.strategy),
		Text: fmt.Sprintf("strategy %T ", t.strategy) + fmt.Sprintf(format, args...)})
}

// quit ends a run because the strategy asked for it, and reports whether the
// strategy may.
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

// view completes the trace of the run so far.
func (t *traffic) view() *trace.Trace {
	t.rec.trace.Hash = t.rec.hash
	if t.rec.on {
		t.rec.trace.Sends = t.mail.sends
	}
	return &t.rec.trace
}

// where names the running step or the test.
func (t *traffic) where() string { return t.rec.where(t.mail.sends) }

// misuse reports a wrong call: in a step the run fails, outside of one the
// caller panics with the failure.
func (t *traffic) misuse(format string, args ...any) {
	var pcs [64]uintptr
	t.misuseAt(pcs[:runtime.Callers(2, pcs[:])], fmt.Sprintf(format, args...))
}

// misuseAt is misuse with another position than the caller's.
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

// intrude reports a call from a goroutine that may not use the system.
func (t *traffic) intrude(what, on string) {
	t.fails.intrude(intrusion(what+" on a "+on, t.calls.running, "send what other goroutines produce before Run", "let an actor do its work"))
}

// intrusion returns the failure for such a call by the caller's caller. The
// advice is now while a step runs, and late when none does.
func intrusion(what string, running bool, now, late string) *Failure {
	f := &Failure{Kind: KindMisuse, Text: what + " from another goroutine: only the goroutine that runs a system, and its handlers, may use it; " + now}
	if !running {
		f.Step = -1
		f.Text = what + " from another goroutine when no step was running: does a handler leave a goroutine behind? " + late
	}
	var pcs [32]uintptr
	f.setFrames(pcs[:runtime.Callers(3, pcs[:])])
	return f
}

// failStep fails the run and ends the running step.
func (t *traffic) failStep(f *Failure) {
	f.Step = int(t.rec.step)
	t.fails.fail(f)
	t.throw(f)
}

// throw ends the running step, even if the user's code recovers.
func (t *traffic) throw(f *Failure) {
	t.todo.afterStep |= workThrow
	panic(f)
}
