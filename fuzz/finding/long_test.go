package finding

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/shrink"
)

// forever has two actors pass some balls to each other without end.
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

// TestLongRunsAreShrunkInLittleMemory: to shrink and explain an endless run takes some memory
// for each of its runs, and none by the square of its steps, which was 1.4 GB.
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

// TestLeaving: time is left for what is done after shrinking, but no more than half.
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
