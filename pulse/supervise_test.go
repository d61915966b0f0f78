package pulse_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/pulse"
)

// A diary records what the actors of a test do.
type diary struct{ lines []string }

func (d *diary) write(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// A tally counts, and panics on a blast.
type tally struct {
	d *diary
	n int
}

func (c *tally) Receive(_ *pulse.Ctx, msg any) {
	c.n++
	if msg == any(blast{}) {
		c.d.write("blast at %d", c.n)
		panic("blast")
	}
	c.d.write("%v at %d", msg, c.n)
}

// watching watches an actor and records that it has ended.
func watching(d *diary, r *pulse.Ref) pulse.Func {
	return func(ctx *pulse.Ctx, msg any) {
		if down, ok := msg.(pulse.Down); ok {
			d.write("%v %s", down.Actor, down.Reason)
			return
		}
		ctx.Watch(*r)
	}
}

// family spawns an actor that spawns a child and forwards its messages; the
// child panics on a blast.
func family(s *pulse.System, d *diary, names []string, specs []pulse.Spec) pulse.Ref {
	spec := specs[0]
	spec.Name = names[0]
	spec.New = func() pulse.Actor {
		d.write("%s begins", names[0])
		if len(specs) == 1 {
			return &tally{d: d}
		}
		var child pulse.Ref
		return pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if child.IsZero() {
				child = family(s, d, names[1:], specs[1:])
			}
			ctx.Send(child, msg)
		})
	}
	return s.SpawnSpec(spec)
}

