package finding

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/shrink"
)

// forever has two actors that pass some balls to each other without end.
func forever(balls int) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		var a, b pulse.Ref
		a = sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(b, msg) }))
		b = sys.Spawn("b", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(a, msg) }))
		for i := range balls {
			sys.Send(a, i)
		}
		sys.Run()
	}
}

// TestLongRunsAreShrunkInLittleMemory: the memory for shrinking and explaining an endless run grows with the number of
// runs, not with the square of its steps. Before, that was 1.4 GB.
func TestLongRunsAreShrunkInLittleMemory(t *testing.T) {
	trial.Long(t)
	for _, c := range []struct {
		balls int
		want  string
	}{
		{1, "fails in the only order there is"},
		{2, "other orders were not run: that takes too much memory for a run of so many steps"},
	} {
		if c.balls == 1 && !nightly() {
			continue
		}
		p, f := foundBy(t, forever(c.balls), 1, "plain")
		r := p.runner()
		defer r.Close()
		runs := 0
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out := Shrink(context.Background(), r, f, shrink.Options{Runs: 2, Progress: func(p shrink.Progress) { runs = p.Runs }})
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 500 || runs > 10 {
			t.Errorf("%d balls: it took %d MB and %d runs", c.balls, mb, runs)
		}
		if text := out.why.String(); !strings.HasSuffix(text, c.want) {
			t.Errorf("%d balls: explained by %q, want %q", c.balls, text, c.want)
		}
	}
}

// TestLeaving: shrinking leaves time for the work after it, at most half of the time.
func TestLeaving(t *testing.T) {
	end := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	for _, c := range []struct{ some, least, most time.Duration }{
		{time.Minute, time.Minute, time.Minute}, {2 * time.Hour, 29 * time.Minute, 30 * time.Minute}, {0, 0, 0},
	} {
		early, cancel := leaving(ctx, c.some)
		defer cancel()
		if at, _ := early.Deadline(); end.Sub(at) < c.least || end.Sub(at) > c.most {
			t.Errorf("of %v there is left %v, want %v to %v", c.some, end.Sub(at), c.least, c.most)
		}
	}
	without, cancel := leaving(context.Background(), time.Hour)
	defer cancel()
	if _, bounded := without.Deadline(); bounded {
		t.Error("where time is not bounded it is now")
	}
}

// counted returns a property that behaves like the given one. At the start of each run it calls the function run with
// the number of the run, from 1.
func counted(property func(*props.T), run func(n int)) func(*props.T) {
	n := 0
	return func(t *props.T) {
		n++
		run(n)
		property(t)
	}
}

// TestShrinkingStaysWithinItsBudget: after the context is done, at most one run begins, and the number of runs
// stays within its limit. Then the result is confirmed and described, in at most as many runs as Shrink reserves
// time for.
func TestShrinkingStaysWithinItsBudget(t *testing.T) {
	more := func(at int) int { return 1 + 3*at } // the difference between the tested limit of runs and the next one
	if nightly() {
		more = func(at int) int { return 1 + at/20 }
	}
	for _, name := range []string{"writer-error", "raft-dupvote"} {
		s, _ := subjects.ByName(name)
		made, end, cancel := 0, 0, context.CancelFunc(nil)
		r := props.NewRunner(name, counted(s.Property(false), func(int) {
			if made++; made == end {
				cancel()
			}
		}))
		defer r.Close()
		_, f := foundBy(t, s.Property(false), 1)
		by := &shrinking{runner: r, early: f.Case.EarlyTimers}
		first, _ := by.first(f)
		for at, done := 1, false; !done; at += more(at) {
			ctx, stop := context.WithCancel(t.Context())
			made, end, cancel = 0, at, stop
			out := shrink.Shrink(ctx, by, first, shrink.Options{})
			if done = out.Done; made != out.Runs || !done && made > at+1 {
				t.Errorf("%s: %d runs, said to be %d, where run %d ends the time", name, made, out.Runs, at)
			}
			made, end = 0, 0
			if out := shrink.Shrink(t.Context(), by, first, shrink.Options{Runs: at}); made != out.Runs || made > at {
				t.Errorf("%s: %d runs, said to be %d, of %d", name, made, out.Runs, at)
			}
			made, end = 0, at
			ctx, cancel = context.WithCancel(t.Context())
			if Shrink(ctx, r, f, shrink.Options{}); made > at+2*afterwards {
				t.Errorf("%s: %d runs after run %d, which ended the time", name, made-at, at)
			}
			cancel()
		}
	}
}

// TestExplanationsOfLongRunsAreCheap: explaining a case with many steps is limited to a fixed number of steps, with
// or without a reduction. Before, only the number of runs was limited, and explaining a raft cluster took half a
// minute.
func TestExplanationsOfLongRunsAreCheap(t *testing.T) {
	for _, watched := range []bool{false, true} {
		steps := 0
		r := props.NewRunner(t.Name(), func(t *props.T) {
			sys := t.System()
			trial.Crowd(sys, 100, func(string) {})
			if watched {
				t.Always("anything", func() error { return nil })
			}
			sys.Run()
			steps += sys.Steps()
			t.Error("fails")
		})
		defer r.Close()
		res := r.Run(props.Plan{})
		by, c, signature := &shrinking{runner: r}, shrinkCase(&res), res.Failure.Signature()
		steps = 0
		if e := by.explainAll(t.Context(), &c, signature, explained); e.Complete || steps < exploring/2 || steps > 2*exploring+exploring/10 {
			t.Errorf("watched %t: complete %t after %d steps", watched, e.Complete, steps)
		}
	}
}
