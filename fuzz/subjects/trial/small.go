package trial

import (
	"github.com/jostle-go/jostle/pulse"
)

// Answered returns a program that makes a choice for each of the given numbers of
// answers, and logs the results.
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

// Bunch returns a program whose only actor is sent n messages before it runs.
func Bunch(n int) func(*pulse.System) {
	return func(sys *pulse.System) {
		writer := sys.Spawn("writer", pulse.Func(func(*pulse.Ctx, any) {}))
		for i := range n {
			sys.Send(writer, write{i})
		}
		sys.Run()
	}
}
