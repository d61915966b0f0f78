package etcdraft

import (
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// A LeaderNemesis elects leaders, isolates them in the middle of their work and revives them.
// Its Run is the body of a process:
//
//	nemesis := cluster.LeaderNemesis()
//	nemesis.Requests = []any{etcdraft.Propose{Data: put("x", "1")}}
//	sys.Go("nemesis", nemesis.Run)
//
// It works in episodes. An episode picks a candidate, often the one before the last, and heals
// all links. Then it cuts off the other side, which is often all but a bare majority. The
// candidate campaigns and gets requests. The episode ends at once, when something is committed,
// or after a few steps. Messages that are then on their way wait at the next cut until it heals.
//
// Such episodes reach what Options.Faults hardly ever reach, such as Figure 8 of the
// Raft paper.
//
// The nodes need not be of this package. Any actors will do that handle Campaign and
// Requests, if their driver feeds a Safety. All choices are decisions of the
// strategy, so a run can be replayed. The nemesis reads Safety, which actors share:
// it is for fuzz.Check and fuzz.MustFind, not for fuzz.Explore.
type LeaderNemesis struct {
	// Safety observes the nodes.
	Safety *Safety
	// Nodes are the nodes, two or more.
	Nodes []pulse.Ref
	// Campaign is the message that makes a node stand for election. If it is nil,
	// leaders are elected only while the nemesis sleeps, see Wait.
	Campaign any
	// Requests are messages for a leader: proposals, changes of the configuration. The
	// nemesis drops their answers.
	Requests []any
	// Episodes is how many episodes there are.
	Episodes int
	// Crash also lets nodes crash and restart from their disks. The nodes then need
	// pulse.Spec.New, which those of a machine.Config have.
	Crash bool
	// Wait is a time in which nodes elect a leader by themselves, such as twice
	// raft.Config.ElectionTick. The nemesis sleeps that long in some episodes; if it
	// is zero, in none.
	Wait time.Duration
}

// LeaderNemesis returns a LeaderNemesis of all nodes with 16 episodes and without Requests.
func (c *Cluster) LeaderNemesis() LeaderNemesis {
	n := LeaderNemesis{Safety: c.Safety, Campaign: Campaign{}, Episodes: 16, Crash: true,
		Wait: 2 * time.Duration(c.config.Raft.ElectionTick) * c.config.Tick}
	for id := range c.Nodes() {
		n.Nodes = append(n.Nodes, c.Ref(id+1))
	}
	return n
}

// Run is the body of a process.
func (n LeaderNemesis) Run(p *pulse.Process) {
	if err := n.refusal(); err != "" {
		panic("etcdraft: " + err)
	}
	last, before := -1, -1
	for range n.Episodes {
		candidate := n.candidate(p, before)
		n.isolate(p, candidate)
		n.elect(p, n.Nodes[candidate])
		n.request(p, n.Nodes[candidate])
		last, before = candidate, last
	}
	p.Nemesis().Heal()
}

// refusal returns what is wrong with a LeaderNemesis, "" when nothing is.
func (n LeaderNemesis) refusal() string {
	switch {
	case n.Safety == nil:
		return "LeaderNemesis.Safety is nil: give it the Safety that the nodes feed"
	case len(n.Nodes) < 2:
		return fmt.Sprintf("LeaderNemesis.Nodes has %d nodes: give it two or more", len(n.Nodes))
	case n.Campaign == nil && n.Wait <= 0:
		return "LeaderNemesis without Campaign and Wait elects nobody: give it one of them"
	}
	return ""
}

// candidate picks the next candidate: with probability one half the candidate before
// the last.
func (n LeaderNemesis) candidate(p *pulse.Process, before int) int {
	if before >= 0 && p.Choose(2) == 0 {
		return before
	}
	return p.Choose(len(n.Nodes))
}

// isolate cuts off all nodes that are not on the candidate's side. It may crash a node, too.
func (n LeaderNemesis) isolate(p *pulse.Process, candidate int) {
	order := slices.Clone(n.Nodes) // the candidate's side comes first
	order[0], order[candidate] = order[candidate], order[0]
	size := len(order)/2 + 1
	if p.Choose(4) == 0 {
		size = 1 + p.Choose(len(order))
	}
	for i := 1; i < size; i++ {
		k := i + p.Choose(len(order)-i)
		order[i], order[k] = order[k], order[i]
	}
	faults := p.Nemesis()
	faults.Heal()
	if size < len(order) {
		faults.Partition(order[:size], order[size:])
	}
	if n.Crash && p.Choose(4) == 0 {
		crashed := n.Nodes[p.Choose(len(n.Nodes))]
		faults.Crash(crashed)
		faults.RestartLost(crashed)
	}
}

// elect has a candidate campaign until it leads.
func (n LeaderNemesis) elect(p *pulse.Process, candidate pulse.Ref) {
	if n.Wait > 0 && (n.Campaign == nil || p.Choose(8) == 0) {
		p.Sleep(n.Wait)
	}
	if n.Campaign == nil {
		return
	}
	term := n.Safety.newest
	for range 3 { // its term may be old, which it learns by its first campaign
		p.Send(candidate, n.Campaign)
		if n.until(p, func() bool { return n.Safety.newest > term }) {
			return
		}
	}
}

// request sends a candidate requests, and picks the moment at which the episode ends.
func (n LeaderNemesis) request(p *pulse.Process, candidate pulse.Ref) {
	top := n.Safety.top
	if len(n.Requests) > 0 {
		for range p.Choose(3) {
			p.Send(candidate, n.Requests[p.Choose(len(n.Requests))])
		}
	}
	switch p.Choose(3) {
	case 0: // at once
	case 1:
		n.until(p, func() bool { return n.Safety.top > top })
	case 2:
		for range p.Choose(8) {
			n.pass(p)
		}
	}
}

// patience is for how many of its own steps the nemesis waits for an event.
const patience = 12

// until lets others run until something has happened, or patience steps are over. It
// reports whether it has happened.
func (n LeaderNemesis) until(p *pulse.Process, happened func() bool) bool {
	for range patience {
		if happened() {
			return true
		}
		n.pass(p)
	}
	return happened()
}

// A moment is what the nemesis sends itself to let others run.
type moment struct{}

func (moment) String() string { return "moment" }

// pass lets others run. No virtual time passes.
func (LeaderNemesis) pass(p *pulse.Process) {
	p.Send(p.Self(), moment{})
	for {
		if _, ok := p.Receive().(moment); ok {
			return
		}
	}
}
