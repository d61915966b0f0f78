package distill

import (
	"slices"
	"sync"

	"github.com/jostle-go/jostle/corpus"
)

// A Passed is a run that passed: the case that makes it again, and what it showed.
type Passed struct {
	Case  corpus.Case
	Pairs []Pair
}

// A Basket gathers runs that passed, and is bounded: when it is full, runs that show less
// than others are dropped. Several goroutines may use it. The zero Basket is empty.
type Basket struct {
	mu     sync.Mutex
	known  map[Pair]bool
	passed []Passed
	pairs  int // of all in passed
}

// A basket that has more than this many runs, or runs of more pairs, is distilled at once,
// to half of that at most; and it knows so many pairs. It must not grow with a search.
const (
	mostPassed   = 1000
	mostGathered = 1 << 20
	mostKnown    = 1 << 21
)

// Add keeps a run if it shows a pair that none before it showed. The caller leaves the
// run to the basket.
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

// Fewest returns runs that show all that was shown by those that were added, as few as
// the function Fewest finds; of those that show as much, the smaller case.
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

// distill leaves the fewest runs.
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
