package pulse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// busy counts, and answers "how many".
type busy struct{ n int }

func (b *busy) Receive(ctx *pulse.Ctx, msg any) {
	if b.n++; msg == "how many" {
		ctx.Reply(b.n)
	}
}

// TestAskOfTheTest: Ask continues the run until the answer has come, and then
// stops the run.
func TestAskOfTheTest(t *testing.T) {
	for _, record := range []bool{false, true} {
		s := newSystem(t, pulse.Options{Record: record})
		asked, other := &busy{}, &busy{}
		a, o := s.Spawn("asked", asked), s.Spawn("other", other)
		s.Send(a, "one")
		answer := s.Ask(a, "how many")
		if answer != 2 || s.Steps() != 3 || len(s.Received()) != 0 || s.Host().Unrun() {
			t.Errorf("answer %v after %d steps, received %v", answer, s.Steps(), s.Received())
		}
		s.Ask(a, "how many")
		for range 5 {
			s.Send(o, "late")
		}
		if got := s.Ask(a, "how many"); got != 4 || other.n != 5 {
			t.Errorf("answer %v, and the oldest first %d others", got, other.n)
		}
		s.Ask(a, "how many")
		s.Send(a, "one")
		for range 5 {
			s.Send(o, "late")
		}
		mustRun(t, s)
		if asked.n != 6 || other.n != 10 {
			t.Errorf("then %d and %d", asked.n, other.n)
		}
	}
}

// newest takes the message that was sent last.
var newest = &decider{pick: func(e *pulse.Enabled) int {
	best := 0
	for i := range e.Len() {
		if e.Seq(i) > e.Seq(best) {
			best = i
		}
	}
	return best
}}

// TestAskLeavesOthersWaiting: when Ask returns, messages to other actors still
// wait. What the test does next happens after the answer.
func TestAskLeavesOthersWaiting(t *testing.T) {
	for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		s := newSystem(t, pulse.Options{Strategy: newest, Record: true, Delivery: d})
		other := &busy{}
		a, o := s.Spawn("asked", &busy{}), s.Spawn("other", other)
		s.Send(o, "first")
		if got := s.Ask(a, "how many"); got != 1 || other.n != 0 {
			t.Fatalf("answer %v, and others %d", got, other.n)
		}
		s.Send(o, "second")
		child := s.Spawn("child", pulse.Func(idle))
		tr := s.Trace()
		last := tr.Sends[len(tr.Sends)-1]
		if len(tr.Rests) != 0 || last.Step != 1 || tr.Actors[child.Index()].Step != 1 {
			t.Errorf("%v: rests %v, sent in step %d, spawned in step %d", d, tr.Rests, last.Step, tr.Actors[child.Index()].Step)
		}
		mustRun(t, s)
		if other.n != 2 {
			t.Errorf("%v: in the end %d", d, other.n)
		}
		s.Send(o, "third")
		tr = s.Trace()
		if step := tr.Sends[len(tr.Sends)-1].Step; step != trace.None {
			t.Errorf("%v: after a rest the test sends in step %d", d, step)
		}
	}
}

// TestAskAndTheRest: the trace records whether a step of another actor, a fault
// or an early timer could have come in place of the answer.
func TestAskAndTheRest(t *testing.T) {
	for _, c := range []struct {
		name    string
		options pulse.Options
		other   pulse.Func // receives a message before the test asks; may be nil
		want    bool
	}{
		{"nothing", pulse.Options{}, nil, false},
		{"a message", pulse.Options{}, func(ctx *pulse.Ctx, _ any) { ctx.Send(ctx.Self(), "more") }, true},
		{"a note to the test", pulse.Options{}, func(ctx *pulse.Ctx, _ any) { ctx.Send(ctx.Sender().Actor(), "note") }, false},
		{"a crash", pulse.Options{Faults: pulse.Faults{Crash: 1}}, nil, true},
		{"a timer", pulse.Options{}, func(ctx *pulse.Ctx, _ any) { ctx.After(1, "due") }, false},
		{"a timer that may be early", pulse.Options{EarlyTimers: 1}, func(ctx *pulse.Ctx, _ any) { ctx.After(1, "due") }, true},
		{"no timer that may be early", pulse.Options{EarlyTimers: 1}, nil, false},
	} {
		c.options.Record = true
		c.options.Strategy = &decider{pick: func(e *pulse.Enabled) int {
			if e.Step() < 2 {
				return e.Oldest()
			}
			return newest.Pick(e)
		}}
		s := newSystem(t, c.options)
		if c.other != nil {
			s.Send(s.Spawn("other", c.other), "go")
		}
		s.Ask(s.Spawn("asked", &busy{}), "how many")
		got := slices.ContainsFunc(s.Trace().Touches, func(x trace.Touch) bool { return x.What == trace.TheRest })
		if got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

// Received has the messages that the test gets during an Ask. A second answer
// is dropped, and so is an answer to an Ask that is over.
func TestAskAndReceived(t *testing.T) {
	s := newSystem(t, pulse.Options{Record: true})
	var kept pulse.Ref
	twice := s.Spawn("twice", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		kept = ctx.Sender()
		ctx.Send(kept.Actor(), "by the way")
		ctx.Reply(1)
		ctx.Reply(2)
	}))
	late := s.Spawn("late", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(kept, 3) }))
	if got := s.Ask(twice, "?"); got != 1 {
		t.Errorf("answer %v", got)
	}
	s.Send(late, "go")
	mustRun(t, s)
	if got := fmt.Sprint(s.Received()); got != "[by the way]" {
		t.Errorf("received %s", got)
	}
}

