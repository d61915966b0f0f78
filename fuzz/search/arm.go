package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// An Arm plans runs in its own way and learns from their results. It lives for one batch,
// so that what it learns does not depend on which worker ran earlier batches.
type Arm interface {
	// Plan sets how the next run is decided. The plan already has a seed for the
	// inputs, which changes with every second run or sooner, and a seed for the
	// strategy.
	Plan(p *props.Plan)
	// Learn is called with the result of the run planned last.
	Learn(res *props.Result)
}

// An Entry is an entry for an arm in a portfolio. Entries with the same name share one
// arm.
type Entry struct {
	Name string
	// Unguided reports whether the arm's plans are independent of the results of
	// other runs. Then its past runs predict what its next run shows.
	Unguided bool
	// New returns the arm for batch number n.
	New func(n uint64) Arm
	// Renew resets an arm of an earlier batch to the state of New(n), to reuse its
	// memory. It returns false if it cannot. It may be nil.
	Renew func(a Arm, n uint64) bool
	// Batch is the number of runs per batch that the arm needs to learn enough; zero
	// means the default.
	Batch int
}

// guides are the arms that are not strategies.
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

// Strategies returns an entry for each given name of an arm; see Names.
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

// A decider is the arm of one strategy. It learns only if the strategy does.
type decider struct{ strategy pulse.Strategy }

func newDecider(name string) decider {
	s, err := strategy.ByName(name)
	if err != nil {
		panic(err) // Strategies has checked the name
	}
	return decider{s}
}

// renewDecider makes the strategy of a decider forget.
func renewDecider(a Arm, _ uint64) bool {
	d, ok := a.(decider)
	return ok && strategy.Forget(d.strategy)
}

// Plan lets the strategy decide.
func (d decider) Plan(p *props.Plan) { p.Strategy = d.strategy }

// Learn does nothing: the system tells a strategy when a run ends.
func (decider) Learn(*props.Result) {}
