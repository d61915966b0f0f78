package goroutine

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A world is the goroutines of one run.
type world struct {
	*door
	sys      *pulse.System
	host     pulse.Host
	control  control
	ends     bool       // set if the run ends with the goroutine that runs main
	list     []*routine // by id-1; nil for one that was never told of, such as a coroutine
	ready    int        // number of goroutines that can run
	live     int        // number of goroutines that have not ended
	lonely   int        // number of steps since another goroutine could run
	steps    int
	spins    int                       // number of steps in which one goroutine ran alone without waiting
	cause    string                    // why the run is not controlled, or ""
	state    state                     // the result of stateOf
	starving *routine                  // the goroutine that must run next, or nil
	held     []*routine                // those that can run but must let it run first
	objects  map[unsafe.Pointer]uint32 // numbers of channels, mutexes and so on. As a key is a pointer, its memory is not reused within the run

	clock pulse.Ref // fires the timers of the goroutines
	timer pulse.Timer
	due   int64 // virtual time of the next timer, or 0
}

// stateOf describes a goroutine. The result is valid until the next call.
func (w *world) stateOf(g thread) *state {
	w.look(g, &w.state)
	return &w.state
}

// takeNew sends a message to each goroutine that has become runnable, in the
// name of by. If by is zero, the test sends it.
func (w *world) takeNew(by pulse.Ref) {
	for {
		g, _ := w.next(w.control)
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
			w.host.Enqueue(by, r.ref, r.turn)
		}
	}
}

// patience is for how many steps a goroutine that can run may wait. Without a limit a
// goroutine that tries again and again, for example to lock a mutex by TryLock, would
// make a run endless, although no real scheduler lets others wait for ever.
const patience = 300

// share holds the other goroutines back while one has waited for too long, until that
// one has taken a step. A program whose goroutines take so many steps may wait for the
// clock by looking at it, so time passes too.
func (w *world) share(by *routine) {
	w.steps++
	if w.starving == by || w.starving != nil && w.starving.turn == nil {
		w.starving = nil
		for _, r := range w.held {
			w.host.Enqueue(by.ref, r.ref, r.turn)
		}
		w.held = w.held[:0]
	}
	if w.steps%(patience/4) != 0 || w.starving != nil {
		return
	}
	for _, r := range w.list {
		if r != nil && r.turn != nil && w.steps-r.since > patience {
			w.starving = r
			break
		}
	}
	if w.steps%patience == 0 {
		w.host.Touch(trace.AllSteps) // the number of steps matters from here on
		now, _ := w.times(w.control)
		w.advance(w.control, now+int64(time.Millisecond))
	}
}

// mostSpins limits how fast time passes for a goroutine that spins.
const mostSpins = 20

// mostLonely is for how many steps a goroutine goes on operation by operation although no
// other can run. So a step is mostly one operation in every order, and has the same name.
// After that, many operations are one step, so that long sequential code is fast.
const mostLonely = 100

// runsOn reports whether the goroutine that is about to take a step need not give the
// control back at its next operation.
func (w *world) runsOn() bool {
	if w.ready > 0 {
		w.lonely = 0
		return false
	}
	w.lonely++
	return w.live == 1 || w.lonely > mostLonely
}

// spin lets time pass for a goroutine that has run alone for many operations, and has
// waited for none. It may wait for the clock by looking at it, so the longer it does so,
// the more time passes.
func (w *world) spin(r *routine) {
	w.host.Touch(trace.AllSteps)
	w.spins = min(w.spins+1, mostSpins)
	now, next := w.times(w.control)
	now += int64(time.Millisecond) << (w.spins - 1)
	if next != 0 {
		now = min(now, next)
	}
	w.advance(w.control, now)
	w.takeNew(r.ref)
}

// mostSteps is the number of steps after which the run of a test counts as endless.
const mostSteps = 30_000

// over reports whether the run of a test ends with the last step, which r has taken. r is
// nil if the clock has.
func (w *world) over(r *routine) bool {
	if what := w.outside(w.control); w.cause == "" && what != "" {
		w.cause = "it depends on " + what
	}
	if w.cause == "" && w.ends && w.steps >= mostSteps {
		w.cause = fmt.Sprintf("it does not end within %d steps", mostSteps)
	}
	return w.cause != "" || w.ends && r != nil && r.why == exited && r.id == 1
}

// routine returns the actor of a goroutine, which is spawned if it is new.
func (w *world) routine(g thread, s *state, by pulse.Ref) *routine {
	for int(s.id) > len(w.list) {
		w.list = append(w.list, nil)
	}
	if r := w.list[s.id-1]; r != nil {
		return r
	}
	r := &routine{world: w, thread: g, id: s.id}
	at := labelOf(s.start)
	r.place = at.place
	spec := pulse.Spec{Name: at.name, Actor: r, Safe: true}
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

// setClock sets the timer of the system to the goroutines' next timer.
func (w *world) setClock() {
	now, next := w.times(w.control)
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
	w.timer = w.host.After(w.clock, time.Duration(next-now), "tick")
}

// tick fires the timers that are due.
func (w *world) tick(ctx *pulse.Ctx, _ any) {
	due := w.due
	w.due = 0
	if w.steps++; w.over(nil) {
		w.end()
		return
	}
	w.advance(w.control, due)
	w.takeNew(ctx.Self())
	w.setClock()
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
	}
}
