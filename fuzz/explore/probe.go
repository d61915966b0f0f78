package explore

import (
	"cmp"
	"maps"
	"math"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Depth-first search sees only one corner of a large tree before its time is up. So once
// the tree has turned out to be large, the search also makes probes: runs with random
// decisions. They only look for failures and are counted apart: neither completeness nor
// any other count of the tree depends on them.

const (
	// probeAfter is how many runs there are before the first probe, unless
	// Ongoing.ProbeAfter says otherwise. Most trees are done by then.
	probeAfter = 2000
	// Every other run is a probe until there were manyProbes; then one in
	// fewProbes is. What so many have not found, the next will hardly find, and a
	// tree that can be completed must not take twice as long.
	manyProbes = 16_000
	fewProbes  = 8
)

// probesAfter returns how many probes there should be after the given number of runs of
// the tree.
func (s *search) probesAfter(made int) int {
	o, p := s.options, &s.prober
	after, many := cmp.Or(o.probeAfter, probeAfter), manyProbes
	if p.shares {
		after, many = p.after, p.many
	}
	n := made - after
	switch {
	case o.DepthFirst || o.RandomBranch || o.bounded() || o.Depth > 0:
		return 0
	case n <= many:
		return p.before + max(0, n)
	}
	return p.before + many + (n-many+p.phase)/(fewProbes-1)
}

// A prober makes the probes of a search, or of one subtree of it. A probe depends only on
// the seed, the subtree and the number of probes before it, so a search that continues
// from a file makes the same ones.
type prober struct {
	by   [2]pulse.Strategy // they alternate
	seed uint64            // of the probe
	// In a round of a subtree: there were `before` probes before the round, the first
	// comes after `after` runs, and every other run is one until there were `many`.
	shares              bool
	before, after, many int
	phase               int // spreads the probes of small subtrees: one in fewProbes makes one
}

// shareProbes begins a round of subtree k: every other run is a probe until there are
// `many`. There are none until the whole tree has turned out to be large.
func (s *search) shareProbes(isLarge bool, many, k int) {
	r, p := &s.tally.result, &s.prober
	made := r.made() - r.Probes
	if p.shares { // probes due at the end of the previous round are due now
		p.before = max(r.Probes, s.probesAfter(made))
	}
	p.shares, p.after, p.many, p.phase = true, math.MaxInt, many, k%(fewProbes-1)
	if isLarge {
		p.after = made
	}
}

// A drawn is a strategy that draws the decisions of a probe.
type drawn struct {
	pulse.Strategy
	seed *uint64
}

// Begin begins a run with the seed of the probe instead of the given one.
func (d drawn) Begin(uint64) { d.Strategy.Begin(*d.seed) }

// Needs asks for a record of what the probe finds.
func (drawn) Needs() pulse.Needs { return pulse.Needs{Record: true} }

// probeAsDue makes the probes that are due. It reports whether the search is over.
func (s *search) probeAsDue() (over bool) {
	r := &s.tally.result
	for s.tally.told != nil && r.Probes < s.probesAfter(r.made()-r.Probes) {
		if s.probe() || s.hitsBound() {
			return true
		}
	}
	return false
}

// probe makes a probe. It reports whether it ends the search.
func (s *search) probe() (last bool) {
	p, r := &s.prober, &s.tally.result
	if p.by[0] == nil {
		p.by = [...]pulse.Strategy{drawn{strategy.Random(), &p.seed}, drawn{strategy.POS(), &p.seed}}
	}
	p.seed = hash.Seed(hash.Seed(s.options.Seed, uint64(s.tally.subtree)), uint64(r.Probes))
	run := s.worker.Run(p.by[r.Probes%len(p.by)])
	r.Probes++
	return run.Failure != nil && s.tally.failProbe(run)
}

// failProbe notes that a probe failed. It reports whether that ends the search.
func (t *tally) failProbe(run Run) (last bool) {
	run.Probe = true
	run = t.show(run)
	t.probed = counted(t.probed, run.Failure.Signature(), 1)
	if !t.keepOn {
		t.result.Bound = BoundFailure
	}
	return !t.keepOn
}

// counted returns m with n added to the count of a signature.
func counted(m map[string]int, signature string, n int) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[signature] += n
	return m
}

// withProbed returns the result with the failures that only probes have met. Failures of
// the tree are not counted twice.
func (t *tally) withProbed() Result {
	r := t.result
	r.Failures = maps.Clone(r.Failures)
	for signature, n := range t.probed {
		if r.Failures[signature] == 0 {
			r.Failures[signature] = n
		}
	}
	return r
}
