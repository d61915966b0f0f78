package protoactor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// on starts an actor that calls a function when it has started.
func (s *stage) on(do func(ctx actor.Context), options ...actor.PropsOption) *actor.PID {
	return s.spawn("a", func(ctx actor.Context) {
		if _, ok := ctx.Message().(*actor.Started); ok {
			do(ctx)
		}
	}, options...)
}

// elsewhere calls something on another goroutine, and waits for it.
func elsewhere(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// meets has an actor receive a message from another actor system, and then use
// its sender.
func meets(do func(ctx actor.Context, theirs *actor.PID)) func(*stage) {
	return func(s *stage) {
		other := actor.NewActorSystem(quiet)
		defer other.Shutdown()
		theirs := other.Root.Spawn(actor.PropsFromFunc(func(actor.Context) {}))
		other.Root.Send(theirs, "hello")
		a := s.spawn("a", func(ctx actor.Context) {
			if ctx.Message() == "hello" {
				do(ctx, theirs)
			}
		})
		s.Root.RequestWithCustomSender(a, "hello", theirs)
		s.sys.Run()
	}
}

// wrongs are programs that do things that this package cannot control, with the
// texts of their failures.
var wrongs = []struct {
	name string
	play func(s *stage)
	kind pulse.Kind
	want string
}{
	{"a message by another goroutine", func(s *stage) {
		s.on(func(ctx actor.Context) { elsewhere(func() { ctx.Send(ctx.Self(), "hello") }) })
	}, pulse.KindMisuse, "from another goroutine: only the goroutine that runs a system, and its handlers, may use it"},
	{"its line is told", func(s *stage) {
		s.on(func(ctx actor.Context) { elsewhere(func() { ctx.Send(ctx.Self(), "hello") }) })
	}, pulse.KindMisuse, "misuse_test.go:"},
	{"a question by another goroutine, while a future is piped", func(s *stage) {
		b := s.spawn("b", echo)
		s.on(func(ctx actor.Context) {
			ctx.RequestFuture(b, "hello", -1).PipeTo(b)
			elsewhere(func() { ctx.RequestFuture(b, "again", -1) })
		})
	}, pulse.KindMisuse, "from another goroutine"},
	{"a stop by another goroutine", func(s *stage) {
		s.on(func(ctx actor.Context) { elsewhere(func() { ctx.Stop(ctx.Self()) }) })
	}, pulse.KindMisuse, "from another goroutine"},
	{"a spawn by another goroutine", func(s *stage) {
		s.on(func(ctx actor.Context) {
			elsewhere(func() {
				defer func() { recover() }()
				s.Root.Spawn(actor.PropsFromFunc(func(actor.Context) {}))
			})
		})
	}, pulse.KindMisuse, "from another goroutine"},
	{"an answer by another goroutine", func(s *stage) {
		b := s.spawn("b", func(ctx actor.Context) {
			if ctx.Message() == "hello" {
				elsewhere(func() { ctx.Respond("hi") })
			}
		})
		s.on(func(ctx actor.Context) { ctx.RequestFuture(b, "hello", time.Second).Wait() })
	}, pulse.KindMisuse, "from another goroutine"},
	{"an actor system made by hand", func(s *stage) {
		other := actor.NewActorSystem(quiet)
		defer other.Shutdown()
		s.on(func(ctx actor.Context) {
			done := make(chan struct{})
			other.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
				if _, ok := c.Message().(*actor.Started); ok {
					s.Root.Send(ctx.Self(), "hello")
					close(done)
				}
			}))
			<-done
		})
		s.sys.Run()
	}, pulse.KindMisuse, "from another goroutine"},
	{"a message to an actor system made by hand", func(s *stage) {
		other := actor.NewActorSystem(quiet)
		defer other.Shutdown()
		theirs := other.Root.Spawn(actor.PropsFromFunc(func(actor.Context) {}))
		other.Root.Send(theirs, "hello")
		s.on(func(ctx actor.Context) { ctx.Send(theirs, "hello") })
		s.sys.Run()
	}, pulse.KindMisuse, "belongs to another actor system"},
	{"an answer to an actor system made by hand", meets(func(ctx actor.Context, theirs *actor.PID) { ctx.Respond("hello") }), pulse.KindMisuse, "belongs to another actor system"},
	{"a message passed on to an actor system made by hand", meets(func(ctx actor.Context, theirs *actor.PID) { ctx.Forward(theirs) }), pulse.KindMisuse, "belongs to another actor system"},
	{"a stop of another actor system's actor", meets(func(ctx actor.Context, theirs *actor.PID) { ctx.Stop(theirs) }), pulse.KindMisuse, "belongs to another actor system"},
	{"a poison for another actor system's actor", meets(func(ctx actor.Context, theirs *actor.PID) { ctx.Poison(theirs) }), pulse.KindMisuse, "belongs to another actor system"},
	{"a wait for the end of another actor system's actor", meets(func(ctx actor.Context, theirs *actor.PID) { ctx.StopFuture(theirs).Wait() }), pulse.KindMisuse, "belongs to another actor system"},
	{"a wait for its end by poison", meets(func(ctx actor.Context, theirs *actor.PID) { ctx.PoisonFuture(theirs).Wait() }), pulse.KindMisuse, "belongs to another actor system"},
	{"a request in the name of another", meets(func(ctx actor.Context, theirs *actor.PID) { ctx.RequestWithCustomSender(theirs, "hello", ctx.Self()) }), pulse.KindMisuse, "belongs to another actor system"},
	{"a RootContext of the test's own", func(s *stage) {
		actor.NewRootContext(s.ActorSystem, nil).Spawn(actor.PropsFromFunc(func(actor.Context) {}))
		s.on(func(actor.Context) {})
	}, pulse.KindMisuse, "actor $1 was spawned by a RootContext that is not controlled"},
	{"a mailbox with a bound", func(s *stage) {
		s.on(func(ctx actor.Context) {
			ctx.Spawn(actor.PropsFromFunc(func(actor.Context) {}, actor.WithMailbox(actor.Bounded(1))))
		})
	}, pulse.KindMisuse, "WithMailbox(*actor.boundedMailboxQueue): the order of its messages cannot be chosen"},
	{"a mailbox with priorities", func(s *stage) {
		s.on(func(actor.Context) {}, actor.WithMailbox(actor.UnboundedPriority()))
	}, pulse.KindMisuse, "the order of its messages cannot be chosen"},
	{"a remote", func(s *stage) {
		s.on(func(actor.Context) {})
		s.ProcessRegistry.RegisterAddressResolver(func(*actor.PID) (actor.Process, bool) { return nil, false })
	}, pulse.KindMisuse, "whose network is not controlled"},
	{"New in a step", func(s *stage) {
		s.on(func(actor.Context) { protoactor.New(s.sys) })
	}, pulse.KindMisuse, "protoactor.New in a step"},
	{"a scheduler for another actor system", func(s *stage) {
		other := actor.NewActorSystem(quiet)
		defer other.Shutdown()
		protoactor.NewTimerScheduler(other.Root)
	}, pulse.KindMisuse, "an actor system that was not made by protoactor.New"},
	{"a future that nobody answers", func(s *stage) {
		b := s.spawn("b", func(actor.Context) {})
		s.on(func(ctx actor.Context) { ctx.RequestFuture(b, "hello", -1).Wait() })
	}, pulse.KindStuck, "a waits for the answer of b"},
	{"a panic that nobody deals with", func(s *stage) {
		s.on(func(actor.Context) { panic("bad") })
	}, pulse.KindPanic, "panic in a ← start: bad"},
	{"a panic in a child of who chose nothing", func(s *stage) {
		s.on(func(ctx actor.Context) {
			ctx.SpawnNamed(actor.PropsFromFunc(func(actor.Context) { panic("bad") }), "c")
		})
	}, pulse.KindPanic, "panic in c ← start: bad"},
	{"a panic that is escalated to nobody", func(s *stage) {
		s.on(func(ctx actor.Context) {
			ctx.SpawnNamed(actor.PropsFromFunc(func(actor.Context) { panic("bad") }), "c")
		}, actor.WithSupervisor(actor.NewOneForOneStrategy(1, 0, func(any) actor.Directive { return actor.EscalateDirective })))
	}, pulse.KindPanic, "panic in a ← Failure(a/c: bad): bad"},
	{"a panic in what waits", func(s *stage) {
		b := s.spawn("b", func(ctx actor.Context) {
			if ctx.Message() == "hello" {
				ctx.Respond(1)
			}
		})
		s.on(func(ctx actor.Context) {
			ctx.RequestFuture(b, "hello", -1).Wait()
			panic("bad")
		})
	}, pulse.KindPanic, "panic in a ← 1: bad"},
}

