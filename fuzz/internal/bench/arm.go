package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// An Arm is a way of searching for a bug, such as a strategy.
type Arm struct {
	Name string
	// Meaning explains the arm in a few words.
	Meaning string
	// Portfolio lists the strategies that perform the runs in turn. An empty list means
	// the default portfolio of package search.
	Portfolio []search.Entry
}

// Random is the name of the arm with which all other arms are compared.
const Random = "random"

// Arms returns all arms in the order of the tables: plain random, the default portfolio,
// the arms of package search by name, and the baselines.
func Arms() []Arm {
	list := []Arm{named(Random), {Name: "portfolio", Meaning: "what jostle check does: it divides the runs among several arms"}}
	for _, name := range search.Names() {
		if name == "bita" {
			list = append(list, baseline("delay", "the oldest message first, except for a few delayed messages", newBounded))
		}
		if name != Random {
			list = append(list, named(name))
		}
	}
	return append(list, baseline("delays", "a random delay for each message", newDelays), baseline("jitter", "the oldest message first, with some noise", newJitter))
}

// ArmsByName returns the arms with the given names.
func ArmsByName(names ...string) (list []Arm, err error) {
	all := Arms()
	for _, name := range names {
		i := slices.IndexFunc(all, func(a Arm) bool { return a.Name == name })
		if i < 0 {
			var known []string
			for _, a := range all {
				known = append(known, a.Name)
			}
			return nil, fmt.Errorf("there is no arm %q; arms are %s", name, strings.Join(known, ", "))
		}
		list = append(list, all[i])
	}
	return list, nil
}

func named(name string) Arm {
	entries, err := search.Strategies(name)
	if err != nil {
		panic(err) // unreachable: search.Names has returned the name
	}
	return Arm{name, search.Meaning(name), entries}
}

// baseline returns an arm for a strategy that exists only to be compared with.
func baseline(name, meaning string, make func() pulse.Strategy) Arm {
	return Arm{name, meaning, []search.Entry{{Name: name, New: func(uint64) search.Arm { return only{make()} }}}}
}

// only is a planner of runs that gives all runs the same strategy.
type only struct{ strategy pulse.Strategy }

// Plan sets the strategy of a run.
func (o only) Plan(p *props.Plan) { p.Strategy = o.strategy }

// Learn does nothing.
func (only) Learn(*props.Result) {}
