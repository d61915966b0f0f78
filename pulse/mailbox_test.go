package pulse_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// mailboxes are programs in which the mailbox of an actor, the sink, has
// room for two messages. Each has the messages that the sink receives.
var mailboxes = []struct {
	name  string
	o     pulse.Options
	full  pulse.Overflow
	build func(s *pulse.System, sink pulse.Ref)
	want  string
	other string // the result with Unordered delivery, if it differs from want
	fails string // the beginning of the failure's text
}{
	{
		name:  "the newest are lost",
		build: func(s *pulse.System, sink pulse.Ref) { sendAll(s, sink, 1, 2, 3, 4) },
		want:  "[1 2]",
	},
	{
		name: "the oldest are lost", full: pulse.OnFullDropOldest,
		build: func(s *pulse.System, sink pulse.Ref) { sendAll(s, sink, 1, 2, 3, 4) },
		want:  "[3 4]",
	},
	{
		name: "the oldest of all senders is lost", full: pulse.OnFullDropOldest,
		build: func(s *pulse.System, sink pulse.Ref) {
			producer(s, sink, 1)
			producer(s, sink, 2)
			producer(s, sink, 3)
		},
		want: "[2 3]",
	},
	{
		name: "the run fails", full: pulse.OnFullFail,
		build: func(s *pulse.System, sink pulse.Ref) {
			producer(s, sink, 1, 2)
			producer(s, sink, 3)
		},
		fails: "the mailbox of sink is full: it has room for 2, and producer.2 sends 3",
	},
	{
		name: "the run fails by what the test sends", full: pulse.OnFullFail,
		build: func(s *pulse.System, sink pulse.Ref) { sendAll(s, sink, 1, 2, 3) },
		fails: "the mailbox of sink is full: it has room for 2, and test sends 3",
	},
	{
		name: "what is received makes room",
		build: func(s *pulse.System, sink pulse.Ref) {
			sendAll(s, sink, 1, 2)
			s.Run()
			sendAll(s, sink, 3, 4, 5)
		},
		want: "[1 2 3 4]",
	},
	{
		name: "timers and Downs have room and take none",
		build: func(s *pulse.System, sink pulse.Ref) {
			gone := s.Spawn("gone", pulse.Func(stopping))
			sendAll(s, sink, func(ctx *pulse.Ctx) {
				ctx.Watch(gone)
				ctx.After(0, "timer")
				ctx.After(0, "another")
				ctx.Send(ctx.Self(), 1)
				ctx.Send(ctx.Self(), 2)
				ctx.Send(ctx.Self(), 3)
			})
			s.Send(gone, "end")
		},
		want: "[1 2 down timer another]",
	},
	{
		name: "what is sent later has room and takes none",
		build: func(s *pulse.System, sink pulse.Ref) {
			s.Send(s.Spawn("setter", pulse.Func(func(ctx *pulse.Ctx, _ any) {
				for i := range 4 {
					ctx.SendAfter(sink, time.Second, i)
				}
			})), 1)
		},
		want: "[0 1 2 3]",
	},
	{
		name: "a copy that a fault makes needs room",
		o:    pulse.Options{Faults: pulse.Faults{Duplicate: 2}, Strategy: always(choice.Duplicate)},
		build: func(s *pulse.System, sink pulse.Ref) {
			producer(s, sink, 1)
			producer(s, sink, 2)
		},
		want: "[1 1]",
	},
	{
		name: "what a delay holds up takes room",
		o:    pulse.Options{Faults: pulse.Faults{Delay: 2}, Strategy: always(choice.Delay)},
		build: func(s *pulse.System, sink pulse.Ref) {
			producer(s, sink, 1)
			producer(s, sink, 2)
			producer(s, sink, 3)
		},
		want: "[1 2]",
	},
	{
		name: "what a delay holds up may be the oldest", full: pulse.OnFullDropOldest,
		o: pulse.Options{Faults: pulse.Faults{Delay: 1}, Strategy: always(choice.Delay)},
		build: func(s *pulse.System, sink pulse.Ref) {
			producer(s, sink, 1)
			producer(s, sink, 2)
			producer(s, sink, 3)
		},
		want: "[2 3]", other: "[3 1]",
	},
	{
		name: "what was lost is an orphan for nobody", o: pulse.Options{Orphans: true},
		build: func(s *pulse.System, sink pulse.Ref) { sendAll(s, sink, 1, 2, 3) },
		want:  "[1 2]",
	},
}

