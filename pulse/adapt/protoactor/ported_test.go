package protoactor_test

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/persistence"
	"github.com/asynkron/protoactor-go/plugin"
	"github.com/asynkron/protoactor-go/router"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

// A venue is an actor system in which a ported program runs, hosted by pulse or
// real, with the notes of its actors. A note that ends with a full stop is the last
// note of its actor.
type venue struct {
	*actor.ActorSystem
	mu    sync.Mutex
	notes map[string][]string
	open  int           // the number of actors that have not made their last note
	over  chan struct{} // closed when open has become zero
	late  uint          // a bit mask of the places at which a real run tries to let other actors run first
}

func newVenue(as *actor.ActorSystem, open int) *venue {
	return &venue{ActorSystem: as, notes: map[string][]string{}, open: open, over: make(chan struct{})}
}

func (v *venue) note(who, format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.write(who, fmt.Sprintf(format, args...))
}

func (v *venue) write(who, text string) {
	if v.notes[who] = append(v.notes[who], text); strings.HasSuffix(text, ".") {
		if v.open--; v.open == 0 {
			close(v.over)
		}
	}
}

// upTo returns a function that notes texts of an actor. The actor must note exactly n texts.
func (v *venue) upTo(n int, who string) func(text string) {
	return func(text string) {
		v.mu.Lock()
		defer v.mu.Unlock()
		if n--; n == 0 {
			text += "."
		}
		v.write(who, text)
	}
}

// result returns the notes of all actors, in the order of each actor's notes.
func (v *venue) result() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var list []string
	for _, who := range slices.Sorted(maps.Keys(v.notes)) {
		list = append(list, who+": "+strings.Join(v.notes[who], ", "))
	}
	return strings.Join(list, " ")
}

// unfinished says what is wrong with the notes of a finished run.
func (v *venue) unfinished() error {
	if v.open != 0 {
		return fmt.Errorf("%d last notes are missing", v.open)
	}
	for who, list := range v.notes {
		for i, text := range list {
			if strings.HasSuffix(text, ".") != (i == len(list)-1) {
				return fmt.Errorf("note %d of %s is not the last", i, who)
			}
		}
	}
	return nil
}

func (v *venue) spawn(name string, f actor.ReceiveFunc, options ...actor.PropsOption) *actor.PID {
	defer v.linger(name[0] + 2)
	return must(v.Root.SpawnNamed(actor.PropsFromFunc(f, options...), name))
}

// linger lets other actors run first if late has the bit of a place.
func (v *venue) linger(place byte) {
	for range v.late >> (place % 4) & 1 * 100 {
		runtime.Gosched()
	}
}

// sender starts an actor that sends messages when it has started.
func (v *venue) sender(name string, to *actor.PID, messages ...any) {
	v.spawn(name, v.sends(to, messages...))
}

func (v *venue) sends(to *actor.PID, messages ...any) actor.ReceiveFunc {
	return func(ctx actor.Context) {
		if hasStarted(ctx) {
			v.linger(ctx.Self().Id[0])
			for _, m := range messages {
				ctx.Send(to, m)
			}
		}
	}
}

func hasStarted(ctx actor.Context) bool {
	_, ok := ctx.Message().(*actor.Started)
	return ok
}

func must(pid *actor.PID, err error) *actor.PID {
	if err != nil {
		panic(err)
	}
	return pid
}

// A ported program does what one of proto.actor's own examples or tests does. It uses
// nothing of the adapter, so it runs the same in proto.actor itself and under jostle.
type ported struct {
	name    string // of the example
	open    int    // the number of actors that make notes
	play    func(v *venue)
	results int // of all orders
	orders  int // that are distinct
}

