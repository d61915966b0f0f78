package protoactor_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/router"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

// small are programs that use the parts of proto.actor through which actors
// might share state without a message. Each actor notes what it receives.
var small = []struct {
	name string
	play func(s *stage)
	// reduced is set if the default search uses its reduction for the program.
	reduced bool
}{
	{"stop against messages", func(s *stage) {
		a := s.spawn("a", s.chatty)
		for _, name := range []string{"b", "c"} {
			s.spawn(name, func(ctx actor.Context) {
				if _, ok := ctx.Message().(*actor.Started); ok {
					ctx.Send(a, name)
				}
			})
		}
		s.Root.Stop(a)
	}, true},
	{"requests to who stops", func(s *stage) {
		a := s.spawn("a", func(ctx actor.Context) {
			if m, ok := ctx.Message().(string); ok {
				ctx.Respond(m)
			}
		})
		s.spawn("b", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				v, err := ctx.RequestFuture(a, "hello", time.Second).Result()
				s.note("b %v %v", v, err)
			}
		})
		s.Root.Poison(a)
	}, true},
	{"a watch against an end", func(s *stage) {
		a := s.spawn("a", func(ctx actor.Context) {
			if ctx.Message() == "end" {
				ctx.Stop(ctx.Self())
			}
		})
		s.Root.Send(a, "end")
		s.spawn("w", func(ctx actor.Context) {
			s.chatty(ctx)
			switch ctx.Message().(type) {
			case *actor.Started:
				ctx.Watch(a)
				ctx.Send(ctx.Self(), "meanwhile")
			case *actor.Terminated:
				s.note("w: %v", first(ctx.RequestFuture(a, "late", time.Second).Result()))
			}
		})
	}, true},
	{"two who publish", func(s *stage) {
		for _, name := range []string{"b", "c"} {
			s.spawn(name, func(ctx actor.Context) {
				if _, ok := ctx.Message().(*actor.Started); ok {
					ctx.ActorSystem().EventStream.Publish(name)
				}
			})
		}
		s.EventStream.Subscribe(func(e any) {
			if name, ok := e.(string); ok {
				s.note("heard %s", name)
			}
		})
	}, false},
	{"who subscribes and who publishes", func(s *stage) {
		s.spawn("b", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				s.EventStream.Subscribe(func(e any) { s.note("heard") })
				s.note("subscribed")
			}
		})
		s.spawn("c", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				s.EventStream.Publish("news")
			}
		})
	}, false},
	{"two who ask", func(s *stage) {
		a := s.spawn("a", func(ctx actor.Context) {
			s.chatty(ctx)
			if m, ok := ctx.Message().(string); ok {
				ctx.Respond(m)
			}
		})
		for _, name := range []string{"b", "c"} {
			s.Root.Send(s.spawn(name, func(ctx actor.Context) {
				if ctx.Message() == "go" {
					ctx.RequestFuture(a, name, time.Second).Wait()
					s.note("%s goes on", name)
				}
			}), "go")
		}
	}, true},
	{"who pipes and who waits for the future of another", func(s *stage) {
		b := s.spawn("b", echo)
		d := s.spawn("d", func(ctx actor.Context) {
			if f, ok := ctx.Message().(*actor.Future); ok {
				f.PipeTo(ctx.Self())
				s.note("d: waited, %v", first(f.Result()))
				return
			}
			s.chatty(ctx)
		})
		s.spawn("a", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.Send(d, ctx.RequestFuture(b, "hello", -1))
				ctx.Send(d, "a")
			}
		})
	}, false},
	{"an answer among messages", func(s *stage) {
		b := s.spawn("b", func(ctx actor.Context) {
			if asker, ok := ctx.Message().(*actor.PID); ok {
				ctx.Send(asker, "before")
				ctx.Respond("answer")
				ctx.Send(asker, "after")
			}
		})
		a := s.spawn("a", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.ReenterAfter(ctx.RequestFuture(b, ctx.Self(), -1), func(answer any, _ error) { s.note("a: %v", answer) })
				return
			}
			s.chatty(ctx)
		})
		s.spawn("c", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.Send(a, "c")
			}
		})
	}, true},
	{"an asker that goes on", func(s *stage) {
		b := s.spawn("b", echo)
		c := s.spawn("c", s.chatty)
		s.spawn("a", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.RequestFuture(b, "hello", -1).PipeTo(c)
				ctx.RequestFuture(c, "question", -1)
				ctx.Stop(c)
			}
		})
	}, true},
	{"an asker that goes on with itself", func(s *stage) {
		b := s.spawn("b", echo)
		s.spawn("a", func(ctx actor.Context) {
			s.chatty(ctx)
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.RequestFuture(b, "hello", time.Second).PipeTo(ctx.Self())
				ctx.Send(ctx.Self(), "myself")
			}
		})
	}, true},
	{"an asker that answers too", func(s *stage) {
		b := s.spawn("b", echo)
		a := s.spawn("a", func(ctx actor.Context) {
			if ctx.Message() == "question" {
				ctx.RequestFuture(b, "hello", -1).PipeTo(ctx.Sender())
				ctx.Respond("myself")
			}
		})
		s.spawn("c", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				s.note("c: %v", first(ctx.RequestFuture(a, "question", -1).Result()))
			}
		})
	}, true},
	{"a child that fails", func(s *stage) {
		s.spawn("p", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				c, _ := ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
					s.chatty(ctx)
					if ctx.Message() == "bad" {
						panic("bad")
					}
				}), "c")
				ctx.Send(c, "bad")
				ctx.Send(c, "good")
				s.spawn("q", func(ctx actor.Context) {
					if _, ok := ctx.Message().(*actor.Started); ok {
						ctx.Send(c, "by another")
					}
				})
			}
		}, actor.WithSupervisor(actor.NewRestartingStrategy()))
	}, true},
	{"a round-robin router", func(s *stage) {
		pool := s.Root.Spawn(router.NewRoundRobinPool(2, actor.WithFunc(s.chatty)))
		for _, name := range []string{"b", "c"} {
			s.spawn(name, func(ctx actor.Context) {
				if _, ok := ctx.Message().(*actor.Started); ok {
					ctx.Send(pool, name)
				}
			})
		}
	}, true},
	{"a random router", func(s *stage) {
		pool := s.Root.Spawn(router.NewRandomPool(3, actor.WithFunc(s.chatty)))
		s.Root.Send(pool, "x")
	}, true},
	{"ids that are made in steps", func(s *stage) {
		a := s.spawn("a", func(ctx actor.Context) {
			if m, ok := ctx.Message().(*actor.PID); ok {
				s.note("a: %s", m.Id)
			}
		})
		for _, name := range []string{"b", "c"} {
			s.spawn(name, func(ctx actor.Context) {
				if _, ok := ctx.Message().(*actor.Started); ok {
					ctx.Send(a, ctx.Spawn(actor.PropsFromFunc(func(actor.Context) {})))
				}
			})
		}
	}, true},
	{"two who want a name", func(s *stage) {
		for _, name := range []string{"b", "c"} {
			s.spawn(name, func(ctx actor.Context) {
				if _, ok := ctx.Message().(*actor.Started); ok {
					_, err := s.Root.SpawnNamed(actor.PropsFromFunc(func(actor.Context) {}), "x")
					s.note("%s: %v", name, err)
				}
			})
		}
	}, false},
	{"an actor that is known by its id", func(s *stage) {
		s.spawn("b", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.SpawnNamed(actor.PropsFromFunc(s.chatty), "x")
			}
		})
		s.spawn("c", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.Send(s.NewLocalPID("b/x"), "hello")
			}
		})
	}, false},
	{"an actor that is stopped by its id", func(s *stage) {
		s.spawn("b", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.SpawnNamed(actor.PropsFromFunc(s.chatty), "x")
			}
		})
		s.spawn("c", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.Stop(s.NewLocalPID("b/x"))
			}
		})
	}, false},
	{"a name that is used again", func(s *stage) {
		s.spawn("p", func(ctx actor.Context) {
			again := func() {
				_, err := ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
					if _, ok := ctx.Message().(*actor.Started); ok {
						ctx.Stop(ctx.Self())
					}
				}), "c")
				s.note("p: %v", err)
			}
			switch ctx.Message().(type) {
			case *actor.Started:
				again()
			case string:
				again()
			}
		})
		s.Root.Send(s.NewLocalPID("p"), "again")
	}, true},
}

