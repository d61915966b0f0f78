package finding

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A till is an actor with fields of several types. One field is a list that another actor has, too.
type till struct {
	Sum    int
	shared *[]string
	next   pulse.Ref
}

type pay struct {
	Sum int
	By  string
}

func (a *till) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case pay:
		a.Sum += m.Sum
		*a.shared = append(*a.shared, m.By)
		ctx.Log("has\x1b[2J %d", a.Sum)
		if ctx.Choose(3) == 2 {
			ctx.Nemesis().Cut(a.next, ctx.Self())
			ctx.Send(a.next, "tell\x1b]0;me\a")
		}
	case bool:
		panic("told\x1b[1m")
	}
}

// A clerk has a String method of its own.
type clerk struct{ told int }

func (c *clerk) String() string                  { return fmt.Sprintf("clerk \x1b[5m told %d", c.told) }
func (c *clerk) Receive(ctx *pulse.Ctx, msg any) { c.told++ }

// shop is a run with everything that a step can have: timers, answers, faults, logs, processes.
func shop(t *props.T) {
	var list []string
	sys := t.SystemWith(pulse.Options{Faults: pulse.Faults{Drop: 1, Crash: 1}})
	c := sys.Spawn("clerk\x1b[7m", &clerk{})
	a := sys.Spawn("till", &till{shared: &list, next: c})
	b := sys.Spawn("other", &till{shared: &list, next: c})
	wait := sys.Go("wait", func(p *pulse.Process) {
		p.ReceiveMatch(func(m any) bool { _, is := m.(int); return is })
		p.Sleep(5)
		p.Send(b, pay{4, "wait"})
	})
	sys.Send(a, pay{1, "x"})
	sys.Send(b, pay{2, "y"})
	sys.Send(wait, 7)
	sys.Send(wait, "never")
	t.Always("sum below 5", func() error {
		if len(list) == 3 {
			return errors.New("is\x1b[0m above")
		}
		return nil
	})
	sys.Run()
}

// caseBy returns the case of the first random run of a property whose result satisfies
// is.
func caseBy(tb testing.TB, r *props.Runner, is func(*props.Result) bool) *corpus.Case {
	tb.Helper()
	for seed := range uint64(5000) {
		res := r.Run(props.Plan{Seed: seed, Strategy: strategy.Random(), StrategySeed: seed})
		if is(&res) {
			c := CaseOf(Origin{Property: "p", Test: "TestP"}, &res)
			if res.Failure != nil {
				c.Signature = res.Failure.Lasting()
			}
			return &c
		}
	}
	tb.Fatal("no run comes to that")
	return nil
}

func fails(res *props.Result) bool { return res.Failure != nil }
func holds(res *props.Result) bool { return res.Failure == nil }

func TestWalk(t *testing.T) {
	r := props.NewRunner("p", shop)
	defer r.Close()
	w := ReplaySteps(r, caseBy(t, r, func(res *props.Result) bool {
		crashed := func(s trace.Step) bool { return s.Kind == trace.Crash }
		return fails(res) && len(res.System.Trace().Strikes) > 0 && slices.ContainsFunc(res.System.Trace().Steps, crashed)
	}), 0, 100)
	text, err := json.MarshalIndent(w, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/walk.golden", string(text)+"\n")
	if w.Unsteady != "" || w.Failed != len(w.Receivers)-1 || len(w.Moments) != len(w.Receivers) {
		t.Errorf("unsteady %q, failed in %d of %d, %d are known", w.Unsteady, w.Failed, len(w.Receivers), len(w.Moments))
	}
	if strings.ContainsAny(string(text), "\x1b\a") || strings.Contains(string(text), `\u001b`) {
		t.Error("there are control characters")
	}
}

// TestWalkInParts: the description of a step does not depend on which other steps are requested with
// it.
func TestWalkInParts(t *testing.T) {
	r := props.NewRunner("p", shop)
	defer r.Close()
	c := caseBy(t, r, fails)
	all := ReplaySteps(r, c, 0, 100)
	for i := range all.Moments {
		part := ReplaySteps(r, c, i, 1)
		if part.First != i || len(part.Moments) != 1 || part.Hash != all.Hash || !slices.Equal(part.Receivers, all.Receivers) {
			t.Fatalf("step %d: %+v", i, part)
		}
		one, _ := json.Marshal(part.Moments[0])
		other, _ := json.Marshal(all.Moments[i])
		if string(one) != string(other) {
			t.Errorf("step %d alone is\n%s\nwith the others it is\n%s", i, one, other)
		}
	}
}

// ring makes a long run: messages circulate, and each actor always has other messages to take.
func ring(actors, steps int) func(*props.T) {
	return func(t *props.T) {
		left := steps
		sys := t.SystemWith(pulse.Options{Steps: steps + actors + 10})
		var refs []pulse.Ref
		for range actors {
			refs = append(refs, sys.Spawn("node", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if left--; left > 0 {
					ctx.Send(refs[(msg.(int)+1)%actors], (msg.(int)+1)%actors)
				}
			})))
		}
		for i := range actors {
			sys.Send(refs[i], i)
		}
		sys.Run()
	}
}

