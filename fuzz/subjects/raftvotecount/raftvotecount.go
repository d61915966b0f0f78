// Package raftvotecount is an example program with a known bug. Its property: each term
// has at most one leader.
//
// It comes from issues 45 and 46 of akka-raft (github.com/ktoso/akka-raft): a candidate
// checks neither who sent a vote nor in which term it was granted. The program is ours.
//
// A candidate asks for votes, times out, and asks again in the next term. The same node
// may grant both requests, which is right because the terms differ. If both grants come
// late, the candidate counts two votes for the new term. It leads without a majority,
// while another candidate may have one. In the mended form a candidate checks the term
// of a vote, and remembers who has voted for it in this term. The bug needs no fault of
// the network.
//
// Subject.Depth is 3, with five nodes of which the first times out twice and the second
// once. The second node must hear of the first term before it times out, so that it
// also asks for votes in the second term. A majority must receive that request before
// the first candidate's second request. Both grants of one node must reach the first
// candidate in its second term.
package raftvotecount

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// five nodes, of which one times out twice and another once.
type Config struct {
	Nodes    int   // 0 means 5
	Timeouts []int // the number of timeouts of each of the first nodes; nil means 2 and 1
	Mended   bool
}

type (
	timeout     struct{}
	requestVote struct{ term int }
	grantVote   struct{ term int }
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, timeouts := c.Nodes, c.Timeouts
	if count == 0 {
		count = 5
	}
	if timeouts == nil {
		timeouts = []int{2, 1}
	}
	nodes, refs := make([]*node, count), make([]pulse.Ref, count)
	for i := range nodes {
		nodes[i] = &node{nodes: refs, mended: c.Mended}
		refs[i] = sys.Spawn("node", nodes[i])
	}
	for i, n := range timeouts {
		for range n {
			sys.Send(refs[i], timeout{})
		}
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
	voters   []pulse.Ref // in the mended form, the nodes that voted for this node in this term
	led      []int       // the terms in which this node was leader
	mended   bool
}

func (n *node) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case timeout:
		if n.role != leader {
			n.campaign(ctx)
		}
	case requestVote:
		n.enter(msg.term)
		if msg.term == n.term && (n.votedFor.IsZero() || n.votedFor == ctx.Sender()) {
			n.votedFor = ctx.Sender()
			ctx.Reply(grantVote(msg))
		}
	case grantVote:
		if n.role == candidate && (msg.term == n.term || !n.mended) {
			n.count(ctx.Sender())
		}
	}
}

// enter makes the node enter a term, if the term is later than its own.
func (n *node) enter(term int) {
	if term > n.term {
		n.term, n.votedFor, n.role = term, pulse.Ref{}, follower
	}
}

// campaign begins a new term, votes for the node itself and asks the other nodes for their votes.
func (n *node) campaign(ctx *pulse.Ctx) {
	n.enter(n.term + 1)
	n.votedFor, n.role = ctx.Self(), candidate
	n.votes, n.voters = 0, nil
	n.count(ctx.Self())
	for _, r := range n.nodes {
		if r != ctx.Self() {
			ctx.Send(r, requestVote{n.term})
		}
	}
}

// count counts a vote, and makes the node leader if it now has a majority.
func (n *node) count(voter pulse.Ref) {
	if n.mended {
		if slices.Contains(n.voters, voter) {
			return
		}
		n.voters = append(n.voters, voter)
	}
	n.votes++
	if n.votes > len(n.nodes)/2 {
		n.role = leader
		n.led = append(n.led, n.term)
	}
}
