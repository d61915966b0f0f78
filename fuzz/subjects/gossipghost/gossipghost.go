// Package gossipghost is an example program with a known bug. Its property: a member that
// was removed does not come back.
//
// Issue 4010 of Cortex (github.com/cortexproject/cortex), "memberlist keeps resurrecting
// deleted store-gateways", and issue 14991 of ScyllaDB (github.com/scylladb/scylladb),
// "gossip: replaced node keeps 'circling around' in gossip, eventually resurrecting as
// token owner", report this kind of bug. The program is ours.
//
// Nodes gossip about a member that has failed. In each round a node sends its state of the member
// to the next node, which takes the state if it is later than its own. An operator has one node
// remove the member, which makes a later state. A state names the nodes known to know of the
// removal. When a node learns that all nodes know of the removal, it forgets the member and the
// removal.
//
// In the broken form the node also forgets the version. It may have learned from others that a node
// knows of the removal, while an old state from that node is in transit. It takes this state for
// that of a new member. In the mended form a node stores the version of what it has forgotten, and
// takes only later states.
//
// The mended form is correct: a node that has removed the member knows the version of the removal.
//
// Subject.Depth is 12, the least that random runs have shown. An old state must stay in transit
// while its sender hears of the removal and tells others, and until its receiver has learned from
// others that all nodes know.
package gossipghost

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with six nodes
// and four rounds.
type Config struct {
	Nodes  int // 0 means 6
	Rounds int // the number of rounds of each node; 0 means 4
	Mended bool
}

type (
	remove struct{}              // sent from the test to a node, in the name of the operator who removes the member
	round  struct{}              // sent from a node to itself
	gossip struct{ state state } // sent from a node to another node
)

// A state is a node's knowledge of the member.
type state struct {
	version int // the version of this knowledge; 0 if the node knows nothing
	removed bool
	seen    uint // the nodes known to know of the removal; bit i stands for node i
}

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, rounds := c.Nodes, c.Rounds
	if count == 0 {
		count = 6
	}
	if rounds == 0 {
		rounds = 4
	}
	nodes, refs := make([]*node, count), make([]pulse.Ref, count)
	for i := range nodes {
		nodes[i] = &node{me: i, nodes: refs, known: state{version: 1}, rounds: rounds, least: 1, forgets: !c.Mended}
		refs[i] = sys.Spawn("node", nodes[i])
	}
	sys.Send(refs[0], remove{})
	for _, r := range refs {
		sys.Send(r, round{})
	}
	return func() error {
		for i, n := range nodes {
			if n.revived {
				return fmt.Errorf("node %d has the member again, which it had removed", i+1)
			}
		}
		return nil
	}
}

// A node gossips with the other nodes in turn.
type node struct {
	me      int
	nodes   []pulse.Ref // all nodes; the list is shared and never changed
	known   state
	least   int  // the lowest version of a state that the node accepts
	rounds  int  // the number of rounds left
	forgets bool // set in the broken form: the node does not store the version of what it has forgotten
	removed bool // set once the node has removed the member
	revived bool // set if the node had the member again after it had removed it
}

func (n *node) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case remove:
		n.learn(state{version: n.known.version + 1, removed: true})
	case gossip:
		n.learn(msg.state)
	case round:
		next := n.me + 1 + n.rounds%(len(n.nodes)-1)
		ctx.Send(n.nodes[next%len(n.nodes)], gossip{n.known})
		if n.rounds--; n.rounds > 0 {
			ctx.Send(ctx.Self(), round{})
		}
	}
}

// learn takes a state, unless the state is older than the node's own. When all nodes
// know of the removal, the node forgets the removal.
func (n *node) learn(s state) {
	if s.version < max(n.least, n.known.version) {
		return
	}
	s.seen |= n.known.seen
	n.known = s
	if !s.removed {
		n.revived = n.revived || n.removed
		return
	}
	n.removed = true
	n.known.seen |= 1 << n.me
	if n.known.seen == 1<<len(n.nodes)-1 {
		if !n.forgets {
			n.least = n.known.version + 1
		}
		n.known = state{}
	}
}