var portedPrograms = []ported{
	{"hello world", 1, greets("Anna", "Bert"), 3, 3},
	{"request and response", 2, func(v *venue) {
		n := 0
		counter := v.spawn("counter", func(ctx actor.Context) {
			if _, ok := ctx.Message().(string); ok {
				n++
				ctx.Respond(n)
			}
		})
		v.spawn("client", func(ctx actor.Context) {
			if hasStarted(ctx) {
				answer, err := ctx.RequestFuture(counter, "next", time.Minute).Result()
				v.note("client", "%v %v.", answer, err)
			}
		})
		answer, err := v.Root.RequestFuture(counter, "next", time.Minute).Result()
		v.note("main", "%v %v.", answer, err)
	}, 2, 4},
	{"lifecycle events", 1, func(v *venue) {
		a := v.spawn("a", func(ctx actor.Context) {
			switch m := ctx.Message().(type) {
			case *actor.Started, *actor.Stopping, string:
				v.note("a", "%s", what(m))
			case *actor.Stopped:
				v.note("a", "Stopped.")
			}
		})
		v.Root.Send(a, "hello")
		v.sender("b", a, "hi")
		v.Root.Stop(a)
	}, 5, 6},
	{"supervision that stops", 2, func(v *venue) {
		v.spawn("parent", func(ctx actor.Context) {
			if hasStarted(ctx) {
				child := must(ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
					switch m := ctx.Message().(type) {
					case *actor.Stopped:
						v.note("child", "Stopped.")
					case string:
						v.note("child", "%s", m)
						if m == "hello" {
							panic("ouch")
						}
					}
				}), "child"))
				must(ctx.SpawnNamed(actor.PropsFromFunc(v.sends(child, "meanwhile")), "other"))
				v.linger(1)
				ctx.Send(child, "hello")
			}
		}, actor.WithSupervisor(actor.NewOneForOneStrategy(10, time.Second, func(reason any) actor.Directive {
			v.note("decider", "%v.", reason)
			return actor.StopDirective
		})))
	}, 2, 2},
	{"supervision that restarts", 1, func(v *venue) {
		note := v.upTo(6, "child")
		v.spawn("parent", func(ctx actor.Context) {
			if hasStarted(ctx) {
				child := must(ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
					note(what(ctx.Message()))
					if ctx.Message() == "bad" {
						panic("bad")
					}
				}), "child"))
				must(ctx.SpawnNamed(actor.PropsFromFunc(v.sends(child, "meanwhile")), "other"))
				v.linger(1)
				ctx.Send(child, "bad")
				v.linger(2)
				ctx.Send(child, "good")
			}
		}, actor.WithSupervisor(actor.NewOneForOneStrategy(10, 0, actor.DefaultDecider)))
	}, 3, 3},
	{"supervision of all for one", 2, func(v *venue) {
		v.spawn("parent", func(ctx actor.Context) {
			if hasStarted(ctx) {
				for _, name := range []string{"x", "y"} {
					note := v.upTo(4, name)
					child := must(ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
						note(what(ctx.Message()))
						if ctx.Message() == "x" {
							panic("bad")
						}
					}), name))
					ctx.Send(child, name)
				}
			}
		}, actor.WithSupervisor(actor.NewAllForOneStrategy(10, 0, actor.DefaultDecider)))
	}, 2, 2},
	{"behaviors", 1, changes(false), 6, 6},
	{"routing", 4, func(v *venue) {
		worker := func(name string) actor.ReceiveFunc {
			note := v.upTo(1, name)
			return func(ctx actor.Context) {
				if m, ok := ctx.Message().(string); ok {
					note(m)
				}
			}
		}
		n := 0
		pool := v.Root.Spawn(router.NewRoundRobinPool(2, actor.WithProducer(func() actor.Actor {
			n++
			return worker(fmt.Sprint("worker ", n))
		})))
		group := v.Root.Spawn(router.NewBroadcastGroup(v.spawn("x", worker("x")), v.spawn("y", worker("y"))))
		v.sender("b", pool, "b")
		v.sender("c", pool, "c")
		v.sender("d", group, "all")
	}, 2, 8},
	{"futures piped to an actor", 1, func(v *venue) {
		note := v.upTo(3, "collector")
		collector := v.spawn("collector", func(ctx actor.Context) {
			if m, ok := ctx.Message().(string); ok {
				note(m)
			}
		})
		echo := func(ctx actor.Context) {
			if m, ok := ctx.Message().(string); ok {
				ctx.Respond(ctx.Self().Id + m)
			}
		}
		b, c := v.spawn("b", echo), v.spawn("c", echo)
		v.spawn("a", func(ctx actor.Context) {
			if hasStarted(ctx) {
				ctx.Send(collector, "asks")
				ctx.RequestFuture(b, "!", time.Minute).PipeTo(collector)
				ctx.RequestFuture(c, "!", time.Minute).PipeTo(collector)
			}
		})
	}, 2, 2},
	{"a future piped while its asker goes on", 1, pipes(0), 3, 3},
	{"an answer among messages of who answers", 1, answers(0), 2, 4},
	{"reenter after a future", 1, func(v *venue) {
		b := v.spawn("b", echo)
		note := v.upTo(3, "a")
		a := v.spawn("a", func(ctx actor.Context) {
			m, ok := ctx.Message().(string)
			if !ok {
				return
			}
			if note(m); m == "go" {
				ctx.ReenterAfter(ctx.RequestFuture(b, "hello", time.Minute), func(answer any, err error) { note(fmt.Sprint(answer, err, ctx.Message())) })
			}
		})
		v.Root.Send(a, "go")
		v.sender("c", a, "meanwhile")
	}, 3, 3},
	{"a future that times out", 1, func(v *venue) {
		mute := v.spawn("mute", func(actor.Context) {})
		v.spawn("a", func(ctx actor.Context) {
			if hasStarted(ctx) {
				_, err := ctx.RequestFuture(mute, "hello", 10*time.Millisecond).Result()
				v.note("a", "%v.", errors.Is(err, actor.ErrTimeout))
			}
		})
	}, 1, 1},
	{"receive timeout", 1, func(v *venue) {
		feed := func(ctx actor.Context) {
			if _, ok := ctx.Message().(string); ok {
				ctx.Respond(len(ctx.Self().Id))
			}
		}
		feeders := []*actor.PID{v.spawn("b", feed), v.spawn("cc", feed)}
		note := v.upTo(3, "a")
		v.spawn("a", func(ctx actor.Context) {
			switch m := ctx.Message().(type) {
			case *actor.Started:
				ctx.SetReceiveTimeout(10 * time.Millisecond)
			case *actor.ReceiveTimeout:
				ctx.CancelReceiveTimeout()
				note("nothing to do")
				for _, f := range feeders {
					ctx.Request(f, "more")
				}
			case int:
				note(fmt.Sprint(m))
			}
		})
	}, 2, 2},
	{"persistence", 2, func(v *venue) {
		props := actor.PropsFromProducer(func() actor.Actor { return &book{venue: v} }, actor.WithReceiverMiddleware(persistence.Using(inMemory{persistence.NewInMemoryProvider(9)})))
		var first *actor.PID
		kept := 0
		v.spawn("owner", func(ctx actor.Context) {
			switch ctx.Message().(type) {
			case *actor.Started:
				first = must(ctx.SpawnNamed(props, "book"))
				for _, name := range []string{"one", "two"} {
					v.sender("clerk "+name, first, v.NewLocalPID(name))
				}
			case string:
				if kept++; kept == 2 {
					ctx.Poison(first)
				}
			case *actor.Terminated:
				must(ctx.SpawnNamed(props, "book"))
			}
		})
	}, 2, 2},
	{"event stream", 1, func(v *venue) {
		note := v.upTo(2, "a")
		a := v.spawn("a", func(ctx actor.Context) {
			if m, ok := ctx.Message().(string); ok {
				note(m)
			}
		})
		v.EventStream.Subscribe(func(e any) {
			if m, ok := e.(string); ok {
				v.Root.Send(a, m)
			}
		})
		for _, name := range []string{"b", "c"} {
			v.spawn(name, func(ctx actor.Context) {
				if hasStarted(ctx) {
					v.EventStream.Publish(name)
				}
			})
		}
	}, 2, 2},
	{"dead letters", 1, func(v *venue) {
		note := v.upTo(2, "letters")
		v.EventStream.Subscribe(func(e any) {
			if d, ok := e.(*actor.DeadLetterEvent); ok {
				if m, ok := d.Message.(string); ok {
					note(m + " for " + d.PID.Id)
				}
			}
		})
		v.sender("b", v.NewLocalPID("nobody"), "lost")
		a := v.spawn("a", func(actor.Context) {})
		v.spawn("w", func(ctx actor.Context) {
			switch m := ctx.Message().(type) {
			case *actor.Started:
				ctx.Watch(a)
				ctx.Stop(a)
			case *actor.Terminated:
				ctx.Send(m.Who, "late")
			}
		})
	}, 2, 2},
	{"middleware and headers", 1, signs("by"), 2, 2},
	{"batches and automatic answers", 2, func(v *venue) {
		note := v.upTo(3, "a")
		a := v.spawn("a", func(ctx actor.Context) {
			if m, ok := ctx.Message().(int); ok {
				note(fmt.Sprint(m))
			}
		})
		v.sender("b", a, batch{1, 2})
		v.sender("c", a, 3)
		v.spawn("d", func(ctx actor.Context) {
			if hasStarted(ctx) {
				answer, _ := ctx.RequestFuture(a, &actor.Touch{}, time.Minute).Result()
				v.note("d", "%s.", answer.(*actor.Touched).Who.Id)
			}
		})
	}, 3, 20},
	{"a child that is watched", 1, func(v *venue) {
		note := v.upTo(2, "boss")
		v.spawn("boss", func(ctx actor.Context) {
			switch m := ctx.Message().(type) {
			case *actor.Started:
				must(ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
					if hasStarted(ctx) {
						ctx.Send(ctx.Parent(), "result")
						ctx.Stop(ctx.Self())
					}
				}), "worker"))
			case string, *actor.Terminated:
				note(what(m))
			}
		})
	}, 2, 2},
}

