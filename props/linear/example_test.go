package linear_test

import (
	"fmt"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/linear"
	"github.com/jostle-go/jostle/pulse"
)

// A cache answers reads from what it saw last; that another client has been
// told of a newer value does not help.
func Example() {
	r := props.NewRunner("Example", func(t *props.T) {
		sys := t.System()
		server := sys.Spawn("server", &replica{values: map[string]int{}})
		cache := sys.Spawn("cache", &replica{values: map[string]int{}})
		h := linear.NewHistory(t, store)
		sys.Go("client", func(p *pulse.Process) {
			write := h.Call(p.Self(), put{"x", 1})
			write.Return(p.Ask(server, put{"x", 1}).(int))
			read := h.Call(p.Self(), get{"x"})
			read.Return(p.Ask(cache, get{"x"}).(int))
		})
		sys.Run()
		h.Check()
	})
	defer r.Close()
	fmt.Println(r.Run(props.Plan{}).Failure)
	// Output:
	// the history of store, part "x", is not linearizable: no order of its 2 calls explains what they returned
	//     called       returned     client
	//     1 in step 0  2 in step 2  client  put("x", 1) → 0
	//     3 in step 2  4 in step 4  client  get("x") → 0
	//     as far as an order gets: put("x", 1) → 0
	//     then none fits of: get("x") → 0
}
