package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// An Arm is one way to search.
type Arm struct {
	Name string
	// Portfolio is what makes the runs, in turns; none is what searches have by default.
	Portfolio []search.Entry
}

// Random is the name of the arm with which all others are compared.
const Random = "random"

// Arms returns all arms: plain random first, then the default portfolio, then the
// arms that package search knows by name, and the baselines. Tables list them in this order.
func Arms() []Arm {
	list := []Arm{named(Random), {Name: "portfolio"}}
	for _, name := range search.Names() {
		if name == "bita" {
			list = append(list, baseline("delay", newBounded))
		}
		if name != Random {
			list = append(list, named(name))
		}
	}
	return append(list, baseline("delays", newDelays), baseline("jitter", newJitter))
}

// ArmsByName returns the arms with some names, of those that there are.
func ArmsByName(names ...string) (list []Arm, err error) {
	all := Arms()
	for _, name := range names {
		i := slices.IndexFunc(all, func(a Arm) bool { return a.Name == name })
		if i < 0 {
			var known []string
			for _, a := range all {
				known = append(known, a.Name)
			}
			return nil, fmt.Errorf("no arm is called %q; there are %s", name, strings.Join(known, ", "))
		}
		list = append(list, all[i])
	}
	return list, nil
}

// named returns an arm that package search knows by its name.
func named(name string) Arm {
	entries, err := search.Strategies(name)
	if err != nil {
		panic(err) // search.Names has it
	}
	return Arm{name, entries}
}

// baseline returns the arm of a strategy that is here for comparison only.
func baseline(name string, make func() pulse.Strategy) Arm {
	return Arm{name, []search.Entry{{Name: name, New: func(uint64) search.Arm { return only{make()} }}}}
}

// only is the arm of one strategy.
type only struct{ strategy pulse.Strategy }

// Plan has the strategy decide.
func (o only) Plan(p *props.Plan) { p.Strategy = o.strategy }

// Learn does nothing.
func (only) Learn(*props.Result) {}
