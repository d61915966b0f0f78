package machine_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/machine"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// counter adds numbers, but has only three digits.
type counter struct{ sum int }

func (c *counter) Receive(ctx *pulse.Ctx, msg any) {
	c.sum = (c.sum + msg.(int)) % 1000
	ctx.Reply(c.sum)
}

func counterCounts(t *props.T) {
	sys := t.System()
	server := sys.Spawn("counter", &counter{})
	machine.Machine[int]{
		Name: "counter",
		Init: func() int { return 0 },
		Commands: []machine.Command[int]{
			machine.Op[int, int, int]{
				Name: "add",
				Args: rapid.IntRange(0, 500),
				Run:  func(p *pulse.Process, n int) int { return p.Ask(server, n).(int) },
				Next: func(sum, n int) int { return sum + n },
				Check: func(sum, n, result int) error {
					if result != sum+n {
						return fmt.Errorf("want %d", sum+n)
					}
					return nil
				},
			}.Command(),
		},
	}.Sequential(t, sys)
}

func Example() {
	r := props.NewRunner("counterCounts", counterCounts)
	defer r.Close()
	for seed := range uint64(100) {
		if res := r.Run(props.Plan{Seed: seed, Strategy: strategy.Random()}); res.Failure != nil {
			fmt.Println(res.Failure)
			return
		}
	}
	// Output:
	// command 10, add(383): want 1127
	//     1  add(1) → 1
	//     2  add(11) → 12
	//     3  add(7) → 19
	//     4  add(1) → 20
	//     5  add(500) → 520
	//     6  add(0) → 520
	//     7  add(106) → 626
	//     8  add(115) → 741
	//     9  add(3) → 744
	//     10  add(383) → 127
}
