package load

import (
	"fmt"
	"math"

	"github.com/jostle-go/jostle/pulse"
)

// Pi is Figure 4.1 of Basset's thesis (Lauterburg, Illinois 2011): a master has workers
// compute a part of π each, adds up their sums and stops them. With n workers there are
// (2n)! / 2^n · n! orders and n! distinct orders.
func Pi(workers int) Load {
	m := &master{refs: make([]pulse.Ref, workers)}
	list := make([]*worker, workers)
	for i := range list {
		list[i] = &worker{part: part(i+1, workers)}
	}
	check := func() error {
		if math.Abs(m.result-math.Pi) > 0.001 {
			return fmt.Errorf("π is %v after %d of %d sums", m.result, m.sums, workers)
		}
		return nil
	}
	return Load{
		Name:  fmt.Sprintf("pi(%d)", workers),
		Steps: 1 + 3*workers,
		Build: func(sys *pulse.System) func() error {
			m.sums, m.result = 0, 0
			for i, w := range list {
				m.refs[i] = sys.Spawn("worker", w)
			}
			sys.Send(sys.Spawn("master", m), start{})
			return check
		},
	}
}

type (
	intervals struct{}
	sum       struct{ part float64 }
	stop      struct{}
)

// strips is the number of strips in the sum that approximates π.
const strips = 60

// part returns the message with a worker's sum. The sum is computed once, because
// computing it in each run would hide the cost of a step.
func part(id, workers int) any {
	total := 0.0
	for i := id; i <= strips; i += workers {
		x := (float64(i) - 0.5) / strips
		total += 4 / (1 + x*x)
	}
	return sum{total / strips}
}

// A master adds up the parts that the workers have computed.
type master struct {
	refs   []pulse.Ref
	sums   int
	result float64
}

func (m *master) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case start:
		m.tell(ctx, intervals{})
	case sum:
		m.sums++
		m.result += msg.part
		if m.sums == len(m.refs) {
			m.tell(ctx, stop{})
			ctx.Stop()
		}
	}
}

func (m *master) tell(ctx *pulse.Ctx, msg any) {
	for _, r := range m.refs {
		ctx.Send(r, msg)
	}
}

// A worker computes one part.
type worker struct{ part any }

func (w *worker) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case intervals:
		ctx.Reply(w.part)
	case stop:
		ctx.Stop()
	}
}
