package campaign

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/garbage"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
)

// A Progress is the progress of the search in one property.
type Progress struct {
	Subject string `json:"subject"`
	State   State  `json:"state"`
	// Runs, Steps and Findings count the runs, steps and distinct failures so far.
	Runs     int `json:"runs"`
	Steps    int `json:"steps"`
	Findings int `json:"findings"`
	// Orders is the number of distinct receive pairs in this campaign. Open counts the pairs whose
	// reverse order seems possible but has not occurred.
	Orders int `json:"orders"`
	Open   int `json:"open"`
	// Likely is the Good-Turing estimate of the probability that the next random run contains a
	// new receive pair, 0 while unknown. High is its upper bound, 1 while unknown.
	Likely float64 `json:"likely"`
	High   float64 `json:"high"`
	// Arms has the results of each strategy, sorted by name.
	Arms []Arm `json:"arms,omitempty"`
}

// An Arm is the result of one strategy.
type Arm struct {
	Name string `json:"name"`
	Runs int    `json:"runs"`
	// Fresh is the approximate number of new receive pairs that the strategy has found. The new
	// pairs of a series of batches are divided among the strategies that ran in the series.
	Fresh float64 `json:"fresh"`
}

// A State says whether the search in a property continues, and if not, why.
type State string

// The states.
const (
	Waiting   State = "waiting"   // the saved cases have not run yet
	Searching State = "searching" // the search continues
	Complete  State = "complete"  // every order was run
	Saturated State = "saturated" // new receive pairs have become rare (see Options.Saturated)
	GivenUp   State = "given up"  // the search was given up
	Over      State = "over"      // Options.Runs or Options.First has ended the search
)

// stands returns the State of the search in the property.
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

// progress returns the progress of the property. Open, Likely and High are recomputed only if
// counted is set.
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

// arms returns the results of each strategy.
func (t *target) arms() (list []Arm) {
	for _, name := range slices.Sorted(maps.Keys(t.Tally.By)) {
		list = append(list, Arm{name, t.Tally.By[name], t.Gained[name]})
	}
	return list
}

// gain divides the new receive pairs of a chunk among the strategies that ran in the chunk. Each
// strategy gets a part in proportion to the number of pairs that it was the first to find in the
// chunk.
func (t *target) gain(chunk *search.Tally, fresh int) {
	sum := 0
	for _, n := range chunk.Fresh {
		sum += n
	}
	if sum == 0 || fresh == 0 {
		return
	}
	if t.Gained == nil {
		t.Gained = map[string]float64{}
	}
	for name, n := range chunk.Fresh {
		t.Gained[name] += float64(n) * float64(fresh) / float64(sum)
	}
}

// costly limits the cost of recomputing the coverage. If one computation takes the time t, the next
// one begins at least costly times t later.
const costly = 100

// went reports the progress of the campaign as an event of the kind Went.
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
	for _, j := range c.flying {
		e.Doing = append(e.Doing, Doing{Subject: j.target.subject.String(), Do: j.request.Do, Seconds: j.cost().Seconds(), Waits: j.paused || j.idle.Load()})
	}
	c.tell(e)
}

// progress returns the progress of the campaign as text: "3 of 5 properties not finished, 1 failure found".
func (c *campaign) progress() string {
	found, open := 0, 0
	for _, t := range c.targets {
		found += len(t.Findings)
		if t.open(&c.Options) || !t.Begun {
			open++
		}
	}
	return fmt.Sprintf("%d of %d properties not finished, %s found", open, len(c.targets), words.Count(found, "failure"))
}

// left estimates the time left from the time limit and from the speed of runs so far. It returns
// zero if the time is unknown.
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

// tell adds the counts of all properties to an event and passes it to Options.Tell.
func (c *campaign) tell(e Event) {
	if c.Tell == nil {
		return
	}
	for _, t := range c.targets {
		e.Runs += t.Tally.Runs
		e.Orders += t.seen.Seen()
	}
	e.Seconds = c.elapsed().Seconds()
	if e.Kind == Went || e.Kind == Ended {
		e.Memory, e.Deaths = garbage.Memory(), c.deaths
		for _, h := range c.hands {
			e.Workers += h.memory.Load()
		}
	}
	c.Tell(e)
}
