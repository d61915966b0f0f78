package protoactor_test

import (
	"fmt"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

// TestFatalInAHandler checks that a property may fail, and skip, in a handler.
func TestFatalInAHandler(t *testing.T) {
	f := fuzz.MustFind(t, func(t *props.T) {
		sys := t.System()
		as := protoactor.New(sys)
		as.Root.Send(as.Root.Spawn(fromFunc(func(ctx actor.Context) {
			if ctx.Message() == "hello" {
				t.Fatalf("not here")
			}
		})), "hello")
		sys.Run()
	})
	if f.Failure.Text != "not here" || f.Failure.Kind != pulse.KindProperty {
		t.Error(f.Failure)
	}
	fuzz.Config{Runs: 100}.Check(t, func(t *props.T) {
		sys := t.System()
		as := protoactor.New(sys)
		skip := props.OneOf(t, "skip", false, false, false, true)
		as.Root.Spawn(fromFunc(func(ctx actor.Context) {
			if skip {
				t.SkipNow()
			}
		}))
		sys.Run()
	})
}

// TestStates checks that an actor's state is shown in reports. It also checks that
// states are compared by the messages that actors have received.
func TestStates(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	as := protoactor.New(sys)
	as.Root.Spawn(of(&fork{queue: []*actor.PID{as.NewLocalPID("x")}}))
	sys.Run()
	if got := fmt.Sprint(sys.Host().States()[1:]); got != "[fork(queue: [PID])]" {
		t.Error(got)
	}
	for _, p := range programs() {
		if p.name != "philosophers(2)" && p.name != "barber(2,false)" {
			continue
		}
		r, failure := exploreAll(t, explore.Options{Method: explore.Method{Reduction: explore.SourceSets, States: explore.Checked}},
			func(sys *pulse.System) { p.build(protoactor.New(sys)) })
		if failure != nil || !r.Complete {
			t.Errorf("%s: %+v, %v", p.name, r, failure)
		}
	}
}
