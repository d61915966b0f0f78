package pulse

import (
	"unsafe"

	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/pulse/value"
)

// A Snapshot is a copy of the state of a run at a Pick. A search that goes back to a state
// restores a Snapshot in place of running the program again.
//
// Memory that the actors and messages refer to is restored in place: what a handler points
// to has its old contents again, at the same address, so that the test sees them too. No
// Snapshot can be made of functions, channels and unsafe pointers, of what the test's own
// tools may lead to (Options.Tools), of processes, and of runs with observers, faults
// between steps, early timers, disks or a Nemesis. A Snapshot cannot see variables that
// handlers reach without a pointer, such as those of a package. So after a run that was
// restored, the search must run the program from the beginning before it relies on its
// result.
//
// The next Save reuses the memory of a Snapshot.
type Snapshot struct {
	sys     *System
	run     int32
	entered int

	memory  value.Image
	actors  []actorCopy
	mail    mailCopy
	clock   clockCopy
	losses  [3]int // the remaining budgets of message faults; no other budget changes in a run of which snapshots are made
	todo    agenda
	rec     recordCopy
	from    int32
	ask     int32
	inbox   int
	events  int // for histories: the lengths of stateWalk.events and stateWalk.histories, and stateWalk.known
	known   int
	history int
}

// An actorCopy holds what may change of an actor. It has no copy of the channels that Ctx.Send
// has found, because these stay the same channels as long as they exist.
type actorCopy struct {
	handler Actor
	track
	mailbox
	asks    int32
	ended   int32 // see trace.Actor
	history uint64
	rare    bool // set if the fields below are not zero
	more    rareCopy
}

// A rareCopy holds a copy of the parts of an actor that are zero for most
// actors.
type rareCopy struct {
	restarts int
	waits    wait
	watchers []int32
	lifetime
}

// A mailCopy holds what may change of a mailroom.
type mailCopy struct {
	ready    []int32
	channels []channel
	held     []int32
	first    int          // the slot of the first message in flight
	sends    []trace.Send // the messages from slot first on
	seq      int32
	front    int32
	taken    int32
	past     int32
	onSend   work
	cut      int32
	slow     int
	choosy   int
	orphans  int
	lost     int
}

// A clockCopy holds what may change of a clock during a Run.
type clockCopy struct {
	now           int64
	number        int32
	periodic, set int
	quiet         int
	quietSeq      int32
	heap          []entry
	owned         []int32
}

// A recordCopy holds what may change of a recorder, and the lengths of its lists.
type recordCopy struct {
	id, hash                                                       uint64
	cur, step, steps, called, sent, spawned, asked, logged         int32
	point                                                          point
	holds, choices, taken, notes, rests, passes, touches, answered int
}

// System returns the system of which the snapshot was made.
func (n *Snapshot) System() *System { return n.sys }

// Save makes a snapshot of the run's state, and reports whether that was
// possible. Call it only in Pick. If Save returns false, do not call Restore
// with the snapshot.
func (e *Enabled) Save(n *Snapshot) bool {
	s := e.sys
	if !isCopyable(s) {
		return false
	}
	n.sys, n.run, n.entered = s, s.run, s.entered
	if n.mail.save(&s.mail); !n.saveMemory() {
		return false
	}
	n.saveActors()
	n.clock.save(&s.clock)
	left := &s.faults.left
	n.losses, n.todo = [...]int{left.Drop, left.Duplicate, left.Delay}, s.todo
	n.rec.save(&s.rec)
	n.from, n.ask, n.inbox = s.from, s.ask, len(s.inbox)
	if w := s.states; w != nil {
		n.events, n.known, n.history = len(w.events), w.known, len(w.histories)
	}
	return true
}

// isCopyable reports whether a snapshot can be made now: no observer, process,
// disk write, fault by a Nemesis or other feature is in use that a snapshot
// does not cover. If isCopyable returns true both at Save and at Restore, the
// parts without a copy did not change in between.
func isCopyable(s *System) bool {
	return s.rec.on && !threaded && len(s.observers) == 0 && !s.options.Isolation && s.inUse == 0 && len(s.pool.hosted) == 0 && !s.mail.matches &&
		s.rec.strikes == 0 && s.rec.written == 0 && s.todo.beforeStep == 0 && !s.fails.any() && s.actors[trace.Test].await == 0
}

