package protoactor_test

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/adapttest"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

// A hall is an adapttest.Runtime: with it the test spawns actors and sends messages.
type hall struct{ *actor.RootContext }

func (h hall) Spawn(name string, handler adapttest.Handler) adapttest.Address {
	pid, err := h.SpawnNamed(playing(handler), name)
	if err != nil {
		panic(err)
	}
	return pid
}

func (h hall) Send(to adapttest.Address, msg string) { h.RootContext.Send(to.(*actor.PID), msg) }

// A part is an actor that plays a program of adapttest.
type part struct{ behavior actor.Behavior }

func playing(handler adapttest.Handler) *actor.Props {
	return actor.PropsFromProducer(func() actor.Actor {
		p := &part{actor.NewBehavior()}
		p.become(handler)
		return p
	})
}

func (p *part) Receive(ctx actor.Context) { p.behavior.Receive(ctx) }

func (p *part) become(handler adapttest.Handler) {
	p.behavior.Become(func(ctx actor.Context) {
		if msg, ok := ctx.Message().(string); ok {
			handler(scene{ctx, p}, msg)
		}
	})
}

// A scene is the Context that a part gets with one message.
type scene struct {
	ctx  actor.Context
	part *part
}

func (s scene) Spawn(name string, handler adapttest.Handler) adapttest.Address {
	pid, err := s.ctx.SpawnNamed(playing(handler), name)
	if err != nil {
		panic(err)
	}
	return pid
}

func (s scene) Send(to adapttest.Address, msg string) { s.ctx.Request(to.(*actor.PID), msg) }
func (s scene) Sender() adapttest.Address             { return s.ctx.Sender() }
func (s scene) Stop()                                 { s.ctx.Stop(s.ctx.Self()) }
func (s scene) Become(handler adapttest.Handler)      { s.part.become(handler) }

func (s scene) Ask(to adapttest.Address, msg string) string {
	answer, err := s.ctx.RequestFuture(to.(*actor.PID), msg, -1).Result() // without an end
	if err != nil {
		panic(err)
	}
	return answer.(string)
}

// TestConforms checks that hosted actors take the same steps as actors of pulse.
func TestConforms(t *testing.T) {
	adapter := adapttest.Adapter{New: func(sys *pulse.System) adapttest.Runtime { return hall{protoactor.New(sys).Root} }}
	if err := adapter.Test(); err != nil {
		t.Fatal(err)
	}
}
