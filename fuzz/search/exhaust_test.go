package search

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// race3 sends one actor three messages that race with each other.
func race3(t *props.T, o pulse.Options) *pulse.System {
	sys := t.SystemWith(o)
	load.Senders(3, 1).Build(sys)
	return sys
}

// Exhaust claims that no order is left if it ran all orders without a reduction. If there are too many orders for
// that, it makes this claim only for programs that use no feature for which a reduction may be wrong, and says what
// the claim depends on. It claims nothing about randomly drawn inputs.
func TestExhaustDoubts(t *testing.T) {
	for _, c := range []struct {
		name     string
		property func(*props.T)
		all      bool // the claim of an Exhaust that can run all orders
		reduced  bool // the claim of an Exhaust that can run only the distinct orders
	}{
		{"nothing", func(t *props.T) { race3(t, pulse.Options{}).Run() }, true, true},
		{"OneOf", func(t *props.T) { props.OneOf(t, "n", 1, 2); race3(t, pulse.Options{}).Run() }, true, true},
		{"draw", func(t *props.T) { props.Draw(t, rapid.Bool(), "b"); race3(t, pulse.Options{}).Run() }, false, false},
		{"isolation", func(t *props.T) { race3(t, pulse.Options{Isolation: true}).Run() }, true, false},
		{"Always", func(t *props.T) {
			sys := race3(t, pulse.Options{})
			t.Always("holds", func() error { return nil })
			sys.Run()
		}, true, false},
		{"timer", func(t *props.T) {
			sys := race3(t, pulse.Options{})
			sys.Go("sleeper", func(p *pulse.Process) { p.Sleep(1) })
			sys.Run()
		}, true, false},
		{"Skip", func(t *props.T) {
			sys := t.System()
			a := sys.Spawn("a", pulse.Func(func(_ *pulse.Ctx, msg any) {
				if msg == "skip" {
					t.Skip("not this")
				}
			}))
			sys.Send(a, "go")
			sys.Go("b", func(p *pulse.Process) { p.Send(a, "skip") })
			sys.Run()
		}, false, false},
		{"Sometimes", func(t *props.T) { race3(t, pulse.Options{}).Run(); t.Sometimes("never", false) }, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Property{Name: t.Name(), Test: t.Name(), Func: c.property}
			x := Exhaust(context.Background(), p, 1, 1000)
			if x.All != c.all || x.Conditional() {
				t.Errorf("of all orders: All is %v, want %v, conditional %v: %v; %v", x.All, c.all, x.Conditional(), x.Verdict, x.Complaints)
			}
			x = exhaustTwice(context.Background(), p, 1, 1000, 1)
			if x.All != c.reduced || x.Conditional() != c.reduced {
				t.Errorf("of distinct orders: All is %v, want %v, conditional %v: %v; %v", x.All, c.reduced, x.Conditional(), x.Verdict, x.Complaints)
			}
		})
	}
}

// Exhaust lets timers fire early if the property leaves that to the search, as Sample does. So its "all orders"
// include the orders with early timers.
func TestExhaustHasEarlyTimers(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: lease(pulse.Options{})}
	x := Exhaust(context.Background(), p, 1, 1000)
	if len(x.Found) != 1 || x.Found[0].Case.EarlyTimers != earlyTimers || x.Found[0].Replays != 2 {
		t.Errorf("found %+v, %v", x.Found, x.Verdict)
	}
	p.Func = lease(pulse.Options{EarlyTimers: pulse.NeverEarly})
	if x = Exhaust(context.Background(), p, 1, 1000); !x.All {
		t.Errorf("without early timers: %v", x.Verdict)
	}
}

// If a random search finds an order that was not run, it shows that not all orders were
// run.
func TestConfirmSeesOtherOrders(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: func(t *props.T) { race3(t, pulse.Options{}).Run() }}
	x := Exhaust(context.Background(), p, 1, 1000)
	if res, same := x.Confirm(context.Background(), p, Options{Seed: 1}); !same || res.Runs != leastConfirming {
		t.Errorf("after all orders: %v, %d runs", same, res.Runs)
	}
	for order := range x.orders {
		delete(x.orders, order)
		break
	}
	if _, same := x.Confirm(context.Background(), p, Options{Seed: 1}); same {
		t.Error("one order was left out, and nothing was said")
	}
}

// A claim about all orders says whether timers could fire early in them, and which setting decides
// that. For an existing test it is a flag.
func TestTimersAreSaid(t *testing.T) {
	const never = ", without early timers (pulse.Options.EarlyTimers allows them)"
	sleeps := func(o pulse.Options) func(*props.T) {
		return func(t *props.T) {
			sys := race3(t, o)
			sys.Go("sleeper", func(p *pulse.Process) { p.Sleep(1) })
			sys.Run()
		}
	}
	for _, c := range []struct {
		name           string
		property       func(*props.T)
		verdict, whole string
	}{
		{"no timer", func(t *props.T) { race3(t, pulse.Options{EarlyTimers: 2}).Run() }, "", ""},
		{"unset", sleeps(pulse.Options{}), never, ", with at most 2 early timers in a run (pulse.Options.EarlyTimers)"},
		{"never", sleeps(pulse.Options{EarlyTimers: pulse.NeverEarly}), never, never},
		{"one", sleeps(pulse.Options{EarlyTimers: 1}), ", with at most 1 early timer in a run (pulse.Options.EarlyTimers)", ", with at most 1 early timer in a run (pulse.Options.EarlyTimers)"},
		{"any", sleeps(pulse.Options{EarlyTimers: -1}), ", with any number of early timers (pulse.Options.EarlyTimers)", ", with any number of early timers (pulse.Options.EarlyTimers)"},
	} {
		x := exploreFor(t, ExploreOptions{}, c.property)
		_, got, _ := strings.Cut(x.Verdict.String(), words.Elapsed(x.Verdict.Elapsed))
		if got, _, _ = strings.Cut(got, ";"); got != c.verdict || !x.Verdict.Complete {
			t.Errorf("%s: %s", c.name, x.Verdict)
		}
		e := Exhaust(context.Background(), Property{Name: t.Name(), Test: t.Name(), Func: c.property}, 1, 1000)
		if got := e.Whole(); !strings.HasSuffix(got, " were run"+c.whole) {
			t.Errorf("%s: %s", c.name, got)
		}
		e = Exhaust(context.Background(), Property{Name: t.Name(), Test: t.Name(), Func: c.property, Existing: true}, 1, 1000)
		if got := e.Whole(); !strings.HasSuffix(got, " were run"+strings.ReplaceAll(c.whole, "pulse.Options.EarlyTimers", "jostle test -early")) {
			t.Errorf("%s, in an existing test: %s", c.name, got)
		}
	}
}
