package props

import (
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// watched holds what other goroutines may read while a Runner runs.
type watched struct {
	turns  atomic.Uint64                // how many runs began plus how many ended: odd while one runs
	system atomic.Pointer[pulse.System] // the system of the latest run that has one
	stage  atomic.Uint64                // the ID of the stage's goroutine
}

// A Pace says how far a runner has come.
type Pace struct {
	turns uint64
	steps int
}

// Running reports whether a run is under way.
func (p Pace) Running() bool { return p.turns%2 == 1 }

// Pace returns how far the runner has come. Any goroutine may call it at any time. If
// it is Running and stays the same, the run hangs: a step or the property itself does
// not end.
func (r *Runner) Pace() Pace {
	p := Pace{turns: r.watched.turns.Load()}
	if s := r.watched.system.Load(); s != nil {
		p.steps = s.Host().Progress()
	}
	return p
}

// A Stall says where a hanging run stands.
type Stall struct {
	// Strategy names what makes the decisions. Seed and StrategySeed are the plan's.
	Strategy           string
	Seed, StrategySeed uint64
	// Step is the running step, -1 when none runs. Actor is the actor whose code
	// runs in it, and Message is what it receives. An empty Actor means code of the
	// property, as in Always, or of the search.
	Step    int
	Actor   string
	Message any
	// State is what the goroutine waits for, such as "sync.Mutex.Lock", or
	// "running". Stack is its calls, cut to the property and its program.
	State string
	Stack []stack.Frame
	// Intruder is the failure of a call by another goroutine, nil if there was none.
	// The run may be waiting for that goroutine.
	Intruder *pulse.Failure
	// Labels and Values are those of the draws so far.
	Labels []string
	Values []any
}

// Stall returns where a hanging run stands: one whose Pace stays the same. Any
// goroutine may call it. It reads what the run may be changing, so its result is right
// only while the run hangs.
func (r *Runner) Stall() Stall {
	s := Stall{Step: -1}
	if sys := r.watched.system.Load(); sys != nil {
		s.Step, s.Actor, s.Message = sys.Host().Stalled()
		s.Intruder = sys.Host().Intruder()
	}
	r.readPlan(&s)
	if g, ok := runs(stack.Goroutines(), r.watched.stage.Load()); ok {
		s.State, s.Stack = g.State, stack.Frames(trimmer.Cut(g.Calls))
	}
	return s
}

// readPlan reads fields that the run changes if it does not hang after all.
//
//go:norace
func (r *Runner) readPlan(s *Stall) {
	s.Strategy = "plain"
	if r.plan.Strategy != nil {
		s.Strategy = trace.TypeLabel(r.plan.Strategy)
	}
	s.Seed, s.StrategySeed = r.plan.Seed, r.plan.StrategySeed
	for i := range min(len(r.inputs), len(r.values)) {
		s.Labels, s.Values = append(s.Labels, r.inputs[i].Label), append(s.Values, r.values[i])
	}
}

// runs returns the goroutine that runs the code of a stage: the stage's own, or
// that of the process that it has resumed and waits for.
func runs(all []stack.Goroutine, stage uint64) (found stack.Goroutine, ok bool) {
	maker := map[uint64]uint64{}
	for i := range all {
		g := &all[i]
		maker[g.ID] = g.Creator
		if g.ID == stage && !g.Parked() {
			return *g, true
		}
	}
	for _, g := range all {
		if g.Parked() || !isCoroutine(&g) {
			continue
		}
		for id := g.ID; id != 0; id = maker[id] {
			if id == stage {
				return g, true
			}
		}
	}
	return found, false
}

// isCoroutine reports whether a goroutine is a coroutine, as those of processes are.
// Other goroutines that the stage made belong to the program.
func isCoroutine(g *stack.Goroutine) bool {
	n := len(g.Calls)
	return n > 0 && strings.HasPrefix(g.Calls[n-1].Function, "iter.Pull")
}

// HasRaceDetector reports whether this process runs under the race detector. If so,
// no goroutine should read what the values of a Stall lead to: it would be reported.
func HasRaceDetector() bool {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}
