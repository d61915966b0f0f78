// Package goroutine runs ordinary goroutine code as the actors of a
// pulse.System: channels, select, mutexes, wait groups, timers and contexts.
// The program must be built with the overlay that the command jostle writes:
//
//	go test -vet=off -overlay=$(jostle overlay) ./...
//
// A goroutine is an actor. Before each operation on a channel, on a timer, on an object of
// package sync or on a type of package sync/atomic, another goroutine may run. To unlock is
// such an operation if the program calls TryLock or TryRLock.
// Functions of package sync/atomic are operations in builds of the command jostle,
// and with the flags that jostle overlay --flags prints.
// The code between two operations is a step. The system's strategy chooses which
// goroutine takes the next step. In plain order, which shrinking approaches, a goroutine
// runs until it blocks. When none can take a step, the virtual clock jumps to the next timer.
//
// A property of package props runs goroutines with drawn values like this:
//
//	func ringPasses(t *props.T) {
//		n := props.Draw(t, rapid.IntRange(2, 5), "n")
//		goroutine.Run(t.System(), func() { passToken(n) })
//	}
//
// fuzz.Check searches such a property for failures, and fuzz.Explore runs it in every
// order. Two steps conflict if they do operations on one object. With a reduction,
// Explore runs only one of several orders that differ only in steps that do not conflict.
// The first operations on two objects of package sync always conflict, because nothing
// tells the objects apart. jostle knows no conflicts on plain variables, the length of a
// channel, functions of package sync/atomic that are no operations, and the results of a
// sync.Pool. If the order of these matters, explore with the reduction
// explore.Everything. Do not compare states, because a state does not include the
// variables of goroutines.
//
// Goroutines and other actors of the system run side by side. A goroutine may call
// System.Send. A handler may wake goroutines: by a send to a channel that has room, or by
// close, Unlock or Done. It must not wait for a goroutine, and it must not start one.
//
// Connections over TCP on loopback addresses and over Unix domain sockets are in memory:
// net.Listen, net.Dial, and what uses them, such as net/http. A listener on port 0 gets the
// same port in each run. pulse.Faults.Network lets the strategy shorten reads, delay data,
// reset connections, and cut a listener off for some time. Random numbers of math/rand and
// crypto/rand, the order of a map and the process ID are the same in each run. Files and pipes are
// real, and reads and writes there are no operations.
//
// The command jostle test runs existing tests in this way, unchanged, with three differences.
// Random numbers of math/rand and the order of a map differ between runs. A goroutine that was started may
// run before the go statement ends. A timer that is due within a microsecond may fire although
// goroutines can run, and with -early others too. A test that depends
// on another network or UDP, on another process, a signal that it sends, C code, the garbage collector, or a
// goroutine or a timer from outside of the run is not controlled. It runs once, as under go test.
//
// jostle does not detect races on plain variables, because no other goroutine runs
// between two plain reads and writes. To detect them, also run go test -race or jostle
// test -race. A run does not repeat if it depends on addresses, such as the order of a
// large map whose keys are pointers.
//
// Package testing/synctest differs in three ways. With jostle, time also passes if a
// goroutine reads the clock again and again, a goroutine that waits for a mutex counts as
// blocked, and the order in which goroutines run is chosen, saved and replayed.
package goroutine

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
)

// Available reports whether the program was built with the overlay.
func Available() bool { return open() != nil }

// Run runs main as a goroutine of sys, with all goroutines that it starts, until
// none of them can go on. The run fails if one of them is then still blocked.
// Run returns false if the run has failed.
func Run(sys *pulse.System, main func()) bool {
	if main == nil {
		misused(sys, "goroutine.Run(nil): give it a function")
		return false
	}
	return open().run(sys, main)
}

// misused fails the run before it has begun.
func misused(sys *pulse.System, text string) {
	sys.Fail(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: text})
	sys.Run() // Run calls Options.Failed, so that a property reports this failure
}

func (d *door) run(sys *pulse.System, main func()) bool {
	w := d.begin(sys, 0, main, false)
	if w == nil {
		return false
	}
	defer w.drive(nil)
	ok := w.sys.Run()
	if ok && w.cause == "" && !w.allEnded() {
		ok = w.stop(0)
	}
	if w.cause == "" || !ok {
		return ok
	}
	sys.Fail(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: "the run is not controlled: " + w.cause})
	return false
}

// An End says how a run of RunTest has ended.
type End struct {
	// Outside is not empty if the run is not controlled, for example because it depends
	// on the network. Then the result of the run means nothing.
	Outside string
	// Left describes the goroutines that had not ended: what each waits for, and where.
	Left []string
	// Endless is set if the run is not controlled because it does not end within
	// Options.Steps, or within 30,000 steps.
	Endless bool
	// Random is set if the program has used random numbers or the order of a map. Both
	// depend on the seed.
	Random bool
}

