package pulse_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A script is a system and the actions that make it fail.
type script struct {
	name string
	o    pulse.Options
	sees pulse.Observer // may be nil
	do   func(s *pulse.System) *pulse.Failure
}

// shown returns everything that a report says about a failure. thrown is set if
// the caller got the failure as a panic.
func shown(f *pulse.Failure, thrown bool) string {
	if f == nil {
		return "no failure\n"
	}
	how := ""
	if thrown {
		how = ", thrown at the caller"
	}
	return fmt.Sprintf("%s\n  kind %s, step %d%s\n  signature %s\n", f.Error(), f.Kind, f.Step, how, f.Signature())
}

// perform runs scripts one after the other, each also in an unrecorded system,
// and returns the failures.
func perform(scripts []script) string {
	var b strings.Builder
	for _, sc := range scripts {
		fmt.Fprintf(&b, "== %s\n", sc.name)
		sc.o.Record = true
		b.WriteString(shown(outcome(sc)))
		sc.o.Record = false
		if plain, _ := outcome(sc); plain != nil {
			fmt.Fprintf(&b, "  unrecorded: %s\n", plain.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// outcome returns the failure of a script. It also reports whether the caller
// panicked, as it does outside of a step.
func outcome(sc script) (f *pulse.Failure, thrown bool) {
	sc.o.Record = sc.o.Record || sc.sees != nil
	s := pulse.New(sc.o)
	defer s.Close()
	if sc.sees != nil {
		s.Observe(sc.sees)
	}
	defer func() {
		if v := recover(); v != nil {
			f, thrown = v.(*pulse.Failure), true
		}
	}()
	return sc.do(s), false
}

// one returns a script that spawns one actor, sends it messages and runs.
func one(a pulse.Actor, msgs ...any) func(*pulse.System) *pulse.Failure {
	return func(s *pulse.System) *pulse.Failure {
		r := s.Spawn("shop", a)
		for _, m := range msgs {
			s.Send(r, m)
		}
		s.Run()
		return s.Failure()
	}
}

// process returns a script that starts one process, sends it messages and runs.
func process(body func(*pulse.Process), msgs ...any) func(*pulse.System) *pulse.Failure {
	return func(s *pulse.System) *pulse.Failure {
		r := s.Go("clerk", body)
		for _, m := range msgs {
			s.Send(r, m)
		}
		s.Run()
		return s.Failure()
	}
}

// twice takes a step without alternatives, and then a step for which the
// strategy chooses between two messages. The strategy or an observer causes the
// failure, so the supervisor must not restart the actor.
func twice(s *pulse.System) *pulse.Failure {
	spec := pulse.Spec{Name: "shop", Actor: pulse.Func(refusing), OnPanic: pulse.OnPanicRestart}
	a, b := s.SpawnSpec(spec), s.SpawnSpec(spec)
	s.Send(a, 1)
	s.Run()
	s.Send(a, 2)
	s.Send(b, 3)
	s.Run()
	return s.Failure()
}

// choosing asks for a choice in a step. The strategy causes the failure, so the
// supervisor must not restart the actor.
func choosing(s *pulse.System) *pulse.Failure {
	choose := pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Choose(3) })
	s.Send(s.SpawnSpec(pulse.Spec{Name: "shop", Actor: choose, OnPanic: pulse.OnPanicRestart}), blast{})
	s.Run()
	return s.Failure()
}

// TestPanicNil: panic(nil) fails a run. The text of the failure depends on the
// Go version.
func TestPanicNil(t *testing.T) {
	f := one(pulse.Func(panicNil), blast{})(pulse.New(pulse.Options{}))
	if f == nil || !strings.HasSuffix(f.Text, "panic called with nil argument") {
		t.Errorf("%v", f)
	}
}

func TestPanics(t *testing.T) {
	golden.File(t, "testdata/failure-panic.golden", perform([]script{
		{name: "a string, in a plain actor", do: one(pulse.Func(refusing), purchase{1}, blast{})},
		{name: "a runtime error, in a method", do: one(&shop{}, purchase{2})},
		{name: "an error of several lines", do: one(&shop{}, grumble{})},
		{name: "a value of another type", do: one(&shop{}, breakage{3})},
		{name: "a pointer, of which the address is not shown", do: one(&shop{}, &breakage{3})},
		{name: "a panic because of a panic", do: one(&shop{}, blast{})},
		{name: "in a process", do: process(refusingProcess, purchase{1}, purchase{2}, blast{})},
		{name: "in the standard library", do: one(pulse.Func(inLibrary), blast{})},
		{name: "called by the standard library", do: one(pulse.Func(calledBack), blast{})},
		{name: "in a strategy", o: pulse.Options{Strategy: &answers{pick: noIdea}}, do: twice},
		{name: "in a strategy that a step asks", do: choosing,
			o: pulse.Options{Strategy: &answers{choose: noChoice}}},
		{name: "in an observer", sees: clumsy{}, do: twice},
		{name: "in the function of a process's ReceiveMatch", do: process(mistaken, purchase{1})},
	}))
}

// A holding is the strategy answers with Needs.Single, so that Pick may return
// Hold.
type holding struct{ answers }

func (*holding) Needs() pulse.Needs { return pulse.Needs{Single: true} }

// judging is a Judge that fails the run at its end.
type judging struct{ holding }

func (*judging) Err() error { return errors.New("step 3 wanted flush") }

func idle(*pulse.Ctx, any) {}

// stopping stops its actor at the first message.
func stopping(ctx *pulse.Ctx, _ any) { ctx.Stop() }

// circle spawns processes that ask each other in a circle.
func circle(s *pulse.System, names ...string) {
	refs := make([]pulse.Ref, len(names))
	for i, name := range names {
		refs[i] = s.Go(name, asking(&refs[(i+1)%len(names)]))
	}
}

func askStopped(s *pulse.System) *pulse.Failure {
	to := s.Spawn("till", pulse.Func(stopping))
	s.Send(to, blast{})
	s.Run()
	s.Go("clerk", asking(&to))
	s.Run()
	return s.Failure()
}

func askCircle(s *pulse.System) *pulse.Failure {
	circle(s, "ann", "bob", "cid")
	outside := s.Spawn("till", pulse.Func(idle))
	s.Go("clerk", asking(&outside))
	s.Run()
	return s.Failure()
}

// wanted sends a process messages that it does not accept, from several
// senders.
func wanted(s *pulse.System) *pulse.Failure {
	p := s.Go("clerk", picky)
	s.Send(p, purchase{1})
	s.RunFor(0)
	s.Send(p, purchase{2})
	s.Send(p, "any news?")
	other := s.Spawn("till", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(p, purchase{3}) }))
	s.Send(other, blast{})
	s.Run()
	return s.Failure()
}