func sendAll(s *pulse.System, to pulse.Ref, list ...any) {
	for _, msg := range list {
		s.Send(to, msg)
	}
}

// producer spawns an actor that sends all messages of a list in one step.
func producer(s *pulse.System, to pulse.Ref, list ...any) {
	s.Send(s.Spawn("producer", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		for _, msg := range list {
			ctx.Send(to, msg)
		}
	})), "go")
}

func TestMailboxes(t *testing.T) {
	for _, c := range mailboxes {
		for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
			for _, record := range []bool{false, true} {
				o := c.o
				o.Delivery, o.Record = d, record
				s := newSystem(t, o)
				got := []any{}
				sink := s.SpawnSpec(pulse.Spec{Name: "sink", Mailbox: 2, OnFull: c.full, Actor: pulse.Func(func(ctx *pulse.Ctx, msg any) {
					switch m := msg.(type) {
					case func(*pulse.Ctx):
						m(ctx)
					case pulse.Down:
						got = append(got, "down")
					default:
						got = append(got, m)
					}
				})})
				c.build(s, sink)
				s.Run()
				if err := s.Invariants(); err != nil && s.Failure() == nil {
					t.Errorf("%s, %v: %v", c.name, d, err)
				}
				want := c.want
				if d == pulse.DeliveryUnordered && c.other != "" {
					want = c.other
				}
				if f := textOf(s.Failure()); f != c.fails || c.fails == "" && fmt.Sprint(got) != want {
					t.Errorf("%s, %v, recorded %v: %v, %q", c.name, d, record, got, f)
				}
				if c.fails != "" && (s.Failure().Kind != pulse.KindBudget || s.Failure().Site != "mailbox of sink") {
					t.Errorf("%s: %+v", c.name, s.Failure())
				}
			}
		}
	}
}

// If a full mailbox loses a message, the trace says so, and later messages that
// a process accepts are not blocked.
func TestMailboxOfAProcess(t *testing.T) {
	s := newSystem(t, pulse.Options{Record: true})
	got := []any{}
	r := s.SpawnSpec(pulse.Spec{Name: "sink", Mailbox: 1, OnFull: pulse.OnFullDropOldest, Process: func(p *pulse.Process) {
		got = append(got, p.ReceiveMatch(func(msg any) bool { return msg == "x" }))
	}})
	s.Settle()
	producer(s, r, "a", "b", "x")
	mustRun(t, s)
	fates := []string{}
	for _, d := range s.Trace().Sends {
		if d.To == int32(r.Index()) && d.Kind == trace.Message {
			fates = append(fates, fmt.Sprint(d.Body, " ", d.Fate))
		}
	}
	if text := strings.Join(fates, ", "); text != "a dropped, b dropped, x delivered" || fmt.Sprint(got) != "[x]" {
		t.Errorf("%s; received %v", text, got)
	}
}

// Reset removes the bound of a mailbox. An invalid Spec is refused.
func TestMailboxSpecs(t *testing.T) {
	s := newSystem(t, pulse.Options{})
	s.SpawnSpec(pulse.Spec{Name: "sink", Mailbox: 1, Actor: pulse.Func(idle)})
	s.Reset(1)
	b := &busy{}
	r := s.Spawn("busy", b)
	sendAll(s, r, 1, 2, 3)
	mustRun(t, s)
	if b.n != 3 {
		t.Errorf("after Reset %d of 3 are received", b.n)
	}
	for want, spec := range map[string]pulse.Spec{
		`actor "x": Spec.Mailbox is -1: use a number of at least 1, or zero for no bound`:                  {Mailbox: -1},
		`actor "x": Spec.OnFull is 3: it must be a constant of type Overflow`:                              {Mailbox: 1, OnFull: 3},
		`actor "x": Spec.OnFull is set, but Spec.Mailbox is zero: a mailbox without a bound is never full`: {OnFull: pulse.OnFullFail},
	} {
		spec.Name, spec.Actor = "x", pulse.Func(idle)
		if f := attempt(func() { s.SpawnSpec(spec) }); textOf(f) != want {
			t.Errorf("%q, want %q", textOf(f), want)
		}
	}
}

