package explore_test

import (
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// phases is a program with several calls of Run: a start-up in plain order, a run for some time, and a run to the end.
// The test sends messages between them.
func phases(s *pulse.System) func() error {
	sink := s.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	var relays []pulse.Ref
	for range 2 {
		relays = append(relays, s.Spawn("relay", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			ctx.Send(sink, msg)
			if msg == "later" {
				ctx.After(3*time.Millisecond, "tick")
			}
		})))
	}
	waiter := s.Go("waiter", func(p *pulse.Process) {
		p.ReceiveMatch(func(m any) bool { return m == "last" })
		p.Send(sink, p.Receive())
	})
	send := func(msg any) {
		for _, r := range relays {
			s.Send(r, msg)
		}
	}
	send("first")
	s.Settle()
	send("later")
	s.Send(waiter, "early")
	s.RunFor(time.Millisecond)
	send("then")
	s.Send(waiter, "last")
	s.RunFor(time.Millisecond)
	s.Send(sink, "end")
	return nil
}

// TestPhases checks that no order moves a step past the end of its Run.
func TestPhases(t *testing.T) {
	trial.Long(t)
	e, r := &enumerator{}, &rig{}
	defer e.close()
	for _, o := range []pulse.Options{{}, {Delivery: pulse.DeliveryUnordered}, {EarlyTimers: 1}} {
		all, ok := e.enumerate(o, phases, 200_000)
		if !ok || len(all.passing) < 2 {
			t.Fatalf("%v: %d orders, %d distinct", o.Delivery, all.runs, len(all.passing))
		}
		for _, way := range ways() {
			if o.EarlyTimers > 0 && way.Reduction > explore.SourceSets && (!way.Sleep || way.Reduction == explore.Everything) && !nightly() {
				continue // skipped, because these explorations would run all 45,360 orders
			}
			got := r.exploreBuild(o, phases, way)
			if why := got.misses(all); why != "" {
				t.Errorf("%v, early %d, %+v: %s", o.Delivery, o.EarlyTimers, way, why)
			}
			if got.Reduction == explore.Optimal && got.Runs != len(all.passing) {
				t.Errorf("%v: %d runs for %d distinct orders", o.Delivery, got.Runs, len(all.passing))
			}
		}
	}
}
