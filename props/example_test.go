package props_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// writer counts the results that it is given, until it is closed.
type writer struct {
	stored int
	closed bool
}

func (w *writer) Receive(ctx *pulse.Ctx, msg any) {
	switch {
	case msg == "close":
		w.closed = true
	case !w.closed:
		w.stored++
	}
}

func resultsAreStored(t *props.T) {
	n := props.Draw(t, rapid.IntRange(1, 4), "results")
	sys := t.System()
	w := &writer{}
	ref := sys.Spawn("writer", w)
	for i := range n {
		sys.Go("worker", func(p *pulse.Process) { p.Send(ref, i) })
	}
	sys.Send(ref, "close")
	sys.Run()
	if w.stored != n {
		t.Errorf("stored %d of %d results", w.stored, n)
	}
}

// In a test this is one line:
//
//	func TestResultsAreStored(t *testing.T) { fuzz.Check(t, resultsAreStored) }
func Example() {
	r := props.NewRunner("resultsAreStored", resultsAreStored)
	defer r.Close()
	for seed := range uint64(100) {
		res := r.Run(props.Plan{Seed: seed, Strategy: strategy.Random(), StrategySeed: seed})
		if res.Failure != nil {
			fmt.Printf("%v\n%s", res.Failure, res.System.Trace().Chart())
			return
		}
	}
	// Output:
	// stored 0 of 1 results
	// 0  test ──start──▶ worker
	// 1  test ──"close"──▶ writer
	// 2  worker ──0──▶ writer
}
