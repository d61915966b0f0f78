package protoactor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/persistence"
	"github.com/asynkron/protoactor-go/router"
	"github.com/asynkron/protoactor-go/scheduler"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A stage is a test's actor system in one run, with the notes of its actors.
type stage struct {
	*actor.ActorSystem
	sys *pulse.System
	log []string
}

func (s *stage) note(format string, args ...any) { s.log = append(s.log, fmt.Sprintf(format, args...)) }

// spawn starts an actor that is a function.
func (s *stage) spawn(name string, f actor.ReceiveFunc, options ...actor.PropsOption) *actor.PID {
	pid, err := s.Root.SpawnNamed(actor.PropsFromFunc(f, options...), name)
	if err != nil {
		panic(err)
	}
	return pid
}

// chatty is an actor that notes all its messages.
func (s *stage) chatty(ctx actor.Context) {
	s.note("%s: %s", ctx.Self().Id, what(ctx.Message()))
}

// echo answers a text with that text and a mark.
func echo(ctx actor.Context) {
	if m, ok := ctx.Message().(string); ok {
		ctx.Respond(m + "!")
	}
}

func what(m any) string {
	switch m := m.(type) {
	case *actor.Terminated:
		return "Terminated " + m.Who.Id
	case string, error, int:
		return fmt.Sprint(m)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", m), "*actor.")
}

// scenes are actions of one actor system, in plain order, with the notes of its
// actors.
var scenes = []struct {
	name string
	play func(s *stage)
	want string
}{
	{"tell", func(s *stage) {
		a := s.spawn("a", s.chatty)
		s.Root.Send(a, "hello")
	}, "a: Started, a: hello"},
	{"stop overtakes nothing in plain order", func(s *stage) {
		a := s.spawn("a", s.chatty)
		s.Root.Send(a, "hello")
		s.Root.Stop(a)
		s.Root.Send(a, "late")
	}, "a: Started, a: hello, a: Stopping, a: Stopped"},
	{"poison", func(s *stage) {
		a := s.spawn("a", s.chatty)
		s.Root.Poison(a)
		s.Root.Send(a, "late")
	}, "a: Started, a: Stopping, a: Stopped"},
	{"children end first, and are watched", func(s *stage) {
		parent := s.spawn("p", func(ctx actor.Context) {
			s.chatty(ctx)
			if _, ok := ctx.Message().(*actor.Started); ok {
				child, _ := ctx.SpawnNamed(actor.PropsFromFunc(s.chatty), "c")
				ctx.Spawn(actor.PropsFromFunc(s.chatty))
				ctx.Send(child, "hi")
				s.note("%d children", len(ctx.Children()))
			}
		})
		s.sys.Run()
		s.Root.Stop(parent)
	}, "p: Started, 2 children, p/c: Started, p/$1: Started, p/c: hi, p: Stopping, p/$1: Stopping, p/$1: Stopped, p/c: Stopping, p/c: Stopped, " +
		"p: Terminated p/$1, p: Terminated p/c, p: Stopped"},
	{"watch of one that has stopped", func(s *stage) {
		a := s.spawn("a", func(actor.Context) {})
		s.Root.Stop(a)
		s.sys.Run()
		s.spawn("w", func(ctx actor.Context) {
			s.chatty(ctx)
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.Watch(a)
			}
		})
	}, "w: Started, w: Terminated a"},
	{"request and respond", func(s *stage) {
		b := s.spawn("b", echo)
		a := s.spawn("a", func(ctx actor.Context) {
			s.chatty(ctx)
			if ctx.Message() == "go" {
				ctx.Request(b, "hello")
			}
		})
		s.Root.Send(a, "go")
	}, "a: Started, a: go, a: hello!"},
	{"a future is waited for", func(s *stage) {
		b := s.spawn("b", echo)
		a := s.spawn("a", func(ctx actor.Context) {
			s.chatty(ctx)
			if ctx.Message() == "go" {
				answer, err := ctx.RequestFuture(b, "hello", time.Second).Result()
				s.note("%v, %v at %v", answer, err, s.sys.Now())
			}
		})
		s.Root.Send(a, "go")
		s.Root.Send(a, "next")
	}, "a: Started, a: go, hello!, <nil> at 0s, a: next"},
	{"a future is stopped", func(s *stage) {
		b := s.spawn("b", func(ctx actor.Context) {
			if ctx.Message() == "hello" {
				ctx.Stop(ctx.Sender())
				ctx.Stop(ctx.Sender())
			}
		})
		s.spawn("a", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				answer, err := ctx.RequestFuture(b, "hello", -1).Result()
				s.note("%v, %v", answer, err)
			}
		})
	}, "<nil>, <nil>"},
	{"a future times out", func(s *stage) {
		b := s.spawn("b", func(ctx actor.Context) {})
		a := s.spawn("a", func(ctx actor.Context) {
			if ctx.Message() == "go" {
				answer, err := ctx.RequestFuture(b, "hello", time.Hour).Result()
				s.note("%v, %v at %v", answer, err, s.sys.Now())
			}
		})
		s.Root.Send(a, "go")
	}, "<nil>, future: timeout at 1h0m0s"},
	{"a future of the test", func(s *stage) {
		b := s.spawn("b", echo)
		answer, err := s.Root.RequestFuture(b, "hello", time.Second).Result()
		s.note("%v, %v", answer, err)
		s.note("%v", s.Root.StopFuture(b).Wait())
		answer, err = s.Root.RequestFuture(b, "hello", time.Second).Result()
		s.note("%v, %v", answer, err)
	}, "hello!, <nil>, <nil>, <nil>, future: dead letter"},
	{"pipe", func(s *stage) {
		b := s.spawn("b", echo)
		c := s.spawn("c", s.chatty)
		a := s.spawn("a", func(ctx actor.Context) {
			if ctx.Message() == "go" {
				ctx.RequestFuture(b, "hello", time.Second).PipeTo(c)
			}
		})
		s.Root.Send(a, "go")
	}, "c: Started, c: hello!"},
	{"reenter", func(s *stage) {
		b := s.spawn("b", echo)
		a := s.spawn("a", func(ctx actor.Context) {
			s.chatty(ctx)
			if ctx.Message() == "go" {
				ctx.ReenterAfter(ctx.RequestFuture(b, "hello", time.Second), func(res any, err error) {
					s.note("%v, %v in %v", res, err, ctx.Message())
				})
			}
		})
		s.Root.Send(a, "go")
		s.Root.Send(a, "meanwhile")
	}, "a: Started, a: go, a: meanwhile, hello!, <nil> in go"},
	{"receive timeout", func(s *stage) {
		a := s.spawn("a", func(ctx actor.Context) {
			s.note("%s at %v", what(ctx.Message()), s.sys.Now())
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.SetReceiveTimeout(time.Minute)
			}
		})
		s.sys.RunFor(30 * time.Second)
		s.Root.Send(a, "hello")
	}, "Started at 0s, hello at 30s, ReceiveTimeout at 1m30s"},
	{"restart", func(s *stage) {
		s.spawn("p", func(ctx actor.Context) {
			s.chatty(ctx)
			if _, ok := ctx.Message().(*actor.Started); ok {
				child, _ := ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
					s.chatty(ctx)
					if ctx.Message() == "bad" {
						panic("bad")
					}
				}), "c")
				ctx.Send(child, "bad")
				ctx.Send(child, "good")
			}
		}, actor.WithSupervisor(actor.NewOneForOneStrategy(1, time.Second, actor.DefaultDecider)))
	}, "p: Started, p/c: Started, p/c: bad, p/c: Restarting, p/c: Started, p/c: good"},
	{"back-off", func(s *stage) {
		s.spawn("p", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				child, _ := ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
					s.note("%s at %v", what(ctx.Message()), s.sys.Now())
					if ctx.Message() == "bad" {
						panic("bad")
					}
				}), "c")
				ctx.Send(child, "bad")
				ctx.Send(child, "bad")
				ctx.Send(child, "good")
			}
		}, actor.WithSupervisor(actor.NewExponentialBackoffStrategy(time.Hour, time.Second)))
	}, "Started at 0s, bad at 0s, Restarting at 1s, Started at 1s, bad at 1s, Restarting at 3s, Started at 3s, good at 3s"},
	{"escalation", func(s *stage) {
		s.spawn("top", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
					s.chatty(ctx)
					if _, ok := ctx.Message().(*actor.Started); ok {
						child, _ := ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
							if ctx.Message() == "bad" {
								panic("bad")
							}
						}), "c")
						if len(s.log) < 2 {
							ctx.Send(child, "bad")
						}
					}
				}, actor.WithSupervisor(actor.NewOneForOneStrategy(1, 0, func(any) actor.Directive { return actor.EscalateDirective }))), "m")
			}
		}, actor.WithSupervisor(actor.NewOneForOneStrategy(1, 0, actor.DefaultDecider)))
	}, "top/m: Started, top/m: Restarting, top/m: Terminated top/m/c, top/m: Started"},
	{"all for one", func(s *stage) {
		s.spawn("p", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				for _, name := range []string{"x", "y"} {
					child, _ := ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
						s.chatty(ctx)
						if ctx.Message() == "bad" {
							panic("bad")
						}
					}), name)
					if name == "x" {
						ctx.Send(child, "bad")
					}
				}
			}
		}, actor.WithSupervisor(actor.NewAllForOneStrategy(1, 0, actor.DefaultDecider)))
	}, "p/x: Started, p/x: bad, p/y: Started, p/x: Restarting, p/x: Started, p/y: Restarting, p/y: Started"},
	{"failures are counted in virtual time", func(s *stage) {
		child := (*actor.PID)(nil)
		s.spawn("p", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				child, _ = ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
					if ctx.Message() == "bad" {
						panic("bad")
					}
					s.chatty(ctx)
				}), "c")
			}
		}, actor.WithSupervisor(actor.NewOneForOneStrategy(1, time.Minute, actor.DefaultDecider)))
		for _, pause := range []time.Duration{time.Minute, time.Minute, 59 * time.Second, 0} {
			s.sys.Run()
			s.Root.Send(child, "bad")
			s.sys.RunFor(pause)
			s.note("%v", pause)
		}
	}, "p/c: Started, p/c: Restarting, p/c: Started, 1m0s, p/c: Restarting, p/c: Started, 1m0s, p/c: Restarting, p/c: Started, 59s, " +
		"p/c: Stopping, p/c: Stopped, 0s"},
	{"guardian", func(s *stage) {
		a := s.spawn("a", func(ctx actor.Context) {
			s.chatty(ctx)
			if ctx.Message() == "bad" {
				panic("bad")
			}
		}, actor.WithGuardian(actor.NewOneForOneStrategy(1, 0, func(any) actor.Directive { return actor.ResumeDirective })))
		s.Root.Send(a, "bad")
		s.Root.Send(a, "good")
	}, "a: Started, a: bad, a: good"},
	{"stash", func(s *stage) {
		s.spawn("p", func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				lives := 0
				child, _ := ctx.SpawnNamed(actor.PropsFromProducer(func() actor.Actor {
					lives++
					return actor.ReceiveFunc(func(ctx actor.Context) {
						s.chatty(ctx)
						switch m := ctx.Message().(type) {
						case int:
							if lives == 1 {
								ctx.Stash()
							}
						case string:
							panic(m)
						}
					})
				}), "c")
				for _, m := range []any{1, 2, "bad", 3} {
					ctx.Send(child, m)
				}
			}
		}, actor.WithSupervisor(actor.NewRestartingStrategy()))
	}, "p/c: Started, p/c: 1, p/c: 2, p/c: bad, p/c: Restarting, p/c: Started, p/c: 2, p/c: 1, p/c: 3"},
	{"middleware", func(s *stage) {
		note := func(what string) func(any) { return func(m any) { s.note("%s %v", what, m) } }
		in, out, spawned := note("in"), note("out"), note("spawned")
		b := s.spawn("b", func(actor.Context) {})
		a := s.spawn("a", func(ctx actor.Context) {
			if ctx.Message() == "go" {
				ctx.Send(b, "hello")
				ctx.SpawnNamed(actor.PropsFromFunc(func(actor.Context) {}), "c")
			}
		}, actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
			return func(ctx actor.ReceiverContext, e *actor.MessageEnvelope) {
				in(what(e.Message))
				next(ctx, e)
			}
		}), actor.WithSenderMiddleware(func(next actor.SenderFunc) actor.SenderFunc {
			return func(ctx actor.SenderContext, to *actor.PID, e *actor.MessageEnvelope) {
				out(e.Message)
				next(ctx, to, e)
			}
		}), actor.WithSpawnMiddleware(func(next actor.SpawnFunc) actor.SpawnFunc {
			return func(as *actor.ActorSystem, id string, props *actor.Props, parent actor.SpawnerContext) (*actor.PID, error) {
				spawned(id)
				return next(as, id, props, parent)
			}
		}))
		s.Root.Send(a, "go")
	}, "in Started, in go, out hello, spawned a/c"},
	{"event stream", func(s *stage) {
		a := s.spawn("a", s.chatty)
		s.EventStream.Subscribe(func(e any) {
			if m, ok := e.(string); ok {
				s.Root.Send(a, m)
			}
		})
		s.EventStream.Publish("news")
	}, "a: Started, a: news"},
	{"dead letters", func(s *stage) {
		s.EventStream.Subscribe(func(e any) {
			if d, ok := e.(*actor.DeadLetterEvent); ok {
				s.note("%v for %s", d.Message, d.PID.Id)
			}
		})
		a := s.spawn("a", s.chatty)
		s.Root.Send(s.NewLocalPID("nobody"), "hello")
		s.Root.Stop(a)
		s.Root.Send(a, "dropped: the test cannot know")
		s.sys.Run()
		s.Root.Send(a, "late")
	}, "hello for nobody, a: Started, a: Stopping, a: Stopped, late for a"},
	{"the process registry shows no entry for who has stopped", func(s *stage) {
		a := s.spawn("a", s.chatty)
		s.Root.Stop(a)
		s.sys.Run()
		_, there := s.ProcessRegistry.GetLocal("a")
		s.note("%v", there)
	}, "a: Started, a: Stopping, a: Stopped, false"},
	{"who knows that it has stopped finds no entry, and others find one", func(s *stage) {
		look := func(ctx actor.Context) bool {
			_, there := ctx.ActorSystem().ProcessRegistry.GetLocal("a")
			return there
		}
		a := s.spawn("a", func(actor.Context) {})
		told := s.spawn("told", func(ctx actor.Context) {
			switch ctx.Message().(type) {
			case *actor.Started:
				ctx.Watch(a)
			case *actor.Terminated:
				s.note("told: %v", look(ctx))
			case string:
				s.note("later: %v", look(ctx))
			}
		})
		s.sys.Run()
		other := s.spawn("other", func(ctx actor.Context) {
			switch n, _ := ctx.Message().(int); {
			case n > 1:
				ctx.Send(ctx.Self(), n-1)
			case n == 1:
				s.note("other: %v", look(ctx))
				ctx.Send(told, "and you?")
			}
		})
		s.Root.Stop(a)
		s.Root.Send(other, 9)
		s.sys.Run()
		s.Root.Send(other, 1)
		s.sys.Run()
	}, "told: false, other: true, later: false, other: false, later: false"},
	{"so it is with many at one time, when time has passed", func(s *stage) {
		there := func() (n int) {
			for i := range 100 {
				if _, is := s.ProcessRegistry.GetLocal(fmt.Sprint(i)); is {
					n++
				}
			}
			return n
		}
		for i := range 100 {
			s.Root.Stop(s.spawn(fmt.Sprint(i), func(actor.Context) {}))
		}
		s.sys.Run()
		s.note("%d", there())
		protoactor.NewTimerScheduler(s.Root).SendOnce(time.Second, s.spawn("late", func(actor.Context) {}), "later")
		s.sys.Run()
		s.note("%d", there())
	}, "68, 0"},
	{"a name can be used again", func(s *stage) {
		a := s.spawn("a", s.chatty)
		_, err := s.Root.SpawnNamed(actor.PropsFromFunc(s.chatty), "a")
		s.note("%v", err)
		s.Root.Stop(a)
		s.sys.Run()
		s.spawn("a", s.chatty)
		s.Root.Send(a, "hello")
	}, "spawn: name exists, a: Started, a: Stopping, a: Stopped, a: Started, a: hello"},
	{"timers", func(s *stage) {
		a := s.spawn("a", func(ctx actor.Context) {
			s.note("%s at %v", what(ctx.Message()), s.sys.Now())
			if _, ok := ctx.Message().(*actor.Started); ok {
				timers := protoactor.NewTimerScheduler(ctx)
				timers.SendOnce(time.Second, ctx.Self(), "once")
				timers.SendOnce(time.Second, ctx.Self(), "never")()
				cancel := timers.RequestRepeatedly(2*time.Second, time.Second, ctx.Self(), "again")
				timers.SendOnce(3500*time.Millisecond, ctx.Self(), cancel)
			}
			if cancel, ok := ctx.Message().(scheduler.CancelFunc); ok {
				cancel()
			}
		})
		protoactor.NewTimerScheduler(s.Root).SendOnce(time.Hour, a, "late")
	}, "Started at 0s, once at 1s, again at 2s, again at 3s, scheduler.CancelFunc at 3.5s, late at 1h0m0s"},
	{"forward and auto-respond", func(s *stage) {
		c := s.spawn("c", echo)
		b := s.spawn("b", func(ctx actor.Context) {
			if ctx.Message() == "hello" {
				ctx.Forward(c)
			}
		})
		s.note("%v", first(s.Root.RequestFuture(b, "hello", time.Second).Result()))
		s.note("%v", first(s.Root.RequestFuture(b, &actor.Touch{}, time.Second).Result()).(*actor.Touched).Who.Id)
	}, "hello!, b"},
	{"become", func(s *stage) {
		s.Root.Send(s.Root.Spawn(actor.PropsFromProducer(func() actor.Actor {
			x := &changing{stage: s, Behavior: actor.NewBehavior()}
			x.Become(x.one)
			return x
		})), "a")
	}, "one a, two b"},
	{"other routers", func(s *stage) {
		a, b := s.spawn("a", s.chatty), s.spawn("b", s.chatty)
		s.Root.Send(s.Root.Spawn(router.NewBroadcastGroup(a, b)), "all")
		s.Root.Send(s.Root.Spawn(router.NewRoundRobinGroup(a, b)), "one")
		s.Root.Send(s.Root.Spawn(router.NewConsistentHashGroup(a, b)), hashed("x"))
	}, "a: Started, b: Started, a: all, b: all, b: one, a: protoactor_test.hashed"},
	{"persistence", func(s *stage) {
		store := inMemory{persistence.NewInMemoryProvider(3)}
		props := actor.PropsFromProducer(func() actor.Actor { return &keeper{stage: s} }, actor.WithReceiverMiddleware(persistence.Using(store)))
		for range 2 {
			k, _ := s.Root.SpawnNamed(props, "k")
			for _, name := range []string{"one", "two"} {
				s.Root.Send(k, s.NewLocalPID(name))
			}
			s.Root.Poison(k)
			s.sys.Run()
		}
	}, "snapshot, keeps one, keeps one two, has one, has one two, keeps one two one, snapshot, keeps one two one two"},
	{"routers", func(s *stage) {
		pool := s.Root.Spawn(router.NewRoundRobinPool(2, actor.WithFunc(s.chatty)))
		s.Root.Send(pool, "one")
		s.Root.Send(pool, "two")
		s.sys.Run()
		s.note("%v", s.Root.StopFuture(pool).Wait())
	}, "$1/router/$1: Started, $1/router/$2: Started, $1/router/$2: one, $1/router/$1: two, " +
		"$1/router/$2: Stopping, $1/router/$2: Stopped, $1/router/$1: Stopping, $1/router/$1: Stopped, <nil>"},
}

