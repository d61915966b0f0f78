package pulse

import (
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Faults sets which faults may happen in a run, and how often. The zero value
// allows none. The numbers are budgets: the strategy decides when each fault
// happens, and may use less than the budget.
//
// Faults do not affect messages from or to the test, timers, messages of an
// actor to itself, or messages from or to Safe actors. To cause a fault at a
// chosen point, use a Nemesis.
type Faults struct {
	// Drop, Duplicate and Delay are the numbers of messages that may be lost,
	// duplicated or delayed. With FIFO delivery a delayed message also delays
	// later messages from its sender to its receiver. The answer to an Ask is
	// never duplicated, since an Ask takes only one answer.
	Drop, Duplicate, Delay int
	// DelayBy lists the possible delays; empty means 10 ms of virtual time.
	DelayBy []time.Duration

	// Crash is the number of crashes of actors. Messages that wait for a
	// crashed actor or are sent to it are lost. Its timers, children and
	// watches end, and its watchers receive a Down. An actor crashes between
	// two steps, or within a step at a call to Ctx.MayCrash.
	Crash int
	// RestartKept is the number of crashed actors that may restart with the
	// state they had; it does not apply to processes. RestartLost is the
	// number that may restart with a new state; it needs Spec.New or
	// Spec.Process. An actor's Disk survives both. A Starter is notified
	// whether its state was kept or lost.
	RestartKept, RestartLost int
	// UnorderedWrites lets a crash lose any unsynced writes to a Disk.
	// Otherwise the lost writes are the most recent of the unsynced ones.
	UnorderedWrites bool
	// Partition is the number of partitions. Each partition separates one
	// actor from all other actors. There is at most one partition at a time.
	// Messages across a partition wait until it heals, at the latest at the
	// end of the run.
	Partition int
	// Network is the number of faults of connections between goroutines that
	// package goroutine runs: short reads, delays, resets and partitions.
	Network int

	// Links limits message loss, duplication and delay to the messages for
	// whose sender and receiver it returns true. Nil means all messages.
	Links func(from, to Ref) bool
	// Actors limits crashes, restarts and partitions to the actors for which it
	// returns true; nil means all actors.
	Actors func(Ref) bool

	// Swarm makes the strategy choose, for each run, a subset of the kinds of
	// fault to enable. Runs with few kinds of faults find bugs that other
	// faults mask.
	Swarm bool
}

func (f *Faults) onMessages() bool { return f.Drop > 0 || f.Duplicate > 0 || f.Delay > 0 }
func (f *Faults) onActors() bool   { return f.Crash > 0 || f.Partition > 0 }

var defaultDelay = []time.Duration{10 * time.Millisecond}

// faults holds the remaining budgets of the run and the faults that Pick may
// choose.
//
// Invariant: no budget is negative.
type faults struct {
	left     Faults
	strikes  bool     // set if the run began with a budget for crashes or partitions
	timed    bool     // set if Pick decides when a timer fires early
	early    int      // number of timers fired early so far
	list     []strike // the faults that could happen now
	offered  int      // number of entries at the start of list that Pick may choose
	unstruck uint64   // hash of the run before Pick was offered the entries; valid if offered is positive
}

// A strike is a fault that can happen before the next step, or an early timer
// if actor is none.
type strike struct {
	kind  trace.StepKind
	lose  bool // for a restart, set if the actor loses its state
	actor int32
	value int32 // if Pick may choose the strike, the value of the choice that selects it
}

// faultName returns a number for a kind of fault. A restart that loses the
// state has a different number than a restart that keeps the state.
func faultName(kind trace.StepKind, lose bool) uint64 {
	if lose {
		return uint64(kind) | 1<<8
	}
	return uint64(kind)
}

// spend reduces the budget of a crash, partition or restart that happens.
func (f *faults) spend(x strike) {
	switch {
	case x.kind == trace.Crash:
		f.left.Crash--
	case x.kind == trace.Partition:
		f.left.Partition--
	case x.kind == trace.Restart && x.lose:
		f.left.RestartLost--
	case x.kind == trace.Restart:
		f.left.RestartKept--
	}
}

// limitTo clears each budget of f.swarm() whose bit is not set in mask.
func (f *faults) limitTo(mask int) {
	for i, b := range f.swarm() {
		if mask&(1<<i) == 0 {
			*b = 0
		}
	}
}

// swarm returns the budgets that Faults.Swarm may clear.
func (f *faults) swarm() [5]*int {
	l := &f.left
	return [...]*int{&l.Drop, &l.Duplicate, &l.Delay, &l.Crash, &l.Partition}
}

// listFor appends to f.list each crash, partition or restart that is possible
// for an actor now. isolated is set if there is a partition already.
func (f *faults) listFor(a *actor, isolated bool) {
	process := a.spec.Process != nil
	add := func(may bool, x strike) {
		if may {
			x.actor = a.actor
			f.list = append(f.list, x)
		}
	}
	switch a.life {
	case alive:
		add(f.left.Crash > 0, strike{kind: trace.Crash})
		add(f.left.Partition > 0 && !isolated, strike{kind: trace.Partition})
	case down:
		add(f.left.RestartKept > 0 && !process, strike{kind: trace.Restart})
		add(f.left.RestartLost > 0 && (process || a.spec.New != nil), strike{kind: trace.Restart, lose: true})
	}
}

// offer lets Pick choose each crash in f.list. It records the decision that no
// fault happens. If Pick chooses a crash, the method take replaces that
// decision.
func (f *faults) offer(r *recorder) {
	f.unstruck = r.hash
	r.decided(choice.Fault, len(f.list)+1, 0, false)
	for i, x := range f.list {
		if x.kind == trace.Crash {
			x.value = int32(i + 1)
			f.list[f.offered] = x
			f.offered++
		}
	}
}

// offerTime lets Pick fire a timer early. It records the decision that no
// timer fires early. If Pick fires a timer, the method take replaces that
// decision.
func (f *faults) offerTime(r *recorder) {
	f.unstruck = r.hash
	r.decided(choice.Clock, 2, 0, false)
	f.list = append(f.list[:0], strike{actor: none, value: 1})
	f.offered = 1
}

// take returns strike i, which Pick has chosen among the offered strikes, and
// records that decision.
func (f *faults) take(i int, r *recorder) strike {
	x := f.list[i]
	k := choice.Fault
	if x.actor == none {
		k = choice.Clock
	}
	r.redecide(f.unstruck, k, int(x.value))
	return x
}

func (t *traffic) resetFaults() {
	t.faults.left, t.faults.early, t.faults.offered = t.options.Faults, 0, 0
	t.faults.timed = t.needs.Strikes && t.options.offersTime()
	t.armFaults()
}

// armFaults determines from the remaining budgets whether each send and each
// step must ask the strategy for faults.
func (t *traffic) armFaults() {
	f := &t.faults
	f.strikes = f.left.onActors()
	t.mail.onSend &^= workMessage
	if f.left.onMessages() {
		t.mail.onSend |= workMessage
	}
}

// beginFaults asks the strategy which kinds of fault are enabled in this run,
// if Faults.Swarm is set.
func (t *traffic) beginFaults() {
	f := &t.faults
	if !f.left.Swarm || !f.left.onMessages() && !f.left.onActors() {
		return
	}
	f.limitTo(t.choose(choice.Swarm, 1<<len(f.swarm())))
	t.armFaults()
}

// offersStrikes reports whether a strategy with Needs.Strikes chooses crashes
// in Pick. Such a strategy cannot choose partitions.
func (o *Options) offersStrikes() bool {
	return o.EarlyTimers == 0 && o.Faults.RestartKept == 0 && o.Faults.RestartLost == 0
}

// offersTime reports whether a strategy with Needs.Strikes chooses early
// timers in Pick.
func (o *Options) offersTime() bool {
	return o.EarlyTimers != 0 && !o.Faults.onMessages() && !o.Faults.onActors()
}

// goesAstray applies changed links, full mailboxes and faults to a new message.
// It returns false if the caller must put the message into its channel (see
// post), and true if the message was lost, delayed or put there already.
func (t *traffic) goesAstray(m int32) bool {
	if t.mail.onSend&workObserve != 0 {
		tell(t.owner, SendObserver.Sent, m)
	}
	if t.mail.onSend&workIsolate != 0 {
		t.guard(m)
	}
	if t.mail.onSend&workLinks != 0 && t.suffersLink(m) {
		return true
	}
	if t.mail.onSend&workBounded != 0 && t.overflows(m) {
		return true
	}
	if t.mail.onSend&workMessage == 0 || t.settling || !t.exposed(m) {
		return t.heldByLink(m)
	}
	f := &t.faults.left
	d := &t.mail.sends[m]
	if f.Drop > 0 && t.choose(choice.Drop, 2) == 1 {
		f.Drop--
		t.mail.discard(m, trace.Dropped)
		return true
	}
	if f.Duplicate > 0 && d.Kind != trace.Reply && t.choose(choice.Duplicate, 2) == 1 {
		f.Duplicate--
		t.launch(m)
		t.duplicate(m)
		return true
	}
	return f.Delay > 0 && t.delay(m) || t.heldByLink(m)
}

// exposed reports whether Options.Faults may affect a message.
func (t *traffic) exposed(m int32) bool {
	d := &t.mail.sends[m]
	if d.From == trace.Test || d.To == trace.Test || d.From == d.To || d.Kind != trace.Message && d.Kind != trace.Reply {
		return false
	}
	if t.mail.boxes[d.From].safe || t.mail.boxes[d.To].safe {
		return false
	}
	links := t.options.Faults.Links
	if links == nil {
		return true
	}
	t.rec.callOut()
	may := links(t.ref(d.From), t.ref(d.To))
	t.rec.callOver()
	return may
}

// duplicate puts a copy of message m into the channel of m. The copy is lost if
// the receiver's mailbox is full.
func (t *traffic) duplicate(m int32) {
	c := t.copySlot(m)
	d := &t.mail.sends[c]
	d.Kind = trace.Copy
	if t.mail.onSend&workBounded != 0 && t.overflows(c) {
		return
	}
	t.launch(c)
}

// delay asks the strategy whether and for how long to delay a message. It
// reports whether the message was delayed.
func (t *traffic) delay(m int32) bool {
	by := t.options.Faults.DelayBy
	if len(by) == 0 {
		by = defaultDelay
	}
	v := t.choose(choice.Delay, len(by)+1)
	if v == 0 {
		return false
	}
	t.faults.left.Delay--
	t.mail.delay(m, addTime(t.clock.later(by[v-1]), t.linkDelay(m)))
	return true
}

// listStrikes lists the crashes, restarts and partitions that could happen
// now, in a fixed order. During a partition, the list also has the end of the
// partition.
func (c *cast) listStrikes() []strike {
	f := &c.faults
	f.list = f.list[:0]
	if c.mail.cut >= 0 {
		f.list = append(f.list, strike{kind: trace.Heal, actor: c.mail.cut})
	}
	for _, a := range c.actors {
		if c.mayStrike(a) {
			f.listFor(a, c.mail.cut >= 0)
		}
	}
	return f.list
}

// mayStrike reports whether Options.Faults may crash, restart or isolate an
// actor.
func (c *cast) mayStrike(a *actor) bool {
	may := c.options.Faults.Actors
	switch {
	case a.actor == trace.Test || a.safe:
		return false
	case may == nil:
		return true
	}
	c.rec.callOut()
	is := may(c.ref(a.actor))
	c.rec.callOver()
	return is
}

// strike asks the strategy whether a fault happens before the next step. It
// reports whether a fault has happened. If the strategy chooses crashes in
// Pick, strike only prepares the list of crashes for Pick and returns false.
func (s *System) strike() bool {
	list := s.listStrikes()
	s.faults.offered = 0
	if len(list) == 0 {
		return false
	}
	if s.needs.Strikes && s.options.offersStrikes() {
		s.faults.offer(&s.rec)
		return false
	}
	v := s.choose(choice.Fault, len(list)+1)
	if v == 0 {
		return false
	}
	s.inflict(list[v-1])
	return true
}

// inflict makes fault x happen, as a step of the affected actor.
func (s *System) inflict(x strike) {
	a := s.actors[x.actor]
	s.rec.beginFault(x.kind, faultName(x.kind, x.lose), x.actor, &a.track, s.clock.now)
	s.from, s.ask = none, 0
	s.faults.spend(x)
	switch x.kind {
	case trace.Crash:
		s.rec.touch(a.actor, trace.ItsLife, 0)
		s.loseNews(a)
		s.crash(a)
	case trace.Restart:
		s.rec.touch(a.actor, trace.ItsLife, 0)
		handler := s.anew(a, x.lose)
		a.life = alive
		s.renew(a, handler, a.actor)
		s.mail.reopen(&a.mailbox)
	case trace.Partition:
		s.mail.partition(x.actor)
	case trace.Heal:
		s.mail.heal()
	}
	s.finishStep(a)
	s.rec.cur = trace.Test
}

// healAtEnd ends the current partition before the run ends. It returns false
// if there was no partition.
func (s *System) healAtEnd() bool {
	if s.mail.cut < 0 {
		return false
	}
	s.inflict(strike{kind: trace.Heal, actor: s.mail.cut})
	return true
}
