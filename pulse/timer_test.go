package pulse_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

const forever = time.Duration(math.MaxInt64)

// setting is an actor that runs the functions it is sent and records other
// messages.
func setting(d *diary) pulse.Func {
	return func(ctx *pulse.Ctx, msg any) {
		if do, ok := msg.(func(*pulse.Ctx)); ok {
			do(ctx)
			return
		}
		d.write("%v %v", ctx.Now(), msg)
	}
}

// timings are programs with timers: each has the messages received and the time of its end.
var timings = []struct {
	name  string
	o     pulse.Options
	build func(s *pulse.System, d *diary)
	want  string // the diary
	now   time.Duration
	fails string // the beginning of the failure's text
}{
	{
		name: "timers fire in the order of their times",
		build: setup(func(ctx *pulse.Ctx, _ *diary) {
			ctx.After(3*time.Second, "c")
			ctx.After(time.Second, "a")
			ctx.After(2*time.Second, "b")
		}),
		want: "1s a, 2s b, 3s c", now: 3 * time.Second,
	},
	{
		name: "equal times fire in the order of setting",
		build: setup(func(ctx *pulse.Ctx, _ *diary) {
			for i := range 20 {
				ctx.After(time.Duration(1+i%2), i)
			}
		}),
		want: "1ns 0, 1ns 2, 1ns 4, 1ns 6, 1ns 8, 1ns 10, 1ns 12, 1ns 14, 1ns 16, 1ns 18, " +
			"2ns 1, 2ns 3, 2ns 5, 2ns 7, 2ns 9, 2ns 11, 2ns 13, 2ns 15, 2ns 17, 2ns 19", now: 2,
	},
	{
		name: "time moves only when nothing is deliverable",
		build: setup(func(ctx *pulse.Ctx, d *diary) {
			ctx.After(1, "timer")
			next := ctx.Spawn("till", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				d.write("%v %v", ctx.Now(), msg)
				if n := msg.(int); n > 0 {
					ctx.Send(ctx.Self(), n-1)
				}
			}))
			ctx.Send(next, 3)
		}),
		want: "0s 3, 0s 2, 0s 1, 0s 0, 1ns timer", now: 1,
	},
	{
		name: "After(0) comes after what is deliverable, and takes no time",
		build: setup(func(ctx *pulse.Ctx, _ *diary) {
			ctx.After(0, "timer")
			ctx.Send(ctx.Self(), "message")
		}),
		want: "0s message, 0s timer",
	},
	{
		name: "Stop before the time, twice, and after it",
		build: setup(func(ctx *pulse.Ctx, d *diary) {
			first, second := ctx.After(1, "first"), ctx.After(1, "second")
			third := ctx.After(2, "third")
			d.write("%v %v", first.Stop(), first.Stop())
			ctx.After(1, func(*pulse.Ctx) { d.write("%v %v", second.Stop(), third.Stop()) })
			d.write("%v", pulse.Timer{}.Stop())
		}),
		want: "true false, false, 1ns second, false true", now: 1,
	},
	{
		name: "a timer that is due already is not taken back",
		build: setup(func(ctx *pulse.Ctx, d *diary) {
			var second pulse.Timer
			ctx.After(1, func(*pulse.Ctx) { d.write("%v", second.Stop()) })
			second = ctx.After(1, "second")
		}),
		want: "false, 1ns second", now: 1,
	},
	{
		name:  "Every fires ten times when nothing else is sent",
		build: setup(func(ctx *pulse.Ctx, _ *diary) { ctx.Every(time.Second, "tick") }),
		want:  "1s tick, 2s tick, 3s tick, 4s tick, 5s tick, 6s tick, 7s tick, 8s tick, 9s tick, 10s tick", now: 10 * time.Second,
	},
	{
		name: "Ticks, for each periodic timer", o: pulse.Options{Ticks: 2},
		build: setup(func(ctx *pulse.Ctx, _ *diary) {
			ctx.Every(2, "slow")
			ctx.Every(1, "fast")
		}),
		want: "1ns fast, 2ns slow, 2ns fast, 3ns fast", now: 3,
	},
	{
		name: "ticks are counted from the last other message", o: pulse.Options{Ticks: 2},
		build: setup(func(ctx *pulse.Ctx, _ *diary) {
			ctx.Every(2, "tick")
			ctx.After(7, "timer")
		}),
		want: "2ns tick, 4ns tick, 6ns tick, 7ns timer, 8ns tick, 10ns tick", now: 10,
	},
	{
		name: "a tick that sends keeps the run going", o: pulse.Options{Steps: 21},
		build: setup(func(ctx *pulse.Ctx, _ *diary) {
			ctx.Become(pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if msg == any("tick") {
					ctx.Send(ctx.Self(), "message")
				}
			}))
			ctx.Every(1, "tick")
		}),
		now: 11, fails: "the run has not ended after 21 steps",
	},
	{
		name: "up to the horizon", o: pulse.Options{Horizon: 4},
		build: setup(func(ctx *pulse.Ctx, d *diary) {
			ctx.Become(pulse.Func(func(ctx *pulse.Ctx, msg any) {
				d.write("%v %v", ctx.Now(), msg)
				if msg == any("tick") {
					ctx.Send(ctx.Self(), "message")
				}
			}))
			ctx.Every(1, "tick")
			ctx.After(5, "never")
		}),
		want: "1ns tick, 1ns message, 2ns tick, 2ns message, 3ns tick, 3ns message, 4ns tick, 4ns message", now: 4,
	},
	{
		name: "Every is stopped", o: pulse.Options{Ticks: 5},
		build: setup(func(ctx *pulse.Ctx, d *diary) {
			t := ctx.Every(2, "tick")
			ctx.After(5, func(*pulse.Ctx) { d.write("%v %v", t.Stop(), t.Stop()) })
		}),
		want: "2ns tick, 4ns tick, true false", now: 5,
	},
	{
		name: "the timers of an actor end with it",
		build: setup(func(ctx *pulse.Ctx, _ *diary) {
			ctx.After(1, "timer")
			ctx.Every(1, "tick")
			ctx.Stop()
		}),
	},
	{
		name: "a tick that finds the last still waiting is left out", o: pulse.Options{Ticks: 100},
		build: straight(func(p *pulse.Process, d *diary) {
			t := p.Every(1, "tick")
			p.Sleep(3)
			for range 3 {
				d.write("%v %v", p.Receive(), p.Now())
			}
			t.Stop()
		}),
		want: "tick 3ns, tick 4ns, tick 5ns", now: 5,
	},
	{
		name: "ticks that nobody takes do not keep the run going",
		build: straight(func(p *pulse.Process, _ *diary) {
			p.Every(1, "tick")
			p.ReceiveMatch(func(msg any) bool { return msg == any("tock") })
		}),
		now: 10, fails: "stuck: 1 of 1 actors cannot go on",
	},
	{
		name: "Sleep",
		build: straight(func(p *pulse.Process, d *diary) {
			p.Send(p.Self(), "message")
			for range 3 {
				p.Sleep(time.Second)
				d.write("%v", p.Now())
			}
			p.Sleep(0)
			d.write("%v %v", p.Now(), p.Receive())
		}),
		want: "1s, 2s, 3s, 3s message", now: 3 * time.Second,
	},
	{
		name: "ReceiveTimeout",
		build: straight(func(p *pulse.Process, d *diary) {
			p.After(3, "timer")
			for range 3 {
				msg, ok := p.ReceiveTimeout(2)
				d.write("%v %v at %v", msg, ok, p.Now())
			}
		}),
		want: "<nil> false at 2ns, timer true at 3ns, <nil> false at 5ns", now: 5,
	},
	{
		name: "a timeout of nothing finds what is there",
		build: straight(func(p *pulse.Process, d *diary) {
			p.Send(p.Self(), "message")
			for range 2 {
				msg, ok := p.ReceiveTimeout(0)
				d.write("%v %v", msg, ok)
			}
		}),
		want: "message true, <nil> false",
	},
	{
		name: "AskTimeout; an answer that is late or comes twice is thrown away",
		build: straight(func(p *pulse.Process, d *diary) {
			server := p.Spawn("till", slowServer(5))
			for _, wait := range []time.Duration{7, 3, 9} {
				answer, ok := p.AskTimeout(server, "price", wait)
				d.write("%v %v at %v", answer, ok, p.Now())
			}
			d.write("%v", second(p.ReceiveTimeout(100)))
		}),
		want: "price true at 5ns, <nil> false at 8ns, price true at 13ns, false", now: 113,
	},
	{
		name: "Ask and AskTimeout in turns",
		build: straight(func(p *pulse.Process, d *diary) {
			server := p.Spawn("till", slowServer(5))
			_, ok := p.AskTimeout(server, "early", 1)
			d.write("%v %v at %v", ok, p.Ask(server, "price"), p.Now())
		}),
		want: "false price at 6ns", now: 6,
	},
	{
		name: "what is never due does not come",
		build: setup(func(ctx *pulse.Ctx, _ *diary) {
			ctx.After(forever, "never")
			ctx.Every(forever, "never")
			ctx.After(1, func(ctx *pulse.Ctx) {
				ctx.After(forever, "never")
				ctx.Every(forever-1, "never")
				ctx.Every(1<<62, "rarely")
			})
		}),
		want: fmt.Sprintf("%v rarely", time.Duration(1<<62+1)), now: 1<<62 + 1,
	},
	{
		name: "a wait without end and periodic timers", o: pulse.Options{Ticks: 2},
		build: func(s *pulse.System, d *diary) {
			straight(func(p *pulse.Process, _ *diary) { p.ReceiveTimeout(forever) })(s, d)
			setup(func(ctx *pulse.Ctx, _ *diary) { ctx.Every(1, "tick") })(s, d)
		},
		want: "1ns tick, 2ns tick", now: 2,
	},
	{
		name:  "Sleep without end is stuck",
		build: straight(func(p *pulse.Process, _ *diary) { p.Sleep(forever) }),
		fails: "stuck: 1 of 1 actors cannot go on",
	},
}

