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

// account is an actor of the program, the same in tests as in production.
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

// A real test that sleeps becomes a RunFor of that time. A real test that waits for a
// WaitGroup or a channel becomes a Run. The configuration is that of production,
// except for the logger.
func Example_waiting() {
	config := actor.Configure(actor.WithDeadLetterRequestLogging(false))
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	as := protoactor.New(sys, func(c *actor.Config) {
		logger := c.LoggerFactory
		*c = *config
		c.LoggerFactory = logger
	})
	ticks, done := 0, make(chan string, 1)
	a := as.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		switch ctx.Message() {
		case "tick":
			ticks++
		case "work":
			done <- "worked"
		}
	}))
	cancel := protoactor.NewTimerScheduler(as.Root).SendRepeatedly(time.Second, time.Second, a, "tick")
	sys.RunFor(10 * time.Second) // time.Sleep(10 * time.Second)
	cancel()
	as.Root.Send(a, "work")
	sys.Run()
	fmt.Println(ticks, "ticks,", <-done, as.Config.DeadLetterRequestLogging)
	// Output: 10 ticks, worked false
}
