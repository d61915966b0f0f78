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

// traffic handles messages and timers, from the sending of a message to its
// delivery or loss. It knows actors only by their mailboxes, and takes no
// steps.
//
// Invariant: the fields mail, clock and rec agree on whether the run is
// recorded, and on which message slots hold messages in flight.
type traffic struct {
	mail     mailroom
	calls    calls
	todo     agenda
	from     int32 // sender of the message being received
	ask      int32 // number of the Ask to which the message being received belongs; 0 if none
	run      int32 // number of this run; a Ref or Timer with a different number is from an earlier run
	needs    Needs // the needs of the strategy
	begun    bool  // set if Begin of the strategy was called in this run
	settling bool  // set during Settle, which asks no strategy
	rec      recorder
	strategy Strategy
	clock    clock
	faults   faults
	fails    failing
	guards   guards
	values   *value.Walker // walks over message bodies
	owner    *System       // the system of which this traffic is a part
	threads  threads       // vector clocks for the race detector; an empty struct in other builds
	options  Options
	seed     uint64
}

// agenda says what extra work to do before and after steps. In a run without
// special features there is none.
type agenda struct {
	beforeStep work
	afterStep  work // what to do when the running step ends
	everyStep  work // afterStep is set to this value when a step begins
	everyRun   work // everyStep is set to this value when a run begins
}

// work is a set of kinds of extra work, one bit for each kind, so that unused
// kinds cost nothing.
type work uint16

const (
	workClock   work = 1 << iota // handle early timers
	workFault                    // handle crashes, restarts and partitions of Options.Faults
	workMessage                  // handle message faults of Options.Faults
	workIsolate                  // handle Options.Isolation
	workObserve                  // call the observers
	workEnd                      // end the actor after this step
	workFilter                   // after the step, recompute which messages to the actor can be delivered
	workChoosy                   // with Unordered delivery, some messages must not be added to the list ready when they are sent
	workThrow                    // fail the run even if the code of the step recovers the panic of the failure
	workLinks                    // some link loses or delays messages
	workBounded                  // some mailbox is bounded
	workAnswer                   // the test's Ask is answered, so no further step is taken
	workCrash                    // crash the actor after this step
	workHost                     // call the function of Host.AfterSteps
)

