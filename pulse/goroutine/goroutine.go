// Package goroutine runs ordinary goroutine code as the actors of a
// pulse.System: channels, select, mutexes, wait groups, timers and contexts.
// The program must be built with the overlay that the command jostle writes:
//
//	go test -vet=off -overlay=$(jostle overlay) ./...
//
// A goroutine is an actor. Before each operation on a channel, on an object of
// package sync or on a type of package sync/atomic, another goroutine may run.
// The code between two operations is a step. The system's strategy chooses which
// goroutine takes the next step. When none can, the virtual clock jumps to the
// next timer.
//
// Connections over TCP on loopback addresses and over Unix domain sockets are in memory:
// net.Listen, net.Dial, and what uses them, such as net/http. A listener on port 0 gets the
// same port in each run. pulse.Faults.Network lets the strategy shorten reads, delay data,
// reset connections, and cut a listener off for some time. Random numbers of math/rand and
// crypto/rand and the process ID are the same in each run. Files are real.
//
// The command jostle test runs existing tests in this way, unchanged. A test that depends
// on another network, on another process, a signal, the garbage collector or a goroutine from
// outside of the run is not controlled. It runs once, as under go test.
//
// Not seen are races on plain variables, because no other goroutine runs between two plain
// reads and writes: run go test -race too, or jostle test -race. A run does not repeat if
// it depends on addresses, such as the order of a large map whose keys are pointers. In
// contrast to testing/synctest, time also passes if a goroutine looks at the clock again
// and again, a goroutine that waits for a mutex counts as blocked, and the order in which
// goroutines run is chosen, saved and replayed.
package goroutine

import (
	"fmt"
	"path"
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
func Run(sys *pulse.System, main func()) bool { return open().run(sys, main) }

func (d *door) run(sys *pulse.System, main func()) bool {
	w := d.begin(sys, main, false)
	if w == nil {
		return false
	}
	defer w.drive(nil)
	ok := w.sys.Run()
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
}

// RunTest is like Run, but the run ends when main returns. Goroutines that have
// not ended by then are abandoned: they never run again.
func RunTest(sys *pulse.System, main func()) End { return open().runTest(sys, main) }

func (d *door) runTest(sys *pulse.System, main func()) (e End) {
	w := d.begin(sys, main, true)
	if w == nil {
		return e
	}
	defer w.drive(nil)
	if w.sys.Run() && w.cause == "" && w.list[0].why != exited {
		w.stop()
	}
	return End{w.cause, w.left()}
}

// patienceOutside is the real time for which a run that is stuck waits for a goroutine
// that is not controlled.
const patienceOutside = 2 * time.Millisecond

// stop ends a test that cannot go on. Unless a goroutine that is not controlled wakes it,
// the system reports it as stuck.
func (w *world) stop() {
	time.Sleep(patienceOutside)
	if g, _ := w.next(w.control); g != nil {
		w.cause = "it depends on a goroutine that jostle has not started in this run"
		return
	}
	for _, r := range w.list {
		if r != nil && r.why != exited && (r.id > 1 || w.alone()) {
			r.mustEnd()
		}
	}
	w.sys.Run()
}

// alone reports whether only the goroutine that runs main has not ended.
func (w *world) alone() bool {
	return !slices.ContainsFunc(w.list[1:], func(r *routine) bool { return r != nil && r.why != exited })
}

// left describes the goroutines that have not ended.
func (w *world) left() (list []string) {
	for _, r := range w.list {
		if r == nil || r.why == exited || r.id == 1 {
			continue
		}
		what, at := r.Waits()
		text := fmt.Sprintf("%v %s", r.ref, what)
		if place := at.Place(); place != "" {
			text += " at " + place
		}
		list = append(list, text)
	}
	return list
}

// begin starts main as a goroutine of sys. It returns nil if the program was built
// without the overlay, and then the run has failed.
func (d *door) begin(sys *pulse.System, main func(), ends bool) *world {
	if d == nil || d.version != doorVersion {
		text := "goroutine.Run in an ordinary build: build with -overlay=$(jostle overlay), or use jostle test"
		if d != nil {
			text = "this overlay belongs to another version of jostle: write it again by jostle overlay"
		}
		sys.Fail(&pulse.Failure{Kind: pulse.KindMisuse, Step: -1, Text: text})
		return nil
	}
	w := &world{door: d, sys: sys, host: sys.Host(), ends: ends, control: d.start(1, sys.Options().Faults.Network)}
	d.drive(w.control)
	d.spawn(w.control, main)
	w.takeNew(pulse.Ref{})
	return w
}

// A routine is a goroutine, as an actor.
type routine struct {
	world  *world
	thread thread
	id     uint64 // its number in the run, from 1; 1 is the goroutine that runs main
	ref    pulse.Ref
	place  string // the line at which its function begins
	begun  bool   // set in its first step
	why    reason // why it has given the control back
	turn   *site  // the message that it is to receive, or nil if it cannot run
	since  int    // the number of steps before it could
}

// Receive takes one step of the goroutine.
func (r *routine) Receive(ctx *pulse.Ctx, _ any) {
	w := r.world
	w.ready--
	alone := w.ready == 0
	r.turn = nil
	if !r.begun {
		r.begin()
	}
	r.resume(ctx)
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
		ctx.Stop()
	case panicked:
		w.sys.Fail(r.failure())
	}
	w.setClock()
}

