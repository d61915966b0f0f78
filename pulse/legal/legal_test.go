package legal_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/legal"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A run has the arguments of Check: options, trace and record.
type run struct {
	options pulse.Options
	trace   *trace.Trace
	record  *choice.Record
}

func (r *run) check() error { return legal.Check(r.options, r.trace, r.record) }

// retries is a program in which an answer races with a timer that an actor sets
// repeatedly. The server may crash, and its messages may be lost, duplicated or delayed.
func retries(sys *pulse.System) {
	var timer pulse.Timer
	server := sys.SpawnSpec(pulse.Spec{Name: "server", New: func() pulse.Actor {
		return pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Reply(msg) })
	}})
	sys.Send(sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg {
		case "begin":
			ctx.Send(server, "first")
			ctx.Send(server, "second")
			timer = ctx.After(time.Millisecond, "retry")
		case "retry":
			timer = ctx.After(time.Millisecond, "retry")
		case "second":
			timer.Stop()
			ctx.Stop()
		}
	})), "begin")
	sys.Run()
}

// recorded runs a program, and returns the recorded run.
func recorded(t *testing.T, o pulse.Options, program func(*pulse.System)) run {
	t.Helper()
	o.Record = true
	sys := pulse.New(o)
	defer sys.Close()
	program(sys)
	return run{sys.Options(), sys.Trace().Clone(), sys.Record().Clone()}
}

// A holder lets a number of timers fire early as soon as possible, and picks the oldest
// message.
type holder struct {
	pulse.Strategy
	holds, done int
}

func (*holder) Needs() pulse.Needs { return pulse.Needs{Single: true} }

func (h *holder) Pick(e *pulse.Enabled) int {
	if h.done < h.holds && e.CanHold() {
		h.done++
		return pulse.Hold
	}
	return e.Oldest()
}

// stepOf returns the first step in which the given actor receives the given message.
func (r *run) stepOf(name string) int {
	return slices.IndexFunc(r.trace.Steps, func(s trace.Step) bool {
		return s.Kind == trace.Receive && r.trace.Name(s.Actor)+" ← "+trace.Label(r.trace.Sends[s.Send].Body) == name
	})
}

// swap exchanges a step with the next one, which gives an order that no strategy can make.
func (r *run) swap(i int) {
	list := r.trace.Steps
	list[i], list[i+1] = list[i+1], list[i]
	r.record.Deliveries = nil
	for k := range list {
		if list[k].Kind == trace.Receive {
			r.record.Deliveries = append(r.record.Deliveries, list[k].ID)
			r.trace.Sends[list[k].Send].Receipt = int32(k)
		}
		list[k].Prev = trace.None
		for p := range k {
			if list[p].Actor == list[k].Actor {
				list[k].Prev = int32(p)
			}
		}
	}
}

