package pulse

import (
	"time"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Faults are what may go wrong in a run, and how often. The zero value is a
// system in which nothing does. Each fault is a decision of the strategy;
// the numbers are budgets, not rates.
//
// Faults leave alone the messages from and to the test, of timers and of an
// actor to itself, and whatever Safe actors send and receive. For a fault at a
// place of your choice there is the Nemesis.
type Faults struct {
	// Drop, Duplicate and Delay are how many messages may be lost, arrive
	// twice, or be held back. With FIFO delivery a message that is held back
	// holds back those behind it in its channel. The answer to an Ask does not
	// arrive twice: who asks takes one.
	Drop, Duplicate, Delay int
	// DelayBy are the times by which a message can be held back; empty means
	// 10 ms of virtual time.
	DelayBy []time.Duration

	// Crash is how many actors may crash. What waits for a crashed actor and
	// what is sent to it is lost, its timers, its children and its watches are
	// gone, its watchers are told. It crashes between two steps, or within one
	// at a Ctx.MayCrash.
	Crash int
	// RestartKept and RestartLost are how many crashed actors may come back,
	// with their state as it was, and with a new one. The second needs
	// Spec.New or Spec.Process, the first an actor that is not a process. A
	// Starter is told which of them it was; its Disk outlives both.
	RestartKept, RestartLost int
	// UnorderedWrites lets a crash take any of the writes to a Disk that were
	// not synced; else it takes the last ones.
	UnorderedWrites bool
	// Partition is how many times an actor may be cut off from all others.
	// One is at a time; messages wait until it heals, which it does at the
	// latest when the run would end.
	Partition int

	// Links limits the faults of messages to some channels; nil means all.
	Links func(from, to Ref) bool
	// Actors limits crashes and partitions to some actors; nil means all.
	Actors func(Ref) bool

	// Swarm lets each run use only some kinds of these faults, which the
	// strategy chooses: runs without most faults find what faults hide.
	Swarm bool
}

func (f *Faults) onMessages() bool { return f.Drop > 0 || f.Duplicate > 0 || f.Delay > 0 }
func (f *Faults) onActors() bool   { return f.Crash > 0 || f.Partition > 0 }

var defaultDelay = []time.Duration{10 * time.Millisecond}

// faults is what is left of the budgets in this run.
//
// Invariants: no budget is negative. strikes holds if the run had a budget for
// crashes or partitions when it began. The first offered of list are what Pick may
// answer now; then unstruck is the hash of all that had happened before they were
// offered.
type faults struct {
	left     Faults
	strikes  bool // actors may be struck
	timed    bool // Pick decides where time passes early
	early    int  // timers that fired early
	list     []strike
	offered  int
	unstruck uint64
}

// A strike is a fault that can happen before the next step. One of no actor is that
// time passes early.
type strike struct {
	kind  trace.StepKind
	lose  bool // the restart loses the state
	actor int32
	value int32 // what the decision is by which it happens, if it is offered
}

// faultName tells kinds of fault apart: a restart that loses the state is another
// one than a restart that keeps it.
func faultName(kind trace.StepKind, lose bool) uint64 {
	if lose {
		return uint64(kind) | 1<<8
	}
	return uint64(kind)
}

// spend takes a strike out of the budgets.
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

// limitTo leaves budgets only to the kinds of fault of which mask has the bit.
func (f *faults) limitTo(mask int) {
	for i, b := range f.swarm() {
		if mask&(1<<i) == 0 {
			*b = 0
		}
	}
}

// swarm are the budgets that a swarm switches off.
func (f *faults) swarm() [5]*int {
	l := &f.left
	return [...]*int{&l.Drop, &l.Duplicate, &l.Delay, &l.Crash, &l.Partition}
}

// listFor adds to list what could strike an actor now. isolated is set when
// there is a partition already.
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

// offer lets Pick answer each crash of the list. Until it does, it counts as decided
// that nothing of the list happens.
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

// offerTime lets Pick answer that time passes early. Until it does, it counts as
// decided that it does not.
func (f *faults) offerTime(r *recorder) {
	f.unstruck = r.hash
	r.decided(choice.Clock, 2, 0, false)
	f.list = append(f.list[:0], strike{actor: none, value: 1})
	f.offered = 1
}

// take takes a strike that Pick has answered, which is decided then.
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

// armFaults sets the bits by which the rest of the system asks for faults.
func (t *traffic) armFaults() {
	f := &t.faults
	f.strikes = f.left.onActors()
	t.mail.onSend &^= workMessage
	if f.left.onMessages() {
		t.mail.onSend |= workMessage
	}
}

// beginFaults chooses which kinds of fault a run of a swarm may use.
func (t *traffic) beginFaults() {
	f := &t.faults
	if !f.left.Swarm || !f.left.onMessages() && !f.left.onActors() {
		return
	}
	f.limitTo(t.choose(choice.Swarm, 1<<len(f.swarm())))
	t.armFaults()
}

// offersStrikes reports whether a strategy that needs it picks from crashes as it
// does from messages, and there are no partitions for it.
func (o *Options) offersStrikes() bool {
	return o.EarlyTimers == 0 && o.Faults.RestartKept == 0 && o.Faults.RestartLost == 0
}

// offersTime reports whether a strategy that needs it picks where time passes early as
// it picks messages.
func (o *Options) offersTime() bool {
	return o.EarlyTimers != 0 && !o.Faults.onMessages() && !o.Faults.onActors()
}

// goesAstray lets faults strike a message before it enters its channel, unless it
// finds a full mailbox. It
// reports whether that has dealt with the message; else it is to be posted.
func (t *traffic) goesAstray(m int32) bool {
	if t.mail.onSend&workObserve != 0 {
		tellSent(t.owner, m)
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

// exposed reports whether faults may touch a message.
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

// duplicate sends a message a second time.
func (t *traffic) duplicate(m int32) {
	c := t.copySlot(m)
	d := &t.mail.sends[c]
	d.Kind = trace.Copy
	if t.mail.onSend&workBounded != 0 && t.overflows(c) {
		return
	}
	t.launch(c)
}

// delay asks for how long a message is held back, and reports whether it is.
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
