package pulse_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/pulse"
)

// A market is a system for tests of misuse. It stores the Refs, Ctxs and
// Processes of its actors, so that a test can use them at the wrong time.
type market struct {
	s          *pulse.System
	shop, till pulse.Ref // plain actors
	clerk, boy pulse.Ref // processes
	old        pulse.Ref // the reference is of an earlier run
	foreign    pulse.Ref // of another system
	test       pulse.Ref
	ctx        map[string]*pulse.Ctx
	process    map[string]*pulse.Process
	timer      pulse.Timer
	got        []string // the names of the actors that received a letter
}

// A nearly would be a Starter if its method had another parameter.
type nearly struct{ pulse.Func }

func (nearly) Started(*pulse.Ctx) {}

// A letter is a message for correct use.
type letter struct{}

func newMarket(o pulse.Options) *market {
	w := &market{ctx: map[string]*pulse.Ctx{}, process: map[string]*pulse.Process{}}
	other := pulse.New(o)
	w.foreign = other.Spawn("abroad", pulse.Func(idle))
	other.Close()
	w.s = pulse.New(o)
	w.old = w.s.Spawn("yesterday", pulse.Func(idle))
	w.s.Run()
	w.s.Reset(0)
	w.test = w.s.Host().Running()
	w.shop, w.till = w.plain("shop"), w.plain("till")
	w.clerk, w.boy = w.straight("clerk"), w.straight("boy")
	w.s.Go("passer-by", func(p *pulse.Process) { w.process["passer-by"] = p })
	w.s.Send(w.shop, pack{})
	w.s.Send(w.till, pack{})
	w.s.Run()
	if f := w.s.Failure(); f != nil {
		panic(f)
	}
	return w
}

// plain spawns an actor that runs the functions it is sent.
func (w *market) plain(name string) pulse.Ref {
	return w.s.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, msg any) {
		w.ctx[name] = ctx
		switch m := msg.(type) {
		case func(*pulse.Ctx):
			w.timer = ctx.After(0, pack{})
			m(ctx)
		case letter:
			w.got = append(w.got, name)
		}
	}))
}

// straight spawns a process that runs the functions it is sent.
func (w *market) straight(name string) pulse.Ref {
	return w.s.Go(name, func(p *pulse.Process) {
		w.process[name] = p
		for {
			switch m := p.Receive().(type) {
			case func(*pulse.Process):
				m(p)
			case letter:
				w.got = append(w.got, name)
			}
		}
	})
}

// said returns the text of a failure, marked if the caller got the failure as a panic.
func said(f *pulse.Failure, thrown bool) string {
	switch {
	case f == nil:
		return "no failure"
	case f.Kind != pulse.KindMisuse:
		return "not a misuse: " + f.Error()
	case thrown:
		return f.Text + " [thrown]"
	}
	return f.Text
}

// attempt calls f and returns the Failure with which f panics, or nil.
func attempt(f func()) (failure *pulse.Failure) {
	defer func() {
		if v := recover(); v != nil {
			failure = v.(*pulse.Failure)
		}
	}()
	f()
	return nil
}

