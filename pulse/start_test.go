package pulse_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A novice is a Starter that records its starts and messages, sets a timer at
// each start, and panics on a blast.
type novice struct {
	d       *diary
	started func(*pulse.Ctx) // may be nil
	n       int
}

func (v *novice) Started(ctx *pulse.Ctx, how pulse.Start) {
	v.d.write("%v at %d", how, v.n)
	ctx.After(time.Second, "tick")
	if v.started != nil {
		v.started(ctx)
	}
}

func (v *novice) Receive(_ *pulse.Ctx, msg any) {
	v.n++
	v.d.write("%v", msg)
	refuse(msg)
}

// A struckAt takes the oldest message. It answers questions for faults between
// steps from its list. It crashes the actor at one MayCrash, counted from 1,
// and then loses all writes or none. Begin resets all of that.
type struckAt struct {
	list  []int
	crash int
	loses bool

	next, asked int
}

func faultsAt(list ...int) *struckAt { return &struckAt{list: list} }

func (s *struckAt) Begin(uint64)              { s.next, s.asked = 0, 0 }
func (s *struckAt) Pick(e *pulse.Enabled) int { return e.Oldest() }
func (s *struckAt) Choose(k choice.Kind, n int) int {
	switch {
	case k == choice.Crash:
		s.asked++
		return boolToInt(s.asked == s.crash)
	case k == choice.Loss:
		return boolToInt(s.loses) * (n - 1)
	case k != choice.Fault || s.next == len(s.list):
		return 0
	}
	s.next++
	return s.list[s.next-1]
}