func TestScenes(t *testing.T) {
	for _, x := range scenes {
		t.Run(x.name, func(t *testing.T) {
			for _, st := range []pulse.Strategy{nil, strategy.Random()} {
				sys := pulse.New(pulse.Options{Record: true, Strategy: st})
				s := &stage{ActorSystem: protoactor.New(sys), sys: sys}
				x.play(s)
				sys.Run()
				if f := sys.Failure(); f != nil {
					t.Errorf("%v", f)
				}
				if got := strings.Join(s.log, ", "); got != x.want && st == nil {
					t.Errorf("got  %s\nwant %s\n%s", got, x.want, sys.Trace().Chart())
				}
				sys.Close()
			}
		})
	}
}

func first(v any, err error) any {
	if err != nil {
		return err
	}
	return v
}

// hashed is a message with the key by which a consistent-hash router chooses a receiver.
type hashed string

func (h hashed) Hash() string { return string(h) }

type inMemory struct{ state persistence.ProviderState }

func (m inMemory) GetState() persistence.ProviderState { return m.state }

// keeper is an actor that stores the ids that it receives.
type keeper struct {
	persistence.Mixin
	*stage
	ids []string
}

func (k *keeper) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.PID:
		if k.ids = append(k.ids, m.Id); k.Recovering() {
			k.note("has %s", strings.Join(k.ids, " "))
			return
		}
		k.PersistReceive(m)
		k.note("keeps %s", strings.Join(k.ids, " "))
	case *persistence.RequestSnapshot:
		k.note("snapshot")
	}
}

// changing has two behaviors.
type changing struct {
	*stage
	actor.Behavior
}

func (x *changing) Receive(ctx actor.Context) { x.Behavior.Receive(ctx) }

func (x *changing) one(ctx actor.Context) {
	if ctx.Message() == "a" {
		x.note("one a")
		x.Become(x.two)
		ctx.Send(ctx.Self(), "b")
	}
}

func (x *changing) two(ctx actor.Context) { x.note("two %v", ctx.Message()) }