// misuses are calls that are always wrong.
var misuses = []struct {
	name string
	call func(w *market)
}{
	{"Send to nobody", func(w *market) { w.s.Send(pulse.Ref{}, letter{}) }},
	{"Send to an earlier run", func(w *market) { w.s.Send(w.old, letter{}) }},
	{"Send to another system", func(w *market) { w.s.Send(w.foreign, letter{}) }},
	{"Kill nobody", func(w *market) { w.s.Kill(pulse.Ref{}) }},
	{"Kill of an earlier run", func(w *market) { w.s.Kill(w.old) }},
	{"Kill of another system", func(w *market) { w.s.Kill(w.foreign) }},
	{"Ask nobody", func(w *market) { w.s.Ask(pulse.Ref{}, letter{}) }},
	{"Ask one of an earlier run", func(w *market) { w.s.Ask(w.old, letter{}) }},
	{"Ask one of another system", func(w *market) { w.s.Ask(w.foreign, letter{}) }},
	{"typed Ask of nobody", func(w *market) { pulse.Ask[int](w.s, pulse.Ref{}, letter{}) }},
	{"Spec with less than no room", func(w *market) {
		w.s.SpawnSpec(pulse.Spec{Name: "ghost", Actor: pulse.Func(idle), Mailbox: -1})
	}},
	{"Spec with an unknown Overflow", func(w *market) {
		w.s.SpawnSpec(pulse.Spec{Name: "ghost", Actor: pulse.Func(idle), Mailbox: 1, OnFull: 9})
	}},
	{"Spec with an Overflow of nothing", func(w *market) {
		w.s.SpawnSpec(pulse.Spec{Name: "ghost", Actor: pulse.Func(idle), OnFull: pulse.OnFullFail})
	}},
	{"Alive of nobody", func(w *market) { w.s.Alive(pulse.Ref{}) }},
	{"Spawn nil", func(w *market) { w.s.Spawn("ghost", nil) }},
	{"Go nil", func(w *market) { w.s.Go("ghost", nil) }},
	{"Spawn of a type with another Started", func(w *market) { w.s.Spawn("late", nearly{}) }},
	{"Spec of nothing", func(w *market) { w.s.SpawnSpec(pulse.Spec{Name: "ghost"}) }},
	{"New that returns nil", func(w *market) {
		w.s.SpawnSpec(pulse.Spec{Name: "ghost", New: func() pulse.Actor { return nil }})
	}},
	{"RunFor back in time", func(w *market) { w.s.RunFor(-1) }},
	{"Fail without a failure", func(w *market) { w.s.Fail(nil) }},
	{"Host.Spawn by nobody", func(w *market) { w.s.Host().Spawn(pulse.Ref{}, pulse.Spec{}) }},
	{"Host.Spawn of nothing", func(w *market) { w.s.Host().Spawn(w.shop, pulse.Spec{Name: "ghost"}) }},
	{"Host.Enqueue from nobody", func(w *market) { w.s.Host().Enqueue(pulse.Ref{}, w.shop, letter{}) }},
	{"Host.Enqueue to nobody", func(w *market) { w.s.Host().Enqueue(w.shop, pulse.Ref{}, letter{}) }},
	{"Host.After back in time", func(w *market) { w.s.Host().After(w.shop, -1, letter{}) }},
	{"Host.After of nobody", func(w *market) { w.s.Host().After(pulse.Ref{}, 1, letter{}) }},
	{"Host.Accept of nobody", func(w *market) { w.s.Host().Accept(pulse.Ref{}, nil) }},
	{"Host.Accept of a process that has not started", func(w *market) { w.s.Host().Accept(w.s.Go("late", taking), nil) }},
	{"Host.Accept of an actor that has not started", func(w *market) {
		w.s.Host().Accept(w.s.Spawn("late", &novice{d: &diary{}}), nil)
	}},
	{"Host.Waits of nobody", func(w *market) { w.s.Host().Waits(pulse.Ref{}, "") }},
	{"Host.End of nobody", func(w *market) { w.s.Host().End(pulse.Ref{}, "") }},
	{"Nemesis: Crash nobody", func(w *market) { w.s.Nemesis().Crash(pulse.Ref{}) }},
	{"Nemesis: Crash of an earlier run", func(w *market) { w.s.Nemesis().Crash(w.old) }},
	{"Nemesis: Crash the test", func(w *market) { w.s.Nemesis().Crash(w.test) }},
	{"Nemesis: RestartKept nobody", func(w *market) { w.s.Nemesis().RestartKept(pulse.Ref{}) }},
	{"Nemesis: RestartKept a process", func(w *market) { w.s.Nemesis().RestartKept(w.boy) }},
	{"Nemesis: RestartLost of another system", func(w *market) { w.s.Nemesis().RestartLost(w.foreign) }},
	{"Nemesis: RestartLost without New", func(w *market) { w.s.Nemesis().RestartLost(w.shop) }},
	{"Nemesis: Partition of nobody", func(w *market) { w.s.Nemesis().Partition() }},
	{"Nemesis: Partition of one group", func(w *market) { w.s.Nemesis().Partition([]pulse.Ref{w.shop, w.till}) }},
	{"Nemesis: Partition of an empty group", func(w *market) { w.s.Nemesis().Partition([]pulse.Ref{w.shop}, nil) }},
	{"Nemesis: Partition of a group with nobody", func(w *market) { w.s.Nemesis().Partition([]pulse.Ref{w.shop}, []pulse.Ref{{}}) }},
	{"Nemesis: Partition of an actor from itself", func(w *market) {
		w.s.Nemesis().Partition([]pulse.Ref{w.shop, w.till}, []pulse.Ref{w.till})
	}},
	{"Nemesis: Cut from nobody", func(w *market) { w.s.Nemesis().Cut(pulse.Ref{}, w.shop) }},
	{"Nemesis: Cut to itself", func(w *market) { w.s.Nemesis().Cut(w.shop, w.shop) }},
	{"Nemesis: Lose to an earlier run", func(w *market) { w.s.Nemesis().Lose(w.shop, w.old, 1) }},
	{"Nemesis: Lose fewer than none", func(w *market) { w.s.Nemesis().Lose(w.shop, w.till, -1) }},
	{"Nemesis: Delay to nobody", func(w *market) { w.s.Nemesis().Delay(w.shop, pulse.Ref{}, 1) }},
	{"Nemesis: Delay back in time", func(w *market) { w.s.Nemesis().Delay(w.shop, w.till, -1) }},
	{"zero Nemesis: Heal", func(*market) { pulse.Nemesis{}.Heal() }},
	{"zero Ctx: Nemesis", func(*market) { new(pulse.Ctx).Nemesis() }},
	{"zero Ctx: Self", func(*market) { new(pulse.Ctx).Self() }},
	{"zero Ctx: Now", func(*market) { new(pulse.Ctx).Now() }},
	{"zero Ctx: Sender", func(*market) { new(pulse.Ctx).Sender() }},
	{"zero Ctx: Reply", func(*market) { new(pulse.Ctx).Reply(letter{}) }},
	{"zero Ctx: Spawn", func(*market) { new(pulse.Ctx).Spawn("x", pulse.Func(idle)) }},
	{"zero Ctx: Unwatch", func(*market) { new(pulse.Ctx).Unwatch(pulse.Ref{}) }},
	{"zero Ctx: SendAfter", func(*market) { new(pulse.Ctx).SendAfter(pulse.Ref{}, 1, letter{}) }},
	{"zero Ctx: After", func(*market) { new(pulse.Ctx).After(1, letter{}) }},
	{"zero Ctx: MayCrash", func(*market) { new(pulse.Ctx).MayCrash() }},
	{"zero Ctx: Disk", func(*market) { new(pulse.Ctx).Disk().Sync() }},
	{"zero Disk: Write", func(*market) { pulse.Disk{}.Write("x", 1) }},
	{"zero Disk: Read", func(*market) { pulse.Disk{}.Read("x") }},
	{"zero Disk: Sync", func(*market) { pulse.Disk{}.Sync() }},
	{"zero Process: Disk", func(*market) { new(pulse.Process).Disk().Sync() }},
	{"zero Process: Started", func(*market) { new(pulse.Process).Started() }},
	{"zero Process: Receive", func(*market) { new(pulse.Process).Receive() }},
	{"Process whose code has returned: Receive", func(w *market) { w.process["passer-by"].Receive() }},
	{"Process whose code has returned: Ask", func(w *market) { w.process["passer-by"].Ask(w.shop, letter{}) }},
	{"Process whose code has returned: Sleep", func(w *market) { w.process["passer-by"].Sleep(1) }},
}

