package trace_test

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A worker writes to a store and tells its boss, who closes the store. Nothing
// ensures that the write arrives first.
func Example() {
	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Seed: 3, Record: true})
	defer sys.Close()
	store := sys.Spawn("store", pulse.Func(func(ctx *pulse.Ctx, msg any) {}))
	boss := sys.Spawn("boss", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(store, "close") }))
	worker := sys.Spawn("worker", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		ctx.Send(store, "write")
		ctx.Send(boss, "done")
	}))
	sys.Send(worker, "work")
	sys.Run()
	t := sys.Trace()
	fmt.Print(t.Chart())
	fmt.Println(t.StepLabel(2), "and", t.StepLabel(3), "can be swapped:", t.Swappable(2, 3))
	// Output:
	// 0  test ──"work"──▶ worker
	// 1  worker ──"done"──▶ boss
	// 2  boss ──"close"──▶ store
	// 3  worker ──"write"──▶ store       ← sent first, received last
	// store#1 ← "close" and store#2 ← "write" can be swapped: true
}