// saveMemory copies the memory that handlers, messages and the test's inbox refer to.
func (n *Snapshot) saveMemory() bool {
	s, m := n.sys, &n.memory
	m.Begin(s.values)
	for _, a := range s.actors[1:] {
		if a.spec.Process != nil || !m.Add(a.behind()) {
			return false
		}
	}
	for i := range n.mail.sends {
		if d := &n.mail.sends[i]; d.Fate == trace.Pending && !m.Add(d.Body) {
			return false
		}
	}
	for _, list := range [...][]any{s.inbox, s.asking.answers} {
		for _, v := range list {
			if !m.Add(v) {
				return false
			}
		}
	}
	return true
}

func (n *Snapshot) saveActors() {
	s := n.sys
	for len(n.actors) < len(s.actors) {
		n.actors = append(n.actors, actorCopy{})
	}
	n.actors = n.actors[:len(s.actors)]
	for i, a := range s.actors {
		c := &n.actors[i]
		c.handler, c.track, c.mailbox = a.handler, a.track, a.mailbox
		c.asks, c.ended, c.history = a.asks, s.rec.trace.Actors[i].Ended, a.history
		if c.rare = a.isRare(); c.rare {
			c.more = rareCopy{a.restarts, a.waits, append(c.more.watchers[:0], a.watchers...), a.lifetime}
		}
	}
}

// isIdentical reports whether two interface values have the same words. It may return false
// for values that are equal.
func isIdentical(x, y Actor) bool {
	return *(*[2]uintptr)(unsafe.Pointer(&x)) == *(*[2]uintptr)(unsafe.Pointer(&y))
}

// isRare reports whether an actor has any of what a rareCopy holds.
func (a *actor) isRare() bool {
	return a.used || a.restarts != 0 || len(a.watchers) > 0 || a.waits.verb != "" || a.waits.text != ""
}

func (c *mailCopy) save(r *mailroom) {
	c.ready = append(c.ready[:0], r.ready...)
	c.channels = append(c.channels[:0], r.channels...)
	c.held = append(c.held[:0], r.held...)
	c.first = indexFunc(r.sends, func(d trace.Send) bool { return d.Fate == trace.Pending })
	if c.first < 0 {
		c.first = len(r.sends)
	}
	c.sends = append(c.sends[:0], r.sends[c.first:]...)
	c.seq, c.front, c.taken, c.past, c.onSend = r.seq, r.front, r.taken, r.past, r.onSend
	c.cut, c.slow, c.choosy = r.cut, r.slow, r.choosy
	c.orphans, c.lost = len(r.orphans.kept), r.orphans.lost
}

// Restore brings the run back to the state of a snapshot, and reports whether
// that was possible. It returns false if the snapshot is of another run, or of
// an earlier call to Run, or if the run has meanwhile used a feature that a
// Snapshot does not cover. Call it only in Pick, which must then return Again.
//
// Snapshots made after this one become invalid.
func (e *Enabled) Restore(n *Snapshot) bool {
	s := e.sys
	if n.sys != s || n.run != s.run || n.entered != s.entered || !isCopyable(s) {
		return false
	}
	n.restoreMail(&s.mail)
	n.restoreActors()
	n.memory.Restore()
	n.clock.restore(&s.clock)
	left := &s.faults.left
	left.Drop, left.Duplicate, left.Delay, s.todo = n.losses[0], n.losses[1], n.losses[2], n.todo
	n.rec.restore(&s.rec)
	s.from, s.ask, s.inbox = n.from, n.ask, s.inbox[:n.inbox]
	if w := s.states; w != nil {
		w.events, w.known, w.histories = w.events[:n.events], n.known, w.histories[:n.history]
		w.same, w.bodies = min(w.same, len(s.actors)), w.bodies[:min(len(w.bodies), len(s.mail.sends))]
	}
	e.last, e.moved, e.mail.moved, e.restored = View{}, 0, 0, true
	e.restores++
	e.oldest.Renew()
	return true
}

