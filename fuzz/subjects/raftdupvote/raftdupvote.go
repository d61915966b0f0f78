// Package raftdupvote is an example program with a known bug. Its property: each term has at most
// one leader.
//
// Many first versions of Raft have this bug (Raft: Ongaro and Ousterhout, ATC 2014). The program
// is ours.
//
// A candidate counts the votes that are granted to it, but not who granted them. If the network
// delivers a vote twice, the candidate counts it twice and leads without a majority. Then another
// candidate may have a majority. The request for a vote may be duplicated as well, but granting
// the same vote again is right. In the mended form a candidate remembers who has voted for it.
//
// Subject.Depth is 1, with one duplicate, five nodes and two candidates: one of the other nodes
// must receive the request of the second candidate first.
package raftdupvote

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with five
// nodes, of which two are candidates. With fewer nodes, one duplicate is not enough
// for two leaders.
type Config struct {
	Nodes      int // 0 means 5
	Candidates int // 0 means 2
	Mended     bool
}

// Options returns the options of a system in which the bug can occur.
func Options() pulse.Options {
	return pulse.Options{Faults: pulse.Faults{Duplicate: 1}}
}

type (
	timeout     struct{}
	requestVote struct{ term int }
	grantVote   struct{ term int }
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, candidates := c.Nodes, c.Candidates
	if count == 0 {
		count = 5
	}
	if candidates == 0 {
		candidates = 2
	}
	nodes, refs := make([]*node, count), make([]pulse.Ref, count)
	for i := range nodes {
		nodes[i] = &node{nodes: refs, mended: c.Mended}
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

// A node takes part in elections. It does nothing after it has won an election.
type node struct {
	nodes     []pulse.Ref // all nodes; the list is shared and never changed
	term      int
	votedFor  pulse.Ref // the node that got this node's vote in this term; zero if none
	candidate bool
	votes     int
	voters    []pulse.Ref // in the mended form, the nodes that voted for this node
	led       []int       // the terms in which this node was leader
	mended    bool
}

func (n *node) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case timeout:
		n.campaign(ctx)
	case requestVote:
		n.enter(msg.term)
		if msg.term == n.term && (n.votedFor.IsZero() || n.votedFor == ctx.Sender()) {
			n.votedFor = ctx.Sender()
			ctx.Reply(grantVote(msg))
		}
	case grantVote:
		if msg.term == n.term && n.candidate {
			n.count(ctx.Sender())
		}
	}
}

// enter makes the node enter a term, if the term is later than its own.
func (n *node) enter(term int) {
	if term > n.term {
		n.term, n.votedFor, n.candidate = term, pulse.Ref{}, false
	}
}

// campaign begins a new term, votes for the node itself and asks the other nodes for their votes.
func (n *node) campaign(ctx *pulse.Ctx) {
	n.enter(n.term + 1)
	n.votedFor, n.candidate = ctx.Self(), true
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
		n.candidate = false
		n.led = append(n.led, n.term)
	}
}
