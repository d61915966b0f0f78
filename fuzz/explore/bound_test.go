package explore_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/pulse"
)

func levels(v explore.Result) (runs []int) {
	for _, l := range v.Levels {
		runs = append(runs, l.Runs)
	}
	return runs
}

// TestDelays checks that d delays allow the orders that pass over at most d messages.
// For four messages to one receiver, these are the permutations with at most d
// inversions.
func TestDelays(t *testing.T) {
	o := explore.Options{Method: explore.Method{Reduction: explore.Everything, DelayBound: 10}}
	v, err := explore.Explore(o, on(pulse.Options{}, load.Senders(4, 1).Build))
	if err != nil || !v.Complete || !slices.Equal(levels(v), []int{1, 4, 9, 15, 20, 23, 24}) {
		t.Errorf("%+v %v", v, err)
	}
	o.DelayBound = 2
	if v, _ = explore.Explore(o, on(pulse.Options{}, load.Senders(4, 1).Build)); v.Complete || v.Bound != "delays" || v.Runs != 9 {
		t.Errorf("with 2 delays: %+v", v)
	}
	o.DelayBound = -1
	if v, _ = explore.Explore(o, on(pulse.Options{}, load.Senders(4, 1).Build)); v.Complete || v.Bound != "delays" || v.Runs != 1 {
		t.Errorf("with none: %+v", v)
	}
}

// walkers returns a program with one actor per argument. The actor sends messages to itself, and
// makes the given number of steps.
func walkers(steps ...int) func(*pulse.System) func() error {
	return func(s *pulse.System) func() error {
		for _, n := range steps {
			a := s.Spawn("walker", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if left := msg.(int); left > 1 {
					ctx.Send(ctx.Self(), left-1)
				}
			}))
			s.Send(a, n)
		}
		return func() error { return nil }
	}
}

// TestPreemptions checks how many orders have each number of preemptions. A preemption is a step after which
// another actor runs, although the actor of the step could have continued.
func TestPreemptions(t *testing.T) {
	for _, steps := range [][]int{{3, 3}, {2, 2, 2}, {1, 2, 3}, {4}} {
		var want []int
		e := &enumerator{after: func(s *pulse.System) {
			n := preemptions(s)
			for len(want) <= n {
				want = append(want, 0)
			}
			want[n]++
		}}
		if _, ok := e.enumerate(pulse.Options{}, walkers(steps...), 10_000); !ok {
			t.Fatal("too many orders")
		}
		e.close()
		for i := range want[1:] {
			want[i+1] += want[i]
		}
		v, err := explore.Explore(explore.Options{Method: explore.Method{Reduction: explore.Everything, PreemptionBound: 20}}, on(pulse.Options{}, walkers(steps...)))
		if err != nil || !v.Complete || !slices.Equal(levels(v), want) {
			t.Errorf("%v: %v, want %v (%v)", steps, levels(v), want, err)
		}
	}
}

func preemptions(s *pulse.System) (n int) {
	list := s.Trace().Steps
	for i := range list[1:] {
		left := func(a int32) bool {
			for _, st := range list[i+1:] {
				if st.Actor == a {
					return true
				}
			}
			return false
		}
		if list[i].Actor != list[i+1].Actor && left(list[i].Actor) {
			n++
		}
	}
	return n
}

// TestBounds checks that a search that reached a limit reports the limit.
func TestBounds(t *testing.T) {
	six := load.Senders(6, 1).Build
	for _, r := range explore.Reductions() {
		v, err := explore.Explore(explore.Options{Method: explore.Method{Reduction: r}, Runs: 100}, on(pulse.Options{}, six))
		if err != nil || v.Complete || v.Bound != "runs" || v.Runs != 100 {
			t.Errorf("%v, 100 runs: %+v %v", r, v, err)
		}
		v, err = explore.Explore(explore.Options{Method: explore.Method{Reduction: r, Depth: 3}}, on(pulse.Options{}, six))
		if err != nil || v.Complete || v.Bound != "depth" || v.Runs != 0 || v.Cut != 120 {
			t.Errorf("%v, 3 steps: %+v %v", r, v, err)
		}
		v, err = explore.Explore(explore.Options{Method: explore.Method{Reduction: r}, Time: 1}, on(pulse.Options{}, six))
		if err != nil || v.Complete || v.Bound != "time" {
			t.Errorf("%v, no time: %+v %v", r, v, err)
		}
	}
}

