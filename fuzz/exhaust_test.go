package fuzz

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// counted returns a property that counts its runs.
func counted(property func(*props.T)) (counting func(*props.T), runs *int) {
	runs = new(int)
	return func(t *props.T) { *runs++; property(t) }, runs
}

// one is a property with a single order and no draws.
func one(t *props.T) {
	sys := t.System()
	sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), "go")
	sys.Run()
}

// few are properties with few orders, by name.
var few = map[string]func(*props.T){
	"one order": one,
	"24 orders": func(t *props.T) {
		sys := t.System()
		load.Senders(4, 1).Build(sys)
		sys.Run()
	},
	"inputs": func(t *props.T) {
		n := props.OneOf(t, "senders", 1, 2, 3)
		sys := t.System()
		load.Senders(n, 1).Build(sys)
		sys.Run()
	},
	"choices": func(t *props.T) {
		sys := t.System()
		sys.Send(sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Choose(3) })), "go")
		sys.Run()
	},
	"timers": func(t *props.T) {
		sys := t.System()
		sys.Go("sleeper", func(p *pulse.Process) { p.Sleep(1) })
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), "go")
		sys.Run()
	},
	"always": func(t *props.T) {
		sys := t.System()
		load.Senders(3, 1).Build(sys)
		t.Always("nothing is wrong", func() error { return nil })
		sys.Run()
	},
	"subject": subjectNamed("server").Smallest(true),
}

// Check ends when every order was run. Before, a program with one order and no
// draws ran two million times in its two seconds.
func TestCheckEndsWhenNothingIsLeft(t *testing.T) {
	const most = 1000
	for name, property := range few {
		t.Run(name, func(t *testing.T) {
			p, runs := counted(property)
			Config{Folder: t.TempDir(), Budget: time.Minute}.Check(t, p) // a tenth of the minute is for running all orders: enough on a busy machine
			if *runs > most {
				t.Errorf("%d runs, want at most %d", *runs, most)
			}
		})
	}
}

// appended fails only in the reverse order. Its actors append to a shared slice.
func appended(actors int) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		var list []int
		for i := range actors {
			sys.Send(sys.Spawn("actor", pulse.Func(func(_ *pulse.Ctx, msg any) { list = append(list, msg.(int)) })), i)
		}
		if sys.Run(); slices.IsSortedFunc(list, func(a, b int) int { return b - a }) {
			t.Errorf("the last came first, and the first last")
		}
	}
}

// outlived fails after 20 runs, because its variable keeps its value from run to run.
func outlived() func(*props.T) {
	hits := 0
	return func(t *props.T) {
		sys := t.System()
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { hits++ })), "go")
		if sys.Run(); hits > 20 {
			t.Errorf("hit too often")
		}
	}
}

// A reduction cannot see that actors share a variable. So Check continues
// with random runs after the only distinct order. If an order fails that
// has passed before, Check and Explore say why. Check used to pass six
// actors that share a slice.
// A variable that outlives runs used to be reported as shared by actors.
func TestOrdersThatPassedAndFail(t *testing.T) {
	const share, outlives = "actors of this program share more than messages", "something outlives a run"
	for sample, want := range map[string]string{"shared-6": share, "shared-8": share, "outlived-check": outlives, "outlived-explore": outlives} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			out := runSample(t, sample, t.TempDir())
			if !strings.Contains(out, "--- FAIL: TestSample") || !strings.Contains(out, want) {
				t.Errorf("want %q:\n%s", want, out)
			}
			for _, other := range []string{share, outlives} {
				if other != want && strings.Contains(out, other) {
					t.Errorf("it says %q:\n%s", other, out)
				}
			}
		})
	}
}

// Check continues with random orders if it may not have run all orders. That is
// so if the property draws values, has many orders or is not deterministic, or if
// the user has set a strategy.
func TestCheckGoesOn(t *testing.T) {
	calls := 0
	for _, c := range []struct {
		name     string
		config   Config
		property func(*props.T)
	}{
		{"draws", Config{}, subjectNamed("writer").Property(true)},
		{"many orders", Config{}, func(t *props.T) {
			sys := t.System()
			load.Senders(8, 1).Build(sys)
			sys.Run()
		}},
		{"another number of messages each time", Config{}, func(t *props.T) {
			calls++
			sys := t.System()
			a := sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {}))
			for range 1 + calls/100%3 {
				sys.Send(a, "go")
			}
			sys.Run()
		}},
		{"strategies", Config{Strategies: []string{"random"}}, one},
		{"runs", Config{Runs: 2000}, one},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, runs := counted(c.property)
			if c.config.Runs == 0 {
				c.config.Budget = checkBudget / shorter
			}
			c.config.Folder = t.TempDir()
			start := time.Now()
			c.config.Check(t, p)
			if *runs < c.config.Runs || time.Since(start) < c.config.Budget {
				t.Errorf("it ended after %d runs and %v; want as many as the budget allows", *runs, time.Since(start))
			}
		})
	}
}

// checksFew runs all orders of a property with few orders. Its failure
// is reported, saved and replayed like any other: see the golden files.
func checksFew(t *testing.T) { Check(t, subjectNamed("server").Smallest(false)) }
