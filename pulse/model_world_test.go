package pulse_test

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A modelWorld is the model, which implements pulse's documentation with slices
// and linear searches. It takes all decisions from pulse's record, and stops at
// the first difference from the record.
type modelWorld struct {
	*modelProgram
	fault    string // a planted fault of the model, which the comparison must find; "" for none
	log      []event
	at       int // the number of entries of log that have matched so far
	actors   []*modelActor
	pending  []*modelMessage // the messages that have arrived and wait, in the order of arrival
	sent     []*modelMessage // all
	timers   []*modelTimer
	made     [modelActors]int32
	fuel     int
	now      int64
	steps    int
	cur      int
	failed   int32
	row      int // the number of consecutive ticks during which no other message arrived
	numbers  int
	orphans  int
	cut      int // the actor that a partition cuts off; -1 if none
	links    map[[2]int]modelLink
	early    int
	begun    bool
	strikes  bool
	ending   bool // set if the running actor ends after this step
	crashes  bool // it crashes here
	inbox    []modelMark
	settles  bool
	idle     bool // the test uses a Nemesis outside of steps
	reported bool // the stuck report
}

type modelMessage struct {
	mark   modelMark
	kind   trace.SendKind
	from   int
	to     int
	ask    int
	fate   trace.Fate
	slow   bool
	every  *modelTimer // the periodic timer whose tick the message is
	number int
}

type modelTimer struct {
	at, period int64
	number     int
	owner      int
	message    *modelMessage
	waiting    *modelMessage // the timer's last tick, if it was not received yet
	release    bool          // set if this is no timer, but ends the delay of a message
}

// A modelLink is a link that a Nemesis has changed.
type modelLink struct {
	cut     bool
	lose    int // 2: all
	delayed int64
}

// A modelRef is a reference. ask is the number of the Ask that a message to the reference answers.
type modelRef struct{ actor, ask int }

type modelActor struct {
	*template
	index, parent int
	life          string // alive, down, ended
	state, table  int
	kept          *modelRef
	timers        []int
	watchers      []int
	sender        modelRef
	toStart       bool // the actor's start message has not arrived
	how           pulse.Start
	disk          map[string]int
	writes        []modelWrite // the writes that are not yet synced
	// of a process
	next  int    // the index of the action in which the process waits, or of its next action
	wait  string // what the process waits for: start, any, match, reply or wake
	mask  int
	await int
	wake  *modelTimer
	empty int  // the number of consecutive polls that found no message
	idle  bool // the actor ended outside of steps
}

type modelWrite struct {
	name  string
	value int
}

// A difference is the first disagreement of pulse and the model.
type difference string

// judge runs the model against pulse's record and returns the first difference.
func (w *modelWorld) judge() (d string) {
	defer func() {
		if v := recover(); v != nil {
			diff, ok := v.(difference)
			if !ok {
				panic(v)
			}
			d = string(diff)
		}
	}()
	w.failed, w.cut, w.fuel = -1, -1, modelFuel
	w.links = map[[2]int]modelLink{}
	w.actors = []*modelActor{{life: "alive", template: &template{}}}
	for _, x := range w.test {
		w.testDoes(x)
	}
	for _, m := range w.inbox {
		w.emit("received", m)
	}
	if w.options.record {
		var fates []event
		for _, m := range w.sent {
			fates = append(fates, event{what: "fate", mark: m.mark, x: [4]int32{int32(m.fate)}})
		}
		for _, e := range sortedFates(fates) {
			w.agree(e)
		}
	}
	if w.at != len(w.log) {
		return fmt.Sprintf("event %d: pulse has %v, the model has ended", w.at, w.log[w.at])
	}
	return ""
}

func (w *modelWorld) emit(what string, m modelMark, x ...int32) {
	e := event{what: what, mark: m}
	copy(e.x[:], x)
	w.agree(e)
}

func (w *modelWorld) agree(e event) {
	if w.at == len(w.log) {
		panic(difference(fmt.Sprintf("event %d: pulse has ended, the model has %v", w.at, e)))
	}
	if w.log[w.at] != e {
		panic(difference(fmt.Sprintf("event %d: pulse has %v, the model %v", w.at, w.log[w.at], e)))
	}
	w.at++
}

// ask answers a question with the next answer of pulse's record.
func (w *modelWorld) ask(k choice.Kind, n int) int {
	if n == 1 || w.settles {
		return 0
	}
	v := int32(0)
	if w.at < len(w.log) && w.log[w.at].what == "asked" {
		v = w.log[w.at].x[2]
	}
	w.emit("asked", modelMark{}, int32(k), int32(n), v, int32(w.now))
	return int(v)
}

