package load

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Senders has a number of senders that each send some messages to one receiver.
// All messages are sent before the run begins, so that only the order of
// receipt varies. With n senders and k messages each, there are (nk)! / (k!)^n
// orders with FIFO delivery, all distinct.
func Senders(senders, messages int) Load {
	steps := senders * messages
	r := &receiver{}
	list := make([]pulse.Ref, senders)
	numbers := hops(messages)
	check := func() error { return expect(r.received, steps) }
	return Load{
		Name:  fmt.Sprintf("senders(%d,%d)", senders, messages),
		Steps: steps,
		Build: func(sys *pulse.System) func() error {
			r.received = 0
			to := sys.Spawn("receiver", r)
			for i := range list {
				list[i] = sys.Spawn("sender", silent{})
			}
			for i := range messages {
				for _, from := range list {
					sys.Host().Enqueue(from, to, numbers[i])
				}
			}
			return check
		},
	}
}

// A receiver counts what it receives.
type receiver struct{ tally }

func (r *receiver) Receive(*pulse.Ctx, any) { r.received++ }

// A silent actor does nothing.
type silent struct{}

func (silent) Receive(*pulse.Ctx, any) {}
