// Package deposedread is an example program with a known bug. Its property: a read
// returns the last value that was written before it began, or a newer one.
//
// Wrong reads by a leader that does not know it is deposed have been reported of many
// replicated stores (Jepsen on etcd and Consul, 2014; Consul, issue 54; akka-raft, issue
// 65). The usual fix is that of etcd (pull request 6275): a leader answers a read when a
// majority has confirmed that it still leads. The program is ours, and so is the bug in
// this fix.
//
// When a read comes, a leader asks all nodes to confirm its term. In the broken form it
// counts every confirmation of its term, even one that it requested for an earlier read.
// Such a confirmation may be late. Its sender has meanwhile elected another leader, or
// become leader, and a new value is written. Then the client reads at the old leader, and
// the late confirmation makes that leader answer with the old value.
//
// In the mended form a confirmation has the number of the round in which the leader asked
// for it. It counts only for reads that came before that round. So a majority was still
// in the leader's term after the read had begun, and no later leader had written anything
// by then.
//
// Subject.Depth is 3. A node confirms the first round before it hears of the election.
// The old leader gets this confirmation, the request for its vote and the new value only
// after the second read. Before that, a majority elects the new leader and stores the
// value, the client gets its answer, and sends the read.
package deposedread

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// three nodes, of which the last times out once.
type Config struct {
	Nodes    int   // 0 means 3
	Reads    int   // the number of reads at the beginning; 0 means 1
	Timeouts []int // the numbers of the nodes that time out; nil means the last one; node 0 leads at first
	Mended   bool
}

type (
	timeout struct{} // sent from the test to a node
	begin   struct{} // sent from the test to the client, which then reads
	leads   struct{} // sent from a new leader to the client, which then writes

	write   struct{}
	written struct{ version int } // the answer to write
	read    struct{ id int }
	value   struct{ id, version int } // the answer to read

	campaign struct{ term int } // sent from a candidate to all other nodes
	vote     struct {
		term int
		has  state
	}
	store     struct{ state state } // sent from a leader to all other nodes
	stored    struct{ state state }
	confirm   struct{ term, round int } // sent from a leader to all other nodes
	confirmed struct{ term, round int }
)

// A state is a version of the value and the term in which a leader stored it. The
// version grows with each write.
type state struct{ term, version int }

func (s state) before(t state) bool {
	return s.term < t.term || s.term == t.term && s.version < t.version
}

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, timeouts := c.Nodes, c.Timeouts
	if count == 0 {
		count = 3
	}
	if timeouts == nil {
		timeouts = []int{count - 1}
	}
	cl := &client{}
	ref := sys.Spawn("client", cl)
	nodes := make([]pulse.Ref, count)
	for i := range nodes {
		n := &node{nodes: nodes, client: ref, term: 1, voted: true, has: state{1, 0}, mixes: !c.Mended}
		if i == 0 {
			n.role, n.ready = leader, true
		}
		nodes[i] = sys.Spawn("node", n)
	}
	cl.node = nodes[0]
	for range max(c.Reads, 1) {
		sys.Send(ref, begin{})
	}
	for _, i := range timeouts {
		sys.Send(nodes[i], timeout{})
	}
	return func() error { return cl.err }
}

// A client writes at each new leader. It reads at one node, initially and after each
// write.
type client struct {
	node   pulse.Ref
	least  []int // for each read of the client, the lowest version that it may return
	newest int   // the newest version that the client has written
	err    error
}

func (c *client) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case begin:
		c.read(ctx)
	case leads:
		ctx.Reply(write{})
	case written:
		c.newest = max(c.newest, msg.version)
		c.read(ctx)
	case value:
		if least := c.least[msg.id]; msg.version < least && c.err == nil {
			c.err = fmt.Errorf("a read returns version %d, but version %d was written before it", msg.version, least)
		}
	}
}

func (c *client) read(ctx *pulse.Ctx) {
	ctx.Send(c.node, read{len(c.least)})
	c.least = append(c.least, c.newest)
}

// role is the role of a node in its term.
type role uint8

const (
	follower role = iota
	candidate
	leader
)

