package pulse

import (
	"cmp"
	"slices"
	"strconv"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// State returns a hash of all that the rest of the run depends on. It is for
// a strategy that Needs states, between two steps (in Pick, not in a Choose of
// the program), and for who looks at a system that does not run. Where two
// runs of one program have equal states, the same can happen from there, but
// for a collision of hashes. It is the same in every process and on every
// machine of the same word size.
//
// It covers the actors, the messages on their way, timers and time, what is
// left of the budgets, and what the test has received. The bound on steps is
// not part of it, nor is the order in which actors came to be.
//
// The state of a handler is its method Hash() uint64, or else all that its
// fields lead to. What leads to a function, a channel or an unsafe pointer
// cannot be read, and neither can the stack of a process. Such an actor is
// told by its history: what it has received and when, what was chosen in its
// steps, and the history of who spawned it. This does not see what it learns
// otherwise: from variables that other actors write too, or by Timer.Stop.
func (s *System) State() uint64 {
	w := s.walkState("State", false)
	if w == nil {
		return 0
	}
	return w.h
}

// StateText returns in words what State hashes, a line for each actor, channel
// and timer. It never calls a Hash method: two states of equal hash with
// different texts show one that leaves out what matters.
func (s *System) StateText() string {
	w := s.walkState("StateText", true)
	if w == nil {
		return ""
	}
	return string(w.text)
}

// walkState walks over the whole system. It returns nil when the call comes
// from another goroutine: the run then fails.
func (s *System) walkState(what string, texts bool) *stateWalk {
	if !s.mayLook(what) {
		return nil
	}
	w := s.states
	if w == nil {
		s.misuse("%s: the strategy does not need states, and without one that does no histories are kept", what)
	}
	w.begin(s, texts)
	w.everything()
	w.rollback(0) // holds no pointer, but compares with those of the next walk
	return w
}

// begin makes ready for a walk.
func (w *stateWalk) begin(s *System, texts bool) {
	w.rollback(0) // what a panic in a Hash method left
	w.renew()
	w.h, w.unread, w.texts, w.text = 0, false, texts, w.text[:0]
	w.sorted = false
	for i := len(w.order); i < len(s.actors); i++ {
		id := s.actors[i].id
		at, _ := slices.BinarySearchFunc(w.order, id, func(j int32, id uint64) int { return cmp.Compare(s.actors[j].id, id) })
		w.order = slices.Insert(w.order, at, int32(i))
	}
}

// renew forgets the run before.
func (w *stateWalk) renew() {
	if w.run != w.sys.run {
		w.run = w.sys.run
		w.order, w.histories = w.order[:0], w.histories[:0]
	}
}

// Tags begin what may follow each other, so that no two states give the same
// words.
const (
	tagActor uint64 = 0x5ca1ab1e + iota
	tagEnded
	tagHash
	tagHistory
	tagChannel
	tagMessage
	tagUnread
	tagTimer
	tagRest
	tagOrphan
	tagOverlap
)

// everything is all parts of the state in an order that does not depend on how
// it came about: where that of the system does, by identities.
func (w *stateWalk) everything() {
	s := w.sys
	for _, i := range w.order {
		w.actor(s.actors[i])
	}
	if s.mail.unordered {
		w.cloud()
	} else {
		w.channels()
	}
	for i := range w.dueTimers() {
		w.timer(&w.due[i])
	}
	w.rest()
	w.overlaps()
}

// actor is all of an actor but its mailbox. What one that has ended leaves
// behind cannot matter to others, but to the check when the run is over.
func (w *stateWalk) actor(a *actor) {
	w.tag(tagActor, "\nactor ")
	w.hex(a.id)
	if a.life == ended {
		w.tag(tagEnded, "ended ")
		w.handler(a)
		return
	}
	w.says("life ")
	w.unsigned(uint64(a.life))
	w.says("of ")
	w.hex(w.idOf(a.parent))
	w.says("accepts ")
	w.unsigned(uint64(a.accept))
	w.signed(int64(a.await))
	w.flag(a.await != 0 && a.answered == a.await)
	w.says("restarts ")
	w.signed(int64(a.restarts))
	if a.special {
		w.says("spec ")
		w.unsigned(uint64(a.spec.OnPanic))
		w.signed(int64(a.spec.Restarts))
		w.flag(a.spec.Safe)
		w.flag(a.spec.New != nil)
	}
	w.watchers(a)
	w.handler(a)
}

// watchers are a multiset: each is told by a channel of its own.
func (w *stateWalk) watchers(a *actor) {
	w.says("watchers ")
	sum := uint64(len(a.watchers))
	for _, i := range a.watchers {
		id := w.sys.actors[i].id
		sum += hash.Fold(id, id)
	}
	w.hex(sum)
}

// handler is what an actor keeps between its steps, or if that cannot be read
// how it came to it.
func (w *stateWalk) handler(a *actor) {
	sh := w.shapeOf(a.handler)
	if sh.hashes && !w.texts {
		w.typed(sh)
		w.word(tagHash)
		w.word(a.handler.(hasher).Hash())
		return
	}
	before := w.save()
	switch {
	case a.spec.Process != nil:
		w.unread = true
	case a.actor == trace.Test:
		w.inbox()
	default:
		w.dynamic(a.handler)
	}
	if w.unread {
		w.restore(before)
		w.typed(sh)
		w.tag(tagHistory, "history ")
		w.hex(hash.Fold(a.history, w.sys.rec.stepID(a.last)))
	}
}

// inbox is what the test has received, which its check may look at.
func (w *stateWalk) inbox() {
	for _, body := range w.sys.inbox {
		w.dynamic(body)
	}
}

// idOf is the identity of an actor, or nobody's.
func (w *stateWalk) idOf(actor int32) uint64 {
	if actor < 0 {
		return 0
	}
	return w.sys.actors[actor].id
}

// channels are FIFO's: each a sequence, by the identities of its ends.
func (w *stateWalk) channels() {
	s := w.sys
	for _, to := range w.order {
		w.inward = w.inward[:0]
		for i := s.actors[to].inward; i >= 0; i = s.mail.channels[i].sibling {
			if s.mail.channels[i].head >= 0 {
				w.inward = append(w.inward, i)
			}
		}
		if len(w.inward) > 1 {
			slices.SortFunc(w.inward, func(x, y int32) int {
				return cmp.Compare(w.idOf(s.mail.channels[x].from), w.idOf(s.mail.channels[y].from))
			})
		}
		for _, i := range w.inward {
			c := &s.mail.channels[i]
			w.tag(tagChannel, "\nchannel ")
			w.hex(w.idOf(c.from))
			w.hex(w.idOf(to))
			for m := c.head; m >= 0; m = s.mail.sends[m].Next {
				w.tag(tagMessage, "← ")
				w.message(m, !c.open && c.candidate != m)
			}
		}
	}
}

// cloud is Unordered's: a multiset of messages. They are walked in the order of
// what they are, so that pointers are numbered alike.
func (w *stateWalk) cloud() {
	s := w.sys
	w.keyed = w.keyed[:0]
	for _, m := range s.mail.ready {
		w.addKeyed(m, false)
	}
	for _, m := range s.mail.held {
		w.addKeyed(m, true)
	}
	if s.mail.slow > 0 {
		for i := range s.clock.heap {
			if e := &s.clock.heap[i]; e.effect == release {
				w.addKeyed(e.send, true)
			}
		}
	}
	slices.SortFunc(w.keyed, func(x, y keyedSlot) int { return cmp.Compare(x.key, y.key) })
	for _, k := range w.keyed {
		if k.whole && !w.texts {
			w.word(k.key)
			continue
		}
		w.tag(tagMessage, "\nmessage ")
		w.ends(k.slot)
		w.message(k.slot, k.held)
	}
}

// keyedSlot is a message with the hash of what it is but for pointers that it
// shares with other messages.
type keyedSlot struct {
	key   uint64
	slot  int32
	held  bool
	whole bool // it has no pointers
}

func (w *stateWalk) addKeyed(m int32, held bool) {
	before := w.probe()
	w.ends(m)
	w.message(m, held)
	key := w.h
	w.endProbe(before)
	w.keyed = append(w.keyed, keyedSlot{key, m, held, w.shapeOf(w.sys.mail.sends[m].Body).tree})
}

func (w *stateWalk) ends(m int32) {
	d := &w.sys.mail.sends[m]
	w.hex(w.idOf(d.From))
	w.hex(w.idOf(d.To))
}

// message is all of a message but its ends. A copy that a fault made is a
// message like any other; when a timer was set does not show in its message.
func (w *stateWalk) message(m int32, held bool) {
	s := w.sys
	d := &s.mail.sends[m]
	kind := d.Kind
	if kind == trace.Copy {
		kind = trace.Message
	}
	w.unsigned(uint64(kind))
	w.signed(int64(d.Ask))
	w.flag(held)
	if s.mail.slow > 0 {
		if i := s.clock.delayOf(m); i >= 0 {
			w.says("due ")
			w.signed(s.clock.heap[i].at)
		}
	}
	if kind == trace.Periodic {
		w.signed(w.timerIndex(func(e *entry) bool { return e.last == m }))
	}
	w.body(d)
}

// body is what a message holds. If that cannot be read it follows from what
// the sender had received by then.
func (w *stateWalk) body(d *trace.Send) {
	before := w.save()
	w.dynamic(d.Body)
	if w.unread {
		w.restore(before)
		w.tag(tagUnread, "unread ")
		w.hex(hash.Fold(d.ID, w.historyAt(d.Step)))
	}
}

// dueTimers are the timers of actors in the order in which they will fire.
// Those that are due at one time at one actor fire in the order of setting.
func (w *stateWalk) dueTimers() []entry {
	if w.sorted {
		return w.due
	}
	w.sorted, w.due = true, w.due[:0]
	for _, e := range w.sys.clock.heap {
		if e.effect <= tick {
			w.due = append(w.due, e)
		}
	}
	slices.SortFunc(w.due, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(w.idOf(x.actor), w.idOf(y.actor)), cmp.Compare(x.number, y.number))
	})
	return w.due
}

