package campaign

import (
	"maps"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/search"
)

// A Progress is how far the search in one property is.
type Progress struct {
	Subject string
	// State is one of the states.
	State State
	// Runs and Steps are those of the search so far, Findings how many failures are known.
	Runs, Steps, Findings int
	// Orders is how many orders of two receives the runs of this campaign have shown, and
	// Open how many pairs came in one order only, with nothing known that forbids the other.
	Orders, Open int
	// Likely is how likely it is that the next run at random shows a new order, by Good and
	// Turing's estimate, and High what it is at most. It is 0 and 1 while nothing is known.
	Likely, High float64
	// Arms has what each strategy has shown, by their names.
	Arms []Arm `json:",omitempty"`
}

// An Arm is what one strategy has shown.
type Arm struct {
	Name string
	Runs int
	// Fresh is about how many orders of two receives it has shown that no run before had:
	// of what a share of the search has shown first each strategy has its part.
	Fresh float64
}

// A State says whether more is searched for in a property.
type State string

// The states.
const (
	Waiting   State = "waiting"   // its saved cases have not run yet
	Searching State = "searching" // there is more to search for
	Complete  State = "complete"  // every order was run
	Saturated State = "saturated" // the next run hardly shows more
	GivenUp   State = "given up"  // nothing more can be searched for
	Over      State = "over"      // it has had its runs, or its failure
)

// stands returns whether more is searched for.
func (t *target) stands(o *Options) State {
	switch {
	case t.GivenUp != "":
		return GivenUp
	case !t.Begun:
		return Waiting
	case t.Complete != "":
		return Complete
	case t.Saturated != 0:
		return Saturated
	case t.open(o):
		return Searching
	}
	return Over
}

// progress returns how far the search in a target is. With counted, it counts what the
// runs have shown anew; else that is as it was last.
func (t *target) progress(o *Options, counted bool) Progress {
	p := &t.told
	p.Subject, p.State, p.Runs, p.Steps, p.Findings = t.subject.String(), t.stands(o), t.Tally.Runs, t.Tally.Steps, len(grouped(t.Findings))
	p.Orders = t.seen.Seen()
	if counted || p.High == 0 {
		chance := t.seen.Chance()
		p.Open, p.Likely, p.High = t.seen.Count().Open, chance.Likely, chance.High
	}
	p.Arms = t.arms()
	return *p
}

// arms returns what each strategy has shown.
func (t *target) arms() (list []Arm) {
	for _, name := range slices.Sorted(maps.Keys(t.Tally.By)) {
		list = append(list, Arm{name, t.Tally.By[name], t.Gained[name]})
	}
	return list
}

// gain adds what a share has shown that no run before it had to what its arms have: to
// each its part of what was new within the share, where it is known who has shown what.
func (t *target) gain(share *search.Tally, fresh int) {
	sum := 0
	for _, n := range share.Fresh {
		sum += n
	}
	if sum == 0 || fresh == 0 {
		return
	}
	if t.Gained == nil {
		t.Gained = map[string]float64{}
	}
	for name, n := range share.Fresh {
		t.Gained[name] += float64(n) * float64(fresh) / float64(sum)
	}
}

// costly is by how much longer than it has taken to count what was shown nothing is
// counted anew.
const costly = 100

// went tells how far the campaign is.
func (c *campaign) went() {
	e := Event{Kind: Went, Text: c.progress(), Left: c.left().Seconds()}
	began := time.Now()
	counted := !began.Before(c.recount)
	for _, t := range c.targets {
		e.Properties = append(e.Properties, t.progress(&c.Options, counted))
	}
	if counted {
		c.recount = time.Now().Add(costly * time.Since(began))
	}
	c.tell(e)
}

// left returns how much longer the campaign takes, by the time that it has or, if its runs
// are bounded, by how long they took; zero if that is not known.
func (c *campaign) left() (d time.Duration) {
	if c.over {
		return 0
	}
	if c.For > 0 {
		d = max(0, c.For-c.elapsed())
	}
	if c.Runs == 0 {
		return d
	}
	made, still := 0, 0
	for _, t := range c.targets {
		if made += t.Tally.Runs; t.Complete == "" && t.GivenUp == "" {
			still += max(0, c.Runs-t.Tally.Runs)
		}
	}
	if made == 0 {
		return d
	}
	by := time.Duration(float64(c.elapsed()) * float64(still) / float64(made))
	if c.For > 0 {
		return min(d, by)
	}
	return by
}