// TestWalkIsBounded: a part of a walk is never larger than requested, however long the run is and however many messages
// wait.
func TestWalkIsBounded(t *testing.T) {
	for _, c := range []struct{ actors, steps, first, most, size int }{
		{30, 10_000, 9_000, 256, 2 << 20},
		{1500, 3_000, 0, mostStates / 1501, 2 << 20},
		{30, 10_000, 20_000, 1, 2 << 20},
		{30, 100, -5, 256, 2 << 20},
	} {
		r := props.NewRunner("p", ring(c.actors, c.steps))
		cs := caseBy(t, r, holds)
		w := ReplaySteps(r, cs, c.first, 256)
		text, _ := json.Marshal(w)
		if len(w.Moments) > c.most || len(text) > c.size || w.Unsteady != "" || len(w.Receivers) < c.steps || w.Failed != -1 {
			t.Errorf("%+v: %d steps, %d bytes, unsteady %q, %d in all", c, len(w.Moments), len(text), w.Unsteady, len(w.Receivers))
		}
		for i := range w.Moments {
			if len(w.Moments[i].Others) > mostOthers {
				t.Errorf("step %d tells of %d others", i, len(w.Moments[i].Others))
			}
		}
		r.Close()
	}
}

// TestWalkOfOtherRuns walks runs of special properties. One makes no system, one draws, one fails after the last step,
// one has changed, and one does not repeat itself.
func TestWalkOfOtherRuns(t *testing.T) {
	tests := []struct {
		name        string
		property    func(*props.T)
		is          func(*props.Result) bool
		want        string
		unsteady    bool
		afterChange func(*props.T)
	}{
		{name: "no system", property: func(t *props.T) { t.Fatal("no") }, is: fails, want: `failed in 0 of 0 "no"`},
		{name: "nothing is sent", property: func(t *props.T) { t.System().Run() }, is: holds, want: `failed in -1 of 0 ""`},
		{name: "at the end", property: func(t *props.T) {
			ring(2, 3)(t)
			t.Errorf("late")
		}, is: fails, want: `failed in 4 of 4 "late"`},
		{name: "changed", property: ring(2, 3), is: holds, want: `failed in -1 of 6 ""`, afterChange: ring(3, 4)},
		{name: "by chance", property: func(t *props.T) {
			sys := t.System()
			a := sys.Spawn("a", &clerk{})
			for range 50 {
				sys.Send(a, [...]any{true, 1, 2.5, "a"}[rand.N(4)])
			}
			sys.Run()
		}, is: holds, unsteady: true},
		{name: "in a panic", property: func(t *props.T) {
			sys := t.System()
			sys.Send(sys.Spawn("a", &till{Sum: 7}), true)
			sys.Run()
		}, is: fails, want: `failed in 0 of 1 "panic in a#1 ← true: told\\x1b[1m"`},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			r := props.NewRunner("p", c.property)
			defer r.Close()
			cs := caseBy(t, r, c.is)
			if c.afterChange != nil {
				r.Close()
				r = props.NewRunner("p", c.afterChange)
			}
			w := ReplaySteps(r, cs, 0, 10)
			got := fmt.Sprintf("failed in %d of %d %q", w.Failed, len(w.Receivers), w.Failure)
			if (w.Unsteady != "") != c.unsteady || !c.unsteady && got != c.want || c.unsteady && len(w.Receivers) != 50 {
				t.Errorf("%s, unsteady %q; want %s", got, w.Unsteady, c.want)
			}
			for _, m := range w.Moments {
				if len(m.Before) == 0 || len(m.Now) == 0 {
					t.Errorf("what the receiver keeps is not known: %+v", m)
				}
			}
		})
	}
}
