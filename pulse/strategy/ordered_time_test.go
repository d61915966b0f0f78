package strategy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestOrderedUnderARepeatingTimer checks that a wait for a step that never
// comes ends although a timer fires forever.
func TestOrderedUnderARepeatingTimer(t *testing.T) {
	s := &choice.Schedule{}
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
	o := pulse.Options{Delivery: pulse.DeliveryUnordered, EarlyTimers: -1}
	s.Before = []choice.Constraint{{First: 1, Second: stepsOf(t, o, body)[`sink ← "end"`]}}
	o.Strategy = order
	sys := pulse.New(o)
	defer sys.Close()
	body(sys)
	must(t, sys.Failure())
	if !slices.Equal(order.Unmet(), s.Before) {
		t.Errorf("unmet: %v", order.Unmet())
	}
}

// TestOrderedRunsForATime checks that a message does not wait for a step that
// is due only after the end of a RunFor.
func TestOrderedRunsForATime(t *testing.T) {
	s := &choice.Schedule{}
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
	s.Before = []choice.Constraint{{First: 1, Second: stepsOf(t, pulse.Options{}, body)[`sink ← "end"`]}}
	sys := pulse.New(pulse.Options{Strategy: order, EarlyTimers: 1})
	defer sys.Close()
	body(sys)
	if !slices.Equal(order.Unmet(), s.Before) {
		t.Errorf("unmet: %v", order.Unmet())
	}
}

// retrier sets a timer of 1 ms again and again until it receives an answer.
func retrier(sys *pulse.System) {
	var timer pulse.Timer
	sink := sys.Spawn("sink", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == "answer" {
			timer.Stop()
			return
		}
		timer = ctx.After(time.Millisecond, "retry")
	}))
	sys.Send(sink, "begin")
	sys.Send(sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(sink, "answer") })), "ask")
	sys.Run()
}

// TestOrderedWaitsWithinTheBudget: a constraint whose first step never comes
// holds a message back until no timer may fire early any more, and is then
// dropped. Time advances in no other way while that message is deliverable.
func TestOrderedWaitsWithinTheBudget(t *testing.T) {
	for _, c := range []struct {
		name    string
		early   int
		elapsed time.Duration
		holds   int
	}{
		{"never", pulse.NeverEarly, 0, 0},
		{"by default", 0, 0, 0},
		{"once", 1, time.Millisecond, 1},
		{"three times", 3, 3 * time.Millisecond, 3},
		{"any number of times", -1, time.Second, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &choice.Schedule{}
			order := strategy.Ordered(s)
			answer := stepsOf(t, pulse.Options{}, retrier)[`sink ← "answer"`]
			s.Before = []choice.Constraint{{First: 1, Second: answer}}
			sys := pulse.New(pulse.Options{Strategy: order, EarlyTimers: c.early})
			defer sys.Close()
			retrier(sys)
			must(t, sys.Failure())
			record := sys.Record()
			if holds := len(record.Deliveries) - record.Received(); sys.Now() != c.elapsed || holds != c.holds {
				t.Errorf("%v passed in %d holds, expected %v in %d", sys.Now(), holds, c.elapsed, c.holds)
			}
			if !slices.Equal(order.Unmet(), s.Before) {
				t.Errorf("unmet: %v", order.Unmet())
			}
		})
	}
}