// laterSends are programs with SendAfter: each has the messages that the sink receives, with their times.
var laterSends = []struct {
	name  string
	o     pulse.Options
	build func(s *pulse.System, sink pulse.Ref)
	want  string
}{
	{
		name: "in the order of their times",
		build: by("a", func(ctx *pulse.Ctx, sink pulse.Ref) {
			ctx.SendAfter(sink, 3, "c")
			ctx.SendAfter(sink, 1, "a")
			ctx.SendAfter(sink, 2, "b")
			ctx.SendAfter(sink, 2, "b again")
			ctx.Send(sink, "now")
		}),
		want: "0s now from a, 1ns a from a, 2ns b from a, 2ns b again from a, 3ns c from a",
	},
	{
		name: "although the sender has ended",
		build: by("a", func(ctx *pulse.Ctx, sink pulse.Ref) {
			ctx.SendAfter(sink, 1, "x")
			ctx.After(1, "no more")
			ctx.Stop()
		}),
		want: "1ns x from a",
	},
	{
		name: "although the sender has crashed",
		o: pulse.Options{Faults: pulse.Faults{Crash: 1, Actors: func(r pulse.Ref) bool { return strings.HasPrefix(r.String(), "a") }},
			Strategy: &decider{}},
		build: by("a", func(ctx *pulse.Ctx, sink pulse.Ref) { ctx.SendAfter(sink, 1, "x") }),
		want:  "1ns x from a",
	},
	{
		name: "unless it is stopped",
		build: by("a", func(ctx *pulse.Ctx, sink pulse.Ref) {
			timer := ctx.SendAfter(sink, 1, "x")
			ctx.SendAfter(sink, 2, timer.Stop())
			ctx.SendAfter(sink, 3, timer.Stop())
		}),
		want: "2ns true from a, 3ns false from a",
	},
	{
		name: "to itself it ends with the actor",
		build: by("a", func(ctx *pulse.Ctx, sink pulse.Ref) {
			ctx.SendAfter(ctx.Self(), 1, "x")
			ctx.SendAfter(sink, 1, "y")
			ctx.Stop()
		}),
		want: "1ns y from a",
	},
	{
		name:  "through a partition",
		o:     pulse.Options{Faults: pulse.Faults{Partition: 1}, Strategy: always(choice.Fault)},
		build: by("a", func(ctx *pulse.Ctx, sink pulse.Ref) { ctx.SendAfter(sink, 1, "x") }),
		want:  "1ns x from a",
	},
}

// by returns a program with one actor that calls the given function in its first step.
func by(name string, do func(ctx *pulse.Ctx, sink pulse.Ref)) func(*pulse.System, pulse.Ref) {
	return func(s *pulse.System, sink pulse.Ref) {
		s.Send(s.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == "go" {
				do(ctx, sink)
			}
		})), "go")
	}
}

func TestSendAfter(t *testing.T) {
	for _, c := range laterSends {
		for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
			o := c.o
			o.Delivery, o.Record, o.Orphans = d, true, true
			s := newSystem(t, o)
			var got []string
			sink := s.Spawn("sink", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				got = append(got, fmt.Sprintf("%v %v from %v", ctx.Now(), msg, ctx.Sender()))
			}))
			c.build(s, sink)
			s.Run()
			if text := strings.Join(got, ", "); text != c.want || s.Failure() != nil {
				t.Errorf("%s, %v: %s, %v", c.name, d, text, s.Failure())
			}
		}
	}
}

