package machine

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A node is the actor that runs a Machine.
type node[M any] struct {
	cluster *Cluster[M]
	id      int
	machine Machine[M]
	ticker  Ticker[M] // the machine if it is a Ticker, else nil
	out     Output[M]
	syncs   []M         // the messages of pending SyncLaters
	clients []pulse.Ref // senders that are not nodes; their numbers follow the nodes' numbers
}

// Messages that a node sends itself. Their types are unexported, so that no
// message of type M is mistaken for one.
type (
	tick         struct{}
	synced       struct{}        // makes the node perform its oldest pending SyncLater
	timer[M any] struct{ msg M } // the message of an Output.After
)

func (t timer[M]) String() string { return trace.Label(t.msg) }

// Started makes the machine, unless a restart has kept it.
func (n *node[M]) Started(ctx *pulse.Ctx, how pulse.Start) {
	c := &n.cluster.config
	n.begin(ctx)
	if how == pulse.StartKept {
		n.syncs = n.syncs[:0]
	} else {
		n.machine = c.New(n.id, Disk{ctx.Disk()}, &n.out)
		if n.machine == nil {
			panic(fmt.Sprintf("machine: Config.New has returned nil for node %d", n.id))
		}
		n.cluster.running[n.id-1] = n.machine
		n.ticker, _ = n.machine.(Ticker[M])
	}
	if n.ticker != nil && c.Tick > 0 {
		ctx.Every(c.Tick, tick{})
	}
	n.carryOut(ctx)
}

// begin prepares the Output for a step.
func (n *node[M]) begin(ctx *pulse.Ctx) {
	n.out.list, n.out.ctx = n.out.list[:0], ctx
}

// Receive performs a step of the machine.
func (n *node[M]) Receive(ctx *pulse.Ctx, msg any) {
	n.begin(ctx)
	switch msg := msg.(type) {
	case tick:
		n.ticker.Tick(&n.out)
	case synced:
		n.land(ctx)
	case timer[M]:
		n.machine.Step(n.id, msg.msg, &n.out)
	default:
		m, ok := msg.(M)
		if !ok {
			panic(fmt.Sprintf("machine: node %d was sent %T by %v: its messages are %T", n.id, msg, ctx.Sender(), *new(M)))
		}
		n.machine.Step(n.number(ctx.Sender()), m, &n.out)
	}
	n.carryOut(ctx)
}

// land syncs the disk for the oldest pending SyncLater, and has the machine handle its message.
func (n *node[M]) land(ctx *pulse.Ctx) {
	ctx.Disk().Sync()
	msg := n.syncs[0]
	n.syncs = append(n.syncs[:0], n.syncs[1:]...)
	n.machine.Step(n.id, msg, &n.out)
}

// number returns the number by which a node knows a sender. A new client gets the next free number.
func (n *node[M]) number(r pulse.Ref) int {
	refs := n.cluster.refs
	if i := r.Index() - refs[0].Index(); i >= 0 && i < len(refs) {
		return i + 1
	}
	if r.Index() == 0 && r == r.Actor() { // the sender is the test; Ask by the test has another Ref
		return 0
	}
	for i, c := range n.clients {
		if c == r {
			return len(refs) + i + 1
		}
	}
	n.clients = append(n.clients, r)
	return len(refs) + len(n.clients)
}