// RunTest is like Run, but the run ends when main returns. Goroutines that have
// not ended by then run on for a while. Then they are abandoned: they never run again. If the
// run is not controlled, the goroutine that has done what is not controlled calls its deferred
// functions and ends, and so do the tests that wait for it. The seed determines the random
// numbers that main gets, such as those of math/rand.
func RunTest(sys *pulse.System, seed uint64, main func()) End { return open().runTest(sys, seed, main) }

func (d *door) runTest(sys *pulse.System, seed uint64, main func()) (e End) {
	w := d.begin(sys, seed, main, true)
	if w == nil {
		return e
	}
	defer w.drive(nil)
	if w.sys.Run() && w.cause == "" && w.list[0].waits() {
		w.stop(patienceOutside)
	}
	if w.cause == "" && w.list[0].why == exited || w.outside(w.control) != "" {
		w.settle()
	}
	return End{w.cause, w.left(), w.unending, w.random(w.control)}
}

// patienceOutside is the real time for which the run of a test that is stuck waits for a goroutine
// that is not controlled. patienceOthers is that time if such goroutines exist.
const (
	patienceOutside = 2 * time.Millisecond
	patienceOthers  = time.Second
)

func anyMessage(any) bool { return true }

// waits reports whether the goroutine exists and has not ended.
func (r *routine) waits() bool { return r != nil && r.why != exited }

// allEnded reports whether all goroutines have ended.
func (w *world) allEnded() bool { return !slices.ContainsFunc(w.list, (*routine).waits) }

// begin starts main as a goroutine of sys. It returns nil if the program was built
// without the overlay, and then the run has failed.
func (d *door) begin(sys *pulse.System, seed uint64, main func(), ends bool) *world {
	switch {
	case d == nil:
		misused(sys, "goroutine.Run in an ordinary build: build with the flags that jostle overlay --flags prints, or use jostle test")
		return nil
	case d.version != doorVersion:
		misused(sys, "this overlay belongs to another version of jostle: write it again by jostle overlay")
		return nil
	}
	w := &world{door: d, sys: sys, host: sys.Host(), ends: ends, most: mostSteps, control: d.start(seed+1, sys.Options().Faults.Network, ends)}
	if n := sys.Options().Steps; n > 0 {
		w.most = n - lately // the system fails a run that takes more steps
	}
	d.drive(w.control)
	w.now, _ = d.times(w.control)
	d.spawn(w.control, main)
	w.takeNew(pulse.Ref{})
	if !ends { // else all actors of the system are goroutines
		w.host.AfterSteps(w.afterStep)
	}
	return w
}

// A routine is one goroutine, which is an actor of the system.
type routine struct {
	start
	world  *world
	thread thread
	id     uint64 // the number of the goroutine in the run, from 1; 1 is the goroutine that runs main
	ref    pulse.Ref
	why    reason // why the goroutine returned control to jostle
	turn   *site  // the message that the goroutine is to receive, or nil if it cannot run
	since  int    // the number of steps of the run when the goroutine became able to run
	ran    int    // the number of steps of the run when the goroutine took its last step
	slice  int    // the number of steps since the goroutine last waited or gave others their turn
}

// Receive takes one step of the goroutine.
func (r *routine) Receive(ctx *pulse.Ctx, _ any) {
	w := r.world
	w.own = true
	w.ready--
	alone := w.runsOn()
	r.turn = nil
	r.resume(ctx, !alone)
	w.touch()
	w.share(r)
	if w.over(r) {
		w.end()
		return
	}
	w.takeNew(r.ref)
	if alone && w.ready == 1 && r.turn != nil && r.why == yielded {
		w.spin(r)
	} else {
		w.spins = 0
	}
	switch r.why {
	case exited:
		w.live--
		ctx.Stop()
	case panicked, quit:
		w.sys.Fail(r.failure())
	}
	w.setClock(true)
}

// resume lets the goroutine run until its next operation, and answers its choices. If
// yields is not set, the goroutine runs on until another goroutine can run.
func (r *routine) resume(ctx *pulse.Ctx, yields bool) {
	w, answer, n := r.world, uint64(0), uint64(0)
	for choices := 0; ; choices++ {
		driver := w.host.Lend(uintptr(r.thread))
		r.why, n = w.door.resume(w.control, r.thread, yields, answer)
		w.host.Lend(driver)
		if r.why != chooses {
			return
		}
		if answer = uint64(choices) % n; choices < mostChoices {
			answer = uint64(ctx.Choose(int(n)))
		}
	}
}

