package pulse

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
	"github.com/jostle-go/jostle/pulse/value"
)

// State returns a hash of everything that the rest of the run depends on. If
// two runs of a program have equal states, they have the same possible
// futures, except after a hash collision. The strategy must have Needs.States.
// A strategy may call State in Pick, but not in a Choose during a step. Other
// code may call State while the system is not running.
//
// The hash is the same on every machine with the same word size, byte order and
// Go version. The Go version matters because it decides what capacity append
// gives to a slice, and State covers capacities.
//
// State covers the actors, the messages in flight, the timers, the virtual
// time, the remaining fault budgets, and what the test has received. It does
// not cover the number of steps left or the order in which actors were spawned.
//
// The state of a handler is the result of its method Hash() uint64. Without
// such a method it is everything reachable from the handler's fields.
// Functions, channels, unsafe pointers, stacks of processes and linked lists
// of more than 10,000 elements cannot be read. If an actor cannot be read, its
// history takes the place of its state. The history covers what the actor has
// received and when, what was chosen in its steps, and the history of its
// spawner. The history does not cover what the actor learns in other ways:
// from variables that other actors write, or from Timer.Stop. Enabled.Unread
// describes the first actor or message that could not be read.
func (s *System) State() uint64 {
	w := s.walkState("State", false)
	if w == nil {
		return 0
	}
	return w.Sum()
}

// StateText describes what State hashes, with a line for each actor, channel
// and timer. It calls a Hash method only if the fields of the handler cannot be
// read. So if two states have equal hashes and different texts, some Hash
// method omits a part of the state.
func (s *System) StateText() string {
	w := s.walkState("StateText", true)
	if w == nil {
		return ""
	}
	return string(w.Text())
}

// A gap describes a part of a state that a stateWalk could not read.
type gap struct {
	kind  gapKind
	actor int32
	body  any // the message or disk value that could not be read, if any
	why   string
}

type gapKind uint8

const (
	gapNone gapKind = iota
	gapProcess
	gapInbox
	gapHandler
	gapHash
	gapMessage
	gapDisk
)

func (g *gap) text(s *System) string {
	if g.kind == gapNone {
		return ""
	}
	name := s.rec.nameOf(g.actor)
	switch g.kind {
	case gapProcess:
		return "the stack of process " + name + " cannot be read: the messages received by the process are compared instead"
	case gapInbox:
		return "what the test has received cannot be compared: a message " + g.why + "; the messages sent to the test until then are compared instead"
	case gapHash:
		return fmt.Sprintf("the Hash of %s cannot be checked: its handler, a %T, %s", name, s.actors[g.actor].behind(), g.why)
	case gapMessage:
		return fmt.Sprintf("a message of %s, a %T, %s: the messages that %s had received before sending it are compared instead", name, g.body, g.why, name)
	}
	if g.kind == gapDisk {
		return fmt.Sprintf("what %s wrote to its disk, a %T, %s: the messages that %s has received are compared instead", name, g.body, g.why, name)
	}
	return fmt.Sprintf("the handler of %s, a %T, %s: the messages that %s has received are compared instead", name, s.actors[g.actor].behind(), g.why, name)
}

// miss records gap g, a part of the state that the walk could not read, if it
// is the first gap of the walk.
func (w *stateWalk) miss(g gap) {
	if w.gap.kind == gapNone {
		w.gap = g
	}
}

// hasher is a handler that hashes its state itself.
type hasher interface{ Hash() uint64 }

// A stateWalk writes all parts of a state to a hash or a text, in an order
// that is the same for equal states. Parts whose order in the system depends
// on the run are sorted by their identities. The next walk reuses the memory
// of this one.
type stateWalk struct {
	value.Walker
	sys *System

	run       int32       // number of the run to which the fields same, events and histories belong
	ids       []uint64    // by actor: its identity at the last walk
	same      int         // number of entries of ids that are known to be valid for this run
	order     []int32     // indices of actors, sorted by the identities in ids
	events    []event     // the events of the run
	known     int         // number of events that the histories already include
	histories []uint64    // by step: the history that its actor had in that step
	bodies    []uint64    // by message: its hash if it cannot change and the hash is known, else 0
	due       []entry     // see dueTimers
	sorted    bool        // set if due is valid for this walk
	inward    []inward    // memory that the method channels reuses
	keyed     []keyedSlot // memory that the method cloud reuses
	gap       gap         // the first part of the state that this walk could not read
	lone      lone
}

