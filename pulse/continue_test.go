package pulse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/legal"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestContinue: in plain order an actor that continues takes its steps one after another. With Unordered
// delivery it waits for its turn.
func TestContinue(t *testing.T) {
	for delivery, want := range map[pulse.Delivery]string{
		pulse.DeliveryFIFO:      "1 1 1 1 2 2 2 2 2 2 2 1 1 1",
		pulse.DeliveryUnordered: "1 2 2 1 1 2 2 1 1 2 2 1 1 2",
	} {
		sys := pulse.New(pulse.Options{Delivery: delivery, Record: true})
		trial.Threads(2, 3)(sys)
		var order []string
		for _, st := range sys.Trace().Steps {
			order = append(order, sys.Trace().Name(st.Actor)[len("thread."):])
		}
		if got := strings.Join(order, " "); got != want || sys.Failure() != nil {
			t.Errorf("delivery %v: %s, want %s: %v", delivery, got, want, sys.Failure())
		}
		if n, can := sys.Trace().Preemptions(); n != 0 || can != (delivery == pulse.DeliveryFIFO) {
			t.Errorf("delivery %v: %d preemptions, %v", delivery, n, can)
		}
		sys.Close()
	}
}

// TestContinueAtRandom: runs with actors that continue obey their options, and replays are equal. The number
// of preemptions is that of a count by hand: a step takes an actor's turn if the actor of the step before could
// have continued, which has received fewer than four messages of its own.
func TestContinueAtRandom(t *testing.T) {
	some := 0
	for seed := range uint64(300) {
		o := pulse.Options{Strategy: strategy.Random(), Seed: seed, Record: true}
		sys := pulse.New(o)
		trial.Threads(3, 3)(sys)
		if err := legal.Check(o, sys.Trace(), sys.Record()); err != nil || sys.Failure() != nil {
			t.Fatal(seed, err, sys.Failure())
		}
		replay := pulse.New(pulse.Options{Strategy: strategy.Replay(sys.Record().Clone(), strategy.ReplayOptions{}), Record: true})
		trial.Threads(3, 3)(replay)
		if replay.Trace().Hash != sys.Trace().Hash {
			t.Fatalf("seed %d: the replay differs", seed)
		}
		own, want := map[int32]int{}, 0
		steps := sys.Trace().Steps
		for i := range steps {
			d := &sys.Trace().Sends[steps[i].Send]
			goes := strings.HasPrefix(d.Label(), "kick")
			if goes {
				own[d.To]++
			}
			if goes && own[d.To] < 4 && i+1 < len(steps) && steps[i+1].Actor != d.To {
				want++
			}
		}
		if n, _ := sys.Trace().Preemptions(); n != want {
			t.Fatalf("seed %d: %d preemptions, want %d\n%s", seed, n, want, sys.Trace().Chart())
		}
		some += want
		sys.Close()
		replay.Close()
	}
	if some == 0 {
		t.Error("no run preempts an actor")
	}
}

// TestAfterSteps: the function is called in each step from then on, also in the first one, and may send messages. It
// is not called in the next run.
func TestAfterSteps(t *testing.T) {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	run := func(hosted bool) (called []int) {
		a := sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {}))
		if hosted {
			sys.Host().AfterSteps(func() {
				if called = append(called, sys.Host().Step()); len(called) < 3 {
					sys.Host().Enqueue(sys.Host().Running(), a, "more")
				}
			})
		}
		sys.Send(a, "begin")
		sys.Run()
		return called
	}
	if got := run(true); !slices.Equal(got, []int{0, 1, 2}) || sys.Failure() != nil {
		t.Errorf("called in steps %v: %v", got, sys.Failure())
	}
	sys.Reset(0)
	if got := run(false); got != nil {
		t.Errorf("called in steps %v of the next run", got)
	}
}