// outcomes explores a program and returns the notes of the actors in each order.
// The notes of each actor are kept separately.
func outcomes(t *testing.T, o explore.Options, play func(*stage)) (map[string]bool, explore.Result) {
	t.Helper()
	var s *stage
	seen := map[string]bool{}
	w := &worker{build: func(sys *pulse.System) {
		s = &stage{ActorSystem: protoactor.New(sys), sys: sys}
		play(s)
	}}
	o.CountDistinct = true
	r, err := explore.Explore(o, &telling{w, func(explore.Run) {
		slices.SortStableFunc(s.log, func(a, b string) int { return strings.Compare(who(a), who(b)) })
		seen[strings.Join(s.log, ", ")] = true
	}})
	if err != nil || w.failure != nil {
		t.Fatal(err, w.failure)
	}
	w.sys.Close()
	return seen, r
}

// who returns the actor of a note.
func who(note string) string {
	name, _, _ := strings.Cut(note, ":")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// A telling is an explore.Worker that also passes each explore.Run to the function tell.
type telling struct {
	*worker
	tell func(explore.Run)
}

func (w *telling) Done(r explore.Run) {
	w.worker.Done(r)
	w.tell(r)
}

// TestReductions checks that the orders that a search skips make no difference: the
// orders run have all possible outcomes. Their number is the number of distinct
// orders.
func TestReductions(t *testing.T) {
	for _, p := range small {
		all, every := outcomes(t, explore.Options{Method: explore.Method{Reduction: explore.Everything}}, p.play)
		some, optimal := outcomes(t, explore.Options{}, p.play)
		if !every.Complete || !optimal.Complete || len(all) < 2 {
			t.Errorf("%s: complete: %v, %v; %d outcomes; %s%s", p.name, every.Complete, optimal.Complete, len(all), every.Nondeterminism, optimal.Nondeterminism)
		}
		if !maps.Equal(all, some) || p.reduced && every.Distinct != optimal.Distinct {
			t.Errorf("%s: %d outcomes and %d orders of %d runs, with %v %d and %d: %v, %v", p.name, len(all), every.Distinct, every.Runs, optimal.Reduction, len(some), optimal.Distinct, all, some)
		}
		if p.reduced != (optimal.Reduction == explore.Optimal) {
			t.Errorf("%s: the search used %v: %s", p.name, optimal.Reduction, optimal.Because)
		}
		t.Logf("%s: %d outcomes, %d distinct of %d orders, %d wasted with %v", p.name, len(all), optimal.Distinct, every.Runs, optimal.Wasted, optimal.Reduction)
	}
}

// TestGivesWay checks that a piped answer comes both before and after other
// messages that the asker sends to the same actor in the same handler.
func TestGivesWay(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(ctx actor.Context, c *actor.PID)
		first string // the outcome if the answer comes before the other messages
		last  string
	}{
		{"a message", func(ctx actor.Context, c *actor.PID) { ctx.Send(c, "own") },
			"c: Started, c: hello!, c: own", "c: Started, c: own, c: hello!"},
		{"a question", func(ctx actor.Context, c *actor.PID) { ctx.RequestFuture(c, "own", -1) },
			"c: Started, c: hello!, c: own", "c: Started, c: own, c: hello!"},
		{"a stop", func(ctx actor.Context, c *actor.PID) { ctx.Stop(c) },
			"c: Started, c: hello!, c: Stopping, c: Stopped", "c: Started, c: Stopping, c: Stopped"},
	} {
		seen, _ := outcomes(t, explore.Options{}, func(s *stage) {
			b, to := s.spawn("b", echo), s.spawn("c", s.chatty)
			s.spawn("a", func(ctx actor.Context) {
				if _, ok := ctx.Message().(*actor.Started); ok {
					ctx.RequestFuture(b, "hello", -1).PipeTo(to)
					c.do(ctx, to)
				}
			})
		})
		if !maps.Equal(seen, map[string]bool{c.first: true, c.last: true}) {
			t.Errorf("%s: %v", c.name, slices.Sorted(maps.Keys(seen)))
		}
	}
}

