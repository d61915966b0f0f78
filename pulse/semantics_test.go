package pulse_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Each test here is the smallest program in which pulse once differed from its
// documentation.

// A decider is a strategy of two functions. A nil pick means the oldest message, and a nil choose means zero.
type decider struct {
	pick   func(e *pulse.Enabled) int
	choose func(k choice.Kind, n int) int
}

func (*decider) Begin(uint64) {}

func (d *decider) Pick(e *pulse.Enabled) int {
	if d.pick == nil {
		return e.Oldest()
	}
	return d.pick(e)
}

func (d *decider) Choose(k choice.Kind, n int) int {
	if d.choose == nil {
		return 0
	}
	return d.choose(k, n)
}

// always answers every question of one kind with the last alternative.
func always(kind choice.Kind) *decider {
	return &decider{choose: func(k choice.Kind, n int) int {
		if k == kind {
			return n - 1
		}
		return 0
	}}
}

func newSystem(t *testing.T, o pulse.Options) *pulse.System {
	sys := pulse.New(o)
	t.Cleanup(sys.Close)
	return sys
}

func mustRun(t *testing.T, sys *pulse.System) {
	t.Helper()
	sys.Run()
	if f := sys.Failure(); f != nil {
		t.Fatal(f)
	}
}

func TestEarlyTimersAreOneBudgetForAllRuns(t *testing.T) {
	asked := 0
	sys := newSystem(t, pulse.Options{EarlyTimers: 2, Strategy: &decider{choose: func(k choice.Kind, n int) int {
		asked++
		return n - 1
	}}})
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == "set" {
			for i := range 5 {
				ctx.After(time.Duration(i+1), "ring")
			}
		}
	}))
	for range 2 {
		for range 9 {
			sys.Send(a, "set")
		}
		mustRun(t, sys)
	}
	if asked != 2 {
		t.Errorf("timers fired early %d times with a budget of 2", asked)
	}
}

func TestRunDoesNotMoveTimeToTheHorizon(t *testing.T) {
	sys := newSystem(t, pulse.Options{Horizon: time.Second})
	rings := 0
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if rings++; msg == "set" {
			ctx.After(time.Millisecond, "ring")
		}
	}))
	for range 2 {
		sys.Send(a, "set")
		mustRun(t, sys)
	}
	if rings != 4 || sys.Now() != 2*time.Millisecond {
		t.Errorf("%d messages by %v", rings, sys.Now())
	}
	if sys.RunFor(time.Hour); sys.Now() != time.Second {
		t.Errorf("RunFor passed the horizon: %v", sys.Now())
	}
}

func TestPeriodicTimersGoOnWhenMoreIsSent(t *testing.T) {
	sys := newSystem(t, pulse.Options{Ticks: 3})
	ticks := 0
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg {
		case "set":
			ctx.Every(1, "tick")
		case "tick":
			ticks++
		}
	}))
	sys.Send(a, "set")
	for run, want := range []int{3, 3, 6} { // nothing is sent before the second run
		if run == 2 {
			sys.Send(a, "more")
		}
		if mustRun(t, sys); ticks != want {
			t.Errorf("run %d: %d ticks, want %d", run, ticks, want)
		}
	}
}

func TestRunForFiresAllTicks(t *testing.T) {
	sys := newSystem(t, pulse.Options{})
	ticks := 0
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == "set" {
			ctx.Every(time.Millisecond, "tick")
		} else {
			ticks++
		}
	}))
	sys.Send(a, "set")
	sys.RunFor(time.Second)
	if f := sys.Failure(); f != nil || ticks != 1000 {
		t.Errorf("%d ticks of 1000; %v", ticks, f)
	}
}

