package trial

import (
	"time"

	"github.com/jostle-go/jostle/pulse"
)

type (
	write struct{ n int }
	flush struct{}
	get   struct{ n int }
)

// Rich is a program that uses all features of a system: processes, asks, timers,
// choices, children, panics that a supervisor handles, a start-up phase that is
// not explored, and two calls to Run.
func Rich(sys *pulse.System) {
	server := sys.SpawnSpec(pulse.Spec{
		Name: "server", OnPanic: pulse.OnPanicRestart,
		New: func() pulse.Actor {
			held := 0
			return pulse.Func(func(ctx *pulse.Ctx, msg any) {
				switch msg := msg.(type) {
				case write:
					if held += msg.n; held > 20 {
						panic("full")
					}
					ctx.After(time.Duration(msg.n)*time.Millisecond, flush{})
				case flush:
					held /= 2
				case get:
					ctx.Log("%d of %d", ctx.Choose(msg.n), held)
					ctx.Reply(held)
				}
			})
		},
	})
	client := func(n int) pulse.Ref {
		return sys.Go("client", func(p *pulse.Process) {
			for i := range n {
				p.Send(server, write{p.Choose(10)})
				if i%2 == 0 {
					p.AskTimeout(server, get{3 + i}, 5*time.Millisecond)
				}
				if i == 1 {
					p.Spawn("helper", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(server, msg) }))
					p.Sleep(time.Millisecond)
				}
			}
		})
	}
	watcher := sys.Spawn("watcher", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if r, ok := msg.(pulse.Ref); ok {
			ctx.Watch(r)
		}
	}))
	sys.Send(server, write{1})
	sys.Settle()
	if sys.Failure() != nil {
		return
	}
	for i := range 3 {
		sys.Send(watcher, client(i+1))
	}
	sys.Run()
	if sys.Failure() == nil {
		sys.Send(watcher, client(2))
		sys.Run()
	}
}

// Settings returns the options under which Rich runs, by name.
func Settings() map[string]pulse.Options {
	faults := pulse.Faults{Drop: 2, Duplicate: 2, Delay: 2, Crash: 1, RestartLost: 1, Partition: 1, Swarm: true}
	return map[string]pulse.Options{
		"plain":     {},
		"unordered": {Delivery: pulse.DeliveryUnordered, EarlyTimers: 2},
		"faults":    {Faults: faults, EarlyTimers: -1},
		"both":      {Faults: faults, Delivery: pulse.DeliveryUnordered},
	}
}
