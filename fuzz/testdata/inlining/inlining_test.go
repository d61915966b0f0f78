// Package inlining has properties that fail in function literals of this package,
// and of another whose functions are inlined here. Each of its tests fails.
package inlining

import (
	"os"
	"reflect"
	"runtime"
	"testing"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/testdata/inlining/actors"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// tell sends a message to an actor and runs the system.
func tell(sys *pulse.System, a pulse.Actor, msg any) {
	sys.Send(sys.Spawn("actor", a), msg)
	sys.Run()
}

// broken gives broken properties by the names of the tests that check them.
var broken = map[string]func(*props.T){
	"errorf in a handler":    func(t *props.T) { tell(t.System(), actors.Judge(t), "bad") },
	"panic in a handler":     func(t *props.T) { tell(t.System(), actors.Refuser(), "no") },
	"panic of a method":      func(t *props.T) { tell(t.System(), (&actors.Box[int]{}).Opener(), "no number") },
	"panic in a loop":        func(t *props.T) { tell(t.System(), actors.Looper(), "no") },
	"fatalf in the property": func(t *props.T) { tell(t.System(), actors.Judge(t), "good"); t.Fatalf("no") },
	"always": func(t *props.T) {
		n := 0
		sys := t.System()
		t.Always("nothing is received", func() error {
			if n > 0 {
				return os.ErrInvalid
			}
			return nil
		})
		tell(sys, pulse.Func(func(*pulse.Ctx, any) { n++ }), "go")
	},
	"stuck": func(t *props.T) {
		sys := t.System()
		idle := sys.Spawn("idle", pulse.Func(func(*pulse.Ctx, any) {}))
		sys.Go("waiter", actors.Waiter(idle))
		sys.Run()
	},
	"misuse in a handler": func(t *props.T) {
		tell(t.System(), pulse.Func(func(ctx *pulse.Ctx, _ any) { func() { ctx.Send(pulse.Ref{}, 1) }() }), "go")
	},
}

func TestBroken(t *testing.T) {
	for name, property := range broken {
		t.Run(name, func(t *testing.T) { fuzz.Config{Runs: 4}.Check(t, property) })
	}
	t.Run("fatalf in a literal of the test", func(t *testing.T) {
		fail := func(t *props.T) { t.Fatalf("no") }
		fuzz.Config{Runs: 4}.Check(t, func(t *props.T) {
			tell(t.System(), pulse.Func(func(*pulse.Ctx, any) { func() { fail(t) }() }), "go")
		})
	})
}

// TestRawName shows what the runtime calls a literal that was inlined.
func TestRawName(t *testing.T) {
	waiter := actors.Waiter(pulse.Ref{})
	t.Error("the raw name is", runtime.FuncForPC(reflect.ValueOf(waiter).Pointer()).Name())
}