// mostChoices is the number of choices in one step after which the cases of a
// select take turns. A program with a select in a loop may rely on every ready
// case being chosen at some time.
const mostChoices = 32

// failure returns the failure for the goroutine's panic or call of os.Exit.
func (r *routine) failure() *pulse.Failure {
	v := r.world.thrown(r.world.control)
	f := &pulse.Failure{Kind: pulse.KindPanic, Value: v, Step: r.world.host.Step(), Text: fmt.Sprintf("panic in %v: %v", r.ref, v)}
	if r.why == quit {
		f.Text = fmt.Sprintf("%v called os.Exit(%v)", r.ref, v)
	}
	if f.Stack = r.frames(); len(f.Stack) > 0 {
		f.Site, f.Detail = f.Stack[0].Func, stack.Lines(f.Stack)
	}
	return f
}

// frames returns the stack of the goroutine, reduced to calls of user code. If the stack was too large,
// frames returns each of the innermost calls once, in the order of their places. Where a recursion ends
// depends on how much of the stack the runtime uses.
func (r *routine) frames() []stack.Frame {
	var pcs [64]uintptr
	n, full := r.world.stack(r.thread, pcs[:])
	calls, _ := trimmer.Inner(pcs[:n])
	frames := stack.Frames(calls)
	if full {
		slices.SortFunc(frames, func(a, b stack.Frame) int {
			return cmp.Or(cmp.Compare(a.Path(), b.Path()), cmp.Compare(a.Line, b.Line))
		})
		frames = slices.Compact(frames)
	}
	return frames
}

// trimmer removes the calls of jostle from stacks.
var trimmer = stack.NewTrimmer(ownPackage)

// ownPackage is the path of this package, and ownPath what the paths of jostle's packages begin with.
// They differ in a build with the overlay.
var (
	ownPackage = reflect.TypeFor[world]().PkgPath()
	ownPath    = strings.TrimSuffix(ownPackage, "pulse/goroutine")
)

// HandlerPlace returns the line at which the goroutine's function begins.
func (r *routine) HandlerPlace() stack.Frame { return r.place }

// Waits returns the line at which the goroutine waits, and what it waits for.
// For a lock it also returns which goroutines have locked it, and for a channel
// the line that made it.
func (r *routine) Waits() (out stack.Wait) {
	out.Actor = r.ref.String()
	if frames := r.frames(); len(frames) > 0 {
		out.At = frames[0]
	}
	s := *r.state()
	if s.waits == "" {
		out.What = "for its turn"
		return out
	}
	out.What = "in " + s.waits
	for i := 0; ; i++ {
		object, made := r.world.awaited(r.thread, i)
		if object == 0 {
			break
		}
		var o stack.Object
		if made != 0 {
			call, _ := runtime.CallersFrames([]uintptr{made}).Next()
			o.Made = stack.FrameOf(call)
		}
		if s.locks {
			o.Held = r.world.holders(object)
		}
		if o.Made.File != "" || len(o.Held) > 0 {
			out.On = append(out.On, o)
		}
	}
	// The runtime sorts the channels of a select by address, which differs between
	// runs. Sort them by the lines that made them.
	slices.SortStableFunc(out.On, func(a, b stack.Object) int {
		return cmp.Or(cmp.Compare(a.Made.File, b.Made.File), cmp.Compare(a.Made.Line, b.Made.Line))
	})
	return out
}

// holders returns which goroutines have locked a lock, oldest first. If a goroutine waits for
// the lock, its last call of Lock has not locked it yet.
func (w *world) holders(object uintptr) (list []stack.Hold) {
	n := 0
	for w.locks(w.control, n) != nil {
		n++
	}
	waiting := map[uint64]bool{}
	for i := n - 1; i >= 0; i-- {
		h := w.locks(w.control, i)
		if h.object != object {
			continue
		}
		r := w.list[h.id-1]
		if awaited, _ := w.awaited(r.thread, 0); awaited == object && r.state().locks && !waiting[h.id] {
			waiting[h.id] = true
			continue
		}
		hold := stack.Hold{Actor: r.ref.String(), Reads: h.reads}
		if calls, _ := trimmer.Inner(h.callers[:]); len(calls) > 0 {
			hold.At = stack.FrameOf(calls[0])
		}
		list = append(list, hold)
	}
	slices.Reverse(list)
	return list
}

func (r *routine) state() *state { return r.world.stateOf(r.thread) }

// String returns the state of the goroutine, as reports show the state of an
// actor.
func (r *routine) String() string {
	if r.why == exited {
		return "ended"
	}
	return cmp.Or(r.state().waits, "can run")
}
