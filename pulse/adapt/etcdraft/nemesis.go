package etcdraft

import (
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// A LeaderNemesis elects leaders, isolates them in the middle of their work, and reconnects
// them. Its method Run is the body of a process:
//
//	nemesis := cluster.LeaderNemesis()
//	nemesis.Requests = []any{etcdraft.Propose{Data: put("x", "1")}}
//	sys.Go("nemesis", nemesis.Run)
//
// The nemesis works in episodes. In each, it picks a candidate, often the candidate of the
// episode before the last, and heals all links. Then it puts some nodes, often a bare majority,
// on the candidate's side and cuts off all nodes that are not on this side. The candidate
// campaigns and gets requests. The episode ends immediately, when something is committed, or
// after a few steps. Messages in transit across the next cut wait until that cut heals.
//
// Such episodes lead to runs that Options.Faults hardly ever cause, such as Figure 8 of the Raft
// paper.
//
// The nodes may be any actors that handle Campaign and Requests, if their driver feeds a Safety.
// All choices are decisions of the strategy, so a run can be replayed. The nemesis reads Safety,
// which actors share. Therefore use it with fuzz.Check and fuzz.MustFind, not with fuzz.Explore.
type LeaderNemesis struct {
	// Safety observes the nodes.
	Safety *Safety
	// Nodes are the nodes to elect and isolate, at least two.
	Nodes []pulse.Ref
	// Campaign is the message that makes a node stand for election. If it is nil,
	// leaders are elected only while the nemesis sleeps, see Wait.
	Campaign any
	// Requests are messages to send to a leader, such as proposals and configuration changes.
	// The nemesis ignores the answers.
	Requests []any
	// Episodes is the number of episodes.
	Episodes int
	// Crash lets the nemesis also crash nodes and restart them from their disks. The nodes then
	// need pulse.Spec.New, which machine.Config sets.
	Crash bool
	// Wait is a time in which the nodes elect a leader by themselves, such as twice
	// raft.Config.ElectionTick. The nemesis sleeps for this time in some episodes. If Wait is
	// zero, it never sleeps.
	Wait time.Duration
}

// LeaderNemesis returns a LeaderNemesis for all nodes, with 16 episodes and without Requests.
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

// refusal returns a text that says why a LeaderNemesis is not valid, "" if it is
// valid.
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

// candidate returns the index of the next candidate in n.Nodes. With probability one
// half, the result is before, the candidate of the episode before the last.
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

// elect has a candidate campaign, up to three times, until some node leads in a new
// term. If Wait is set, it may sleep first.
func (n LeaderNemesis) elect(p *pulse.Process, candidate pulse.Ref) {
	if n.Wait > 0 && (n.Campaign == nil || p.Choose(8) == 0) {
		p.Sleep(n.Wait)
	}
	if n.Campaign == nil {
		return
	}
	term := n.Safety.newest
	for range 3 { // the first campaigns may only teach the candidate the current term
		p.Send(candidate, n.Campaign)
		if n.until(p, func() bool { return n.Safety.newest > term }) {
			return
		}
	}
}

// request sends a candidate up to two requests, and returns when the episode is to end.
func (n LeaderNemesis) request(p *pulse.Process, candidate pulse.Ref) {
	top := n.Safety.top
	if len(n.Requests) > 0 {
		for range p.Choose(3) {
			p.Send(candidate, n.Requests[p.Choose(len(n.Requests))])
		}
	}
	switch p.Choose(3) {
	case 0: // immediately
	case 1:
		n.until(p, func() bool { return n.Safety.top > top })
	case 2:
		for range p.Choose(8) {
			n.pass(p)
		}
	}
}

// patience is the number of times that method until lets other actors run before it
// gives up.
const patience = 12

// until lets other actors run, at most patience times, until the function happened
// returns true. It reports whether happened returned true.
func (n LeaderNemesis) until(p *pulse.Process, happened func() bool) bool {
	for range patience {
		if happened() {
			return true
		}
		n.pass(p)
	}
	return happened()
}

// A moment is a message that the nemesis sends itself to let other actors run.
type moment struct{}

func (moment) String() string { return "moment" }

// pass lets other actors run for a while. No virtual time passes.
func (LeaderNemesis) pass(p *pulse.Process) {
	p.Send(p.Self(), moment{})
	for {
		if _, ok := p.Receive().(moment); ok {
			return
		}
	}
}
