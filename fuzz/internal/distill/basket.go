package distill

import (
	"slices"
	"sync"

	"github.com/jostle-go/jostle/corpus"
)

// A Passed is a run that passed: the case that replays it, and its pairs.
type Passed struct {
	Case  corpus.Case
	Pairs []Pair
}

// A Basket collects passing runs. When it is full, it drops those that show less than
// others. Several goroutines may use it. The zero Basket is empty.
type Basket struct {
	mu     sync.Mutex
	known  map[Pair]bool
	passed []Passed
	pairs  int // in all runs of passed
}

// Limits that keep a basket from growing with the search. With more than mostPassed runs
// or mostGathered pairs it is distilled, to at most half of that. It knows at most about
// mostKnown pairs.
const (
	mostPassed   = 1000
	mostGathered = 1 << 20
	mostKnown    = 1 << 21
)

// Add adds a run if it shows a pair that no earlier one showed. The basket owns p from
// then on.
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

// Fewest returns runs that together show all pairs that were added: as few as the
// function Fewest finds, and among equals the smaller case.
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

// distill drops all runs but the fewest.
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
