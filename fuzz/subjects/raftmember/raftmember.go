// Package raftmember is an example program with a known bug. Its property: the log of each
// leader contains all entries committed before.
//
// Ongaro, the author of Raft, reported this "bug in single-server membership changes" on
// raft-dev in 2015 (groups.google.com/g/raft-dev/c/t4xj6dJTP6E). One server is added and one
// removed. The program is ours.
//
// A configuration is an entry of the log, and a node uses the last configuration in its log.
// The leader of the first term adds a fifth server to four, and reaches only that server in
// time. Another server is elected under the old configuration. It removes the first server,
// and commits the removal with one more server. Then the first server is elected in a later
// term under its own configuration. It gets the votes of itself, the fifth server, and a
// server that has not heard of the removal. Its log lacks the committed removal. In the
// mended form, as Ongaro proposes, a leader changes the configuration only when an entry of
// its own term is committed.
//
// Subject.Depth is 1, and 3 if a third node times out too. At least five reorderings are
// needed together. At two nodes the first request for a vote comes before the new
// configuration. At the first leader that request comes before its timeout. At the fifth
// server the new configuration comes before the second request. At the fourth server that
// request comes before the removal. Six delays are not enough for a delay-bounded search.
package raftmember

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// four nodes, of which the second and then the first times out.
type Config struct {
	Nodes    int   // the number of nodes before one is added; 0 means 4
	Timeouts []int // the numbers of the nodes that time out, counted from 0; nil means 1 and 0
	Mended   bool
}

type (
	begin   struct{} // sent from the test to the operator
	timeout struct{} // sent from the test to a node
	leads   struct{} // sent from a new leader to the operator
	add     struct{} // sent from the operator to the leader to add the last node
	remove  struct{} // sent from the operator to the leader to remove the first node

	requestVote struct{ term, lastTerm, length int }
	grantVote   struct{ term int }
	replicate   struct { // a message with the whole log of a leader
		term int
		log  []entry
	}
	stored struct{ term, length int }
)

// An entry is one entry of a log. It may change the configuration.
type entry struct {
	term    int
	members []int // nil if the entry changes no configuration
}

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, timeouts := c.Nodes, c.Timeouts
	if count == 0 {
		count = 4
	}
	if timeouts == nil {
		timeouts = []int{1, 0}
	}
	first := entry{1, make([]int, count)}
	for i := range first.members {
		first.members[i] = i
	}
	op := &operator{}
	boss := sys.Spawn("operator", op)
	nodes, refs := make([]*node, count+1), make([]pulse.Ref, count+1)
	for i := range nodes {
		nodes[i] = &node{me: i, nodes: refs, operator: boss, term: 1, votedFor: -1, waits: c.Mended}
		if i < count {
			nodes[i].log, nodes[i].votedFor, nodes[i].committed = []entry{first}, 0, 1
		}
		refs[i] = sys.Spawn("node", nodes[i])
	}
	nodes[0].lead()
	op.leader = refs[0]
	sys.Send(boss, begin{})
	for _, i := range timeouts {
		sys.Send(refs[i], timeout{})
	}
	return func() error { return complete(nodes) }
}

// complete returns an error if a leader lacks an entry that was committed in an earlier term.
func complete(nodes []*node) error {
	for i, n := range nodes {
		for _, by := range n.commits {
			for k, m := range nodes {
				for _, won := range m.elections {
					at := len(by.log) - 1
					if won.term > by.term && (len(won.log) <= at || won.log[at].term != by.log[at].term) {
						return fmt.Errorf("node %d leads in term %d without what node %d has committed in term %d", k+1, won.term, i+1, by.term)
					}
				}
			}
		}
	}
	return nil
}

// An operator makes the first leader add a node, and the second leader remove a node.
type operator struct{ leader pulse.Ref }

func (o *operator) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case begin:
		ctx.Send(o.leader, add{})
	case leads:
		ctx.Reply(remove{})
	}
}

// role is the role of a node in its term.
type role uint8

const (
	follower role = iota
	candidate
	leader
)

// A moment is the log of a leader at some time in its term.
type moment struct {
	term int
	log  []entry
}

// A node takes part in elections and has a log. A log is never changed in
// place.
type node struct {
	me        int
	nodes     []pulse.Ref // all nodes; the list is shared and never changed
	operator  pulse.Ref
	term      int
	votedFor  int // the node that got this node's vote in this term; -1 if none
	role      role
	log       []entry
	votes     []int
	has       []int // if the node leads: the length of each node's log, as far as the leader knows
	committed int   // if the node leads: the length of the committed part of its log
	change    any   // if the node leads: a requested change that the node has not made yet
	waits     bool  // if the node leads: set while it waits for an entry of its own term to be committed
	commits   []moment
	elections []moment
}

