package orders

import (
	"errors"
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Leader is leader of the thesis on Basset, an election. The thesis does not name
// its algorithm. This program uses the algorithm of Chang and Roberts in a ring. A
// node that is started sends its number around, unless it has already passed on
// another number. A node passes on numbers larger than its own and drops smaller
// numbers. A node that gets its own number back is the leader, and tells the others.
// The numbers decrease along the ring, which causes the most messages.
//
// At each node, its start races with the numbers that arrive, so the order decides
// which numbers are sent around. The thesis has 374 orders, 24 of them distinct, for
// a ring of unknown size. Here 3 nodes have 377 orders, 17 of them distinct.
func Leader(n int) Program {
	return Program{
		Name: fmt.Sprintf("leader(%d)", n),
		Build: func(sys *pulse.System) func() error {
			ring, refs := make([]*node, n), make([]pulse.Ref, n)
			for i := range ring {
				ring[i] = &node{number: n - i}
				refs[i] = sys.Spawn("node", ring[i])
				sys.Send(refs[i], start{})
			}
			for i, nd := range ring {
				nd.next = refs[(i+1)%n]
			}
			return func() error { return checkLeader(ring) }
		},
	}
}

func checkLeader(ring []*node) error {
	for _, nd := range ring {
		if nd.leader != len(ring) {
			return fmt.Errorf("node %d knows of leader %d, want %d", nd.number, nd.leader, len(ring))
		}
		if nd.elected != (nd.number == len(ring)) {
			return errors.New("the elected node does not have the largest number")
		}
	}
	return nil
}

type (
	candidate struct{ number int }
	victory   struct{ number int }
)

// A node is one node of the ring.
type node struct {
	number  int
	next    pulse.Ref
	took    bool // set once the node has sent a number: its own number or another one
	elected bool
	leader  int // the number of the leader; 0 while unknown
}

func (n *node) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case start:
		if !n.took {
			n.pass(ctx, n.number)
		}
	case candidate:
		switch {
		case msg.number > n.number:
			n.pass(ctx, msg.number)
		case msg.number == n.number:
			n.elected = true
			ctx.Send(n.next, victory{n.number})
		}
	case victory:
		n.leader = msg.number
		if !n.elected {
			ctx.Send(n.next, msg)
		}
	}
}

func (n *node) pass(ctx *pulse.Ctx, number int) {
	n.took = true
	ctx.Send(n.next, candidate{number})
}
