package search

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// retrying is a correct program in which a client sets a timer again and again until all workers
// have answered. The order of messages decides each worker's answer. A timer that fires before the
// answers is early. So timers fire at most as often as early timers are allowed, and once at the
// end.
func retrying(o pulse.Options, most int) func(*props.T) {
	return func(t *props.T) {
		n := props.Draw(t, rapid.IntRange(1, 4), "workers")
		retries, answers := 0, 0
		sys := t.SystemWith(o)
		workers := make([]pulse.Ref, n)
		client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == "retry" {
				retries++
			} else if msg != "begin" {
				answers++
			}
			if answers < n && (msg == "retry" || msg == "begin") {
				ctx.After(time.Millisecond, "retry")
			}
		}))
		for i := range workers {
			told := 0
			workers[i] = sys.Spawn("worker", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if msg == "told" {
					told++
					return
				}
				ctx.Send(client, told)
				for range min(told, 2) + ctx.Choose(2) {
					ctx.Send(workers[(i+1)%n], "told")
				}
			}))
		}
		sys.Send(client, "begin")
		for _, w := range workers {
			sys.Send(w, "work")
		}
		sys.Run()
		if retries > most {
			t.Errorf("%d retries while an answer was on its way", retries)
		}
	}
}

// TestNoArmLetsTimePass: a program in which no timer may fire early passes under every arm. A program with a few early
// timers never gets more of them.
func TestNoArmLetsTimePass(t *testing.T) {
	for _, c := range []struct {
		name string
		o    pulse.Options
		most int
	}{
		{"NeverEarly", pulse.Options{EarlyTimers: pulse.NeverEarly}, 1},
		{"by default", pulse.Options{}, earlyTimers + 1},
		{"three", pulse.Options{EarlyTimers: 3}, 4},
	} {
		for _, arm := range append(Names(), "") {
			var arms []string
			if arm != "" {
				arms = []string{arm}
			}
			list, err := Strategies(arms...)
			if err != nil {
				t.Fatal(err)
			}
			p := Property{Name: t.Name(), Test: t.Name(), Func: retrying(c.o, c.most)}
			res := Sample(t.Context(), p, Options{Runs: 1000, Seed: 1, Portfolio: list})
			if f := res.Finding; f != nil {
				t.Errorf("%s, %q: run %d: %s", c.name, arm, res.Runs, f.Failure.Text)
			}
		}
	}
}
