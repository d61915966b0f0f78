// Package chainrepair is an example program with a known bug. Its property: a client that
// reads a replicated value twice does not get an older value the second time.
//
// Chain replication is by van Renesse and Schneider (OSDI 2004). Implementations often
// handle last the race between writes and the appending of a repaired node (Machi, issue
// 60, github.com/basho/machi). The program is ours.
//
// Writes go to the head of a chain and from node to node to the tail, which answers reads.
// A master appends a repaired node: the tail copies its value to that node, which reports
// to the master. The master then tells the old tail that it has a successor, and tells the
// readers which node is the tail now. In the broken form a write is not passed on if it
// reaches the old tail between the copy and the master's message. A client can read such a
// write at the old tail, and then an older value at the new tail. In the mended form, the
// old tail passes on all writes and reads that come after it has copied its value.
//
// Subject.Depth is 2, with a chain of three nodes. At the tail, a write comes after the
// copy and before the message about the successor. Also at the tail, a read comes between
// that write and that message. At the reader, the answer comes before the message about
// the new tail. These are four reorderings in all. A delay-bounded search needs at least
// five delays to trigger the bug.
package chainrepair

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// a chain of three nodes to which one is appended, two writes, and one reader
// that reads twice.
type Config struct {
	Nodes   int // the number of nodes in the initial chain; 0 means 3
	Repairs int // the number of nodes appended one after the other; 0 means 1
	Writes  int // 0 means 2
	Readers int // 0 means 1
	Reads   int // the number of reads of each reader; 0 means 2
	Mended  bool
}

type (
	begin struct{} // sent from the test to the writer and the master

	write struct{ value int }
	read  struct{ reader pulse.Ref } // sent from a reader to the tail, and on to the new tail
	value struct{ value int }        // sent from a tail to a reader

	extend  struct{ by pulse.Ref }  // sent from the master to the tail
	state   struct{ value int }     // sent from the tail to the appended node
	ready   struct{}                // sent from the appended node to the master
	newTail struct{ ref pulse.Ref } // sent from the master to the old tail and to the readers
)

// withDefaults returns the config with each zero replaced by its default.
func (c Config) withDefaults() Config {
	for _, f := range []struct {
		number *int
		means  int
	}{{&c.Nodes, 3}, {&c.Repairs, 1}, {&c.Writes, 2}, {&c.Readers, 1}, {&c.Reads, 2}} {
		if *f.number == 0 {
			*f.number = f.means
		}
	}
	return c
}

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	c = c.withDefaults()
	m := &master{}
	boss := sys.Spawn("master", m)
	nodes := make([]*node, c.Nodes+c.Repairs)
	refs := make([]pulse.Ref, len(nodes))
	for i := range nodes {
		nodes[i] = &node{master: boss, late: !c.Mended}
		refs[i] = sys.Spawn("node", nodes[i])
		if i > 0 && i < c.Nodes {
			nodes[i-1].next = refs[i]
		}
	}
	m.tail, m.spares = refs[c.Nodes-1], refs[c.Nodes:]
	readers := make([]*reader, c.Readers)
	for i := range readers {
		readers[i] = &reader{tail: m.tail, left: c.Reads}
		m.readers = append(m.readers, sys.Spawn("reader", readers[i]))
	}
	for _, r := range m.readers {
		sys.Send(r, begin{})
	}
	sys.Send(boss, begin{})
	sys.Send(sys.Spawn("writer", &writer{refs[0], c.Writes}), begin{})
	return func() error {
		for i, r := range readers {
			for k := 1; k < len(r.got); k++ {
				if r.got[k-1] > r.got[k] {
					return fmt.Errorf("reader %d read %d and then %d", i+1, r.got[k-1], r.got[k])
				}
			}
		}
		return nil
	}
}

// A writer writes 1, 2, 3, …
type writer struct {
	head   pulse.Ref
	writes int
}

func (w *writer) Receive(ctx *pulse.Ctx, msg any) {
	for i := range w.writes {
		ctx.Send(w.head, write{i + 1})
	}
}

// A reader reads several times in a row.
type reader struct {
	tail pulse.Ref // the tail of the chain, as far as the reader knows
	left int
	got  []int
}

func (r *reader) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case newTail:
		r.tail = msg.ref
		return
	case value:
		r.got = append(r.got, msg.value)
	}
	if r.left > 0 {
		r.left--
		ctx.Send(r.tail, read{ctx.Self()})
	}
}

// A master appends spare nodes to the chain.
type master struct {
	tail    pulse.Ref
	spares  []pulse.Ref
	readers []pulse.Ref
}

func (m *master) Receive(ctx *pulse.Ctx, msg any) {
	if _, ok := msg.(ready); ok {
		ctx.Send(m.tail, newTail{m.spares[0]})
		m.tail, m.spares = m.spares[0], m.spares[1:]
		for _, r := range m.readers {
			ctx.Send(r, newTail{m.tail})
		}
	}
	if len(m.spares) > 0 {
		ctx.Send(m.tail, extend{m.spares[0]})
	}
}

// A node is a node of the chain, or a spare node.
type node struct {
	master pulse.Ref
	next   pulse.Ref // the successor in the chain; zero at the tail
	value  int
	late   bool // set in the broken form: the node acts as the tail until the master tells it of its successor
}

func (n *node) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case write:
		n.value = msg.value
		if !n.next.IsZero() {
			ctx.Send(n.next, msg)
		}
	case read:
		if !n.next.IsZero() {
			ctx.Send(n.next, msg)
			return
		}
		ctx.Send(msg.reader, value{n.value})
	case extend:
		ctx.Send(msg.by, state{n.value})
		if !n.late {
			n.next = msg.by
		}
	case state:
		n.value = msg.value
		ctx.Send(n.master, ready{})
	case newTail:
		n.next = msg.ref
	}
}
