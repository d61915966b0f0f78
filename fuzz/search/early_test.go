package search

import (
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/shrink"
)

type (
	acquire struct{}
	granted struct{}
	expired struct{}
	write   struct{ by string }
)

// A leaseholder gives a lease to one client after another, each for a limited time. It assumes that each write is made
// under the writer's lease.
type leaseholder struct {
	waiting []pulse.Ref
	holder  pulse.Ref
	stale   string // the name of the client that wrote after its lease had expired; empty if none did
	held    bool
}

func (l *leaseholder) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case acquire:
		l.waiting = append(l.waiting, ctx.Sender())
	case expired:
		l.held = false
	case write:
		if ctx.Sender() != l.holder || !l.held {
			l.stale = m.by
		}
	}
	if !l.held && len(l.waiting) > 0 {
		l.holder, l.waiting, l.held = l.waiting[0], l.waiting[1:], true
		ctx.Send(l.holder, granted{})
		ctx.After(time.Minute, expired{})
	}
}

// lease is a property of leases that expire while their holder is slow.
func lease(o pulse.Options) func(*props.T) {
	return func(t *props.T) {
		sys := t.SystemWith(o)
		l := &leaseholder{}
		server := sys.Spawn("server", l)
		for _, name := range []string{"east", "west"} {
			client := sys.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if _, mine := msg.(granted); mine {
					ctx.Send(server, write{name})
					return
				}
				ctx.Send(server, acquire{})
			}))
			sys.Send(client, "go")
		}
		sys.Run()
		if l.stale != "" {
			t.Errorf("%s wrote when its lease had run out", l.stale)
		}
	}
}

// Without options the search finds a lease that expires while its holder is slow, and the saved
// case replays. So timers may fire early even if the property does not ask for it.
func TestTimersRaceByDefault(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		x := searchFor(t, lease(pulse.Options{}), seed, 1, enoughRuns)
		f := x.Finding
		if f == nil {
			t.Fatalf("seed %d: not found in %d runs", seed, x.Runs)
		}
		if f.Replays != finding.Tried || f.Case.EarlyTimers != earlyTimers || len(f.Case.Settings) != 0 {
			t.Errorf("seed %d: replayed %d of %d: %s; %d early timers, settings %v",
				seed, f.Replays, finding.Tried, f.Differs, f.Case.EarlyTimers, f.Case.Settings)
		}
		if told := f.Text("run"); !strings.Contains(told, words.Count(f.Case.Record.Early(), "early timer")+", as if a message took over ") {
			t.Errorf("seed %d: nothing is said of early timers:\n%s", seed, told)
		}
		text, err := corpus.Encode(f.Case)
		if err != nil {
			t.Fatal(err)
		}
		c, err := corpus.Decode("x.case", text)
		if err != nil {
			t.Fatal(err)
		}
		r := props.NewRunner(t.Name(), lease(pulse.Options{}))
		played := finding.Replay(r, &c)
		if !played.Exact || played.Result.Failure == nil || played.Result.Failure.Text != f.Failure.Text {
			t.Errorf("seed %d: the case fails with %v (%s), want %v", seed, played.Result.Failure, played.How, f.Failure)
		}
		r.Close()
	}
}

// A property with NeverEarly has no run with early timers. If a property sets how many timers may fire early, this
// number holds in every run.
func TestPropertiesSayHowEarlyTimersAre(t *testing.T) {
	never := searchFor(t, lease(pulse.Options{EarlyTimers: pulse.NeverEarly}), 1, 1, 2000)
	if never.Finding != nil || never.Timed != 2000 || never.Early != 0 {
		t.Errorf("NeverEarly: found %v, %d runs with timers, %d of them early", never.Finding, never.Timed, never.Early)
	}
	own := searchFor(t, lease(pulse.Options{EarlyTimers: 1}), 1, 1, 2000)
	if f := own.Finding; f == nil || f.Case.EarlyTimers != 0 || len(f.Case.Settings) != 1 || own.Early != own.Timed {
		t.Errorf("EarlyTimers of 1: found %+v, %d of %d runs early", f, own.Early, own.Timed)
	}
}

// An echo answers what it is asked.
func echo(ctx *pulse.Ctx, msg any) { ctx.Reply(msg) }

