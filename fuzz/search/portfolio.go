package search

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// A Bandit shares the runs of a search among arms by what each has shown lately for
// what it costs. It plans one batch after another.
//
// A run is worth the more the more pairs of receives it has shown that no run had shown
// before, and most if it fails: see Yield. What an arm has been worth, and what its runs
// have cost, counts less with each batch: after memory batches about a third of it. Each
// run that the floor does not take goes to the arm with the highest
//
//	(worth + optimism) / cost
//
// So an arm that is as good as any gets most runs. One that is worse gets as many as it
// takes to know that: they cost what the best arm would have made into a worth of
// optimism, whatever the rates are, once in the time that the bandit remembers. Where no
// arm shows anything new, each has a part of the cost as large as its optimism. That is
// the larger the more entries the arm has: what there is to say for an arm before the
// first run. Arms of which nothing is known come first.
//
// The floor: the arm of the first entry, which is plain random in Check, keeps at least a quarter of
// the runs after each batch, and of the cost as far as that can be foreseen. What runs
// cost more than those of their arm before is made up for by the next batches.
//
// A bandit has no chance in it but the order of a batch, which follows from the seed, and
// computes with whole numbers: the same yields lead to the same plans on every machine.
// So a search by one worker repeats itself. With several workers it does if Plan and
// Learn are called in the same order: a batch is planned when all those are over that
// come a fixed number of batches before it, at least as many as there are workers, and
// what came of a batch is told when what came of all before it has been.
type Bandit struct {
	seed  uint64
	arms  []*share
	batch uint64 // how many were planned
}

// A Yield is what came of one run.
type Yield struct {
	// Cost is what the run took, the same on every machine: its steps, and how many
	// waiting messages its strategy has looked at.
	Cost int
	// Pairs is how many pairs of receives it has shown that no run had shown before.
	Pairs  int
	Failed bool
}

const (
	floorPart = 4       // the first arm has at least one part in so many
	memory    = 16      // batches
	unit      = 16      // bits of a share's numbers behind the point
	optimism  = 4       // the worth of it, in the mean of the arms
	mostWorth = 8       // of a run by its pairs
	ofFailure = 32      // the worth of a failure
	mostCost  = 1 << 28 // of a run; what is above makes no difference
)

// worth is the number of binary digits of the new pairs: the first matters most, and a
// run of a larger input than others is worth a little more, not a hundred times as much.
func (y Yield) worth() uint64 {
	n := min(uint64(bits.Len(uint(max(0, y.Pairs)))), mostWorth)
	if y.Failed {
		n += ofFailure
	}
	return n
}

func (y Yield) cost() uint64 { return min(uint64(max(1, y.Cost)), mostCost) }

// A share is what a bandit knows of one arm.
type share struct {
	Entry
	optimism uint64
	// What its runs were worth, what they cost and how many there were, with less
	// weight the longer it is ago.
	worth, cost, runs uint64
	// Invariant: told plus waiting is how many of its runs were planned.
	told, spent       uint64 // the runs that are over, and their cost
	waiting, expected uint64 // the runs that are not, and what they are expected to cost
}

// NewBandit returns a bandit for the arms of a portfolio. That of its first entry keeps
// the floor.
func NewBandit(seed uint64, portfolio ...Entry) (*Bandit, error) {
	if len(portfolio) == 0 {
		return nil, errors.New("a bandit needs an arm")
	}
	b := &Bandit{seed: seed}
	entries := map[string]uint64{}
	for _, e := range portfolio {
		if entries[e.Name]++; entries[e.Name] == 1 {
			b.arms = append(b.arms, &share{Entry: e})
		}
	}
	for _, s := range b.arms {
		s.optimism = optimism << unit * entries[s.Name] * uint64(len(b.arms)) / uint64(len(portfolio))
	}
	return b, nil
}

func (b *Bandit) arm(name string) *share {
	for _, s := range b.arms {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Plan returns the entries of the next batch, one for each of so many runs. An arm that
// is not able to help, as one that forces orders is when none are left to force, gets
// none; able may be nil. The first arm is always able.
func (b *Bandit) Plan(runs int, able func(name string) bool) []Entry {
	b.forget()
	var list []*share
	for i, s := range b.arms {
		if i == 0 || able == nil || able(s.Name) {
			list = append(list, s)
		}
	}
	var plan []Entry
	for range runs {
		s := b.best(list)
		if !b.affords(s) {
			s = b.arms[0]
		}
		cost := b.mean(s)
		s.waiting, s.expected = s.waiting+1, s.expected+cost
		plan = append(plan, s.Entry)
	}
	r := rand.New(rand.NewPCG(b.seed, b.batch))
	r.Shuffle(len(plan), func(i, j int) { plan[i], plan[j] = plan[j], plan[i] })
	b.batch++
	return plan
}

// forget has all that was learned count less.
func (b *Bandit) forget() {
	for _, s := range b.arms {
		for _, n := range []*uint64{&s.worth, &s.cost, &s.runs} {
			*n -= *n / memory
		}
	}
}

// best returns the first of the arms that promise most, as if those of their runs that
// are not over went as those before.
func (b *Bandit) best(list []*share) *share {
	best := list[0]
	for _, s := range list[1:] {
		if b.promisesMore(s, best) {
			best = s
		}
	}
	return best
}

func (b *Bandit) promisesMore(s, t *share) bool {
	worthS, costS := b.foreseen(s)
	worthT, costT := b.foreseen(t)
	hiS, loS := bits.Mul64(worthS+s.optimism, costT)
	hiT, loT := bits.Mul64(worthT+t.optimism, costS)
	return hiS > hiT || hiS == hiT && loS > loT
}

// foreseen returns what an arm has been worth, and has cost, with what those of its runs
// are expected to add that are not over.
func (b *Bandit) foreseen(s *share) (worth, cost uint64) {
	worth, cost = s.worth, s.cost+s.expected<<unit
	if s.runs > 0 {
		worth += s.waiting * (s.worth / max(1, s.runs>>unit))
	}
	return worth, cost
}

// affords reports whether the floor leaves room for a run of an arm.
func (b *Bandit) affords(s *share) bool {
	first := b.arms[0]
	runs, cost := uint64(1), b.mean(s)
	for _, a := range b.arms {
		runs += a.planned()
		cost += a.spent + a.expected
	}
	return floorPart*first.planned() >= runs && floorPart*(first.spent+first.expected) >= cost
}

// planned returns how many runs of an arm were planned.
func (s *share) planned() uint64 { return s.told + s.waiting }

// mean returns what a run of an arm is expected to cost: what its last ones did, or all,
// or those of all arms.
func (b *Bandit) mean(s *share) uint64 {
	switch {
	case s.runs >= 1<<unit:
		return max(1, s.cost/s.runs)
	case s.told > 0:
		return max(1, s.spent/s.told)
	}
	told, spent := uint64(0), uint64(0)
	for _, a := range b.arms {
		told, spent = told+a.told, spent+a.spent
	}
	return max(1, spent/max(1, told))
}

// Learn is told what came of a run that was planned. It panics if there is no such run.
func (b *Bandit) Learn(name string, y Yield) {
	s := b.arm(name)
	if s == nil || s.waiting == 0 {
		panic(fmt.Sprintf("a bandit is told of a run by %q that it has not planned", name))
	}
	s.expected -= s.expected / s.waiting
	s.waiting--
	s.told++
	s.spent += y.cost()
	s.worth += y.worth() << unit
	s.cost += y.cost() << unit
	s.runs += 1 << unit
}
