package pulse_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// crashing returns options under which one actor crashes at its n-th call of MayCrash.
func crashing(n int, loses bool) pulse.Options {
	return pulse.Options{Record: true, Strategy: &struckAt{crash: n, loses: loses}, Faults: pulse.Faults{Crash: 1}}
}

// keepsBooks is the code of a bookkeeper: it performs several actions in one
// step, and may crash between them.
func keepsBooks(ctx *pulse.Ctx, to pulse.Ref, d *diary) {
	defer d.write("deferred")
	defer func() {
		defer d.write("deferred after a call")
		ctx.Send(to, "late")
	}()
	ctx.Stop()
	ctx.Disk().Write("a", 1)
	ctx.Disk().Sync()
	ctx.Disk().Write("b", 2)
	ctx.Send(to, "before")
	ctx.MayCrash()
	d.write("went on")
	ctx.Send(to, "after")
}

// bookkeepers are the kinds of actors that run keepsBooks.
var bookkeepers = []struct {
	name  string
	spawn func(s *pulse.System, to pulse.Ref, d *diary)
}{
	{"handler", func(s *pulse.System, to pulse.Ref, d *diary) {
		s.Send(s.Spawn("books", pulse.Func(func(ctx *pulse.Ctx, _ any) { keepsBooks(ctx, to, d) })), blast{})
	}},
	{"start", func(s *pulse.System, to pulse.Ref, d *diary) {
		s.Spawn("books", &novice{d: &diary{}, started: func(ctx *pulse.Ctx) { keepsBooks(ctx, to, d) }})
	}},
	{"process", func(s *pulse.System, to pulse.Ref, d *diary) {
		s.Go("books", func(p *pulse.Process) { keepsBooks(p.Ctx, to, d) })
	}},
	{"process in ReceiveMatch", func(s *pulse.System, to pulse.Ref, d *diary) {
		r := s.Go("books", func(p *pulse.Process) {
			p.ReceiveMatch(func(msg any) bool { return msg == blast{} })
			keepsBooks(p.Ctx, to, d)
		})
		s.Send(r, purchase{1})
		s.Send(r, blast{})
	}},
	{"hosted coroutine", func(s *pulse.System, to pulse.Ref, d *diary) {
		s.Send(s.Spawn("books", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			s.Host().Coroutine(func(*pulse.Coroutine) { keepsBooks(ctx, to, d) }).Resume()
		})), blast{})
	}},
	{"handler that wraps panics", func(s *pulse.System, to pulse.Ref, d *diary) {
		s.Send(s.Spawn("books", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			defer func() {
				if v := recover(); v != nil {
					panic(fmt.Errorf("books: %v", v))
				}
			}()
			keepsBooks(ctx, to, d)
		})), blast{})
	}},
}

// TestMayCrash checks which messages, disk writes and log lines remain of a
// step in which the actor crashes. They must be the same for handlers,
// processes and hosted actors.
func TestMayCrash(t *testing.T) {
	var charts strings.Builder
	for _, form := range bookkeepers {
		for i, o := range []pulse.Options{crashing(1, false), crashing(1, true), crashing(1, true), crashing(1, true), crashing(0, false), {}} {
			o.Record = i != 2
			if i == 3 {
				o.Delivery = pulse.DeliveryUnordered
			}
			s, d := newSystem(t, o), &diary{}
			var got []string
			to := s.Spawn("desk", pulse.Func(func(_ *pulse.Ctx, msg any) { got = append(got, msg.(string)) }))
			form.spawn(s, to, d)
			mustRun(t, s)
			wantGot, wantDiary := "[before]", "[deferred after a call deferred]"
			if i >= 4 {
				wantGot, wantDiary = "[before after late]", "[went on deferred after a call deferred]"
			}
			if fmt.Sprint(got) != wantGot || fmt.Sprint(d.lines) != wantDiary {
				t.Errorf("%s, %+v: received %v, and ran %v", form.name, o, got, d.lines)
			}
			if i < 2 {
				fmt.Fprintf(&charts, "# %s\n%s%s\n\n", form.name, s.Trace().Chart(), s.Host().States()[2])
			}
		}
	}
	golden.File(t, "testdata/crash-charts.golden", charts.String())
}