// ctxCalls are all calls of a Ctx that need its step.
var ctxCalls = []struct {
	name string
	call func(w *market, ctx *pulse.Ctx)
}{
	{"Sender", func(_ *market, ctx *pulse.Ctx) { ctx.Sender() }},
	{"Send", func(w *market, ctx *pulse.Ctx) { ctx.Send(w.shop, letter{}) }},
	{"Reply", func(_ *market, ctx *pulse.Ctx) { ctx.Reply(letter{}) }},
	{"Spawn", func(_ *market, ctx *pulse.Ctx) { ctx.Spawn("x", pulse.Func(idle)) }},
	{"SpawnSpec", func(_ *market, ctx *pulse.Ctx) { ctx.SpawnSpec(pulse.Spec{Actor: pulse.Func(idle)}) }},
	{"Go", func(_ *market, ctx *pulse.Ctx) { ctx.Go("x", taking) }},
	{"Stop", func(_ *market, ctx *pulse.Ctx) { ctx.Stop() }},
	{"Kill", func(w *market, ctx *pulse.Ctx) { ctx.Kill(w.shop) }},
	{"Become", func(_ *market, ctx *pulse.Ctx) { ctx.Become(pulse.Func(idle)) }},
	{"Watch", func(w *market, ctx *pulse.Ctx) { ctx.Watch(w.shop) }},
	{"Unwatch", func(w *market, ctx *pulse.Ctx) { ctx.Unwatch(w.shop) }},
	{"After", func(_ *market, ctx *pulse.Ctx) { ctx.After(1, letter{}) }},
	{"SendAfter", func(w *market, ctx *pulse.Ctx) { ctx.SendAfter(w.shop, 1, letter{}) }},
	{"Every", func(_ *market, ctx *pulse.Ctx) { ctx.Every(1, letter{}) }},
	{"Choose", func(_ *market, ctx *pulse.Ctx) { ctx.Choose(2) }},
	{"Log", func(_ *market, ctx *pulse.Ctx) { ctx.Log("x") }},
	{"MayCrash", func(_ *market, ctx *pulse.Ctx) { ctx.MayCrash() }},
	{"Disk.Write", func(_ *market, ctx *pulse.Ctx) { ctx.Disk().Write("x", 1) }},
	{"Disk.Read", func(_ *market, ctx *pulse.Ctx) { ctx.Disk().Read("x") }},
	{"Disk.Sync", func(_ *market, ctx *pulse.Ctx) { ctx.Disk().Sync() }},
	{"Nemesis", func(w *market, ctx *pulse.Ctx) { ctx.Nemesis().Crash(w.boy) }},
}

// processCalls are all calls of a Process that wait.
var processCalls = []struct {
	name string
	call func(w *market, p *pulse.Process)
}{
	{"Receive", func(_ *market, p *pulse.Process) { p.Receive() }},
	{"ReceiveMatch", func(_ *market, p *pulse.Process) { p.ReceiveMatch(func(any) bool { return true }) }},
	{"ReceiveTimeout", func(_ *market, p *pulse.Process) { p.ReceiveTimeout(1) }},
	{"Ask", func(w *market, p *pulse.Process) { p.Ask(w.shop, letter{}) }},
	{"AskTimeout", func(w *market, p *pulse.Process) { p.AskTimeout(w.shop, letter{}, 1) }},
	{"Sleep", func(_ *market, p *pulse.Process) { p.Sleep(1) }},
	{"Started", func(_ *market, p *pulse.Process) { p.Started() }},
}