func TestWhatIsDueBeyondTheEndOfTimeNeverComes(t *testing.T) {
	sys := newSystem(t, pulse.Options{})
	steps, in := 0, false
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if steps++; msg == "set" {
			ctx.After(math.MaxInt64, "ring")
			ctx.Every(math.MaxInt64, "tick")
			in = ctx.After(math.MaxInt64, "ring").Stop()
		}
		ctx.After(time.Second, "again").Stop()
	}))
	sys.Send(a, "set")
	if mustRun(t, sys); steps != 1 || !in || sys.Now() != 0 {
		t.Errorf("%d steps, stopped in time: %t, now %v", steps, in, sys.Now())
	}
	sys.RunFor(math.MaxInt64)
	if f := sys.Failure(); f != nil || steps != 1 {
		t.Errorf("%d steps; %v", steps, f)
	}
}

func TestFaultsCountAsStepsOfTheBudget(t *testing.T) {
	strikes := 0
	sys := newSystem(t, pulse.Options{Steps: 5, Faults: pulse.Faults{Partition: 1000}, Strategy: &decider{
		choose: func(k choice.Kind, n int) int {
			if k == choice.Fault {
				strikes++
				return (strikes/3 + 1) % 2 % n
			}
			return 0
		}}})
	loop := sys.Spawn("loop", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(ctx.Self(), msg) }))
	sys.Send(loop, "go")
	sys.Run()
	if f := sys.Failure(); f == nil || f.Kind != pulse.KindBudget || sys.Steps() > 10 {
		t.Errorf("%d steps with a budget of 5: %v", sys.Steps(), f)
	}
}

// answerLater stores the senders of its messages. When it receives "answer", it
// answers all of them.
func answerLater(kept *[]pulse.Ref) pulse.Func {
	return func(ctx *pulse.Ctx, msg any) {
		if msg != "answer" {
			*kept = append(*kept, ctx.Sender())
			return
		}
		for i, r := range *kept {
			ctx.Send(r, []string{"old", "new"}[i])
		}
	}
}

func TestAnAnswerToARestartedProcessIsNobodys(t *testing.T) {
	crashed := 0
	sys := newSystem(t, pulse.Options{Record: true, Faults: pulse.Faults{Crash: 1, RestartLost: 1},
		Strategy: &decider{choose: func(k choice.Kind, n int) int {
			crashed++
			return boolToInt(crashed == 3 || crashed == 4)
		}}})
	var kept []pulse.Ref
	var got []any
	var server pulse.Ref
	sys.Go("client", func(p *pulse.Process) { got = append(got, p.Ask(server, "question")) })
	server = sys.SpawnSpec(pulse.Spec{Name: "server", Safe: true, Actor: answerLater(&kept)})
	sys.RunFor(0)
	if f := sys.Failure(); f != nil || len(kept) != 2 {
		t.Fatalf("%d questions, %v", len(kept), f)
	}
	sys.Send(server, "answer")
	if mustRun(t, sys); !slices.Equal(got, []any{"new"}) {
		t.Errorf("the second life received %v", got)
	}
}

// An actor that crashes stops watching. It used to receive a Down after its restart, without having
// called Watch again.
func TestACrashEndsWatches(t *testing.T) {
	for _, kept := range []bool{false, true} {
		faults := pulse.Faults{Crash: 1, RestartLost: 1}
		if kept {
			faults = pulse.Faults{Crash: 1, RestartKept: 1}
		}
		sys := newSystem(t, pulse.Options{Record: true, Faults: faults, Strategy: always(choice.Fault)})
		var got []any
		hears := func() pulse.Actor {
			return pulse.Func(func(_ *pulse.Ctx, msg any) { got = append(got, msg) })
		}
		watched := sys.SpawnSpec(pulse.Spec{Name: "watched", Safe: true, Actor: pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() })})
		watcher := sys.SpawnSpec(pulse.Spec{Name: "watcher", New: func() pulse.Actor {
			return pulse.Func(func(ctx *pulse.Ctx, _ any) {
				ctx.Watch(watched)
				ctx.Become(hears())
			})
		}})
		sys.Send(watcher, "watch")
		sys.Settle() // no faults in start-up
		sys.Run()    // the watcher crashes and restarts
		sys.Send(watched, "stop")
		if mustRun(t, sys); len(got) > 0 {
			t.Errorf("state kept %v: the second life received %v", kept, got)
		}
		if steps := sys.Trace().Steps; steps[1].Kind != trace.Crash || steps[2].Kind != trace.Restart {
			t.Errorf("there was no crash: %v", sys.Trace())
		}
	}
}

