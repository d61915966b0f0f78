package protoactor_test

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

// balance asks for the balance of an account.
type balance struct{}

// account is an actor as it is in production.
type account struct{ sum int }

func (a *account) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case int:
		a.sum += m
	case balance:
		ctx.Respond(a.sum)
	}
}

// A customer pays in at one branch and asks for the balance at another. Explore runs all
// orders in which the two can reach the account.
func Example() {
	seen := map[any]int{}
	w := &worker{build: func(sys *pulse.System) {
		as := protoactor.New(sys)
		a := as.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return &account{} }))
		as.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				ctx.Send(a, 10)
			}
		}))
		as.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); ok {
				sum, _ := ctx.RequestFuture(a, balance{}, time.Second).Result()
				seen[sum]++
			}
		}))
	}}
	r, err := explore.Explore(explore.Options{}, w)
	w.sys.Close()
	fmt.Println(r.Distinct, "orders,", err)
	fmt.Println(len(seen), "balances, 0 and 10 among them:", seen[0] > 0 && seen[10] > 0)
	// Output:
	// 2 orders, <nil>
	// 2 balances, 0 and 10 among them: true
}