// inSteps are calls that are wrong in a step of a plain actor.
var inSteps = []struct {
	name string
	call func(w *market, ctx *pulse.Ctx)
}{
	{"Send to nobody", func(_ *market, ctx *pulse.Ctx) { ctx.Send(pulse.Ref{}, letter{}) }},
	{"Send to an earlier run", func(w *market, ctx *pulse.Ctx) { ctx.Send(w.old, letter{}) }},
	{"Send to another system", func(w *market, ctx *pulse.Ctx) { ctx.Send(w.foreign, letter{}) }},
	{"Watch nobody", func(_ *market, ctx *pulse.Ctx) { ctx.Watch(pulse.Ref{}) }},
	{"Watch an earlier run", func(w *market, ctx *pulse.Ctx) { ctx.Watch(w.old) }},
	{"Unwatch nobody", func(_ *market, ctx *pulse.Ctx) { ctx.Unwatch(pulse.Ref{}) }},
	{"Unwatch an earlier run", func(w *market, ctx *pulse.Ctx) { ctx.Unwatch(w.old) }},
	{"SendAfter to nobody", func(_ *market, ctx *pulse.Ctx) { ctx.SendAfter(pulse.Ref{}, 1, letter{}) }},
	{"SendAfter to another system", func(w *market, ctx *pulse.Ctx) { ctx.SendAfter(w.foreign, 1, letter{}) }},
	{"SendAfter(-1)", func(w *market, ctx *pulse.Ctx) { ctx.SendAfter(w.till, -1, letter{}) }},
	{"Ask of the system in a step", func(w *market, _ *pulse.Ctx) { w.s.Ask(w.till, letter{}) }},
	{"typed Ask of the system in a step", func(w *market, _ *pulse.Ctx) { pulse.Ask[int](w.s, w.till, letter{}) }},
	{"Kill nobody", func(_ *market, ctx *pulse.Ctx) { ctx.Kill(pulse.Ref{}) }},
	{"Spawn nil", func(_ *market, ctx *pulse.Ctx) { ctx.Spawn("ghost", nil) }},
	{"Go nil", func(_ *market, ctx *pulse.Ctx) { ctx.Go("ghost", nil) }},
	{"Become nil", func(_ *market, ctx *pulse.Ctx) { ctx.Become(nil) }},
	{"Choose(0)", func(_ *market, ctx *pulse.Ctx) { ctx.Choose(0) }},
	{"Choose(-1)", func(_ *market, ctx *pulse.Ctx) { ctx.Choose(-1) }},
	{"After(-1)", func(_ *market, ctx *pulse.Ctx) { ctx.After(-1, letter{}) }},
	{"Every(0)", func(_ *market, ctx *pulse.Ctx) { ctx.Every(0, letter{}) }},
	{"Every(-1s)", func(_ *market, ctx *pulse.Ctx) { ctx.Every(-time.Second, letter{}) }},
	{"Nemesis: Crash of its own actor", func(w *market, ctx *pulse.Ctx) { ctx.Nemesis().Crash(w.shop) }},
	{"Run in a step", func(w *market, _ *pulse.Ctx) { w.s.Run() }},
	{"RunFor in a step", func(w *market, _ *pulse.Ctx) { w.s.RunFor(1) }},
	{"Settle in a step", func(w *market, _ *pulse.Ctx) { w.s.Settle() }},
	{"Reset in a step", func(w *market, _ *pulse.Ctx) { w.s.Reset(1) }},
	{"Configure in a step", func(w *market, _ *pulse.Ctx) { w.s.Configure(pulse.Options{}) }},
	{"Close in a step", func(w *market, _ *pulse.Ctx) { w.s.Close() }},
}

// inProcesses are calls that are wrong in a process.
var inProcesses = []struct {
	name string
	call func(w *market, p *pulse.Process)
}{
	{"Ask nobody", func(_ *market, p *pulse.Process) { p.Ask(pulse.Ref{}, letter{}) }},
	{"AskTimeout of an earlier run", func(w *market, p *pulse.Process) { p.AskTimeout(w.old, letter{}, 1) }},
	{"ReceiveMatch(nil)", func(_ *market, p *pulse.Process) { p.ReceiveMatch(nil) }},
	{"ReceiveTimeout(-1)", func(_ *market, p *pulse.Process) { p.ReceiveTimeout(-1) }},
	{"AskTimeout(-1)", func(w *market, p *pulse.Process) { p.AskTimeout(w.shop, letter{}, -1) }},
	{"Sleep(-1)", func(_ *market, p *pulse.Process) { p.Sleep(-1) }},
	{"Nemesis: Crash of its own actor", func(w *market, p *pulse.Process) { p.Nemesis().Crash(w.clerk) }},
	{"Become", func(_ *market, p *pulse.Process) { p.Become(pulse.Func(idle)) }},
	{"Choose(0)", func(_ *market, p *pulse.Process) { p.Choose(0) }},
	{"another's Process", func(w *market, _ *pulse.Process) { w.process["boy"].Receive() }},
	{"another's Ctx", func(w *market, _ *pulse.Process) { w.ctx["shop"].Send(w.shop, letter{}) }},
	{"Run", func(w *market, _ *pulse.Process) { w.s.Run() }},
	{"Ask of the system", func(w *market, _ *pulse.Process) { w.s.Ask(w.shop, letter{}) }},
}