// begin makes the system report the goroutine as stuck if it never ends. In a test this
// holds only for the goroutine that runs the test, and only if nothing outside of the run
// wakes it: see stop.
func (r *routine) begin() {
	r.begun = true
	if !r.world.ends {
		r.mustEnd()
	}
}

// mustEnd makes the system report the goroutine as stuck if it never ends.
func (r *routine) mustEnd() { r.world.host.Accept(r.ref, func(any) bool { return true }) }

// resume lets the goroutine run until its next operation, and answers its
// choices.
func (r *routine) resume(ctx *pulse.Ctx) {
	w, answer, n := r.world, uint64(0), uint64(0)
	for choices := 0; ; choices++ {
		driver := w.host.Lend(uintptr(r.thread))
		r.why, n = w.door.resume(w.control, r.thread, w.ready > 0, answer)
		w.host.Lend(driver)
		if r.why != chooses {
			return
		}
		if answer = uint64(choices) % n; choices < mostChoices {
			answer = uint64(ctx.Choose(int(n)))
		}
	}
}

// mostChoices is the number of choices in one step after which every case gets its turn. A
// loop around a select may rely on that select is fair.
const mostChoices = 32

// failure returns the failure for the goroutine's panic.
func (r *routine) failure() *pulse.Failure {
	v := r.world.thrown(r.world.control)
	f := &pulse.Failure{Kind: pulse.KindPanic, Value: v, Step: r.world.host.Step(), Text: fmt.Sprintf("panic in %v: %v", r.ref, v)}
	if f.Stack = r.frames(); len(f.Stack) > 0 {
		f.Site, f.Detail = f.Stack[0].Func, stack.Lines(f.Stack)
	}
	return f
}

// frames returns the calls of user code in which the goroutine stands.
func (r *routine) frames() []stack.Frame {
	var pcs [64]uintptr
	calls, _ := trimmer.Inner(pcs[:r.world.stack(r.thread, pcs[:])])
	return stack.Frames(calls)
}

// trimmer removes the calls of jostle from stacks.
var trimmer = stack.NewTrimmer(reflect.TypeFor[world]().PkgPath())

// HandlerPlace returns the line at which the goroutine's function begins.
func (r *routine) HandlerPlace() string { return r.place }

// Waits says what the goroutine waits for, and where.
func (r *routine) Waits() (what string, at stack.Frame) {
	if frames := r.frames(); len(frames) > 0 {
		at = frames[0]
	}
	if what = r.state().waits; what == "" {
		return "can run", at
	}
	return "in " + what, at
}

func (r *routine) state() (s state) {
	r.world.look(r.thread, &s)
	return s
}

// String describes the goroutine as the state of an actor.
func (r *routine) String() string {
	if r.why == exited {
		return "ended"
	}
	return r.state().waits
}

// labelOf returns the name of a goroutine's function without its package, and
// the line at which the function begins.
func labelOf(start uintptr) (name, place string) {
	f := runtime.FuncForPC(start)
	if f == nil {
		return "goroutine", ""
	}
	file, line := f.FileLine(start)
	switch {
	case strings.HasPrefix(f.Name(), "testing.(*T).Run"):
		return "test", ""
	case strings.Contains(f.Name(), "jostle/fuzz/existing."):
		return "main", ""
	}
	name = f.Name()[strings.LastIndex(f.Name(), "/")+1:]
	_, name, _ = strings.Cut(name, ".")
	return name, fmt.Sprintf("%s:%d", path.Base(file), line)
}