func (w *modelWorld) testDoes(x action) {
	w.cur = 0
	switch x.do {
	case doSend:
		w.make(0, x.b, func(m modelMark) { w.send(0, modelRef{actor: x.a % len(w.actors)}, trace.Message, m, 0) })
	case doSpawn:
		w.spawn(x.a, 0)
	case doKill:
		if n := len(w.actors); n > 1 {
			w.send(0, modelRef{actor: 1 + x.a%(n-1)}, trace.Kill, modelMark{}, 0)
		}
	case doRun:
		w.run(w.horizon(), false)
	case doRunFor:
		w.run(max(w.now, min(w.now+int64(x.a), w.horizon())), true)
	case doSettle:
		w.settles = true
		w.run(w.now, true)
		w.settles = false
	default:
		w.idle = true
		w.strikesBy(0, x)
		w.idle = false
	}
}

func (w *modelWorld) horizon() int64 {
	if w.options.horizon > 0 {
		return int64(w.options.horizon)
	}
	return 1 << 62
}

// make makes a message and returns true. It returns false if the model has made
// as many messages as the program allows.
func (w *modelWorld) make(author, kind int, f func(modelMark)) bool {
	if w.fuel == 0 {
		return false
	}
	w.fuel--
	w.made[author]++
	f(modelMark{3: int32(kind), 4: int32(author), 5: w.made[author]})
	return true
}

func (w *modelWorld) message(from, to int, kind trace.SendKind, m modelMark, ask int) *modelMessage {
	m[0], m[1], m[2] = int32(kind), int32(from), int32(to)
	w.numbers++
	x := &modelMessage{mark: m, kind: kind, from: from, to: to, ask: ask, number: w.numbers}
	w.sent = append(w.sent, x)
	return x
}

// send sends a message. Faults may lose, copy or delay it.
func (w *modelWorld) send(from int, to modelRef, kind trace.SendKind, mark modelMark, ask int) {
	if to.ask != 0 {
		kind, ask = trace.Reply, to.ask
	}
	m := w.message(from, to.actor, kind, mark, ask)
	if to.ask != 0 && !w.awaits(to) {
		m.fate = trace.Dropped
		return
	}
	if w.loses(m) {
		m.fate = trace.Dropped
		return
	}
	if w.isLost(m) {
		return
	}
	o := &w.options
	if w.settles || !w.exposed(m) {
		w.launch(m)
		return
	}
	if o.drop > 0 && w.ask(choice.Drop, 2) == 1 {
		o.drop--
		m.fate = trace.Dropped
		return
	}
	if o.duplicate > 0 && m.kind != trace.Reply && w.ask(choice.Duplicate, 2) == 1 {
		o.duplicate--
		w.launch(m)
		if c := w.message(from, to.actor, trace.Copy, mark, ask); !w.isLost(c) {
			w.launch(c)
		}
		return
	}
	if o.delay == 0 {
		w.launch(m)
		return
	}
	by := w.ask(choice.Delay, 3)
	if by == 0 {
		w.launch(m)
		return
	}
	o.delay--
	w.holdBack(m, []int64{1, 4}[by-1]+w.links[m.link()].delayed)
}

func (m *modelMessage) link() [2]int { return [2]int{m.from, m.to} }

// loses reports whether a Nemesis makes the link of a message lose it.
func (w *modelWorld) loses(m *modelMessage) bool {
	l := w.links[m.link()]
	if l.lose == 0 || m.kind != trace.Message && m.kind != trace.Reply {
		return false
	}
	if l.lose == 1 && w.fault != "a loss has no end" {
		l.lose = 0
		w.links[m.link()] = l
	}
	return true
}

// launch lets a message arrive unless its link delays it.
func (w *modelWorld) launch(m *modelMessage) {
	by := w.links[m.link()].delayed
	if by > 0 && (m.kind == trace.Message || m.kind == trace.Reply || m.kind == trace.Copy) {
		w.holdBack(m, by)
		return
	}
	w.arrive(m)
}

