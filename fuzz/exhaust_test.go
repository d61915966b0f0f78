package fuzz

import (
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

// one has one order and draws nothing.
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
			Config{Folder: t.TempDir(), Budget: time.Minute}.Check(t, p) // a tenth of which is for all orders, however busy the machine is
			if *runs > most {
				t.Errorf("%d runs, want at most %d", *runs, most)
			}
		})
	}
}

// Check goes on when what was run may not be all: when it draws at random, when
// there are many orders, when the program does not repeat itself, or when it was
// told how to search.
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

// A failure of a property with few orders is found by running them, and told,
// kept and replayed as any other: see the golden files.
func checksFew(t *testing.T) { Check(t, subjectNamed("server").Smallest(false)) }