// timerIndex names a timer by its place among all, from 1; 0 is one that has
// fired or was stopped.
func (w *stateWalk) timerIndex(is func(*entry) bool) int64 {
	list := w.dueTimers()
	for i := range list {
		if is(&list[i]) {
			return int64(i) + 1
		}
	}
	return 0
}

func (w *stateWalk) timer(e *entry) {
	w.tag(tagTimer, "\ntimer at ")
	w.signed(e.at)
	w.says("of ")
	w.hex(w.idOf(e.actor))
	w.says("each ")
	w.signed(e.period)
	w.flag(e.last != none)
	d := &w.sys.mail.sends[e.send]
	w.signed(int64(d.Ask))
	w.body(d)
}

// rest is what is not of one actor or message.
func (w *stateWalk) rest() {
	s := w.sys
	w.tag(tagRest, "\nnow ")
	w.signed(s.clock.now)
	w.says("test ")
	made := origin{s.rec.sent, s.rec.spawned}
	if s.calls.running {
		made = s.root
		w.flag(s.clock.timed)
		w.signed(s.until)
	}
	w.signed(int64(made.sent))
	w.signed(int64(made.spawned))
	if s.options.EarlyTimers > 0 {
		w.says("early ")
		w.signed(int64(s.faults.early))
	}
	if s.clock.periodic > 0 && s.mail.seq == s.clock.quietSeq {
		w.says("quiet ")
		w.signed(int64(s.clock.quiet))
	}
	w.budgets()
	if s.options.Orphans {
		w.orphans()
	}
}