// greets has the test and an actor send the same greetings.
func greets(names ...any) func(*venue) {
	return func(v *venue) {
		note := v.upTo(3, "hello")
		hello := v.spawn("hello", func(ctx actor.Context) {
			if who, ok := ctx.Message().(string); ok {
				note("hello " + who)
			}
		})
		v.sender("b", hello, names...)
		v.Root.Send(hello, "Roger")
	}
}

// changes has an actor change its behavior and then change it back. In one form the actor forgets the second change.
func changes(forgets bool) func(*venue) {
	return func(v *venue) {
		b, note := actor.NewBehavior(), v.upTo(3, "a")
		b.Become(func(ctx actor.Context) {
			if m, ok := ctx.Message().(string); ok {
				note("one " + m)
				b.BecomeStacked(func(ctx actor.Context) {
					if note("two " + ctx.Message().(string)); !forgets {
						b.UnbecomeStacked()
					}
				})
			}
		})
		a := v.spawn("a", b.Receive)
		for _, name := range []string{"b", "c", "d"} {
			v.sender(name, a, name)
		}
	}
}

// signs has the middleware of two senders put their names into a header.
func signs(header string) func(*venue) {
	return func(v *venue) {
		note := v.upTo(2, "a")
		signed := func(next actor.SenderFunc) actor.SenderFunc {
			return func(ctx actor.SenderContext, to *actor.PID, e *actor.MessageEnvelope) {
				e.SetHeader(header, ctx.Self().Id)
				next(ctx, to, e)
			}
		}
		a := v.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return &named{note: note} }, actor.WithReceiverMiddleware(plugin.Use(namer{}))))
		for _, name := range []string{"b", "c"} {
			v.spawn(name, v.sends(a, "hello"), actor.WithSenderMiddleware(signed))
		}
	}
}

