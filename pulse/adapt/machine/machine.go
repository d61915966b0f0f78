// Package machine runs nodes that are pure state machines. Such a node receives one
// message at a time. It says what to send, what to save on disk and which timers to
// set, but performs none of these effects itself. Many consensus libraries are
// written in this way. The package provides the network, the disks and the clock in a
// pulse.System, and lets nodes crash and restart.
//
// The user writes a Machine, whose method Step fills an Output, and a Config:
//
//	cluster := machine.Config[msg]{
//		Nodes: 3,
//		New: func(id int, disk machine.Disk, out *machine.Output[msg]) machine.Machine[msg] {
//			term, _ := disk.Read("term")
//			…
//		},
//	}.Spawn(sys)
//
// Nodes are numbered from 1. Any other sender, such as a process that calls Ask, gets
// a higher number, to which the node can answer.
//
// # Network
//
// Messages are lost, duplicated, delayed or held by a partition according to
// pulse.Options.Faults and pulse.Nemesis. pulse.Options.Delivery says whether
// messages may overtake each other. A Machine must not keep a message that it has
// sent, and must not change a message that it has received. The reason is that both
// copies of a duplicated message are one value.
//
// # Disk
//
// Output.Write writes a value to the node's disk. A crash loses the last writes that
// were not synced. With Faults.UnorderedWrites it loses any writes that were not
// synced. Output.Sync syncs all earlier writes immediately. Output.SyncLater syncs in
// a later step, and the node may receive more messages before that.
//
// # Crash and restart
//
// Faults.Crash lets a node crash between two steps, and between any two effects of one Output,
// for example with half of its messages sent. The crash loses everything but the disk.
// Faults.RestartLost or a Nemesis restarts the node, and Config.New is called again. RestartKept
// restarts the same Machine without telling it. Its timers and pending SyncLaters are lost.
//
// # Time
//
// Time is virtual. If a Machine has a method Tick, the method is called once every
// Config.Tick. Output.After sets a timer. A system whose nodes tick needs an end: use
// Options.Horizon or System.RunFor.
package machine

import (
	"fmt"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// A Machine is the code of one node. M is the type of its messages.
type Machine[M any] interface {
	// Step handles a message and adds the resulting effects to out. The parameter from is
	// the number of the sender. It is the node's own number for timers and for SyncLater,
	// and 0 for messages that the test sends by System.Send. Step must not keep out.
	Step(from int, msg M, out *Output[M])
}

// A Ticker is a Machine whose method Tick is called at regular intervals.
type Ticker[M any] interface {
	Machine[M]
	// Tick is called once every Config.Tick of virtual time.
	Tick(out *Output[M])
}

// A Disk lets a node that starts read the values that it has saved.
type Disk struct{ disk pulse.Disk }

// Read returns the value last written under a name, and reports whether there is one. The
// value must not be changed.
func (d Disk) Read(name string) (value any, ok bool) { return d.disk.Read(name) }

// A Config describes the nodes of a cluster.
type Config[M any] struct {
	// Nodes is the number of nodes.
	Nodes int
	// New makes a node when it starts, and again when it restarts after a crash. The disk
	// holds the writes that have survived. New may add effects to out, as Step does.
	New func(id int, disk Disk, out *Output[M]) Machine[M]
	// Tick is the interval between calls to Ticker.Tick. Zero means no calls.
	Tick time.Duration
	// Name is the name of the nodes in traces; empty means "node".
	Name string
}

// A Cluster holds the nodes that a Config has spawned.
type Cluster[M any] struct {
	config  Config[M]
	sys     *pulse.System
	refs    []pulse.Ref  // the Refs of the nodes; node 1 has index 0
	running []Machine[M] // the latest Machine of each node
}

// Spawn adds the nodes to a system. The nodes start when the system runs. Spawn panics if
// the Config is not valid.
func (c Config[M]) Spawn(sys *pulse.System) *Cluster[M] {
	switch {
	case c.Nodes < 1:
		panic(fmt.Sprintf("machine: Config.Nodes is %d: use a number of at least 1", c.Nodes))
	case c.New == nil:
		panic("machine: Config.New is nil: set it to a function that makes a node")
	case c.Tick < 0:
		panic(fmt.Sprintf("machine: Config.Tick is %v: use a time of at least 1ns, or zero for no ticks", c.Tick))
	}
	if c.Name == "" {
		c.Name = "node"
	}
	cluster := &Cluster[M]{config: c, sys: sys, refs: make([]pulse.Ref, c.Nodes), running: make([]Machine[M], c.Nodes)}
	for i := range cluster.refs {
		cluster.refs[i] = sys.SpawnSpec(pulse.Spec{Name: c.Name, New: func() pulse.Actor { return &node[M]{cluster: cluster, id: i + 1} }})
	}
	return cluster
}

// Ref returns the pulse.Ref of a node, to send to the node or to crash it by a Nemesis.
// Ref panics if there is no such node.
func (c *Cluster[M]) Ref(id int) pulse.Ref {
	c.check(id, "Ref")
	return c.refs[id-1]
}

// Machine returns the latest Machine of a node, nil before its first start. Code that
// checks a run may read the Machine between steps.
func (c *Cluster[M]) Machine(id int) Machine[M] {
	c.check(id, "Machine")
	return c.running[id-1]
}

// Alive reports whether a node is neither crashed nor ended.
func (c *Cluster[M]) Alive(id int) bool { return c.sys.Alive(c.Ref(id)) }

// Nodes returns the number of nodes.
func (c *Cluster[M]) Nodes() int { return len(c.refs) }

func (c *Cluster[M]) check(id int, what string) {
	if id < 1 || id > len(c.refs) {
		panic(fmt.Sprintf("machine: Cluster.%s of node %d: the nodes are 1 to %d", what, id, len(c.refs)))
	}
}