// starts are programs with Starters and processes.
var starts = []struct {
	name  string
	o     pulse.Options
	build func(s *pulse.System, d *diary)
	diary string
}{
	{
		name: "before what was sent later, and its timer comes",
		build: func(s *pulse.System, d *diary) {
			r := s.Spawn("shop", &novice{d: d})
			s.Send(r, 1)
		},
		diary: "start at 0, 1, tick",
	},
	{
		name: "before all messages, whatever the strategy wants",
		o:    pulse.Options{Strategy: youngest{}, Delivery: pulse.DeliveryUnordered},
		build: func(s *pulse.System, d *diary) {
			r := s.Spawn("shop", &novice{d: d})
			for i := range 3 {
				s.Send(r, i)
			}
		},
		diary: "start at 0, 2, 1, 0, tick",
	},
	{
		name: "in start-up, and of a child",
		build: func(s *pulse.System, d *diary) {
			s.Spawn("shop", &novice{d: d, started: func(ctx *pulse.Ctx) {
				ctx.Send(ctx.SpawnSpec(pulse.Spec{Name: "till", New: func() pulse.Actor { return &novice{d: d} }}), "from the shop")
			}})
			s.Settle()
			d.write("settled")
		},
		diary: "start at 0, start at 0, from the shop, settled, tick, tick",
	},
	{
		name: "a crash, and a restart that keeps the state",
		o:    pulse.Options{Strategy: faultsAt(0, 0, 1, 1), Faults: pulse.Faults{Crash: 1, RestartKept: 1}},
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "shop", New: func() pulse.Actor { return &novice{d: d} }})
			for i := range 3 {
				s.Send(r, i)
			}
		},
		diary: "start at 0, 0, restart kept at 1, tick",
	},
	{
		name: "a crash, and a restart that loses the state",
		o:    pulse.Options{Strategy: faultsAt(0, 0, 1, 1), Faults: pulse.Faults{Crash: 1, RestartLost: 1}},
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "shop", New: func() pulse.Actor { return &novice{d: d} }})
			for i := range 3 {
				s.Send(r, i)
			}
		},
		diary: "start at 0, 0, restart lost at 0, tick",
	},
	{
		name: "a crash before the start, and a restart that keeps the state",
		o:    pulse.Options{Strategy: faultsAt(1, 1), Faults: pulse.Faults{Crash: 1, RestartKept: 1}},
		build: func(s *pulse.System, d *diary) {
			s.Send(s.Spawn("shop", &novice{d: d}), 0)
		},
		diary: "start at 0, tick",
	},
	{
		name: "a crash before the start, and a restart that loses the state",
		o:    pulse.Options{Strategy: faultsAt(1, 1), Faults: pulse.Faults{Crash: 1, RestartLost: 1}},
		build: func(s *pulse.System, d *diary) {
			s.Send(s.SpawnSpec(pulse.Spec{Name: "shop", New: func() pulse.Actor { return &novice{d: d} }}), 0)
		},
		diary: "start at 0, tick",
	},
	{
		name: "a crash between a restart and its start, and then the state is lost",
		o:    pulse.Options{Strategy: faultsAt(0, 1, 1, 1, 1), Faults: pulse.Faults{Crash: 2, RestartKept: 1, RestartLost: 1}},
		build: func(s *pulse.System, d *diary) {
			s.SpawnSpec(pulse.Spec{Name: "shop", New: func() pulse.Actor { return &novice{d: d} }})
			s.Run()
		},
		diary: "start at 0, restart lost at 0, tick",
	},
	{
		name: "a crash between a restart that loses the state and its start, and then the new state is kept",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "shop", New: func() pulse.Actor { return &novice{d: d} }})
			s.Run()
			n := s.Nemesis()
			n.Crash(r)
			n.RestartLost(r)
			n.Crash(r)
			n.RestartKept(r)
		},
		diary: "start at 0, tick, restart lost at 0, tick",
	},
	{
		name: "a panic, and a restart with the same actor",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Actor: &novice{d: d}})
			for _, m := range []any{1, blast{}, 2} {
				s.Send(r, m)
			}
		},
		diary: "start at 0, 1, {}, restart kept at 2, 2, tick",
	},
	{
		name: "a panic, and a restart with New: the timer of before is gone",
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, New: func() pulse.Actor { return &novice{d: d} }})
			for _, m := range []any{1, blast{}, 2} {
				s.Send(r, m)
			}
		},
		diary: "start at 0, 1, {}, restart lost at 0, 2, tick",
	},
	{
		name: "a start that panics counts, as any panic does",
		build: func(s *pulse.System, d *diary) {
			s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Restarts: 2,
				Actor: &novice{d: d, started: func(*pulse.Ctx) { refuse(blast{}) }}})
		},
		diary: `start at 0, restart kept at 0, restart kept at 0, panic in shop: cannot take 7 of "glass"`,
	},
	{
		name: "the handler that is there is told: what Become has set, too",
		o:    pulse.Options{Strategy: faultsAt(0, 0, 1, 1), Faults: pulse.Faults{Crash: 1, RestartKept: 1}},
		build: func(s *pulse.System, d *diary) {
			s.Send(s.Spawn("shop", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Become(&novice{d: d, n: 7}) })), 0)
			s.Send(s.Spawn("till", pulse.Func(idle)), 0)
		},
		diary: "restart kept at 7, tick",
	},
	{
		name: "an actor without the method that New makes one with",
		build: func(s *pulse.System, d *diary) {
			first := true
			r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, New: func() pulse.Actor {
				if !first {
					return &novice{d: d}
				}
				first = false
				return pulse.Func(func(_ *pulse.Ctx, msg any) { refuse(msg) })
			}})
			s.Send(r, blast{})
			s.Send(r, 1)
		},
		diary: "restart lost at 0, 1, tick",
	},
	{
		name: "killed before its start",
		o:    pulse.Options{Strategy: youngest{}, Delivery: pulse.DeliveryUnordered},
		build: func(s *pulse.System, d *diary) {
			s.Kill(s.Spawn("shop", &novice{d: d}))
		},
		diary: "",
	},
	{
		name: "a process looks how it has begun",
		o:    pulse.Options{Strategy: faultsAt(0, 1, 1), Faults: pulse.Faults{Crash: 1, RestartLost: 1}},
		build: func(s *pulse.System, d *diary) {
			r := s.SpawnSpec(pulse.Spec{Name: "clerk", OnPanic: pulse.OnPanicRestart, Process: func(p *pulse.Process) {
				d.write("%v", p.Started())
				refuse(p.Receive())
			}})
			s.Run()
			s.Send(r, blast{})
		},
		diary: "start, restart lost, restart lost",
	},
	{
		name: "an unstarted parent whose child panics is told once",
		build: func(s *pulse.System, d *diary) {
			parent := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Actor: &novice{d: d}})
			child := s.Host().Spawn(parent, pulse.Spec{Name: "till", OnPanic: pulse.OnPanicEscalate,
				Actor: pulse.Func(func(_ *pulse.Ctx, msg any) { refuse(msg) })})
			s.Send(child, blast{})
			s.Send(parent, 1)
		},
		o:     pulse.Options{Strategy: &decider{pick: func(e *pulse.Enabled) int { return e.Len() - 1 }}},
		diary: "start at 0, 1, tick",
	},
}