// setup spawns an actor whose first step is do.
func setup(do func(*pulse.Ctx, *diary)) func(*pulse.System, *diary) {
	return func(s *pulse.System, d *diary) {
		s.Send(s.Spawn("shop", setting(d)), func(ctx *pulse.Ctx) { do(ctx, d) })
	}
}

// straight spawns a process with the given code.
func straight(do func(*pulse.Process, *diary)) func(*pulse.System, *diary) {
	return func(s *pulse.System, d *diary) {
		s.Go("clerk", func(p *pulse.Process) { do(p, d) })
	}
}

// slowServer answers twice, after a while.
func slowServer(d time.Duration) pulse.Func {
	type answer struct {
		to  pulse.Ref
		msg any
	}
	return func(ctx *pulse.Ctx, msg any) {
		if a, ok := msg.(answer); ok {
			ctx.Send(a.to, a.msg)
			ctx.Send(a.to, a.msg)
			return
		}
		ctx.After(d, answer{ctx.Sender(), msg})
	}
}

func second(_ any, ok bool) bool { return ok }

func TestTimers(t *testing.T) {
	for _, c := range timings {
		t.Run(c.name, func(t *testing.T) {
			for _, delivery := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
				for _, record := range []bool{true, false} {
					c.o.Delivery, c.o.Record = delivery, record
					s, d := pulse.New(c.o), &diary{}
					c.build(s, d)
					s.Run()
					f := s.Failure()
					how := fmt.Sprintf("%v, recorded %v", delivery, record)
					if got := strings.Join(d.lines, ", "); got != c.want || s.Now() != c.now {
						t.Errorf("%s: the diary is\n%s\nat %v, expected\n%s\nat %v", how, got, s.Now(), c.want, c.now)
					}
					if (f == nil) != (c.fails == "") || f != nil && !strings.HasPrefix(f.Text, c.fails) {
						t.Errorf("%s: the run ends with %v, expected %q", how, f, c.fails)
					}
					s.Close()
				}
			}
		})
	}
}