// A book keeps its entries when its actor ends.
type book struct {
	persistence.Mixin
	*venue
	again bool
	ids   []string
}

func (b *book) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.PID:
		b.ids = append(b.ids, m.Id)
		if b.again = b.Recovering(); b.again {
			return
		}
		b.PersistReceive(m)
		ctx.Send(ctx.Parent(), "kept")
		if len(b.ids) == 2 {
			b.note("first", "%s.", strings.Join(b.ids, " "))
		}
	case *persistence.ReplayComplete:
		if b.again {
			b.note("second", "%s.", strings.Join(b.ids, " "))
		}
	}
}

// A named actor gets its name from a plugin.
type named struct {
	name string
	note func(string)
}

func (n *named) Receive(ctx actor.Context) {
	if m, ok := ctx.Message().(string); ok {
		n.note(m + " " + n.name + " by " + ctx.MessageHeader().Get("by"))
	}
}

type namer struct{}

func (namer) OnStart(ctx actor.ReceiverContext)                            { ctx.Actor().(*named).name = "Proto" }
func (namer) OnOtherMessage(actor.ReceiverContext, *actor.MessageEnvelope) {}

type batch []any

func (b batch) GetMessages() []any { return b }

// hosted plays the program under jostle, and reports the result.
func (p ported) hosted(tell func(t *props.T, result string)) func(*props.T) {
	return func(t *props.T) {
		sys := t.SystemWith(pulse.Options{EarlyTimers: pulse.NeverEarly}) // no timer fires early: no real run lasts until the timeout
		v := newVenue(protoactor.New(sys), p.open)
		p.play(v)
		if sys.Run(); sys.Failure() != nil {
			return
		}
		if err := v.unfinished(); err != nil {
			t.Errorf("%v: %s", err, v.result())
		}
		tell(t, v.result())
	}
}

