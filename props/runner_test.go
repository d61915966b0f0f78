package props_test

import (
	"errors"
	"fmt"
	"math"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// once runs a property once, in plain order.
func once(t *testing.T, property func(*props.T)) props.Result {
	t.Helper()
	r := props.NewRunner(t.Name(), property)
	t.Cleanup(r.Close)
	return r.Run(props.Plan{Seed: 1})
}

// told returns a result, with all its fields, as one text.
func told(res props.Result, property func(*props.T)) string {
	var b strings.Builder
	switch f := res.Failure; {
	case f != nil:
		fmt.Fprintf(&b, "%s: %s: %s", f.Kind, lineless(res.Location.Place(), property), f.Text)
		if f.Step >= 0 {
			fmt.Fprintf(&b, " (step %d)", f.Step)
		}
	case res.Rejected != "":
		fmt.Fprintf(&b, "rejected: %s", res.Rejected)
	case res.Skipped:
		b.WriteString("skipped")
	default:
		b.WriteString("held")
	}
	if res.System != nil {
		for _, note := range res.System.Trace().Notes {
			b.WriteString("\n" + note.Text)
		}
	}
	for _, l := range res.Logs {
		b.WriteString("\n" + l)
	}
	return b.String()
}

// lineless replaces the line of a location by a function and the distance from its
// first line. The function is the one that contains the line, or the property.
func lineless(location string, property func(*props.T)) string {
	file, number, _ := strings.Cut(location, ":")
	line, _ := strconv.Atoi(number)
	best, name := 0, file
	for n, f := range map[string]any{"property": property, "say": say, "live": live, "apart": apart} {
		fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
		if in, begin := fn.FileLine(fn.Entry()); path.Base(in) == file && begin <= line && begin > best {
			best, name = begin, n
		}
	}
	if best == 0 {
		return file
	}
	return fmt.Sprintf("%s+%d", name, line-best)
}

// say sends a message to an actor that does f, and runs the system.
func say(t *props.T, f func(ctx *pulse.Ctx)) {
	sys := t.System()
	sys.Send(sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, msg any) { f(ctx) })), "go")
	sys.Run()
	t.Log("after the run")
}

// live runs f as the code of a process.
func live(t *props.T, f func(p *pulse.Process)) {
	sys := t.System()
	sys.Go("process", f)
	sys.Run()
	t.Log("after the run")
}

func nothing(*pulse.Ctx) {}

type outcome struct {
	name     string
	property func(t *props.T)
	want     string
}