// unstarted has a process whose start is delayed past the end of the run.
func unstarted(s *pulse.System) *pulse.Failure {
	parent := s.SpawnSpec(pulse.Spec{Name: "clerk", OnPanic: pulse.OnPanicRestart, Process: func(p *pulse.Process) {
		parent := p.Self()
		child := p.SpawnSpec(pulse.Spec{Name: "apprentice", OnPanic: pulse.OnPanicEscalate,
			Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
				ctx.Send(parent, "late")
				panic(msg)
			})})
		p.Receive()
		p.Send(child, blast{})
		p.Receive()
	}})
	s.Send(parent, purchase{1})
	s.Run()
	return s.Failure()
}

func TestStuck(t *testing.T) {
	slow := pulse.Options{Horizon: time.Minute, Faults: pulse.Faults{Delay: 1, DelayBy: []time.Duration{time.Hour}},
		Strategy: &answers{choose: func(k choice.Kind, n int) int {
			if k == choice.Delay {
				return n - 1
			}
			return 0
		}}}
	slow.Faults.Links = func(from, _ pulse.Ref) bool { return from.String() == "apprentice" }
	golden.File(t, "testdata/failure-stuck.golden", perform([]script{
		{name: "Ask of an actor that has stopped", do: askStopped},
		{name: "a circle of three, and one outside of it", do: askCircle},
		{name: "a process that asks itself", do: func(s *pulse.System) *pulse.Failure {
			circle(s, "ann")
			s.Run()
			return s.Failure()
		}},
		{name: "ReceiveMatch with other messages in the mailbox", do: wanted},
		{name: "ReceiveMatch with Unordered delivery", o: pulse.Options{Delivery: pulse.DeliveryUnordered}, do: wanted},
		{name: "before its start", o: slow, do: unstarted},
		{name: "Sleep beyond the horizon", o: pulse.Options{Horizon: time.Minute}, do: process(sleeping)},
		{name: "a closed environment with idle actors", o: pulse.Options{Environment: pulse.EnvironmentClosed},
			do: func(s *pulse.System) *pulse.Failure {
				s.Spawn("shop", pulse.Func(idle))
				gone := s.Spawn("till", pulse.Func(stopping))
				s.Send(gone, blast{})
				return process(taking, purchase{1})(s)
			}},
		{name: "a closed environment in which all have ended", o: pulse.Options{Environment: pulse.EnvironmentClosed},
			do: one(pulse.Func(stopping), blast{})},
		{name: "an open environment with idle actors", do: process(taking, purchase{1})},
		{name: "Sleep without a horizon", do: process(sleeping)},
	}))
}