// TestMayCrashIsAsked checks that a call of MayCrash asks the strategy exactly if the budget has a
// crash left.
func TestMayCrashIsAsked(t *testing.T) {
	thrice := func(ctx *pulse.Ctx, _ any) {
		for range 3 {
			ctx.MayCrash()
		}
	}
	for _, c := range []struct {
		name  string
		o     pulse.Options
		spec  pulse.Spec
		asked int
	}{
		{"no faults", pulse.Options{}, pulse.Spec{}, 0},
		{"other faults", pulse.Options{Faults: pulse.Faults{Drop: 1, Partition: 1}}, pulse.Spec{}, 0},
		{"a crash", pulse.Options{Faults: pulse.Faults{Crash: 1}}, pulse.Spec{}, 3},
		{"a safe actor", pulse.Options{Faults: pulse.Faults{Crash: 1}}, pulse.Spec{Safe: true}, 0},
		{"other actors", pulse.Options{Faults: pulse.Faults{Crash: 1, Actors: func(r pulse.Ref) bool { return r.String() != "books" }}}, pulse.Spec{}, 0},
		{"this actor", pulse.Options{Faults: pulse.Faults{Crash: 1, Actors: func(r pulse.Ref) bool { return r.String() == "books" }}}, pulse.Spec{}, 3},
		{"a swarm without it", pulse.Options{Faults: pulse.Faults{Crash: 1, Swarm: true}}, pulse.Spec{}, 0},
	} {
		asked := 0
		c.o.Strategy = &decider{choose: func(k choice.Kind, _ int) int {
			asked += boolToInt(k == choice.Crash)
			return 0
		}}
		s := newSystem(t, c.o)
		c.spec.Name, c.spec.Actor = "books", pulse.Func(thrice)
		r := s.SpawnSpec(c.spec)
		s.Send(r, 1)
		s.Settle()
		if asked > 0 {
			t.Errorf("%s: asked %d times in start-up", c.name, asked)
		}
		s.Send(r, 2)
		if mustRun(t, s); asked != c.asked {
			t.Errorf("%s: asked %d times, expected %d", c.name, asked, c.asked)
		}
	}
}

// TestCrashWithinAStep checks that a crash within a step is like other
// crashes: it uses the budget, ends timers, children and watches, notifies
// watchers, and allows a restart.
func TestCrashWithinAStep(t *testing.T) {
	s := newSystem(t, pulse.Options{Record: true, Faults: pulse.Faults{Crash: 2, RestartKept: 1},
		Strategy: &decider{choose: func(k choice.Kind, n int) int { return boolToInt(k == choice.Crash || k == choice.Fault && n == 4) }}})
	d := &diary{}
	state := 0
	books := s.Spawn("books", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		state++
		d.write("step of %d", state)
		ctx.After(1, blast{})
		ctx.Spawn("child", pulse.Func(idle))
		ctx.MayCrash()
		state = 100
	}))
	r := books
	s.Send(s.Spawn("watcher", watching(d, &r)), blast{})
	s.Settle()
	s.Send(books, 1)
	s.Send(books, 2)
	s.Run()
	var kinds []trace.StepKind
	for _, st := range s.Trace().Steps {
		kinds = append(kinds, st.Kind)
	}
	want := []trace.StepKind{trace.Receive, trace.Receive, trace.Crash, trace.Receive, trace.Restart}
	if f := s.Failure(); f != nil || fmt.Sprint(d.lines) != "[step of 1 books crashed]" || state != 1 || s.Alive(books) != slices.Contains(kinds, trace.Restart) {
		t.Errorf("%v: %v, state %d", f, d.lines, state)
	}
	if !slices.Equal(kinds[:4], want[:4]) {
		t.Errorf("the steps are %v, expected %v", kinds, want)
	}
}

