package finding

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

type awkwardProgram struct {
	name  string
	build func(t *props.T, sys *pulse.System)
}

// property runs the program without changes.
func (p awkwardProgram) property(t *props.T) {
	o := pulse.Options{}
	switch p.name {
	case "lost messages":
		o.Faults = pulse.Faults{Drop: 1}
	case "a crash before anything":
		o.Faults = pulse.Faults{Crash: 1}
	}
	sys := t.SystemWith(o)
	p.build(t, sys)
	sys.Run()
}

// awkward are programs whose failure does not depend on order alone, or whose messages are hard to
// name.
var awkward = []awkwardProgram{
	{"a coin", func(t *props.T, sys *pulse.System) {
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == "coin" && ctx.Choose(2) == 1 {
				t.Error("heads")
			}
		}))
		sendsBy(sys, judge, "coin")
		sendsBy(sys, judge, "other")
	}},
	{"a coin that matters in one order", func(t *props.T, sys *pulse.System) {
		got := 0
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			got++
			if msg == "coin" && got == 2 && ctx.Choose(2) == 1 {
				t.Error("heads")
			}
		}))
		sendsBy(sys, judge, "coin")
		sendsBy(sys, judge, "other")
	}},
	{"names by the order of spawning", func(t *props.T, sys *pulse.System) {
		for range 2 {
			got := ""
			var father pulse.Ref
			sys.Send(sys.Spawn("mother", pulse.Func(func(ctx *pulse.Ctx, _ any) {
				child := ctx.Spawn("child", pulse.Func(func(ctx *pulse.Ctx, msg any) {
					if got += msg.(string); got == "ba" {
						t.Error("ba")
					}
				}))
				father = ctx.Spawn("father", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(child, "b") }))
				ctx.Send(child, "a")
				ctx.Send(father, "go")
			})), "go")
		}
	}},
	{"the same several times", func(t *props.T, sys *pulse.System) {
		got := ""
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if got += msg.(string); got == "xyx" {
				t.Error(got)
			}
		}))
		sendsBy(sys, judge, "x", "x")
		sendsBy(sys, judge, "y")
	}},
	{"the same by actors of one name", func(t *props.T, sys *pulse.System) {
		last := pulse.Ref{}
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if last == (pulse.Ref{}) {
				last = ctx.Sender()
			}
		}))
		sendsBy(sys, judge, "x")
		second := sendsBy(sys, judge, "x")
		sys.Run()
		if last == second {
			t.Error("the second is the first")
		}
	}},
	{"looks at two", func(t *props.T, sys *pulse.System) {
		a, b := 0, 0
		one := sys.Spawn("one", pulse.Func(func(ctx *pulse.Ctx, msg any) { a++ }))
		two := sys.Spawn("two", pulse.Func(func(ctx *pulse.Ctx, msg any) { b++ }))
		sys.Send(one, "x")
		sys.Send(two, "x")
		t.Always("never more of two", func() error {
			if b > a {
				return errors.New("more of two")
			}
			return nil
		})
	}},
	{"skips", func(t *props.T, sys *pulse.System) {
		got := ""
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch got += msg.(string); {
			case got == "ab":
				t.Skip("ab")
			case got == "cb":
				t.Error("cb")
			}
		}))
		sendsBy(sys, judge, "a")
		sendsBy(sys, judge, "b")
		sendsBy(sys, judge, "c")
	}},
	{"timers", func(t *props.T, sys *pulse.System) {
		fired := false
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg {
			case "start":
				ctx.After(time.Second, "late")
			case "late":
				fired = true
			case "other":
				if fired {
					t.Error("late")
				}
			}
		}))
		sendsBy(sys, judge, "start")
		sendsBy(sys, judge, "other")
	}},
	{"a panic beside others", func(t *props.T, sys *pulse.System) {
		got := ""
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if got += msg.(string); got == "b" {
				panic("b first")
			}
		}))
		other := sys.Spawn("other", pulse.Func(func(*pulse.Ctx, any) {}))
		sendsBy(sys, judge, "a")
		sendsBy(sys, judge, "b")
		sendsBy(sys, other, "c")
		sendsBy(sys, other, "d")
	}},
	{"a crash before anything", func(t *props.T, sys *pulse.System) {
		judge := sys.SpawnSpec(pulse.Spec{Name: "judge", Safe: true, Actor: pulse.Func(func(_ *pulse.Ctx, msg any) {
			if msg == "a" {
				t.Error("a")
			}
		})})
		sendsBy(sys, judge, "a", "b")
	}},
	{"reads what another writes", func(t *props.T, sys *pulse.System) {
		first, set := "", false
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if first == "" {
				if first = msg.(string); set && first == "c" {
					first = "b"
				}
			}
		}))
		other := sys.Spawn("other", pulse.Func(func(*pulse.Ctx, any) { set = true }))
		for _, word := range []string{"a", "b", "c"} {
			sendsBy(sys, judge, word)
		}
		sendsBy(sys, other, "set")
		sys.Run()
		if first == "b" {
			t.Error("b came first")
		}
	}},
	{"lost messages", func(t *props.T, sys *pulse.System) {
		got := ""
		judge := sys.Spawn("judge", pulse.Func(func(ctx *pulse.Ctx, msg any) { got += msg.(string) }))
		sendsBy(sys, judge, "a")
		sendsBy(sys, judge, "b")
		sys.Run()
		if got == "b" {
			t.Error("a is not there")
		}
	}},
}

// sendsBy has a new actor send words to another actor.
func sendsBy(sys *pulse.System, to pulse.Ref, list ...string) pulse.Ref {
	by := sys.Spawn("by", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		for _, word := range list {
			ctx.Send(to, word)
		}
	}))
	sys.Send(by, "go")
	return by
}

// TestConditionsOfAwkwardPrograms compares the explanations of programs with answers, timers, faults and repeated names
// with all orders of these programs.
func TestConditionsOfAwkwardPrograms(t *testing.T) {
	var b strings.Builder
	for _, c := range awkward {
		t.Run(c.name, func(t *testing.T) {
			out := shrunkBy(t, c.property, 1, 20_000)
			r := props.NewRunner(t.Name(), c.property)
			defer r.Close()
			if !holdsExactly(t, c.name, r, &out) {
				t.Errorf("not held against all orders: %+v", out.why)
			}
			fmt.Fprintf(&b, "%s: %s\n", c.name, out.why.String())
		})
	}
	golden.File(t, "testdata/awkward.txt", b.String())
}