// A SendAfter message to an actor that has ended becomes an orphan. SendAfter
// to the sender of an Ask fails the run.
func TestSendAfterToWhomItCannotCome(t *testing.T) {
	s := newSystem(t, pulse.Options{Orphans: true})
	gone := s.Spawn("gone", pulse.Func(stopping))
	by("a", func(ctx *pulse.Ctx, _ pulse.Ref) {
		ctx.SendAfter(gone, time.Second, "x")
		ctx.Send(gone, "end")
	})(s, gone)
	if s.Run(); textOf(s.Failure()) != "1 message was sent to actors that had ended" || s.Now() != time.Second {
		t.Errorf("%v at %v", s.Failure(), s.Now())
	}
	s.Reset(1)
	s.Ask(s.Spawn("slow", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.SendAfter(ctx.Sender(), 1, "answer") })), "?")
	if f := textOf(s.Failure()); !strings.HasPrefix(f, "SendAfter to the sender of an Ask: an answer cannot be sent later; ") {
		t.Errorf("an answer later: %s", f)
	}
}

// A chart shows the sender of a message of SendAfter, and the trace its time.
func TestSendAfterInAChart(t *testing.T) {
	s := newSystem(t, pulse.Options{Record: true})
	sink := s.Spawn("sink", pulse.Func(idle))
	by("setter", func(ctx *pulse.Ctx, sink pulse.Ref) { ctx.SendAfter(sink, time.Second, "x") })(s, sink)
	mustRun(t, s)
	if chart := s.Trace().Chart(); !strings.Contains(chart, `setter ──"x"──▶ sink`) || !strings.Contains(chart, "(at 1s)") {
		t.Errorf("chart:\n%s", chart)
	}
	if m := s.Trace().Mermaid(); !strings.Contains(m, "(timer at 1s)") || strings.Count(m, "a2->>a1") != 1 {
		t.Errorf("diagram:\n%s", m)
	}
}

// unwatchings are actions of a watcher, and the Downs that it receives.
var unwatchings = []struct {
	name string
	do   func(ctx *pulse.Ctx, other, third pulse.Ref)
	want string
}{
	{"a watch", func(ctx *pulse.Ctx, other, _ pulse.Ref) { ctx.Watch(other) }, "[other]"},
	{"none", func(ctx *pulse.Ctx, other, _ pulse.Ref) { ctx.Unwatch(other) }, "[]"},
	{"ended at once", func(ctx *pulse.Ctx, other, _ pulse.Ref) { ctx.Watch(other); ctx.Unwatch(other) }, "[]"},
	{"all of them", func(ctx *pulse.Ctx, other, _ pulse.Ref) { ctx.Watch(other); ctx.Watch(other); ctx.Unwatch(other) }, "[]"},
	{"and begun anew", func(ctx *pulse.Ctx, other, _ pulse.Ref) { ctx.Watch(other); ctx.Unwatch(other); ctx.Watch(other) }, "[other]"},
	{"not of another", func(ctx *pulse.Ctx, other, third pulse.Ref) { ctx.Watch(other); ctx.Watch(third); ctx.Unwatch(third) }, "[other]"},
	{"of one that is gone", func(ctx *pulse.Ctx, other, third pulse.Ref) { ctx.Watch(third); ctx.Unwatch(third) }, "[]"},
}

func TestUnwatch(t *testing.T) {
	for _, c := range unwatchings {
		for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
			s := newSystem(t, pulse.Options{Record: true, Delivery: d})
			got := []any{}
			third := s.Spawn("third", pulse.Func(stopping))
			s.Send(third, "end")
			s.Settle()
			other := s.Spawn("other", pulse.Func(stopping))
			s.Send(s.Spawn("watcher", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if down, ok := msg.(pulse.Down); ok {
					got = append(got, down.Actor)
					return
				}
				c.do(ctx, other, third)
			})), "go")
			s.Settle()
			s.Send(other, "end")
			mustRun(t, s)
			if text := fmt.Sprint(got); text != c.want {
				t.Errorf("%s, %v: %s", c.name, d, text)
			}
		}
	}
}