func TestAnswersDoNotArriveTwice(t *testing.T) {
	sys := newSystem(t, pulse.Options{Faults: pulse.Faults{Duplicate: 9}, Strategy: always(choice.Duplicate)})
	questions := 0
	server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		questions++
		ctx.Reply("answer")
	}))
	var then any
	sys.Go("client", func(p *pulse.Process) {
		p.Ask(server, "question")
		then, _ = p.ReceiveTimeout(time.Second)
	})
	if mustRun(t, sys); questions != 2 || then != nil {
		t.Errorf("%d questions; after the answer came %v", questions, then)
	}
}

func TestSafeActorsReachAnActorThatIsCutOff(t *testing.T) {
	asked := 0
	sys := newSystem(t, pulse.Options{Record: true, Faults: pulse.Faults{Partition: 1},
		Strategy: &decider{choose: func(k choice.Kind, n int) int {
			if asked++; asked == 1 {
				return n - 1 // the largest answer means a partition of the actor that was spawned last
			}
			return 0
		}}})
	var a pulse.Ref
	tell := pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(a, msg) })
	safe := sys.SpawnSpec(pulse.Spec{Name: "safe", Safe: true, Actor: tell})
	other := sys.Spawn("other", tell)
	var got []any
	a = sys.SpawnSpec(pulse.Spec{Name: "a", Actor: pulse.Func(func(_ *pulse.Ctx, msg any) { got = append(got, msg) })})
	sys.Send(other, "from other")
	sys.Send(safe, "from safe")
	if mustRun(t, sys); len(got) != 2 {
		t.Fatal(got)
	}
	partitions, received := 0, 0
	for _, st := range sys.Trace().Steps {
		switch {
		case st.Kind == trace.Partition && sys.Trace().Name(st.Actor) == "a":
			partitions++
		case st.Kind == trace.Receive && sys.Trace().Name(st.Actor) == "a" && sys.Trace().Sends[st.Send].Body == "from safe":
			received++
		case st.Kind == trace.Heal && received == 0:
			t.Error("a safe actor's message waited for the partition to heal")
		}
	}
	if partitions != 1 {
		t.Errorf("%d partitions", partitions)
	}
}

func TestADelayHoldsBackWhatIsBehindOnly(t *testing.T) {
	asked := 0
	sys := newSystem(t, pulse.Options{Faults: pulse.Faults{Delay: 1, DelayBy: []time.Duration{time.Second}},
		Strategy: &decider{choose: func(choice.Kind, int) int {
			asked++
			return boolToInt(asked == 2)
		}}})
	var log []string
	b := sys.Spawn("b", pulse.Func(func(ctx *pulse.Ctx, msg any) { log = append(log, msg.(string)+" at "+ctx.Now().String()) }))
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		for _, m := range []string{"1", "2", "3"} {
			ctx.Send(b, m)
		}
	}))
	sys.Send(a, "go")
	if mustRun(t, sys); strings.Join(log, ", ") != "1 at 0s, 2 at 1s, 3 at 1s" {
		t.Error(log)
	}
}

// askingTwice asks, gives up, and then receives any message.
func askingTwice(server *pulse.Ref, got *[]any) func(*pulse.Process) {
	return func(p *pulse.Process) {
		answer, ok := p.AskTimeout(*server, "question", time.Millisecond)
		next, _ := p.ReceiveTimeout(time.Minute)
		*got = append(*got, answer, ok, next)
	}
}