// TestStarted checks when an actor is notified of its start, and which start it
// is.
func TestStarted(t *testing.T) {
	for _, c := range starts {
		for _, record := range []bool{false, true} {
			c.o.Record = record
			s, d := pulse.New(c.o), &diary{}
			c.build(s, d)
			if s.Run(); s.Failure() != nil {
				d.write("%s", strings.Replace(s.Failure().Text, "#3 ← restart kept", "", 1))
			}
			if got := strings.Join(d.lines, ", "); got != c.diary {
				t.Errorf("%s, recorded %v: %s\nexpected %s", c.name, record, got, c.diary)
			}
			s.Close()
		}
	}
}

// TestStartsAreSteps checks how starts appear in a trace, and that other actors
// take no extra step.
func TestStartsAreSteps(t *testing.T) {
	s := newSystem(t, pulse.Options{Record: true})
	s.Send(s.Spawn("told", &novice{d: &diary{}}), 1)
	s.Send(s.Spawn("untold", pulse.Func(idle)), 1)
	mustRun(t, s)
	var kinds []trace.SendKind
	var wanted []trace.Want
	for _, st := range s.Trace().Steps {
		kinds = append(kinds, s.Trace().Sends[st.Send].Kind)
		wanted = append(wanted, st.Wanted)
	}
	if want := []trace.SendKind{trace.Start, trace.Message, trace.Message, trace.Timer}; !slices.Equal(kinds, want) {
		t.Errorf("the steps are %v, expected %v", kinds, want)
	}
	if want := []trace.Want{trace.ItsStart, trace.Anything, trace.Anything, trace.Anything}; !slices.Equal(wanted, want) {
		t.Errorf("what would have been taken is %v, expected %v", wanted, want)
	}
}

// TestRunsStartAnew checks that an actor inherits neither a start nor a disk
// from the actor at its index in the run before.
func TestRunsStartAnew(t *testing.T) {
	s := newSystem(t, pulse.Options{Strategy: faultsAt(1, 1), Faults: pulse.Faults{Crash: 1, RestartKept: 1}})
	for _, before := range []func(){
		func() { s.Send(s.Spawn("plain", pulse.Func(idle)), 1) },
		func() { s.Spawn("told", &novice{d: &diary{}}) },
		func() { s.Go("process", func(p *pulse.Process) { p.Disk().Write("a", 1) }) },
		func() { s.Spawn("told", &archive{}) },
		func() {
			s.Send(s.Spawn("plain", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Disk().Write("a", 1) })), 1)
		},
	} {
		before()
		mustRun(t, s)
		s.Reset(0)
		d := &diary{}
		s.Spawn("shop", &novice{d: d, started: func(ctx *pulse.Ctx) { d.write("%q", onDisk(ctx)) }})
		s.Settle()
		if got := strings.Join(d.lines, ", "); got != `start at 0, ""` {
			t.Errorf("told: %s", got)
		}
		s.Reset(0)
	}
}
