package etcdraft_test

import (
	"fmt"
	"strings"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/etcdraft"
)

// A scene is a cluster, the requests of its clients, and the faults.
type scene struct {
	config    etcdraft.Config
	proposals int
	reads     int
	changes   []raftpb.ConfChangeI
	transfers int
	reboot    int           // the node that restarts and loses its memory; 0 for none
	reboots   time.Duration // the virtual time of that restart
	ticks     int           // the length of the scene, in ticks
	punctual  bool          // ticks come only when no message is deliverable
	faults    pulse.Faults
}

// wrong returns a small budget of every fault.
func wrong() pulse.Faults {
	return pulse.Faults{Drop: 3, Duplicate: 2, Delay: 3, Crash: 2, RestartLost: 2, Partition: 2, Swarm: true,
		DelayBy: []time.Duration{150 * time.Millisecond, 600 * time.Millisecond}}
}

// change returns a configuration change of the given type for one node.
func change(what raftpb.ConfChangeType, node uint64) *raftpb.ConfChange {
	return &raftpb.ConfChange{Type: what.Enum(), NodeId: new(node)}
}

// joint returns a change that replaces voters in one step.
func joint(out, in uint64) *raftpb.ConfChangeV2 {
	return &raftpb.ConfChangeV2{Changes: []*raftpb.ConfChangeSingle{
		{Type: raftpb.ConfChangeRemoveNode.Enum(), NodeId: new(out)},
		{Type: raftpb.ConfChangeAddNode.Enum(), NodeId: new(in)},
	}}
}

// build runs a scene in a property.
func (s scene) build(t *props.T) (*pulse.System, *etcdraft.Cluster) {
	o := pulse.Options{Horizon: time.Duration(s.ticks)*100*time.Millisecond + time.Millisecond, Steps: 20_000, Faults: s.faults}
	if s.punctual {
		o.EarlyTimers = pulse.NeverEarly
	}
	sys := t.SystemWith(o)
	c := s.config.Spawn(sys)
	t.Always("raft", c.Err)
	nodes := s.config.Voters
	for i := range s.proposals {
		sys.Go("proposer", func(p *pulse.Process) {
			for try := range 3 {
				p.Sleep(400 * time.Millisecond)
				a, _ := p.AskTimeout(c.Ref((i+try)%nodes+1), etcdraft.Propose{Data: fmt.Appendf(nil, "%d.%d", i, try)}, 500*time.Millisecond)
				t.Sometimes("a proposal is applied", isResult(a))
			}
		})
	}
	for i := range s.reads {
		sys.Go("reader", func(p *pulse.Process) {
			for try := range 3 {
				p.Sleep(700 * time.Millisecond)
				a, _ := p.AskTimeout(c.Ref((i+try)%nodes+1), etcdraft.Read{}, 500*time.Millisecond)
				t.Sometimes("a read is answered", isResult(a))
			}
		})
	}
	if len(s.changes) > 0 {
		sys.Go("admin", func(p *pulse.Process) {
			for i, change := range s.changes {
				p.Sleep(600 * time.Millisecond)
				a, _ := p.AskTimeout(c.Ref(i%nodes+1), etcdraft.ChangeConf{Change: change}, 500*time.Millisecond)
				t.Sometimes(fmt.Sprintf("change %d is made: %v", i, raft.DescribeConfChange(change)), isResult(a))
			}
		})
	}
	for i := range s.transfers {
		sys.Go("mover", func(p *pulse.Process) {
			p.Sleep(time.Duration(i+1) * 900 * time.Millisecond)
			p.Send(c.Ref(1), etcdraft.Transfer{To: uint64(i+1)%uint64(nodes) + 1})
		})
	}
	if s.reboot > 0 {
		sys.Go("power", func(p *pulse.Process) {
			p.Sleep(s.reboots)
			p.Nemesis().Crash(c.Ref(s.reboot))
			p.Nemesis().RestartLost(c.Ref(s.reboot))
		})
	}
	if s.punctual {
		sys.RunFor(time.Nanosecond) // so that all nodes start before the first tick
	}
	return sys, c
}

