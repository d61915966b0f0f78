package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/linear"
	"github.com/jostle-go/jostle/props/machine"
	"github.com/jostle-go/jostle/pulse"
)

// nils are calls with nil, or on a zero value, where something is required.
func nils() []struct {
	name string
	call func(t *props.T)
	want string
} {
	type history = linear.History[int, int, int]
	whole := machine.Machine[int]{Init: func() int { return 0 }, Commands: []machine.Command[int]{
		machine.Op[int, struct{}, int]{Name: "get", Run: func(*pulse.Process, struct{}) int { return 1 }}.Command()}}
	model := linear.Model[int, int, int]{Init: func() int { return 0 }, Step: func(s, _, _ int) (bool, int) { return true, s }}
	const noT = "the T is nil, or the zero T: use the one that the property was given"
	const noSystem = "the System is nil: give it t.System()"
	const noAsker = "Ask: the Asker is nil: give it the Process that asks or, between runs, the System"
	const noActor = `actor "a" is nil: it needs an Actor, a New that returns one, or the function of a process`
	var host pulse.Host
	inStep := func(t *props.T, do func(ctx *pulse.Ctx)) {
		sys := t.System()
		host = sys.Host()
		sys.Send(sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, _ any) { do(ctx) })), "go")
		sys.Run()
	}
	return []struct {
		name string
		call func(t *props.T)
		want string
	}{
		{"Sequential without a system", func(t *props.T) { whole.Sequential(t, nil) }, noSystem},
		{"Parallel without a system", func(t *props.T) { whole.Parallel(t, nil) }, noSystem},
		{"Sequential without a T", func(t *props.T) { whole.Sequential(nil, t.System()) }, noT},
		{"Parallel without a T", func(t *props.T) { whole.Parallel(nil, t.System()) }, noT},
		{"NewHistory without a T", func(*props.T) { linear.NewHistory(nil, model) }, noT},
		{"Call of no history", func(*props.T) { (*history)(nil).Call(pulse.Ref{}, 1) }, "Call of the zero History: use the one that NewHistory returned"},
		{"Check of the zero history", func(*props.T) { (&history{}).Check() }, "Check of the zero History: use the one that NewHistory returned"},
		{"Ask by nobody", func(t *props.T) { pulse.Ask[int](nil, t.System().Spawn("a", pulse.Func(func(*pulse.Ctx, any) {})), 1) }, noAsker},
		{"Ask by no Process", func(*props.T) { pulse.Ask[int]((*pulse.Process)(nil), pulse.Ref{}, 1) }, noAsker},
		{"Ask by no System", func(*props.T) { pulse.Ask[int]((*pulse.System)(nil), pulse.Ref{}, 1) }, noAsker},
		{"ReceiveAs by no Process", func(*props.T) { pulse.ReceiveAs[int](nil) }, "ReceiveAs: the Process is nil: give it the one that receives"},
		{"Spawn a Func that is nil", func(t *props.T) { t.System().Spawn("a", pulse.Func(nil)) }, noActor},
		{"SpawnSpec of a Func that is nil", func(t *props.T) { t.System().SpawnSpec(pulse.Spec{Name: "a", Actor: pulse.Func(nil)}) }, noActor},
		{"a New that returns a Func that is nil", func(t *props.T) {
			t.System().SpawnSpec(pulse.Spec{Name: "a", New: func() pulse.Actor { return pulse.Func(nil) }})
		}, noActor},
		{"Become a Func that is nil", func(t *props.T) {
			inStep(t, func(ctx *pulse.Ctx) { ctx.Become(pulse.Func(nil)) })
		}, "Become(nil): pass the actor that handles the next messages"},
		{"Observe nil", func(t *props.T) { t.System().Observe(nil) }, "Observe(nil): give it an observer"},
		{"Host.Coroutine(nil)", func(t *props.T) { t.System().Host().Coroutine(nil) }, "Host.Coroutine(nil): give it the code that is to run"},
		{"Host.Note(nil)", func(t *props.T) {
			inStep(t, func(*pulse.Ctx) { host.Note(nil) })
		}, "Host.Note(nil): give it a function that returns the line"},
		{"Inspect(nil)", func(t *props.T) { t.System().Host().Coroutine(func(*pulse.Coroutine) {}).Inspect(nil) }, "Inspect(nil): give it a function"},
		{"Draw without a T", func(*props.T) { props.Draw(nil, rapid.Int(), "n") }, noT},
		{"OneOf without a T", func(*props.T) { props.OneOf(nil, "n", 1, 2) }, noT},
		{"Source without a T", func(*props.T) { props.Source(nil, "n") }, noT},
		{"a method of no T", func(*props.T) { (*props.T)(nil).Errorf("no") }, noT},
		{"a method of the zero T", func(*props.T) { (&props.T{}).System() }, noT},
	}
}

// TestNil checks each use of nil where a value is required. It is a misuse, and the
// message names the nil value and says what to give.
func TestNil(t *testing.T) {
	for _, c := range nils() {
		r := props.NewRunner("property", c.call)
		if f := r.Run(props.Plan{}).Failure; f == nil || f.Kind != pulse.KindMisuse || !strings.Contains(f.Text, c.want) {
			t.Errorf("%s: %v, want %q", c.name, f, c.want)
		}
		r.Close()
	}
	for name, make := range map[string]func(){
		"NewRunner": func() { props.NewRunner("property", nil) }, "Rapid": func() { props.Rapid(nil) }, "Gopter": func() { props.Gopter(nil) },
	} {
		if got, want := fmt.Sprint(thrown(make)), name+": the property is nil: give it a func(*props.T)"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// thrown returns the value with which a call panics.
func thrown(call func()) (v any) {
	defer func() { v = recover() }()
	call()
	return nil
}

// The failure of a command in a step names the step. Naming it records no Touch, since
// the property itself has not called System.Steps.
func TestFailedCommandsTouchNothing(t *testing.T) {
	r := props.NewRunner("property", func(t *props.T) {
		machine.Machine[int]{Init: func() int { return 0 }, Commands: []machine.Command[int]{machine.Op[int, struct{}, int]{
			Name: "get", Run: func(*pulse.Process, struct{}) int { return 1 }, Check: func(int, struct{}, int) error { return fmt.Errorf("wrong") },
		}.Command()}}.Sequential(t, t.System())
	})
	defer r.Close()
	for seed := range uint64(20) {
		res := r.Run(props.Plan{Seed: seed})
		if f := res.Failure; f != nil {
			if f.Step != 0 || len(res.System.Trace().Touches) != 0 {
				t.Errorf("failed in step %d, touches %v", f.Step, res.System.Trace().Touches)
			}
			return
		}
	}
	t.Error("no run failed")
}