// TestWrongs checks the failure of each program of wrongs.
func TestWrongs(t *testing.T) {
	for _, x := range wrongs {
		t.Run(x.name, func(t *testing.T) {
			sys := pulse.New(pulse.Options{Record: true})
			defer sys.Close()
			s := &stage{ActorSystem: protoactor.New(sys), sys: sys}
			f := func() (f *pulse.Failure) {
				defer func() {
					if v := recover(); v != nil {
						f = v.(*pulse.Failure)
					}
				}()
				x.play(s)
				sys.Run()
				return sys.Failure()
			}()
			if f == nil || f.Kind != x.kind || !strings.Contains(f.Error(), x.want) {
				t.Errorf("got %v\nwant %s: %s", f, x.kind, x.want)
			}
		})
	}
}

// TestNew checks that New refuses what it cannot host.
func TestNew(t *testing.T) {
	isolated := pulse.New(pulse.Options{Isolation: true})
	defer isolated.Close()
	for want, call := range map[string]func(){
		"protoactor.New(nil)": func() { protoactor.New(nil) },
		"Options.Isolation":   func() { protoactor.New(isolated) },
		"SpawnMiddleware of an actor system that was not made by protoactor.New": func() {
			as := actor.NewActorSystem(quiet)
			defer as.Shutdown()
			protoactor.SpawnMiddleware(as)
		},
	} {
		func() {
			defer func() {
				if f, ok := recover().(*pulse.Failure); !ok || f.Kind != pulse.KindMisuse || !strings.Contains(f.Text, want) {
					t.Errorf("got %v, want %s", f, want)
				}
			}()
			call()
		}()
	}
}

