package finding

import (
	"context"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/shrink"
)

// A fitful is a property that behaves differently in each run of the shrinker, whose runs count from 1. Before run 1 it
// always fails.
type fitful struct {
	run  int
	asks func(run int) bool // whether its actor makes a choice
	says func(run int) string
}

func (m *fitful) property(t *props.T) {
	sys := t.System()
	asks, says := false, "no"
	if m.run > 0 {
		asks, says = m.asks(m.run), m.says(m.run)
		m.run++
	}
	sys.Send(sys.Spawn("fitful", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		if asks {
			ctx.Choose(2)
		}
	})), "go")
	sys.Run()
	if says != "" {
		t.Error(says)
	}
}

// TestKeptAsFound: a finding that cannot be shrunk stays as it was found. Its report gives the reason.
func TestKeptAsFound(t *testing.T) {
	never := func(int) bool { return false }
	always := func(int) string { return "no" }
	for _, c := range []struct {
		name   string
		fitful fitful
		want   string
	}{
		{"passes", fitful{asks: never, says: func(int) string { return "" }},
			"1 step, not shrunk: it does not repeat: replayed again, it does not fail"},
		{"fails otherwise", fitful{asks: never, says: func(int) string { return "never\nmore" }},
			"1 step, not shrunk: it does not repeat: replayed again, it fails with: never"},
		{"passes by a schedule", fitful{asks: never, says: func(run int) string { return map[int]string{1: "no"}[run] }},
			"1 step, not shrunk: no order of its messages reproduces it"},
		{"asks each second time", fitful{asks: func(run int) bool { return run%2 == 0 }, says: always},
			"1 step, not shrunk: the smallest run, of 1 step, does not repeat: in step 0, choice 0: the record has ended, the run asks for choose with 2 answers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, f := foundBy(t, c.fitful.property, 1)
			r := p.runner()
			defer r.Close()
			first, text := f.Case, f.Text("run 1")
			c.fitful.run = 1
			out := Shrink(context.Background(), r, f, shrink.Options{Runs: 10})
			if out.Finding != nil || f.Shrunk != c.want || !strings.Contains(f.Text("run 1"), "run 1; "+c.want) {
				t.Errorf("shrunk to %v, says %q, expected %q; it told\n%s", out.Finding, f.Shrunk, c.want, text)
			}
			if differs := strings.HasPrefix(c.want, "1 step, not shrunk: it does not repeat"); differs != (f.Differs != "") || differs != f.Case.Doubtful {
				t.Errorf("it differs: %q, doubtful: %v", f.Differs, f.Case.Doubtful)
			}
			if !f.Case.Same(&first) || f.Replays != Tried || f.Why() != "" {
				t.Errorf("the finding is not as it was: %+v", f.Case)
			}
		})
	}
}
