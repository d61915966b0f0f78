package strategy_test

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// first is a program in which each of w actors receives one message. The field
// who is the actor that received its message first.
type first struct{ w, who int }

func (p *first) run(sys *pulse.System, seed uint64) *pulse.Failure {
	sys.Reset(seed)
	p.who = -1
	for i := range p.w {
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {
			if p.who < 0 {
				p.who = i
			}
		})), kick{})
	}
	sys.Run()
	return sys.Failure()
}

func TestRandomIsUniform(t *testing.T) {
	p := first{w: 3}
	counts := make([]int, p.w)
	tally(t, strategy.Random(), runs(30_000), p.run, func() bool { counts[p.who]++; return true })
	if ok, chi, bound := isUniform(counts); !ok {
		t.Errorf("counts %v of three equal channels: chi-square %.1f, expected at most %.1f", counts, chi, bound)
	}
}

// TestPlainIsNotUniform checks that the check of uniformity can fail.
func TestPlainIsNotUniform(t *testing.T) {
	p := first{w: 3}
	counts := make([]int, p.w)
	tally(t, strategy.Plain(), 1000, p.run, func() bool { counts[p.who]++; return true })
	if ok, _, _ := isUniform(counts); ok || counts[0] != 1000 {
		t.Errorf("plain order begins as %v", counts)
	}
}

// TestChoices checks for each strategy that Ctx.Choose has uniform results, and
// that a fault or an early timer happens with probability 1/16.
func TestChoices(t *testing.T) {
	for _, s := range all() {
		t.Run(s.name, func(t *testing.T) {
			s := s.make()
			s.Begin(1)
			tries := runs(40_000)
			counts := make([]int, 5)
			for range tries {
				counts[s.Choose(choice.Program, 5)]++
			}
			if ok, chi, bound := isUniform(counts); !ok {
				t.Errorf("counts %v of five answers: chi-square %.1f, expected at most %.1f", counts, chi, bound)
			}
			for _, kind := range []choice.Kind{choice.Drop, choice.Fault, choice.Clock} {
				hits := 0
				for range tries {
					if s.Choose(kind, 2) == 1 {
						hits++
					}
				}
				expectChance(t, hits, tries, 1.0/16)
			}
		})
	}
}

// wrong is a strategy that gives invalid answers.
type wrong struct{ pick, choose int }

func (*wrong) Begin(uint64)                  {}
func (w *wrong) Pick(*pulse.Enabled) int     { return w.pick }
func (w *wrong) Choose(choice.Kind, int) int { return w.choose }

func TestWrongAnswers(t *testing.T) {
	tests := []struct {
		strategy *wrong
		want     string
	}{
		{&wrong{pick: 7}, "strategy *strategy_test.wrong picked 7 of 3 deliverable messages, counted from 0"},
		{&wrong{pick: 3}, "strategy *strategy_test.wrong picked 3 of 3 deliverable messages, counted from 0"},
		{&wrong{pick: pulse.Hold}, "strategy *strategy_test.wrong picked -1 of 3 deliverable messages, counted from 0"},
		{&wrong{choose: 4}, "strategy *strategy_test.wrong answered 4 to choose with 4 answers"},
		{&wrong{choose: -1}, "strategy *strategy_test.wrong answered -1 to choose with 4 answers"},
	}
	for _, test := range tests {
		sys := pulse.New(pulse.Options{Strategy: test.strategy})
		for range 3 {
			sys.Send(sys.Spawn("chooser", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Choose(4) })), kick{})
		}
		sys.Run()
		f := sys.Failure()
		if f == nil || f.Kind != pulse.KindStrategy || f.Text != test.want {
			t.Errorf("got %v, expected %s", f, test.want)
		}
		sys.Close()
	}
}