// TestAskAsAnswer: the answer may come from an actor other than the asked one,
// from a process, and at a later time.
func TestAskAsAnswer(t *testing.T) {
	s := newSystem(t, pulse.Options{})
	heir := s.Spawn("heir", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(msg.(pulse.Ref), "by the heir") }))
	handsOn := s.Spawn("hands on", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(heir, ctx.Sender()) }))
	slow := s.Go("slow", func(p *pulse.Process) {
		p.Receive()
		asker := p.Sender()
		p.Sleep(time.Hour)
		p.Send(asker, "in an hour")
	})
	if got := s.Ask(handsOn, "?"); got != "by the heir" {
		t.Errorf("answer %v", got)
	}
	if got := s.Ask(slow, "?"); got != "in an hour" || s.Now() != time.Hour {
		t.Errorf("answer %v at %v", got, s.Now())
	}
	if got := pulse.Ask[string](s, handsOn, "?"); got != "by the heir" {
		t.Errorf("answer %v", got)
	}
}

// TestUnanswered: the failure names the asked actor and shows its
// state.
func TestUnanswered(t *testing.T) {
	for name, c := range map[string]struct {
		build func(s *pulse.System) pulse.Ref
		want  []string
	}{
		"silent": {func(s *pulse.System) pulse.Ref { return s.Spawn("silent", pulse.Func(idle)) },
			[]string{"stuck: the test asks silent, and no answer comes: nothing is deliverable", "test waits in Ask of silent at ask_test.go:", "silent waits for any message; its mailbox is empty"}},
		"a process that waits": {func(s *pulse.System) pulse.Ref {
			return s.Go("choosy", func(p *pulse.Process) { p.ReceiveMatch(func(any) bool { return false }) })
		}, []string{"the test asks choosy", "choosy waits in ReceiveMatch at ask_test.go:", "; in its mailbox:", `"?" from test`}},
		"one that has ended": {func(s *pulse.System) pulse.Ref {
			r := s.Spawn("gone", pulse.Func(stopping))
			s.Send(r, 1)
			s.Settle()
			return r
		}, []string{"test waits in Ask of gone, which has ended, at ask_test.go:"}},
		"itself": {func(s *pulse.System) pulse.Ref { return s.Host().Running() }, []string{"the test asks test, and no answer comes"}},
		"and another is stuck": {func(s *pulse.System) pulse.Ref {
			s.Go("stuck", func(p *pulse.Process) { p.ReceiveMatch(func(any) bool { return false }) })
			return s.Spawn("silent", pulse.Func(idle))
		}, []string{"silent waits for any message", "stuck waits in ReceiveMatch"}},
	} {
		told := 0
		s := newSystem(t, pulse.Options{Record: true, Failed: func(*pulse.Failure) { told++ }})
		if got := s.Ask(c.build(s), "?"); got != nil {
			t.Errorf("%s: answer %v", name, got)
		}
		f := s.Failure()
		if f == nil || f.Kind != pulse.KindStuck || f.Site != "pulse_test.TestUnanswered" || told != 1 {
			t.Fatalf("%s: told %d times of %+v", name, told, f)
		}
		for _, part := range c.want {
			if !strings.Contains(f.Error(), part) {
				t.Errorf("%s: there is no %q in\n%v", name, part, f)
			}
		}
		if steps := s.Steps(); s.Ask(s.Spawn("busy", &busy{}), "how many") != nil || s.Steps() != steps {
			t.Errorf("%s: a run that has failed goes on", name)
		}
		s.Reset(1)
		if got := s.Ask(s.Spawn("busy", &busy{}), "how many"); got != 1 {
			t.Errorf("%s: after Reset the answer is %v", name, got)
		}
	}
}

// If the run fails for another reason, the method Ask returns nil, and the function pulse.Ask
// returns the zero value. With an answer of another type, pulse.Ask panics.
func TestAskThatFails(t *testing.T) {
	s := newSystem(t, pulse.Options{})
	r := s.Spawn("panics", pulse.Func(func(*pulse.Ctx, any) { panic("no") }))
	if got := pulse.Ask[int](s, r, "?"); got != 0 || s.Failure().Kind != pulse.KindPanic {
		t.Errorf("%v, %v", got, s.Failure())
	}
	s.Reset(1)
	defer func() {
		if got := recover(); got != `asked oracle "?": the answer is "x" of type string, expected type int` {
			t.Errorf("panics with %v", got)
		}
	}()
	pulse.Ask[int](s, s.Spawn("oracle", oracle("x")), "?")
}

// A replay repeats an Ask in the middle of a run, message by message.
func TestAskIsRepeated(t *testing.T) {
	run := func(s *pulse.System) (answers []any) {
		a, o := s.Spawn("asked", &busy{}), s.Spawn("other", &busy{})
		for i := range 4 {
			s.Send(o, i)
			answers = append(answers, s.Ask(a, "how many"))
			s.Send(a, i)
		}
		s.Run()
		return answers
	}
	for seed := range uint64(50) {
		s := newSystem(t, pulse.Options{Strategy: strategy.Random(), Record: true, Seed: seed})
		first := run(s)
		record := s.Record().Clone()
		hash := s.Trace().Hash
		again := newSystem(t, pulse.Options{Strategy: strategy.Replay(record, strategy.ReplayOptions{}), Record: true})
		if second := run(again); fmt.Sprint(first) != fmt.Sprint(second) || again.Trace().Hash != hash || again.Failure() != nil {
			t.Fatalf("seed %d: %v, and again %v; %v", seed, first, second, again.Failure())
		}
	}
}
