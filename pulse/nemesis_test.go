package pulse_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A cell is a small cluster: two nodes that log what they receive, and an actor
// that runs the functions it is sent.
type cell struct {
	*pulse.System
	a, b, hand pulse.Ref
	log        []string
}

func newCell(t *testing.T, o pulse.Options) *cell {
	o.Record = true
	c := &cell{System: newSystem(t, o)}
	node := func(name string) pulse.Ref {
		return c.SpawnSpec(pulse.Spec{Name: name, Safe: true, New: func() pulse.Actor {
			n := 0
			return pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if f, ok := msg.(func(*pulse.Ctx)); ok {
					f(ctx)
					return
				}
				n++
				c.log = append(c.log, fmt.Sprintf("%s%d:%v@%d", name, n, msg, ctx.Now()))
			})
		}})
	}
	c.a, c.b = node("a"), node("b")
	c.hand = c.Spawn("hand", pulse.Func(func(ctx *pulse.Ctx, msg any) { msg.(func(*pulse.Ctx))(ctx) }))
	return c
}

// sends has a node send numbers to the other one.
func (c *cell) sends(from, to pulse.Ref, numbers ...int) {
	c.Send(from, func(ctx *pulse.Ctx) {
		for _, n := range numbers {
			ctx.Send(to, n)
		}
	})
}

// both has both nodes send numbers to each other.
func (c *cell) both(first int) {
	c.sends(c.a, c.b, first, first+1, first+2)
	c.sends(c.b, c.a, first, first+1, first+2)
}

