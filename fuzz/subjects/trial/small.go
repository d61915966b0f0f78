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

// Threads returns a program with n actors that continue as goroutines do. Each takes the given number of
// steps, and sends a message to the next actor in each step.
func Threads(n, steps int) func(*pulse.System) {
	return func(sys *pulse.System) {
		all := make([]pulse.Ref, n)
		for i := range all {
			taken := 0
			all[i] = sys.Spawn("thread", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				if _, told := msg.(write); told || taken == steps {
					return
				}
				taken++
				ctx.Send(all[(i+1)%n], write{taken})
				sys.Host().Continue(ctx.Self(), kick{})
			}))
		}
		for _, thread := range all {
			sys.Send(thread, kick{})
		}
		sys.Run()
	}
}