// isLost reports whether a message is lost to a full mailbox. With
// OnFullDropOldest it drops the message that has waited longest instead.
func (w *modelWorld) isLost(m *modelMessage) bool {
	a := w.actors[m.to]
	takesRoom := func(m *modelMessage) bool { return m.kind == trace.Message || m.kind == trace.Copy }
	if a.room == 0 || a.life != "alive" || !takesRoom(m) || w.fault == "no mailbox has a bound" {
		return false
	}
	var waiting []*modelMessage // in the order of arrival; messages that have not arrived come last
	for _, x := range w.pending {
		if x.to == m.to && takesRoom(x) {
			waiting = append(waiting, x)
		}
	}
	for _, t := range w.timers {
		if t.release && w.options.unordered && t.message.to == m.to && takesRoom(t.message) {
			waiting = append(waiting, t.message)
		}
	}
	if len(waiting) < a.room {
		return false
	}
	if !a.oldest {
		m.fate = trace.Dropped
		return true
	}
	x := waiting[0]
	x.fate = trace.Dropped
	w.pending = slices.DeleteFunc(w.pending, func(y *modelMessage) bool { return y == x })
	w.timers = slices.DeleteFunc(w.timers, func(t *modelTimer) bool { return t.release && t.message == x })
	return false
}

func (w *modelWorld) holdBack(m *modelMessage, by int64) {
	if !w.options.unordered {
		m.slow = true
		w.arrive(m)
		if m.fate != trace.Pending {
			return
		}
	}
	w.setTimer(&modelTimer{at: w.now + by, owner: -1, message: m, release: true})
}

func (w *modelWorld) exposed(m *modelMessage) bool {
	return (m.kind == trace.Message || m.kind == trace.Reply) && m.from != 0 && m.to != 0 && m.from != m.to &&
		!w.actors[m.from].safe && !w.actors[m.to].safe
}

// awaits reports whether a process waits for an answer and no answer is in
// flight.
func (w *modelWorld) awaits(to modelRef) bool {
	a := w.actors[to.actor]
	if a.life != "alive" || a.wait != "reply" || a.await != to.ask {
		return false
	}
	if w.fault == "an answer comes twice" {
		return true
	}
	for _, m := range w.sent[:len(w.sent)-1] {
		if m.kind == trace.Reply && m.to == to.actor && m.ask == to.ask && m.fate == trace.Pending {
			return false
		}
	}
	return true
}

// arrive adds a message to the waiting ones, if its receiver is alive.
func (w *modelWorld) arrive(m *modelMessage) {
	if m.every == nil {
		w.row = 0
	}
	switch w.actors[m.to].life {
	case "down":
		m.fate = trace.Dropped
	case "ended":
		w.orphan(m)
	default:
		w.pending = append(w.pending, m)
	}
}

func (w *modelWorld) orphan(m *modelMessage) {
	if m.fate = trace.Orphaned; m.kind == trace.Poll {
		m.fate = trace.Dropped
		return
	}
	if m.kind != trace.Down && m.kind != trace.Kill && m.kind != trace.Reply && w.fault != "orphans are not counted" {
		w.orphans++
	}
}

func (w *modelWorld) spawn(which, parent int) {
	if len(w.actors) == modelActors {
		return
	}
	a := &modelActor{template: &w.templates[which%len(w.templates)], index: len(w.actors), parent: parent, life: "alive", disk: map[string]int{}}
	w.actors = append(w.actors, a)
	w.start(a, w.cur)
}

// start sends an actor its start, if it is a process or a Starter.
func (w *modelWorld) start(a *modelActor, from int) {
	if !a.process && !a.starts {
		return
	}
	a.wait, a.next, a.toStart = "start", 0, true
	w.send(from, modelRef{actor: a.index}, trace.Start, modelMark{}, 0)
}

func (w *modelWorld) crosses(m *modelMessage) bool {
	if w.links[m.link()].cut && !isTimer(m) {
		return true
	}
	return w.cut >= 0 && !isTimer(m) && (m.from == w.cut) != (m.to == w.cut) && m.from != 0 && m.to != 0 &&
		!w.actors[m.from].safe && !w.actors[m.to].safe
}

// isWake reports whether a message is a timeout or the end of a Sleep.
func isWake(m *modelMessage) bool {
	return m.ask != 0 && (m.kind == trace.Timer || m.kind == trace.Poll)
}

func isTimer(m *modelMessage) bool { return m.kind == trace.Timer || m.kind == trace.Periodic }