// configure stores the options and derives the settings that do not change from
// run to run.
func (t *traffic) configure(o Options) {
	if o.EarlyTimers == NeverEarly {
		o.EarlyTimers = 0 // only a search distinguishes NeverEarly from zero
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

// reset begins a new run.
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

// nameOf returns the name of the actor of a reference.
func (t *traffic) nameOf(r Ref) string {
	if r.run != t.run {
		return "an actor of an earlier run"
	}
	return t.rec.trace.Name(r.actor)
}

// check fails the run if reference r does not belong to this run. what
// describes the call in the text of the failure.
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
	if to.sys != t.owner || to.run != t.run { // the test in check, repeated here because building the text for check is slow
		t.check(to, "Send "+trace.Label(msg))
	}
	kind := trace.Message
	if to.ask != 0 {
		t.rec.touch(to.actor, trace.ItsAsk, to.ask)
		if !t.mail.boxes[to.actor].awaits(to.ask) { // a dropped answer counts as a message too, so that the identities of the step's later messages do not depend on it
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

// sendAs sends a message in the running step and returns the slot of the
// message. The sender may be an actor other than the step's own.
func (t *traffic) sendAs(from, to int32, msg any, kind trace.SendKind, ask int32) int32 {
	m := t.message(from, to, msg, kind, ask)
	if t.mail.onSend != 0 && t.goesAstray(m) {
		return m
	}
	t.mail.post(m, from)
	return m
}

// message makes a message in the running step and returns its slot. It does not
// put the message into its channel.
func (t *traffic) message(from, to int32, msg any, kind trace.SendKind, ask int32) int32 {
	if t.rec.sent > t.mail.limit && t.rec.cur != trace.Test {
		t.tooMany("sent") // this limit bounds the memory of a step that sends in an endless loop, even if few of its messages wait
	}
	m := t.newSlot()
	d := &t.mail.sends[m]
	d.Body = msg
	d.From, d.To = from, to
	d.Ask, d.Kind, d.Fate, d.Seq = ask, kind, trace.Pending, 0 // the slot may have been used before, so zeros are set too; Seq is zero until the message arrives
	if t.rec.on {
		t.rec.identify(d)
	}
	if threaded {
		t.threads.released(m)
	}
	return m
}

// newSlot returns a slot (an index of mailroom.sends) for a new message. If
// there are too many messages, the run fails.
func (t *traffic) newSlot() int32 {
	m := t.mail.newSlot()
	if m < 0 {
		t.noSlot()
	}
	return m
}

// copySlot copies message m into a new slot and returns the new slot. If there
// are too many messages, the run fails.
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
		t.misuse("the run has sent 2,147,483,647 messages, the maximum of one run")
	}
	t.tooMany("wait to be received")
}

// tooMany fails the run because there are too many messages.
func (t *traffic) tooMany(what string) {
	t.endless("messages", fmt.Sprintf("%d messages %s", t.mail.limit, what), "send")
}

// perPending times Options.Pending is the maximum number of choices in a run.
// Log lines and disk writes have the same maximum.
const perPending = 10

// bound fails the run because the running step has exceeded a limit, for
// example in an endless loop. It does nothing if the test has exceeded the
// limit.
func (t *traffic) bound(most int, site, what, does string) {
	if t.rec.cur != trace.Test {
		t.endless(site, fmt.Sprintf("%d %s", most, what), does)
	}
}

// endless fails the run because the running step has exceeded a limit and so
// seems to loop without end.
func (t *traffic) endless(site, moreThan, does string) {
	if t.fails.failure != nil { // the code of the step has recovered the panic of an earlier failure
		t.throw(t.fails.failure)
	}
	in := ""
	if !t.rec.inTest() {
		in = " in " + t.where()
	}
	t.failStep(&Failure{Kind: KindBudget, Site: site, Text: fmt.Sprintf(
		"more than %s%s: does %s %s in an endless loop? if not, raise Options.Pending",
		moreThan, in, t.rec.nameOf(t.rec.cur), does)})
}

// setTimer sets a timer of an actor, which is periodic if period is positive.
func (t *traffic) setTimer(actor int32, d, period time.Duration, msg any) Timer {
	return t.pushTimer(entry{actor: actor, period: int64(period)}, d, actor, actor, msg)
}

// sendAfter sends a message after d. If the receiver is the sender, it sets a
// timer of that actor. Otherwise no actor owns the timer, so that the timer
// survives the end of the sender.
func (t *traffic) sendAfter(from int32, to Ref, d time.Duration, msg any) Timer {
	if to.sys != t.owner || to.run != t.run { // the test in check, repeated here because building the text for check is slow
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

// pushTimer makes the message of a timer in the running step, stores its slot
// in entry e, and adds e to the clock.
func (t *traffic) pushTimer(e entry, d time.Duration, from, to int32, msg any) Timer {
	if d < 0 {
		t.misuse("a timer of %v: the duration must not be negative; zero means at once", d)
	}
	t.rec.meetsTime(&t.faults, trace.TheTimers)
	t.clock.set++
	e.at, e.effect, e.last = t.clock.later(d), fire, none
	kind := trace.Timer
	if e.period > 0 {
		kind, e.effect = trace.Periodic, tick
	}
	e.send = t.message(from, to, msg, kind, 0)
	if t.mail.onSend&workObserve != 0 {
		tell(t.owner, SendObserver.Sent, e.send)
	}
	return Timer{sys: t.owner, run: t.run, send: e.send, number: t.clock.push(e)}
}

// stopTimer stops a timer. It returns false if the timer has already fired or
// was stopped.
func (t *traffic) stopTimer(number, send int32) bool {
	if t.rec.on { // a recorded run reuses no slot, so slot send still holds a message of the timer
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
// even if all timers have fired: in an earlier position, the step would have
// stopped them.
func (t *traffic) stopTimersOf(actor int32) {
	if t.faults.timed && t.rec.on && indexFunc(t.mail.sends, func(d trace.Send) bool { return d.Kind.IsTimer() && d.From == actor && d.To == actor }) >= 0 {
		t.rec.meetsTime(&t.faults, trace.TheTimers)
	}
	for i := t.clock.timerOf(actor); i >= 0; i = t.clock.timerOf(actor) {
		t.mail.discard(t.clock.removeAt(i).send, trace.Dropped)
	}
}

// timeCanPass reports whether the clock can advance, to an event that is due
// at or before the time until.
func (t *traffic) timeCanPass(until int64) bool { return t.clock.canPass(until, t.mail.seq) }

// sourceOf returns the source of the channel for message d. For an ordinary
// message the source is the sender. For an actor's own timer the source is the
// constant none. For a SendAfter message it is the constant later minus the
// index of the sender. So timers and SendAfter messages have channels of their
// own.
func sourceOf(d *trace.Send) int32 {
	switch {
	case !d.Kind.IsTimer():
		return d.From
	case d.From == d.To:
		return none
	}
	return later - d.From
}

// The source of an actor's SendAfter messages (see sourceOf) is later minus
// the index of the actor. Such a source differs from none and from every
// index.
const later = none - 1

// choose asks the strategy for a number from 0 to n-1, records the answer and
// returns it. During Settle the answer is 0.
func (t *traffic) choose(k choice.Kind, n int) int {
	if n == 1 {
		return 0
	}
	v := 0 // the choice during Settle
	if !t.settling {
		t.begin()
		t.rec.callOut()
		v = t.strategy.Choose(k, n)
		t.rec.callOver()
	}
	if v == Quit && t.quit() {
		if !t.calls.running { // a Nemesis that the test called between runs has asked the strategy: there is no step to end, so the next Run returns false
			return 0
		}
		t.throw(t.fails.failure)
	}
	if uint(v) >= uint(n) {
		t.badStrategy("answered %d to %v with %d answers", v, k, n)
	}
	t.rec.decided(k, n, v, t.settling)
	if most := perPending * int(t.mail.limit); int(t.rec.asked) > most {
		t.bound(most, "choices", "choices", "choose")
	}
	return v
}

// begin calls the strategy's method Begin, and applies Faults.Swarm. It does
// nothing if it was called before in this run.
func (t *traffic) begin() {
	if !t.begun {
		t.begun = true
		t.rec.callOut()
		t.strategy.Begin(t.seed)
		t.rec.callOver()
		t.beginFaults()
	}
}

// badStrategy fails the run because of an invalid answer of the strategy.
func (t *traffic) badStrategy(format string, args ...any) {
	t.failStep(&Failure{Kind: KindStrategy, Site: fmt.Sprintf("%T", t.strategy),
		Text: fmt.Sprintf("strategy %T ", t.strategy) + fmt.Sprintf(format, args...)})
}

// quit fails the run because the strategy returned Quit. It returns false if
// the strategy is not a Judge, for which Quit is an invalid answer.
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

// where returns the name of the running step, or "the test".
func (t *traffic) where() string { return t.rec.where(t.mail.sends) }

// misuse panics with a failure for an invalid call. If the system is running,
// the run also fails.
func (t *traffic) misuse(format string, args ...any) {
	var pcs [64]uintptr
	t.misuseAt(pcs[:runtime.Callers(2, pcs[:])], fmt.Sprintf(format, args...))
}

// misuseAt does the same as misuse, but reports the stack pcs and not the
// current stack.
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

// intrude records the failure of a call from a goroutine that may not use the
// system. The call is named by what, and on names the type of its receiver.
func (t *traffic) intrude(what, on string) {
	t.fails.intrude(intrusion(what+" on a "+on, t.calls.running, "send what other goroutines produce before Run", "replace the goroutine with an actor"))
}

// failStep fails the run and ends the running step.
func (t *traffic) failStep(f *Failure) {
	f.Step = int(t.rec.step)
	t.fails.fail(f)
	t.throw(f)
}

// throw panics with f to end the running step. If the code of the step
// recovers the panic, finishStep panics again.
func (t *traffic) throw(f *Failure) {
	t.todo.afterStep |= workThrow
	panic(f)
}

// checkSieve fails the run if the predicate of a ReceiveMatch must depend only
// on its argument, but now returns a different result for a waiting message.
func (t *traffic) checkSieve(b *mailbox) {
	if b.life == alive && b.sieve != 0 && b.sieve == b.sifted && b.accept == acceptMatching && !t.mail.isSifted(b) {
		t.misuse("ReceiveMatch of %s by a package-level function that now returns a different result for the same message: "+
			"let it depend only on the message, or use a function literal", t.rec.nameOf(b.actor))
	}
}
