package explore

import (
	"fmt"
	"math/bits"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// Depth-first search sees one corner of the tree for long. Eta (section 4)
// therefore tries to go on with a branch that is drawn from all that are open,
// with the same chance for each: what is seen first is then spread over the
// whole tree, and an estimate of its size is right sooner. The price is that
// all open branches are in memory.
//
// They are kept as a tree of parent pointers, so that what paths share is
// there once. A fork that has no open branch below it is forgotten (section
// 3.2), and its place is used again.

// A brancher is the strategy that follows the path to a branch and goes on
// from there by what the ordering puts first.
type brancher struct {
	options *Options
	needs   pulse.Needs
	habits  *habits
	list    []cand // scratch of the ordering
	random  uint64
	forks   []fork
	free    []int32  // places in forks that are not in use
	open    []branch // in no order
	path    []branch // of the run, from the root on
	at      int      // forks that the run has passed
	size    float64  // Eta's estimate
	out     why
	cut     bool // what follows was left out because of a bound
	differs string
}

// A branch is one answer at a fork.
type branch struct{ fork, answer int32 }

// A fork is a decision below which branches are open.
type fork struct {
	hash uint64 // of what had happened, to see whether the program repeats
	from branch // what it follows on; fork -1 at the root
	n    int32  // how many answers there are
	step int32  // of the last pick
	pick bool   // it is a pick; else a question
	// What Eta's estimate needs: how many branches are done, and how many
	// leaves they had; how many were begun and are not done, and how many
	// leaves they are thought to have.
	done, begun int32
	leaves      float64
	rest        float64
}

// size is Eta's estimate of the leaves of a fork: the average of those
// branches of which something is known, for all branches. It is 0 while
// nothing is known.
func (f *fork) size() float64 {
	known := f.done + f.begun
	if known == 0 {
		return 0
	}
	return (f.leaves + f.rest) / float64(known) * float64(f.n)
}

// branches goes through the tree, from one open branch to any other. It says
// whether it came to the end of it.
func (x *explorer) branches() bool {
	b := x.newBrancher()
	for {
		b.start()
		run := x.program(x.strategy)
		if b.out == ended && b.at < len(b.path) {
			b.out, b.differs = diverged, endedEarly(run)
		}
		x.walker.out, x.walker.cut = b.out, b.cut
		if b.out == diverged {
			x.verdict.Nondeterminism = b.differs
			return false
		}
		if x.finish(run) {
			return false
		}
		leaves := 0.0
		if b.out == ended {
			leaves = 1
		}
		b.end(leaves)
		if !b.draw() {
			return true
		}
		x.from = int(b.forks[b.path[len(b.path)-1].fork].step)
		if x.bound() {
			return false
		}
	}
}

func (x *explorer) newBrancher() *brancher {
	b := &brancher{options: &x.options, habits: &x.walker.habits, random: x.options.Seed}
	b.needs = pulse.Needs{Single: x.options.Depth > 0, Record: x.recorded}
	x.brancher, x.strategy = b, b
	return b
}

// Needs returns what the search needs.
func (b *brancher) Needs() pulse.Needs { return b.needs }

// Begin begins a run.
func (b *brancher) Begin(uint64) { b.start() }

func (b *brancher) start() { b.at, b.out = 0, ended }

// Verdict says why a run was given up.
func (b *brancher) Err() error {
	if b.out == ended {
		return nil
	}
	return fmt.Errorf("explore: %s", whyTexts[b.out])
}

// Pick follows the path, or lengthens it.
func (b *brancher) Pick(e *pulse.Enabled) int {
	if b.at == len(b.path) {
		return b.grow(e)
	}
	if e.Len() == 1 { // only a holder is asked
		return 0
	}
	p := b.path[b.at]
	if f := &b.forks[p.fork]; !f.pick || int(f.n) != e.Len() || f.hash != e.Digest() {
		b.out, b.differs = diverged, otherMessages(e)
		return pulse.Quit
	}
	b.at++
	return int(p.answer)
}

// grow makes a fork of a pick and takes what comes first.
func (b *brancher) grow(e *pulse.Enabled) int {
	if d := b.options.Depth; d > 0 && e.Step() >= d {
		b.cut, b.out = true, tooDeep
		return pulse.Quit
	}
	if e.Len() == 1 {
		return 0
	}
	var first int
	first, b.list = firstBy(e, b.options.Ordering, b.habits, b.list)
	return b.pass(fork{hash: e.Digest(), n: int32(e.Len()), step: int32(e.Step()), pick: true}, int32(first))
}

// Choose follows the path, or lengthens it.
func (b *brancher) Choose(k choice.Kind, n int) int {
	if b.at == len(b.path) {
		step := int32(0)
		if b.at > 0 {
			step = b.forks[b.path[b.at-1].fork].step
		}
		return b.pass(fork{n: int32(n), step: step}, 0)
	}
	p := b.path[b.at]
	if f := &b.forks[p.fork]; f.pick || int(f.n) != n {
		b.out, b.differs = diverged, otherQuestion(k, n)
		return pulse.Quit
	}
	b.at++
	return int(p.answer)
}

// pass adds a fork to the path and opens the branches that are not taken.
func (b *brancher) pass(f fork, taken int32) int {
	f.from = branch{fork: -1}
	if b.at > 0 {
		f.from = b.path[b.at-1]
	}
	i := b.place()
	b.forks[i] = f
	for answer := range f.n {
		if answer != taken {
			b.open = append(b.open, branch{i, answer})
		}
	}
	b.path = append(b.path, branch{i, taken})
	b.at++
	return int(taken)
}

// place returns a place for a fork.
func (b *brancher) place() int32 {
	if last := len(b.free) - 1; last >= 0 {
		i := b.free[last]
		b.free = b.free[:last]
		return i
	}
	b.forks = append(b.forks, fork{})
	return int32(len(b.forks) - 1)
}

// end adds a run that has come to its end to what is known of its forks, and
// forgets those that are done, in time that is linear in the length of the
// path as in Eta.
func (b *brancher) end(leaves float64) {
	done, begun := true, false // of the branch, and before this run
	was, is := 0.0, leaves     // its size
	for i := len(b.path) - 1; i >= 0; i-- {
		at := b.path[i].fork
		f := &b.forks[at]
		before, seen := f.size(), f.done+f.begun > 0
		if begun {
			f.begun--
			f.rest -= was
		}
		if done {
			f.done++
			f.leaves += leaves
		} else {
			f.begun++
			f.rest += is
		}
		if f.begun == 0 || f.rest < 0 {
			f.rest = 0 // what rounding has left of it
		}
		was, is, begun = before, f.size(), seen
		if done = f.done == f.n; done {
			leaves = f.leaves
			b.free = append(b.free, at)
		}
	}
	b.size = is
}

// draw takes one of the open branches, each with the same chance, and makes
// the path to it. It is false when none is open.
func (b *brancher) draw() bool {
	n := len(b.open)
	if n == 0 {
		return false
	}
	i, _ := bits.Mul64(hash.Splitmix(&b.random), uint64(n))
	drawn := b.open[i]
	b.open[i] = b.open[n-1]
	b.open = b.open[:n-1]
	b.path = b.path[:0]
	for at := drawn; at.fork >= 0; at = b.forks[at.fork].from {
		b.path = append(b.path, at)
	}
	for i, k := 0, len(b.path)-1; i < k; i, k = i+1, k-1 {
		b.path[i], b.path[k] = b.path[k], b.path[i]
	}
	return true
}

// guess is Eta's estimate of how many runs the search takes in all, from what
// it has gone through; 0 while nothing is known.
func (x *explorer) guess() float64 {
	if x.brancher != nil {
		return x.brancher.size
	}
	return x.walker.guess()
}
