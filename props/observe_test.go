package props_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// counter counts what it receives.
type counter struct{ n int }

func (c *counter) Receive(ctx *pulse.Ctx, msg any) { c.n++ }

// counting builds a system whose actor c receives three messages.
func counting(t *props.T) (c *counter, sys *pulse.System) {
	sys = t.System()
	c = &counter{}
	ref := sys.Spawn("counter", c)
	for i := range 3 {
		sys.Send(ref, i)
	}
	return c, sys
}

// limit is a monitor that allows a number of messages.
type limit struct{ left int }

func (l *limit) String() string { return "limit" }

func (l *limit) Received(m props.Message) error {
	if l.left--; l.left < 0 {
		return fmt.Errorf("%v from %s to %s in step %d is one too many", m.Body, m.From, m.To, m.Step)
	}
	return nil
}

// awaits is a monitor that is hot until it has seen a message.
type awaits struct{ body any }

func (a *awaits) Received(m props.Message) error {
	if m.Body == a.body {
		a.body = nil
	}
	return nil
}

func (a *awaits) Hot() string {
	if a.body == nil {
		return ""
	}
	return fmt.Sprintf("message %v", a.body)
}

var observations = []outcome{
	{"Always holds", func(t *props.T) {
		_, sys := counting(t)
		t.Always("sane", func() error { return nil })
		sys.Run()
	}, "held"},
	{"Always breaks", func(t *props.T) {
		c, sys := counting(t)
		t.Always("few", func() error {
			if c.n > 1 {
				return fmt.Errorf("%d are many", c.n)
			}
			return nil
		})
		sys.Run()
	}, "property: property+2: few: 2 are many (step 1)"},
	{"Always fails", func(t *props.T) {
		c, sys := counting(t)
		t.Always("few", func() error {
			if c.n > 1 {
				t.Fatalf("%d are many", c.n)
			}
			return nil
		})
		sys.Run()
	}, "property: property+4: 2 are many (step 1)"},
	{"Always panics", func(t *props.T) {
		_, sys := counting(t)
		t.Always("few", func() error { panic("one") })
		sys.Run()
	}, "panic: property+2: panic outside of a step: one (step 0)"},
	{"Always from within", func(t *props.T) {
		sys := t.System()
		broken := false
		a := sys.Spawn("a", pulse.Func(func(*pulse.Ctx, any) {
			if t.Step() == 1 {
				t.Always("late", func() error {
					if broken {
						return errors.New("broken")
					}
					return nil
				})
				broken = true
			}
		}))
		for range 4 {
			sys.Send(a, 1)
		}
		sys.Run()
	}, "property: property+5: late: broken (step 1)"},
	{"Always before System", func(t *props.T) { t.Always("few", func() error { return nil }) },
		`misuse: property+0: Always "few" before System: make the system first`},
	{"Always in a Cleanup", func(t *props.T) {
		t.System().Run()
		t.Cleanup(func() { t.Always("few", func() error { return errors.New("many") }) })
	}, `misuse: property+2: Always "few" after the property has returned: nothing is checked any more`},
	{"Eventually in a Cleanup", func(t *props.T) {
		t.System().Run()
		t.Cleanup(func() { t.Eventually("few", func() bool { return false }) })
	}, `misuse: property+2: Eventually "few" after the property has returned: nothing is checked any more`},
	{"Always nil", func(t *props.T) { t.System(); t.Always("few", nil) },
		`misuse: property+0: Always "few" is nil: say what must hold`},

	{"Eventually comes, and goes", func(t *props.T) {
		c, sys := counting(t)
		t.Eventually("two", func() bool { return c.n == 2 })
		sys.Run()
	}, "held"},
	{"Eventually without a step", func(t *props.T) {
		sys := t.System()
		t.Eventually("now", func() bool { return true })
		sys.Run()
	}, "held"},
	{"Eventually never", func(t *props.T) {
		c, sys := counting(t)
		t.Eventually("two", func() bool { return c.n == 2 })
		t.Eventually("four", func() bool { return c.n == 4 })
		sys.Run()
	}, "eventuality: property+3: four: never came about, and nothing more can happen"},
	{"Eventually before System", func(t *props.T) { t.Eventually("few", func() bool { return true }) },
		`misuse: property+0: Eventually "few" before System: make the system first`},
	{"Eventually never, and a failure", func(t *props.T) {
		_, sys := counting(t)
		t.Eventually("four", func() bool { return false })
		sys.Run()
		t.Errorf("one")
	}, "property: property+4: one"},
	{"Eventually panics", func(t *props.T) {
		c, sys := counting(t)
		t.Eventually("four", func() bool { return 1/(c.n-3) > 1 })
		sys.Run()
	}, "panic: property+2: panic outside of a step: runtime error: integer divide by zero (step 2)"},

	{"Monitor", func(t *props.T) {
		_, sys := counting(t)
		t.Monitor(&limit{3})
		sys.Run()
	}, "held"},
	{"Monitor objects", func(t *props.T) {
		_, sys := counting(t)
		t.Monitor(&limit{2})
		sys.Run()
	}, "property: observe_test.go: limit: 2 from test to counter in step 2 is one too many (step 2)"},
	{"Monitor cools", func(t *props.T) {
		_, sys := counting(t)
		t.Monitor(&awaits{2})
		sys.Run()
	}, "held"},
	{"Monitor stays hot", func(t *props.T) {
		_, sys := counting(t)
		t.Monitor(&awaits{7})
		sys.Run()
	}, "eventuality: observe_test.go: *props_test.awaits: message 7 is still to come, and nothing more can happen"},
	{"Monitor before System", func(t *props.T) { t.Monitor(&limit{}) },
		`misuse: property+0: Monitor "*props_test.limit" before System: make the system first`},
	{"Monitor nil", func(t *props.T) { t.System(); t.Monitor(nil) }, `misuse: property+0: Monitor "<nil>" is nil: say what must hold`},
	{"Monitor and a process", func(t *props.T) { // the monitor does not see the start and the waits of a process
		sys := t.System()
		t.Monitor(&limit{1})
		p := sys.Go("p", func(p *pulse.Process) {
			p.Sleep(1)
			p.ReceiveTimeout(5)
			p.ReceiveTimeout(5)
		})
		sys.Send(p, 1)
		sys.Run()
	}, "held"},
}

