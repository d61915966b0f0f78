package props_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
)

// Three of four runs have no customer, so they test nothing.
func ExampleT_Label() {
	idle := func(t *props.T) {
		customers := max(0, props.Draw(t, rapid.IntRange(-2, 2), "customers"))
		t.Label("customers", customers)
		t.System().Run()
	}
	r := props.NewRunner("idle", idle)
	defer r.Close()
	runs := map[props.Label]int{}
	for seed := range uint64(100) {
		for _, l := range r.Run(props.Plan{Seed: seed}).Labels { // go test -v and campaigns count in this way
			runs[l]++
		}
	}
	fmt.Println(runs)
	// Output:
	// map[{customers 0}:72 {customers 1}:9 {customers 2}:19]
}