// walkState walks over the whole system and returns the walk with the result,
// which is a text if texts is set. If the call comes from another goroutine,
// walkState returns nil and the run fails.
func (s *System) walkState(what string, texts bool) *stateWalk {
	if !s.mayLook(what) {
		return nil
	}
	w := s.states
	if w == nil {
		s.misuse("%s: no histories are recorded, because the strategy has no Needs.States", what)
	}
	if !texts && w.quickly() {
		return w
	}
	w.begin(texts)
	w.everything()
	return w
}

// begin prepares a walk.
func (w *stateWalk) begin(texts bool) {
	w.Begin(texts)
	w.renew()
	w.sorted, w.gap, w.lone.on = false, gap{}, false
	w.sortActors()
}

// sortActors updates w.ids (the identities of the actors) and w.order (the
// actors sorted by identity). If the run has spawned the same actors as the
// previous run, nothing needs sorting.
func (w *stateWalk) sortActors() {
	actors := w.sys.actors
	for w.same < len(actors) && w.same < len(w.ids) && w.ids[w.same] == actors[w.same].id {
		w.same++
	}
	if n := w.same; n < len(w.ids) {
		w.ids = w.ids[:n]
		w.order = slices.DeleteFunc(w.order, func(i int32) bool { return int(i) >= n })
	}
	for i := len(w.ids); i < len(actors); i++ {
		id := actors[i].id
		at, _ := slices.BinarySearchFunc(w.order, id, func(j int32, id uint64) int { return cmp.Compare(w.ids[j], id) })
		w.order = slices.Insert(w.order, at, int32(i))
		w.ids = append(w.ids, id)
	}
	w.same = len(actors)
}

// renew drops the data of the walk that belong to an earlier run.
func (w *stateWalk) renew() {
	if w.run != w.sys.run {
		w.run = w.sys.run
		w.same, w.histories, w.events, w.known, w.bodies = 0, w.histories[:0], w.events[:0], 0, w.bodies[:0]
	}
}

// A walk writes a tag before certain parts of a state, so that different
// states give different sequences of words.
const (
	tagEnded uint64 = 0x5ca1ab1f + iota
	tagHash
	tagHistory
	tagChannel
	tagMessage
	tagUnread
	tagTimer
	tagRest
	tagOrphan
	tagLink
	tagAnswers
	tagDisk
)

