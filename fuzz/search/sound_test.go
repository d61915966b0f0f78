package search

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// do is a handler that calls a function at each message.
func do(f func()) pulse.Func { return func(*pulse.Ctx, any) { f() } }

// sides runs two actors that each get one message.
func sides(t *props.T, sys *pulse.System, one, other func()) {
	sys.Send(sys.Spawn("one", do(one)), "go")
	sys.Send(sys.Spawn("other", do(other)), "go")
	sys.Run()
}

// TestExploreIsRight checks that a complete exploration has found all failures. For
// each of these properties, some reduction once found fewer and still reported
// complete.
func TestExploreIsRight(t *testing.T) {
	for _, c := range []struct {
		name     string
		property func(*props.T)
		failures []string
		handed   string // the reduction with which the search restarted, in the verdict's words
	}{
		{"a skip in a handler", func(t *props.T) {
			sides(t, t.System(), func() { t.Skip("not wanted") }, func() { t.Errorf("came") })
		}, []string{"property: came"}, "source"},
		{"two that end the run", func(t *props.T) {
			sides(t, t.System(), func() { t.Fatalf("one") }, func() { panic("other") })
		}, []string{"panic: other", "property: one"}, "source"},
		{"two that do not end it", func(t *props.T) {
			sides(t, t.System(), func() { t.Errorf("one") }, func() { t.Errorf("other") })
		}, []string{"property: one", "property: other"}, "source"},
		{"two that always hold", func(t *props.T) {
			sys, one, other := t.System(), false, false
			t.Always("not one", func() error { return fails(one && !other) })
			t.Always("not other", func() error { return fails(other && !one) })
			sides(t, sys, func() { one = true }, func() { other = true })
		}, []string{"property: it is", "property: it is"}, "source"},
		{"whether it has failed", func(t *props.T) {
			sides(t, t.System(), func() { t.Errorf("one") }, func() {
				if !t.Failed() {
					panic("first")
				}
			})
		}, []string{"panic: first", "property: one"}, "source"},
		{"the number of the step", func(t *props.T) {
			sides(t, t.System(), func() {}, func() {
				if t.Step() == 0 {
					panic("first")
				}
			})
		}, []string{"panic: first"}, "everything with sleep sets"},
		{"a skip after looking", func(t *props.T) {
			sides(t, t.System(), func() {}, func() {
				if t.Step() == 1 {
					t.Skip()
				}
				panic("first")
			})
		}, []string{"panic: first"}, ""},
	} {
		x := exploreFor(t, ExploreOptions{KeepOn: true}, c.property)
		var got []string // the failures, without the names of functions
		for s := range maps.Keys(x.Verdict.Failures) {
			kind, _, _ := strings.Cut(s, " ")
			got = append(got, kind+s[strings.LastIndex(s, ": "):])
		}
		slices.Sort(got)
		if !x.Verdict.Complete || !slices.Equal(got, c.failures) || !strings.Contains(x.Verdict.String(), "restarted with the reduction "+c.handed) {
			t.Errorf("%s: failures %q, want %q; %v", c.name, got, c.failures, x.Verdict)
		}
	}
}

func fails(is bool) error {
	if is {
		return errors.New("it is")
	}
	return nil
}

// TestWatchedByOthers: an exploration says that it may have missed failures that only the
// property's own observer, or the isolation check, could detect in a left-out order.
func TestWatchedByOthers(t *testing.T) {
	changed := func(t *props.T) {
		sys := t.SystemWith(pulse.Options{Isolation: true})
		msg := &struct{ n int }{}
		sys.Send(sys.Spawn("sink", do(func() {})), msg)
		sys.Send(sys.Spawn("changer", do(func() { msg.n++ })), "go")
		sys.Run()
	}
	observed := func(t *props.T) {
		sys, one := t.System(), false
		sys.Observe(stepped(func() {
			if t.Step() == 0 && !one {
				t.Fatalf("the other came first")
			}
		}))
		sides(t, sys, func() { one = true }, func() {})
	}
	traced := func(t *props.T) {
		sys := t.System()
		sides(t, sys, func() {}, func() {})
		if sys.Trace().Steps[0].Actor == 2 {
			t.Fatalf("the other came first")
		}
	}
	for name, property := range map[string]func(*props.T){"isolation": changed, "observer": observed, "trace": traced} {
		x := exploreFor(t, ExploreOptions{}, property)
		if v := x.Verdict; !v.Watched || !strings.Contains(v.String(), "observers, the isolation check and readers of the trace saw only the orders that were run") {
			t.Errorf("%s: %v", name, v)
		}
		x = exploreFor(t, ExploreOptions{Method: explore.Method{Reduction: explore.Everything}}, property)
		if v := x.Verdict; v.Watched || len(v.Failures) != 1 {
			t.Errorf("%s in all orders: %v", name, v)
		}
	}
}

