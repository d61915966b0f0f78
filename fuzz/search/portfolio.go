package search

import (
	"slices"
	"strings"

	"github.com/jostle-go/jostle/props"
)

// stageRuns is how many runs a batch of the default portfolio has. An arm learns from
// some of them for the others. It is even: no two batches share an input.
const stageRuns = 16

// A stage is a range of batches of the default portfolio.
type stage struct {
	until int // the batch before which it ends; zero for the last stage
	// lists are the arms of the batches, one list per batch in turn, in addition to the
	// floor: see share. A batch repeats its list at its end. The number of lists is coprime
	// to earlyShare: otherwise some arms would have early timers in all of their runs, and
	// others in none.
	lists []string
}

// stages are those of the default portfolio. First come bugs that random order finds in a
// few runs, and nothing finds all of them sooner: nine of the first 16 runs are random. Then
// come the arms that rarely need many more runs than random. Random order finds a bug late,
// if at all, that some hundred runs have not shown. So the last stage has the arms that need
// fewer runs for such bugs, though more for others. The shares were computed from the
// chances of each arm to find the bugs of the subjects.
//
// The orders that bita makes from one run follow each other, so there are several of them.
// In the first two batches they are made from runs in plain order, later alternately from
// those and from runs in random order.
var stages = [...]stage{
	{1, []string{"pctcp random urw random random urw random pct random random pctcp random pct random urw"}},
	{2, []string{"urw urw urw urw bita bita bita bita bita urw urw urw urw"}},
	{12, []string{
		"urw pct urw pct urw pct urw pos urw urw urw urw",
		"bita bita bita bita urw pct urw pct urw pct urw urw urw",
		"urw pct urw pct urw pctcp urw pct urw urw urw urw",
	}},
	{0, []string{
		"pos pct pos pos pctcp pos pct pos pos pct pos pos",
		"bita bita bita bita pos pct pos pos pct pos pos pct pos pos pos",
		"pos pct pos pos pct pos urw pct pos pos pct pos",
	}},
}

// listOf returns the arms of a batch of the default portfolio.
func listOf(batch int) []string {
	i := slices.IndexFunc(stages[:], func(s stage) bool { return batch < s.until || s.until == 0 })
	lists := stages[i].lists
	return strings.Fields(lists[batch%len(lists)])
}

// usual returns the arms of the default portfolio.
func usual() []Entry {
	list, err := Strategies(floorArm, "pos", "urw", "pct", "pctcp", "bita")
	if err != nil {
		panic(err) // one of the names is wrong
	}
	for i := range list {
		if list[i].Name == "bita" {
			list[i].New = func(batch uint64) Arm { return &bita{bases: int(batch >> 1 & 1)} }
			list[i].Renew = func(a Arm, batch uint64) bool {
				b := a.(*bita)
				*b = bita{forced: b.forced, bases: int(batch >> 1 & 1)}
				return true
			}
		}
	}
	return list
}

const (
	floorArm  = "random"
	floorPart = 4 // the floor's arm gets at least one part in this many
)

// costs is the cost of a step by arm, including the arm's work before and after the run, in
// quarters of a step in random order. They are means over the subjects.
var costs = map[string]int{floorArm: 4, "pct": 4, "pos": 5, "urw": 5, "pctcp": 6, "bita": 8}

// A share distributes the runs of one batch. It depends only on the number of the batch and
// on the batch's own runs, so that the batch can be replayed by itself.
//
// In the default portfolio plain random has a floor of a quarter. After a run of another arm
// it still has a quarter of the runs. While it has had less than a quarter of their cost, no
// other arm gets a run. So the floor holds after each run, up to that run's cost. If all
// runs of a batch had inputs with only one order, no arm is better than random, which is the
// cheapest: the others get nothing.
type share struct {
	floor *Entry // nil for none
	list  []*Entry
	taken int // of the list

	runs, floorRuns int
	cost, floorCost int
	spent           int // runs that showed all that their inputs can
}

// newShare returns the share for a batch.
func (s *sampler) newShare(batch int) *share {
	if !s.staged {
		out := &share{}
		for i := range s.Portfolio {
			out.list = append(out.list, &s.Portfolio[i])
		}
		return out
	}
	byName := func(name string) *Entry {
		return &s.Portfolio[slices.IndexFunc(s.Portfolio, func(e Entry) bool { return e.Name == name })]
	}
	out := &share{floor: byName(floorArm)}
	for _, name := range listOf(batch) {
		out.list = append(out.list, byName(name))
	}
	return out
}

// next returns the entry for the next run.
func (s *share) next() *Entry {
	if s.floor != nil && (s.spent == s.runs || floorPart*s.floorRuns < s.runs+1 || floorPart*s.floorCost < s.cost) {
		return s.floor
	}
	s.taken++
	return s.list[(s.taken-1)%len(s.list)]
}

// made notes a completed run, and whether it was spent.
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