// outside makes a wrong call outside of a run. The call panics with the
// failure, and has no other effect on the system.
func outside(t *testing.T, name string, call func(w *market)) string {
	w := newMarket(pulse.Options{Record: true})
	defer w.s.Close()
	w.s.Send(w.till, letter{})
	w.s.Send(w.clerk, letter{})
	f := attempt(func() { call(w) })
	w.s.Run()
	if after := w.s.Failure(); after != nil || fmt.Sprint(w.got) != "[till clerk]" {
		t.Errorf("%s: afterwards %v received, and the run ended with %v", name, w.got, after)
	}
	return said(f, true)
}

// inside makes a wrong call in a step. The run fails, even if the step
// recovers the panic. The next run of the system works.
func inside(t *testing.T, name string, to func(*market) pulse.Ref, wrap func(w *market, recovering bool) any) string {
	var texts [2]string
	for i, recovering := range []bool{false, true} {
		w := newMarket(pulse.Options{Record: true})
		w.s.Send(to(w), wrap(w, recovering))
		w.s.Run()
		texts[i] = said(w.s.Failure(), false)
		w.s.Run()
		if again := w.s.Failure(); said(again, false) != texts[i] {
			t.Errorf("%s: the next Run says %v", name, again)
		}
		w.s.Reset(1)
		if f := one(pulse.Func(stopping), letter{})(w.s); f != nil || w.s.Steps() != 1 {
			t.Errorf("%s: after Reset, %d steps and %v", name, w.s.Steps(), f)
		}
		w.s.Close()
	}
	if texts[0] != texts[1] {
		t.Errorf("%s: when the step recovers it is said %s, and else %s", name, texts[1], texts[0])
	}
	return texts[0]
}

func inShop(t *testing.T, name string, call func(w *market, ctx *pulse.Ctx)) string {
	return inside(t, name, func(w *market) pulse.Ref { return w.shop }, func(w *market, recovering bool) any {
		return func(ctx *pulse.Ctx) {
			if recovering {
				defer func() { _ = recover() }()
			}
			call(w, ctx)
		}
	})
}

func inClerk(t *testing.T, name string, call func(w *market, p *pulse.Process)) string {
	return inside(t, name, func(w *market) pulse.Ref { return w.clerk }, func(w *market, recovering bool) any {
		return func(p *pulse.Process) {
			if recovering {
				defer func() { _ = recover() }()
			}
			call(w, p)
		}
	})
}

func TestMisuseOutsideOfARun(t *testing.T) {
	var b strings.Builder
	for _, m := range misuses {
		fmt.Fprintf(&b, "%s: %s\n", m.name, outside(t, m.name, m.call))
	}
	for _, c := range ctxCalls {
		text := outside(t, c.name, func(w *market) { c.call(w, w.ctx["shop"]) })
		fmt.Fprintf(&b, "a Ctx that was kept: %s: %s\n", c.name, text)
	}
	for _, c := range processCalls {
		text := outside(t, c.name, func(w *market) { c.call(w, w.process["clerk"]) })
		fmt.Fprintf(&b, "a Process that was kept: %s: %s\n", c.name, text)
	}
	golden.File(t, "testdata/misuse-outside.golden", b.String())
}

func TestMisuseInAStep(t *testing.T) {
	var b strings.Builder
	for _, m := range misuses {
		if m.name == "RunFor back in time" || strings.HasPrefix(m.name, "zero ") {
			continue // every RunFor is wrong in a step, and a zero value has no system whose run could fail
		}
		text := inShop(t, m.name, func(w *market, _ *pulse.Ctx) { m.call(w) })
		fmt.Fprintf(&b, "%s: %s\n", m.name, text)
	}
	for _, c := range inSteps {
		fmt.Fprintf(&b, "%s: %s\n", c.name, inShop(t, c.name, c.call))
	}
	for _, c := range ctxCalls {
		text := inShop(t, c.name, func(w *market, _ *pulse.Ctx) { c.call(w, w.ctx["till"]) })
		fmt.Fprintf(&b, "the Ctx of another: %s: %s\n", c.name, text)
	}
	for _, c := range processCalls {
		text := inShop(t, c.name, func(w *market, _ *pulse.Ctx) { c.call(w, w.process["clerk"]) })
		fmt.Fprintf(&b, "the Process of another: %s: %s\n", c.name, text)
	}
	for _, c := range inProcesses {
		fmt.Fprintf(&b, "in a process: %s: %s\n", c.name, inClerk(t, c.name, c.call))
	}
	golden.File(t, "testdata/misuse-step.golden", b.String())
}