// awaits has actor a ask actor b. b sends a one message, then the answer, then another
// message. a waits for the answer in the handler that asks, or in a later one.
func awaits(later bool) func(*stage) {
	return func(s *stage) {
		b := s.spawn("b", func(ctx actor.Context) {
			if asker, ok := ctx.Message().(*actor.PID); ok {
				ctx.Send(asker, "1")
				ctx.Respond("answer")
				ctx.Send(asker, "2")
			}
		})
		var f *actor.Future
		a := s.spawn("a", func(ctx actor.Context) {
			_, starts := ctx.Message().(*actor.Started)
			if starts {
				f = ctx.RequestFuture(b, ctx.Self(), -1)
			}
			if starts && !later || later && ctx.Message() == "go" {
				s.note("a: %v", first(f.Result()))
			}
		})
		s.Root.Send(a, "go")
	}
}

// TestAwaitedAnswers checks that an actor that waits in the handler that asks gets
// the answer without a step of its own. If it waits in a later handler, no message
// shows whether it began to wait before the answer was sent. Then the answer takes
// an extra step.
func TestAwaitedAnswers(t *testing.T) {
	for later, want := range map[bool]struct{ orders, steps int }{false: {3, 7}, true: {9, 8}} {
		_, r := outcomes(t, explore.Options{}, awaits(later))
		sys := pulse.New(pulse.Options{})
		awaits(later)(&stage{ActorSystem: protoactor.New(sys), sys: sys})
		sys.Run()
		if got := sys.Steps(); got != want.steps || r.Distinct != want.orders {
			t.Errorf("later %t: %d orders, the first of %d steps, want %v", later, r.Distinct, got, want)
		}
		sys.Close()
	}
}