func TestRunFor(t *testing.T) {
	s, d := pulse.New(pulse.Options{Record: true, Ticks: 1}), &diary{}
	defer s.Close()
	setup(func(ctx *pulse.Ctx, _ *diary) {
		ctx.Every(time.Second, "tick")
		ctx.After(4*time.Second, "timer")
	})(s, d)
	s.Go("clerk", sleeping)
	for _, c := range []struct {
		d    time.Duration
		want string
		now  time.Duration
	}{
		{0, "", 0},
		{999 * time.Millisecond, "", 999 * time.Millisecond},
		{time.Millisecond, "1s tick", time.Second},
		{1500 * time.Millisecond, "2s tick", 2500 * time.Millisecond},
		{0, "", 2500 * time.Millisecond},
		{2 * time.Second, "3s tick, 4s tick, 4s timer", 4500 * time.Millisecond},
		{500 * time.Millisecond, "5s tick", 5 * time.Second},
		{3 * time.Second, "6s tick, 7s tick, 8s tick", 8 * time.Second},
	} {
		d.lines = nil
		s.RunFor(c.d)
		f := s.Failure()
		if got := slices.Sorted(slices.Values(d.lines)); f != nil || strings.Join(got, ", ") != c.want || s.Now() != c.now {
			t.Errorf("RunFor(%v): %q at %v and %v, expected %q at %v", c.d, got, s.Now(), f, c.want, c.now)
		}
	}
}