// deliverable lists the messages that could be received next.
func (w *modelWorld) deliverable() (list []*modelMessage) {
	if w.options.unordered || w.fault == "channels keep no order" {
		for _, m := range w.pending {
			if !w.crosses(m) && w.accepts(w.actors[m.to], m) {
				list = append(list, m)
			}
		}
		return list
	}
	type pair struct{ from, to int }
	seen := map[pair]int{} // the position of the channel's message in list; -1 if the channel is blocked
	for _, m := range w.pending {
		c := pair{m.from, m.to}
		if isTimer(m) {
			c.from = -1
			if m.from != m.to { // set for a message of SendAfter, which has a channel of its own
				c.from = -2 - m.from
			}
		}
		place, known := seen[c]
		switch {
		case known && place < 0:
		case m.slow:
			if w.fault == "a delay holds back the whole channel" {
				list = slices.DeleteFunc(list, func(x *modelMessage) bool { return x.from == m.from && x.to == m.to })
			}
			seen[c] = -1
		case known && w.fault != "the last match is taken":
		case w.crosses(m) || !w.accepts(w.actors[m.to], m):
		case known:
			if w.actors[m.to].wait == "match" {
				list[place] = m
			}
		default:
			seen[c] = len(list)
			list = append(list, m)
		}
	}
	return list
}

func (w *modelWorld) accepts(a *modelActor, m *modelMessage) bool {
	wake := isWake(m)
	switch {
	case m.kind == trace.Kill, !a.process && !a.toStart, a.process && a.wait == "any":
		return true
	case wake:
		return m.ask == a.await
	}
	switch a.wait {
	case "start":
		return m.kind == trace.Start
	case "match":
		return m.kind != trace.Reply && a.mask&(1<<m.mark[3]) != 0
	case "reply":
		return m.kind == trace.Reply && m.ask == a.await
	}
	return false
}

// run takes steps until the run is at rest.
func (w *modelWorld) run(until int64, timed bool) {
	if w.failed < 0 {
		w.begin()
		if w.fault == "early timers have no budget in the next run" && w.early > 0 {
			w.options.early = -1
		}
		for w.step(until, timed) {
		}
		switch {
		case w.failed >= 0:
		case timed:
			w.now = until
		default:
			w.atRest()
		}
	}
	w.cur = 0
	w.emit("ran", modelMark{}, w.failed, int32(w.now), int32(w.steps), int32(w.orphans))
	w.lives()
	if w.failed == int32(pulse.KindStuck) && !w.reported {
		w.reported = true
		w.stuckReport()
	}
}

// begin asks which faults are enabled in this run, before the run's first decision.
func (w *modelWorld) begin() {
	if w.begun || w.settles {
		return
	}
	w.begun = true
	o := &w.options
	list := []*int{&o.drop, &o.duplicate, &o.delay, &o.crash, &o.partition}
	any := slices.ContainsFunc(list, func(n *int) bool { return *n > 0 })
	if o.swarm && any {
		mask := w.ask(choice.Swarm, 32)
		for i, n := range list {
			if mask&(1<<i) == 0 {
				*n = 0
			}
		}
	}
	w.strikes = o.crash > 0 || o.partition > 0
}

func (w *modelWorld) lives() {
	var alive, ended int32
	for i, a := range w.actors {
		switch a.life {
		case "alive":
			alive |= 1 << i
		case "ended":
			if !a.idle {
				ended |= 1 << i
			}
		}
	}
	w.emit("lives", modelMark{}, alive, ended, int32(len(w.actors)))
}

// step performs one event of the run, and reports whether there was one.
func (w *modelWorld) step(until int64, timed bool) bool {
	w.ending = false
	list := w.deliverable()
	o := &w.options
	if len(list) > 0 && w.steps >= o.steps || w.steps > o.steps { // the budget of steps is spent: the strategy is asked nothing more, not even about a fault
		w.failed = int32(pulse.KindBudget)
		return false
	}
	if w.strikes && !w.settles && w.strike() {
		return true
	}
	if len(list) == 0 {
		w.cur = 0
		return w.pass(until, timed) || w.healAtEnd()
	}
	if w.mayBeEarly(until, timed) && w.ask(choice.Clock, 2) == 1 {
		w.early++
		return w.pass(until, timed)
	}
	m, hold := w.pick(list)
	if hold {
		if w.hold(until, timed) {
			return true
		}
		w.failed = int32(pulse.KindStrategy)
		return false
	}
	w.receive(m)
	return true
}

// mayBeEarly reports whether a timer may fire early, while messages are deliverable.
func (w *modelWorld) mayBeEarly(until int64, timed bool) bool {
	o := &w.options
	return !w.settles && (o.early < 0 || w.early < o.early) && w.timePasses(until, timed)
}

