package pulse_test

import (
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// This file has the actions of the model's actors, its clock and its faults.

func (w *modelWorld) does(a *modelActor, x action) {
	i := a.index
	switch x.do {
	case doSend:
		w.give(a, modelRef{actor: x.a % len(w.actors)}, x.b)
	case doReply:
		w.give(a, a.sender, x.b)
	case doKeep:
		kept := a.sender
		a.kept = &kept
	case doAnswer:
		if a.kept != nil {
			w.give(a, *a.kept, x.b)
		}
	case doSpawn:
		w.spawn(x.a, i)
	case doStop:
		w.ending = true
	case doSet:
		a.state = x.a % modelStates
	case doBecome:
		a.table = x.a % modelTables
	case doWatch:
		other := w.actors[x.a%len(w.actors)]
		if other.life == "alive" {
			other.watchers = append(other.watchers, i)
		} else {
			w.tellDown(other.index, i, "gone")
		}
	case doKill:
		if to := x.a % len(w.actors); to != 0 {
			w.send(i, modelRef{actor: to}, trace.Kill, modelMark{}, 0)
		}
	case doAfter:
		w.make(i, x.b, func(m modelMark) { w.after(a, int64(x.a), 0, m) })
	case doEvery:
		w.make(i, x.b, func(m modelMark) { w.after(a, int64(x.a+1), int64(x.a+1), m) })
	case doStopTimer:
		if n := len(a.timers); n > 0 {
			in := w.stopTimer(a.timers[x.a%n])
			w.emit("stopTimer", modelMark{}, int32(i), int32(boolToInt(in)))
		}
	case doChoose:
		a.state = w.ask(choice.Program, x.a+1) % modelStates
	case doMayCrash:
		w.crashes = w.crashes || w.options.crash > 0 && !a.safe && w.ask(choice.Crash, 2) == 1
	case doWrite:
		a.writes = append(a.writes, modelWrite{diskName(x.a), x.b})
	case doSync:
		for _, write := range a.writes {
			a.disk[write.name] = write.value
		}
		a.writes = nil
	case doRead:
		w.reads(a, x.a)
	case doUnwatch:
		w.unwatch(a, w.actors[x.a%len(w.actors)])
	case doSendAfter:
		w.make(i, x.b, func(m modelMark) {
			to := x.a % len(w.actors)
			t := &modelTimer{at: w.now + int64(x.c), owner: -1, message: w.message(i, to, trace.Timer, m, 0)}
			if to == i {
				t.owner = i
			}
			w.setTimer(t)
			a.timers = append(a.timers, t.number)
		})
	default:
		w.strikesBy(i, x)
	}
}

// reads logs the value that actor a last wrote to its disk under a name, or -1
// if there is none.
func (w *modelWorld) reads(a *modelActor, name int) {
	value, there := a.disk[diskName(name)]
	if !there {
		value = -1
	}
	for _, write := range a.writes {
		if write.name == diskName(name) {
			value = write.value
		}
	}
	w.emit("read", modelMark{}, int32(a.index), int32(value))
}

// losesWrites removes the writes that a crash loses from a disk.
func (w *modelWorld) losesWrites(a *modelActor) {
	loss := func(of int) int {
		if w.failed >= 0 {
			return 0
		}
		w.begin() // the test may crash the actor before the first run
		return w.ask(choice.Loss, of)
	}
	n := len(a.writes)
	if n > 0 && !w.options.anyWrite {
		n -= loss(n + 1)
	}
	for i, write := range a.writes {
		if i < n && !(w.options.anyWrite && loss(2) == 1) {
			a.disk[write.name] = write.value
		}
	}
	a.writes = nil
	if w.fault == "a crash takes what was synced" {
		clear(a.disk)
	}
}

// strikesBy lets an actor or the test use a Nemesis.
func (w *modelWorld) strikesBy(me int, x action) {
	i, j := x.a%len(w.actors), x.c%len(w.actors)
	a := w.actors[i]
	struck := func(did bool) { w.emit("struck", modelMark{}, int32(x.do), int32(i), int32(boolToInt(did))) }
	switch {
	case x.do == doCrash && i > 0 && !w.descends(me, i):
		did := a.life == "alive"
		if did {
			w.crash(a)
		}
		struck(did)
	case x.do == doKept && i > 0 && !a.process, x.do == doLost && (a.process || a.renewed):
		struck(a.life == "down")
		if a.life == "down" {
			w.revive(a, x.do == doLost, i)
		}
	case x.do == doHeal:
		clear(w.links)
	case i == j:
	case x.do == doPartition:
		for k := j; k < len(w.actors); k++ {
			if k != i {
				w.cutLink(i, k)
				w.cutLink(k, i)
			}
		}
	case x.do == doCut:
		w.cutLink(i, j)
		if w.fault == "a cut is no way back" {
			w.cutLink(j, i)
		}
	case x.do == doLose:
		l := w.links[[2]int{i, j}]
		l.lose = x.b
		w.links[[2]int{i, j}] = l
	case x.do == doDelay:
		l := w.links[[2]int{i, j}]
		l.delayed = int64(2 * x.b)
		w.links[[2]int{i, j}] = l
	}
}

func (w *modelWorld) cutLink(from, to int) {
	l := w.links[[2]int{from, to}]
	l.cut = true
	w.links[[2]int{from, to}] = l
}

func (w *modelWorld) descends(actor, from int) bool {
	for ; actor > 0; actor = w.actors[actor].parent {
		if actor == from {
			return true
		}
	}
	return false
}

// revive restarts a crashed actor.
func (w *modelWorld) revive(a *modelActor, lose bool, starter int) {
	a.life = "alive"
	if !lose {
		w.startAgain(a, pulse.StartKept, starter)
		return
	}
	if w.fault != "a restart loses no state" {
		a.state, a.table, a.kept, a.timers = 0, 0, nil, nil
	}
	w.startAgain(a, pulse.StartLost, starter)
}

func (w *modelWorld) give(a *modelActor, to modelRef, kind int) {
	w.make(a.index, kind, func(m modelMark) { w.send(a.index, to, trace.Message, m, 0) })
}

func (w *modelWorld) tellDown(from, to int, reason string) {
	w.send(from, modelRef{actor: to}, trace.Down,
		modelMark{3: kindDown, 4: int32(from), 5: int32(slices.Index(reasons, reason))}, 0)
}

// end ends an actor: its messages become orphans, and its watchers are notified.
func (w *modelWorld) end(a *modelActor, reason string) {
	if a.life == "ended" {
		return
	}
	wasDown := a.life == "down"
	a.life, a.idle = "ended", w.idle
	w.shut(a, w.orphan)
	if !wasDown {
		w.tellWatchers(a, reason)
	}
}

func (w *modelWorld) shut(a *modelActor, fate func(*modelMessage)) {
	a.wait, a.await, a.wake = "nothing", 0, nil
	w.timers = slices.DeleteFunc(w.timers, func(t *modelTimer) bool {
		switch {
		case t.owner == a.index || w.fault == "what is sent later ends with its sender" && t.owner < 0 && t.message.from == a.index:
			t.message.fate = trace.Dropped
			return true
		case t.release && t.message.slow && t.message.to == a.index:
			return true
		}
		return false
	})
	w.pending = slices.DeleteFunc(w.pending, func(m *modelMessage) bool {
		if m.to == a.index {
			fate(m)
		}
		return m.to == a.index
	})
}

func (w *modelWorld) tellWatchers(a *modelActor, reason string) {
	list := a.watchers
	a.watchers = nil
	if w.fault == "watchers are not told" && reason == "crashed" {
		return
	}
	for _, to := range list {
		w.tellDown(a.index, to, reason)
	}
}

// unwatch ends the watches of one actor by another, and withdraws Downs on
// their way.
func (w *modelWorld) unwatch(a, other *modelActor) {
	other.watchers = slices.DeleteFunc(other.watchers, func(i int) bool { return i == a.index })
	if w.fault == "an Unwatch is too late" {
		return
	}
	w.pending = slices.DeleteFunc(w.pending, func(m *modelMessage) bool {
		is := m.kind == trace.Down && m.from == other.index && m.to == a.index
		if is {
			m.fate = trace.Dropped
		}
		return is
	})
}

func (w *modelWorld) after(a *modelActor, d, period int64, m modelMark) {
	kind := trace.Timer
	if period > 0 {
		kind = trace.Periodic
	}
	t := &modelTimer{at: w.now + d, period: period, owner: a.index, message: w.message(a.index, a.index, kind, m, 0)}
	w.setTimer(t)
	if period > 0 {
		t.message.every = t
	}
	a.timers = append(a.timers, t.number)
}

func (w *modelWorld) setTimer(t *modelTimer) {
	w.numbers++
	t.number = w.numbers
	if w.fault == "a timer comes late" {
		t.at++
	}
	w.timers = append(w.timers, t)
}

func (w *modelWorld) stopTimer(number int) bool {
	i := slices.IndexFunc(w.timers, func(t *modelTimer) bool { return t.number == number })
	if i < 0 {
		return false
	}
	w.timers[i].message.fate = trace.Dropped
	w.timers = slices.Delete(w.timers, i, i+1)
	return true
}

func (w *modelWorld) timePasses(until int64, timed bool) bool {
	others, ticks := 0, 0
	due := false
	for _, t := range w.timers {
		if t.period > 0 {
			ticks++
		} else if t.at <= until {
			others++
		}
		due = due || t.at <= until
	}
	most := w.patience()
	if w.fault == "periodic timers rest too soon" {
		most--
	}
	return due && (timed || others > 0 || w.row < most*ticks)
}

// pass advances the model's clock to the next time at which something is due,
// and fires what is due.
func (w *modelWorld) pass(until int64, timed bool) bool {
	if !w.timePasses(until, timed) {
		return false
	}
	next := w.timers[0].at
	for _, t := range w.timers {
		next = min(next, t.at)
	}
	w.now = max(w.now, next)
	due := slices.DeleteFunc(slices.Clone(w.timers), func(t *modelTimer) bool { return t.at > w.now })
	slices.SortStableFunc(due, func(a, b *modelTimer) int { return int(a.at - b.at) })
	arrived := false
	for _, t := range due {
		if t.period > 0 {
			w.fire(t)
			continue
		}
		row := w.row
		w.row = 1
		w.fire(t)
		arrived = arrived || w.row == 0
		w.row = row
	}
	if arrived { // another message arrived at the same time, so the ticks at this time do not count as quiet, whatever the order of the timers
		w.row = 0
	}
	return true
}

func (w *modelWorld) fire(t *modelTimer) {
	if t.period > 0 {
		w.row++
		t.at += t.period
		if t.waiting == nil {
			t.waiting = t.message
			t.message = w.message(t.owner, t.owner, trace.Periodic, t.message.mark, 0)
			t.message.every = t
			w.arrive(t.waiting)
		}
		return
	}
	w.timers = slices.DeleteFunc(w.timers, func(x *modelTimer) bool { return x == t })
	switch {
	case t.release && !w.options.unordered:
		t.message.slow = false
	default:
		w.arrive(t.message)
	}
}

// resume lets a process continue with message m, for which it waited.
func (w *modelWorld) resume(a *modelActor, m *modelMessage) {
	wake := isWake(m)
	x := action{do: verbs}
	if a.wait == "start" {
		w.began(a)
	} else {
		x = a.script[a.next]
		a.next++
	}
	if a.await != 0 {
		w.withdraw(a, m)
	}
	if m.kind == trace.Poll {
		a.empty++
	} else {
		a.empty = 0
	}
	a.wait, a.await, a.wake = "running", 0, nil
	switch {
	case x.do == doSleep:
		w.emit("slept", modelMark{}, int32(a.index), int32(w.now))
	case wake:
		w.emit("timeout", modelMark{}, int32(a.index), int32(w.now))
	case x.do != verbs:
		w.got(a, m)
	}
	for ; a.next < len(a.script); a.next++ {
		if w.waits(a, a.script[a.next]) || w.crashes {
			return
		}
	}
	if !w.ending {
		w.end(a, "returned")
	}
}

// withdraw withdraws the other messages that could have ended the wait that
// m has ended: the timer and a late answer.
func (w *modelWorld) withdraw(a *modelActor, m *modelMessage) {
	for _, x := range w.sent {
		if x != m && x.to == a.index && x.ask == a.await && x.fate == trace.Pending &&
			(x.kind == trace.Timer || x.kind == trace.Poll || x.kind == trace.Reply && w.fault != "a late answer is taken") {
			x.fate = trace.Dropped
			w.pending = slices.DeleteFunc(w.pending, func(y *modelMessage) bool { return y == x })
			w.timers = slices.DeleteFunc(w.timers, func(t *modelTimer) bool { return t.message == x })
		}
	}
}

// waits performs an action of a process and reports whether the process then waits in
// it.
func (w *modelWorld) waits(a *modelActor, x action) bool {
	timeout := -1
	switch x.do {
	case doReceive:
		a.wait = "any"
	case doMatch:
		a.wait, a.mask = "match", x.a
	case doReceiveTimeout:
		a.wait, timeout = "any", x.a
	case doSleep:
		a.wait, timeout = "wake", x.a
	case doAsk, doAskTimeout:
		w.numbers++
		number := w.numbers
		if !w.make(a.index, x.b, func(m modelMark) {
			a.await = number
			w.send(a.index, modelRef{actor: x.a % len(w.actors)}, trace.Message, m, number)
		}) {
			return false
		}
		a.wait = "reply"
		if x.do == doAskTimeout {
			timeout = x.c
		}
	default:
		w.does(a, x)
		return false
	}
	if timeout >= 0 {
		if a.await == 0 {
			w.numbers++
			a.await = w.numbers
		}
		if x.do == doReceiveTimeout && timeout == 0 && a.empty < w.patience() {
			w.arrive(w.message(a.index, a.index, trace.Poll, modelMark{}, a.await))
			return true
		}
		a.wake = &modelTimer{at: w.now + int64(timeout), owner: a.index,
			message: w.message(a.index, a.index, trace.Timer, modelMark{}, a.await)}
		w.setTimer(a.wake)
	}
	return true
}

// patience returns how many consecutive ticks or polls may have no effect.
func (w *modelWorld) patience() int {
	if w.options.ticks == 0 {
		return 10
	}
	return w.options.ticks
}

// A modelStrike is a fault that could strike an actor now.
type modelStrike struct {
	what  string
	actor int
}

func (w *modelWorld) listStrikes() (list []modelStrike) {
	o := &w.options
	if w.cut >= 0 {
		list = append(list, modelStrike{"heal", w.cut})
	}
	for i, a := range w.actors {
		may := map[string]bool{
			"crash":     a.life == "alive" && o.crash > 0,
			"partition": a.life == "alive" && o.partition > 0 && w.cut < 0,
			"kept":      a.life == "down" && o.kept > 0 && !a.process,
			"lost":      a.life == "down" && o.lost > 0 && (a.process || a.renewed),
		}
		for _, what := range []string{"crash", "partition", "kept", "lost"} {
			if i > 0 && !a.safe && may[what] {
				list = append(list, modelStrike{what, i})
			}
		}
	}
	return list
}

func (w *modelWorld) strike() bool {
	list := w.listStrikes()
	if len(list) == 0 {
		return false
	}
	v := w.ask(choice.Fault, len(list)+1)
	if v == 0 {
		return false
	}
	w.inflict(list[v-1])
	return true
}

func (w *modelWorld) healAtEnd() bool {
	if w.cut < 0 {
		return false
	}
	w.inflict(modelStrike{"heal", w.cut})
	return true
}

func (w *modelWorld) inflict(x modelStrike) {
	o, a := &w.options, w.actors[x.actor]
	w.cur = x.actor
	w.steps++
	switch x.what {
	case "heal":
		w.cut = -1
	case "partition":
		o.partition--
		w.cut = x.actor
		if w.fault == "a cut actor's messages are lost" {
			w.pending = slices.DeleteFunc(w.pending, w.crosses)
		}
	case "crash":
		o.crash--
		w.crash(a)
	case "kept":
		o.kept--
		w.revive(a, false, a.index)
	case "lost":
		o.lost--
		w.revive(a, true, a.index)
	}
}

// startAgain restarts an actor. An actor that has not yet received its first
// start message still receives it, unless the restart replaces it.
func (w *modelWorld) startAgain(a *modelActor, how pulse.Start, starter int) {
	untold := a.toStart && (a.how != pulse.StartKept || how != pulse.StartLost || w.fault == "a state that was lost is kept")
	if !untold || w.fault == "a first start is forgotten" {
		a.how = how
	}
	w.start(a, starter)
}

func (w *modelWorld) crash(a *modelActor) {
	for _, b := range w.actors {
		if w.fault != "watches outlive a crash" {
			b.watchers = slices.DeleteFunc(b.watchers, func(i int) bool { return i == a.index })
		}
	}
	w.endChildren(a)
	a.life = "down"
	if a.process && a.wait == "reply" { // an answer on its way is for code that no longer exists
		w.withdraw(a, nil)
	}
	w.shut(a, func(m *modelMessage) { m.fate = trace.Dropped })
	w.tellWatchers(a, "crashed")
	w.losesWrites(a)
}

func (w *modelWorld) endChildren(a *modelActor) {
	for _, b := range w.actors {
		if b.parent == a.index && b != a && b.life != "ended" {
			w.endChildren(b)
			w.end(b, "crashed")
		}
	}
}