// Unwatch withdraws a Down in flight. The messages behind it can then be delivered.
func TestUnwatchTakesBack(t *testing.T) {
	for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		s := newSystem(t, pulse.Options{Record: true, Delivery: d})
		var got []any
		other := s.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			ctx.Send(msg.(pulse.Ref), "before")
			ctx.Stop()
		}))
		watcher := s.Go("watcher", func(p *pulse.Process) {
			p.Watch(other)
			p.ReceiveMatch(func(msg any) bool { return msg == "go" })
			p.Unwatch(other)
			msg, _ := p.ReceiveTimeout(time.Second)
			got = append(got, msg)
			msg, ok := p.ReceiveTimeout(time.Second)
			got = append(got, msg, ok)
		})
		s.Send(other, watcher)
		s.Settle()
		s.Send(watcher, "go")
		mustRun(t, s)
		if fmt.Sprint(got) != "[before <nil> false]" {
			t.Errorf("%v: received %v", d, got)
		}
		sends := s.Trace().Sends
		for i := range sends {
			if sends[i].Kind == trace.Down && sends[i].Fate != trace.Dropped {
				t.Errorf("%v: the Down is %v", d, sends[i].Fate)
			}
		}
	}
}

// echo is an actor that returns its messages, and runs the functions that it receives.
type echo struct{}

func (echo) Receive(ctx *pulse.Ctx, msg any) {
	if to, ok := msg.(pulse.Ref); ok {
		ctx.SendAfter(to, time.Second, "later")
		return
	}
	ctx.Reply(msg)
}

// TestStateOfMailboxesAndAsks checks for pairs of runs whether they lead to the same state.
func TestStateOfMailboxesAndAsks(t *testing.T) {
	type three struct{ a, b, sink pulse.Ref }
	state := func(full pulse.Overflow, d pulse.Delivery, do func(s *pulse.System, x three)) uint64 {
		s := newSystem(t, pulse.Options{Strategy: &stater{}, Delivery: d})
		x := three{s.Spawn("a", echo{}), s.Spawn("b", echo{}), s.SpawnSpec(pulse.Spec{Name: "sink", Actor: echo{}, Mailbox: 3, OnFull: full})}
		s.Host().Accept(x.sink, func(any) bool { return false })
		do(s, x)
		if f := s.Failure(); f != nil {
			t.Fatal(f)
		}
		return s.State()
	}
	enqueue := func(first, second func(x three) pulse.Ref) func(*pulse.System, three) {
		return func(s *pulse.System, x three) {
			s.Host().Enqueue(first(x), x.sink, 1)
			s.Host().Enqueue(second(x), x.sink, 1)
		}
	}
	later := func(first, second func(x three) pulse.Ref, d time.Duration) func(*pulse.System, three) {
		return func(s *pulse.System, x three) {
			s.Send(first(x), x.sink)
			s.Send(second(x), x.sink)
			s.RunFor(d)
		}
	}
	a, b := func(x three) pulse.Ref { return x.a }, func(x three) pulse.Ref { return x.b }
	asks := func(msg any) func(*pulse.System, three) {
		return func(s *pulse.System, x three) { s.Ask(x.a, msg) }
	}
	for _, c := range []struct {
		name       string
		full       pulse.Overflow
		one, other func(*pulse.System, three)
		same       bool
	}{
		{"other answers", 0, asks(1), asks(2), false},
		{"the same answer", 0, asks(1), asks(1), true},
		{"another order of arrival", pulse.OnFullDropNewest, enqueue(a, b), enqueue(b, a), true},
		{"another order of arrival, of which the oldest is lost first", pulse.OnFullDropOldest, enqueue(a, b), enqueue(b, a), false},
		{"set later in another order", 0, later(a, b, 1), later(b, a, 1), true},
		{"set later by others", 0, later(a, a, 1), later(b, b, 1), false},
		{"come later by others", 0, later(a, a, time.Second), later(b, b, time.Second), false},
		{"come later in another order", 0, later(a, b, time.Second), later(b, a, time.Second), true},
	} {
		for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
			if same := state(c.full, d, c.one) == state(c.full, d, c.other); same != c.same {
				t.Errorf("%s, %v: the same state %v, want %v", c.name, d, same, c.same)
			}
		}
	}
	if state(pulse.OnFullDropNewest, 0, enqueue(a, b)) == state(pulse.OnFullDropOldest, 0, enqueue(a, b)) {
		t.Error("the state does not tell what a full mailbox does")
	}
}