// hold fires a timer early because the strategy holds all messages back. It reports whether a timer may fire.
func (w *modelWorld) hold(until int64, timed bool) bool {
	if w.fault == "a held message costs no early timer" {
		return w.pass(until, timed)
	}
	if !w.mayBeEarly(until, timed) {
		return false
	}
	w.early++
	return w.pass(until, timed)
}

// pick checks what is deliverable and returns the message that pulse picked.
func (w *modelWorld) pick(list []*modelMessage) (m *modelMessage, hold bool) {
	if w.settles {
		return list[0], false // Settle takes the message that arrived first
	}
	w.lives()
	marks := make([]modelMark, len(list))
	for i, m := range list {
		marks[i] = m.mark
	}
	slices.SortFunc(marks, compareMarks)
	for _, m := range marks {
		w.emit("deliverable", m)
	}
	var taken event
	if w.at < len(w.log) {
		taken = w.log[w.at]
	}
	if taken.what == "hold" {
		w.emit("hold", modelMark{}, int32(w.now), int32(w.steps))
		return nil, true
	}
	w.emit("taken", taken.mark, int32(w.now), int32(w.steps))
	i := slices.IndexFunc(list, func(m *modelMessage) bool { return m.mark == taken.mark })
	return list[i], false
}

func (w *modelWorld) receive(m *modelMessage) {
	w.pending = slices.DeleteFunc(w.pending, func(x *modelMessage) bool { return x == m })
	m.fate = trace.Delivered
	w.steps++
	w.cur = m.to
	a := w.actors[m.to]
	a.sender = modelRef{actor: m.from}
	if m.kind == trace.Message || m.kind == trace.Copy {
		a.sender.ask = m.ask
	}
	if m.every != nil {
		m.every.waiting = nil
	}
	switch {
	case m.kind == trace.Kill:
		w.end(a, "killed")
	case m.to == 0:
		w.inbox = append(w.inbox, modelMark{3: m.mark[3], 4: m.mark[4], 5: m.mark[5]})
	case a.process:
		w.resume(a, m)
	default:
		kind := kindDown
		if a.toStart {
			w.began(a)
		} else {
			kind = w.got(a, m)
		}
		for _, x := range a.rules[a.table][a.state][kind] {
			if w.does(a, x); w.crashes && w.fault != "the rest of a step is done" {
				break
			}
		}
	}
	switch {
	case w.crashes:
		w.crashes = false
		w.inflict(modelStrike{"crash", a.index})
	case w.ending:
		w.end(a, "stopped")
	}
}

// began records that the start of an actor has arrived.
func (w *modelWorld) began(a *modelActor) {
	if a.toStart = false; a.starts {
		w.emit("started", modelMark{}, int32(a.index), int32(a.how), int32(a.sender.actor), int32(w.now))
		for name := range modelNames {
			w.reads(a, name)
		}
	}
}

func (w *modelWorld) got(a *modelActor, m *modelMessage) int {
	body := modelMark{3: m.mark[3], 4: m.mark[4], 5: m.mark[5]}
	w.emit("got", body, int32(a.index), int32(a.state), int32(m.from), int32(w.now))
	return int(m.mark[3])
}

func (w *modelWorld) atRest() {
	if slices.ContainsFunc(w.actors, w.isStuck) {
		w.failed = int32(pulse.KindStuck)
	} else if w.options.orphans && w.orphans > 0 {
		w.failed = int32(pulse.KindOrphans)
	}
}

func (w *modelWorld) isStuck(a *modelActor) bool {
	if !w.options.closed && slices.ContainsFunc(w.pending, func(m *modelMessage) bool { return w.links[m.link()].cut && !isTimer(m) }) {
		return w.fault == "a cut makes a deadlock"
	}
	return a.index > 0 && a.life == "alive" && (w.options.closed || a.toStart || a.process && a.wait != "any" && !w.asleep(a))
}

// asleep reports whether the wait of a process would end after the horizon.
func (w *modelWorld) asleep(a *modelActor) bool {
	return a.wake != nil && slices.Contains(w.timers, a.wake)
}

func (w *modelWorld) stuckReport() {
	for _, a := range w.actors {
		if !w.isStuck(a) {
			continue
		}
		w.emit("stuck", modelMark{}, int32(a.index))
		for _, m := range w.pending {
			if m.to == a.index {
				w.emit("in its mailbox", modelMark{})
			}
		}
	}
}
