package pulse_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// A gauge collects counts about the program for the test.
type gauge struct{ n int }

func isGauge(t reflect.Type) bool { return t == reflect.TypeFor[gauge]() }

// TestTools: the contents of tools affect neither states nor the isolation
// check. With other options the same types are not tools.
func TestTools(t *testing.T) {
	sys := stateSystem(t, pulse.Options{})
	o := sys.Options()
	for _, tools := range []func(reflect.Type) bool{nil, isGauge, nil, isGauge, func(reflect.Type) bool { return false }} {
		o.Tools, o.Isolation = tools, true
		sys.Configure(o)
		g := &gauge{}
		sys.Spawn("a", &keeps[*gauge]{g})
		before := stateNow(sys)
		g.n++
		isTool := tools != nil && tools(reflect.TypeFor[gauge]())
		compareStates(t, before, stateNow(sys), isTool)
		sys.Send(sys.Spawn("b", pulse.Func(idle)), &struct{ g *gauge }{g})
		g.n++
		sys.Run()
		if f := sys.Failure(); (f == nil) != isTool {
			t.Errorf("a tool: %t, and the run ends with %v", isTool, f)
		}
	}
}

// TestIsolationOfOurs: a message may contain values of pulse's own types, such
// as a Timer. The isolation check does not report that such a value changes
// inside. It reports that another value was put in its place.
func TestIsolationOfOurs(t *testing.T) {
	type held struct {
		coroutine *pulse.Coroutine
		system    *pulse.System
		ref       pulse.Ref
		timer     pulse.Timer
	}
	for name, c := range map[string]struct {
		change func(*pulse.System, *held)
		alarm  bool
	}{
		"resumed":       {func(_ *pulse.System, h *held) { h.coroutine.Resume() }, false},
		"stopped":       {func(_ *pulse.System, h *held) { h.timer.Stop() }, false},
		"another ref":   {func(s *pulse.System, h *held) { h.ref = s.Spawn("b", pulse.Func(idle)) }, true},
		"another timer": {func(_ *pulse.System, h *held) { h.timer = pulse.Timer{} }, true},
		"no coroutine":  {func(_ *pulse.System, h *held) { h.coroutine = nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			sys := pulse.New(pulse.Options{Isolation: true})
			defer sys.Close()
			h := &held{system: sys}
			actor := func(ctx *pulse.Ctx, msg any) {
				if msg != 0 {
					return
				}
				h.ref, h.timer = ctx.Self(), ctx.After(time.Second, 1)
				h.coroutine = sys.Host().Coroutine(func(c *pulse.Coroutine) { c.Park() })
				ctx.Send(sys.Spawn("to", pulse.Func(idle)), h)
				ctx.Send(ctx.Self(), 2)
			}
			sys.Send(sys.Spawn("a", pulse.Func(actor)), 0)
			sys.Send(sys.Spawn("b", pulse.Func(func(*pulse.Ctx, any) { c.change(sys, h) })), 1)
			sys.Run()
			if f := sys.Failure(); (f != nil && f.Kind == pulse.KindIsolation) != c.alarm {
				t.Errorf("an alarm is wanted: %t, and the run ends with %v", c.alarm, f)
			}
		})
	}
}