// TestEndWithinARun checks that the search ends within a long run, when the time is over and when
// it is stopped.
func TestEndWithinARun(t *testing.T) {
	for _, r := range explore.Reductions() {
		for _, bound := range []explore.Bound{explore.BoundTime, explore.BoundStop} {
			var late atomic.Bool
			stop := make(chan struct{})
			steps := 0
			program := on(pulse.Options{Steps: 200_000}, func(sys *pulse.System) func() error {
				for range 2 {
					sys.Send(sys.Spawn("endless", pulse.Func(func(ctx *pulse.Ctx, msg any) {
						if steps++; steps == 1000 && bound == explore.BoundTime {
							late.Store(true)
						} else if steps == 1000 {
							close(stop)
						}
						ctx.Send(ctx.Self(), msg)
					})), "go on")
				}
				return func() error { return nil }
			})
			o := explore.Options{Method: explore.Method{Reduction: r}, Stop: stop}
			o.LateBy(&late)
			v, err := explore.Explore(o, program)
			if err != nil || v.Bound != bound || v.Runs != 0 || v.Cut != 0 || steps > 2000 {
				t.Errorf("%v, %v: %d steps, %+v %v", r, bound, steps, v, err)
			}
		}
	}
}

// TestTimeIsHeeded checks that no run begins after the time is over, and that an estimate is then abandoned. A search
// that had made 20,000 short runs once began thousands more, no matter how long each of them took. A round of an
// estimate began hundreds.
func TestTimeIsHeeded(t *testing.T) {
	const last = 20_000
	program := on(pulse.Options{}, load.Senders(9, 1).Build)
	run, runs, lastRun := program.run, 0, last
	var late atomic.Bool
	program.run = func(s pulse.Strategy) explore.Run {
		if runs++; runs == lastRun {
			late.Store(true)
		}
		return run(s)
	}
	for _, r := range []explore.Reduction{explore.Optimal, explore.SourceSets, explore.Everything} {
		runs = 0
		late.Store(false)
		o := explore.Options{Method: explore.Method{Reduction: r, RandomBranch: r == explore.Everything}}
		o.LateBy(&late)
		if v, err := explore.Explore(o, program); err != nil || v.Bound != "time" || runs != last {
			t.Errorf("%v: %d runs, want %d: %+v %v", r, runs, last, v, err)
		}
	}
	runs, lastRun = 0, 10
	late.Store(false)
	o := explore.Options{Estimate: true}
	o.LateBy(&late)
	if v, err := explore.Explore(o, program); err != nil || v.Bound != "time" || runs != 10+2 || v.Estimate != 0 {
		t.Errorf("%d runs with an estimate that is late, want its 10, and the first of the search twice: %+v %v", runs, v, err)
	}
}

// TestEndless checks that a program without an end exceeds its step limit in the first
// run and that the result says so. If the depth is limited, the result names that
// limit.
func TestEndless(t *testing.T) {
	ring := func(s *pulse.System) func() error {
		for range 2 {
			s.Send(s.Spawn("hamster", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(ctx.Self(), msg) })), 1)
		}
		return func() error { return nil }
	}
	for _, r := range explore.Reductions() {
		o := explore.Options{Method: explore.Method{Reduction: r}}
		v, err := explore.Explore(o, on(pulse.Options{Steps: 50}, ring))
		if err != nil || v.Complete || v.Runs != 1 || v.Failures["budget at steps"] != 1 {
			t.Errorf("%v: %+v %v", r, v, err)
		}
		o.Depth = 6
		v, err = explore.Explore(o, on(pulse.Options{}, ring))
		if err != nil || v.Complete || v.Runs != 0 || v.Bound != "depth" || len(v.Failures) != 0 {
			t.Errorf("%v, 6 steps: %+v %v", r, v, err)
		}
	}
}

