package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// An Arm plans runs in its own way and learns from what came of them. It lives
// for one batch: what it learns from one run for the next so does not depend
// on which worker ran the batches before.
type Arm interface {
	// Plan says how the next run is decided. The plan already has the seed of
	// its inputs, which is a new one in every second run or sooner, and a seed for the
	// strategy.
	Plan(p *props.Plan)
	// Learn is told what came of the run that was planned last.
	Learn(res *props.Result)
}

// An Entry is a place for an arm in a portfolio. Entries of the same name
// share one arm.
type Entry struct {
	Name string
	// Unguided reports that what the arm plans does not depend on what came of
	// other runs: what its next run shows can be told from its runs.
	Unguided bool
	// New returns the arm for batch number n.
	New func(n uint64) Arm
	// Renew has an arm of an earlier batch do from now on what New(n) would, so that its
	// memory is used again. It returns false when it cannot. It may be nil.
	Renew func(a Arm, n uint64) bool
	// Batch is how many runs a batch should have for the arm to learn enough; zero
	// is what is usual.
	Batch int
}

// guides are the arms that are no strategies.
var guides = [...]Entry{
	{Name: "bita", New: func(uint64) Arm { return &bita{} }},
	{Name: "guided", New: func(uint64) Arm { return newGuided() }, Batch: guidedBatch},
}

// Names returns the names of all arms: those of strategy.Names, bita and guided.
func Names() []string {
	names := strategy.Names()
	for _, e := range guides {
		names = append(names, e.Name)
	}
	return names
}

// Strategies returns an entry for each name of an arm, as Names lists them.
func Strategies(names ...string) ([]Entry, error) {
	var list []Entry
	for _, name := range names {
		if i := slices.IndexFunc(guides[:], func(e Entry) bool { return e.Name == name }); i >= 0 {
			list = append(list, guides[i])
			continue
		}
		if _, err := strategy.ByName(name); err != nil {
			return nil, fmt.Errorf("no strategy is called %q; there are %s", name, strings.Join(Names(), ", "))
		}
		list = append(list, Entry{Name: name, Unguided: name == "random",
			New: func(uint64) Arm { return newDecider(name) }, Renew: renewDecider})
	}
	return list, nil
}

// A decider is the arm of one strategy, which learns by itself if it does.
type decider struct{ strategy pulse.Strategy }

func newDecider(name string) decider {
	s, err := strategy.ByName(name)
	if err != nil {
		panic(err) // Strategies has looked
	}
	return decider{s}
}

// renewDecider has the strategy of a decider forget.
func renewDecider(a Arm, _ uint64) bool {
	d, ok := a.(decider)
	return ok && strategy.Forget(d.strategy)
}

// Plan has the strategy decide.
func (d decider) Plan(p *props.Plan) { p.Strategy = d.strategy }

// Learn does nothing: a strategy is told of the end of each run by its system.
func (decider) Learn(*props.Result) {}
