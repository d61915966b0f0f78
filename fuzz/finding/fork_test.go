package finding

import (
	"cmp"
	"context"
	"reflect"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// overtaken fails if the second of two senders is received first.
func overtaken(t *props.T) {
	sys := t.System()
	last := 0
	to := sys.Spawn("to", pulse.Func(func(_ *pulse.Ctx, m any) {
		if last = max(last, m.(int)); last > m.(int) {
			t.Fatalf("%d after %d", m, last)
		}
	}))
	for i := range 3 {
		from := sys.Spawn("from", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(to, i+1) }))
		sys.Send(from, "go")
	}
	sys.Run()
}

// TestFork: a fork repeats the steps before the given step, and then receives the chosen message. The case of the fork
// replays.
func TestFork(t *testing.T) {
	for name, property := range map[string]func(*props.T){"shop": shop, "overtaken": overtaken} {
		r := props.NewRunner(name, property)
		defer r.Close()
		c := caseBy(t, r, holds)
		all := ReplaySteps(r, c, 0, 100)
		forks := 0
		for i, m := range all.Moments {
			for other, message := range m.Others {
				forked, err := Fork(r, c, i, other)
				if err != nil {
					t.Fatal(name, i, other, err)
				}
				forks++
				w := ReplaySteps(r, forked, 0, 100)
				if w.Unsteady != "" || w.Hash != forked.Hash || (w.Failed >= 0) != (forked.Signature != "") {
					t.Fatalf("%s: step %d, message %d: unsteady %q, failed %d, signature %q", name, i, other, w.Unsteady, w.Failed, forked.Signature)
				}
				if got := w.Moments[i].Label; got != message.Label {
					t.Fatalf("%s: step %d receives %s, not %s", name, i, got, message.Label)
				}
				for k := range i {
					if was, is := all.Moments[k].Label, w.Moments[k].Label; was != is {
						t.Fatalf("%s: fork at step %d: step %d was %s, is %s", name, i, k, was, is)
					}
				}
			}
		}
		if forks < 5 {
			t.Errorf("%s: only %d forks", name, forks)
		}
	}
}

// TestForkOfNothing: steps and messages that do not exist are errors.
func TestForkOfNothing(t *testing.T) {
	r := props.NewRunner("overtaken", overtaken)
	defer r.Close()
	c := caseBy(t, r, holds)
	for _, bad := range [][2]int{{-1, 0}, {100, 0}, {5, 0}, {0, 7}, {0, -1}} {
		if forked, err := Fork(r, c, bad[0], bad[1]); err == nil {
			t.Errorf("step %d, message %d: %+v", bad[0], bad[1], forked)
		}
	}
}

// TestContinuations: from the start of overtaken, 5 of 6 orders of the senders fail. Once 1 and 2
// were received, none fails.
func TestContinuations(t *testing.T) {
	r := props.NewRunner("overtaken", overtaken)
	defer r.Close()
	c := caseBy(t, r, holds)
	start, err := Continuations(context.Background(), r, c, 0, 300)
	if err != nil || start.Of != 300 || start.Failed < 200 || start.Failed == 300 {
		t.Fatalf("%+v, %v", start, err)
	}
	failures := 0
	for _, f := range start.Failures {
		failures += f.Runs
	}
	if failures != start.Failed {
		t.Errorf("%d failures by signature, %d in all", failures, start.Failed)
	}
	w := ReplaySteps(r, c, 0, 100)
	for i, m := range w.Moments {
		if m.Label == "2" && !w.Moments[i+1].Fixed {
			end, err := Continuations(context.Background(), r, c, i+1, 50)
			if err != nil || end.Of != 50 || end.Failed != 0 {
				t.Errorf("after step %d: %+v, %v", i, end, err)
			}
		}
	}
	if _, err := Continuations(context.Background(), r, c, 100, 1); err == nil {
		t.Error("there is no step 100")
	}
}

// overtakenBy returns a planned case of overtaken: the first of the senders is received last.
func overtakenBy(t *testing.T, r *props.Runner) *corpus.Case {
	t.Helper()
	planned := caseBy(t, r, holds)
	ids := map[string]uint64{}
	for i, m := range ReplaySteps(r, planned, 0, 100).Moments {
		ids[m.Label] = planned.Record.Deliveries[i]
	}
	planned.Schedule.Before = []choice.Constraint{{First: ids["2"], Second: ids["3"]}, {First: ids["3"], Second: ids["1"]}}
	planned.Record, planned.Hash = choice.Record{}, 0
	return planned
}

// TestContinuationsOfAPlan: the continuations of a case with a schedule repeat the steps that the schedule leads to. Once
// the run has failed in a step, all continuations fail.
func TestContinuationsOfAPlan(t *testing.T) {
	r := props.NewRunner("overtaken", overtaken)
	defer r.Close()
	c := overtakenBy(t, r)
	w := ReplaySteps(r, c, 0, 100)
	if w.Failed < 1 {
		t.Fatalf("the planned case does not fail: %+v", w)
	}
	if e, err := Continuations(context.Background(), r, c, w.Failed, 20); err != nil || e.Of != 20 || e.Failed != 20 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestLostContinuations: continuations that the property skips count neither as failing nor as passing.
func TestLostContinuations(t *testing.T) {
	for name, skips := range map[string]bool{"some": false, "all": true} {
		once := false // set once the case was found, because the run of the case must not be skipped
		r := props.NewRunner(name, func(t *props.T) {
			sys, first := t.System(), 0
			to := sys.Spawn("to", pulse.Func(func(_ *pulse.Ctx, m any) { first = cmp.Or(first, m.(int)) }))
			for i := range 3 {
				sys.Send(sys.Spawn("from", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(to, i+1) })), "go")
			}
			if sys.Run(); first == 1 || skips && once {
				t.Skip("not this order")
			}
		})
		defer r.Close()
		c := caseBy(t, r, func(res *props.Result) bool { return !res.Skipped })
		once = true
		e, err := Continuations(context.Background(), r, c, 0, 30)
		want := map[bool]record.Endings{false: {Of: 30, Lost: 11}, true: {Lost: 60}}[skips]
		if want.Failures = []record.Ending{}; err != nil || !reflect.DeepEqual(*e, want) {
			t.Errorf("%s: %+v, %v, want %+v", name, *e, err, want)
		}
	}
}