// TestNemesis checks what the nodes receive. Both send 1, 2, 3 to each other
// after x.before has struck, and 4, 5, 6 after x.after.
func TestNemesis(t *testing.T) {
	for _, x := range []struct {
		name          string
		before, after func(*cell, pulse.Nemesis)
		want          string
	}{
		{"nothing", nil, nil, "b1:1@0 b2:2@0 b3:3@0 a1:1@0 a2:2@0 a3:3@0 | b4:4@0 b5:5@0 b6:6@0 a4:4@0 a5:5@0 a6:6@0"},
		{"a cut is one way", func(c *cell, n pulse.Nemesis) { n.Cut(c.a, c.b) }, nil, "a1:1@0 a2:2@0 a3:3@0 | a4:4@0 a5:5@0 a6:6@0"},
		{"what waited goes on", func(c *cell, n pulse.Nemesis) { n.Cut(c.a, c.b) }, func(_ *cell, n pulse.Nemesis) { n.Heal() },
			"a1:1@0 a2:2@0 a3:3@0 | b1:1@0 b2:2@0 b3:3@0 b4:4@0 b5:5@0 b6:6@0 a4:4@0 a5:5@0 a6:6@0"},
		{"a partition is both ways", func(c *cell, n pulse.Nemesis) { n.Partition([]pulse.Ref{c.a}, []pulse.Ref{c.b, c.hand}) }, nil, " | "},
		{"who is in no group reaches all", func(c *cell, n pulse.Nemesis) { n.Partition([]pulse.Ref{c.a}, []pulse.Ref{c.hand}) }, nil,
			"b1:1@0 b2:2@0 b3:3@0 a1:1@0 a2:2@0 a3:3@0 | b4:4@0 b5:5@0 b6:6@0 a4:4@0 a5:5@0 a6:6@0"},
		{"the next two are lost", func(c *cell, n pulse.Nemesis) { n.Lose(c.a, c.b, 2) }, nil,
			"b1:3@0 a1:1@0 a2:2@0 a3:3@0 | b2:4@0 b3:5@0 b4:6@0 a4:4@0 a5:5@0 a6:6@0"},
		{"all are lost until told", func(c *cell, n pulse.Nemesis) { n.Lose(c.a, c.b, math.MaxInt) }, func(c *cell, n pulse.Nemesis) { n.Lose(c.a, c.b, 0) },
			"a1:1@0 a2:2@0 a3:3@0 | b1:4@0 b2:5@0 b3:6@0 a4:4@0 a5:5@0 a6:6@0"},
		{"a delay", func(c *cell, n pulse.Nemesis) { n.Delay(c.b, c.a, 5) }, func(c *cell, n pulse.Nemesis) { n.Delay(c.b, c.a, 0) },
			"b1:1@0 b2:2@0 b3:3@0 a1:1@5 a2:2@5 a3:3@5 | b4:4@5 b5:5@5 b6:6@5 a4:4@5 a5:5@5 a6:6@5"},
		{"a crash", func(c *cell, n pulse.Nemesis) { n.Crash(c.b) }, nil, " | "},
		{"a restart with the state", func(c *cell, n pulse.Nemesis) {}, func(c *cell, n pulse.Nemesis) { n.Crash(c.b); n.RestartKept(c.b) },
			"b1:1@0 b2:2@0 b3:3@0 a1:1@0 a2:2@0 a3:3@0 | b4:4@0 b5:5@0 b6:6@0 a4:4@0 a5:5@0 a6:6@0"},
		{"a restart without", func(c *cell, n pulse.Nemesis) {}, func(c *cell, n pulse.Nemesis) { n.Crash(c.b); n.RestartLost(c.b) },
			"b1:1@0 b2:2@0 b3:3@0 a1:1@0 a2:2@0 a3:3@0 | b1:4@0 b2:5@0 b3:6@0 a4:4@0 a5:5@0 a6:6@0"},
	} {
		for _, inStep := range []bool{false, true} {
			c := newCell(t, pulse.Options{})
			strike := func(f func(*cell, pulse.Nemesis)) {
				switch {
				case f == nil:
				case inStep:
					c.Send(c.hand, func(ctx *pulse.Ctx) { f(c, ctx.Nemesis()) })
					c.Settle()
				default:
					f(c, c.Nemesis())
				}
			}
			strike(x.before)
			c.both(1)
			mustRun(t, c.System)
			first := strings.Join(c.log, " ")
			c.log = nil
			strike(x.after)
			c.both(4)
			mustRun(t, c.System)
			if got := first + " | " + strings.Join(c.log, " "); got != x.want {
				t.Errorf("%s, in a step %v: %s, want %s", x.name, inStep, got, x.want)
			}
		}
	}
}

// TestNemesisIsShown checks how charts, texts and diagrams show what a Nemesis did.
func TestNemesisIsShown(t *testing.T) {
	c := newCell(t, pulse.Options{})
	n := c.Nemesis()
	n.Cut(c.a, c.b)
	n.Delay(c.b, c.a, time.Second)
	c.Spawn("idle", pulse.Func(idle))
	c.both(1)
	c.Send(c.hand, func(ctx *pulse.Ctx) {
		ctx.Log("strikes")
		n := ctx.Nemesis()
		n.Lose(c.b, c.a, 1)
		n.Lose(c.hand, c.b, 3)
		n.Lose(c.hand, c.a, math.MaxInt)
		n.Crash(c.b)
		n.RestartLost(c.b)
		n.Crash(c.b)
		n.RestartKept(c.b)
		ctx.Send(c.b, 7)
	})
	mustRun(t, c.System)
	n.Heal()
	n.Lose(c.b, c.a, 0)
	n.Partition([]pulse.Ref{c.a, c.hand}, []pulse.Ref{c.b})
	c.both(4)
	mustRun(t, c.System)
	n.Heal()
	golden.File(t, "testdata/nemesis.golden", c.Trace().Chart()+"\n"+c.Trace().Text()+"\n"+c.Trace().Mermaid())
}