// TestDoctored: Check refuses a legal run with one illegal change, and names the broken rule.
func TestDoctored(t *testing.T) {
	plain := pulse.Options{}
	early := pulse.Options{EarlyTimers: 2, Strategy: &holder{Strategy: strategy.Plain(), holds: 2}}
	for _, c := range []struct {
		name    string
		options pulse.Options
		doctor  func(*run)
		want    string
	}{
		{"more holds than early timers", early, func(r *run) { r.options.EarlyTimers = 1 },
			"the strategy holds messages back for timers that may not fire: 2 timers fire early, and the options allow 1"},
		{"holds under NeverEarly", early, func(r *run) { r.options.EarlyTimers = 0 },
			"the strategy holds messages back for timers that may not fire: 2 timers fire early, and the options allow 0"},
		{"holds that no record shows", early, func(r *run) {
			r.record.Deliveries = slices.DeleteFunc(r.record.Deliveries, func(id uint64) bool { return id == choice.Hold })
		}, "time passes before it while a message can be delivered"},
		{"time passes", plain, func(r *run) {
			for i := r.stepOf(`server ← "second"`); i < len(r.trace.Steps); i++ {
				r.trace.Steps[i].Time = int64(time.Second)
			}
		}, `server#2 ← "second": time passes before it while a message can be delivered`},
		{"time goes back", early, func(r *run) { r.trace.Steps[len(r.trace.Steps)-1].Time = 0 }, "time goes back"},
		{"the end of time", early, func(r *run) { r.options.Horizon = time.Millisecond }, "it comes after Options.Horizon, the end of virtual time"},
		{"a message overtakes", plain, func(r *run) { r.swap(r.stepOf(`server ← "first"`)) }, `server#1 ← "second": its message overtakes an earlier message`},
		{"a message comes before it is sent", plain, func(r *run) { r.swap(0) }, "its message was sent only in step 0"},
		{"a message comes twice", plain, func(r *run) {
			r.trace.Steps[1].Send, r.trace.Steps[1].Actor, r.trace.Steps[1].Prev = 0, r.trace.Steps[0].Actor, 0
		},
			"its message was received in another step"},
		{"to another actor", plain, func(r *run) { r.trace.Sends[r.trace.Steps[1].Send].To = trace.Test }, "its message was sent to another actor"},
		{"an actor that has ended", plain, func(r *run) { r.trace.Actors[r.trace.Steps[1].Actor].Ended = 1 }, `server#2 ← "second": the actor has ended in step 1`},
		{"an actor that is not there yet", plain, func(r *run) { r.trace.Actors[r.trace.Steps[1].Actor].Step = 1 }, `server#1 ← "first": the actor was spawned only in step 1`},
		{"a link of its actor", plain, func(r *run) { r.trace.Steps[2].Prev = trace.None }, "it does not follow the previous step of its actor"},
		{"another delivery", plain, func(r *run) { r.record.Deliveries[2] = 7 }, "the record has a different delivery in its place"},
		{"a delivery that is no step", plain, func(r *run) { r.record.Deliveries = append(r.record.Deliveries, 7) }, "the record has a delivery that is no step of the run: 0000000000000007"},
		{"a step that is no delivery", plain, func(r *run) { r.record.Deliveries = r.record.Deliveries[:2] }, "it is not in the record"},
		{"too many steps", plain, func(r *run) { r.options.Steps = 2 }, "5 steps, and the options allow 3"},
		{"a message is lost", plain, func(r *run) { r.choose(choice.Drop) }, "1 lost messages, and the options allow 0"},
		{"a message comes twice by a fault", plain, func(r *run) { r.choose(choice.Duplicate) }, "1 duplicates, and the options allow 0"},
		{"a message is delayed", plain, func(r *run) { r.choose(choice.Delay) }, "1 delays, and the options allow 0"},
		{"a crash", plain, func(r *run) { r.fault(trace.Crash) }, "1 crashes, and the options allow 0"},
		{"a restart", plain, func(r *run) { r.fault(trace.Restart) }, "1 restarts, and the options allow 0"},
		{"a partition", plain, func(r *run) { r.fault(trace.Partition) }, "1 partitions, and the options allow 0"},
		{"a step of a crashed actor", pulse.Options{Faults: pulse.Faults{Crash: 1}}, func(r *run) {
			r.trace.Steps[1].Kind, r.record.Deliveries = trace.Crash, slices.Delete(r.record.Deliveries, 1, 2)
		}, `server#1 ← "second": the actor has crashed`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if h, is := c.options.Strategy.(*holder); is {
				h.done = 0
			}
			r := recorded(t, c.options, retries)
			if err := r.check(); err != nil {
				t.Fatalf("as it was recorded: %v\n%s", err, r.trace.Text())
			}
			c.doctor(&r)
			if err := r.check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, expected: %s\n%s", err, c.want, r.trace.Text())
			}
		})
	}
}

// choose appends to the record the decision that a fault of kind k happens to a
// message.
func (r *run) choose(k choice.Kind) {
	r.record.Choices = append(r.record.Choices, choice.Choice{Kind: k, N: 2, Value: 1})
}