// TestStepBoundAndCrashes checks that all reductions agree on whether some order exceeds the step
// limit. In this program a crash may come before the last message or, when the run is at rest,
// after it.
func TestStepBoundAndCrashes(t *testing.T) {
	two := func(sys *pulse.System) func() error {
		last := sys.Spawn("last", pulse.Func(func(*pulse.Ctx, any) {}))
		sys.Send(sys.Spawn("first", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Send(last, m) })), 1)
		return func() error { return nil }
	}
	for _, r := range explore.Reductions() {
		for steps := 1; steps <= 3; steps++ {
			v, err := explore.Explore(explore.Options{Method: explore.Method{Reduction: r}}, on(pulse.Options{Steps: steps, Faults: pulse.Faults{Crash: 1}}, two))
			if fails := v.Failures["budget at steps"] > 0; err != nil || fails != (steps < 3) || v.Complete == fails {
				t.Errorf("%v, %d steps: %+v %v", r, steps, v, err)
			}
		}
	}
}

// TestNondeterminism checks that a search detects a nondeterministic program at the first
// difference.
func TestNondeterminism(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(run int) func(*pulse.System) func() error
		want  string
	}{
		{"another message", func(run int) func(*pulse.System) func() error { return fickle(2, 2+run/4%2) }, "the deliverable messages differ"},
		{"fewer messages", func(run int) func(*pulse.System) func() error { return fickle(max(3-run, 1), 2) }, ""},
	} {
		for _, r := range explore.Reductions() {
			run := 0
			v, err := explore.Explore(explore.Options{Method: explore.Method{Reduction: r}}, on(pulse.Options{}, func(s *pulse.System) func() error {
				run++
				return c.build(run)(s)
			}))
			if err != nil || v.Complete || v.Nondeterminism == "" || !strings.Contains(v.Nondeterminism, c.want) {
				t.Errorf("%s, %v: %+v %v", c.name, r, v, err)
			}
		}
	}
}

// fickle has n actors that each send several messages to one receiver.
func fickle(actors, messages int) func(*pulse.System) func() error {
	return func(s *pulse.System) func() error {
		to := s.Spawn("receiver", pulse.Func(func(*pulse.Ctx, any) {}))
		for range actors {
			from := s.Spawn("sender", pulse.Func(func(*pulse.Ctx, any) {}))
			for i := range messages {
				s.Host().Enqueue(from, to, i)
			}
		}
		return func() error { return nil }
	}
}

// TestRefusals checks which options cannot be combined.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		options explore.Options
		want    string
	}{
		{explore.Options{Method: explore.Method{Reduction: explore.SourceSets, DelayBound: 2}}, "a bound on delays or preemptions needs the reduction Everything"},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, Sleep: true, PreemptionBound: 2}}, "a bound on delays or preemptions needs"},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, DelayBound: 1, PreemptionBound: 1}}, "cannot both be bounded"},
		{explore.Options{Method: explore.Method{Reduction: explore.Everything, DelayBound: 1, States: explore.ByHash}}, "cannot be combined with state comparison"},
		{explore.Options{Method: explore.Method{States: explore.ByHash}}, "Optimal needs complete runs"},
		{explore.Options{Method: explore.Method{Reduction: explore.SourceSets, RandomBranch: true}}, "RandomBranch needs the reduction"},
		{explore.Options{Method: explore.Method{BigSteps: true}}, "BigSteps needs state comparison"},
		{explore.Options{Method: explore.Method{Reduction: 99}}, "there is no reduction 99"},
		{explore.Options{Method: explore.Method{Ordering: 99}}, "there is no ordering 99"},
	} {
		if _, err := explore.Explore(c.options, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.options, err, c.want)
		}
	}
	if _, err := explore.Explore(explore.Options{}); err == nil || !strings.Contains(err.Error(), "a search needs a worker") {
		t.Errorf("without workers: %v", err)
	}
	for _, c := range []struct {
		options explore.Options
		want    string
	}{
		{explore.Options{Method: explore.Method{Reduction: explore.SourceSets, States: explore.ByHash}}, "state comparison needs a single worker"},
		{branching(1), "RandomBranch needs a single worker"},
	} {
		if _, err := explore.Explore(c.options, nil, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v with two workers: %v, want %q", c.options, err, c.want)
		}
	}
}