// Choose fails with more than 2,147,483,647 alternatives.
//
// Skips: with a 32-bit int no such call is wrong.
func TestChooseTooMany(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("every int is a number of answers here")
	}
	const want = "Choose(9223372036854775807): the number of choices must be at most 2147483647 (in shop#2 ← func(*Ctx))"
	if got := inShop(t, "too many", func(_ *market, ctx *pulse.Ctx) { ctx.Choose(math.MaxInt) }); got != want {
		t.Errorf("Choose of too many says\n%s\nwant\n%s", got, want)
	}
}

// systemCalls are all methods of a System with an effect.
var systemCalls = []struct {
	name string
	call func(w *market)
}{
	{"Spawn", func(w *market) { w.s.Spawn("x", pulse.Func(idle)) }},
	{"SpawnSpec", func(w *market) { w.s.SpawnSpec(pulse.Spec{Actor: pulse.Func(idle)}) }},
	{"Go", func(w *market) { w.s.Go("x", taking) }},
	{"Send", func(w *market) { w.s.Send(w.shop, letter{}) }},
	{"Kill", func(w *market) { w.s.Kill(w.shop) }},
	{"Alive", func(w *market) { w.s.Alive(w.shop) }},
	{"Run", func(w *market) { w.s.Run() }},
	{"RunFor", func(w *market) { w.s.RunFor(1) }},
	{"Ask", func(w *market) { w.s.Ask(w.shop, letter{}) }},
	{"Settle", func(w *market) { w.s.Settle() }},
	{"Reset", func(w *market) { w.s.Reset(1) }},
	{"Configure", func(w *market) { w.s.Configure(pulse.Options{}) }},
	{"Observe", func(w *market) { w.s.Observe(clumsy{}) }},
	{"Fail", func(w *market) { w.s.Fail(&pulse.Failure{Text: "no"}) }},
	{"Timer.Stop", func(w *market) { w.timer.Stop() }},
	{"Nemesis.Crash", func(w *market) { w.s.Nemesis().Crash(w.till) }},
	{"Nemesis.RestartKept", func(w *market) { w.s.Nemesis().RestartKept(w.till) }},
	{"Nemesis.RestartLost", func(w *market) { w.s.Nemesis().RestartLost(w.clerk) }},
	{"Nemesis.Partition", func(w *market) { w.s.Nemesis().Partition([]pulse.Ref{w.shop}, []pulse.Ref{w.till}) }},
	{"Nemesis.Cut", func(w *market) { w.s.Nemesis().Cut(w.shop, w.till) }},
	{"Nemesis.Heal", func(w *market) { w.s.Nemesis().Heal() }},
	{"Nemesis.Lose", func(w *market) { w.s.Nemesis().Lose(w.shop, w.till, 1) }},
	{"Nemesis.Delay", func(w *market) { w.s.Nemesis().Delay(w.shop, w.till, 1) }},
	{"Host.Spawn", func(w *market) { w.s.Host().Spawn(w.shop, pulse.Spec{Actor: pulse.Func(idle)}) }},
	{"Host.Enqueue", func(w *market) { w.s.Host().Enqueue(w.shop, w.shop, letter{}) }},
	{"Host.After", func(w *market) { w.s.Host().After(w.shop, 1, letter{}) }},
	{"Host.HandlersChanged", func(w *market) { w.s.Host().HandlersChanged() }},
	{"Host.Accept", func(w *market) { w.s.Host().Accept(w.shop, nil) }},
	{"Host.Waits", func(w *market) { w.s.Host().Waits(w.shop, "") }},
	{"Host.End", func(w *market) { w.s.Host().End(w.shop, "") }},
	{"Host.Coroutine", func(w *market) { w.s.Host().Coroutine(func(*pulse.Coroutine) {}) }},
}

func TestUseAfterClose(t *testing.T) {
	var b strings.Builder
	w := newMarket(pulse.Options{Record: true})
	w.s.Send(w.shop, func(*pulse.Ctx) {})
	w.s.Run()
	steps := w.s.Steps()
	w.s.Close()
	w.s.Close() // twice is once
	say := func(name string, call func()) { fmt.Fprintf(&b, "%s: %s\n", name, said(attempt(call), true)) }
	for _, c := range systemCalls {
		say(c.name, func() { c.call(w) })
	}
	for _, c := range ctxCalls {
		say("Ctx: "+c.name, func() { c.call(w, w.ctx["shop"]) })
	}
	for _, c := range processCalls {
		say("Process: "+c.name, func() { c.call(w, w.process["clerk"]) })
	}
	golden.File(t, "testdata/misuse-closed.golden", b.String())
	if w.s.Steps() != steps || len(w.s.Trace().Steps) != steps || w.s.Failure() != nil || len(w.s.Received()) != 0 {
		t.Errorf("a closed system does not tell its trace any more")
	}
}

// elsewhere calls f on another goroutine, waits for its end, and returns the
// Failure with which f panics, or nil.
func elsewhere(f func()) *pulse.Failure {
	done := make(chan *pulse.Failure)
	go func() { done <- attempt(f) }()
	return <-done
}

