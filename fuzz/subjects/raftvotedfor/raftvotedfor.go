// Package raftvotedfor is an example program with a known bug. Its property: each term has
// at most one leader.
//
// Several implementations of Raft have had this bug: a node forgets its vote when its role
// changes within a term (akka-raft, issue 56; etcd, pull request 2461). In camunda, issue
// 5356, a node forgets its vote when it first hears of the leader. The program is ours.
//
// Two candidates ask four nodes for votes. The first candidate gets three votes, and tells
// the others that it leads. A node that hears this becomes a follower, and in the broken
// form forgets its vote. If the request of the second candidate comes only then, the node
// grants it in the same term. The second candidate also gets a majority, if it has not yet
// heard of the first leader. In the mended form a node forgets its vote only in a new term.
//
// Subject.Depth is 1, with four nodes. Three reorderings are needed together, and the
// oldest-first order contains only half of these messages. At two nodes the request of the
// second candidate comes after the first leader's message. At the second candidate that
// message comes after both grants. A delay-bounded search needs at least six delays to
// trigger the bug.
package raftvotedfor

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// four nodes, of which two are candidates.
type Config struct {
	Nodes      int // 0 means 4
	Candidates int // 0 means 2
	Mended     bool
}

type (
	timeout     struct{}
	requestVote struct{ term int }
	grantVote   struct{ term int }
	leads       struct{ term int } // sent from the leader to all other nodes
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, candidates := c.Nodes, c.Candidates
	if count == 0 {
		count = 4
	}
	if candidates == 0 {
		candidates = 2
	}
	nodes, refs := make([]*node, count), make([]pulse.Ref, count)
	for i := range nodes {
		nodes[i] = &node{nodes: refs, forgets: !c.Mended}
		refs[i] = sys.Spawn("node", nodes[i])
	}
	for _, r := range refs[:candidates] {
		sys.Send(r, timeout{})
	}
	return func() error { return oneLeader(nodes, refs) }
}

// oneLeader returns an error if a term has more than one leader.
func oneLeader(nodes []*node, refs []pulse.Ref) error {
	leaders := map[int]pulse.Ref{}
	for i, n := range nodes {
		for _, term := range n.led {
			if other, ok := leaders[term]; ok {
				return fmt.Errorf("term %d has two leaders: %v and %v", term, other, refs[i])
			}
			leaders[term] = refs[i]
		}
	}
	return nil
}

// role is the role of a node in its term.
type role uint8

const (
	follower role = iota
	candidate
	leader
)

// A node takes part in elections.
type node struct {
	nodes    []pulse.Ref // all nodes; the list is shared and never changed
	term     int
	role     role
	votedFor pulse.Ref // the node that got this node's vote in this term; zero if none
	votes    int
	led      []int // the terms in which this node was leader
	forgets  bool  // set if the node forgets its vote when it becomes a follower
}

func (n *node) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case timeout:
		if n.role == follower {
			n.campaign(ctx)
		}
	case requestVote:
		n.enter(msg.term)
		if msg.term == n.term && (n.votedFor.IsZero() || n.votedFor == ctx.Sender()) {
			n.votedFor = ctx.Sender()
			ctx.Reply(grantVote(msg))
		}
	case grantVote:
		if msg.term == n.term && n.role == candidate {
			n.count(ctx)
		}
	case leads:
		n.enter(msg.term)
		if msg.term == n.term {
			n.follow()
		}
	}
}

// enter makes the node enter a term, if the term is later than its own.
func (n *node) enter(term int) {
	if term > n.term {
		n.term, n.votedFor, n.role = term, pulse.Ref{}, follower
	}
}

// follow makes the node a follower of the leader of its term.
func (n *node) follow() {
	n.role = follower
	if n.forgets {
		n.votedFor = pulse.Ref{}
	}
}

// campaign begins a new term, votes for the node itself and asks the other nodes for their votes.
func (n *node) campaign(ctx *pulse.Ctx) {
	n.enter(n.term + 1)
	n.role, n.votedFor, n.votes = candidate, ctx.Self(), 1
	n.tell(ctx, requestVote{n.term})
}

// count counts a vote of another node, and makes this node leader if it now has a majority.
func (n *node) count(ctx *pulse.Ctx) {
	n.votes++
	if n.votes > len(n.nodes)/2 {
		n.role = leader
		n.led = append(n.led, n.term)
		n.tell(ctx, leads{n.term})
	}
}

func (n *node) tell(ctx *pulse.Ctx, msg any) {
	for _, r := range n.nodes {
		if r != ctx.Self() {
			ctx.Send(r, msg)
		}
	}
}
