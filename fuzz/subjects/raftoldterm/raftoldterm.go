// Package raftoldterm is an example program with a known bug. Its property: no two
// nodes apply different commands at one index of the log.
//
// It is the bug that Figure 8 of the Raft paper warns of (Ongaro and Ousterhout, "In
// Search of an Understandable Consensus Algorithm", USENIX ATC 2014). A leader takes
// an entry of an older term as committed because a majority has it. The program is
// ours.
//
// The first leader writes a command, and is deposed before another node has the
// command. A second leader writes another command, which no other node gets in time
// either. The first leader is elected again, by a third node, which has neither
// command. In the broken form the first leader sends its old entry to that node,
// finds that a majority has the entry, and applies it. But the entry of the second
// leader has a newer term, so the third node may elect the second leader again. The
// second leader replaces the old entry by its own entry and applies that entry.
//
// In the mended form a leader counts nodes only for entries of its own term, as the
// paper says. Older entries are committed together with such entries. Then a majority
// has an entry of the newest term, and elects no node whose log ends in an older one.
//
// Subject.Depth is 1, because the oldest-first order lacks most of the messages that
// must move. Five reorderings are needed together. The third node gets the first
// request for its vote before the first leader's entry. It gets the first leader's
// request before the second leader's entry. It gets the old entry before it hears of
// the last election, and a new entry of the first leader only after that. The first
// leader hears of the last election after it has counted the old entry.
package raftoldterm

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with three nodes.
// The first node leads at first. Then the last, the first and again the last node time out.
type Config struct {
	Nodes    int   // 0 means 3
	Timeouts []int // the numbers of the nodes that time out, counted from 0; nil means 2, 0 and 2
	Mended   bool
}

type (
	timeout struct{}            // sent from the test to a node
	leads   struct{}            // sent from a new leader to the client
	command struct{ value int } // sent from the client to a leader; the test sends the first one

	requestVote struct{ term, lastTerm, length int }
	grantVote   struct{ term int }
	replicate   struct { // a message with a part of a leader's log
		term     int
		after    int // the number of entries in the log before the sent entries
		lastTerm int // the term of the last entry before the sent entries; 0 if there is none
		entries  []entry
		commit   int // the number of committed entries
	}
	stored struct { // the answer to replicate
		term   int
		length int // the number of entries that the node has in common with the leader
		ok     bool
	}
	stale struct{ term int } // the answer to a deposed leader, with the newer term
)

// An entry is a command and the term in which a leader wrote it.
type entry struct{ term, value int }

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, timeouts := c.Nodes, c.Timeouts
	if count == 0 {
		count = 3
	}
	if timeouts == nil {
		timeouts = []int{count - 1, 0, count - 1}
	}
	asked := sys.Spawn("client", &client{})
	nodes, refs := make([]*node, count), make([]pulse.Ref, count)
	for i := range nodes {
		nodes[i] = &node{me: i, nodes: refs, client: asked, term: 1, votedFor: 0, hasty: !c.Mended}
		refs[i] = sys.Spawn("node", nodes[i])
	}
	nodes[0].lead()
	sys.Send(refs[0], command{0})
	for _, i := range timeouts {
		sys.Send(refs[i], timeout{})
	}
	return func() error { return agree(nodes) }
}

// A client has a new command for each leader.
type client struct{ commands int }

func (c *client) Receive(ctx *pulse.Ctx, _ any) {
	c.commands++
	ctx.Reply(command{c.commands})
}