func (n *node) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case timeout:
		n.campaign(ctx)
	case requestVote:
		n.enter(msg.term)
		n.vote(ctx, msg)
	case grantVote:
		if n.role == candidate && msg.term == n.term {
			n.votes = append(n.votes, n.index(ctx.Sender()))
			n.count(ctx)
		}
	case add, remove:
		if n.role == leader {
			n.change = msg
			n.reconfigure(ctx)
		}
	case replicate:
		n.enter(msg.term)
		if msg.term == n.term {
			n.role, n.log = follower, msg.log
			ctx.Reply(stored{n.term, len(n.log)})
		}
	case stored:
		if n.role == leader && msg.term == n.term {
			n.has[n.index(ctx.Sender())] = msg.length
			n.commit()
			n.reconfigure(ctx)
		}
	}
}

func (n *node) index(r pulse.Ref) int { return slices.Index(n.nodes, r) }

// enter makes the node enter a term, if the term is later than its own.
func (n *node) enter(term int) {
	if term > n.term {
		n.term, n.votedFor, n.role, n.change = term, -1, follower, nil
	}
}

// members returns the configuration that the node uses.
func (n *node) members() []int {
	for _, e := range slices.Backward(n.log) {
		if e.members != nil {
			return e.members
		}
	}
	return nil
}

// majority reports whether the given nodes contain a majority of the configuration.
func (n *node) majority(of []int) bool {
	members, count := n.members(), 0
	for _, m := range members {
		if slices.Contains(of, m) {
			count++
		}
	}
	return count > len(members)/2
}

// campaign begins a new term and asks the other nodes of the configuration for their votes.
func (n *node) campaign(ctx *pulse.Ctx) {
	if n.role == leader || !slices.Contains(n.members(), n.me) {
		return
	}
	n.enter(n.term + 1)
	n.role, n.votedFor, n.votes = candidate, n.me, []int{n.me}
	n.tell(ctx, requestVote{n.term, n.log[len(n.log)-1].term, len(n.log)})
}

// vote grants a vote if the candidate's log is at least as up to date as the node's log.
func (n *node) vote(ctx *pulse.Ctx, msg requestVote) {
	lastTerm := 0
	if len(n.log) > 0 {
		lastTerm = n.log[len(n.log)-1].term
	}
	behind := msg.lastTerm < lastTerm || msg.lastTerm == lastTerm && msg.length < len(n.log)
	if from := n.index(ctx.Sender()); msg.term == n.term && !behind && (n.votedFor == -1 || n.votedFor == from) {
		n.votedFor = from
		ctx.Reply(grantVote{n.term})
	}
}

// count makes the node the leader if it has the votes of a majority.
func (n *node) count(ctx *pulse.Ctx) {
	if !n.majority(n.votes) {
		return
	}
	n.elections = append(n.elections, moment{n.term, n.log})
	n.lead()
	if n.waits {
		n.write(ctx, nil)
	}
	ctx.Send(n.operator, leads{})
}

func (n *node) lead() {
	n.role, n.has = leader, make([]int, len(n.nodes))
	n.has[n.me] = len(n.log)
}

// reconfigure makes the requested change if the last configuration is committed. In
// the mended form the whole log must be committed, and its last entry must be of this
// term.
func (n *node) reconfigure(ctx *pulse.Ctx) {
	members, last := n.members(), len(n.log)
	for !n.waits && n.log[last-1].members == nil {
		last--
	}
	if n.change == nil || n.committed < last || n.waits && n.log[last-1].term != n.term {
		return
	}
	switch n.change.(type) {
	case add:
		members = append(slices.Clone(members), len(n.nodes)-1)
	case remove:
		members = slices.DeleteFunc(slices.Clone(members), func(m int) bool { return m == 0 })
	}
	n.change = nil
	n.write(ctx, members)
}

// write adds an entry to the log of a leader.
func (n *node) write(ctx *pulse.Ctx, members []int) {
	n.log = append(slices.Clone(n.log), entry{n.term, members})
	n.has[n.me] = len(n.log)
	n.tell(ctx, replicate{n.term, n.log})
	n.commit()
}

// commit commits the entries that a majority has, if they are of the leader's term.
func (n *node) commit() {
	for at := len(n.log); at > n.committed && n.log[at-1].term == n.term; at-- {
		var have []int
		for i, h := range n.has {
			if h >= at {
				have = append(have, i)
			}
		}
		if n.majority(have) {
			n.committed = at
			n.commits = append(n.commits, moment{n.term, n.log[:at]})
		}
	}
}

// tell sends a message to all other nodes of the configuration.
func (n *node) tell(ctx *pulse.Ctx, msg any) {
	for _, m := range n.members() {
		if m != n.me {
			ctx.Send(n.nodes[m], msg)
		}
	}
}