// TestCutsAreNoDeadlocks checks which actors are stuck when messages wait at a
// cut. None is stuck, since a Nemesis may still heal the cut, unless the
// environment is closed.
func TestCutsAreNoDeadlocks(t *testing.T) {
	for _, delivery := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		for _, x := range []struct {
			name    string
			o       pulse.Options
			strike  func(n pulse.Nemesis, asker, server pulse.Ref)
			want    string
			healing string
		}{
			{"a cut", pulse.Options{}, func(n pulse.Nemesis, asker, server pulse.Ref) { n.Cut(asker, server) }, "", ""},
			{"a cut of the answer", pulse.Options{}, func(n pulse.Nemesis, asker, server pulse.Ref) { n.Cut(server, asker) }, "", ""},
			{"a loss", pulse.Options{}, func(n pulse.Nemesis, asker, server pulse.Ref) { n.Lose(server, asker, 1) },
				"stuck: 1 of 2 actors cannot go on, nothing is deliverable", "stuck: 1 of 2 actors cannot go on, nothing is deliverable"},
			{"a crash", pulse.Options{}, func(n pulse.Nemesis, _, server pulse.Ref) { n.Crash(server) },
				"stuck: 1 of 1 actors cannot go on, nothing is deliverable", "stuck: 1 of 1 actors cannot go on, nothing is deliverable"},
			{"a cut when nothing more comes", pulse.Options{Environment: pulse.EnvironmentClosed},
				func(n pulse.Nemesis, asker, server pulse.Ref) { n.Cut(asker, server) },
				"stuck: 2 of 2 actors cannot go on, nothing is deliverable and the environment is closed",
				"stuck: 2 of 2 actors cannot go on, nothing is deliverable and the environment is closed"},
		} {
			x.o.Delivery = delivery
			sys := newSystem(t, x.o)
			server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Reply(msg) }))
			asker := sys.Go("asker", func(p *pulse.Process) { p.Ask(server, "question") })
			x.strike(sys.Nemesis(), asker, server)
			sys.Run()
			if got := textOf(sys.Failure()); got != x.want {
				t.Errorf("%v, %s: %q, want %q", delivery, x.name, got, x.want)
			}
			if f := sys.Failure(); f != nil && x.o.Environment == pulse.EnvironmentClosed &&
				!strings.Contains(f.Detail, `"question" from asker, blocked by a cut link`) {
				t.Errorf("%v, %s: the report does not name the cut:\n%s", delivery, x.name, f.Detail)
			}
			sys.Nemesis().Heal()
			sys.Run()
			if got := textOf(sys.Failure()); got != x.healing || got == "" && sys.Alive(asker) {
				t.Errorf("%v, %s, healed: %q, want %q; the asker lives: %v", delivery, x.name, got, x.healing, sys.Alive(asker))
			}
		}
	}
}

// TestCutsLeaveAloneWhatIsSentLater checks that messages of SendAfter cross a
// cut. So a process that rejects such a message is stuck: the message does not
// wait for the cut to heal.
func TestCutsLeaveAloneWhatIsSentLater(t *testing.T) {
	for _, delivery := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		sys := newSystem(t, pulse.Options{Delivery: delivery})
		choosy := sys.Go("choosy", func(p *pulse.Process) {
			p.ReceiveMatch(func(m any) bool { return m == "wanted" })
			p.ReceiveMatch(func(m any) bool { return m == "never sent" })
		})
		sender := sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			ctx.SendAfter(choosy, 1, "wanted")
			ctx.SendAfter(choosy, 1, "not wanted")
		}))
		sys.Send(sender, "go")
		sys.Nemesis().Cut(sender, choosy)
		sys.Run()
		const want = "stuck: 1 of 2 actors cannot go on, nothing is deliverable"
		if got := textOf(sys.Failure()); got != want || strings.Contains(sys.Failure().Detail, "held up") {
			t.Errorf("%v: %q, want %q\n%v", delivery, got, want, sys.Failure())
		}
	}
}