// TestUseFromAnotherGoroutine: calls from another goroutine during a step are detected
// and have no effect. The calling goroutine does not panic, and the run fails.
func TestUseFromAnotherGoroutine(t *testing.T) {
	var b strings.Builder
	try := func(name string, call func(w *market, ctx *pulse.Ctx)) {
		w := newMarket(pulse.Options{Record: true})
		defer w.s.Close()
		actors := 0
		w.s.Send(w.shop, func(ctx *pulse.Ctx) {
			actors = len(w.s.Trace().Actors)
			if f := elsewhere(func() { call(w, ctx) }); f != nil {
				t.Errorf("%s: the other goroutine panics with %v", name, f)
			}
			ctx.Send(w.till, letter{})
		})
		w.s.Run()
		fmt.Fprintf(&b, "%s: %s\n", name, said(w.s.Failure(), false))
		if fmt.Sprint(w.got) != "[till]" || len(w.s.Trace().Actors) != actors {
			t.Errorf("%s: %v received, and there are %d actors, before %d", name, w.got, len(w.s.Trace().Actors), actors)
		}
	}
	for _, c := range systemCalls {
		try(c.name, func(w *market, _ *pulse.Ctx) { c.call(w) })
	}
	for _, c := range ctxCalls {
		try("Ctx: "+c.name, c.call)
		try("Ctx of another: "+c.name, func(w *market, _ *pulse.Ctx) { c.call(w, w.ctx["till"]) })
	}
	for _, c := range processCalls {
		try("Process: "+c.name, func(w *market, _ *pulse.Ctx) { c.call(w, w.process["clerk"]) })
	}
	golden.File(t, "testdata/misuse-goroutine.golden", b.String())
}

// TestUseOfAProcessFromAnotherGoroutine: in a process's step, calls of the Process from another goroutine are detected.
func TestUseOfAProcessFromAnotherGoroutine(t *testing.T) {
	for _, c := range processCalls {
		w := newMarket(pulse.Options{Record: true})
		w.s.Send(w.clerk, func(p *pulse.Process) {
			if f := elsewhere(func() { c.call(w, p) }); f != nil {
				t.Errorf("%s: the other goroutine panics with %v", c.name, f)
			}
		})
		w.s.Send(w.clerk, letter{})
		w.s.Run()
		text := said(w.s.Failure(), false)
		if !strings.Contains(text, " on a Process from another goroutine: ") || len(w.got) != 1 {
			t.Errorf("%s: %s, and %d letters received, expected 1", c.name, text, len(w.got))
		}
		w.s.Close()
	}
}

// others calls f on many live goroutines, one after the other.
func others(n int, f func()) {
	turn := make([]chan struct{}, n+1)
	for i := range turn {
		turn[i] = make(chan struct{})
	}
	end := make(chan struct{})
	for i := range n {
		go func() {
			<-turn[i]
			f()
			close(turn[i+1])
			<-end
		}()
	}
	close(turn[0])
	<-turn[n]
	close(end)
}

// TestUseFromAnotherGoroutineAfterGrowth: after a deep call has moved the
// step's stack, calls from other stacks are still detected.
func TestUseFromAnotherGoroutineAfterGrowth(t *testing.T) {
	var deep func(ctx *pulse.Ctx, to pulse.Ref, n int) byte
	deep = func(ctx *pulse.Ctx, to pulse.Ref, n int) byte {
		var frame [512]byte
		if n == 0 {
			ctx.Send(to, letter{})
			return frame[0]
		}
		return frame[n%512] + deep(ctx, to, n-1)
	}
	for depth := 1; depth < 1000; depth *= 2 {
		done := make(chan struct{})
		go func() { // a new goroutine has a stack of its own, which is small at first
			defer close(done)
			w := newMarket(pulse.Options{})
			defer w.s.Close()
			w.s.Send(w.shop, func(ctx *pulse.Ctx) {
				deep(ctx, w.till, depth)
				others(200, func() { ctx.Send(w.till, letter{}) })
			})
			w.s.Run()
			f := w.s.Failure()
			if len(w.got) != 1 || f == nil || f.Kind != pulse.KindMisuse {
				t.Errorf("%d calls deep: %d letters received, expected 1, and %v", depth, len(w.got), f)
			}
		}()
		<-done
	}
}

// TestUseFromAnotherGoroutineBetweenRuns is allowed.
func TestUseFromAnotherGoroutineBetweenRuns(t *testing.T) {
	w := newMarket(pulse.Options{})
	f := elsewhere(func() {
		w.s.Send(w.shop, letter{})
		w.s.Run()
		if f := w.s.Failure(); f != nil {
			panic(f)
		}
	})
	if f != nil {
		t.Fatal(f)
	}
	w.s.Send(w.clerk, letter{})
	w.s.Run()
	if f := w.s.Failure(); f != nil || fmt.Sprint(w.got) != "[shop clerk]" {
		t.Errorf("%v received, and %v", w.got, f)
	}
	if f := elsewhere(w.s.Close); f != nil {
		t.Fatal(f)
	}
}

