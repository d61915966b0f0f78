package props

import (
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// watched holds the fields that other goroutines may read while a Runner runs.
type watched struct {
	turns  atomic.Uint64                // the number of runs begun plus the number ended; odd during a run
	system atomic.Pointer[pulse.System] // the system of the latest run that has a system
	stage  atomic.Uint64                // the ID of the stage's goroutine
}

// A Pace measures the progress of a Runner.
type Pace struct {
	turns    uint64
	steps    int
	restores int
}

// Running reports whether a run was in progress.
func (p Pace) Running() bool { return p.turns%2 == 1 }

// Pace returns the progress of the runner. Any goroutine may call it at any time. If
// a running Pace does not change, the run hangs in a step or in the property itself.
func (r *Runner) Pace() Pace {
	p := Pace{turns: r.watched.turns.Load()}
	if s := r.watched.system.Load(); s != nil {
		p.steps, p.restores = s.Host().Progress(), s.Host().Restores()
	}
	return p
}

// A Stall describes a run that hangs.
type Stall struct {
	// Strategy names the strategy of the run. Seed and StrategySeed are those of its
	// Plan.
	Strategy           string
	Seed, StrategySeed uint64
	// Step is the number of the running step, or -1. Actor is the actor that runs in the
	// step, and Message is the message it received. Actor is "" if code of the property,
	// such as Always, or of the search is running.
	Step    int
	Actor   string
	Message any
	// State says what the run's goroutine waits for, such as "sync.Mutex.Lock", or is
	// "running". Stack lists the calls of this goroutine in the property and its
	// program.
	State string
	Stack []stack.Frame
	// Intruder is the failure for a forbidden call by another goroutine, or nil. The run
	// may be waiting for that goroutine.
	Intruder *pulse.Failure
	// Labels and Values are the labels and values of the draws so far.
	Labels []string
	Values []any
}

// Stall describes the current run. The run must hang, which means that its Pace no
// longer changes. Any goroutine may call Stall. If the run does not hang, the result
// may be wrong, because the run changes the data that Stall reads.
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

// readPlan sets the fields of s that the plan and the draws determine. It is exempt
// from race detection, because a run that does not hang changes what it reads.
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

// runs returns the goroutine that runs the code of a stage. It is the stage's own
// goroutine, or the goroutine of a process that the stage has resumed.
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

// isCoroutine reports whether g is a coroutine of iter.Pull, which processes run on.
// Other goroutines started from the stage belong to the program.
func isCoroutine(g *stack.Goroutine) bool {
	n := len(g.Calls)
	return n > 0 && strings.HasPrefix(g.Calls[n-1].Function, "iter.Pull")
}

// HasRaceDetector reports whether this process runs under the race detector. If it
// does, do not follow pointers in Stall.Values, because that would be reported as a
// race.
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