func (w *stateWalk) budgets() {
	f := &w.sys.faults
	w.says("cut ")
	w.hex(w.idOf(w.sys.mail.cut))
	w.says("budgets ")
	l := &f.left
	for _, n := range [...]int{l.Drop, l.Duplicate, l.Delay, l.Crash, l.RestartKept, l.RestartLost, l.Partition} {
		w.signed(int64(n))
	}
}

// orphans are in the order in which they came to be: the first one is in the
// report.
func (w *stateWalk) orphans() {
	for _, m := range w.sys.mail.orphans.kept {
		w.tag(tagOrphan, "\norphan ")
		w.ends(m)
		w.body(&w.sys.mail.sends[m])
	}
	w.signed(int64(w.sys.mail.orphans.lost))
}

// remember adds to an actor's history that a step begins in which it receives
// a message. prev is the actor's step before: faults are steps too and have
// no other place in the history, no more than restarts.
func (s *System) remember(d *trace.Send, a *actor, prev int32) {
	w := s.states
	w.begin(s, false)
	w.body(d)
	h := hash.Fold(a.history, s.rec.stepID(prev))
	a.history = hash.Fold(hash.Fold(h, uint64(s.clock.now)), hash.Fold(w.h, uint64(a.restarts)))
	w.keep(s.rec.step, a.history)
}

