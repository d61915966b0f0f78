// Package machine runs nodes that are pure state machines. Such code receives one
// message at a time. It says what to send, what to save on disk and which timers to
// set, but does none of that itself. Many consensus libraries are written so. The
// package provides the network, the disks and the clock in a pulse.System, and lets
// nodes crash and restart.
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
// Nodes are numbered from 1. Any other sender, such as a process that calls Ask, gets a
// higher number, to which the node can answer.
//
// # Network
//
// Messages are lost, duplicated, delayed or held by a partition as pulse.Options.Faults
// and a pulse.Nemesis say. pulse.Options.Delivery says whether they may overtake each
// other. A Machine must neither keep what it has sent nor change what it has received:
// both copies of a duplicated message are one value.
//
// # Disk
//
// Output.Write puts a value on the node's disk. A crash loses the last writes, or with
// Faults.UnorderedWrites any of them, unless they were made safe. Output.Sync makes them
// safe at once, and Output.SyncLater in a later step, before which the node may receive
// more messages.
//
// # Crash and restart
//
// Faults.Crash lets a node crash between two steps, and between any two effects of one
// Output: with half of its messages sent, for example. All but its disk is then lost.
// Faults.RestartLost and a Nemesis restart the node, and Config.New is called again.
// RestartKept restarts the same Machine without notice: its timers and pending SyncLaters
// are lost.
//
// # Time
//
// Time is virtual. Config.Tick is how often a Machine's method Tick is called, if it has
// one, and Output.After sets a timer. A system whose nodes tick needs an end:
// Options.Horizon or System.RunFor.
package machine

import (
	"fmt"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// A Machine is what one node does. M is the type of its messages.
type Machine[M any] interface {
	// Step receives a message and adds to out what is to be done. From is the number
	// of the sender: the node itself for timers and for SyncLater, and 0 for
	// messages that the test sends by System.Send. Step must not keep out.
	Step(from int, msg M, out *Output[M])
}

// A Ticker is a Machine that is called at regular times.
type Ticker[M any] interface {
	Machine[M]
	// Tick is called every Config.Tick of virtual time.
	Tick(out *Output[M])
}

// A Disk is the disk of a node, for reading at its start.
type Disk struct{ disk pulse.Disk }

// Read returns what was last written under a name, and whether there is anything. The
// value must not be changed.
func (d Disk) Read(name string) (value any, ok bool) { return d.disk.Read(name) }

// A Config describes the nodes of a cluster.
type Config[M any] struct {
	// Nodes is how many nodes there are.
	Nodes int
	// New makes a node when it starts, and again when it restarts after a crash. The
	// disk has what has survived. New may ask for effects, as Step does.
	New func(id int, disk Disk, out *Output[M]) Machine[M]
	// Tick is how often Ticker.Tick is called; zero is never.
	Tick time.Duration
	// Name is the name of the nodes in traces; empty means "node".
	Name string
}

// A Cluster is the nodes that a Config has spawned.
type Cluster[M any] struct {
	config  Config[M]
	sys     *pulse.System
	refs    []pulse.Ref  // of the nodes; node 1 is at 0
	running []Machine[M] // the latest Machine of each
}

// Spawn adds the nodes to a system. They start when it runs. Spawn panics if the
// Config is not valid.
func (c Config[M]) Spawn(sys *pulse.System) *Cluster[M] {
	switch {
	case c.Nodes < 1:
		panic(fmt.Sprintf("machine: Config.Nodes is %d: use a number of at least 1", c.Nodes))
	case c.New == nil:
		panic("machine: Config.New is nil: it makes the nodes")
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

// Ref returns the actor of a node, to send to it or to crash it by a Nemesis. It
// panics if there is no such node.
func (c *Cluster[M]) Ref(id int) pulse.Ref {
	c.check(id, "Ref")
	return c.refs[id-1]
}

// Machine returns the latest Machine of a node, nil before its first start. Code that
// judges a run may read it between steps.
func (c *Cluster[M]) Machine(id int) Machine[M] {
	c.check(id, "Machine")
	return c.running[id-1]
}

// Alive reports whether a node is neither crashed nor ended.
func (c *Cluster[M]) Alive(id int) bool { return c.sys.Alive(c.Ref(id)) }

// Nodes returns how many nodes there are.
func (c *Cluster[M]) Nodes() int { return len(c.refs) }

func (c *Cluster[M]) check(id int, what string) {
	if id < 1 || id > len(c.refs) {
		panic(fmt.Sprintf("machine: Cluster.%s of node %d: the nodes are 1 to %d", what, id, len(c.refs)))
	}
}