// everything writes all parts of the state.
func (w *stateWalk) everything() {
	s := w.sys
	for _, i := range w.order {
		before := w.Part()
		w.actor(s.actors[i])
		w.Word(w.EndPart(before))
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
	w.Overlaps()
}

// actor writes the state of an actor, without its mailbox. For an ended actor
// it writes only the identity and the handler, because the test may inspect
// the handler after the run.
func (w *stateWalk) actor(a *actor) {
	if w.lone.on && w.lone.actor(w, a) {
		return
	}
	switch {
	case w.Texts():
		w.sayFacts(a)
	case a.life == ended:
		w.Word(a.id)
		w.Word(tagEnded)
	default:
		w.facts(a)
	}
	w.handler(a)
	if a.life != ended && !a.disk.isEmpty() {
		w.disk(a)
	}
}

// Bits of the word that the method facts writes about an actor. A bit either
// answers a question about the actor, or says that the method moreFacts writes
// a value.
const (
	factAwaits uint64 = 1 << (16 + iota)
	factRestarts
	factSpec
	factSafe
	factNew
	factRoom
	factWatchers
	factPending
)

// facts writes what sayFacts writes about an actor, but as words and without
// zero values. It omits replies in flight, because these are written with the
// messages in flight.
func (w *stateWalk) facts(a *actor) {
	w.Word(a.id)
	w.Word(w.idOf(a.parent))
	f := uint64(a.life) | uint64(a.accept)<<4
	set := func(is bool, fact uint64) {
		if is {
			f |= fact
		}
	}
	set(a.await != 0, factAwaits)
	set(a.restarts != 0, factRestarts)
	if a.special {
		f |= factSpec | uint64(a.spec.OnPanic)<<8
		set(a.spec.Safe, factSafe)
		set(a.spec.New != nil, factNew)
	}
	set(a.room > 0, factRoom)
	set(len(a.watchers) > 0, factWatchers)
	set(a.pending != nil, factPending)
	if w.Word(f); f>>16 != 0 {
		w.moreFacts(a, f)
	}
}

// moreFacts writes the values that an actor has according to the bits of f.
func (w *stateWalk) moreFacts(a *actor, f uint64) {
	if f&factAwaits != 0 {
		w.Signed(int64(a.await))
	}
	if f&factRestarts != 0 {
		w.Signed(int64(a.restarts))
	}
	if f&factSpec != 0 {
		w.Signed(int64(a.spec.Restarts))
	}
	if f&factRoom != 0 {
		w.Signed(int64(a.room))
		w.Unsigned(uint64(a.onFull))
	}
	if f&factWatchers != 0 {
		w.watchers(a)
	}
	if f&factPending != 0 {
		w.Unsigned(uint64(a.how))
	}
}

// sayFacts describes an actor in text, without its handler and its disk.
func (w *stateWalk) sayFacts(a *actor) {
	w.Say("\nactor ")
	w.Hex(a.id)
	if a.life == ended {
		w.Say("ended ")
		return
	}
	w.Say("life ")
	w.Unsigned(uint64(a.life))
	w.Say("of ")
	w.Hex(w.idOf(a.parent))
	w.Say("accepts ")
	w.Unsigned(uint64(a.accept))
	w.Signed(int64(a.await))
	w.Say("restarts ")
	w.Signed(int64(a.restarts))
	if a.special {
		w.Say("spec ")
		w.Unsigned(uint64(a.spec.OnPanic))
		w.Signed(int64(a.spec.Restarts))
		w.Flag(a.spec.Safe)
		w.Flag(a.spec.New != nil)
	}
	if a.room > 0 {
		w.Say("room ")
		w.Signed(int64(a.room))
		w.Unsigned(uint64(a.onFull))
	}
	w.watchers(a)
	if a.pending != nil {
		w.Say("to be told ")
		w.Unsigned(uint64(a.how))
	}
}

// disk writes the content of an actor's disk.
func (w *stateWalk) disk(a *actor) {
	for _, list := range [...][]written{a.disk.safe, a.disk.open} {
		w.Tag(tagDisk, "disk ")
		w.Signed(int64(len(list)))
		for i := range list {
			w.Value(list[i].name)
			if w.Try(list[i].value) {
				continue
			}
			w.miss(gap{kind: gapDisk, actor: a.actor, body: list[i].value, why: w.Why()})
			w.Tag(tagUnread, "unread ")
			w.Hex(hash.Fold(w.historyOf(a), w.sys.rec.stepID(a.last)))
		}
	}
}

// watchers writes the watchers of an actor as a multiset. The order of the
// watchers does not matter, because each watcher receives the Down through a
// different channel.
func (w *stateWalk) watchers(a *actor) {
	w.Say("watchers ")
	sum := uint64(len(a.watchers))
	for _, i := range a.watchers {
		id := w.sys.actors[i].id
		sum += hash.Fold(id, id)
	}
	w.Hex(sum)
}

// handler writes the state of an actor's handler. If the handler cannot be
// read, it writes the actor's history.
func (w *stateWalk) handler(a *actor) {
	h, hashes := a.behind().(hasher)
	if hashes && !w.Texts() {
		w.ownHash(a, h)
		return
	}
	if w.lone.on && w.lone.handler(w, a) {
		return
	}
	read, kind := false, gapHandler
	switch {
	case a.spec.Process != nil:
		kind = gapProcess
	case a.actor == trace.Test:
		read, kind = w.TryAll(w.sys.inbox) && w.asking(), gapInbox // the test may inspect the messages that it has received
	default:
		read = w.Try(a.behind())
	}
	switch {
	case read:
		return
	case hashes && kind == gapHandler:
		w.miss(gap{kind: gapHash, actor: a.actor, why: w.Why()})
		w.ownHash(a, h)
		return
	}
	w.miss(gap{kind: kind, actor: a.actor, why: w.Why()})
	w.Type(a.behind())
	w.Tag(tagHistory, "history ")
	w.Hex(hash.Fold(w.historyOf(a), w.sys.rec.stepID(a.last)))
}

// ownHash writes the result of a handler's Hash method.
func (w *stateWalk) ownHash(a *actor, h hasher) {
	w.Type(a.behind())
	w.Tag(tagHash, "hash ")
	w.Hex(h.Hash())
}

// idOf returns the identity of an actor, or 0 for none.
func (w *stateWalk) idOf(actor int32) uint64 {
	if actor < 0 {
		return 0
	}
	return w.sys.actors[actor].id
}

// idOfSource returns the identity of a channel's source (see sourceOf): the
// identity of an actor, 0 for none, or a hash if the source is that of an
// actor's SendAfter messages.
func (w *stateWalk) idOfSource(from int32) uint64 {
	if from <= later {
		return hash.Fold(w.idOf(later-from), tagTimer)
	}
	return w.idOf(from)
}

// idOfTimer returns the identity of the actor that owns a timer. If there is no
// owner, it returns a hash of the channel of the timer's message.
func (w *stateWalk) idOfTimer(e *entry) uint64 {
	if e.actor >= 0 {
		return w.idOf(e.actor)
	}
	d := &w.sys.mail.sends[e.send]
	return hash.Fold(w.idOfSource(later-d.From), w.idOf(d.To))
}

// dueTimers returns the running timers, sorted by due time and then by owner.
// Timers of one actor that are due at the same time are in the order in which
// they were set, because they fire in that order.
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
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(w.idOfTimer(&x), w.idOfTimer(&y)), cmp.Compare(x.number, y.number))
	})
	return w.due
}

