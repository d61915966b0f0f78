package protoactor

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// guarded calls invoke with the message. If invoke panics, the panic goes to the
// actor's supervisor or fails the run.
func (c *cell) guarded(message any, invoke func(any)) {
	outer := c.doing
	c.doing = message
	returned := false
	defer func() {
		if returned || c.host.Caller() == pulse.CallerDying {
			return
		}
		if v := recover(); v != nil {
			c.panicked(v)
			c.doing = outer
		}
	}()
	invoke(message)
	returned = true
	c.doing = outer
}

// panicked passes the value of a panic to the actor's supervisor. If the user chose
// no supervisor, the run fails.
func (c *cell) panicked(v any) {
	if f, ok := v.(*pulse.Failure); ok {
		c.world.current = nil
		panic(f)
	}
	if !c.mayFail() {
		var list [64]uintptr
		c.unhandled(v, list[:runtime.Callers(3, list[:])])
	}
	c.host.Note(func() string { return "panicked: " + trace.Thrown(v) })
	c.invoker.EscalateFailure(v, c.doing)
}

// mayFail reports whether a panic of the actor goes to its supervisor instead of
// failing the run. It returns true if the user chose a strategy or set
// Config.Restarts.
func (c *cell) mayFail() bool {
	switch {
	case c.Restarts:
		return true
	case c.parent == nil:
		return c.watched // by a guardian
	case c.parent.rules:
		return true
	}
	_, itself := c.parent.invoker.Actor().(actor.SupervisorStrategy)
	return itself
}

// unhandled fails the run because of a panic with value v. The parameter pcs holds
// the program counters of the panic's stack, nil if unknown.
func (c *cell) unhandled(v any, pcs []uintptr) {
	text, more, _ := strings.Cut(trace.Thrown(v), "\n")
	f := &pulse.Failure{Kind: pulse.KindPanic, Step: c.host.Step(), Value: v}
	f.Text = "panic in " + c.where() + ": " + text
	if more != "" {
		f.Detail = "    " + strings.ReplaceAll(more, "\n", "\n    ")
	}
	calls, _ := trimmer.Inner(pcs)
	if f.Stack = stack.Frames(calls); len(f.Stack) > 0 {
		f.Site = f.Stack[0].Func
		f.Detail = strings.TrimPrefix(f.Detail+"\n"+stack.Lines(f.Stack), "\n")
	}
	c.world.fail(f)
}

// where names the running step.
func (c *cell) where() string {
	_, name, msg := c.host.Stalled()
	if name == "" {
		return c.label
	}
	return name + " ← " + trace.Label(msg)
}

// misuseOf returns a failure of KindMisuse with the formatted text and the stack of
// the caller.
func misuseOf(format string, args ...any) *pulse.Failure {
	f := &pulse.Failure{Kind: pulse.KindMisuse, Text: fmt.Sprintf(format, args...), Step: -1}
	var list [64]uintptr
	calls, _ := trimmer.Inner(list[:runtime.Callers(3, list[:])])
	if f.Stack = stack.Frames(calls); len(f.Stack) > 0 {
		f.Site, f.Detail = f.Stack[0].Func, stack.Lines(f.Stack)
	}
	return f
}

// trimmer removes the frames of jostle and proto.actor from stacks.
var trimmer = stack.NewTrimmer(reflect.TypeFor[pulse.System]().PkgPath(), reflect.TypeFor[cell]().PkgPath(),
	theirModule+"...")

// timed returns a strategy that works in virtual time if s is proto.actor's
// exponential back-off. It returns all other strategies unchanged.
func (w *world) timed(s actor.SupervisorStrategy) actor.SupervisorStrategy {
	if window, initial, is := backOff(s); is {
		return &backingOff{w, window, initial}
	}
	return s
}

// A timedStrategy runs a guardian's strategy in virtual time. The strategies of
// parents need no such wrapper. A parent receives the failure as a message, which
// cell.system handles in virtual time.
type timedStrategy struct {
	*world
	theirs actor.SupervisorStrategy
}

// HandleFailure calls the user's strategy in virtual time.
func (s *timedStrategy) HandleFailure(as *actor.ActorSystem, by actor.Supervisor, child *actor.PID, rs *actor.RestartStatistics, reason, message any) {
	s.inVirtualTime(rs, func() { s.theirs.HandleFailure(as, by, child, rs, reason, message) })
}

// A backingOff is proto.actor's exponential back-off strategy in virtual time. It
// omits the up to 500 random nanoseconds that proto.actor adds.
type backingOff struct {
	*world
	window, initial time.Duration
}

// HandleFailure restarts the child after some virtual time, which grows with each failure.
func (s *backingOff) HandleFailure(_ *actor.ActorSystem, by actor.Supervisor, child *actor.PID, rs *actor.RestartStatistics, reason, _ any) {
	if rs.NumberOfFailures(s.window) == 0 {
		rs.Reset()
	}
	rs.Fail()
	s.later(time.Duration(rs.FailureCount())*s.initial, "back-off", func() {
		s.as.EventStream.Publish(&actor.SupervisorEvent{Child: child, Reason: reason, Directive: actor.RestartDirective})
		by.RestartChildren(child)
	})
}

// inVirtualTime calls the function call, which compares an actor's failure times (in
// rs) with real time. Before that, inVirtualTime replaces each failure time. The new
// time is the real time now minus the virtual time since the failure.
func (w *world) inVirtualTime(rs *actor.RestartStatistics, call func()) {
	list, now := failuresOf(rs), time.Now()
	for i, at := range w.times[rs] {
		if i < len(*list) {
			(*list)[i] = now.Add(at - w.sys.Now())
		}
	}
	call()
	var times []time.Duration
	for _, t := range *list {
		times = append(times, w.sys.Now()+min(0, t.Sub(now)))
	}
	if w.times == nil {
		w.times = map[*actor.RestartStatistics][]time.Duration{}
	}
	w.times[rs] = times
}