// TestOldSystems checks that an actor system can be used in one run only.
func TestOldSystems(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	s := &stage{ActorSystem: protoactor.New(sys), sys: sys}
	a := s.on(func(actor.Context) {})
	sys.Run()
	sys.Reset(1)
	defer func() {
		if f, ok := recover().(*pulse.Failure); !ok || !strings.Contains(f.Text, "belongs to a run that is over") {
			t.Error(f)
		}
	}()
	s.Root.Send(a, "hello")
}

// TestRestarts checks that Config.Restarts leaves panics to proto.actor.
func TestRestarts(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	s := &stage{ActorSystem: protoactor.Config{Restarts: true}.New(sys), sys: sys}
	a := s.spawn("a", func(ctx actor.Context) {
		s.chatty(ctx)
		if ctx.Message() == "bad" {
			panic("bad")
		}
	})
	s.Root.Send(a, "bad")
	s.Root.Send(a, "good")
	sys.Run()
	if got := strings.Join(s.log, ", "); sys.Failure() != nil || got != "a: Started, a: bad, a: Restarting, a: Started, a: good" {
		t.Errorf("%s, %v", got, sys.Failure())
	}
}

// TestBlockingIsNamed checks that a step that blocks or sleeps can be named
// while it blocks, so that a search's watchdog can report it.
func TestBlockingIsNamed(t *testing.T) {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	s := &stage{ActorSystem: protoactor.New(sys), sys: sys}
	blocked, release := make(chan struct{}), make(chan struct{})
	a := s.spawn("a", func(ctx actor.Context) {
		if ctx.Message() == "wait" {
			close(blocked)
			<-release
		}
	})
	s.Root.Send(a, "wait")
	var actorName string
	var message any
	go func() {
		<-blocked
		_, actorName, message = sys.Host().Stalled()
		close(release)
	}()
	sys.Run()
	if actorName != "a" || message != "wait" {
		t.Errorf("%s ← %v", actorName, message)
	}
}

// TestLateGoroutines checks that a message of a goroutine after the run is reported.
func TestLateGoroutines(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	sys.Host().Own()
	s := &stage{ActorSystem: protoactor.New(sys), sys: sys}
	a := s.on(func(actor.Context) {})
	sys.Run()
	elsewhere(func() { s.Root.Send(a, "late") })
	if f := sys.Host().Late(); f == nil || !strings.Contains(f.Text, "when no step was running") {
		t.Errorf("%v", f)
	}
}

// TestNothingStays checks that actors that wait when a run is over are ended, and
// that their deferred functions run.
func TestNothingStays(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	sys := pulse.New(pulse.Options{})
	ended := 0
	for range 3 {
		s := &stage{ActorSystem: protoactor.New(sys), sys: sys}
		b := s.spawn("b", func(actor.Context) {})
		s.on(func(ctx actor.Context) {
			defer func() { ended++ }()
			ctx.RequestFuture(b, "hello", -1).Wait()
			t.Error("it went on")
		})
		sys.Run()
		sys.Reset(0)
	}
	sys.Close()
	if ended != 3 {
		t.Errorf("%d were ended", ended)
	}
}