func (n *Snapshot) restoreMail(r *mailroom) {
	c := &n.mail
	for i := len(r.channels) - 1; i >= len(c.channels); i-- {
		x := &r.channels[i]
		r.table.Delete(channelKey(x.from, x.to))
		if x.from >= 0 {
			n.sys.actors[x.from].ctx.forget(x.to)
		}
	}
	r.ready = append(r.ready[:0], c.ready...)
	r.channels = append(r.channels[:0], c.channels...)
	r.held = append(r.held[:0], c.held...)
	r.sends = append(r.sends[:c.first], c.sends...)
	r.boxes = r.boxes[:len(n.actors)]
	r.seq, r.front, r.taken, r.past, r.onSend = c.seq, c.front, c.taken, c.past, c.onSend
	r.cut, r.slow, r.choosy = c.cut, c.slow, c.choosy
	r.orphans.kept, r.orphans.lost = r.orphans.kept[:c.orphans], c.lost
}

func (n *Snapshot) restoreActors() {
	s := n.sys
	s.actors, s.rec.trace.Actors = s.actors[:len(n.actors)], s.rec.trace.Actors[:len(n.actors)]
	for i, a := range s.actors {
		c := &n.actors[i]
		if !isIdentical(a.handler, c.handler) { // compare first, because storing a pointer is expensive
			a.handler = c.handler
		}
		a.track, a.mailbox = c.track, c.mailbox
		a.asks, a.history = c.asks, c.history
		s.rec.trace.Actors[i].Ended = c.ended
		switch {
		case c.rare:
			a.restarts, a.waits, a.lifetime = c.more.restarts, c.more.waits, c.more.lifetime
			a.watchers = append(a.watchers[:0], c.more.watchers...)
		case a.isRare():
			a.restarts, a.waits, a.watchers = 0, wait{}, a.watchers[:0]
			a.forget()
		}
	}
}

func (c *recordCopy) save(r *recorder) {
	c.id, c.hash = r.id, r.hash
	c.cur, c.step, c.steps, c.called, c.sent, c.spawned = r.cur, r.step, r.steps, r.called, r.sent, r.spawned
	c.asked, c.logged, c.point = r.asked, r.logged, r.point
	t := &r.trace
	c.holds, c.choices, c.taken, c.notes = len(r.holds), len(r.record.Choices), len(t.Steps), len(t.Notes)
	c.rests, c.passes, c.touches, c.answered = len(t.Rests), len(t.Passes), len(t.Touches), len(t.Answers)
}

// restore brings a recorder back to the state of the copy, and cuts its lists
// to their old lengths. The remaining elements have not changed since, except
// those of Trace.Actors and Trace.Sends.
func (c *recordCopy) restore(r *recorder) {
	r.id, r.hash = c.id, c.hash
	r.cur, r.step, r.steps, r.called, r.sent, r.spawned = c.cur, c.step, c.steps, c.called, c.sent, c.spawned
	r.asked, r.logged, r.point = c.asked, c.logged, c.point
	t := &r.trace
	r.holds, r.record.Choices, t.Steps, t.Notes = r.holds[:c.holds], r.record.Choices[:c.choices], t.Steps[:c.taken], t.Notes[:c.notes]
	t.Rests, t.Passes, t.Touches, t.Answers = t.Rests[:c.rests], t.Passes[:c.passes], t.Touches[:c.touches], t.Answers[:c.answered]
}

func (c *clockCopy) save(from *clock) {
	c.now, c.number, c.periodic, c.set, c.quiet, c.quietSeq = from.now, from.number, from.periodic, from.set, from.quiet, from.quietSeq
	c.heap = append(c.heap[:0], from.heap...)
	c.owned = append(c.owned[:0], from.owned...)
}

func (c *clockCopy) restore(to *clock) {
	to.now, to.number, to.periodic, to.set, to.quiet, to.quietSeq = c.now, c.number, c.periodic, c.set, c.quiet, c.quietSeq
	to.owned = append(to.owned[:0], c.owned...)
	to.heap = append(to.heap[:0], c.heap...)
	for i := range to.heap {
		to.put(i, &to.heap[i]) // put also updates clock.places
	}
}
