package explore

import (
	"cmp"
	"maps"
	"math"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Depth-first search sees one corner of a large tree and nothing else before its
// time is up. So once the tree has turned out to be large, probes are made
// beside: runs of which all decisions are drawn at random. They look for failures
// only. What completes the tree does not know of them, and they are counted apart:
// nothing that is said of the tree depends on them.

const (
	// probeAfter is how many runs there are before the first probe, unless
	// Ongoing.ProbeAfter says otherwise. Most trees are done by then.
	probeAfter = 2000
	// Every other run is a probe until there were manyProbes; then one in
	// fewProbes is. What so many have not found the next will hardly find, and a
	// tree that can be done must not take twice as long.
	manyProbes = 16_000
	fewProbes  = 8
)

// probesAfter returns how many probes there should be when so many runs of the
// tree have been made.
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

// A prober makes the probes of a search, or of one subtree of it. A probe depends
// on the seed, on the subtree and on how many there were before, and on nothing
// else: a search that goes on from a file makes the same ones.
type prober struct {
	by   [2]pulse.Strategy // take turns
	seed uint64            // of the probe
	// The probes are those of a round of a subtree: there were `before` before it, the
	// first comes after so many runs, and every other run is one until there were `many`.
	shares              bool
	before, after, many int
	phase               int // so that of small subtrees one in fewProbes makes one
}

// shareProbes begins a round of subtree k: every other run is a probe until there are
// so many of them, and none is while the whole tree has not turned out to be large.
func (s *search) shareProbes(isLarge bool, many, k int) {
	r, p := &s.tally.result, &s.prober
	made := r.made() - r.Probes
	if p.shares { // those that were due when the round before was over are due now
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

// Begin begins a run with the seed of the probe, whatever the run's is.
func (d drawn) Begin(uint64) { d.Strategy.Begin(*d.seed) }

// Needs returns what the strategy needs: what is found must be recorded.
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

// counted returns a map with n more of a signature.
func counted(m map[string]int, signature string, n int) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[signature] += n
	return m
}

// withProbed returns the result with the failures that only probes have met. Those
// that the tree has shown are not counted twice.
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