func isResult(answer any) bool {
	_, ok := answer.(etcdraft.Result)
	return ok
}

// property is a property that runs a scene and checks it with the monitors. At the
// end the state machines must agree.
func (s scene) property(t *props.T) {
	s.config.StateMachine = func() etcdraft.StateMachine { return &list{} }
	sys, c := s.build(t)
	sys.Run()
	var longest list
	for i := range c.Nodes() {
		l, _ := c.StateMachine(i + 1).(*list)
		if l == nil {
			continue // the node has never started
		}
		if !strings.HasPrefix(longest.text, l.text) && !strings.HasPrefix(l.text, longest.text) {
			t.Errorf("node %d has applied %q, another %q", i+1, l.text, longest.text)
		}
		if len(l.text) > len(longest.text) {
			longest = *l
		}
		t.Sometimes("a node leads", c.Status(i+1).RaftState == raft.StateLeader)
		t.Sometimes("a node has restored what others have applied", l.restored > 0 && l.text != "")
	}
}

// A list is a state machine: all proposals in order.
type list struct {
	text     string
	restored int
}

func (l *list) Apply(_ uint64, data []byte) any { l.text += string(data) + " "; return len(l.text) }
func (l *list) Query(any) any                   { return l.text }
func (l *list) Snapshot() []byte                { return []byte(l.text) }
func (l *list) Restore(snapshot []byte) {
	if l.text = string(snapshot); l.text != "" {
		l.restored++
	}
}

// everything is a property of the library as published: a scene of a drawn kind.
func everything(t *props.T) {
	_, s := drawn(t)
	s.property(t)
}

// drawn draws a scene in which all kinds of faults may happen, and returns its kind.
func drawn(t *props.T) (kind string, s scene) {
	s = scene{proposals: props.Draw(t, rapid.IntRange(0, 3), "proposers"), reads: props.Draw(t, rapid.IntRange(0, 2), "readers"), ticks: 40, faults: wrong()}
	s.config = etcdraft.Config{
		Voters: props.OneOf(t, "voters", 3, 5),
		Raft: raft.Config{
			ElectionTick:       3,
			AsyncStorageWrites: props.Draw(t, rapid.Bool(), "async"),
			PreVote:            props.Draw(t, rapid.Bool(), "prevote"),
			CheckQuorum:        props.Draw(t, rapid.Bool(), "check quorum"),
			StepDownOnRemoval:  props.Draw(t, rapid.Bool(), "step down"),
		},
		SnapshotEvery: props.Draw(t, rapid.SampledFrom([]int{0, 2, 4}), "snapshot every"),
	}
	if props.Draw(t, rapid.Bool(), "one at a time") {
		s.config.Raft.MaxSizePerMsg, s.config.Raft.MaxInflightMsgs = 1, 1
	}
	s.faults.UnorderedWrites = props.Draw(t, rapid.Bool(), "unordered writes")
	s.transfers = props.Draw(t, rapid.IntRange(0, 2), "transfers")
	n, changes := uint64(s.config.Voters), props.Draw(t, rapid.IntRange(0, 3), "changes")
	switch changes {
	case 1:
		s.config.Spares = 1
		s.changes = []raftpb.ConfChangeI{change(raftpb.ConfChangeAddNode, n+1), change(raftpb.ConfChangeRemoveNode, 1)}
	case 2:
		s.config.Spares = 1
		s.changes = []raftpb.ConfChangeI{joint(1, n+1), joint(n+1, 1)}
	case 3:
		s.config.Learners = 1
		s.changes = []raftpb.ConfChangeI{change(raftpb.ConfChangeAddNode, n+1), change(raftpb.ConfChangeAddLearnerNode, 2)}
	}
	storage := "sync"
	if s.config.Raft.AsyncStorageWrites {
		storage = "async"
	}
	return fmt.Sprintf("%d voters, %s, %s", n, storage, [...]string{"no changes", "simple", "joint", "learner"}[changes]), s
}