// supervisions are programs in which an actor panics, with the results.
var supervisions = []struct {
	name    string
	build   func(s *pulse.System, d *diary)
	diary   []string
	failure string // the whole text of the failure, without the stack
	orphans []string
}{
	{
		name: "restart without New keeps the state, and the mailbox stays",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "shop", Actor: &tally{d: d}, OnPanic: pulse.OnPanicRestart})
			for _, m := range []any{1, blast{}, 2, 3} {
				s.Send(r, m)
			}
		},
		diary: []string{"1 at 1", "blast at 2", "2 at 3", "3 at 4"},
	},
	{
		name: "restart with New begins anew, and the mailbox stays",
		build: func(s *pulse.System, d *diary) {
			r := family(s, d, []string{"shop"}, []pulse.Spec{{OnPanic: pulse.OnPanicRestart}})
			for _, m := range []any{1, blast{}, 2, 3} {
				s.Send(r, m)
			}
		},
		diary: []string{"shop begins", "1 at 1", "blast at 2", "shop begins", "2 at 1", "3 at 2"},
	},
	{
		name: "a process begins again from the beginning, and takes what waits",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "clerk", OnPanic: pulse.OnPanicRestart, Process: func(p *pulse.Process) {
				d.write("begins")
				for {
					msg := p.Receive()
					d.write("%v", msg)
					refuse(msg)
				}
			}})
			for _, m := range []any{1, blast{}, 2, blast{}, 3} {
				s.Send(r, m)
			}
		},
		diary: []string{"begins", "1", "{}", "begins", "2", "{}", "begins", "3"},
	},
	{
		name: "a process that panics before it waits is not restarted without end",
		build: func(s *pulse.System, d *diary) {
			s.SpawnSpec(pulse.Spec{Name: "clerk", OnPanic: pulse.OnPanicRestart, Restarts: 2,
				Process: func(*pulse.Process) { refuse(blast{}) }})
		},
		failure: `panic in clerk#3 ← start: cannot take 7 of "glass"`,
	},
	{
		name: "a restart that panics counts as another panic",
		build: func(s *pulse.System, d *diary) {
			begun := 0
			r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Restarts: 3, New: func() pulse.Actor {
				if begun++; begun == 2 {
					panic("cannot begin")
				}
				d.write("begins %d", begun)
				return &tally{d: d}
			}})
			s.Send(r, blast{})
			s.Send(r, 1)
		},
		diary: []string{"begins 1", "blast at 1", "begins 3", "1 at 1"},
	},
	{
		name: "a restart for which New returns nil",
		build: func(s *pulse.System, d *diary) {
			first := true
			r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, New: func() pulse.Actor {
				if !first {
					return nil
				}
				first = false
				return &tally{d: d}
			}})
			s.Send(r, blast{})
		},
		diary:   []string{"blast at 1"},
		failure: `actor "shop" is nil: it needs an Actor, a New that returns one, or the function of a process (in shop#1 ← blast)`,
	},
	{
		name: "what the actor had become it stays, without New",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Actor: pulse.Func(func(ctx *pulse.Ctx, _ any) {
				ctx.Become(&tally{d: d})
				panic("blast")
			})})
			s.Send(r, 1)
			s.Send(r, 2)
		},
		diary: []string{"2 at 1"},
	},
	{
		name: "a restart ends children and timers; watchers are told of the children only",
		build: func(s *pulse.System, d *diary) {
			var shop, child pulse.Ref
			shop = s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
				switch msg {
				case "open":
					child = ctx.Spawn("boy", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Spawn("dog", pulse.Func(idle)) }))
					ctx.Send(child, 1)
					ctx.After(time.Second, "late")
					ctx.Every(time.Second, "tick")
				default:
					d.write("shop receives %v", msg)
					refuse(msg)
				}
			})})
			s.Send(shop, "open")
			s.Run()
			d.lines = nil
			s.Send(s.Spawn("friend", watching(d, &shop)), 1)
			s.Send(s.Spawn("aunt", watching(d, &child)), 1)
			s.Send(shop, blast{})
			s.Send(shop, "after")
		},
		diary: []string{"shop receives {}", "shop receives after", "boy stopped"},
	},
	{
		name: "a restart ends watches, those of the old life's children among them",
		build: func(s *pulse.System, d *diary) {
			aunt := s.Spawn("aunt", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
			shop := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
				switch msg := msg.(type) {
				case string:
					ctx.Watch(aunt)
					ctx.Watch(ctx.Spawn("boy", pulse.Func(idle)))
				case pulse.Down:
					d.write("%v %s", msg.Actor, msg.Reason)
				default:
					refuse(msg)
				}
			})})
			s.Send(shop, "watch")
			s.Run()
			s.Send(shop, blast{})
			s.Run()
			s.Send(aunt, "stop")
		},
	},
	{
		name: "as many restarts as are allowed, then a failure",
		build: func(s *pulse.System, d *diary) {
			r := family(s, d, []string{"shop"}, []pulse.Spec{{OnPanic: pulse.OnPanicRestart, Restarts: 2}})
			for range 4 {
				s.Send(r, blast{})
			}
		},
		diary:   []string{"shop begins", "blast at 1", "shop begins", "blast at 1", "shop begins", "blast at 1"},
		failure: "panic in shop#3 ← blast: blast",
	},
	{
		name: "stop tells watchers, and orphans what waits",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "shop", Actor: &tally{d: d}, OnPanic: pulse.OnPanicStop})
			w := s.Spawn("friend", watching(d, &r))
			s.Send(w, 1)
			s.Send(r, blast{})
			s.Send(r, 2)
			s.Send(r, 3)
		},
		diary:   []string{"blast at 1", "shop panicked"},
		orphans: []string{"    2 from test to shop, which had ended", "    3 from test to shop, which had ended"},
	},
	{
		name: "stop ends children first, and theirs",
		build: func(s *pulse.System, d *diary) {
			var shop, boy, dog pulse.Ref
			shop = s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicStop, Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
				boy = ctx.Spawn("boy", pulse.Func(func(ctx *pulse.Ctx, _ any) { dog = ctx.Spawn("dog", pulse.Func(idle)) }))
				ctx.Send(boy, 1)
				refuse(msg)
			})})
			s.Send(shop, 1)
			s.Run()
			for _, r := range []*pulse.Ref{&shop, &boy, &dog} {
				s.Send(s.Spawn("friend", watching(d, r)), 1)
			}
			s.Send(shop, blast{})
		},
		diary:   []string{"dog stopped", "boy.1 stopped", "shop panicked"},
		orphans: []string{"    1 from shop to boy.2, which had ended"},
	},
	{
		name: "stop of a process",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "clerk", Process: refusingProcess, OnPanic: pulse.OnPanicStop})
			s.Send(s.Spawn("friend", watching(d, &r)), 1)
			s.Send(r, 1)
			s.Send(r, blast{})
		},
		diary: []string{"clerk panicked"},
	},
	{
		name: "a stop in the step that panics is forgotten by a restart",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
				d.write("%v", msg)
				ctx.Stop()
				refuse(msg)
			})})
			s.Send(r, blast{})
			s.Send(r, 2)
		},
		diary: []string{"{}", "2"},
	},
	{
		name: "escalation over three levels, to one that restarts",
		build: func(s *pulse.System, d *diary) {
			r := family(s, d, []string{"firm", "shop", "boy"},
				[]pulse.Spec{{OnPanic: pulse.OnPanicRestart}, {OnPanic: pulse.OnPanicEscalate}, {OnPanic: pulse.OnPanicEscalate}})
			for _, m := range []any{1, blast{}, 2} {
				s.Send(r, m)
			}
		},
		diary:   []string{"firm begins", "shop begins", "boy begins", "1 at 1", "blast at 2", "firm begins"},
		orphans: []string{"    2 from shop to boy, which had ended"},
	},
	{
		name: "the limit of restarts escalates to one that stops",
		build: func(s *pulse.System, d *diary) {
			r := family(s, d, []string{"shop", "boy"}, []pulse.Spec{{OnPanic: pulse.OnPanicStop}, {OnPanic: pulse.OnPanicRestart, Restarts: 1}})
			s.Send(s.Spawn("friend", watching(d, &r)), 1)
			s.Send(r, blast{})
			s.Send(r, blast{})
		},
		diary: []string{"shop begins", "boy begins", "blast at 1", "boy begins", "blast at 1", "shop panicked"},
	},
	{
		name: "escalation to the test is a failure",
		build: func(s *pulse.System, d *diary) {
			s.Send(family(s, d, []string{"shop", "boy"}, []pulse.Spec{{OnPanic: pulse.OnPanicEscalate}, {OnPanic: pulse.OnPanicEscalate}}), blast{})
		},
		diary:   []string{"shop begins", "boy begins", "blast at 1"},
		failure: "panic in boy#1 ← blast: blast",
	},
	{
		name: "escalation to one that fails is a failure",
		build: func(s *pulse.System, d *diary) {
			s.Send(family(s, d, []string{"shop", "boy"}, []pulse.Spec{{}, {OnPanic: pulse.OnPanicEscalate}}), blast{})
		},
		diary:   []string{"shop begins", "boy begins", "blast at 1"},
		failure: "panic in boy#1 ← blast: blast",
	},
	{
		name: "escalation to one that has ended is a failure",
		build: func(s *pulse.System, d *diary) {
			shop := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
				child := ctx.SpawnSpec(pulse.Spec{Name: "boy", Actor: &tally{d: d}, OnPanic: pulse.OnPanicEscalate})
				ctx.Send(child, msg)
				ctx.Stop()
			})})
			s.Send(shop, blast{})
		},
		diary:   []string{"blast at 1"},
		failure: "panic in boy#1 ← blast: blast",
	},
	{
		name: "a process that waits is restarted by the panic of its child",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "clerk", OnPanic: pulse.OnPanicRestart, Process: func(p *pulse.Process) {
				d.write("begins")
				child := p.SpawnSpec(pulse.Spec{Name: "boy", Actor: &tally{d: d}, OnPanic: pulse.OnPanicEscalate})
				p.Send(child, p.Receive())
				d.write("goes on with %v", p.Receive())
			}})
			s.Send(r, blast{})
			s.RunFor(0)
			s.Send(r, 1)
			s.Send(r, 2)
		},
		diary: []string{"begins", "blast at 1", "begins", "goes on with 2", "1 at 1"},
	},
}