var outcomes = []outcome{
	{"holds", func(t *props.T) { say(t, nothing) }, "held\nafter the run"},
	{"no system", func(t *props.T) {}, `misuse: property+0: the property made no system: nothing was run; call System, and Run on it, or goroutine.Run with it`},
	{"no run", func(t *props.T) { t.System() }, `misuse: property+0: the property did not run its system: nothing happened; call Run`},
	{"two systems", func(t *props.T) { t.System(); t.System() }, `misuse: property+0: System is called twice: a property has one system; spawn both sets of actors in it`},
	{"two systems, one with options", func(t *props.T) { t.System(); t.SystemWith(pulse.Options{}) }, `misuse: property+0: System is called twice: a property has one system; spawn both sets of actors in it`},
	{"system in a Cleanup", func(t *props.T) { say(t, nothing); t.Cleanup(func() { t.System() }) }, "misuse: property+0: System is called after the property has returned\nafter the run"},

	{"system that is closed", func(t *props.T) {
		sys := t.System()
		defer sys.Close()
		sys.Run()
	}, "held"},
	{"system with options that is closed", func(t *props.T) {
		sys := t.SystemWith(pulse.Options{Delivery: pulse.DeliveryUnordered})
		sys.Run()
		sys.Close()
	}, "held"},
	{"system that is reset", func(t *props.T) {
		sys := t.System()
		t.Always("lost", func() error { return errors.New("broken") })
		sys.Reset(1)
		sys.Send(sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {})), 1)
		sys.Run()
	}, "misuse: property+0: the property reset its system: its Always and Eventually conditions are lost; a property has one run"},
	{"run of a system that is closed", func(t *props.T) {
		sys := t.System()
		sys.Close()
		sys.Run()
	}, "misuse: property+3: Run on a system that is closed: the property that made it has returned"},

	{"Errorf", func(t *props.T) { say(t, nothing); t.Errorf("one %d", 1); t.Errorf("two") }, "property: property+0: one 1\nafter the run\ntwo"},
	{"Error", func(t *props.T) { say(t, nothing); t.Error("one", 1) }, "property: property+0: one 1\nafter the run"},
	{"Fatalf", func(t *props.T) { say(t, nothing); t.Fatalf("one %d", 1); t.Log("not reached") }, "property: property+0: one 1\nafter the run"},
	{"Fatal", func(t *props.T) { t.Fatal("one", 1) }, `property: property+0: one 1`},
	{"Fail", func(t *props.T) { t.Fail(); say(t, nothing); t.Errorf("said later") }, "property: property+0: failed\nafter the run\nsaid later"},
	{"FailNow", func(t *props.T) { t.FailNow() }, `property: property+0: failed`},
	{"Errorf, FailNow", func(t *props.T) { t.Errorf("one"); t.FailNow() }, `property: property+0: one`},
	{"several lines", func(t *props.T) { t.Fatalf("\none\ntwo\n\n") }, `property: property+0: one`},
	{"Report", func(t *props.T) { t.Report(&pulse.Failure{Kind: pulse.KindBudget, Text: "one", Step: -1}) }, `budget: property+0: one`},
	{"Report, several lines", func(t *props.T) { t.Report(&pulse.Failure{Text: "one\ntwo", Detail: "three", Step: -1}) }, `property: property+0: one`},
	{"Report(nil)", func(t *props.T) { t.Report(nil) }, `misuse: property+0: Report(nil): give it what was found wrong`},

	{"Errorf in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { t.Errorf("one") }) }, "property: property+0: one (step 0)\nafter the run"},
	{"Fatalf in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { t.Fatalf("one") }) }, `property: property+0: one (step 0)`},
	{"Errorf in a process", func(t *props.T) { live(t, func(p *pulse.Process) { t.Errorf("one") }) }, "property: property+0: one (step 0)\nafter the run"},
	{"Fatalf in a process", func(t *props.T) { live(t, func(p *pulse.Process) { p.Sleep(1); t.Fatalf("one") }) }, `property: property+0: one (step 1)`},
	{"Fatalf that the handler recovers", func(t *props.T) {
		say(t, func(*pulse.Ctx) {
			defer func() { recover() }()
			t.Fatalf("one")
		})
	}, `property: property+3: one (step 0)`},
	{"Fatalf that the property recovers", func(t *props.T) {
		func() {
			defer func() { recover() }()
			t.Fatalf("one")
		}()
		say(t, nothing)
	}, "property: property+3: one\nafter the run"},
	{"Fatalf in an end of a process", func(t *props.T) {
		sys := t.System()
		sys.Send(sys.Go("process", func(p *pulse.Process) {
			defer t.Fatalf("said at the end")
			defer t.Log("said at the end")
			p.ReceiveMatch(func(any) bool { return false })
		}), "x")
		sys.RunFor(1)
	}, "property: property+5: said at the end\nsaid at the end"},
	{"panic in an end of a process", func(t *props.T) {
		live(t, func(p *pulse.Process) {
			defer func() { panic("at the end") }()
			p.Receive()
		})
	}, "panic: property+3: panic in a deferred function of process, which was ended while it waited: at the end\nafter the run"},
	{"an end of a process after a failure", func(t *props.T) {
		sys := t.System()
		sys.Go("process", func(p *pulse.Process) {
			defer t.Errorf("a consequence")
			p.Receive()
		})
		sys.Run()
		t.Errorf("one")
	}, "property: property+7: one"},
	{"a send after the last Run", func(t *props.T) {
		sys := t.System()
		r := sys.Spawn("shop", pulse.Func(func(*pulse.Ctx, any) {}))
		sys.Run()
		sys.Send(r, "for nobody")
	}, "misuse: property+0: the property sends or starts something after its last Run, which has no effect: call Run again"},
	{"a process after the last Run", func(t *props.T) {
		sys := t.System()
		sys.Run()
		sys.Go("process", func(*pulse.Process) { t.Errorf("never") })
	}, "misuse: property+0: the property sends or starts something after its last Run, which has no effect: call Run again"},
	{"a goroutine of a handler sends when Run is over", func(t *props.T) {
		sys := t.System()
		var send func()
		r := sys.Spawn("shop", pulse.Func(func(ctx *pulse.Ctx, _ any) { send = func() { ctx.Send(ctx.Self(), "late") } }))
		sys.Send(r, "now")
		sys.Run()
		apart(send)
	}, "misuse: property+3: Send on a Ctx from another goroutine when no step was running: does a handler leave a goroutine behind? replace the goroutine with an actor"},

	{"Fatalf in the end of a process that is killed in the run", func(t *props.T) {
		sys := t.System()
		sys.Kill(sys.Go("process", func(p *pulse.Process) {
			defer t.Log("the end")
			defer t.Fatalf("one")
			p.ReceiveMatch(func(any) bool { return false })
		}))
		sys.Run()
		t.Log("after the run")
	}, "property: property+5: one (step 1)\nthe end\nafter the run"},

	{"Skip", func(t *props.T) { t.Skip("no", "use") }, "skipped\nno use"},
	{"Skipf", func(t *props.T) { t.Skipf("no %s", "use") }, "skipped\nno use"},
	{"SkipNow", func(t *props.T) { t.SkipNow() }, `skipped`},
	{"Skip after the run", func(t *props.T) { say(t, nothing); t.Skip() }, "skipped\nafter the run"},
	{"Skip in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { t.Skip("no use") }) }, "skipped\nno use"},
	{"Skip in a process", func(t *props.T) { live(t, func(*pulse.Process) { t.Skip("no use") }) }, "skipped\nno use"},
	{"Skip in a Cleanup", func(t *props.T) { say(t, nothing); t.Cleanup(func() { t.Skip() }) }, "skipped\nafter the run"},
	{"Skip in an Always", func(t *props.T) {
		sys := t.System()
		t.Always("a", func() error { t.Skip("no use"); return nil })
		sys.Send(sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {})), 1)
		sys.Run()
		t.Fatal("not reached")
	}, "skipped\nno use"},
	{"Skip after Errorf", func(t *props.T) { t.Errorf("one"); t.Skip("two") }, "property: property+0: one\ntwo"},
	{"Skip that is recovered, then a stuck run", func(t *props.T) {
		func() {
			defer func() { recover() }()
			t.Skip()
		}()
		live(t, func(p *pulse.Process) { p.ReceiveMatch(func(any) bool { return false }) })
	}, `stuck: live+3: stuck: 1 of 1 actors cannot go on, nothing is deliverable`},

	{"panic in the property", func(t *props.T) { panic("one") }, `panic: property+0: panic in the property: one`},
	{"panic in what the property calls", func(t *props.T) { t.Log(strings.Repeat("x", -1)) }, `panic: property+0: panic in the property: strings: negative Repeat count`},
	{"nil pointer", func(t *props.T) { var p *props.T; p.Name() }, `panic: property+0: panic in the property: runtime error: invalid memory address or nil pointer dereference`},
	{"panic in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { panic(errors.New("one")) }) }, `panic: property+0: panic in actor#1 ← "go": one (step 0)`},
	{"Errorf, then a panic in a handler", func(t *props.T) {
		say(t, func(*pulse.Ctx) { t.Errorf("one"); panic("two") })
	}, `property: property+1: one (step 0)`},
	{"stuck", func(t *props.T) { live(t, func(p *pulse.Process) { p.ReceiveMatch(func(any) bool { return false }) }) }, `stuck: live+3: stuck: 1 of 1 actors cannot go on, nothing is deliverable`},
	{"misuse of the system", func(t *props.T) { t.System().Send(pulse.Ref{}, 1) }, `misuse: property+0: Send 1: the Ref is the zero Ref, which is nobody: it was never set`},

	{"Goexit", func(t *props.T) { say(t, nothing); runtime.Goexit() }, "misuse: property+0: the property called runtime.Goexit, as FailNow, Fatal and Skip of a testing.T do: use those of the props.T\nafter the run"},
	{"Goexit in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { runtime.Goexit() }) }, `misuse: property+0: the property called runtime.Goexit in actor#1 ← "go", as FailNow, Fatal and Skip of a testing.T do: use those of the props.T (step 0)`},
	{"Goexit in a process", func(t *props.T) { live(t, func(*pulse.Process) { runtime.Goexit() }) }, `misuse: live+3: the property called runtime.Goexit in process#1 ← start, as FailNow, Fatal and Skip of a testing.T do: use those of the props.T (step 0)`},
	{"Goexit in a Cleanup", func(t *props.T) {
		say(t, nothing)
		t.Cleanup(func() { t.Log("first") })
		t.Cleanup(runtime.Goexit)
		t.Cleanup(func() { t.Log("last") })
	}, "misuse: property+0: the property called runtime.Goexit, as FailNow, Fatal and Skip of a testing.T do: use those of the props.T\nafter the run\nlast\nfirst"},
	{"FailNow of a testing.T", func(t *props.T) { say(t, func(*pulse.Ctx) { (&testing.T{}).FailNow() }) }, `misuse: property+0: the property called runtime.Goexit in actor#1 ← "go", as FailNow, Fatal and Skip of a testing.T do: use those of the props.T (step 0)`},
	{"Skip of a testing.T", func(t *props.T) { (&testing.T{}).SkipNow() }, `misuse: property+0: the property called runtime.Goexit, as FailNow, Fatal and Skip of a testing.T do: use those of the props.T`},

	{"Cleanups", func(t *props.T) {
		t.Cleanup(func() { t.Log("1") })
		t.Cleanup(func() { t.Cleanup(func() { t.Log("added") }); t.Log("2") })
		say(t, nothing)
	}, "held\nafter the run\n2\nadded\n1"},
	{"Cleanup after Fatal", func(t *props.T) { t.Cleanup(func() { t.Log("cleaned") }); t.Fatal("one") }, "property: property+0: one\ncleaned"},
	{"Cleanups that panic and fail", func(t *props.T) {
		t.Cleanup(func() { t.Errorf("three") })
		t.Cleanup(func() { t.Fatalf("two") })
		t.Cleanup(func() { panic("one") })
		say(t, nothing)
	}, "panic: property+3: panic in a Cleanup: one\nafter the run\ntwo\nthree"},
	{"Cleanup(nil)", func(t *props.T) { t.Cleanup(nil) }, `misuse: property+0: Cleanup(nil): give it a function`},

	{"draw in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { props.Draw(t, rapid.Int(), "n") }) }, `misuse: property+0: draw "n" in a step: draw inputs before Run; the program decides with ctx.Choose (step 0)`},
	{"draw after Run", func(t *props.T) { say(t, nothing); props.Draw(t, rapid.Int(), "n") }, "misuse: property+0: draw \"n\" after Run: draw inputs before Run\nafter the run"},
	{"draw in a Cleanup", func(t *props.T) { t.Cleanup(func() { props.OneOf(t, "n", 1, 2) }) }, `misuse: property+0: the property made no system: nothing was run; call System, and Run on it, or goroutine.Run with it`},
	{"draw in a draw", func(t *props.T) {
		props.Draw(t, rapid.Custom(func(*rapid.T) int { return props.Draw(t, rapid.Int(), "inner") }), "outer")
	}, `misuse: property+1: draw "inner" in the generator of draw "outer": a generator draws from the *rapid.T that it is given`},
	{"draw from nil", func(t *props.T) { props.Draw[int](t, nil, "n") }, `misuse: property+0: draw "n" has no generator: it is nil`},
	{"sample from nil", func(t *props.T) { props.Sample(t, nil, "n") }, `misuse: property+0: draw "n" has no generator: it is nil`},
	{"OneOf nothing", func(t *props.T) { props.OneOf[int](t, "n") }, `misuse: property+0: OneOf "n" has no values to choose from`},
	{"Rapid without rapid", func(t *props.T) { t.Rapid() }, `misuse: property+0: Rapid: this property is not run under rapid: run it with rapid.Check(t, props.Rapid(property))`},

	{"goroutine complains", func(t *props.T) {
		say(t, nothing)
		apart(func() { t.Errorf("one") })
	}, "misuse: property+2: Errorf on a T from another goroutine: only the property, its handlers and its processes may use a T; let an actor do what the goroutine does\nafter the run"},
	{"goroutine ends the run", func(t *props.T) {
		apart(func() { t.Fatalf("one") })
		say(t, nothing)
	}, "misuse: property+1: Fatalf on a T from another goroutine: only the property, its handlers and its processes may use a T; let an actor do what the goroutine does\nafter the run"},
	{"goroutine skips in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { apart(func() { t.Skip() }) }) }, "misuse: property+0: Skip on a T from another goroutine: only the property, its handlers and its processes may use a T; let an actor do what the goroutine does\nafter the run"},
	{"goroutine draws", func(t *props.T) { apart(func() { props.Draw(t, rapid.Int(), "n") }); say(t, nothing) }, "misuse: property+0: Draw on a T from another goroutine: only the property, its handlers and its processes may use a T; let an actor do what the goroutine does\nafter the run"},
	{"goroutine logs", func(t *props.T) { apart(func() { t.Log("one") }); say(t, nothing) }, "misuse: property+0: Log on a T from another goroutine: only the property, its handlers and its processes may use a T; let an actor do what the goroutine does\nafter the run"},
	{"goroutine makes the system", func(t *props.T) { apart(func() { t.System() }); say(t, nothing) }, "misuse: property+0: System on a T from another goroutine: only the property, its handlers and its processes may use a T; let an actor do what the goroutine does\nafter the run"},
	{"goroutine sends in a handler", func(t *props.T) {
		say(t, func(ctx *pulse.Ctx) { self := ctx.Self(); apart(func() { ctx.Send(self, 1) }) })
	}, `misuse: property+1: Send on a Ctx from another goroutine: only the goroutine that runs a system, and its handlers, may use it; send what other goroutines produce before Run (step 0)`},
	{"goroutine gives hints", func(t *props.T) { apart(func() { t.Feature("f", 1); t.Maximize("m", 1) }); say(t, nothing) }, "misuse: property+0: Feature on a T from another goroutine: only the property, its handlers and its processes may use a T; let an actor do what the goroutine does\nafter the run"},
	{"goroutine maximizes in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { apart(func() { t.Maximize("m", 1) }) }) }, "misuse: property+0: Maximize on a T from another goroutine: only the property, its handlers and its processes may use a T; let an actor do what the goroutine does\nafter the run"},
	{"maximize NaN", func(t *props.T) { t.Maximize("m", math.NaN()) }, `misuse: property+0: Maximize "m" is given NaN: give it a finite number`},
	{"maximize without end in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { t.Maximize("m", math.Inf(1)) }) }, `misuse: property+0: Maximize "m" is given +Inf: give it a finite number (step 0)`},
	{"minimize without end", func(t *props.T) { t.Maximize("", math.Inf(-1)) }, `misuse: property+0: Maximize "" is given -Inf: give it a finite number`},
	{"feature is a function", func(t *props.T) { t.Feature("f", nothing) }, `misuse: property+0: Feature "f" cannot be compared with other values because it holds a function: give it a number, a text or a struct of both, and for an actor its name`},
	{"feature holds a channel", func(t *props.T) {
		say(t, func(*pulse.Ctx) { t.Feature("f", struct{ c []any }{[]any{make(chan int)}}) })
	}, `misuse: property+1: Feature "f" cannot be compared with other values because it holds a channel: give it a number, a text or a struct of both, and for an actor its name (step 0)`},
	{"feature is a Ref", func(t *props.T) { t.Feature("f", t.System().Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {}))) }, `misuse: property+0: Feature "f" cannot be compared with other values because it holds a function: give it a number, a text or a struct of both, and for an actor its name`},
	{"feature is the T", func(t *props.T) { t.Feature("f", t); t.Feature("f", []any{t, 1}); say(t, nothing) }, "held\nafter the run"},
	{"features of all sorts", func(t *props.T) {
		circle := map[string]any{}
		circle["self"] = circle
		for _, v := range []any{nil, 1, math.NaN(), "x", []int{1}, map[string][]int{"a": nil}, circle, &circle, (*int)(nil), grumpy{}, error(nil), [2]any{1, "x"}} {
			t.Feature("f", v)
		}
		say(t, func(*pulse.Ctx) { t.Feature("", ""); t.Maximize("", 0); t.Maximize("f", -math.MaxFloat64) })
	}, "held\nafter the run"},
	{"goroutine in a process", func(t *props.T) { live(t, func(*pulse.Process) { apart(func() { t.Errorf("one") }) }) }, "misuse: property+0: Errorf on a T from another goroutine: only the property, its handlers and its processes may use a T; let an actor do what the goroutine does\nafter the run"},
}

// A grumpy value panics when any of its methods is called.
type grumpy struct{}

func (grumpy) String() string   { panic("no text") }
func (grumpy) GoString() string { panic("no text") }
func (grumpy) Error() string    { panic("no text") }
func (grumpy) Equal(any) bool   { panic("equals nothing") }

// apart runs f on another goroutine and waits for it.
func apart(f func()) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		f()
	}()
	wg.Wait()
}

func TestOutcomes(t *testing.T) {
	for _, o := range outcomes {
		t.Run(o.name, func(t *testing.T) {
			if diff := cmp.Diff(o.want, told(once(t, o.property), o.property)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestKeptT uses the T of one run in the next run. That must be reported.
func TestKeptT(t *testing.T) {
	uses := map[string]func(*props.T){
		"Errorf": func(t *props.T) { t.Errorf("one") },
		"Fatalf": func(t *props.T) { t.Fatalf("one") },
		"Draw":   func(t *props.T) { props.Draw(t, rapid.Int(), "n") },
		"System": func(t *props.T) { t.System() },
		"Failed": func(t *props.T) { t.Failed() },
		"Helper": func(t *props.T) { t.Helper() },
	}
	for what, use := range uses {
		for _, inStep := range []bool{false, true} {
			var kept *props.T
			property := func(t *props.T) {
				k := kept
				kept = t
				say(t, func(*pulse.Ctx) {
					if k != nil && inStep {
						use(k)
					}
				})
				if k != nil && !inStep {
					use(k)
				}
			}
			r := props.NewRunner("", property)
			if res := r.Run(props.Plan{}); res.Failure != nil {
				t.Errorf("%s: the first run failed: %v", what, res.Failure)
			}
			res := r.Run(props.Plan{})
			want := what + " on the T of an earlier run: use the T that this run was given"
			if res.Failure == nil || res.Failure.Text != want || res.Failure.Kind != pulse.KindMisuse {
				t.Errorf("%s, in a step %v: %v", what, inStep, res.Failure)
			}
			r.Close()
		}
	}
}

// TestLateGoroutine runs a property that leaves a goroutine behind, which
// calls Errorf after the run: the next run fails with it, or Late returns it.
func TestLateGoroutine(t *testing.T) {
	over, done := make(chan bool), make(chan bool)
	r := props.NewRunner("", func(t *props.T) {
		say(t, nothing)
		go func() {
			defer func() { done <- true }()
			<-over
			t.Fatalf("one")
		}()
	})
	defer r.Close()
	want := "Fatalf on the T of a run that is over: does the property leave a goroutine behind?"
	var results []props.Result
	for range 2 {
		results = append(results, r.Run(props.Plan{}))
		over <- true
		<-done
	}
	if f := results[0].Failure; f != nil {
		t.Errorf("the first run: %v", f)
	}
	if f := results[1].Failure; f == nil || f.Text != want {
		t.Errorf("the second run: %v", f)
	}
	if f := r.Late(); f == nil || f.Text != want {
		t.Errorf("late: %v", f)
	}
	if f := r.Late(); f != nil {
		t.Errorf("late again: %v", f)
	}
}

// TestAfterTheRun uses a T after the last run. The process must not crash.
func TestAfterTheRun(t *testing.T) {
	var kept *props.T
	r := props.NewRunner("", func(t *props.T) { kept = t; say(t, nothing) })
	r.Run(props.Plan{})
	r.Close()
	r.Close()
	kept.Errorf("one")
	if n := props.Draw(kept, rapid.IntRange(1, 2), "n"); n != 0 {
		t.Errorf("drew %d after the run", n)
	}
	if f := r.Late(); f == nil || f.Text != "Errorf on the T of a run that is over: does the property leave a goroutine behind?" {
		t.Errorf("late: %v", f)
	}
	defer func() {
		if f, ok := recover().(*pulse.Failure); !ok || f.Text != "Run on a Runner that is closed" {
			t.Errorf("Run after Close: %v", f)
		}
	}()
	r.Run(props.Plan{})
}

// TestRunnerGoesOn runs properties that fail in every way, in turns with one that
// passes: no run may affect the next one.
func TestRunnerGoesOn(t *testing.T) {
	var o outcome
	bad := true
	r := props.NewRunner("", func(t *props.T) {
		if bad {
			o.property(t)
			return
		}
		live(t, func(p *pulse.Process) { p.Sleep(1) })
	})
	defer r.Close()
	for _, o = range outcomes {
		bad = true
		res := r.Run(props.Plan{})
		if res.Failure != nil && !strings.Contains(o.want, ": "+res.Failure.Text) || res.Failure == nil && told(res, o.property) != o.want {
			t.Errorf("%s: after others: %v\nalone: %s", o.name, res.Failure, o.want)
		}
		bad = false
		if got := told(r.Run(props.Plan{}), o.property); got != "held\nafter the run" {
			t.Errorf("after %s: %s", o.name, got)
		}
	}
}

// TestCloseLeavesNothing: Close ends waiting processes of the last run. It also
// works on a runner whose stage was ended by Goexit.
func TestCloseLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, end := range []func(){func() {}, runtime.Goexit} {
		r := props.NewRunner("", func(t *props.T) {
			sys := t.System()
			sys.Go("waits", func(p *pulse.Process) { p.ReceiveMatch(func(any) bool { return false }) })
			sys.Go("ends", func(p *pulse.Process) { p.Sleep(1); end() })
			sys.Run()
		})
		r.Run(props.Plan{})
		r.Run(props.Plan{})
		r.Close()
	}
	goleak.VerifyNone(t, before)
}

// TestPanicDetail checks Failure.Detail after a panic.
func TestPanicDetail(t *testing.T) {
	res := once(t, func(t *props.T) { fails() })
	got := regexp.MustCompile(`:\d+`).ReplaceAllString(res.Failure.Detail, "")
	want := "    props_test.fails runner_test.go\n    func in TestPanicDetail runner_test.go"
	if got != want {
		t.Errorf("detail:\n%s\nwant:\n%s", got, want)
	}
	if got := res.Failure.Lasting(); got != "panic at props_test.fails: one #" {
		t.Errorf("signature: %s", got)
	}
}

func fails() { panic("one 1") }

// Late reports a call to the system or the T by a goroutine that a property has left
// behind. After the test such a call panics. A message sent by such a call belongs to
// no run.
func TestLateSend(t *testing.T) {
	var late func()
	r := props.NewRunner("TestX", func(t *props.T) {
		sys := t.System()
		ref := sys.Spawn("shop", pulse.Func(func(*pulse.Ctx, any) {}))
		sys.Run()
		late = func() { sys.Send(ref, "late") }
	})
	const want = "Send on a system from another goroutine when no step was running: does a handler leave a goroutine behind? replace the goroutine with an actor"
	r.Run(props.Plan{})
	apart(late)
	if f := r.Late(); f == nil || f.Text != want {
		t.Errorf("late: %v", f)
	}
	apart(late)
	if f := r.Run(props.Plan{}).Failure; f == nil || f.Text != want {
		t.Errorf("the next run: %v", f)
	}
	r.Run(props.Plan{})
	r.Close()
	apart(late)
	if f := r.Over(); f == nil || f.Text != want {
		t.Errorf("after Close: %v", f)
	}
	var panicked any
	apart(func() {
		defer func() { panicked = recover() }()
		late()
	})
	if f, ok := panicked.(*pulse.Failure); !ok || !strings.Contains(f.Text, "on a system that is closed") {
		t.Errorf("when all is over: %v", panicked)
	}
}

func TestComplaintWhenAllIsOver(t *testing.T) {
	var kept *props.T
	r := props.NewRunner("TestX", func(t *props.T) { kept = t; say(t, nothing) })
	r.Run(props.Plan{})
	r.Close()
	if f := r.Over(); f != nil {
		t.Errorf("nothing was wrong, but: %v", f)
	}
	defer func() {
		const want = "after TestX was over: Errorf on the T of a run that is over: does the property leave a goroutine behind?"
		if v := recover(); v != want {
			t.Errorf("panicked with %v", v)
		}
	}()
	kept.Errorf("one")
}