// timerIndex returns the position in dueTimers of the timer for which the
// function is returns true. The first position is 1. timerIndex returns 0 if
// there is no such timer, because it has fired or was stopped.
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
	w.Tag(tagTimer, "\ntimer at ")
	w.Signed(e.at)
	w.Say("of ")
	w.Hex(w.idOfTimer(e))
	w.Say("each ")
	w.Signed(e.period)
	w.Flag(e.last != none)
	w.Signed(int64(w.sys.mail.sends[e.send].Ask))
	w.body(e.send)
}

// rest writes the parts of the state that belong to no actor, message or
// timer.
func (w *stateWalk) rest() {
	s := w.sys
	w.Tag(tagRest, "\nnow ")
	w.Signed(s.clock.now)
	w.Say("test ")
	made := origin{s.rec.sent, s.rec.spawned}
	if s.calls.running {
		made = s.root
		w.Flag(s.clock.timed)
		w.Signed(s.until)
	}
	w.Signed(int64(made.sent))
	w.Signed(int64(made.spawned))
	if s.options.EarlyTimers > 0 {
		w.Say("early ")
		w.Signed(int64(s.faults.early))
	}
	if s.clock.periodic > 0 && s.clock.quiet > 0 && s.mail.seq == s.clock.quietSeq {
		w.Say("quiet ")
		w.Signed(int64(s.clock.quiet))
	}
	w.budgets()
	if s.options.Orphans {
		w.orphans()
	}
}

func (w *stateWalk) budgets() {
	f := &w.sys.faults
	w.Say("cut ")
	w.Hex(w.idOf(w.sys.mail.cut))
	w.links()
	w.Say("budgets ")
	l := &f.left
	if !w.Texts() && l.Drop|l.Duplicate|l.Delay|l.Crash|l.RestartKept|l.RestartLost|l.Partition == 0 {
		return
	}
	for _, n := range [...]int{l.Drop, l.Duplicate, l.Delay, l.Crash, l.RestartKept, l.RestartLost, l.Partition} {
		w.Signed(int64(n))
	}
}

// links writes the links that a Nemesis has changed, sorted by the identities
// of their actors.
func (w *stateWalk) links() {
	l := &w.sys.mail.links
	if l.cuts == 0 && l.flawed == 0 {
		return
	}
	for _, from := range w.order {
		for _, to := range w.order {
			x := l.find(from, to)
			if x == nil || !x.cut && !x.isFlawed() {
				continue
			}
			w.Tag(tagLink, "\nlink ")
			w.Hex(w.idOf(from))
			w.Hex(w.idOf(to))
			w.Flag(x.cut)
			w.Signed(int64(x.lose))
			w.Signed(x.delay)
		}
	}
}

// orphans writes the orphans, which are messages to ended actors, in their
// order, because a report shows only the first orphans.
func (w *stateWalk) orphans() {
	for _, m := range w.sys.mail.orphans.kept {
		w.Tag(tagOrphan, "\norphan ")
		w.ends(m)
		w.body(m)
	}
	w.Signed(int64(w.sys.mail.orphans.lost))
}

// asking writes the answers to the test's Ask calls. It reports whether it
// could read all answers.
func (w *stateWalk) asking() bool {
	k := &w.sys.asking
	if len(k.answers) == 0 {
		return true
	}
	w.Tag(tagAnswers, "answers ")
	return w.TryAll(k.answers)
}
