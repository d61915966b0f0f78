package search

import (
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

type (
	acquire struct{}
	granted struct{}
	expired struct{}
	write   struct{ by string }
)

// A leaseholder gives a lease to one client after the other, each for a while,
// and takes what any client writes for written under its lease.
type leaseholder struct {
	waiting []pulse.Ref
	holder  pulse.Ref
	stale   string // who wrote when its lease had run out
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

// lease is a property of leases that run out while their holder is slow.
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

// Without options a lease that runs out while its holder is slow is found, and
// what was found is kept so that it can be run again. Before, timers fired only
// when no message waited, unless the property asked for more.
func TestTimersRaceByDefault(t *testing.T) {
	for seed := uint64(1); seed <= seeds; seed++ {
		x := searchFor(t, lease(pulse.Options{}), seed, 1, enoughRuns)
		f := x.Finding
		if f == nil {
			t.Fatalf("seed %d: not found in %d runs", seed, x.Runs)
		}
		if f.Replays != finding.Tried || f.Case.EarlyTimers != earlyTimers || len(f.Case.Settings) != 0 {
			t.Errorf("seed %d: replayed %d of %d: %s; %d early timers, settings %v",
				seed, f.Replays, finding.Tried, f.Differs, f.Case.EarlyTimers, f.Case.Settings)
		}
		if told := f.Text("run"); !strings.Contains(told, "although messages waited") {
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
		played := finding.Play(r, &c)
		if !played.Exact || played.Result.Failure == nil || played.Result.Failure.Text != f.Failure.Text {
			t.Errorf("seed %d: the case fails with %v (%s), want %v", seed, played.Result.Failure, played.How, f.Failure)
		}
		r.Close()
	}
}

// A property that says NeverEarly has no such run, and one that says how many
// timers may fire early has that in every run and as its own setting.
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