// shut returns a script that sends messages to actors that have ended.
func shut(n int) func(*pulse.System) *pulse.Failure {
	return func(s *pulse.System) *pulse.Failure {
		r := s.Spawn("till", pulse.Func(stopping))
		s.Send(r, blast{})
		for i := range n {
			s.Send(r, purchase{i})
		}
		s.Run()
		return s.Failure()
	}
}

func TestOrphans(t *testing.T) {
	o := pulse.Options{Orphans: true}
	golden.File(t, "testdata/failure-orphans.golden", perform([]script{
		{name: "one", o: o, do: shut(1)},
		{name: "three", o: o, do: shut(3)},
		{name: "more than are kept", o: o, do: shut(66)},
		{name: "none", o: o, do: shut(0)},
		{name: "one that is no failure", do: shut(1)},
	}))
	for _, record := range []bool{true, false} {
		s := pulse.New(pulse.Options{Record: record})
		defer s.Close()
		if f := shut(2)(s); f != nil {
			t.Fatal(f)
		}
		want := []string{"    purchase(0) from test to till, which had ended", "    purchase(1) from test to till, which had ended"}
		if got := s.Warnings(); !slices.Equal(got, want) {
			t.Errorf("recorded %v: the warnings are %q, expected %q", record, got, want)
		}
	}
}

// rally lets two actors send a message back and forth forever, and a third
// actor send one now and then.
func rally(s *pulse.System) *pulse.Failure {
	var to [2]pulse.Ref
	for i := range to {
		to[i] = s.Spawn("player", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(to[1-i], msg) }))
	}
	s.Send(to[0], blast{})
	s.Run()
	return s.Failure()
}

// growing sends itself a larger number in each step, so that no two steps are alike.
func growing(ctx *pulse.Ctx, msg any) { ctx.Send(ctx.Self(), msg.(int)+1) }

// pouring is a handler that sends a million messages in one step.
func pouring(ctx *pulse.Ctx, msg any) {
	if msg != any("pour") {
		return
	}
	for i := range 1_000_000 {
		ctx.Send(ctx.Self(), purchase{i})
	}
}

// pouringAnyway recovers the panic of a failure and sends on.
func pouringAnyway(ctx *pulse.Ctx, msg any) {
	for i := range 200_000 {
		func() {
			defer func() { _ = recover() }()
			ctx.Send(ctx.Self(), purchase{i})
		}()
	}
}

// pouringAway is a handler that sends a million messages to an actor that has ended.
func pouringAway(s *pulse.System) *pulse.Failure {
	sink := s.Spawn("till", pulse.Func(stopping))
	s.Send(sink, blast{})
	s.Run()
	return one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
		for i := range 1_000_000 {
			ctx.Send(sink, purchase{i})
		}
	}), blast{})(s)
}