// fault adds a step in which a fault strikes the server.
func (r *run) fault(k trace.StepKind) {
	last := slices.IndexFunc(r.trace.Steps, func(s trace.Step) bool { return s.Kind == trace.Receive && r.trace.Name(s.Actor) == "server" })
	for i := range r.trace.Steps {
		if r.trace.Steps[i].Actor == r.trace.Steps[last].Actor {
			last = i
		}
	}
	r.trace.Steps = append(r.trace.Steps, trace.Step{Kind: k, Send: trace.None, Actor: r.trace.Steps[last].Actor, Prev: int32(last),
		Time: r.trace.Steps[len(r.trace.Steps)-1].Time})
}

// TestRunsAreLegal: the runs of any strategy are legal, also if the strategy holds messages
// back. The programs use all features. The same runs are illegal if the budget allows one early
// timer fewer. Without the Holds in the record, the trace shows most of these violations.
func TestRunsAreLegal(t *testing.T) {
	judged, held, seen := 0, 0, 0
	for name, o := range trial.Settings() {
		for _, by := range []pulse.Strategy{strategy.Random(), strategy.POS(), &wavering{random: rand.New(rand.NewPCG(1, 2))}} {
			o.Strategy, o.Record = by, true
			sys := pulse.New(o)
			for seed := range uint64(100) {
				sys.Reset(seed)
				trial.Rich(sys)
				if err := legal.Check(sys.Options(), sys.Trace(), sys.Record()); err != nil {
					t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, sys.Trace().Text())
				}
				judged++
				r := run{sys.Options(), sys.Trace(), sys.Record().Clone()}
				if r.options.EarlyTimers = r.record.Early() - 1; r.options.EarlyTimers >= 0 && r.check() == nil {
					t.Fatalf("%s, seed %d: %d early timers are legal", name, seed, r.record.Early())
				}
				if slices.Contains(r.record.Deliveries, choice.Hold) && !slices.ContainsFunc(r.record.Choices, delays) && len(r.trace.Strikes) == 0 {
					held++
					r.options = sys.Options()
					r.record.Deliveries = slices.DeleteFunc(r.record.Deliveries, func(id uint64) bool { return id == choice.Hold })
					r.record.Choices = slices.DeleteFunc(r.record.Choices, func(x choice.Choice) bool { return x.Kind == choice.Clock })
					if r.check() != nil {
						seen++
					}
				}
			}
			sys.Close()
		}
	}
	if t.Logf("%d runs are legal; of %d with holds %d are seen to be illegal without", judged, held, seen); held < 50 || 2*seen < held {
		t.Error("the check of time sees too little")
	}
}

// delays reports whether an answer delays a message. If one does, Check does not check
// when time advances.
func delays(x choice.Choice) bool { return x.Kind == choice.Delay && x.Value > 0 }

// A wavering strategy picks at random, and sometimes holds messages back.
type wavering struct{ random *rand.Rand }

func (*wavering) Begin(uint64)                      {}
func (*wavering) Needs() pulse.Needs                { return pulse.Needs{Single: true} }
func (w *wavering) Choose(_ choice.Kind, n int) int { return max(0, w.random.IntN(n+3)-3) }
func (w *wavering) Pick(e *pulse.Enabled) int {
	if e.CanHold() && w.random.IntN(4) == 0 {
		return pulse.Hold
	}
	return w.random.IntN(e.Len())
}

// TestOldHold: older versions of Ordered held messages back more often than the budget
// allows. Check refuses such a run, although its record has the Holds.
func TestOldHold(t *testing.T) {
	first := recorded(t, pulse.Options{}, retries)
	s := &choice.Schedule{}
	for i := range first.trace.Steps {
		if first.trace.Name(first.trace.Steps[i].Actor) == "client" && i > 0 {
			s.Before = append(s.Before, choice.Constraint{First: 1, Second: first.trace.Steps[i].ID})
		}
	}
	r := recorded(t, pulse.Options{Strategy: strategy.Ordered(s), EarlyTimers: -1}, retries)
	if err := r.check(); err != nil || r.record.Early() < 500 {
		t.Errorf("under any number of early timers: %v, after %d", err, r.record.Early())
	}
	for _, n := range []int{0, 3} {
		r.options.EarlyTimers = n
		if err := r.check(); err == nil || !strings.Contains(err.Error(), "the strategy holds messages back for timers that may not fire") {
			t.Errorf("with %d early timers: %v", n, err)
		}
	}
}