// TestNemesisReports checks the results of calls: they report whether the fault
// had an effect.
func TestNemesisReports(t *testing.T) {
	c := newCell(t, pulse.Options{})
	gone := c.Spawn("gone", pulse.Func(stopping))
	c.Send(gone, 1)
	mustRun(t, c.System)
	n := c.Nemesis()
	got := fmt.Sprint(n.RestartKept(c.a), n.RestartLost(c.a), n.Crash(c.a), n.Crash(c.a), n.RestartLost(c.a), n.RestartLost(c.a), n.Crash(gone), n.RestartKept(gone))
	if want := "false false true false true false false false"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNemesisOfAParent checks that a step may crash children of its actor. It
// must crash neither its actor nor an ancestor.
func TestNemesisOfAParent(t *testing.T) {
	c := newCell(t, pulse.Options{})
	var child pulse.Ref
	c.Send(c.a, func(ctx *pulse.Ctx) {
		child = ctx.Go("child", func(p *pulse.Process) {
			p.Receive()
			p.Nemesis().Crash(c.a)
		})
		grandchild := ctx.Go("other", func(p *pulse.Process) { p.Receive() })
		if !ctx.Nemesis().Crash(grandchild) {
			t.Error("a child was not alive")
		}
	})
	mustRun(t, c.System)
	c.Send(child, 1)
	c.Run()
	want := "Nemesis.Crash of a in a step of child, which would end in the middle of its step: let another actor crash it, or call Ctx.Stop (in child#2 ← 1)"
	if got := textOf(c.Failure()); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNemesisInAnObserver checks that an observer must not use a Nemesis
// during a run.
func TestNemesisInAnObserver(t *testing.T) {
	c := newCell(t, pulse.Options{})
	c.Observe(observes(func() { c.Nemesis().Crash(c.b) }))
	c.both(1)
	c.Run()
	want := "Nemesis.Crash outside of an actor's step, as in an observer or a strategy: call it from an actor, or from the test between runs"
	if got := textOf(c.Failure()); !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

type observes func()

func (f observes) Stepped(*pulse.System, int) { f() }

// TestNewThatPanics checks that a restart whose New panics changes nothing if a
// supervisor handles the panic.
func TestNewThatPanics(t *testing.T) {
	sys := newSystem(t, pulse.Options{})
	made := 0
	r := sys.SpawnSpec(pulse.Spec{Name: "fragile", New: func() pulse.Actor {
		if made++; made == 2 {
			panic("not now")
		}
		return pulse.Func(idle)
	}})
	hand := sys.SpawnSpec(pulse.Spec{Name: "hand", OnPanic: pulse.OnPanicRestart, Actor: pulse.Func(func(ctx *pulse.Ctx, _ any) {
		ctx.Nemesis().RestartLost(r)
	})})
	sys.Nemesis().Crash(r)
	var lives []bool
	for range 2 {
		sys.Send(hand, 1)
		mustRun(t, sys)
		lives = append(lives, sys.Alive(r))
	}
	if got := fmt.Sprint(lives); got != "[false true]" {
		t.Errorf("after each restart alive: %s", got)
	}
}

// TestResetForgetsTheNemesis checks that faults by a Nemesis have no effect on
// the run after Reset.
func TestResetForgetsTheNemesis(t *testing.T) {
	for _, delivery := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		sys := newSystem(t, pulse.Options{Delivery: delivery, Record: true})
		build := func() (a, b pulse.Ref) {
			b = sys.Spawn("b", pulse.Func(idle))
			a = sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(b, 1) }))
			sys.Send(a, 1)
			return a, b
		}
		mustRun(t, sys)
		sys.Reset(0)
		build()
		mustRun(t, sys)
		want := sys.Trace().Text()
		sys.Reset(0)
		a, b := build()
		n := sys.Nemesis()
		n.Partition([]pulse.Ref{a}, []pulse.Ref{b})
		n.Lose(a, b, math.MaxInt)
		n.Delay(b, a, 1)
		n.Crash(b)
		mustRun(t, sys)
		sys.Reset(0)
		build()
		mustRun(t, sys)
		if got := sys.Trace().Text(); got != want {
			t.Errorf("%v:\n%s\nwant\n%s", delivery, got, want)
		}
	}
}

