package pulse_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// A guilty is both a strategy and an observer. It panics in one of its methods.
// If the method is not Begin, it panics only after an actor has begun a step.
type guilty struct {
	place string
	begun bool
}

func (g *guilty) at(place string) {
	if g.place == place && (g.begun || place == "Begin") {
		panic("guilty")
	}
}

func (g *guilty) Begin(uint64) { g.at("Begin") }

func (g *guilty) Pick(*pulse.Enabled) int {
	g.at("Pick")
	return 0
}

func (g *guilty) Choose(choice.Kind, int) int {
	g.at("Choose")
	return 0
}

func (g *guilty) Stepped(*pulse.System, int) { g.at("Stepped") }
func (g *guilty) Sent(*pulse.System, int)    { g.at("Sent") }
func (g *guilty) Spawned(*pulse.System, int) { g.at("Spawned") }
func (g *guilty) links(_, _ pulse.Ref) bool  { g.at("Links"); return true }
func (g *guilty) actors(pulse.Ref) bool      { g.at("Actors"); return true }

func (g *guilty) receive(c *pulse.Ctx, _ any) {
	g.begun = true
	c.Choose(2)
	g.at("Receive")
}

// TestBlame checks that a panic of a strategy, an observer or a function of Faults is
// not attributed to the actor whose step called it, so no supervisor handles it. A
// panic of the actor's own code directly after such a call is attributed to the actor.
func TestBlame(t *testing.T) {
	for _, place := range []string{"Begin", "Pick", "Choose", "Stepped", "Sent", "Links", "Actors", "Receive"} {
		for _, process := range []bool{false, true} {
			at := &guilty{place: place}
			faults := pulse.Faults{Drop: 1, Links: at.links, Actors: at.actors}
			if place == "Actors" {
				faults.Crash = 1
			}
			s := pulse.New(pulse.Options{Strategy: at, Record: true, Faults: faults})
			s.Observe(at)
			spec := pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart, Restarts: 100}
			sink := s.Spawn("sink", pulse.Func(idle))
			step := func(c *pulse.Ctx, msg any) {
				at.receive(c, msg)
				c.Send(sink, msg)
			}
			if process {
				spec.Process = func(p *pulse.Process) {
					for {
						step(p.Ctx, p.Receive())
					}
				}
			} else {
				spec.Actor = pulse.Func(step)
			}
			r := s.SpawnSpec(spec)
			for i := range 3 {
				s.Send(r, i)
				s.Send(sink, i)
			}
			s.Run()
			f, own := s.Failure(), place == "Receive"
			outside := f != nil && f.Kind == pulse.KindPanic && strings.Contains(f.Text, "outside of a step")
			restarted := len(s.Trace().Notes) > 0
			if blamed := !outside || restarted; blamed != own {
				t.Errorf("%s, process %v: the actor is blamed: %v; %v", place, process, blamed, f)
			}
			s.Close()
		}
	}
}

// TestAbandoned checks that Host.Abandoned names a step that has called Goexit.
func TestAbandoned(t *testing.T) {
	s := pulse.New(pulse.Options{Record: true})
	if step, yes := s.Host().Abandoned(); yes || step != "" {
		t.Errorf("a new system is abandoned in %q", step)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Send(s.Spawn("shop", pulse.Func(func(*pulse.Ctx, any) { runtime.Goexit() })), blast{})
		s.Run()
	}()
	<-done
	if step, yes := s.Host().Abandoned(); !yes || step != "shop#1 ← blast" {
		t.Errorf("abandoned: %v, in %q", yes, step)
	}
	s.Reset(0)
	if _, yes := s.Host().Abandoned(); yes {
		t.Error("a system that was reset is abandoned")
	}
	s.Close()
}
