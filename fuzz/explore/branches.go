package explore

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// Depth-first search sees one corner of the tree for long. Eta (section 4)
// therefore tries to go on with a branch that is drawn from all that are open,
// with the same chance for each: what is seen first is then spread over the
// whole tree. The price is that all open branches are in memory.

// A randomBranches goes through a tree from one open branch to any other.
type randomBranches struct {
	*search
	follower branchFollower
	strategy pulse.Strategy
	random   uint64
	shared   int // how many steps the next run has in common with the last
}

func newRandomBranches(s *search) *randomBranches {
	b := &randomBranches{search: s, random: s.options.Seed}
	b.follower = branchFollower{depth: s.options.Depth, chooser: s.chooser()}
	n := pulse.Needs{Record: s.options.Record || s.options.records(), Single: s.options.Depth > 0}
	b.strategy = needy{&b.follower, n}
	return b
}

// explore runs one open branch after the other. It reports whether it came to
// the end of the tree.
func (b *randomBranches) explore() (finished bool) {
	f := &b.follower
	for {
		f.begin()
		run := b.worker.Run(b.strategy)
		repeats := f.repeats(&run, f.passed == len(f.forks.path))
		b.tally.leftOut = b.tally.leftOut || f.leftOut
		if !repeats {
			b.tally.result.Nondeterminism = f.difference
			return false
		}
		if b.count(run, f.ending, b.shared) {
			return false
		}
		if b.isRepeated(&run, f.ending) && !b.repeat(&run, b.runAgain) {
			return false
		}
		f.forks.end()
		if !f.forks.draw(&b.random) {
			return true
		}
		b.shared = int(f.forks.lastStep())
		if b.isOver() {
			return false
		}
	}
}

// runAgain runs the path that was run last.
func (b *randomBranches) runAgain() Run {
	f, forks := &b.follower, len(b.follower.forks.path)
	f.begin()
	again := b.worker.Run(b.strategy)
	if !f.repeats(&again, f.passed == forks && len(f.forks.path) == forks) {
		b.tally.result.Nondeterminism = f.difference
	}
	return again
}

// A branchFollower is the strategy that follows the path to a branch, and goes
// on from there by what the ordering puts first.
type branchFollower struct {
	outcome
	forks   forks
	chooser chooser
	depth   int // Method.Depth
	passed  int // how many forks the run has passed
}

// Begin begins a run.
func (b *branchFollower) Begin(uint64) { b.begin() }

func (b *branchFollower) begin() { b.passed, b.ending = 0, endedItself }

// Pick follows the path, or lengthens it.
func (b *branchFollower) Pick(e *pulse.Enabled) int {
	if b.passed == len(b.forks.path) {
		return b.lengthen(e)
	}
	if e.Len() == 1 { // no fork is made of these
		return 0
	}
	at := b.forks.path[b.passed]
	if f := &b.forks.list[at.fork]; !f.isPick || int(f.n) != e.Len() || f.digest != e.Digest() {
		return b.differ(otherMessages(e))
	}
	b.passed++
	return int(at.answer)
}

// lengthen makes a fork of a pick and takes what comes first.
func (b *branchFollower) lengthen(e *pulse.Enabled) int {
	if b.depth > 0 && e.Step() >= b.depth {
		b.leftOut = true
		return b.giveUp(endedDeep)
	}
	if e.Len() == 1 {
		return 0
	}
	first := b.chooser.first(e)
	b.add(fork{digest: e.Digest(), n: int32(e.Len()), step: int32(e.Step()), isPick: true}, int32(first))
	return first
}

// Choose follows the path, or lengthens it.
func (b *branchFollower) Choose(k choice.Kind, n int) int {
	if b.passed == len(b.forks.path) {
		b.add(fork{n: int32(n), step: b.forks.lastStep()}, 0)
		return 0
	}
	at := b.forks.path[b.passed]
	if f := &b.forks.list[at.fork]; f.isPick || int(f.n) != n {
		return b.differ(otherQuestion(k, n))
	}
	b.passed++
	return int(at.answer)
}

func (b *branchFollower) add(f fork, taken int32) {
	b.forks.add(f, taken)
	b.passed++
}
