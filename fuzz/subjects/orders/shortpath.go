package orders

import (
	"errors"
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// A Graph is a directed graph whose edges have lengths.
type Graph struct {
	Name  string
	Nodes int // the number of nodes; paths begin at node 0
	Edges []Edge
}

// An Edge leads from one node to another node.
type Edge struct{ From, To, Length int }

// GraphA has 4 nodes. There are two paths to node 2, and the shorter path has
// more edges.
func GraphA() Graph {
	return Graph{"A", 4, []Edge{{0, 1, 1}, {0, 2, 4}, {1, 2, 1}, {1, 3, 5}, {2, 3, 1}}}
}

// GraphB has 5 nodes. The shortest path to node 4 is the one with the most
// edges.
func GraphB() Graph {
	return Graph{"B", 5, []Edge{{0, 1, 1}, {0, 2, 3}, {1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {2, 4, 3}}}
}

// Shortpath is shortpath of the thesis on Basset: the first phase of Chandy and
// Misra's search for the shortest paths from one node to all others. A node that
// learns of a shorter path to itself tells its neighbors. When they have acknowledged
// these messages, the node acknowledges the message that it got. It acknowledges
// other messages at once. So the first node learns when the search is complete.
//
// At each node, messages about different paths race with one another and with
// acknowledgments. A late message about a longer path costs one more message. A late
// message about a shorter path costs many.
//
// The thesis does not show its graphs. The graphs of its tables 4.1 and 4.2, with 4
// and 5 nodes, have 126 and 296 distinct orders. GraphA and GraphB have 40 and 290.
func Shortpath(g Graph) Program {
	return Program{
		Name: fmt.Sprintf("shortpath(%s)", g.Name),
		Build: func(sys *pulse.System) func() error {
			list, refs := make([]*place, g.Nodes), make([]pulse.Ref, g.Nodes)
			for i := range list {
				list[i] = &place{first: i == 0}
				refs[i] = sys.Spawn("node", list[i])
			}
			for _, e := range g.Edges {
				list[e.From].edges = append(list[e.From].edges, way{refs[e.To], e.Length})
			}
			sys.Send(refs[0], start{})
			return func() error { return g.check(list) }
		},
	}
}

// check compares the distances with those that the Bellman-Ford algorithm finds.
func (g Graph) check(list []*place) error {
	if !list[0].done {
		return errors.New("the first node does not know that all is done")
	}
	want := g.distances()
	for i, p := range list {
		if !p.known || p.distance != want[i] || p.due != 0 {
			return fmt.Errorf("node %d has distance %d and waits for %d acknowledgments, want distance %d", i, p.distance, p.due, want[i])
		}
	}
	return nil
}

// distances returns the distance of each node from node 0. All nodes must be reachable from node 0.
func (g Graph) distances() []int {
	const far = 1 << 30
	list := make([]int, g.Nodes)
	for i := 1; i < len(list); i++ {
		list[i] = far
	}
	for range list {
		for _, e := range g.Edges {
			list[e.To] = min(list[e.To], list[e.From]+e.Length)
		}
	}
	return list
}

type (
	path struct{ length int }
	ack  struct{}
)

// A way leads to a neighbor.
type way struct {
	to     pulse.Ref
	length int
}

// A place is a node of the graph.
type place struct {
	first    bool
	edges    []way
	known    bool // set once the node has learned of a path
	distance int
	before   pulse.Ref // the node that told this node of a path; it waits for an acknowledgment while due > 0
	due      int       // the number of acknowledgments that the node waits for
	done     bool      // set at the first node once all nodes are done
}

func (p *place) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case start:
		p.learn(ctx, 0)
	case path:
		p.hear(ctx, msg.length)
	case ack:
		p.due--
		p.settle(ctx)
	}
}

func (p *place) hear(ctx *pulse.Ctx, length int) {
	if p.known && length >= p.distance {
		ctx.Reply(ack{})
		return
	}
	if p.due > 0 {
		ctx.Send(p.before, ack{})
	}
	p.before = ctx.Sender()
	p.learn(ctx, length)
}

// learn records a shorter path to the node and tells the neighbors.
func (p *place) learn(ctx *pulse.Ctx, length int) {
	p.known, p.distance = true, length
	for _, e := range p.edges {
		ctx.Send(e.to, path{length + e.length})
	}
	p.due += len(p.edges)
	p.settle(ctx)
}

// settle acknowledges the message about the path once all neighbors have acknowledged.
func (p *place) settle(ctx *pulse.Ctx) {
	switch {
	case p.due > 0:
	case p.first:
		p.done = true
	default:
		ctx.Send(p.before, ack{})
	}
}