// TestCrashesRepeat checks that a replay repeats crashes within steps and lost
// writes, and that a run with the same seed does so too.
func TestCrashesRepeat(t *testing.T) {
	build := func(s *pulse.System) {
		r := s.SpawnSpec(pulse.Spec{Name: "books", New: func() pulse.Actor { return &archive{} }})
		other := s.SpawnSpec(pulse.Spec{Name: "clerk", Process: func(p *pulse.Process) {
			for {
				p.Send(r, p.Receive())
				p.Disk().Write("sent", 1)
				p.MayCrash()
				p.Disk().Sync()
			}
		}})
		for i := range 6 {
			s.Send(r, i)
			s.Send(other, 10+i)
		}
	}
	o := pulse.Options{Record: true, Faults: pulse.Faults{Crash: 3, RestartLost: 3}}
	within, losses := 0, 0
	for seed := range uint64(200) {
		o.Strategy, o.Seed, o.Faults.UnorderedWrites = strategy.Random(), seed, seed%2 == 0
		s := newSystem(t, o)
		build(s)
		mustRun(t, s)
		for _, c := range s.Record().Choices {
			within += boolToInt(c.Kind == choice.Crash && c.Value > 0)
			losses += boolToInt(c.Kind == choice.Loss && c.Value > 0)
		}
		o.Strategy = strategy.Replay(s.Record().Clone(), strategy.ReplayOptions{Trace: s.Trace().Clone()})
		again := newSystem(t, o)
		build(again)
		mustRun(t, again)
		if s.Trace().Text() != again.Trace().Text() || s.Trace().Hash != again.Trace().Hash {
			t.Fatalf("seed %d: the replay differs:\n%s\n%s", seed, s.Trace().Text(), again.Trace().Text())
		}
	}
	if within < 50 || losses < 20 {
		t.Errorf("%d crashes within steps and %d losses are too few to show anything", within, losses)
	}
}

// An archive counts its messages in memory, and later writes the count to its
// disk.
type archive struct{ n int }

func (a *archive) Started(ctx *pulse.Ctx, _ pulse.Start) {
	if n, ok := ctx.Disk().Read("n"); ok {
		a.n = n.(int)
	}
}

func (a *archive) Receive(ctx *pulse.Ctx, _ any) {
	a.n++
	ctx.Disk().Write("n", a.n)
	ctx.MayCrash()
	ctx.Disk().Write("last", "x")
	ctx.MayCrash()
	if a.n%3 == 0 {
		ctx.Disk().Sync()
	}
}

// counting is an observer that counts steps.
type counting struct{ steps int }

func (c *counting) Stepped(*pulse.System, int) { c.steps++ }

// recovering calls f and recovers all its panics.
func recovering(f func()) {
	defer func() { _ = recover() }()
	f()
}

