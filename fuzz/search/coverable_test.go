package search

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/subjects/barber"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

func built(build func(*pulse.System) func() error) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		check := build(sys)
		sys.Run()
		if err := check(); err != nil {
			t.Error(err)
		}
	}
}

// For small programs, the number of receive pairs that can be covered is known. No arm covers more, nor do all
// arms together. The number that Coverable returns is at least as large.
func TestCoverableBoundsEveryArm(t *testing.T) {
	trial.Long(t)
	for _, c := range []struct {
		name          string
		property      func(*props.T)
		seen, covered int
	}{
		{"three senders", func(t *props.T) { race3(t, pulse.Options{}).Run() }, 6, 3},
		{"two senders of three", built(load.Senders(2, 3).Build), 24, 9},
		{"writer", built(writer.Config{Actions: 2, Mended: true}.Build), 14, 2},
		{"writer that fails", built(writer.Config{Actions: 2}.Build), 16, 6},
		{"barber", built(barber.Config{Mended: true}.Build), 116, 18},
		{"timers", lease(pulse.Options{EarlyTimers: pulse.NeverEarly}), 36, 3},
		{"early timers", lease(pulse.Options{}), 54, 17},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Property{Name: t.Name(), Test: t.Name(), Func: c.property}
			all, exact := Coverable(context.Background(), p, 1, 20_000)
			n := all.Count()
			if !exact || n.Open+n.Unknown != 0 || n.Seen != c.seen || n.Covered != c.covered {
				t.Fatalf("exact: %v, %d orders, %v, want %d orders and %d pairs", exact, n.Seen, n, c.seen, c.covered)
			}
			for _, name := range []string{"random", "pos", "bita", "guided"} {
				arm, _ := Strategies(name)
				for seed := range uint64(4) {
					some := Sample(context.Background(), p, Options{Runs: 400, Seed: seed, Portfolio: arm}).Orders
					if some.Merge(all); some.Seen() != n.Seen {
						t.Errorf("%s shows %d orders that no order of all shows", name, some.Seen()-n.Seen)
					}
				}
			}
		})
	}
}

// The pairs of all orders without early timers are no bound for runs with early timers, which show
// more pairs.
func TestCoverableOfAnother(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: lease(pulse.Options{EarlyTimers: pulse.NeverEarly})}
	all, exact := Coverable(context.Background(), p, 1, 20_000)
	p.Func = lease(pulse.Options{})
	more, _ := Coverable(context.Background(), p, 1, 20_000)
	if more.Merge(all); !exact || more.Seen() <= all.Seen() {
		t.Errorf("exact is %v, %d orders without and %d with early timers", exact, all.Seen(), more.Seen())
	}
}

// If not all orders were run, the report does not claim that they were.
func TestCoverableInPart(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	p := Property{Name: t.Name(), Test: t.Name(), Func: built(load.Senders(3, 2).Build)}
	rejects := p
	rejects.Func = func(t *props.T) { props.Draw(t, rapid.Bool().Filter(func(bool) bool { return false }), "b") }
	skips := p
	skips.Func = func(t *props.T) { t.Skip("not this") }
	for _, c := range []struct {
		name string
		ctx  context.Context
		p    Property
		runs int
	}{
		{"five runs", context.Background(), p, 5},
		{"no time", over, p, 1000},
		{"an input without a value", context.Background(), rejects, 1000},
		{"an input that is skipped", context.Background(), skips, 1000},
	} {
		if orders, exact := Coverable(c.ctx, c.p, 1, c.runs); exact || orders == nil {
			t.Errorf("%s: exact is %v, orders %v", c.name, exact, orders)
		}
	}
}