// real plays the program n times in proto.actor itself, and returns the results.
func (p ported) real(t *testing.T, times int) map[string]int {
	t.Helper()
	seen := map[string]int{}
	for i := range times {
		as := actor.NewActorSystem(quiet, actor.WithDeadLetterThrottleInterval(time.Millisecond))
		v := newVenue(as, p.open)
		v.late = uint(i)
		p.play(v)
		select {
		case <-v.over:
		case <-time.After(time.Minute):
			t.Errorf("%s does not end: %s", p.name, v.result())
		}
		as.Shutdown()
		seen[v.result()]++
	}
	return seen
}

// strays returns the results in proto.actor itself that no order under jostle has.
func strays(real map[string]int, known map[string]bool) (list []string) {
	for result := range real {
		if !known[result] {
			list = append(list, result)
		}
	}
	return list
}

// explored returns the results of all orders that Explore runs. Explore makes no random
// runs here, because these could hide that it skips an order.
func (p ported) explored(t *testing.T) (map[string]bool, fuzz.Verdict) {
	t.Helper()
	known := map[string]bool{}
	v := fuzz.Config{Runs: 20_000, MustComplete: true, Folder: t.TempDir(), Method: explore.Method{CountDistinct: true, DepthFirst: true}}.Explore(t, p.hosted(func(_ *props.T, result string) { known[result] = true }))
	return known, v
}

// TestPorted checks programs like proto.actor's own examples. Their results in
// proto.actor itself are among those that Explore finds, and Check finds no
// others.
func TestPorted(t *testing.T) {
	for _, p := range portedPrograms {
		t.Run(p.name, func(t *testing.T) {
			known, v := p.explored(t)
			if len(known) != p.results || v.Distinct != p.orders {
				t.Errorf("%d results in %d orders, want %d in %d: %v", len(known), v.Distinct, p.results, p.orders, slices.Sorted(maps.Keys(known)))
			}
			fuzz.Config{Runs: 100, Folder: t.TempDir()}.Check(t, p.hosted(func(t *props.T, result string) {
				if !known[result] {
					t.Errorf("Explore has not found %s", result)
				}
			}))
			real := p.real(t, 16)
			if list := strays(real, known); len(list) > 0 {
				t.Errorf("in proto.actor itself it comes also to %q, under jostle only to %q", list, slices.Sorted(maps.Keys(known)))
			}
			t.Logf("%d of %d results in proto.actor itself", len(real), len(known))
		})
	}
}