var unique atomic.Int64

type stepped func()

func (s stepped) Stepped(*pulse.System, int) { s() }

// TestSometimesInOrdersLeftOut: if an Always could observe a situation of Sometimes only in orders that a reduction
// left out, the report does not complain that the situation was not reached. Such a complaint once failed the test.
func TestSometimesInOrdersLeftOut(t *testing.T) {
	property := func(t *props.T) {
		sys, one, other := t.System(), false, false
		t.Always("looks", func() error {
			t.Sometimes("the other alone", other && !one)
			return nil
		})
		sides(t, sys, func() { one = true }, func() { other = true })
	}
	x := exploreFor(t, ExploreOptions{}, property)
	if len(x.Complaints) > 0 || !slices.Equal(x.Verdict.Unreached, []string{"the other alone"}) ||
		!strings.Contains(x.Verdict.String(), `sometimes "the other alone": reached in no run`) {
		t.Errorf("%q %v", x.Complaints, x.Verdict)
	}
	x = exploreFor(t, ExploreOptions{Method: explore.Method{Reduction: explore.Everything}}, property)
	if len(x.Complaints) > 0 || len(x.Verdict.Unreached) > 0 {
		t.Errorf("in all orders: %q %v", x.Complaints, x.Verdict)
	}
}

// unsteady are programs that behave differently in each run. They count their runs in a variable outside the
// run.
func unsteady(runs *int) map[string]func(*props.T) {
	program := func(send func(ctx *pulse.Ctx, to pulse.Ref)) func(*props.T) {
		return func(t *props.T) {
			*runs++
			sys := t.System()
			sink := sys.Spawn("sink", do(func() {}))
			sys.Send(sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, _ any) { send(ctx, sink) })), "go")
			sys.Run()
		}
	}
	return map[string]func(*props.T){
		"another number of messages": program(func(ctx *pulse.Ctx, to pulse.Ref) {
			for range *runs {
				ctx.Send(to, "message")
			}
		}),
		"other contents": program(func(ctx *pulse.Ctx, to pulse.Ref) { ctx.Send(to, &struct{ at []int }{[]int{*runs}}) }),
	}
}

// TestProgramsThatDoNotRepeat checks that a program that behaves differently in each run is reported
// neither as complete nor as passed. Such a program was once reported as complete, and one of its failures
// as replayed 2 of 2.
func TestProgramsThatDoNotRepeat(t *testing.T) {
	for name, want := range map[string]string{
		"another number of messages": `before step 1, the deliverable messages differ from the earlier run (now 1, the first one sink ← "message")`,
		"other contents":             `step 0 (sender#1 ← "go") sends struct([3]) to sink, which had different contents in the previous run`,
	} {
		runs := 0
		x := exploreFor(t, ExploreOptions{}, unsteady(&runs)[name])
		if x.Verdict.Complete || !strings.Contains(x.Verdict.Nondeterminism, want) || x.Divergence == nil {
			t.Errorf("%s: %v (%s)", name, x.Verdict, x.Verdict.Nondeterminism)
		}
		runs = 0
		res := Sample(context.Background(), Property{Name: "p", Test: "T", Func: unsteady(&runs)[name]}, Options{Runs: 200})
		if f := res.Finding; f == nil || f.Failure.Kind != pulse.KindNondeterminism || f.Differs == "" || res.Index != repeatEvery-1 {
			t.Errorf("%s: %+v", name, res)
		}
	}
	failing := func(t *props.T) {
		runs := new(int)
		*runs = int(unique.Add(1))
		sys := t.System()
		sys.Send(sys.Spawn("sink", do(func() { t.Errorf("failed") })), struct{ n *int }{runs})
		sys.Run()
	}
	res := Sample(context.Background(), Property{Name: "p", Test: "T", Func: failing}, Options{Runs: 1})
	if f := res.Finding; f == nil || f.Replays != 0 || !strings.Contains(f.Differs, "the test sends struct") {
		t.Errorf("%+v", res.Finding)
	}
	quiet := func(t *props.T) {
		sys := t.System()
		sys.Send(sys.Spawn("sink", do(func() {})), 1)
		sys.Run()
	}
	if res := Sample(context.Background(), Property{Name: "p", Test: "T", Func: quiet}, Options{Runs: 200}); res.Finding != nil || res.Runs != 200 {
		t.Errorf("%+v", res)
	}
}
