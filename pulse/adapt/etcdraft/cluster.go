package etcdraft

import (
	"fmt"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/machine"
)

// A StateMachine is the state that the nodes replicate. The same entries in the same
// order must lead to the same state.
type StateMachine interface {
	// Apply applies a proposal, and returns the answer for the proposer.
	Apply(index uint64, data []byte) (answer any)
	// Query returns the answer to a Read.
	Query(query any) (answer any)
	// Snapshot returns the whole state.
	Snapshot() []byte
	// Restore replaces the whole state with a snapshot.
	Restore(snapshot []byte)
}

// nothing is a StateMachine without a state.
type nothing struct{}

func (nothing) Apply(uint64, []byte) any { return nil }
func (nothing) Query(any) any            { return nil }
func (nothing) Snapshot() []byte         { return nil }
func (nothing) Restore([]byte)           {}

// A Config describes a cluster. The zero value describes three voters that replicate
// nothing.
type Config struct {
	// Voters, Learners and Spares are the numbers of nodes that start in each role.
	// Nodes are numbered in this order. Spares belong to no configuration until
	// ChangeConf adds them. Zero Voters means 3.
	Voters, Learners, Spares int
	// StateMachine returns a new state machine for a node. If it is nil, the nodes
	// replicate nothing.
	StateMachine func() StateMachine
	// Tick is the time between two ticks of a node; zero means 100 ms.
	Tick time.Duration
	// SnapshotEvery is the number of applied entries after which a node makes a
	// snapshot and drops the log before it. Zero means never.
	SnapshotEvery int
	// Raft is the configuration of each node. The package sets ID, Storage, Applied
	// and Logger. Zero fields mean: ElectionTick 5, HeartbeatTick 1, MaxSizePerMsg 1
	// MiB, MaxInflightMsgs 256.
	Raft raft.Config

	mistake mistake
}

// A mistake is a bug that a test plants in the driver.
type mistake uint8

const (
	noMistake       mistake = iota
	sendsBeforeSync         // messages are sent before the disk is synced
	forgetsVote             // the vote is not written
	appliesEarly            // entries are applied when they are appended
	restoresLate            // a snapshot is restored later, over newer state
	readsAlone              // a leader answers a Read without asking other nodes
	changesEarly            // a configuration is changed when its entry is appended
)

// A Cluster holds the nodes that a Config has spawned, numbered from 1.
type Cluster struct {
	*machine.Cluster[any]
	// Safety checks what the nodes do.
	Safety *Safety

	config Config
	start  *raftpb.Snapshot // the snapshot with which each node's log begins, except those of spares
}

// Spawn adds the nodes to a system. The nodes start when the system runs. Spawn
// panics if the Config is not valid.
func (c Config) Spawn(sys *pulse.System) *Cluster {
	c = c.settled()
	if err := c.refusal(); err != "" {
		panic("etcdraft: " + err)
	}
	n := c.Voters + c.Learners + c.Spares
	cluster := &Cluster{Safety: NewSafety(n), config: c, start: c.first()}
	cluster.Cluster = machine.Config[any]{Nodes: n, Name: "raft", Tick: c.Tick,
		New: func(id int, disk machine.Disk, out *machine.Output[any]) machine.Machine[any] {
			return cluster.newNode(uint64(id), disk, out)
		},
	}.Spawn(sys)
	return cluster
}

// settled fills in the defaults.
func (c Config) settled() Config {
	orElse := func(v *int, zero int) {
		if *v == 0 {
			*v = zero
		}
	}
	orElse(&c.Voters, 3)
	orElse(&c.Raft.ElectionTick, 5)
	orElse(&c.Raft.HeartbeatTick, 1)
	orElse(&c.Raft.MaxInflightMsgs, 256)
	if c.Raft.MaxSizePerMsg == 0 {
		c.Raft.MaxSizePerMsg = 1 << 20
	}
	if c.Tick == 0 {
		c.Tick = 100 * time.Millisecond
	}
	if c.StateMachine == nil {
		c.StateMachine = func() StateMachine { return nothing{} }
	}
	return c
}

// refusal returns a text that says why a Config is not valid, "" if it is valid.
func (c Config) refusal() string {
	r := c.Raft
	switch {
	case c.Voters < 0 || c.Learners < 0 || c.Spares < 0:
		return fmt.Sprintf("Config has %d voters, %d learners and %d spares: use numbers of at least 0", c.Voters, c.Learners, c.Spares)
	case c.Tick < 0:
		return fmt.Sprintf("Config.Tick is %v: use a time of at least 1ns, or zero for 100 ms", c.Tick)
	case c.SnapshotEvery < 0:
		return fmt.Sprintf("Config.SnapshotEvery is %d: use a number of at least 1, or zero for no snapshots", c.SnapshotEvery)
	case r.ID != 0 || r.Storage != nil || r.Applied != 0 || r.Logger != nil:
		return "Config.Raft has ID, Storage, Applied or Logger: leave them to the package"
	case r.HeartbeatTick < 1 || r.ElectionTick <= r.HeartbeatTick:
		return fmt.Sprintf("Config.Raft has ElectionTick %d and HeartbeatTick %d: use a HeartbeatTick of at least 1 and a larger ElectionTick", r.ElectionTick, r.HeartbeatTick)
	case r.ReadOnlyOption == raft.ReadOnlyLeaseBased && !r.CheckQuorum:
		return "Config.Raft has ReadOnlyLeaseBased without CheckQuorum: raft wants both"
	}
	return ""
}

// first returns the snapshot at the beginning of the logs, with the initial
// configuration and an empty state machine.
func (c Config) first() *raftpb.Snapshot {
	conf := &raftpb.ConfState{}
	for i := range c.Voters + c.Learners {
		if id := uint64(i + 1); i < c.Voters {
			conf.Voters = append(conf.Voters, id)
		} else {
			conf.Learners = append(conf.Learners, id)
		}
	}
	return &raftpb.Snapshot{
		Data:     c.StateMachine().Snapshot(),
		Metadata: &raftpb.SnapshotMetadata{ConfState: conf, Index: new(uint64(1)), Term: new(uint64(1))},
	}
}

// Err returns the first violation that Safety has seen, nil if there is none. Pass
// this method to props.T.Always.
func (c *Cluster) Err() error { return c.Safety.Err() }

// node returns a node, nil before its first start.
func (c *Cluster) node(id int) *node {
	n, _ := c.Machine(id).(*node)
	return n
}

// Status returns raft's status of a node. If the node is down, it returns the last
// status. Before the first start it returns the zero value.
func (c *Cluster) Status(id int) raft.BasicStatus {
	if n := c.node(id); n != nil {
		return n.raw.BasicStatus()
	}
	return raft.BasicStatus{}
}

// StateMachine returns the state machine of a node, nil before its first start.
func (c *Cluster) StateMachine(id int) StateMachine {
	if n := c.node(id); n != nil {
		return n.state
	}
	return nil
}
