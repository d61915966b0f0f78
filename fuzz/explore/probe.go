package explore

import (
	"cmp"
	"maps"
	"math"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// Depth-first search sees only one corner of a large tree before its time is up. So in a
// large tree the search also makes probes, which are runs with random decisions. Probes
// only look for failures, and are counted separately. They do not affect completeness or
// any other count of the tree.

const (
	// probeAfter is the number of runs before the first probe, unless
	// Ongoing.ProbeAfter sets another number. Most trees are done by then.
	probeAfter = 2000
	// Every other run is a probe until there were manyProbes probes. After these,
	// one run in fewProbes is a probe, because further probes rarely find anything
	// new. With more probes, completing the tree would take twice as long.
	manyProbes = 16_000
	fewProbes  = 8
)

// probesAfter returns the number of probes that are due after `made` runs other than
// probes.
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

// A prober makes the probes of a search, or of one subtree. A probe depends only on the
// seed, the subtree and the number of earlier probes, so a search that continues from a
// file makes the same probes.
type prober struct {
	by     [2]pulse.Strategy // the strategies of probes, which alternate
	seed   uint64            // the seed of the next probe
	shares bool              // set for a subtree, whose probes are counted by round
	before int               // the number of probes before the round
	after  int               // the number of runs before the first probe of the round
	many   int               // the number of probes of the round before probes become rarer (see fewProbes)
	phase  int               // a number from 0 to fewProbes-2 that lets small subtrees make their probes at different times
}

// shareProbes begins a round of runs of subtree k. In the round, every other run is a
// probe until there were `many` probes. After these, one run in fewProbes is a probe.
// Unless the whole tree is large (isLarge), the round makes no probes.
func (s *search) shareProbes(isLarge bool, many, k int) {
	r, p := &s.tally.result, &s.prober
	made := r.made() - r.Probes
	if p.shares { // probes that were due at the end of the previous round are still due
		p.before = max(r.Probes, s.probesAfter(made))
	}
	p.shares, p.after, p.many, p.phase = true, math.MaxInt, many, k%(fewProbes-1)
	if isLarge {
		p.after = made
	}
}

// A drawn is the strategy of a probe, which draws all decisions at random.
type drawn struct {
	pulse.Strategy
	seed *uint64
}

// Begin begins a run with the seed of the probe. It ignores its argument.
func (d drawn) Begin(uint64) { d.Strategy.Begin(*d.seed) }

// Needs asks for a recorded run, so that a failure has a trace.
func (drawn) Needs() pulse.Needs { return pulse.Needs{Record: true} }

// probeAsDue makes the probes that are due, and reports whether the search must stop.
func (s *search) probeAsDue() (over bool) {
	for s.probeIsDue() {
		if s.probe() || s.hitsBound() {
			return true
		}
	}
	return false
}

func (s *search) probeIsDue() bool {
	r := &s.tally.result
	return s.tally.told != nil && r.Probes < s.probesAfter(r.made()-r.Probes)
}

// probe makes a probe, and reports whether the probe ends the search.
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

// failProbe counts a failed probe, and reports whether the failure ends the search.
func (t *tally) failProbe(run Run) (last bool) {
	run.Probe = true
	run = t.show(run)
	t.probed = counted(t.probed, run.Failure.Signature(), 1)
	if !t.keepOn {
		t.result.Bound = BoundFailure
	}
	return !t.keepOn
}

// counted adds n to m[signature], and returns m, which it creates if m is nil.
func counted(m map[string]int, signature string, n int) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[signature] += n
	return m
}

// withProbed returns the result, including failures that only probes have found. The
// counts of all other failures do not include probes.
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