// learn adds to the history of who is running what the system told it.
func (s *cast) learn(v uint64) {
	a := s.actors[s.rec.cur]
	a.history = hash.Fold(a.history, v)
	if s.rec.cur != trace.Test {
		s.states.keep(s.rec.step, a.history)
	}
}

// keep notes the history of an actor in a step. Faults have none.
func (w *stateWalk) keep(step int32, history uint64) {
	for len(w.histories) <= int(step) {
		w.histories = append(w.histories, 0)
	}
	w.histories[step] = history
}

// historyAt is the history of an actor in a step of its, or that of the test.
func (w *stateWalk) historyAt(step int32) uint64 {
	if step < 0 || int(step) >= len(w.histories) {
		return w.sys.actors[trace.Test].history
	}
	return w.histories[step]
}

// What follows is how words get into the hash and into the text. Whatever is
// in the one is in the other.

func (w *stateWalk) word(x uint64) { w.h = hash.Fold(w.h, x) }

func (w *stateWalk) says(text string) {
	if w.texts {
		w.text = append(w.text, text...)
	}
}

func (w *stateWalk) tag(x uint64, text string) {
	w.word(x)
	w.says(text)
}

func (w *stateWalk) flag(b bool) {
	if b {
		w.tag(1, "yes ")
	} else {
		w.tag(0, "no ")
	}
}

func (w *stateWalk) signed(x int64) {
	w.word(uint64(x))
	if w.texts {
		w.text = append(strconv.AppendInt(w.text, x, 10), ' ')
	}
}

func (w *stateWalk) unsigned(x uint64) {
	w.word(x)
	if w.texts {
		w.text = append(strconv.AppendUint(w.text, x, 10), ' ')
	}
}

func (w *stateWalk) hex(x uint64) {
	w.word(x)
	if w.texts {
		w.text = append(strconv.AppendUint(append(w.text, "0x"...), x, 16), ' ')
	}
}

func (w *stateWalk) string(s string) {
	w.bytes(unsafe.StringData(s), len(s))
	if w.texts {
		w.text = append(strconv.AppendQuote(w.text, s), ' ')
	}
}

// bytes hashes eight at a time, whatever the machine's order of bytes.
func (w *stateWalk) bytes(data *byte, n int) {
	h := hash.Fold(w.h, uint64(n))
	list := unsafe.Slice(data, n)
	for len(list) >= 8 {
		_ = list[7]
		h = hash.Fold(h, uint64(list[0])|uint64(list[1])<<8|uint64(list[2])<<16|uint64(list[3])<<24|
			uint64(list[4])<<32|uint64(list[5])<<40|uint64(list[6])<<48|uint64(list[7])<<56)
		list = list[8:]
	}
	last := uint64(0)
	for i, b := range list {
		last |= uint64(b) << (8 * i)
	}
	w.h = hash.Fold(h, last)
}