// A request is a read that waits for confirmations.
type request struct {
	from  pulse.Ref
	id    int
	round int         // the round of the leader's first request for confirmations
	by    []pulse.Ref // the nodes that have confirmed
}

// A node stores one value and takes part in elections.
type node struct {
	nodes     []pulse.Ref // all nodes; the list is shared and never changed
	client    pulse.Ref
	term      int
	voted     bool // set if the node has voted in this term
	role      role
	has       state
	votes     int
	acks      int  // if the node leads: the number of nodes that have stored this node's state
	ready     bool // if the node leads: set once a majority has stored a state of this term
	committed int  // of a leader that is ready: the version that a majority has
	round     int  // if the node leads: the number of times it has asked the other nodes for confirmations
	reads     []request
	mixes     bool // set in the broken form: the node counts confirmations of earlier rounds
}

func (n *node) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case timeout:
		if n.role != leader {
			n.enter(n.term + 1)
			n.role, n.voted, n.votes = candidate, true, 1
			n.tell(ctx, campaign{n.term})
		}
	case campaign:
		if n.enter(msg.term); msg.term == n.term && !n.voted {
			n.voted = true
			ctx.Reply(vote{n.term, n.has})
		}
	case vote:
		if n.role == candidate && msg.term == n.term {
			n.count(ctx, msg.has)
		}
	case store:
		if n.enter(msg.state.term); msg.state.term == n.term {
			n.role, n.has = follower, msg.state
			ctx.Reply(stored(msg))
		}
	case stored:
		if msg.state == n.has && msg.state.term == n.term {
			n.commit(ctx)
		}
	case write:
		if n.role == leader {
			n.write(ctx)
		}
	case read:
		n.read(ctx, msg.id)
	case confirm:
		n.enter(msg.term)
		ctx.Reply(confirmed{n.term, msg.round})
	case confirmed:
		if n.enter(msg.term); n.role == leader && msg.term == n.term {
			n.confirm(ctx, msg.round)
		}
	}
}

func (n *node) majority() int { return len(n.nodes)/2 + 1 }

// tell sends a message to the other nodes.
func (n *node) tell(ctx *pulse.Ctx, msg any) {
	for _, r := range n.nodes {
		if r != ctx.Self() {
			ctx.Send(r, msg)
		}
	}
}

// enter makes the node enter a term, if the term is later than its own. Waiting reads are dropped.
func (n *node) enter(term int) {
	if term > n.term {
		n.term, n.voted, n.role, n.reads = term, false, follower, nil
	}
}

// count counts a vote. A node with a majority becomes leader, with the newest state of its voters.
func (n *node) count(ctx *pulse.Ctx, has state) {
	if n.has.before(has) {
		n.has = has
	}
	if n.votes++; n.votes == n.majority() {
		n.role, n.ready = leader, false
		ctx.Send(n.client, leads{})
	}
}

func (n *node) write(ctx *pulse.Ctx) {
	n.has, n.acks = state{n.term, n.has.version + 1}, 1
	n.tell(ctx, store{n.has})
}

// commit counts a node that has stored the leader's state.
func (n *node) commit(ctx *pulse.Ctx) {
	if n.acks++; n.acks == n.majority() {
		n.ready, n.committed = true, n.has.version
		ctx.Send(n.client, written{n.committed})
	}
}

// read asks the other nodes to confirm that the node leads.
func (n *node) read(ctx *pulse.Ctx, id int) {
	if n.role == leader && n.ready {
		n.round++
		n.reads = append(n.reads, request{from: ctx.Sender(), id: id, round: n.round})
		n.tell(ctx, confirm{n.term, n.round})
	}
}

// confirm counts a confirmation, and answers the reads that have enough confirmations.
func (n *node) confirm(ctx *pulse.Ctx, round int) {
	var wait []request
	for _, r := range n.reads {
		if (n.mixes || round >= r.round) && !slices.Contains(r.by, ctx.Sender()) {
			r.by = append(r.by, ctx.Sender())
		}
		if len(r.by)+1 >= n.majority() {
			ctx.Send(r.from, value{r.id, n.committed})
		} else {
			wait = append(wait, r)
		}
	}
	n.reads = wait
}