// agree returns an error if two nodes have applied different entries at one index.
func agree(nodes []*node) error {
	for i, n := range nodes {
		for k, m := range nodes[:i] {
			for at := range min(len(n.applied), len(m.applied)) {
				if a, b := m.applied[at], n.applied[at]; a != b {
					return fmt.Errorf("at index %d node %d has applied command %d of term %d, node %d command %d of term %d",
						at+1, k+1, a.value, a.term, i+1, b.value, b.term)
				}
			}
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

// A node takes part in elections, has a log and applies its committed entries. A log is
// never changed in place.
type node struct {
	me       int
	nodes    []pulse.Ref // all nodes; the list is shared and never changed
	client   pulse.Ref
	term     int
	votedFor int // the node that got this node's vote in this term; -1 if none
	role     role
	log      []entry
	applied  []entry
	votes    int
	next     []int // if the node leads: the number of entries sent to each node
	has      []int // if the node leads: the number of entries that each node certainly has
	hasty    bool  // set in the broken form: a leader counts nodes also for entries of older terms
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
			if n.votes++; n.votes == n.majority() {
				n.lead()
				ctx.Send(n.client, leads{})
				n.replicateAll(ctx)
			}
		}
	case command:
		if n.role == leader {
			n.log = append(slices.Clip(n.log), entry{n.term, msg.value})
			n.has[n.me] = len(n.log)
			n.replicateAll(ctx)
		}
	case replicate:
		n.enter(msg.term)
		n.store(ctx, msg)
	case stale:
		n.enter(msg.term)
	case stored:
		if n.role == leader && msg.term == n.term {
			n.learn(ctx, slices.Index(n.nodes, ctx.Sender()), msg)
		}
	}
}

func (n *node) majority() int { return len(n.nodes)/2 + 1 }

// enter makes the node enter a term, if the term is later than its own.
func (n *node) enter(term int) {
	if term > n.term {
		n.term, n.votedFor, n.role = term, -1, follower
	}
}

// lastTerm returns the term of the last of the first length entries, 0 if there is none.
func (n *node) lastTerm(length int) int {
	if length == 0 {
		return 0
	}
	return n.log[length-1].term
}

// campaign begins a new term and asks the other nodes for their votes.
func (n *node) campaign(ctx *pulse.Ctx) {
	if n.role == leader {
		return
	}
	n.enter(n.term + 1)
	n.role, n.votedFor, n.votes = candidate, n.me, 1
	for i, r := range n.nodes {
		if i != n.me {
			ctx.Send(r, requestVote{n.term, n.lastTerm(len(n.log)), len(n.log)})
		}
	}
}

// vote grants a vote if the candidate's log is at least as up to date as the node's log.
func (n *node) vote(ctx *pulse.Ctx, msg requestVote) {
	last := n.lastTerm(len(n.log))
	behind := msg.lastTerm < last || msg.lastTerm == last && msg.length < len(n.log)
	if from := slices.Index(n.nodes, ctx.Sender()); msg.term == n.term && !behind && (n.votedFor == -1 || n.votedFor == from) {
		n.votedFor = from
		ctx.Reply(grantVote{n.term})
	}
}

// lead makes the node the leader. It assumes that the other nodes have its log, until
// they say that they do not.
func (n *node) lead() {
	n.role, n.next, n.has = leader, make([]int, len(n.nodes)), make([]int, len(n.nodes))
	for i := range n.next {
		n.next[i] = len(n.log)
	}
	n.has[n.me] = len(n.log)
}

// replicateAll sends each other node the entries that the leader has not sent that node before.
func (n *node) replicateAll(ctx *pulse.Ctx) {
	for i := range n.nodes {
		if i != n.me {
			n.replicate(ctx, i)
		}
	}
}

func (n *node) replicate(ctx *pulse.Ctx, to int) {
	after := n.next[to]
	ctx.Send(n.nodes[to], replicate{n.term, after, n.lastTerm(after), n.log[after:len(n.log):len(n.log)], len(n.applied)})
	n.next[to] = len(n.log)
}

// store takes over a part of the leader's log, if the node has the entries before it.
func (n *node) store(ctx *pulse.Ctx, msg replicate) {
	if msg.term < n.term {
		ctx.Reply(stale{n.term})
		return
	}
	n.role = follower
	if len(n.log) < msg.after || n.lastTerm(msg.after) != msg.lastTerm {
		ctx.Reply(stored{n.term, msg.after, false})
		return
	}
	for i, e := range msg.entries {
		if at := msg.after + i; at == len(n.log) || n.log[at] != e {
			n.log = append(slices.Clip(n.log[:at]), e)
		}
	}
	end := msg.after + len(msg.entries)
	n.apply(min(msg.commit, end))
	ctx.Reply(stored{n.term, end, true})
}

// learn records how much of the leader's log a node has, and applies what a majority has.
func (n *node) learn(ctx *pulse.Ctx, from int, msg stored) {
	if !msg.ok {
		if n.next[from] = min(n.next[from], msg.length-1); n.next[from] >= n.has[from] {
			n.replicate(ctx, from)
		}
		return
	}
	n.has[from] = max(n.has[from], msg.length)
	for at := len(n.log); at > len(n.applied) && (n.hasty || n.log[at-1].term == n.term); at-- {
		have := 0
		for _, h := range n.has {
			if h >= at {
				have++
			}
		}
		if have >= n.majority() {
			n.apply(at)
		}
	}
}

// apply applies entries until length entries are applied.
func (n *node) apply(length int) {
	for len(n.applied) < length {
		n.applied = append(n.applied, n.log[len(n.applied)])
	}
}