// Each of these properties, except the last, fails only if a timer fires although messages wait. Each uses another
// kind of timer. The last property can also fail in runs without early timers.
var earlyProperties = []struct {
	name string
	// play runs the program and reports whether a timer fired.
	play func(sys *pulse.System) bool
}{
	{"After", func(sys *pulse.System) (fired bool) {
		late := false
		a := sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg {
			case "set":
				ctx.After(time.Second, "alarm")
			case "alarm":
				fired = !late
			case "work":
				late = true
			}
		}))
		sys.Send(a, "set")
		sys.Send(sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(a, "work") })), "go")
		sys.Run()
		return fired
	}},
	{"Every", func(sys *pulse.System) (fired bool) {
		late := false
		sys.Send(sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg {
			case "set":
				ctx.Every(time.Second, "tick")
				ctx.Send(ctx.Self(), "work")
			case "tick":
				fired = fired || !late
			case "work":
				late = true
			}
		})), "set")
		sys.RunFor(time.Minute)
		return fired
	}},
	{"SendAfter", func(sys *pulse.System) (fired bool) {
		b := sys.Spawn("receiver", pulse.Func(func(_ *pulse.Ctx, msg any) { fired = fired || msg == "late" }))
		sys.Send(sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == "set" {
				timer := ctx.SendAfter(b, time.Second, "late")
				ctx.Become(pulse.Func(func(*pulse.Ctx, any) { timer.Stop() }))
				ctx.Send(ctx.Self(), "work")
			}
		})), "set")
		sys.Run()
		return fired
	}},
	{"AskTimeout", func(sys *pulse.System) (fired bool) {
		b := sys.Spawn("echo", pulse.Func(echo))
		sys.Go("asker", func(p *pulse.Process) {
			_, ok := p.AskTimeout(b, "hello", time.Second)
			fired = !ok
		})
		sys.Run()
		return fired
	}},
	{"ReceiveTimeout", func(sys *pulse.System) (fired bool) {
		p := sys.Go("waiter", func(p *pulse.Process) {
			_, ok := p.ReceiveTimeout(time.Second)
			fired = !ok
		})
		sys.Send(p, "hello")
		sys.Run()
		return fired
	}},
}

// TestEarlyTimersAreReported: if a failure needs an early timer, the report says so right after the failure, and names
// the setting that forbids it. It does so for found, shrunk and replayed cases, for every arm, and whoever allows early
// timers.
func TestEarlyTimersAreReported(t *testing.T) {
	const forbid = ", as if a message took over 1s; EarlyTimers: pulse.NeverEarly forbids it\n"
	for _, c := range earlyProperties {
		for _, own := range []int{0, 2} {
			for _, arm := range []string{"random", "bita"} {
				name := c.name + " by " + arm
				property := func(t *props.T) {
					if c.play(t.SystemWith(pulse.Options{EarlyTimers: own})) {
						t.Errorf("a timer fired")
					}
				}
				f := searchBy(t, property, Options{Seed: 1, Runs: enoughRuns}, arm).Finding
				if f == nil {
					t.Fatalf("%s: not found", name)
				}
				report := func(f *finding.Finding, what, want string) {
					t.Helper()
					_, rest, _ := strings.Cut(f.Text("run"), "\n")
					if !strings.HasPrefix(rest, want+forbid) {
						t.Errorf("%s, EarlyTimers %d, %s: the report goes on with\n%s\nwant\n%s", name, own, what, rest, want+forbid)
					}
				}
				r := props.NewRunner(t.Name(), property)
				fired := func(f *finding.Finding) string { return words.Count(f.Case.Record.Early(), "early timer") }
				report(f, "found", "        "+fired(f))
				out := finding.Shrink(t.Context(), r, f, shrink.Options{Runs: 2000})
				if f = out.Finding; f == nil {
					t.Fatalf("%s: not shrunk", name)
				}
				needs := "        needs " + fired(f)
				report(f, "shrunk", needs)
				played := finding.Replay(r, &f.Case)
				report(played.Finding(r, finding.Origin{}, &f.Case), "played", needs)
				r.Close()
			}
		}
	}
}

// TestTimersThatAreNotNeeded: if the shrunk run has no early timer, the report does not mention early
// timers.
func TestTimersThatAreNotNeeded(t *testing.T) {
	property := func(t *props.T) {
		sys, last := t.System(), 0
		for i := range 12 {
			sys.Send(sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if msg != "alarm" {
					last = msg.(int)
					ctx.After(time.Second, "alarm")
				}
			})), i)
		}
		sys.Run()
		if last == 1 {
			t.Errorf("another was the last")
		}
	}
	r := props.NewRunner(t.Name(), property)
	defer r.Close()
	for seed := range uint64(200) {
		f := searchFor(t, property, seed, 1, 100).Finding
		if f.Case.Record.Early() == 0 {
			continue
		}
		if out := finding.Shrink(t.Context(), r, f, shrink.Options{}); out.Finding == nil || strings.Contains(out.Finding.Text("run"), "although messages waited") {
			t.Errorf("shrunk: %+v", out.Finding)
		}
		return
	}
	t.Error("no run had early timers")
}