// TestIntrusionIsToldFirst: if another goroutine calls the system, the report
// names that call and not the failures that follow from it.
func TestIntrusionIsToldFirst(t *testing.T) {
	for name, then := range map[string]func(*pulse.Ctx){
		"a panic":   func(*pulse.Ctx) { panic("broken") },
		"no end":    func(ctx *pulse.Ctx) { ctx.Become(pulse.Func(growing)); ctx.Send(ctx.Self(), 0) },
		"a failure": func(ctx *pulse.Ctx) { ctx.Choose(0) },
	} {
		w := newMarket(pulse.Options{Steps: 1000})
		w.s.Send(w.shop, func(ctx *pulse.Ctx) {
			elsewhere(func() { w.s.Send(w.till, letter{}) })
			then(ctx)
		})
		w.s.Run()
		if f := w.s.Failure(); !strings.HasPrefix(f.Text, "Send on a system from another goroutine: ") {
			t.Errorf("%s: the run ends with %v", name, f)
		}
		w.s.Close()
	}
}

// TestATypedNilIsAnActor: a nil pointer can be an actor, because its method
// Receive can be called.
func TestATypedNilIsAnActor(t *testing.T) {
	s := pulse.New(pulse.Options{})
	defer s.Close()
	if f := one((*counter)(nil), letter{})(s); f != nil || s.Steps() != 1 {
		t.Errorf("%d steps, and %v", s.Steps(), f)
	}
}

// A counter counts its messages, unless it is a nil pointer.
type counter struct{ n int }

func (c *counter) Receive(*pulse.Ctx, any) {
	if c != nil {
		c.n++
	}
}

// Panics in deferred functions of an ended process are reported: by the run,
// while it lasts, or by Late. They used to be lost. The panic that ends the
// process, or one derived from it, is not reported.
func TestPanicsOfEndedProcesses(t *testing.T) {
	const text = "panic in a deferred function of clerk, which was ended while it waited: again"
	panics := func(p *pulse.Process) {
		defer func() { panic("again") }()
		p.Receive()
	}
	wraps := func(p *pulse.Process) {
		defer func() { panic(fmt.Sprintf("the clerk died: %v", recover())) }()
		p.Receive()
	}
	passesOn := func(p *pulse.Process) {
		defer func() { panic(fmt.Errorf("the clerk died: %w", recover().(error))) }()
		p.Receive()
	}
	for _, c := range []struct {
		body func(*pulse.Process)
		kill bool
		want string
	}{{panics, true, text}, {panics, false, text}, {wraps, true, ""}, {wraps, false, ""}, {passesOn, true, ""}, {passesOn, false, ""}} {
		s := newSystem(t, pulse.Options{Record: true})
		r := s.Go("clerk", c.body)
		s.Run()
		if c.kill {
			s.Kill(r)
			s.Run()
		}
		f := s.Failure()
		if !c.kill {
			s.Reset(1)
			f = s.Host().Late()
		}
		if got := textOf(f); got != c.want {
			t.Errorf("killed in the run %v: %q, expected %q", c.kill, got, c.want)
		}
		if again := s.Host().Late(); again != nil {
			t.Errorf("late again: %v", again)
		}
	}
}

func textOf(f *pulse.Failure) string {
	if f == nil {
		return ""
	}
	return f.Text
}

// A call of another goroutine between steps of an owned system changes nothing,
// and is reported by Late or by the next run. Its messages used to count as the
// test's, and its panic used to end the process.
func TestLateGoroutines(t *testing.T) {
	s := newSystem(t, pulse.Options{Record: true})
	s.Host().Own()
	var kept *pulse.Ctx
	var process *pulse.Process
	r := s.Spawn("shop", pulse.Func(func(ctx *pulse.Ctx, _ any) { kept = ctx }))
	s.Go("clerk", func(p *pulse.Process) { process = p; p.Receive() })
	s.Send(r, 1)
	s.Run()
	const end = " from another goroutine when no step was running: does a handler leave a goroutine behind? replace the goroutine with an actor"
	elsewhere := func(f func()) {
		done := make(chan bool)
		go func() { defer close(done); f() }()
		<-done
	}
	for want, f := range map[string]func(){
		"Send on a Ctx" + end:        func() { kept.Send(r, 2) },
		"Send on a system" + end:     func() { s.Send(r, 2) },
		"Receive on a Process" + end: func() { process.Receive() },
	} {
		elsewhere(f)
		if late := s.Host().Late(); textOf(late) != want {
			t.Errorf("late: %v, expected %s", late, want)
		}
	}
	if s.Host().Unrun() {
		t.Error("what another goroutine sent counts as the test's")
	}
	elsewhere(func() { s.Send(r, 2) })
	s.Reset(1)
	if s.Run(); textOf(s.Failure()) != "Send on a system"+end {
		t.Errorf("the next run: %v", s.Failure())
	}
	s.Host().Disown()
}