// TestMayCrashGoesWrong checks what happens if code recovers the panic of a
// crash, or replaces it.
func TestMayCrashGoesWrong(t *testing.T) {
	var kept *pulse.Ctx
	o := crashing(1, false)
	golden.File(t, "testdata/crash-wrong.golden", perform([]script{
		{name: "a handler recovers it", o: o, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			recovering(ctx.MayCrash)
		}), blast{})},
		{name: "a handler recovers it, and goes on to send", o: o, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			recovering(ctx.MayCrash)
			ctx.Send(ctx.Self(), "more")
		}), blast{})},
		{name: "a deferred function recovers what it calls", o: o, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			defer recovering(func() { ctx.Send(ctx.Self(), "more") })
			ctx.MayCrash()
		}), blast{})},
		{name: "a handler recovers all", o: o, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			recovering(ctx.MayCrash)
			recovering(func() { ctx.Send(ctx.Self(), "more") })
			recovering(ctx.Stop)
			recovering(ctx.MayCrash)
			recovering(func() { ctx.Disk().Sync() })
		}), blast{})},
		{name: "a process recovers all", o: o, do: process(func(p *pulse.Process) {
			for range 100 {
				recovering(p.MayCrash)
				recovering(func() { p.Receive() })
			}
		})},
		{name: "another panic takes its place", o: o, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			defer func() { panic("out of paper") }()
			ctx.MayCrash()
		}), blast{})},
		{name: "another panic that is supervised", o: o, do: func(s *pulse.System) *pulse.Failure {
			first := true
			r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Actor: pulse.Func(func(ctx *pulse.Ctx, _ any) {
				defer func() {
					if first {
						first = false
						panic("out of paper")
					}
				}()
				ctx.MayCrash()
			})})
			s.Send(r, 1)
			s.Send(r, 2)
			s.Run()
			if !s.Alive(r) || s.Steps() != 2 {
				return &pulse.Failure{Text: "it is not alive, or did not go on"}
			}
			return s.Failure()
		}},
		{name: "another panic of a process", o: o, do: process(func(p *pulse.Process) {
			defer func() { panic("out of paper") }()
			p.MayCrash()
		})},
		{name: "Goexit in a deferred function", o: o, do: func(s *pulse.System) *pulse.Failure {
			s.Send(s.Spawn("shop", pulse.Func(func(ctx *pulse.Ctx, _ any) {
				defer runtime.Goexit()
				ctx.MayCrash()
			})), blast{})
			done := make(chan struct{})
			go func() {
				defer close(done)
				s.Run()
			}()
			<-done
			return s.Failure()
		}},
		{name: "a call of the system in a deferred function", o: o, do: func(s *pulse.System) *pulse.Failure {
			till := s.Spawn("till", pulse.Func(func(*pulse.Ctx, any) { panic("the crashed one has sent something") }))
			return one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
				defer s.Send(till, 1)
				ctx.MayCrash()
			}), blast{})(s)
		}},
		{name: "in an observer", o: o, sees: sees(func(s *pulse.System) {
			if kept != nil {
				kept.MayCrash()
			}
		}), do: func(s *pulse.System) *pulse.Failure {
			kept = nil
			return one(pulse.Func(func(ctx *pulse.Ctx, _ any) { kept = ctx }), blast{})(s)
		}},
		{name: "in a function of Faults", o: pulse.Options{Strategy: &struckAt{crash: 1}, Faults: pulse.Faults{Crash: 1, Actors: func(pulse.Ref) bool {
			if kept != nil {
				kept.MayCrash()
			}
			return true
		}}}, do: func(s *pulse.System) *pulse.Failure {
			kept = nil
			return one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
				kept = ctx
				ctx.MayCrash()
			}), blast{})(s)
		}},
		{name: "in a predicate", o: o, do: process(func(p *pulse.Process) {
			p.ReceiveMatch(func(any) bool {
				p.MayCrash()
				return true
			})
		}, blast{})},
		{name: "after a failure", o: o, do: func(s *pulse.System) *pulse.Failure {
			return one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
				defer ctx.MayCrash()
				s.Fail(&pulse.Failure{Kind: pulse.KindProperty, Text: "nothing left"})
			}), blast{})(s)
		}},
	}))
}

// sees is an observer that is a function.
type sees func(*pulse.System)

func (f sees) Stepped(s *pulse.System, _ int) { f(s) }

// TestObserversSeeBothSteps: an observer sees the abandoned step, and the crash as the next step.
func TestObserversSeeBothSteps(t *testing.T) {
	s := newSystem(t, crashing(1, false))
	c := &counting{}
	s.Observe(c)
	s.Send(s.Spawn("books", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.MayCrash() })), 1)
	if mustRun(t, s); c.steps != 2 || s.Steps() != 2 {
		t.Errorf("told of %d steps of %d", c.steps, s.Steps())
	}
}
