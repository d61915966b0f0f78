package distill

import (
	"slices"
	"sync"

	"github.com/jostle-go/jostle/corpus"
)

// A Passed is a run that passed: the case that replays the run, and the receive pairs of
// the run.
type Passed struct {
	Case  corpus.Case
	Pairs []Pair
}

// A Basket collects passing runs with new receive pairs. When it is full, it drops runs
// whose pairs are also in other runs of the basket. Several goroutines may use a Basket.
// The zero Basket is empty.
type Basket struct {
	mu     sync.Mutex
	known  map[Pair]bool // the pairs of all added runs
	passed []Passed
	pairs  int // the number of pairs of all collected runs, including repeated pairs
}

// Limits that keep a basket from growing with the search.
const (
	// A basket with more than mostPassed runs or mostGathered pairs is distilled. It
	// then has at most half as many of both.
	mostPassed   = 1000
	mostGathered = 1 << 20
	// mostKnown limits the number of known pairs. A basket beyond this limit accepts no
	// more runs.
	mostKnown = 1 << 21
)

// Add adds a run if the run contains a pair that no earlier run contained. The caller
// must not use p afterwards.
func (b *Basket) Add(p Passed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil {
		b.known = map[Pair]bool{}
	}
	if len(b.known) > mostKnown {
		return
	}
	fresh := false
	for _, pair := range p.Pairs {
		if !b.known[pair] {
			fresh, b.known[pair] = true, true
		}
	}
	if !fresh {
		return
	}
	b.passed = append(b.passed, p)
	if b.pairs += len(p.Pairs); len(b.passed) > mostPassed || b.pairs > mostGathered {
		b.distill()
	}
}

// Fewest returns the cases of a few runs that together contain all pairs of the added
// runs. The function Fewest selects the runs. Among equally good runs it selects the one
// with the smallest case.
func (b *Basket) Fewest() []corpus.Case {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.distill()
	var cases []corpus.Case
	for _, p := range b.passed {
		cases = append(cases, p.Case)
	}
	return cases
}

// distill drops all runs except the runs that the function Fewest selects. It keeps at
// most mostPassed/2 runs and mostGathered/2 pairs.
func (b *Basket) distill() {
	slices.SortStableFunc(b.passed, func(p, q Passed) int { return p.Case.Compare(&q.Case) })
	var sets [][]Pair
	for _, p := range b.passed {
		sets = append(sets, p.Pairs)
	}
	var left []Passed
	b.pairs = 0
	for _, i := range Fewest(sets) {
		if len(left) == mostPassed/2 || b.pairs+len(sets[i]) > mostGathered/2 {
			break
		}
		left = append(left, b.passed[i])
		b.pairs += len(sets[i])
	}
	b.passed = left
}
