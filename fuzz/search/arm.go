package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// An Arm is a way of planning runs, such as a strategy. It may learn from the results of
// its runs. An Arm is used for one batch of runs only, so that what it knows does not
// depend on which worker ran earlier batches.
type Arm interface {
	// Plan completes the plan of the next run. The plan already has a seed for the
	// inputs, which changes at least every second run, and a seed for the strategy.
	Plan(p *props.Plan)
	// Learn is called with the result of the last planned run.
	Learn(res *props.Result)
}

// An Entry describes one arm of a portfolio, which is the list of arms of a search. Entries
// with the same name share one arm.
type Entry struct {
	Name string
	// Unguided is set if the arm plans each run independently of the results of other
	// runs. Estimates of unseen receive pairs use unguided runs only.
	Unguided bool
	// New returns the arm for batch number n.
	New func(n uint64) Arm
	// Renew resets an arm of an earlier batch to the state of New(n), to reuse its
	// memory. Renew returns false if it cannot reset the arm. It may be nil.
	Renew func(a Arm, n uint64) bool
	// Batch is the minimum number of runs per batch from which the arm learns enough;
	// zero means the default.
	Batch int
}

// guides lists the arms that are not strategies of package strategy.
var guides = [...]Entry{
	{Name: "bita", New: func(uint64) Arm { return &bita{} }},
	{Name: "guided", New: func(uint64) Arm { return newGuided() }, Batch: guidedBatch},
}

// Names returns the names of all arms: strategy.Names, bita and guided.
func Names() []string {
	names := strategy.Names()
	for _, e := range guides {
		names = append(names, e.Name)
	}
	return names
}

// meanings explains each arm in a few words.
var meanings = map[string]string{
	"plain":  "the oldest message first",
	"random": "any message, with equal chance",
	"pct":    "random priorities, which change a few times",
	"pctcp":  "like pct, with a priority for each chain of causes",
	"pos":    "random priorities, drawn again after each conflict",
	"urw":    "random, weighted by how many steps remain",
	"slow":   "holds some messages back, as a slow link would",
	"bita":   "forces orders of two messages that no run has shown",
	"guided": "changes runs that have shown something new",
}

// Meaning explains an arm in a few words, "" if its name is unknown.
func Meaning(name string) string { return meanings[name] }

// Strategies returns an entry for each of the given arm names. An unknown name is an error.
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

// A decider is an arm that runs every plan with the same strategy.
type decider struct{ strategy pulse.Strategy }

func newDecider(name string) decider {
	s, err := strategy.ByName(name)
	if err != nil {
		panic(err) // Strategies has checked the name
	}
	return decider{s}
}

// renewDecider resets the strategy of a decider, and reports whether that was possible.
func renewDecider(a Arm, _ uint64) bool {
	d, ok := a.(decider)
	return ok && strategy.Forget(d.strategy)
}

// Plan sets the strategy of the plan.
func (d decider) Plan(p *props.Plan) { p.Strategy = d.strategy }

// Learn does nothing, because the system informs the strategy when a run ends.
func (decider) Learn(*props.Result) {}
