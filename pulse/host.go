package pulse

import (
	"reflect"
	"time"

	"github.com/jostle-go/jostle/pulse/internal/self"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Host is the surface on which the actors of another runtime are hosted:
// the same few operations that this package's own actors and processes are
// made of. A hosted actor is an Actor whose Receive hands the message to the
// other runtime; what that runtime then does, it does through the Host. Package
// pulse/adapt says how to write that, and what must hold.
//
// Its methods are called from the steps of the run, or between runs.
type Host struct{ s *System }

// Host returns the system's host surface.
func (s *System) Host() Host { return Host{s} }

// Running returns the actor whose step is running; outside of a step, the test.
func (h Host) Running() Ref { return h.s.ref(h.s.rec.cur) }

// Step returns the number of the running step, -1 outside of one. Unlike
// System.Steps it is for texts, and for what else no actor sees.
func (h Host) Step() int {
	if !h.s.calls.running {
		return -1
	}
	return int(h.s.rec.steps) - 1
}

// Note adds a line to the trace, as Ctx.Log does, for the step that is running, and
// reports whether it did: not outside of a step, nor in a run that is not recorded.
// Text is called only if so.
func (h Host) Note(text func() string) bool {
	if !h.s.rec.on || !h.s.calls.running || !h.s.rec.inStep() {
		return false
	}
	if text == nil {
		h.s.misuse("Host.Note(nil): give it a function that returns the line")
	}
	h.log(text)
	return true
}

// log counts a line, and keeps it if the run is recorded. Which names are in it no
// actor sees, so that it is no look at them.
func (h Host) log(text func() string) {
	r := &h.s.rec
	r.logged++
	if most := perPending * int(h.s.mail.limit); int(r.logged) > most {
		h.s.bound(most, "log", "lines of log", "logs")
	}
	if r.on {
		touched := len(r.trace.Touches)
		line := text()
		r.trace.Touches = r.trace.Touches[:touched]
		r.note(line)
	}
}

// StepID returns the identity of the step in which a message of the run is received,
// whether it was or not.
func (h Host) StepID(d *trace.Send) uint64 { return stepID(d.ID, h.s.rec.trace.Actors[d.To].ID) }

// Touch notes that the running step reads or changes what steps of other
// actors depend on or change, without a message between them.
func (h Host) Touch(what trace.Touched) { h.s.rec.look(trace.Test, what) }

// Observers returns how many observers the run has.
func (h Host) Observers() int { return len(h.s.observers) }

// Observed reports whether what the run fails with may depend on the order of
// steps at different actors: an observer or the isolation check looks at it
// after each step, or Options.Pending bounds how many messages wait.
func (h Host) Observed() bool {
	return len(h.s.observers) > 0 || h.s.options.Isolation || h.s.options.Pending > 0
}

// Runs returns how often the system has begun to take steps, by Run or its like, since
// it was made or reset. It does not begin again once the run has failed.
func (h Host) Runs() int { return h.s.entered }

// Looked reports whether the trace or the record of the run was asked for while
// no step was running: whoever did may judge the run by the order of its steps.
func (h Host) Looked() bool { return h.s.looked }

// Spawn adds an actor in the name of another.
func (h Host) Spawn(parent Ref, spec Spec) Ref {
	if !h.s.mayCall("Host.Spawn") {
		return Ref{}
	}
	h.s.check(parent, "Host.Spawn")
	if threaded {
		unite(h.s)
	}
	h.inTheNameOf(parent)
	return h.s.spawn(&spec, parent.actor)
}

// Enqueue puts a message on its way in the name of another. Its identity
// follows from the running step.
func (h Host) Enqueue(from, to Ref, msg any) {
	if !h.s.mayCall("Host.Enqueue") {
		return
	}
	h.s.check(from, "Host.Enqueue")
	if to.sys != h.s || to.run != h.s.run {
		h.s.check(to, "Host.Enqueue "+trace.Label(msg))
	}
	h.inTheNameOf(from)
	h.s.sendAs(from.actor, to.actor, msg, trace.Message, 0)
}

// inTheNameOf notes that the running step does what otherwise only the steps of
// an actor do: their order tells.
func (h Host) inTheNameOf(r Ref) {
	if h.s.calls.running {
		h.s.rec.touchOther(r.actor)
	}
}

// After sends an actor a message from itself when d of virtual time has passed.
func (h Host) After(owner Ref, d time.Duration, msg any) Timer {
	if !h.s.mayCall("Host.After") {
		return Timer{}
	}
	h.s.check(owner, "Host.After")
	h.inTheNameOf(owner)
	return h.s.setTimer(owner.actor, d, 0, msg)
}

// HandlersChanged notes that the running step has changed the handlers of its actor.
func (h Host) HandlersChanged() {
	if h.s.mayCall("Host.HandlersChanged") {
		h.s.rec.changed()
	}
}

// Accept limits what can be delivered to an actor to the messages for which
// match holds. The first such message of each channel can be delivered. A nil
// match takes the limit away, and the text that Waits has set. Call Accept
// again when match would answer differently.
func (h Host) Accept(r Ref, match func(msg any) bool) {
	s := h.s
	if !s.mayCall("Host.Accept") {
		return
	}
	s.check(r, "Host.Accept")
	h.inTheNameOf(r)
	a := s.actors[r.actor]
	if a.toStart {
		s.misuse("Host.Accept of %s, which has not started: it takes nothing but its start", s.rec.nameOf(r.actor))
	}
	a.match, a.accept, a.sieve = match, acceptMatching, 0
	if match == nil {
		a.accept, a.waits = acceptAll, wait{on: none}
	}
	s.mail.refilter(&a.mailbox)
}

// Waits sets the words in which the report of a run that is stuck says what an
// actor waits for that accepts only some messages.
func (h Host) Waits(r Ref, what string) {
	if !h.s.mayCall("Host.Waits") {
		return
	}
	h.s.check(r, "Host.Waits")
	h.s.actors[r.actor].waits = wait{text: what, on: none}
}

// End ends an actor. Its reason is what watchers are told.
func (h Host) End(r Ref, reason string) {
	if h.s.mayCall("Host.End") {
		h.s.check(r, "Host.End")
		h.s.end(h.s.actors[r.actor], reason)
	}
}

// Coroutine returns a coroutine that has not begun; Resume begins it. One
// that is parked when the run ends is killed.
func (h Host) Coroutine(body func(*Coroutine)) *Coroutine {
	if !h.s.mayCall("Host.Coroutine") {
		return nil
	}
	if body == nil {
		h.s.misuse("Host.Coroutine(nil): give it the code that is to run")
	}
	if threaded {
		body = united(h.s, body)
	}
	c := h.s.pool.get(body)
	h.s.pool.host(c)
	return c
}

// Goroutine returns a word that tells the calling goroutine from every other
// that is alive; where that cannot be known, the same word for all. The zero
// Host has it too.
func (h Host) Goroutine() uintptr { return self.Goroutine() }

// Own makes the calling goroutine the only one that may use the system between
// steps. A call by another then does nothing, and Late tells of it.
func (h Host) Own() { h.s.calls.owner = self.Goroutine() }

// Disown lets any goroutine use the system between steps, as at the beginning.
func (h Host) Disown() { h.s.calls.owner = 0 }

// Waiting reports whether there are processes that have not returned, or
// coroutines of this Host's.
func (h Host) Waiting() bool { return h.s.inUse > 0 || len(h.s.pool.hosted) > 0 }

// Finish ends all processes that still wait, as Reset does: their deferred
// functions run now. Late then tells what they panicked with. The run is over.
func (h Host) Finish() {
	if !h.s.closed && h.s.mustBeIdle("Host.Finish") {
		h.s.killProcesses()
	}
}

// Late returns what went wrong behind the system's back since the run ended, nil
// when nothing did: a call by a goroutine that it does not belong to, or a panic
// in a deferred function of a process that still waited. It is returned once;
// who does not ask finds the next run failing with it.
func (h Host) Late() *Failure {
	f := &h.s.fails
	if f.failure != nil || f.intruder.Load() == nil { // a load is cheap, a swap is not
		return nil
	}
	return f.intruder.Swap(nil)
}

// Intrude refuses a call by a goroutine that is neither the test's nor runs a step. What
// names the call and advice what to do instead. The run fails with that, or, if none
// is on, the next one does, unless Late is called before. Intrude reports false if the system is
// closed, so that nobody learns of the call. Any goroutine may call it.
func (h Host) Intrude(what, advice string) bool {
	if h.s.closed {
		return false
	}
	h.s.fails.intrude(intrusion(what, h.s.calls.running, advice, advice))
	return true
}

// Intruder returns the failure for a call by another goroutine with which the run will
// fail when its step ends, nil if there was none. It is for who sees no Progress and may be
// called from any goroutine.
func (h Host) Intruder() *Failure { return h.s.fails.intruder.Load() }

// Unrun reports whether the test has sent or started something since the system
// last took steps. It needs a run that is recorded.
func (h Host) Unrun() bool { return !h.s.calls.running && h.s.rec.sent > h.s.root.sent }

// Caller returns where the call stands to the system.
func (h Host) Caller() Caller { return h.s.calls.caller() }

// Abandoned reports whether the run failed because a step called
// runtime.Goexit, as FailNow of a testing.T does, and names the step. Such a
// system has lost its coroutines and is good for nothing more.
func (h Host) Abandoned() (step string, yes bool) { return h.s.fails.exitWhere, h.s.fails.exit }

// States returns what each actor keeps, in words and by its index: what its String
// method says or its fields, or where its process waits. The first is the test's,
// and empty.
func (h Host) States() (list []string) {
	if !h.s.mayLook("Host.States") {
		return nil
	}
	hidden := h.hidden()
	for i, a := range h.s.actors {
		if i == int(trace.Test) {
			list = append(list, "")
			continue
		}
		list = append(list, h.s.stateOf(a, hidden))
	}
	return list
}

// Fields returns what one actor keeps as States does, but each field of a struct by
// itself. What is no field, such as where a process waits, has no name. Of the test
// there are none.
func (h Host) Fields(actor int32) []trace.Field {
	if !h.s.mayLook("Host.Fields") || actor <= trace.Test || int(actor) >= len(h.s.actors) {
		return nil
	}
	return h.s.fieldsOf(h.s.actors[actor], h.hidden())
}

// hidden returns for which types the text of a state has only the name: those of this
// package, but for references, and the tools of who runs the property.
func (h Host) hidden() func(reflect.Type) bool {
	tools := h.s.options.Tools
	return func(t reflect.Type) bool {
		ours := t.PkgPath() == reflect.TypeFor[System]().PkgPath() && t != reflect.TypeFor[Ref]()
		return ours && t.Kind() == reflect.Struct || tools != nil && tools(t)
	}
}

// Progress returns how many steps were taken. Unlike all else here it may be
// called from any goroutine at any time, to watch a run: the answer may be late.
//
//go:norace
func (h Host) Progress() (steps int) { return int(h.s.rec.steps) }

// Stalled returns the number of the step that is running and, when that is an
// actor's code, the actor's name and the message that it receives, nil for a fault.
// It is for who sees no Progress and may be called from any goroutine, and it is
// right while that step runs.
//
//go:norace
func (h Host) Stalled() (step int, actor string, msg any) {
	r := &h.s.rec
	step, cur := int(r.step), int(r.cur)
	if !h.s.calls.running || step < 0 || step >= len(r.trace.Steps) {
		return -1, "", nil
	}
	if cur == int(trace.Test) || r.called == r.steps || cur >= len(r.trace.Actors) { // as inStep does, which may not be called here
		return step, "", nil
	}
	if m := r.trace.Steps[step].Send; m >= 0 && int(m) < len(h.s.mail.sends) {
		msg = h.s.mail.sends[m].Body
	}
	labels := trace.Trace{}
	for i := range r.trace.Actors {
		labels.Actors = append(labels.Actors, trace.Actor{Label: r.trace.Actors[i].Label})
	}
	return step, labels.Name(int32(cur)), msg
}
