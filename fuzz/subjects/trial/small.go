package trial

import (
	"github.com/jostle-go/jostle/pulse"
)

// Answered returns a program that chooses among n alternatives for each n in ns,
// and logs the choices.
func Answered(ns ...int) func(*pulse.System) {
	return func(sys *pulse.System) {
		sys.Send(sys.Spawn("chooser", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for _, n := range ns {
				ctx.Log("%d", ctx.Choose(n))
			}
		})), kick{})
		sys.Run()
	}
}

// Bunch returns a program with one actor, to which n messages are sent before the run.
func Bunch(n int) func(*pulse.System) {
	return func(sys *pulse.System) {
		writer := sys.Spawn("writer", pulse.Func(func(*pulse.Ctx, any) {}))
		for i := range n {
			sys.Send(writer, write{i})
		}
		sys.Run()
	}
}