func TestRunForEnds(t *testing.T) {
	for _, c := range []struct {
		name    string
		horizon time.Duration
		ds      []time.Duration
		now     time.Duration
	}{
		{"at the horizon", 10, []time.Duration{7, 7, 7}, 10},
		{"before it", 10, []time.Duration{7, 2}, 9},
		{"at the end of time", 0, []time.Duration{forever}, forever - 1},
		{"at the end of time, later", 0, []time.Duration{1, forever, forever}, forever - 1},
	} {
		s := pulse.New(pulse.Options{Horizon: c.horizon})
		s.Spawn("shop", pulse.Func(idle))
		for _, d := range c.ds {
			s.RunFor(d)
			if f := s.Failure(); f != nil {
				t.Errorf("%s: %v", c.name, f)
			}
		}
		if s.Now() != c.now {
			t.Errorf("%s: it is %v, expected %v", c.name, s.Now(), c.now)
		}
		s.Close()
	}
}

// TestSettleTakesNoTime: Settle lets events happen that are due now. Later
// events wait for Run.
func TestSettleTakesNoTime(t *testing.T) {
	s, d := pulse.New(pulse.Options{Record: true}), &diary{}
	defer s.Close()
	setup(func(ctx *pulse.Ctx, _ *diary) {
		ctx.After(0, "now")
		ctx.After(1, "later")
	})(s, d)
	s.Settle()
	if f := s.Failure(); f != nil || s.Now() != 0 || fmt.Sprint(d.lines) != "[0s now]" {
		t.Errorf("settled at %v: %q and %v", s.Now(), d.lines, f)
	}
	s.Run()
	if f := s.Failure(); f != nil || s.Now() != 1 || fmt.Sprint(d.lines) != "[0s now 1ns later]" {
		t.Errorf("at %v: %q and %v", s.Now(), d.lines, f)
	}
}