func TestADelayedAnswerThatIsTooLateIsNobodys(t *testing.T) {
	for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		for _, record := range []bool{false, true} {
			asked := 0
			sys := newSystem(t, pulse.Options{Delivery: d, Record: record,
				Faults: pulse.Faults{Delay: 1, DelayBy: []time.Duration{time.Second}},
				Strategy: &decider{choose: func(choice.Kind, int) int {
					asked++
					return boolToInt(asked == 2)
				}}})
			var server pulse.Ref
			var got []any
			sys.Go("client", askingTwice(&server, &got))
			server = sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Reply("answer") }))
			if mustRun(t, sys); !slices.Equal(got, []any{nil, false, nil}) {
				t.Errorf("%v, recorded %t: %v", d, record, got)
			}
		}
	}
}

func TestFaultsLeaveMessagesToTheTestAlone(t *testing.T) {
	sys := newSystem(t, pulse.Options{Faults: pulse.Faults{Drop: 9}, Strategy: always(choice.Drop)})
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Reply("done") }))
	sys.Send(a, "do")
	if mustRun(t, sys); !slices.Equal(sys.Received(), []any{"done"}) {
		t.Errorf("the test received %v", sys.Received())
	}
}

// TestARestartedProcessFindsNoAnswerToItsOldQuestion restarts a waiting
// process, by an escalated panic of its child, while the answer and the timeout
// are both in its mailbox.
func TestARestartedProcessFindsNoAnswerToItsOldQuestion(t *testing.T) {
	var server pulse.Ref
	lives := 0
	var got any
	sys := newSystem(t, pulse.Options{Strategy: &decider{pick: func(e *pulse.Enabled) int {
		for i := range e.Len() {
			if e.Send(i).Body == "break" {
				return i
			}
		}
		return e.Oldest()
	}}})
	sys.SpawnSpec(pulse.Spec{Name: "client", OnPanic: pulse.OnPanicRestart, Process: func(p *pulse.Process) {
		if lives++; lives == 2 {
			got = p.Receive()
			return
		}
		child := p.SpawnSpec(pulse.Spec{Name: "child", OnPanic: pulse.OnPanicEscalate,
			Actor: pulse.Func(func(*pulse.Ctx, any) { panic("broken") })})
		p.Send(server, child)
		p.AskTimeout(server, "question", time.Millisecond)
	}})
	var child pulse.Ref
	server = sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if r, ok := msg.(pulse.Ref); ok {
			child = r
			return
		}
		ctx.Reply("answer")
		ctx.Send(child, "break")
	}))
	if mustRun(t, sys); lives != 2 || got != nil {
		t.Errorf("life %d received %v", lives, got)
	}
}

// TestADelayedAnswerToACrashedProcessIsNobodys crashes the asking process while
// the answer is delayed; after the restart it receives any message.
func TestADelayedAnswerToACrashedProcessIsNobodys(t *testing.T) {
	for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		answered, strikes := false, 0
		sys := newSystem(t, pulse.Options{Delivery: d,
			Faults: pulse.Faults{Delay: 1, DelayBy: []time.Duration{time.Second}, Crash: 1, RestartLost: 1},
			Strategy: &decider{choose: func(k choice.Kind, n int) int {
				if !answered {
					return 0
				}
				if k == choice.Fault {
					strikes++
					return boolToInt(strikes <= 2)
				}
				return 1
			}}})
		var server pulse.Ref
		lives := 0
		var got any
		sys.Go("client", func(p *pulse.Process) {
			if lives++; lives == 1 {
				p.Ask(server, "question")
			}
			got, _ = p.ReceiveTimeout(time.Minute)
		})
		server = sys.SpawnSpec(pulse.Spec{Name: "server", Actor: pulse.Func(func(ctx *pulse.Ctx, _ any) {
			answered = true
			ctx.Reply("answer")
		})})
		if mustRun(t, sys); lives != 2 || got != nil {
			t.Errorf("%v: life %d received %v", d, lives, got)
		}
	}
}