// winding sets and stops a million timers.
func winding(ctx *pulse.Ctx, _ any) {
	for range 1_000_000 {
		ctx.After(time.Second, blast{}).Stop()
	}
}

func TestBudgets(t *testing.T) {
	trial.Long(t)
	small := pulse.Options{Steps: 1000, Pending: 1000}
	golden.File(t, "testdata/failure-budget.golden", perform([]script{
		{name: "steps that repeat", o: small, do: rally},
		{name: "steps that do not repeat", o: small, do: one(pulse.Func(growing), 0)},
		{name: "by default", do: rally},
		{name: "a million messages in one step", do: one(pulse.Func(pouring), "pour")},
		{name: "200,000 messages from a step that recovers", do: one(pulse.Func(pouringAnyway), "pour")},
		{name: "a million messages to an actor that has ended", do: pouringAway},
		{name: "a million timers, each stopped at once", do: one(pulse.Func(winding), blast{})},
		{name: "a million actors", do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for {
				ctx.Spawn("clerk", pulse.Func(idle))
			}
		}), "hire")},
		{name: "choices without an end", o: small, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for ctx.Choose(2) < 2 {
			}
		}), "waver")},
		{name: "a log without an end", o: small, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for {
				ctx.Log("and another thing")
			}
		}), "complain")},
		{name: "writes without an end", o: small, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for {
				ctx.Disk().Write("more", 1)
				ctx.Disk().Sync()
			}
		}), "hoard")},
		{name: "faults without an end", o: small, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for {
				ctx.Nemesis().Heal()
			}
		}), "heal")},
		{name: "watches without an end", o: small, do: func(s *pulse.System) *pulse.Failure {
			till := s.Spawn("till", pulse.Func(idle))
			return one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
				for {
					ctx.Watch(till)
				}
			}), "guard")(s)
		}},
		{name: "from the test", o: small, do: func(s *pulse.System) *pulse.Failure {
			r := s.Spawn("shop", pulse.Func(idle))
			for i := range 1_000_000 {
				s.Send(r, purchase{i})
			}
			s.Run()
			return s.Failure()
		}},
		{name: "as many as are allowed", o: small, do: func(s *pulse.System) *pulse.Failure {
			r := s.Spawn("shop", pulse.Func(idle))
			for i := range 1000 {
				s.Send(r, purchase{i})
			}
			s.Run()
			return s.Failure()
		}},
		{name: "during start-up", o: small, do: func(s *pulse.System) *pulse.Failure {
			s.Send(s.Spawn("shop", pulse.Func(growing)), 0)
			s.Settle()
			return s.Failure()
		}},
	}))
}

// heap returns how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemoryIsBounded: a step needs less than 64 MB, whatever the step sends. By day each kind of
// message is sent in either a recorded or an unrecorded run.
func TestMemoryIsBounded(t *testing.T) {
	trial.Long(t)
	for i, handler := range []pulse.Func{pouring, pouringAnyway, winding} {
		for _, record := range []bool{false, true} {
			if record != (i != 1) && os.Getenv("JOSTLE_NIGHTLY") == "" {
				continue
			}
			s := pulse.New(pulse.Options{Record: record})
			before := heap()
			one(handler, "pour")(s)
			if grown := heap() - before; grown > 64<<20 {
				t.Errorf("recorded %v: the run takes %d bytes", record, grown)
			}
			s.Close()
		}
	}
}

func TestIsolationFailures(t *testing.T) {
	golden.File(t, "testdata/failure-isolation.golden", perform(isolationScripts)+perform(diskScripts))
}

