package explore

import (
	"math/bits"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
)

// Depth-first search stays in one corner of the tree for a long time. The Eta paper
// (section 4) therefore continues with a branch drawn uniformly from all unexplored
// branches. The first runs then spread over the whole tree, but all unexplored branches
// are kept in memory.

// branches holds the open (unexplored) branches of a tree. Each fork links to the fork
// above, so that common parts of paths are stored once. A fork without open branches
// below is removed (section 3.2 of the Eta paper), and its index in forks is reused.
type branches struct {
	forks  []fork
	free   []int32  // indices of unused elements of forks
	open   []branch // the open branches, in any order
	path   []int32  // the indices in forks of the current run's decisions, from the root
	random uint64
}

// A branch is one alternative of a decision (see fork).
type branch struct{ fork, answer int32 }

// A fork is a decision whose alternatives are not all fully explored yet.
type fork struct {
	node  node
	above branch // the branch of another fork that leads to this fork; its field fork is -1 at the root
	done  int32  // the number of fully explored alternatives
}

// advance makes p the path to a randomly drawn unexplored branch. It returns false if no
// unexplored branch is left.
func (b *branches) advance(p *path) bool {
	for i := len(b.path); i < len(p.nodes); i++ {
		above := branch{fork: -1}
		if i > 0 {
			above = branch{b.path[i-1], p.nodes[i-1].current}
		}
		b.add(fork{node: p.nodes[i], above: above})
	}
	b.end()
	return b.draw(p)
}

// add appends a fork to the path of the run. The alternatives that the run did not take
// become open branches.
func (b *branches) add(f fork) {
	i := b.place()
	b.forks[i] = f
	b.path = append(b.path, i)
	n := &b.forks[i].node
	for index := range n.answers {
		if answer := n.answerOf(index); answer != n.current {
			b.open = append(b.open, branch{i, answer})
		}
	}
}

// place returns the index of an unused element of b.forks.
func (b *branches) place() int32 {
	if last := len(b.free) - 1; last >= 0 {
		i := b.free[last]
		b.free = b.free[:last]
		return i
	}
	b.forks = append(b.forks, fork{})
	return int32(len(b.forks) - 1)
}

// end frees each fork on the path of the run whose alternatives are now all fully
// explored.
func (b *branches) end() {
	for i := len(b.path) - 1; i >= 0; i-- {
		f := &b.forks[b.path[i]]
		if f.done++; f.done < f.node.answers {
			return
		}
		b.free = append(b.free, b.path[i])
	}
}

// draw draws one of the open branches uniformly, and makes p the path to that branch. It
// returns false if no branch is open.
func (b *branches) draw(p *path) bool {
	n := len(b.open)
	if n == 0 {
		return false
	}
	i, _ := bits.Mul64(hash.Splitmix(&b.random), uint64(n))
	at := b.open[i]
	b.open[i] = b.open[n-1]
	b.open = b.open[:n-1]
	p.nodes, b.path = p.nodes[:0], b.path[:0]
	for ; at.fork >= 0; at = b.forks[at.fork].above {
		f := b.forks[at.fork].node
		f.current = at.answer
		p.nodes, b.path = append(p.nodes, f), append(b.path, at.fork)
	}
	slices.Reverse(p.nodes)
	slices.Reverse(b.path)
	return true
}
