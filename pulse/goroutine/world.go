package goroutine

import (
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A world holds the goroutines of one run and their timers.
type world struct {
	*door
	sys      *pulse.System
	host     pulse.Host
	control  control
	ends     bool       // set if the run ends with the goroutine that runs main
	own      bool       // set if the running step is one of a goroutine or of the clock
	list     []*routine // by id-1; nil for goroutines that the runtime does not report, such as coroutines
	ready    int        // the number of goroutines that can run
	live     int        // the number of goroutines that have not ended
	lonely   int        // the number of steps since another goroutine could run
	steps    int
	quarters int                       // how often a quarter of patience had passed when share last looked
	most     int                       // the number of steps after which the run of a test counts as endless
	unending bool                      // set if it does
	spins    int                       // the number of successive steps in which one goroutine ran alone without waiting
	cause    string                    // why the run is not controlled, or ""
	state    state                     // the result of stateOf
	starving *routine                  // the goroutine that must run next, or nil
	held     []*routine                // goroutines that can run, but must wait until starving has taken a step
	objects  map[unsafe.Pointer]uint32 // the numbers of objects, such as channels and mutexes, by their addresses. A key is a pointer, so its memory is not reused within the run

	clock pulse.Ref // the actor that fires the timers of the goroutines
	timer pulse.Timer
	due   int64 // virtual time of the next timer, or 0
	now   int64 // the time of the goroutines at the last call of clocks
	ahead int64 // how far the clock of the goroutines is ahead of that of the system, which moves only at timers
	calm  int   // the number of steps at the last clock tick at rest
	early bool  // set if the clock has a message by which the next timer fires early
}

// stateOf returns the state of a goroutine, which is valid until the next call
// of stateOf.
func (w *world) stateOf(g thread) *state {
	w.look(g, &w.state)
	return &w.state
}

// takeNew sends a message to each goroutine that has become runnable, with
// actor by as the sender. If by is zero, the test is the sender.
func (w *world) takeNew(by pulse.Ref) {
	for {
		g := w.next(w.control)
		if g == nil {
			return
		}
		s := w.stateOf(g)
		r := w.routine(g, s, by)
		r.turn, r.since = siteOf(s), w.steps
		w.ready++
		switch {
		case by.IsZero():
			w.sys.Send(r.ref, r.turn)
		case w.starving != nil && w.starving != r:
			w.held = append(w.held, r)
		default:
			w.enqueue(by, r)
		}
	}
}

// slice is the number of steps that a goroutine takes one after another in plain order, as
// long as it does not wait. Then those that can run have their turn.
const slice = 100

// enqueue sends a goroutine the message by which it takes its next step. In plain order a
// goroutine runs until it blocks, so most departures from plain order are preemptions.
func (w *world) enqueue(by pulse.Ref, r *routine) {
	if r.ref != by || r.turn.key.op == opGosched || r.slice == slice {
		r.slice = 0
		w.host.Enqueue(by, r.ref, r.turn)
		return
	}
	r.slice++
	w.host.Continue(r.ref, r.turn)
}

// patience is the number of steps for which a goroutine that can run may wait. Without
// this limit, a goroutine that retries in a loop (for example, TryLock on a mutex)
// could make a run endless. A real scheduler lets every goroutine run at some time.
const patience = 300

// restless is the number of steps for which goroutines may run while no time passes. It is
// large because a program may rely on some steps taking less time than a timer.
const restless = 10 * patience

// share prevents starvation. If a goroutine that can run has waited for too long, share
// holds the others back until that goroutine has taken a step. If goroutines could run for very
// long, time passes, because they may do so until some time has passed.
func (w *world) share(by *routine) {
	w.steps++
	by.ran = w.steps
	if w.starving == by || w.starving != nil && w.starving.turn == nil {
		w.starving = nil
		for _, r := range w.held {
			r.slice = 0
			w.host.Enqueue(by.ref, r.ref, r.turn)
		}
		w.held = w.held[:0]
	}
	quarters := w.steps / (patience / 4)
	if quarters == w.quarters || w.starving != nil {
		return
	}
	w.quarters = quarters
	for _, r := range w.list {
		if r != nil && r.turn != nil && w.steps-r.since > patience {
			w.starving = r
			break
		}
	}
	if quarters%4 == 0 && w.steps-w.calm > restless {
		w.host.Touch(trace.AllSteps) // from here on the run depends on the number of steps, so this step conflicts with all others
		now, _ := w.clocks()
		w.pass(now + int64(time.Millisecond))
	}
}

// mostSpins limits the time that passes for a goroutine that runs in a loop
// without waiting. The time doubles with each spin, but not after mostSpins
// spins.
const mostSpins = 20

// While no other goroutine can run, a goroutine takes at most mostLonely steps
// of one operation each. These steps are the same in every order. After them a
// step consists of many operations, so that long sequential code is fast.
const mostLonely = 100

// runsOn reports whether the goroutine that is about to take a step need not give the
// control back at its next operation.
func (w *world) runsOn() bool {
	if w.ready > 0 || w.early {
		w.lonely = 0
		return false
	}
	w.lonely++
	return w.live == 1 || w.lonely > mostLonely
}

// spin lets time pass for a goroutine that has run alone for many operations without
// waiting. Such a goroutine may read the clock in a loop. The longer it runs alone, the
// more time passes.
func (w *world) spin(r *routine) {
	w.host.Touch(trace.AllSteps)
	w.spins = min(w.spins+1, mostSpins)
	now, next := w.clocks()
	now += int64(time.Millisecond) << (w.spins - 1)
	if next != 0 {
		now = min(now, next)
	}
	w.pass(now)
	w.takeNew(r.ref)
}

// clocks returns the time of the goroutines, and that of their next timer or 0. It adds to ahead the time that
// reading the clock has taken since the last call.
func (w *world) clocks() (now, next int64) {
	now, next = w.times(w.control)
	w.ahead += now - w.now
	w.now = now
	return now, next
}

// pass lets time pass for the goroutines, but not for the system.
func (w *world) pass(to int64) {
	w.fire(to)
	w.clocks()
}

// fire sets the virtual time, and fires all timers that are due.
func (w *world) fire(now int64) {
	for w.advance(w.control, now, 0) {
	}
}

// afterStep is called after each step of the system. If an actor that is no goroutine has taken it, goroutines may
// have become able to run, for example because the actor has sent to a channel. Nothing tells which objects it has
// used, so the step conflicts with all others.
func (w *world) afterStep() {
	if w.own {
		w.own = false
		return
	}
	w.host.Touch(trace.AllSteps)
	w.takeNew(w.host.Running())
	w.setClock(false)
}

// over reports whether the run of a test has ended with the last step. r is the goroutine
// that took the step, nil if the step was a clock tick.
func (w *world) over(r *routine) bool {
	if what := w.outside(w.control); w.cause == "" && what != "" {
		w.cause = "it depends on " + what
	}
	if w.cause == "" && w.ends {
		w.endless()
	}
	return w.cause != "" || w.ends && r != nil && r.why == exited && r.id == 1
}

// mostSettling is the number of steps for which goroutines run on after a test.
const mostSettling = 1000

// settle lets the goroutines that can run continue after a test has ended,
// without the system. If a goroutine were abandoned at once, it might leave a
// package-level mutex locked, and every later run would wait for that mutex.
func (w *world) settle() {
	var ready []thread
	for _, r := range w.list {
		if r != nil && r.turn != nil {
			ready = append(ready, r.thread)
		}
	}
	for range mostSettling {
		for g := w.next(w.control); g != nil; g = w.next(w.control) {
			ready = append(ready, g)
		}
		if len(ready) == 0 {
			return
		}
		g := ready[0]
		ready = ready[1:]
		why := chooses
		for why == chooses {
			why, _ = w.resume(w.control, g, true, 0)
		}
		if s := w.stateOf(g); int(s.id) <= len(w.list) && w.list[s.id-1] != nil {
			w.list[s.id-1].why = why
		}
	}
}

// routine returns the actor of a goroutine, which is spawned if it is new.
func (w *world) routine(g thread, s *state, by pulse.Ref) *routine {
	for int(s.id) > len(w.list) {
		w.list = append(w.list, nil)
	}
	if r := w.list[s.id-1]; r != nil {
		return r
	}
	r := &routine{start: labelOf(s), world: w, thread: g, id: s.id}
	spec := pulse.Spec{Name: r.name, Actor: r, Safe: true}
	if by.IsZero() {
		r.ref = w.sys.SpawnSpec(spec)
	} else {
		r.ref = w.host.Spawn(by, spec)
	}
	w.list[s.id-1] = r
	w.live++
	return r
}

// touch tells the system which objects the running step has used. The number of
// an object depends on the step that used it first.
func (w *world) touch() {
	if !w.host.Recorded() {
		return
	}
	if w.objects == nil {
		w.objects = map[unsafe.Pointer]uint32{}
	}
	for i := 0; ; i++ {
		op, object, n := w.touched(w.control, i)
		switch {
		case i >= n:
			return
		case i >= touches, op == opAll:
			w.host.Touch(trace.AllSteps)
			return
		case object == nil:
			continue
		}
		number, known := w.objects[object]
		if !known || op == opMake {
			number = uint32(w.host.Identity()>>20) + uint32(i)*0x9e3779b1
			w.objects[object] = number
		}
		if op != opMake {
			w.host.TouchObject(number, !known)
		}
	}
}

// soon is the time within which a timer of a test may fire although goroutines can run. Code
// takes time: without this, a timer of a nanosecond would fire only when nothing else goes on.
const soon = time.Microsecond

// setClock sets the timer of the system to the goroutines' next timer. If that is due soon, and
// a goroutine has taken the running step, the strategy may let it fire before others run.
func (w *world) setClock(goroutine bool) {
	now, next := w.clocks()
	w.setTimer(now, next)
	if goroutine && w.ends && !w.early && next != 0 && time.Duration(next-now) <= soon {
		w.early = true
		w.host.Enqueue(w.host.Running(), w.clock, earlyTick{})
	}
}

// An earlyTick is the message by which the next timer fires although goroutines can run.
type earlyTick struct{}

func (earlyTick) String() string { return "tick" }

// setTimer sets the timer of the system to the time next.
func (w *world) setTimer(now, next int64) {
	if next == w.due {
		return
	}
	if w.due != 0 {
		w.timer.Stop()
	}
	w.due = next
	if next == 0 {
		return
	}
	if w.clock.IsZero() {
		w.clock = w.host.Spawn(w.host.Running(), pulse.Spec{Name: "clock", Actor: pulse.Func(w.tick), Safe: true})
	}
	w.timer = w.host.After(w.clock, max(0, time.Duration(next-now+w.ahead)), "tick")
}

// late is the virtual time between the moment at which a timer is due and its
// firing. Real timers fire late, and tests rely on that: after a sleep until a
// deadline, time.Now is after the deadline.
const late = time.Nanosecond

// tick fires the timers that are due. Either it fires all of them, in the order
// in which they were made, or the strategy chooses one. If only one fires, the
// goroutines that it wakes may run before the other timers fire.
func (w *world) tick(ctx *pulse.Ctx, msg any) {
	w.own = true
	now, early := w.due+int64(late), msg == (earlyTick{})
	if !early {
		w.due = 0
	} else if w.early = false; w.list[0].why == exited {
		return // the test has ended
	}
	if w.steps++; w.over(nil) {
		w.end()
		return
	}
	if early {
		w.host.Touch(trace.AllSteps)
		before, _ := w.clocks()
		if w.due == 0 || time.Duration(w.due-before) > soon { // the timer has been stopped
			return
		}
		w.timer.Stop()
		w.due = 0
	} else {
		w.calm = w.steps
		w.now, w.ahead = now, int64(late) // the system's clock says when the timer was due
	}
	if n := w.door.due(w.control, now); n > 1 && ctx.Choose(2) == 1 {
		w.advance(w.control, now, ctx.Choose(n))
	} else {
		w.fire(now)
	}
	w.takeNew(ctx.Self())
	w.setClock(false)
}

// end ends the run: no goroutine runs any more.
func (w *world) end() {
	for _, r := range w.list {
		if r != nil {
			w.host.End(r.ref, "the test has ended")
		}
	}
	if w.due != 0 {
		w.timer.Stop()
		w.due = 0
	}
}