func TestReportedFailures(t *testing.T) {
	found := func() *pulse.Failure {
		return &pulse.Failure{Kind: pulse.KindProperty, Text: "stored 0 of 3 results", Site: "TestStored", Step: -1}
	}
	golden.File(t, "testdata/failure-reported.golden", perform([]script{
		{name: "by the test, before the run", do: func(s *pulse.System) *pulse.Failure {
			s.Fail(found())
			s.Run()
			return s.Failure()
		}},
		{name: "in a step", do: func(s *pulse.System) *pulse.Failure {
			return one(pulse.Func(func(*pulse.Ctx, any) { s.Fail(found()) }), blast{})(s)
		}},
		{name: "in a process", do: func(s *pulse.System) *pulse.Failure {
			return process(func(*pulse.Process) { s.Fail(found()) })(s)
		}},
		{name: "in a step that recovers and goes on", o: pulse.Options{Steps: 1000}, do: func(s *pulse.System) *pulse.Failure {
			return one(pulse.Func(func(ctx *pulse.Ctx, msg any) {
				defer func() { _ = recover() }()
				ctx.Send(ctx.Self(), msg)
				s.Fail(found())
			}), blast{})(s)
		}},
		{name: "the first of two", do: func(s *pulse.System) *pulse.Failure {
			s.Fail(found())
			s.Fail(&pulse.Failure{Text: "another"})
			s.Run()
			return s.Failure()
		}},
		{name: "nil", do: func(s *pulse.System) *pulse.Failure {
			return one(failNil{s}, blast{})(s)
		}},
		{name: "by an observer", sees: inspector(2),
			do: one(pulse.Func(idle), purchase{1}, purchase{2}, purchase{3}, purchase{4})},
		{name: "by an observer of a step that panicked", sees: inspector(1),
			do: func(s *pulse.System) *pulse.Failure {
				r := s.SpawnSpec(pulse.Spec{Name: "shop", Actor: pulse.Func(refusing), OnPanic: pulse.OnPanicRestart})
				s.Send(r, purchase{1})
				s.Send(r, blast{})
				s.Run()
				return s.Failure()
			}},
		{name: "by a verdict", o: pulse.Options{Strategy: &judging{}}, do: one(pulse.Func(idle), blast{})},
	}))
}

// An inspector is an observer that fails one step.
type inspector int

func (i inspector) Stepped(s *pulse.System, step int) {
	if step == int(i) {
		s.Fail(&pulse.Failure{Kind: pulse.KindProperty, Text: fmt.Sprintf("step %d broke it", step), Site: "always", Step: step})
	}
}

func TestDecisionFailures(t *testing.T) {
	pick := func(v int) pulse.Strategy { return &answers{pick: func() int { return v }} }
	hold := func(v int) pulse.Strategy { return &holding{answers{pick: func() int { return v }}} }
	choose := func(v int) pulse.Strategy {
		return &answers{choose: func(choice.Kind, int) int { return v }}
	}
	three := func(s *pulse.System) *pulse.Failure {
		for _, name := range []string{"a", "b", "c"} {
			s.Send(s.Spawn(name, pulse.Func(idle)), blast{})
		}
		s.Run()
		return s.Failure()
	}
	faulty := pulse.Faults{Crash: 1}
	golden.File(t, "testdata/failure-decision.golden", perform([]script{
		{name: "picks 7 of 3", o: pulse.Options{Strategy: pick(7)}, do: three},
		{name: "picks -5 of 3", o: pulse.Options{Strategy: pick(-5)}, do: three},
		{name: "picks 3 of 3", o: pulse.Options{Strategy: pick(3)}, do: three},
		{name: "holds without the need to be asked for single messages", o: pulse.Options{Strategy: pick(pulse.Hold)}, do: three},
		{name: "holds the only message back", o: pulse.Options{Strategy: hold(pulse.Hold)}, do: one(pulse.Func(idle), blast{})},
		{name: "gives up", o: pulse.Options{Strategy: hold(pulse.Quit)}, do: one(pulse.Func(idle), blast{})},
		{name: "gives up and says why", o: pulse.Options{Strategy: &judging{holding{answers{pick: func() int { return pulse.Quit }}}}},
			do: one(pulse.Func(idle), blast{})},
		{name: "answers 3 of 3", o: pulse.Options{Strategy: choose(3)}, do: choosing},
		{name: "answers -1", o: pulse.Options{Strategy: choose(-1)}, do: choosing},
		{name: "answers 9 to a process", o: pulse.Options{Strategy: choose(9)},
			do: process(func(p *pulse.Process) { p.Choose(2) })},
		{name: "answers 9 to a question about faults", o: pulse.Options{Strategy: choose(9), Faults: faulty}, do: three},
		{name: "answers 3 to a step that recovers", o: pulse.Options{Strategy: choose(3), Steps: 1000},
			do: one(pulse.Func(func(ctx *pulse.Ctx, msg any) {
				defer func() { _ = recover() }()
				ctx.Send(ctx.Self(), msg)
				ctx.Choose(3)
			}), blast{})},
	}))
}