// TestEarlyTimers: the limit of early timers counts over all calls of Run
// in one run. Each early timer is a recorded decision.
func TestEarlyTimers(t *testing.T) {
	always := &answers{choose: func(k choice.Kind, n int) int {
		if k == choice.Clock {
			return 1
		}
		return 0
	}}
	for _, c := range []struct {
		early int
		want  string
	}{
		{0, "0s 1, 0s 2, 1ns a, 2ns b, 3ns c, 3ns 3, 4ns d"},
		{1, "1ns 1, 1ns 2, 1ns a, 2ns b, 3ns c, 3ns 3, 4ns d"},
		{2, "2ns 1, 2ns 2, 2ns a, 2ns b, 3ns c, 3ns 3, 4ns d"},
		{3, "3ns 1, 3ns 2, 3ns a, 3ns b, 3ns c, 3ns 3, 4ns d"},
		{4, "3ns 1, 3ns 2, 3ns a, 3ns b, 3ns c, 4ns 3, 4ns d"},
		{-1, "3ns 1, 3ns 2, 3ns a, 3ns b, 3ns c, 4ns 3, 4ns d"},
	} {
		s, d := pulse.New(pulse.Options{Record: true, EarlyTimers: c.early, Strategy: always}), &diary{}
		r := s.Spawn("shop", setting(d))
		s.Send(r, func(ctx *pulse.Ctx) {
			for i, name := range []string{"a", "b", "c"} {
				ctx.After(time.Duration(i+1), name)
			}
			ctx.Send(r, 1)
			ctx.Send(r, 2)
		})
		s.Run()
		s.Send(r, func(ctx *pulse.Ctx) { ctx.After(1, "d"); ctx.Send(r, 3) })
		s.Run()
		f := s.Failure()
		if got := strings.Join(d.lines, ", "); f != nil || got != c.want {
			t.Errorf("EarlyTimers %d: %s and %v, expected %s", c.early, got, f, c.want)
		}
		s.Close()
	}
}

// TestEarlyTimersAreReplayed: the record of a run with early timers reproduces
// the run.
func TestEarlyTimersAreReplayed(t *testing.T) {
	early := 0
	run := func(s *pulse.System) uint64 {
		d := &diary{}
		setup(func(ctx *pulse.Ctx, _ *diary) {
			for i := range 5 {
				ctx.After(time.Duration(i), i)
				ctx.Send(ctx.Spawn("till", pulse.Func(idle)), i)
			}
		})(s, d)
		s.Run()
		if f := s.Failure(); f != nil {
			t.Fatal(f)
		}
		return s.Trace().Hash
	}
	for seed := range uint64(200) {
		o := pulse.Options{Record: true, EarlyTimers: 2, Seed: seed, Strategy: strategy.Random()}
		s := pulse.New(o)
		hash, record := run(s), s.Record().Clone()
		s.Close()
		for _, c := range record.Choices {
			early += int(c.Value)
		}
		o.Strategy = strategy.Replay(record, strategy.ReplayOptions{})
		again := pulse.New(o)
		if h := run(again); h != hash || !reflect.DeepEqual(again.Record(), record) {
			t.Errorf("seed %d: the replay differs", seed)
		}
		again.Close()
	}
	if early < 20 {
		t.Errorf("%d timers fired early in 200 runs; the test shows nothing", early)
	}
}

// TestAnswerAndTimeoutAtOneMoment: an answer and a timeout are due at the same
// time. The one that comes second has no effect.
func TestAnswerAndTimeoutAtOneMoment(t *testing.T) {
	for _, delivery := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		for _, record := range []bool{true, false} {
			ends := map[string]int{}
			s := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: record, Delivery: delivery})
			for seed := range uint64(300) {
				s.Reset(seed)
				server := s.Spawn("till", slowServer(5))
				s.Go("clerk", func(p *pulse.Process) {
					end := ""
					for range 3 {
						answer, ok := p.AskTimeout(server, "price", 5)
						end += fmt.Sprint(answer, ok, " ")
					}
					p.After(20, "next")
					ends[end+fmt.Sprint(p.Receive())]++
				})
				s.Run()
				if f := s.Failure(); f != nil {
					t.Fatal(f)
				}
			}
			s.Close()
			total := 0
			for end, n := range ends {
				total += n
				if !strings.HasSuffix(end, "next") {
					t.Errorf("%v, recorded %v: %q", delivery, record, end)
				}
			}
			if total != 300 || len(ends) != 8 {
				t.Errorf("%v, recorded %v: %d runs with %d ends, expected 300 with 8: %v", delivery, record, total, len(ends), ends)
			}
		}
	}
}
