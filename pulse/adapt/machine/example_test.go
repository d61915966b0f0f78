package machine_test

import (
	"fmt"
	"time"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/machine"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// The messages of the example. A counter is asked for the next number; numbers are handed out once.
type (
	next   struct{ request int }
	number struct{ n int }
)

// counter is a pure state machine: it hands out numbers, and saves on disk how far it
// has come.
type counter struct {
	n     int
	hasty bool // the bug: answers before the disk is synced
}

func newCounter(disk machine.Disk, hasty bool) *counter {
	c := &counter{hasty: hasty}
	if n, ok := disk.Read("n"); ok {
		c.n = n.(int)
	}
	return c
}

func (c *counter) Step(from int, msg any, out *machine.Output[any]) {
	c.n++
	out.Write("n", c.n)
	if c.hasty {
		out.Send(from, number{c.n})
		out.Sync()
	} else {
		out.Sync()
		out.Send(from, number{c.n})
	}
}

// numbersAreHandedOutOnce is a property: no two clients get the same number.
func numbersAreHandedOutOnce(hasty bool) func(*props.T) {
	return func(t *props.T) {
		sys := t.SystemWith(pulse.Options{Faults: pulse.Faults{Crash: 1, RestartLost: 1}})
		cluster := machine.Config[any]{Nodes: 1, Name: "counter",
			New: func(_ int, disk machine.Disk, _ *machine.Output[any]) machine.Machine[any] {
				return newCounter(disk, hasty)
			},
		}.Spawn(sys)
		given := map[int]bool{}
		for i := range 3 {
			sys.SpawnSpec(pulse.Spec{Name: "client", Safe: true, Process: func(p *pulse.Process) {
				if answer, ok := p.AskTimeout(cluster.Ref(1), next{i}, time.Second); ok {
					n := answer.(number).n
					if given[n] {
						t.Errorf("%d was handed out twice", n)
					}
					given[n] = true
				}
			}})
		}
		sys.Run()
	}
}

// A test is one line:
//
//	func TestNumbers(t *testing.T) { fuzz.Check(t, numbersAreHandedOutOnce(false)) }
//
// Here the runs are made by hand, with the counter that answers too soon and with the
// correct one.
func Example() {
	for _, hasty := range []bool{true, false} {
		r := props.NewRunner("numbers", numbersAreHandedOutOnce(hasty))
		failing := 0
		for seed := range uint64(1000) {
			if res := r.Run(props.Plan{Strategy: strategy.Random(), StrategySeed: seed}); res.Failure != nil {
				failing++
			}
		}
		fmt.Printf("hasty %v: fails in some runs: %v\n", hasty, failing > 0)
		r.Close()
	}
	// Output:
	// hasty true: fails in some runs: true
	// hasty false: fails in some runs: false
}
