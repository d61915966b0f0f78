package protoactor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/persistence"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
	"github.com/jostle-go/jostle/shrink"
)

// A ledger is a persistent actor: its Mixin stores the actor's Context in a field.
type ledger struct {
	persistence.Mixin
	Context actor.Context
	names   []string
}

func (l *ledger) Receive(ctx actor.Context) {
	l.Context = ctx
	if m, ok := ctx.Message().(*actor.PID); ok && !l.Recovering() {
		l.PersistReceive(m)
		l.names = append(l.names, m.Id)
	}
}

// startLedger starts a ledger and sends it two names.
func startLedger(as *actor.ActorSystem) *ledger {
	l := &ledger{}
	pid := must(as.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return l },
		actor.WithReceiverMiddleware(persistence.Using(inMemory{persistence.NewInMemoryProvider(9)}))), "ledger"))
	as.Root.Send(pid, as.NewLocalPID("x"))
	as.Root.Send(pid, as.NewLocalPID("y"))
	return l
}

// TestContextsThatActorsKeep checks that an actor that stores its Context has a
// finite text as its state. A failure of such a program is found and reported.
func TestContextsThatActorsKeep(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	l := startLedger(protoactor.New(sys))
	sys.Run()
	const want = `ledger(Mixin, Context: Context of ledger, names: ["x" "y"])`
	if got := sys.Host().States()[1]; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := fmt.Sprint(l.Context); got != "Context of ledger" {
		t.Error(got)
	}
	f := fuzz.MustFind(t, func(t *props.T) {
		sys := t.System()
		l := startLedger(protoactor.New(sys))
		sys.Run()
		if len(l.names) == 2 {
			t.Errorf("two names: %v", l.Context)
		}
	})
	if !strings.Contains(f.Text("run"), "two names: Context of ledger") {
		t.Error(f.Text("run"))
	}
}

// Programs in which a timeout can expire although the answer is on its way. Each program notices
// the timeout in another way, and then returns an error.
var timeouts = map[string]func(s *stage) error{
	"a future of an actor": func(s *stage) (err error) {
		b := s.spawn("b", echo)
		s.on(func(ctx actor.Context) { err = ctx.RequestFuture(b, "hello", time.Second).Wait() })
		s.sys.Run()
		return err
	},
	"a future of the test": func(s *stage) error {
		return s.Root.RequestFuture(s.spawn("b", echo), "hello", time.Second).Wait()
	},
	"the end of an actor": func(s *stage) error {
		return s.Root.PoisonFuture(s.spawn("b", echo)).Wait()
	},
	"ReenterAfter": func(s *stage) (err error) {
		b := s.spawn("b", echo)
		s.on(func(ctx actor.Context) {
			ctx.ReenterAfter(ctx.RequestFuture(b, "hello", time.Second), func(_ any, e error) { err = e })
		})
		s.sys.Run()
		return err
	},
	"PipeTo": func(s *stage) (err error) {
		b := s.spawn("b", echo)
		c := s.spawn("c", func(ctx actor.Context) {
			if e, is := ctx.Message().(error); is {
				err = e
			}
		})
		s.on(func(ctx actor.Context) { ctx.RequestFuture(b, "hello", time.Second).PipeTo(c) })
		s.sys.Run()
		return err
	},
	"SetReceiveTimeout": func(s *stage) (err error) {
		a := s.spawn("a", func(ctx actor.Context) {
			switch ctx.Message().(type) {
			case *actor.Started:
				ctx.SetReceiveTimeout(time.Second)
			case string:
				ctx.CancelReceiveTimeout()
			case *actor.ReceiveTimeout:
				err = errors.New("nothing came")
			}
		})
		s.Root.Send(a, "hello")
		s.sys.Run()
		return err
	},
	"a TimerScheduler": func(s *stage) (err error) {
		worked := false
		a := s.spawn("a", func(ctx actor.Context) {
			switch ctx.Message() {
			case "work":
				worked = true
			case "deadline":
				if !worked {
					err = errors.New("not done in time")
				}
			}
		})
		s.spawn("b", func(ctx actor.Context) {
			if hasStarted(ctx) {
				ctx.Send(a, "work")
			}
		})
		protoactor.NewTimerScheduler(s.Root).SendOnce(time.Second, a, "deadline")
		s.sys.Run()
		return err
	},
}

// TestTimeoutsAreReportedAsEarly checks the report of a timeout that expires although
// the answer is on its way. The report says so directly after the failure, also after
// shrinking.
func TestTimeoutsAreReportedAsEarly(t *testing.T) {
	for name, play := range timeouts {
		p := search.Property{Name: name, Test: t.Name(), Func: func(t *props.T) {
			sys := t.System()
			if err := play(&stage{ActorSystem: protoactor.New(sys), sys: sys}); err != nil {
				t.Errorf("%v", err)
			}
		}}
		f := search.Sample(t.Context(), p, search.Options{Seed: 1, Runs: 2000}).Finding
		if f == nil {
			t.Errorf("%s: not found", name)
			continue
		}
		r := p.NewRunner()
		for _, f := range []*finding.Finding{f, finding.Shrink(t.Context(), r, f, shrink.Options{Runs: 1000}).Finding} {
			if f == nil {
				t.Errorf("%s: not shrunk", name)
				continue
			}
			want := "1 early timer, as if "
			if f.Shrunk != "" {
				want = "needs " + want
			}
			lines := strings.Split(f.Text("run"), "\n        ")
			if len(lines) < 2 || !strings.HasPrefix(lines[1], want) || !strings.HasSuffix(lines[1], "; EarlyTimers: pulse.NeverEarly forbids it") {
				t.Errorf("%s: got\n%s\nwant, in the second line, %q", name, f.Text("run"), want)
			}
		}
		r.Close()
	}
}
