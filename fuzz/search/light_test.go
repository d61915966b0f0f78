package search

import (
	"context"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// What is found does not depend on which runs are counted, and so not on which runs are
// light: the same run fails, in the same order.
func TestLightRunsFindTheSame(t *testing.T) {
	late := 0
	for _, s := range subjects.Easy() {
		for _, arms := range [][]string{nil, {"random"}, {"pct", "delay"}} {
			for seed := range uint64(4) {
				late += findsTheSame(t, s, seed, arms)
			}
		}
	}
	if late < 12 {
		t.Errorf("%d failures after the first %d runs: this shows nothing", late, firstCounted)
	}
}

// findsTheSame compares a search with one that counts all runs. It returns 1 if they find
// something after the first runs.
func findsTheSame(t *testing.T, s subjects.Subject, seed uint64, arms []string) int {
	t.Helper()
	o := Options{Runs: 1500, Seed: seed}
	if arms != nil {
		o.Portfolio, _ = Strategies(arms...)
	}
	p := Property{Name: s.Name, Test: s.Name, Func: s.Property(false)}
	some := Sample(context.Background(), p, o)
	o.CountAll = true
	all := Sample(context.Background(), p, o)
	if some.Index != all.Index || some.Steps != all.Steps || some.Runs != all.Runs || (some.Finding == nil) != (all.Finding == nil) {
		t.Errorf("%s by %s: run %d of %d, %d steps; all counted: %d of %d, %d", s.Name, arms, some.Index, some.Runs, some.Steps, all.Index, all.Runs, all.Steps)
		return 0
	}
	f, g := some.Finding, all.Finding
	if f == nil {
		return 0
	}
	if f.Case.Signature != g.Case.Signature || f.Case.Hash != g.Case.Hash || f.Location != g.Location || f.Replays != finding.Tried {
		t.Errorf("%s by %s: %s, replayed %d; all counted: %s", s.Name, arms, f.Case.Signature, f.Replays, g.Case.Signature)
	}
	if some.Index < firstCounted {
		return 0
	}
	return 1
}

// Of the first runs the orders are counted, then of a share, and of each arm alike. What
// is told of orders says so.
func TestSomeRunsAreCounted(t *testing.T) {
	p := Property{Name: t.Name(), Test: t.Name(), Func: func(t *props.T) { race3(t, pulse.Options{}).Run() }}
	res := Sample(context.Background(), p, Options{Runs: 4096, Seed: 1})
	counted := res.Counted()
	if want := firstCounted + (4096-firstCounted)/countedShare; counted < want-60 || counted > want+60 || res.Orders.Runs() != counted {
		t.Errorf("%d runs counted, %d by coverage; want about %d", counted, res.Orders.Runs(), want)
	}
	if u := res.Orders.Chance().Runs; u != res.By["random"]-res.Uncounted["random"] || 8*u < counted {
		t.Errorf("%d of %d counted runs are unguided", u, counted)
	}
	for arm, n := range res.By {
		if left := n - res.Uncounted[arm]; left < n/16 || left > n/2 && n > firstCounted {
			t.Errorf("%s: %d of %d runs counted", arm, left, n)
		}
	}
	if text := res.Coverage() + res.Yields(); strings.Count(text, "counted") != 1+len(res.By) {
		t.Errorf("not told:\n%s", text)
	}
	two := Sample(context.Background(), p, Options{Runs: 4096, Seed: 1, Workers: 2})
	if two.Counted() != counted || two.Yields() == "" || two.Orders.Chance() != res.Orders.Chance() {
		t.Errorf("two workers count %d, one %d", two.Counted(), counted)
	}
}

// A run that fails once, after the first, is told with its failure, and as one that does
// not repeat itself.
func TestLightFailureThatDoesNotRepeat(t *testing.T) {
	runs := 0
	p := Property{Name: t.Name(), Test: t.Name(), Func: func(t *props.T) {
		race3(t, pulse.Options{}).Run()
		if runs++; runs > 700 && runs%5 == 0 {
			t.Fatal("by chance")
		}
	}}
	arms, _ := Strategies("random")
	res := Sample(context.Background(), p, Options{Runs: 2000, Seed: 1, Portfolio: arms})
	if f := res.Finding; f == nil || f.Failure.Text != "by chance" || f.Replays == finding.Tried || f.Differs == "" {
		t.Errorf("%+v", res.Finding)
	}
}
