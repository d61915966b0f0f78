package search

import (
	"slices"
	"strings"

	"github.com/jostle-go/jostle/props"
)

// stageRuns is the number of runs in a batch of the default portfolio. An arm learns only
// within a batch, so a batch has several runs. stageRuns is even, so no two batches share
// an input.
const stageRuns = 16

// A stage is a range of batches of the default portfolio that use the same arms.
type stage struct {
	until int // the number of the first batch after the stage; zero for the last stage
	// lists holds lists of arm names. The batches of the stage use the lists in turn.
	// The arms of a list take turns, apart from the runs that a share gives to the
	// random arm. The number of lists is coprime to earlyShare, because otherwise
	// some arms would have early timers in all of their runs, and other arms in none.
	lists []string
}

// stages are the stages of the default portfolio. The first stage is for bugs that random
// order finds in a few runs, and that no other arm finds sooner on the whole: nine of its
// 16 runs are random. The next stages have the arms that rarely need many more runs than
// random order. If a bug is not found in some hundred runs, random order finds it late or
// never. So the last stage has the arms that need fewer runs for such bugs, even if they
// need more for others. The lists were computed from the probability with which each arm
// finds each bug of our test subjects.
//
// The arm bita performs several consecutive runs with orders from one base run, so its
// entries come in groups. In the first two batches its first base run delivers the oldest
// message first, in the next two batches it is random, and so on.
var stages = [...]stage{
	{1, []string{"pctcp random urw random random urw random pct random random pctcp random pct random urw"}},
	{2, []string{"urw urw urw urw bita bita bita bita bita urw urw urw urw"}},
	{12, []string{
		"urw pct slow pct urw pct urw pos slow urw urw urw urw",
		"bita bita bita bita urw pct slow pct urw pct slow urw urw urw",
		"urw pct slow pct urw pctcp urw pct slow urw urw urw urw",
	}},
	{0, []string{
		"slow pos pct slow pct slow pos pctcp slow pos pct pos",
		"bita bita bita bita slow pos slow pct slow pctcp slow pos slow pct slow pos",
		"slow pos slow pct pos slow pct pos slow pctcp pos slow",
	}},
}

// usual returns the arms of the default portfolio.
func usual() []Entry {
	list, err := Strategies(floorArm, "pos", "urw", "pct", "pctcp", "slow", "bita")
	if err != nil {
		panic(err) // one of the names above is unknown
	}
	for i := range list {
		if list[i].Name == "bita" {
			list[i].New = func(batch uint64) Arm { return &bita{bases: int(batch >> 1 & 1)} }
			list[i].Renew = func(a Arm, batch uint64) bool {
				a.(*bita).renew(int(batch >> 1 & 1))
				return true
			}
		}
	}
	return list
}

const (
	floorArm  = "random"
	floorPart = 4 // the random arm gets at least 1/floorPart of the runs and of their cost
)

// costs has, for each arm, the average cost of a step, including the work of the arm
// before and after the run. The unit is a quarter of the cost of a step in random order.
var costs = map[string]int{floorArm: 4, "pct": 4, "pos": 5, "urw": 5, "pctcp": 6, "slow": 5, "bita": 8}

// A share divides the runs of one batch among the arms. The division depends only on the
// number of the batch and on earlier runs of the batch, so a batch can be replayed alone.
//
// In the default portfolio the random arm gets at least a quarter of the runs, and at least
// a quarter of the total cost, give or take one run. This minimum is the floor. If all runs
// of a batch so far had inputs with only one order, the random arm also gets the next run,
// because no other arm can find more and the random arm is the cheapest.
type share struct {
	floor *Entry // the arm with a guaranteed minimum; nil for none
	list  []*Entry
	taken int // the number of runs given to arms of the list

	runs, floorRuns int
	cost, floorCost int
	spent           int // the number of runs for which made was called with spent set
}

// A turns has the entries that take turns in the batches of a search.
type turns struct {
	floor *Entry // the random arm, which gets a minimum of the runs (see share); nil unless the portfolio is the default one
	// lists has, for each stage, the lists of the stage. A portfolio that is not the
	// default one has a single stage with a single list.
	lists [][][]*Entry
}

// newTurns returns the turns of a portfolio. staged is set for the default one.
func newTurns(portfolio []Entry, staged bool) (t turns) {
	if !staged {
		var list []*Entry
		for i := range portfolio {
			list = append(list, &portfolio[i])
		}
		return turns{lists: [][][]*Entry{{list}}}
	}
	byName := map[string]*Entry{}
	for i := range portfolio {
		byName[portfolio[i].Name] = &portfolio[i]
	}
	t = turns{floor: byName[floorArm], lists: make([][][]*Entry, len(stages))}
	for i, s := range stages {
		for _, names := range s.lists {
			var list []*Entry
			for _, name := range strings.Fields(names) {
				list = append(list, byName[name])
			}
			t.lists[i] = append(t.lists[i], list)
		}
	}
	return t
}

// share returns the share of a batch.
func (t *turns) share(batch int) share {
	i := 0
	if t.floor != nil {
		i = slices.IndexFunc(stages[:], func(s stage) bool { return batch < s.until || s.until == 0 })
	}
	lists := t.lists[i]
	return share{floor: t.floor, list: lists[batch%len(lists)]}
}

func (s *share) allSpent() bool { return s.spent == s.runs }

// next returns the arm of the next run.
func (s *share) next() *Entry {
	if s.floor != nil && (s.allSpent() || floorPart*s.floorRuns < s.runs+1 || floorPart*s.floorCost < s.cost) {
		return s.floor
	}
	s.taken++
	return s.list[(s.taken-1)%len(s.list)]
}

// made counts a completed run of an arm. spent is the result of isSpent for that run. It
// matters only if allSpent was true before.
func (s *share) made(e *Entry, res *props.Result, spent bool) {
	if spent {
		s.spent++
	}
	cost := costs[e.Name]
	if res.System != nil {
		cost *= 1 + res.System.Steps()
	}
	s.runs, s.cost = s.runs+1, s.cost+cost
	if e.Name == floorArm {
		s.floorRuns, s.floorCost = s.floorRuns+1, s.floorCost+cost
	}
}
