package strategy_test

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestStopped checks what Stopped returns for each reason why a run can stop at a constraint.
func TestStopped(t *testing.T) {
	sends := func(deaf, ends, other bool) func(sys *pulse.System) {
		return func(sys *pulse.System) {
			sink := sys.Go("sink", func(p *pulse.Process) {
				for first := true; first || !ends; first = false {
					if deaf {
						p.ReceiveMatch(func(msg any) bool { return msg == "a" })
					} else {
						p.Receive()
					}
				}
			})
			for _, letter := range []string{"a", "b"} {
				sender := sys.Spawn(letter, pulse.Func(func(ctx *pulse.Ctx, msg any) {
					if !other || letter == "a" {
						ctx.Send(sink, letter)
					}
				}))
				sys.Send(sender, "go")
			}
			sys.Run()
		}
	}
	ids := stepsOf(t, pulse.Options{}, sends(false, false, false))
	a, b, goA := ids[`sink ← "a"`], ids[`sink ← "b"`], ids[`a ← "go"`]
	for _, c := range []struct {
		name  string
		body  func(*pulse.System)
		drop  bool // the network loses a message
		pairs []choice.Constraint
		want  strategy.Stop
		stops bool
	}{
		{name: "comes true", body: sends(false, false, false), pairs: []choice.Constraint{{First: goA, Second: b}, {First: b, Second: a}}},
		{name: "no constraint", body: sends(false, false, false)},
		{name: "never sent", body: sends(false, false, true), pairs: []choice.Constraint{{First: goA, Second: a}, {First: b, Second: a}}, want: strategy.Stop{Constraint: 1, Step: b, Why: strategy.NeverSent}, stops: true},
		{name: "nobody there", body: sends(false, true, false), pairs: []choice.Constraint{{First: b, Second: a}}, want: strategy.Stop{Step: a, Why: strategy.NobodyThere}, stops: true},
		{name: "not taken", body: sends(true, false, false), pairs: []choice.Constraint{{First: a, Second: b}}, want: strategy.Stop{Step: b, Why: strategy.NotTaken}, stops: true},
		{name: "too late", body: sends(false, false, false), pairs: []choice.Constraint{{First: a, Second: goA}}, want: strategy.Stop{Step: a, Why: strategy.TooLate}, stops: true},
		{name: "a circle", body: sends(false, false, false), pairs: []choice.Constraint{{First: a, Second: b}, {First: b, Second: a}}, want: strategy.Stop{Step: b, Why: strategy.TooLate, Constraint: 1}, stops: true},
		{name: "lost", body: sends(false, false, false), drop: true, pairs: []choice.Constraint{{First: b, Second: a}}, want: strategy.Stop{Step: b, Why: strategy.Lost}, stops: true},
	} {
		s := &choice.Schedule{Before: c.pairs}
		o := pulse.Options{Record: true}
		if c.drop {
			o.Faults.Drop = 1
			s.Choices = []choice.Choice{{Kind: choice.Drop, N: 2}, {Kind: choice.Drop, N: 2, Value: 1}}
		}
		order := strategy.Ordered(s)
		o.Strategy = order
		if _, stops := order.Stopped(); stops {
			t.Errorf("%s: stopped before the first run", c.name)
		}
		sys := pulse.New(o)
		c.body(sys)
		if got, stops := order.Stopped(); got != c.want || stops != c.stops {
			t.Errorf("%s: stopped at %+v %v, %v; want %+v %v, %v", c.name, got, got.Why, stops, c.want, c.want.Why, c.stops)
		}
		sys.Close()
	}
}
