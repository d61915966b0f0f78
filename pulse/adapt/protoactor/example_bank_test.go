package protoactor_test

import (
	"context"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

type (
	withdraw  struct{ sum int }
	deposit   struct{ sum int }
	statement struct{ format string }
	holding   struct{}
)

// A deposited account keeps its money in a field, or in books that outlive it. It
// panics when it is asked for a statement in a format that it does not know.
type deposited struct {
	own   int
	books *int // nil if the money is only in the field own
}

func newDeposited(opening int, mended bool) actor.Producer {
	books := opening
	return func() actor.Actor {
		if mended {
			return &deposited{books: &books}
		}
		return &deposited{own: opening}
	}
}

func (d *deposited) Receive(ctx actor.Context) {
	held := &d.own
	if d.books != nil {
		held = d.books
	}
	switch m := ctx.Message().(type) {
	case withdraw:
		if m.sum > *held {
			ctx.Respond(false)
			return
		}
		*held -= m.sum
		ctx.Respond(true)
	case deposit:
		*held += m.sum
	case statement:
		if m.format != "text" {
			panic("no statement as " + m.format)
		}
	case holding:
		ctx.Respond(*held)
	}
}

// bank has accounts as its children, and restarts an account that panics. A clerk
// transfers money while a customer asks for a statement.
func bank(ctx actor.Context, mended bool) {
	if _, ok := ctx.Message().(*actor.Started); !ok {
		return
	}
	from, _ := ctx.SpawnNamed(actor.PropsFromProducer(newDeposited(10, mended)), "ada")
	to, _ := ctx.SpawnNamed(actor.PropsFromProducer(newDeposited(0, mended)), "ben")
	ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
		if _, ok := ctx.Message().(*actor.Started); ok {
			if done, err := ctx.RequestFuture(from, withdraw{4}, time.Second).Result(); err == nil && done.(bool) {
				ctx.Send(to, deposit{4})
			}
		}
	}), "clerk")
	ctx.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) {
		if _, ok := ctx.Message().(*actor.Started); ok {
			ctx.Send(from, statement{"pdf"})
		}
	}), "customer")
}

// moneyStays is the property: a transfer neither creates nor loses money.
func moneyStays(mended bool) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		as := protoactor.New(sys)
		restarting := actor.NewOneForOneStrategy(3, time.Minute, actor.DefaultDecider)
		as.Root.SpawnNamed(actor.PropsFromFunc(func(ctx actor.Context) { bank(ctx, mended) }, actor.WithSupervisor(restarting)), "bank")
		sys.Run()
		total := 0
		for _, name := range []string{"ada", "ben"} {
			held, err := as.Root.RequestFuture(as.NewLocalPID("bank/"+name), holding{}, time.Second).Result()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			total += held.(int)
		}
		if total != 10 {
			t.Errorf("the accounts hold %d, not 10", total)
		}
	}
}

// An account is restarted after a panic, and the restart hides the panic: nobody sees
// that the account has its initial balance again. In a test this is
//
//	func TestMoneyStays(t *testing.T) { fuzz.Explore(t, moneyStays(false)) }
func Example_bank() {
	for _, mended := range []bool{false, true} {
		x, err := search.Explore(context.Background(), search.Property{Name: "moneyStays", Func: moneyStays(mended)}, search.ExploreOptions{KeepOn: true})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("mended:", mended, "complete:", x.Verdict.Complete, "orders:", x.Verdict.Distinct, "failing:", x.Verdict.Failing())
		for _, f := range x.Found {
			fmt.Println(f.Failure)
		}
	}
	// Output:
	// mended: false complete: true orders: 8 failing: 4
	// the accounts hold 14, not 10
	// mended: true complete: true orders: 8 failing: 0
}