// pipes has an actor pipe a future to a collector and then send it two messages of its own. If
// waits is 1, the actor waits for the answer before it sends them. If 2, the answer waits
// until the first message has come, and the second message waits for the answer. If 0, none
// waits.
func pipes(waits int) func(*venue) {
	return func(v *venue) {
		note, first, came := v.upTo(3, "collector"), make(chan struct{}), make(chan struct{})
		collector := v.spawn("collector", func(ctx actor.Context) {
			m, ok := ctx.Message().(string)
			if !ok {
				return
			}
			switch note(m); m {
			case "1":
				close(first)
			case "b!":
				close(came)
			}
		})
		b := v.spawn("b", func(ctx actor.Context) {
			if m, ok := ctx.Message().(string); ok {
				if waits == 2 {
					<-first
				}
				ctx.Respond(m + "!")
			}
		})
		v.spawn("a", func(ctx actor.Context) {
			if !hasStarted(ctx) {
				return
			}
			ctx.RequestFuture(b, "b", time.Minute).PipeTo(collector)
			for i := 1; i <= 2; i++ {
				if waits == i {
					<-came
				}
				ctx.Send(collector, fmt.Sprint(i))
			}
		})
	}
}

// answers has an actor reenter after a future. The answering actor sends it a message before
// the answer and one after it. If waits is 1, the actor waits in its handler until all three
// are sent. If 2, the answering actor waits until the first message has been received. If 0,
// none waits.
func answers(waits int) func(*venue) {
	return func(v *venue) {
		note, sent, came := v.upTo(3, "a"), make(chan struct{}), make(chan struct{})
		b := v.spawn("b", func(ctx actor.Context) {
			asker, ok := ctx.Message().(*actor.PID)
			if !ok {
				return
			}
			ctx.Send(asker, "1")
			if waits == 2 {
				<-came
			}
			ctx.Respond("b!")
			ctx.Send(asker, "2")
			close(sent)
		})
		v.spawn("a", func(ctx actor.Context) {
			switch m := ctx.Message().(type) {
			case *actor.Started:
				ctx.ReenterAfter(ctx.RequestFuture(b, ctx.Self(), time.Minute), func(answer any, _ error) { note(answer.(string)) })
				if waits == 1 {
					<-sent
				}
			case string:
				if note(m); m == "1" {
					close(came)
				}
			}
		})
	}
}

// TestAnswers checks that answers come at the same positions among the other
// messages as in proto.actor itself, and at no others.
func TestAnswers(t *testing.T) {
	for _, x := range []struct {
		name  string
		play  func(waits int) func(*venue)
		waits []string // the only result of play(1), and of play(2)
		all   int
	}{
		{"piped, among those of the asker", pipes, []string{"collector: b!, 1, 2.", "collector: 1, b!, 2."}, 3},
		{"reentered after, among those of who answers", answers, []string{"a: b!, 1, 2.", "a: 1, b!, 2."}, 2},
	} {
		known, _ := ported{x.name, 1, x.play(0), 0, 0}.explored(t)
		if len(known) != x.all {
			t.Errorf("%s: %v", x.name, known)
		}
		for i, want := range x.waits {
			if real := (ported{x.name, 1, x.play(i + 1), 0, 0}).real(t, 1); real[want] == 0 || !known[want] {
				t.Errorf("%s: want %s; in proto.actor itself %v, under jostle %v", x.name, want, real, known)
			}
		}
	}
}

// TestStrays checks that a program that behaves differently in proto.actor itself is
// noticed.
func TestStrays(t *testing.T) {
	for _, x := range []struct {
		name         string
		right, wrong func(*venue)
	}{
		{"messages of one sender in another order", greets("Anna", "Bert"), greets("Bert", "Anna")},
		{"a behaviour that stays", changes(false), changes(true)},
		{"a header that is lost", signs("by"), signs("from")},
	} {
		known, _ := ported{x.name, 1, x.right, 0, 0}.explored(t)
		if list := strays(ported{x.name, 1, x.right, 0, 0}.real(t, 2), known); len(list) > 0 {
			t.Errorf("%s: %q are not known", x.name, list)
		}
		if list := strays(ported{x.name, 1, x.wrong, 0, 0}.real(t, 2), known); len(list) == 0 {
			t.Errorf("%s is not seen", x.name)
		}
	}
}
