package props_test

import (
	"testing"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// countdown is a program of a few steps: an actor sends itself what it is told, one less.
func countdown(t *props.T, step func(sys *pulse.System, ctx *pulse.Ctx)) *pulse.System {
	sys := t.System()
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		step(sys, ctx)
		if n := msg.(int); n > 0 {
			ctx.Send(ctx.Self(), n-1)
		}
	}))
	sys.Send(a, 4)
	return sys
}

func noStep(*pulse.System, *pulse.Ctx) {}

type stepCounter struct{ n int }

func (c *stepCounter) Stepped(*pulse.System, int) { c.n++ }

// A light run comes to what a recorded one comes to. It is made again if the property
// misses the record, the first time that it does, and if it fails.
func TestLightRuns(t *testing.T) {
	for _, c := range []struct {
		name     string
		property func(*props.T)
		calls    [2]int // of the property, in the first light run and in the second
		steps    int    // in the trace of the first
	}{
		{"passes", func(t *props.T) { countdown(t, noStep).Run() }, [2]int{1, 1}, 0},
		{"logs", func(t *props.T) {
			countdown(t, func(*pulse.System, *pulse.Ctx) { t.Log("in a step") }).Run()
			t.Log("at the end")
		}, [2]int{1, 1}, 0},
		{"counts steps", func(t *props.T) {
			sys := countdown(t, noStep)
			if sys.Run(); sys.Steps() != 5 || len(sys.Received()) != 0 {
				t.Fatal(sys.Steps())
			}
		}, [2]int{1, 1}, 0},
		{"skips", func(t *props.T) { countdown(t, func(*pulse.System, *pulse.Ctx) { t.Skip("not this") }).Run() }, [2]int{1, 1}, 0},
		{"reads the trace", func(t *props.T) {
			sys := countdown(t, noStep)
			sys.Run()
			_ = sys.Trace().Steps[4]
		}, [2]int{2, 1}, 5},
		{"waits for the trace", func(t *props.T) {
			for sys := countdown(t, noStep); len(sys.Trace().Steps) < 5; {
				sys.Run()
			}
		}, [2]int{2, 1}, 5},
		{"reads the record in a step", func(t *props.T) {
			countdown(t, func(sys *pulse.System, _ *pulse.Ctx) { sys.Record() }).Run()
		}, [2]int{2, 1}, 5},
		{"reads the trace in a process", func(t *props.T) {
			sys := t.System()
			sys.Go("p", func(*pulse.Process) { sys.Trace() })
			sys.Run()
		}, [2]int{2, 1}, 1},
		{"reads the trace in a cleanup", func(t *props.T) {
			sys := countdown(t, noStep)
			t.Cleanup(func() { _ = sys.Trace().Steps[4] })
			sys.Run()
		}, [2]int{2, 1}, 5},
		{"reads the trace as a process ends", func(t *props.T) {
			sys := t.System()
			sys.Go("p", func(p *pulse.Process) {
				defer func() { _ = sys.Trace().Steps[0] }()
				p.Sleep(1)
				p.Receive()
			})
			sys.RunFor(10)
		}, [2]int{2, 1}, 2},
		{"has a condition", func(t *props.T) {
			sys := countdown(t, noStep)
			t.Always("fine", func() error { return nil })
			sys.Run()
		}, [2]int{2, 1}, 5},
		{"has an observer", func(t *props.T) {
			sys, seen := countdown(t, noStep), &stepCounter{}
			sys.Observe(seen)
			if sys.Run(); seen.n != 5 {
				t.Fatal(seen.n)
			}
		}, [2]int{2, 1}, 5},
		{"isolates", func(t *props.T) {
			sys := t.SystemWith(pulse.Options{Isolation: true})
			sys.Send(sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {})), 1)
			sys.Run()
		}, [2]int{1, 1}, 1},
		{"fails", func(t *props.T) { countdown(t, func(*pulse.System, *pulse.Ctx) { t.Fatal("no") }).Run() }, [2]int{2, 2}, 1},
		{"panics", func(t *props.T) { countdown(t, func(*pulse.System, *pulse.Ctx) { panic("no") }).Run() }, [2]int{2, 2}, 1},
		{"leaves a process waiting", func(t *props.T) {
			sys := t.System()
			sys.Go("p", func(p *pulse.Process) { p.Receive() })
			sys.Run()
		}, [2]int{1, 1}, 0},
		{"sends last", func(t *props.T) {
			sys := countdown(t, noStep)
			sys.Run()
			sys.Send(sys.Spawn("b", pulse.Func(func(*pulse.Ctx, any) {})), 1)
		}, [2]int{2, 2}, 5},
		{"logs without end", func(t *props.T) {
			countdown(t, func(*pulse.System, *pulse.Ctx) {
				for {
					t.Log("again")
				}
			}).Run()
		}, [2]int{2, 2}, 1},
		{"sends to nobody without end", func(t *props.T) {
			sys := t.System()
			gone := sys.Spawn("gone", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
			a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, _ any) {
				for {
					ctx.Send(gone, 1)
				}
			}))
			sys.Send(gone, 1)
			sys.RunFor(1)
			sys.Send(a, 1)
			sys.Run()
		}, [2]int{2, 2}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			r := props.NewRunner("light", func(t *props.T) {
				calls++
				c.property(t)
			})
			defer r.Close()
			want := r.Run(props.Plan{Strategy: strategy.Random(), StrategySeed: 3})
			text, skipped, logs, reason := "", want.Skipped, len(want.Logs), want.Reason
			if want.Failure != nil {
				text = want.Failure.Error() + " at " + want.Location
			}
			for i, n := range c.calls {
				calls = 0
				res := r.Run(props.Plan{Strategy: strategy.Random(), StrategySeed: 3, Light: true})
				got := ""
				if res.Failure != nil {
					got = res.Failure.Error() + " at " + res.Location
				}
				if got != text || res.Skipped != skipped || res.Reason != reason || len(res.Logs) != logs {
					t.Errorf("light: %q, skipped %v (%s), logs %q; want %q, skipped %v (%s), %d logs", got, res.Skipped, res.Reason, res.Logs, text, skipped, reason, logs)
				}
				if calls != n || i == 0 && len(res.System.Trace().Steps) != c.steps {
					t.Errorf("light run %d: %d calls, %d steps in the trace; want %d, %d", i, calls, len(res.System.Trace().Steps), n, c.steps)
				}
			}
		})
	}
}

// A failure of a light run that does not come again is a failure, of a run that has passed.
func TestLightFailuresThatDoNotComeAgain(t *testing.T) {
	calls := 0
	r := props.NewRunner("light", func(t *props.T) {
		calls++
		countdown(t, noStep).Run()
		if calls == 1 {
			t.Fatal("once")
		}
	})
	defer r.Close()
	res := r.Run(props.Plan{Light: true})
	if calls != 2 || res.Failure == nil || res.Failure.Text != "once" || res.Failure.Step != -1 || res.Location == "" || len(res.System.Trace().Steps) != 5 {
		t.Errorf("%d calls: %v at %q", calls, res.Failure, res.Location)
	}
}
