package strategy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/schedule"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestOrderedUnderARepeatingTimer checks that a wait for a step that never comes
// ends although a timer fires for ever.
func TestOrderedUnderARepeatingTimer(t *testing.T) {
	s := &schedule.Schedule{}
	order := strategy.Ordered(s)
	body := func(sys *pulse.System) {
		sink := sys.Spawn("sink", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == "begin" {
				ctx.Every(time.Second, "tick")
			}
		}))
		sys.Send(sink, "begin")
		sys.Send(sink, "end")
		sys.Run()
	}
	o := pulse.Options{Delivery: pulse.DeliveryUnordered}
	s.Before = []schedule.Constraint{{First: 1, Second: stepsOf(t, o, body)[`sink ← "end"`]}}
	o.Strategy = order
	sys := pulse.New(o)
	defer sys.Close()
	body(sys)
	must(t, sys.Failure())
	if !slices.Equal(order.Unmet(), s.Before) {
		t.Errorf("unmet: %v", order.Unmet())
	}
}

// TestOrderedRunsForATime checks that no wait goes beyond the end of a run.
func TestOrderedRunsForATime(t *testing.T) {
	s := &schedule.Schedule{}
	order := strategy.Ordered(s)
	body := func(sys *pulse.System) {
		sink := sys.Spawn("sink", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == "begin" {
				ctx.After(time.Hour, "late")
			}
		}))
		sys.Send(sink, "begin")
		sys.Send(sink, "end")
		sys.RunFor(time.Minute)
		must(t, sys.Failure())
	}
	s.Before = []schedule.Constraint{{First: 1, Second: stepsOf(t, pulse.Options{}, body)[`sink ← "end"`]}}
	sys := pulse.New(pulse.Options{Strategy: order})
	defer sys.Close()
	body(sys)
	if !slices.Equal(order.Unmet(), s.Before) {
		t.Errorf("unmet: %v", order.Unmet())
	}
}