func TestSupervision(t *testing.T) {
	for _, c := range supervisions {
		t.Run(c.name, func(t *testing.T) {
			for _, o := range []pulse.Options{{Record: true}, {}, {Record: true, Delivery: pulse.DeliveryUnordered}} {
				s := pulse.New(o)
				d := &diary{}
				c.build(s, d)
				s.Run()
				f := s.Failure()
				how := fmt.Sprintf("%v, recorded %v", o.Delivery, o.Record)
				if got := d.lines; !slices.Equal(got, c.diary) {
					t.Errorf("%s: the diary is %q, expected %q", how, got, c.diary)
				}
				if (f == nil) != (c.failure == "") || f != nil && o.Record && f.Text != c.failure {
					t.Errorf("%s: the run ends with %v, expected %q", how, f, c.failure)
				}
				if got := slices.Sorted(slices.Values(s.Warnings())); !slices.Equal(got, c.orphans) {
					t.Errorf("%s: the warnings are %q, expected %q", how, got, c.orphans)
				}
				s.Close()
			}
		})
	}
}

// TestSupervisedPanicsAreNoted: the trace has a note on each panic that a
// supervisor handled.
func TestSupervisedPanicsAreNoted(t *testing.T) {
	s := pulse.New(pulse.Options{Record: true})
	defer s.Close()
	r := s.SpawnSpec(pulse.Spec{Name: "shop", Actor: &tally{d: &diary{}}, OnPanic: pulse.OnPanicRestart})
	s.Send(r, blast{})
	s.Send(r, 1)
	s.Run()
	if f := s.Failure(); f != nil {
		t.Fatal(f)
	}
	golden.File(t, "testdata/supervision.golden", s.Trace().Text())
}