func TestObservations(t *testing.T) {
	for _, o := range observations {
		t.Run(o.name, func(t *testing.T) {
			if diff := cmp.Diff(o.want, told(once(t, o.property), o.property)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSometimes checks which situations were reached in several runs.
func TestSometimes(t *testing.T) {
	n := 0
	r := props.NewRunner("", func(t *props.T) {
		n++
		t.Sometimes("second run", n == 2)
		if n > 1 {
			t.Sometimes("never", false)
		}
		t.Sometimes("always", true)
		say(t, func(*pulse.Ctx) { t.Sometimes("in a handler", n == 3) })
	})
	defer r.Close()
	for i, want := range []string{"[second run in a handler]", "[in a handler never]", "[never]", "[never]"} {
		r.Run(props.Plan{})
		if got := fmt.Sprint(r.Missed()); i > 0 && got != want {
			t.Errorf("after run %d: %s, want %s", i+1, got, want)
		}
	}
}

// TestLabel: a run has each of its labels once, at most 100.
func TestLabel(t *testing.T) {
	n := 0
	r := props.NewRunner("", func(t *props.T) {
		n++
		t.Label("run", n)
		say(t, func(*pulse.Ctx) { t.Label("run", n) })
		for i := range 200 {
			t.Label("in a loop", i*(n-1))
		}
	})
	defer r.Close()
	if got := r.Run(props.Plan{}).Labels; !slices.Equal(got, []props.Label{{Name: "run", Value: "1"}, {Name: "in a loop", Value: "0"}}) {
		t.Error(got)
	}
	if got := r.Run(props.Plan{}).Labels; len(got) != 100 || got[0].Value != "2" || got[99].Value != "98" {
		t.Error(got)
	}
}

// TestWatches checks for which properties Watches, Remembers and Between are set.
func TestWatches(t *testing.T) {
	for _, c := range []struct {
		name                       string
		add                        func(*props.T)
		watches, remember, between bool
	}{
		{"nothing", func(*props.T) {}, false, false, false},
		{"Sometimes", func(t *props.T) { t.Sometimes("s", true) }, false, false, false},
		{"Label", func(t *props.T) { t.Label("s", 1) }, false, false, false},
		{"Always", func(t *props.T) { t.Always("a", func() error { return nil }) }, true, false, true},
		{"Eventually", func(t *props.T) { t.Eventually("e", func() bool { return true }) }, true, true, true},
		{"Monitor", func(t *props.T) { t.Monitor(deaf{}) }, true, true, true},
		{"Watch", func(t *props.T) { t.Watch() }, true, true, true},
		{"Event", func(t *props.T) { t.Event() }, true, true, false},
	} {
		add := c.add
		r := props.NewRunner("", func(t *props.T) {
			sys := t.System()
			add(t)
			sys.Run()
		})
		for range 2 {
			if res := r.Run(props.Plan{}); res.Watches != c.watches || res.Remembers != c.remember || res.Between != c.between {
				t.Errorf("%s: watches %v, remembers %v, between %v", c.name, res.Watches, res.Remembers, res.Between)
			}
			add = func(*props.T) {}
			c.watches, c.remember, c.between = false, false, false // the next run must not inherit the conditions
		}
		r.Close()
	}
}

type deaf struct{}

func (deaf) Received(props.Message) error { return nil }

// TestObservesNothing: an Always or Monitor that is added after the last Run checks nothing. The
// verb reports that at the end, like a situation that no run reached, because in other runs it may
// check something.
func TestObservesNothing(t *testing.T) {
	always := func(t *props.T) { t.Always("few", func() error { return errors.New("many") }) }
	for _, c := range []struct {
		name     string
		property func(t *props.T, sys *pulse.System, run int)
		want     []string
	}{
		{"Always at the end", func(t *props.T, sys *pulse.System, _ int) { sys.Run(); always(t) }, []string{"Always few: a Run follows"}},
		{"Monitor at the end", func(t *props.T, sys *pulse.System, _ int) { sys.Run(); t.Monitor(&limit{3}) },
			[]string{"Monitor *props_test.limit: a Run follows"}},
		{"Eventually at the end", func(t *props.T, sys *pulse.System, _ int) {
			sys.Run()
			t.Eventually("few", func() bool { return true })
		}, nil},
		{"before a Run without a step", func(t *props.T, sys *pulse.System, _ int) { sys.Run(); always(t); sys.Run() }, nil},
		{"between and at the end", func(t *props.T, sys *pulse.System, _ int) {
			sys.Run()
			always(t)
			sys.Run()
			t.Monitor(&limit{3})
		}, []string{"Monitor *props_test.limit: a Run follows"}},
		{"before the first Run", func(t *props.T, sys *pulse.System, _ int) { always(t); sys.Run() }, nil},
		{"in the last step", func(t *props.T, sys *pulse.System, _ int) {
			sys.Send(sys.Spawn("who", pulse.Func(func(*pulse.Ctx, any) { t.Monitor(&limit{3}) })), "go")
			sys.Run()
		}, nil},
		{"rounds, and none of them in some runs", func(t *props.T, sys *pulse.System, run int) {
			sys.Run()
			always(t)
			for range run % 3 {
				sys.Run()
			}
		}, nil},
	} {
		run := 0
		r := props.NewRunner("", func(t *props.T) { c.property(t, t.System(), run) })
		for ; run < 4; run++ {
			if res := r.Run(props.Plan{Seed: 1}); res.Failure != nil {
				t.Errorf("%s: run %d failed: %v", c.name, run, res.Failure)
			}
		}
		if got := r.Missed(); !slices.Equal(got, c.want) {
			t.Errorf("%s: missed %q, want %q", c.name, got, c.want)
		}
		r.Close()
	}
}
