// Package machine runs nodes that are pure state machines: code that is given one
// message at a time and says what is to be sent, what is to be kept on disk and which
// timers are to be set, but does none of that itself. Consensus libraries are written
// so. The package does it, in a pulse.System: it is their network, their disks and their
// clock, and lets nodes crash and come back.
//
// The user writes a Machine, whose method Step fills an Output, and a Config that makes
// one:
//
//	cluster := machine.Config[msg]{
//		Nodes: 3,
//		New: func(id int, disk machine.Disk, out *machine.Output[msg]) machine.Machine[msg] {
//			term, _ := disk.Read("term")
//			…
//		},
//	}.Spawn(sys)
//
// Nodes are numbered from 1. Whoever else sends a node a message, such as a process by
// Ask, is known to it by a number above those of the nodes, by which it is answered.
//
// # Network
//
// What a node sends is lost, comes twice or late, or waits at a partition as
// pulse.Options.Faults and a pulse.Nemesis say; pulse.Options.Delivery says whether
// messages may overtake each other. A Machine therefore keeps nothing that it has sent
// and changes nothing that it has received: a message that comes twice is one value.
//
// # Disk
//
// Output.Write puts a value on the node's disk. A crash takes the last writes, or with
// Faults.UnorderedWrites any of them, unless they were made safe: by Output.Sync at
// once, or by Output.SyncLater in a later step, before which the node may receive more.
//
// # Crash and restart
//
// Faults.Crash lets a node crash between two steps, and between any two things that one
// Output asks for: so with half of its messages sent, or written but not synced. All but
// its disk is then gone. Faults.RestartLost and a Nemesis bring it back, and Config.New
// is called again. RestartKept brings back the same Machine, which is told nothing: its
// timers, and what SyncLater has not yet synced of it, are gone.
//
// # Time
//
// Time is virtual. A Machine with a method Tick is called every Config.Tick, and
// Output.After sets a timer. A system whose nodes tick needs an end: Options.Horizon, or
// System.RunFor.
package machine

import (
	"fmt"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// A Machine is what one node does. M is the type of its messages.
type Machine[M any] interface {
	// Step receives a message and adds to out what is to be done. From is the number
	// of the sender: the node's own for timers and for what SyncLater brings, 0 for
	// what the test sends by System.Send. Of what it is given Step keeps out not at all.
	Step(from int, msg M, out *Output[M])
}

// A Ticker is a Machine that is told that time passes.
type Ticker[M any] interface {
	Machine[M]
	// Tick is called every Config.Tick of virtual time.
	Tick(out *Output[M])
}

// A Disk is the disk of a node, as what starts reads it.
type Disk struct{ disk pulse.Disk }

// Read returns what was last written under a name, and whether there is anything. It
// may not be changed.
func (d Disk) Read(name string) (value any, ok bool) { return d.disk.Read(name) }

// A Config describes the nodes of a cluster.
type Config[M any] struct {
	// Nodes is how many there are.
	Nodes int
	// New makes a node when it starts, and again when it comes back from a crash. The
	// disk has what has survived. New may ask for things to be done, as Step does.
	New func(id int, disk Disk, out *Output[M]) Machine[M]
	// Tick is how often Ticker.Tick is called; zero is never.
	Tick time.Duration
	// Name is what the nodes are called in traces; empty means "node".
	Name string
}

// A Cluster is the nodes that a Config has spawned.
type Cluster[M any] struct {
	config  Config[M]
	sys     *pulse.System
	refs    []pulse.Ref  // of the nodes; node 1 is at 0
	running []Machine[M] // what was last made for each
}

// Spawn adds the nodes to a system. They start when it runs. It panics if the Config
// cannot be.
func (c Config[M]) Spawn(sys *pulse.System) *Cluster[M] {
	switch {
	case c.Nodes < 1:
		panic(fmt.Sprintf("machine: Config.Nodes is %d: give it a number from 1 on", c.Nodes))
	case c.New == nil:
		panic("machine: Config.New is nil: it makes the nodes")
	case c.Tick < 0:
		panic(fmt.Sprintf("machine: Config.Tick is %v: give it a time from 1ns on, or zero for no ticks", c.Tick))
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

// Ref returns the actor that is a node, to send to it and to crash it by a Nemesis. It
// panics if there is no such node.
func (c *Cluster[M]) Ref(id int) pulse.Ref {
	c.check(id, "Ref")
	return c.refs[id-1]
}

// Machine returns what was last made for a node, nil before its first start. It may be
// looked at between steps, by what judges a run.
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
