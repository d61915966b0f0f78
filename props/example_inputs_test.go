package props_test

import (
	"fmt"

	"github.com/leanovate/gopter/gen"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

func ExampleOneOf() {
	r := props.NewRunner("deliveries", func(t *props.T) {
		delivery := props.OneOf(t, "delivery", pulse.DeliveryFIFO, pulse.DeliveryUnordered)
		sys := t.SystemWith(pulse.Options{Delivery: delivery})
		inbox := sys.Spawn("inbox", pulse.Func(func(ctx *pulse.Ctx, msg any) {}))
		sys.Send(inbox, "hello")
		sys.Run()
	})
	defer r.Close()
	for seed := range uint64(3) {
		fmt.Println(r.Run(props.Plan{Seed: seed}).Values)
	}
	// Output:
	// [unordered]
	// [fifo]
	// [fifo]
}

func ExampleSample() {
	r := props.NewRunner("names", func(t *props.T) {
		name := props.Sample(t, gen.OneConstOf("ada", "grace", "edsger"), "name").(string)
		sys := t.System()
		greeter := sys.Spawn("greeter", pulse.Func(func(ctx *pulse.Ctx, msg any) {}))
		sys.Send(greeter, name)
		sys.Run()
	})
	defer r.Close()
	for seed := range uint64(3) {
		fmt.Println(r.Run(props.Plan{Seed: seed}).Values)
	}
	// Output:
	// [grace]
	// [grace]
	// [edsger]
}