// TestNemesisIsInThePrint checks that two runs with different faults have
// different prints, so a search can detect a program whose faults differ
// between runs of equal decisions.
func TestNemesisIsInThePrint(t *testing.T) {
	prints := map[uint64]string{}
	for name, f := range map[string]func(*cell, pulse.Nemesis){
		"nothing":            func(*cell, pulse.Nemesis) {},
		"heal":               func(_ *cell, n pulse.Nemesis) { n.Heal() },
		"cut":                func(c *cell, n pulse.Nemesis) { n.Cut(c.a, c.b) },
		"cut the other way":  func(c *cell, n pulse.Nemesis) { n.Cut(c.b, c.a) },
		"one group":          func(c *cell, n pulse.Nemesis) { n.Partition([]pulse.Ref{c.a, c.hand}, []pulse.Ref{c.b}) },
		"another group":      func(c *cell, n pulse.Nemesis) { n.Partition([]pulse.Ref{c.a}, []pulse.Ref{c.hand, c.b}) },
		"loss of one":        func(c *cell, n pulse.Nemesis) { n.Lose(c.a, c.b, 1) },
		"loss of two":        func(c *cell, n pulse.Nemesis) { n.Lose(c.a, c.b, 2) },
		"delay":              func(c *cell, n pulse.Nemesis) { n.Delay(c.a, c.b, 1) },
		"crash":              func(c *cell, n pulse.Nemesis) { n.Crash(c.a) },
		"restart kept":       func(c *cell, n pulse.Nemesis) { n.Crash(c.a); n.RestartKept(c.a) },
		"restart lost":       func(c *cell, n pulse.Nemesis) { n.Crash(c.a); n.RestartLost(c.a) },
		"nothing to restart": func(c *cell, n pulse.Nemesis) { n.RestartKept(c.a); n.Crash(c.b); n.Crash(c.b) },
	} {
		c := newCell(t, pulse.Options{})
		f(c, c.Nemesis())
		mustRun(t, c.System)
		if other, had := prints[c.Trace().Hash]; had {
			t.Errorf("%s and %s have one hash", name, other)
		}
		prints[c.Trace().Hash] = name
	}
}

// TestNemesisIsReplayed checks that a replay repeats the faults.
func TestNemesisIsReplayed(t *testing.T) {
	build := func(c *cell) {
		c.both(1)
		c.Send(c.hand, func(ctx *pulse.Ctx) {
			n := ctx.Nemesis()
			n.Lose(c.a, c.b, 1+ctx.Choose(2))
			n.Crash(c.a)
			ctx.Send(ctx.Self(), func(ctx *pulse.Ctx) { ctx.Nemesis().RestartLost(c.a) })
		})
		c.both(4)
	}
	traces := map[string]bool{}
	for seed := range uint64(20) {
		c := newCell(t, pulse.Options{Strategy: strategy.Random(), Seed: seed})
		build(c)
		mustRun(t, c.System)
		want, record := c.Trace().Text(), choice.Record{}
		record.Choices = append(record.Choices, c.Record().Choices...)
		record.Deliveries = append(record.Deliveries, c.Record().Deliveries...)
		again := newCell(t, pulse.Options{Strategy: strategy.Replay(&record, strategy.ReplayOptions{})})
		build(again)
		mustRun(t, again.System)
		if got := again.Trace().Text(); got != want || got == "" {
			t.Errorf("seed %d:\n%s\nagain\n%s", seed, want, got)
		}
		traces[want] = true
	}
	if len(traces) < 15 {
		t.Errorf("only %d different runs: the test is too weak", len(traces))
	}
}