func TestSignatures(t *testing.T) {
	panics := func(site string, v any) *pulse.Failure {
		return &pulse.Failure{Kind: pulse.KindPanic, Site: site, Value: v, Text: "panic in a#3 ← b: …", Step: 3}
	}
	says := func(kind pulse.Kind, site, text string) *pulse.Failure {
		return &pulse.Failure{Kind: kind, Site: site, Text: text}
	}
	for _, c := range []struct {
		f    *pulse.Failure
		want string
	}{
		{panics("shop.sell", "cannot take 7"), "panic at shop.sell: cannot take #"},
		{panics("shop.sell", "cannot take 12"), "panic at shop.sell: cannot take #"},
		{panics("shop.buy", "cannot take 7"), "panic at shop.buy: cannot take #"},
		{panics("shop.sell", `no "glass" at 0xc000012f00`+"\nand more"), `panic at shop.sell: no "" at #`},
		{panics("shop.sell", errors.New("index out of range [5] with length 3")),
			"panic at shop.sell: index out of range […] with length #"},
		{panics("", "cannot"), "panic: cannot"},
		{says(pulse.KindProperty, "TestStored", "stored 0 of 3"), "property at TestStored: stored # of #"},
		{says(pulse.KindProperty, "TestStored", "lost 1 of 3"), "property at TestStored: lost # of #"},
		{says(pulse.KindProperty, "TestStored", "lost [1 2 3] of 3, 4"), "property at TestStored: lost […] of #"},
		{says(pulse.KindProperty, "TestStored", `lost ["a", "b"] 3 "c" 4`), `property at TestStored: lost […] #`},
		{says(pulse.KindStuck, "shop.sell", "stuck: 2 of 3 …"), "stuck at shop.sell"},
		{says(pulse.KindOrphans, "till", "3 messages …"), "orphans at till"},
		{says(pulse.KindBudget, "steps", "the run …"), "budget at steps"},
		{says(pulse.KindEventuality, "drained", "never"), "eventuality at drained"},
		{says(pulse.KindIsolation, "purchase", "…"), "isolation at purchase"},
		{says(pulse.KindNondeterminism, "", "step 3 …"), "nondeterminism"},
		{says(pulse.KindMisuse, "shop.sell", "…"), "misuse at shop.sell"},
		{says(pulse.KindStrategy, "*strategy.Random", "…"), "decision at *strategy.Random"},
		{says(pulse.Kind(200), "", "…"), "pulse.Kind(200)"},
	} {
		if got := c.f.Signature(); got != c.want {
			t.Errorf("the signature is %q, expected %q", got, c.want)
		}
	}
}

// TestSignaturesHoldAcrossOrders: the order of steps decides which actor
// panics first, and in which step. The signature is the same in all orders.
func TestSignaturesHoldAcrossOrders(t *testing.T) {
	signatures, texts := map[string]bool{}, map[string]bool{}
	s := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
	defer s.Close()
	for seed := range uint64(100) {
		s.Reset(seed)
		for range 5 {
			s.Send(s.Spawn("shop", pulse.Func(idle)), purchase{1})
			s.Send(s.Spawn("shop", pulse.Func(refusing)), blast{})
		}
		s.Run()
		f := s.Failure()
		signatures[f.Signature()], texts[f.Text] = true, true
	}
	if len(signatures) != 1 || len(texts) != 5 {
		t.Errorf("%d signatures and %d texts in 100 orders, expected 1 and 5", len(signatures), len(texts))
	}
}
