package pulse

import (
	"reflect"
	"time"

	"github.com/jostle-go/jostle/pulse/internal/self"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Host gives another actor runtime access to a System, so that the System
// can schedule the actors of that runtime. A hosted actor is an Actor whose
// Receive passes the message to the other runtime. The code of that runtime
// acts on the System by calls to the Host. Package pulse/adapt/adapttest says
// how to write and test an adapter that uses a Host.
//
// The methods of a Host are called during steps or between runs.
type Host struct{ s *System }

// Host returns the Host of this system.
func (s *System) Host() Host { return Host{s} }

// Running returns the actor whose step is running, or the test if there is
// none.
func (h Host) Running() Ref { return h.s.ref(h.s.rec.cur) }

// Step returns the number of the running step, or -1 if there is none. Unlike
// System.Steps it records no dependency, so use the number only in texts and
// values that no actor sees.
func (h Host) Step() int {
	if !h.s.calls.running {
		return -1
	}
	return int(h.s.rec.steps) - 1
}

// Note adds a line to the trace for the running step, like Ctx.Log. Outside of
// a step, and in a run that is not recorded, it returns false without calling
// text.
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

// log counts a line, and stores it if the run is recorded. The function text
// may read actor names, which records dependencies. log removes these
// dependencies, because no actor sees the line.
func (h Host) log(text func() string) {
	r := &h.s.rec
	r.logged++
	if most := perPending * int(h.s.mail.limit); int(r.logged) > most {
		h.s.bound(most, "log", "lines of log", "log")
	}
	if r.on {
		touched := len(r.trace.Touches)
		line := text()
		r.trace.Touches = r.trace.Touches[:touched]
		r.note(line)
	}
}

// StepID returns the identity of the step that receives message d, or would
// receive it if d is not received.
func (h Host) StepID(d *trace.Send) uint64 { return stepID(d.ID, h.s.rec.trace.Actors[d.To].ID) }

// Recorded reports whether the run is recorded.
func (h Host) Recorded() bool { return h.s.rec.on }

// Identity returns the identity of the running step: see StepID.
func (h Host) Identity() uint64 { return h.s.rec.id }

// Touch records that the running step accesses something that steps of other
// actors also access, without a message between the steps. The parameter what
// names that thing.
func (h Host) Touch(what trace.Touched) { h.s.rec.look(trace.Test, what) }

// TouchObject records that the running step does an operation on an object that
// is no actor, such as a mutex. first is set for the first operation on that
// object in this run. Call it once for each operation: two orders of steps are
// distinct if they differ in the order of the operations on an object.
func (h Host) TouchObject(number uint32, first bool) {
	if h.s.rec.on && h.s.rec.inStep() {
		h.s.rec.touch(int32(number%trace.Objects), trace.AnObject, 0)
	}
	if first {
		h.s.rec.look(trace.Test, trace.NewObjects)
	}
}

// Observers returns the number of observers of the run.
func (h Host) Observers() int { return len(h.s.observers) }

// Observed reports whether the failure of a run may depend on the order of
// steps of different actors. It returns true if there is an observer, or if
// Options.Isolation or Options.Pending is set.
func (h Host) Observed() bool {
	return len(h.s.observers) > 0 || h.s.options.Isolation || h.s.options.Pending > 0
}

// Runs returns the number of calls to Run, RunFor, Settle and Ask since the
// system was made or reset. Calls after a failure do not count.
func (h Host) Runs() int { return h.s.entered }

// Looked reports whether Trace or Record was called while no step was running.
// The caller may then judge the run by the order of its steps.
func (h Host) Looked() bool { return h.s.looked }

// Spawn adds an actor as a child of parent.
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

// Enqueue sends a message whose sender is from. The message's identity is
// derived from the running step.
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

// AfterSteps makes the system call f at the end of each further step of this run, as a part of the step. It
// replaces the function that was set before.
func (h Host) AfterSteps(f func()) {
	if f == nil {
		h.s.misuse("Host.AfterSteps(nil): give it a function")
	}
	h.s.hosted = f
	h.s.todo.everyStep |= workHost
	h.s.todo.afterStep |= workHost
}

// Continue sends an actor a message from itself that comes first in plain order: before all
// messages that wait now. So an actor whose code can be interrupted, such as a goroutine,
// continues unless the strategy chooses another one. If another message from the actor to
// itself waits, the new one comes after it, as usual.
func (h Host) Continue(r Ref, msg any) {
	if !h.s.mayCall("Host.Continue") {
		return
	}
	h.s.check(r, "Host.Continue")
	h.inTheNameOf(r)
	h.s.mail.putFirst(h.s.sendAs(r.actor, r.actor, msg, trace.Message, 0))
}

// inTheNameOf records that the running step acts for actor r. The step then
// conflicts with the steps of r.
func (h Host) inTheNameOf(r Ref) {
	if h.s.calls.running {
		h.s.rec.touchOther(r.actor)
	}
}

// After sets a timer of owner: it sends owner a message after d of virtual
// time.
func (h Host) After(owner Ref, d time.Duration, msg any) Timer {
	if !h.s.mayCall("Host.After") {
		return Timer{}
	}
	h.s.check(owner, "Host.After")
	h.inTheNameOf(owner)
	return h.s.setTimer(owner.actor, d, 0, msg)
}

// HandlersChanged records that the running step has changed its actor's
// handlers.
func (h Host) HandlersChanged() {
	if h.s.mayCall("Host.HandlersChanged") {
		h.s.rec.changed()
	}
}

// Accept makes an actor accept only messages for which match returns true. The
// first such message of each channel can be delivered. If match is nil, the
// actor accepts all messages again, and the text set by Waits is removed. Call
// Accept again when match would return a different result for a waiting
// message.
func (h Host) Accept(r Ref, match func(msg any) bool) {
	s := h.s
	if !s.mayCall("Host.Accept") {
		return
	}
	s.check(r, "Host.Accept")
	h.inTheNameOf(r)
	a := s.actors[r.actor]
	if a.toStart {
		s.misuse("Host.Accept of %s, which has not started: an actor accepts no other message before its start message", s.rec.nameOf(r.actor))
	}
	a.match, a.accept, a.sieve = match, acceptMatching, 0
	if match == nil {
		a.accept, a.waits = acceptAll, wait{on: none}
	}
	s.mail.refilter(&a.mailbox)
}

// Waits sets the text by which a stuck report describes what an actor
// restricted by Accept is waiting for.
func (h Host) Waits(r Ref, what string) {
	if !h.s.mayCall("Host.Waits") {
		return
	}
	h.s.check(r, "Host.Waits")
	h.s.actors[r.actor].waits = wait{text: what, on: none}
}

// End ends an actor. Its watchers receive a Down with the reason.
func (h Host) End(r Ref, reason string) {
	if h.s.mayCall("Host.End") {
		h.s.check(r, "Host.End")
		h.s.end(h.s.actors[r.actor], reason)
	}
}

// Coroutine returns a coroutine with the given body. The first Resume starts
// the body. A coroutine that is parked when the run ends is killed.
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

// Goroutine returns a number that identifies the calling goroutine among all
// live ones. On a platform that has no such number, Goroutine returns the same
// number for all goroutines. Goroutine may be called on the zero Host.
func (h Host) Goroutine() uintptr { return self.Goroutine() }

// Own makes the calling goroutine the only one that may use the system between
// steps. A call from another goroutine then has no effect, and Late returns a
// failure for the call.
func (h Host) Own() { h.s.calls.owner = self.Goroutine() }

// Lend marks a different goroutine as the one that runs the current step. It returns
// the number of the goroutine that ran the step before. A Host calls Lend before and
// after code of the step runs on another goroutine.
func (h Host) Lend(g uintptr) (was uintptr) {
	c := &h.s.calls
	was, c.g, c.span = c.g, g, 0
	return was
}

// Disown lets any goroutine use the system between steps again.
func (h Host) Disown() { h.s.calls.owner = 0 }

// Waiting reports whether there may be processes that have not returned, or
// coroutines of this Host.
func (h Host) Waiting() bool { return h.s.inUse > 0 || len(h.s.pool.hosted) > 0 }

// Finish ends all processes and coroutines that still wait, like Reset. The
// deferred functions of their code run now. If a deferred function panics,
// Late returns the failure.
func (h Host) Finish() {
	if !h.s.closed && h.s.mustBeIdle("Host.Finish") {
		h.s.killProcesses()
	}
}

// Late returns a failure that was found after the run had ended, or nil if
// there is none. The cause is a call from a goroutine that does not own the
// system, or a panic in a deferred function of a killed process. Each failure
// is returned once. If Late is not called, the next run fails with this
// failure.
func (h Host) Late() *Failure {
	f := &h.s.fails
	if f.failure != nil || f.intruder.Load() == nil { // load before swapping, because an atomic swap is expensive
		return nil
	}
	return f.intruder.Swap(nil)
}

// Intrude records a failure for a call from a goroutine that may not use the
// system. The text of the failure names the call by what, and ends with
// advice. The current run fails. If no run is active, the next run fails
// unless Late is called first. If the system is closed, Intrude only returns
// false. It may be called from any goroutine.
func (h Host) Intrude(what, advice string) bool {
	if h.s.closed {
		return false
	}
	h.s.fails.intrude(intrusion(what, h.s.calls.running, advice, advice))
	return true
}

// Intruder returns the failure recorded for a call from another goroutine, or
// nil. The run fails with that failure later. Call Intruder when Progress no
// longer increases, because then the run may never get that far. It may be
// called from any goroutine.
func (h Host) Intruder() *Failure { return h.s.fails.intruder.Load() }

// Unrun reports whether the test has sent a message or spawned a process or
// Starter since the system last took steps. The run must be recorded.
func (h Host) Unrun() bool { return !h.s.calls.running && h.s.rec.sent > h.s.root.sent }

// Caller says where the current call comes from.
func (h Host) Caller() Caller { return h.s.calls.caller() }

// Abandoned reports whether the run failed because a step called
// runtime.Goexit, as testing.T.FailNow does. It also returns the name of that
// step. After such a failure the system has no coroutines and cannot be used
// again.
func (h Host) Abandoned() (step string, yes bool) { return h.s.fails.exitWhere, h.s.fails.exit }

// States describes the state of each actor, in the order of Ref.Index. The
// text for an actor is the result of its handler's String method, its
// handler's fields, or the place where its process waits. The text for the
// test is empty.
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

// Fields describes the state of one actor like States, with one entry for each
// field of the handler. An entry that is not a field, such as the place where
// a process waits, has no name. For the test, Fields returns nil.
func (h Host) Fields(actor int32) []trace.Field {
	if !h.s.mayLook("Host.Fields") || actor <= trace.Test || int(actor) >= len(h.s.actors) {
		return nil
	}
	return h.s.fieldsOf(h.s.actors[actor], h.hidden())
}

// hidden returns a function that reports whether the text of a state shows
// only the name of a type and not the value. The function returns true for the
// struct types of this package except Ref, and for the types that
// Options.Tools selects.
func (h Host) hidden() func(reflect.Type) bool {
	tools := h.s.options.Tools
	return func(t reflect.Type) bool {
		ours := t.PkgPath() == reflect.TypeFor[System]().PkgPath() && t != reflect.TypeFor[Ref]()
		return ours && t.Kind() == reflect.Struct || tools != nil && tools(t)
	}
}

// Progress returns the number of steps taken so far. It may be called from any
// goroutine at any time, for example to detect a stalled run. The result may
// be smaller than the actual number.
//
//go:norace
func (h Host) Progress() (steps int) { return int(h.s.rec.steps) }

// Restores returns how often a run of the system went back to a Snapshot. A run
// that goes back repeats step numbers, so Progress may not increase. Such a run
// is stalled only if Restores does not change either. Restores may be called
// from any goroutine at any time.
//
//go:norace
func (h Host) Restores() int { return h.s.enabled.restores }

// Stalled returns the number of the running step, or -1 if there is none. If
// the step is running an actor's code, it also returns the actor's name and the
// received message, which is nil for a fault. The result is correct only while
// the step keeps running, so call Stalled when Progress no longer increases. It
// may be called from any goroutine.
//
//go:norace
func (h Host) Stalled() (step int, actor string, msg any) {
	r := &h.s.rec
	step, cur := int(r.step), int(r.cur)
	if !h.s.calls.running || step < 0 || step >= len(r.trace.Steps) {
		return -1, "", nil
	}
	if cur == int(trace.Test) || r.called == r.steps || cur >= len(r.trace.Actors) { // the condition of recorder.inStep, written out because the race detector would report a call to inStep
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
