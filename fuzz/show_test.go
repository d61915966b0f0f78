package fuzz

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A shelf is an actor whose fields cover each kind of state that a report shows.
type shelf struct {
	t      *props.T
	owner  pulse.Ref
	boxes  map[string]int
	secret *grumpy
}

// grumpy panics when it is formatted.
type grumpy struct{ n int }

func (*grumpy) String() string { panic("no") }

type box struct{ size int }

func (s *shelf) Receive(ctx *pulse.Ctx, msg any) {
	if b, ok := msg.(box); ok {
		s.boxes["box"] += b.size
		s.t.Logf("size %d", s.boxes["box"])
		ctx.Send(s.owner, "thanks")
	}
}

// shelves holds in each of its runs.
func shelves(t *props.T) {
	size := props.Draw(t, rapid.Just(3), "size")
	sys := t.System()
	owner := sys.Go("owner", func(p *pulse.Process) {
		for {
			p.Receive()
		}
	})
	sys.Spawn("bell", pulse.Func(func(*pulse.Ctx, any) {}))
	guest := sys.Go("guest", func(*pulse.Process) {})
	s := sys.Spawn("shelf", &shelf{t: t, owner: owner, boxes: map[string]int{}, secret: &grumpy{4}})
	sys.Send(s, box{size})
	_ = guest
	sys.Run()
}

// Calls with JOSTLE_SHOW for properties that hold. Previously only failures could be shown.
var showSamples = map[string]func(*testing.T){
	"show-check": func(t *testing.T) {
		t.Setenv("JOSTLE_SHOW", "1")
		Config{Runs: 3, Strategies: []string{"random"}}.Check(t, shelves)
	},
	"show-explore": func(t *testing.T) {
		t.Setenv("JOSTLE_SHOW", "1")
		Explore(t, subjectNamed("writer").Smallest(true))
	},
}
