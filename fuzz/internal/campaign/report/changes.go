package report

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// Changes are the differences between a report and an earlier report.
type Changes struct {
	// New lists the failures that only the later report has, as property and headline.
	New []string `json:"new"`
	// Gone lists the failures that only the earlier report has. The bugs behind them may still
	// exist.
	Gone []string `json:"gone"`
	// Added lists the properties that only the later report has.
	Added []string `json:"added"`
	// Removed lists the properties that only the earlier report has.
	Removed []string `json:"removed"`
	// Orders lists the properties whose number of receive pairs has changed.
	Orders []Growth `json:"orders"`
}

// A Growth is the number of receive pairs of a property before and now.
type Growth struct {
	Name   string `json:"name"`
	Before int    `json:"before"`
	Now    int    `json:"now"`
}

// String returns "bank neverOverdrawn: 14 receive pairs seen, 12 before".
func (g Growth) String() string {
	return fmt.Sprintf("%s: %s seen, %s before", g.Name, words.Count(g.Now, "receive pair"), words.Grouped(g.Before))
}

// Compare sets r.Changes to the differences between last, an earlier report, and r, and r.Bugs to the
// failures of both. If last is nil, Changes is nil.
func (r *Report) Compare(last *Report) {
	r.track(last)
	if r.Changes = nil; last == nil {
		return
	}
	c := &Changes{New: r.without(last), Gone: last.without(r), Added: []string{}, Removed: []string{}, Orders: []Growth{}}
	for i := range r.Properties {
		now := &r.Properties[i]
		before := last.property(now.Name)
		switch {
		case before == nil:
			c.Added = append(c.Added, now.Name)
		case before.Coverage.Seen != now.Coverage.Seen:
			c.Orders = append(c.Orders, Growth{now.Name, before.Coverage.Seen, now.Coverage.Seen})
		}
	}
	for i := range last.Properties {
		if name := last.Properties[i].Name; r.property(name) == nil {
			c.Removed = append(c.Removed, name)
		}
	}
	r.Changes = c
}

func (r *Report) property(name string) *Property {
	for i := range r.Properties {
		if r.Properties[i].Name == name {
			return &r.Properties[i]
		}
	}
	return nil
}

// without lists the failures of r that are not in the report other.
func (r *Report) without(other *Report) []string {
	list := []string{}
	for i := range r.Properties {
		p := &r.Properties[i]
		for k := range p.Findings {
			if f := &p.Findings[k]; !other.property(p.Name).has(f.Signature) {
				list = append(list, p.Name+": "+f.Headline())
			}
		}
	}
	return list
}

// has reports whether a property, which may be nil, has a finding with the signature.
func (p *Property) has(signature string) bool {
	return p != nil && slices.ContainsFunc(p.Findings, func(f Finding) bool { return f.Signature == signature })
}

// lines returns the changes as lines of text.
func (c *Changes) lines() (list []string) {
	for _, part := range []struct {
		what string
		of   []string
	}{{"new failure: ", c.New}, {"not found again: ", c.Gone}, {"new property: ", c.Added}, {"property removed: ", c.Removed}} {
		for _, text := range part.of {
			list = append(list, part.what+text)
		}
	}
	for _, g := range c.Orders {
		list = append(list, g.String())
	}
	if len(list) == 0 {
		list = append(list, "nothing")
	}
	return list
}

// A State says whether a failure is in this report, and whether it was in earlier ones.
type State string

// The states.
const (
	Fresh     State = "new"             // it fails, and no earlier report has it
	Known     State = "known"           // it fails, and the last report or a saved case has it
	BackAgain State = "back again"      // it fails again: an earlier report has it, but not the last one
	Mended    State = "mended"          // its saved case passes
	NotFound  State = "not found again" // it did not fail, but its saved case does not prove that it is mended
)

// A Bug is one row of the summary: a failure of this report or of an earlier one.
type Bug struct {
	Property  string `json:"property"`
	Signature string `json:"signature"`
	State     State  `json:"state"`
	Headline  string `json:"headline"` // what went wrong and where, in one line
	Cause     string `json:"cause"`    // the cause in about ten words, "" if unknown
	Share     string `json:"share"`    // which of all orders fail: "2 of 3", "" if unknown
	Runs      int    `json:"runs"`     // the number of runs that it took to find the failure, 0 if a saved case showed it or if unknown
	Case      string `json:"case"`     // the path of its saved case, "" if it has none
	Again     string `json:"again"`    // the command that runs its saved case again, "" if it has none

	saved bool // set if a saved case showed the failure in this report
}

// mostGone limits the number of bugs of earlier reports that a report has.
const mostGone = 200

// failing reports whether the failure is in the report.
func (b *Bug) failing() bool { return b.State == Fresh || b.State == Known || b.State == BackAgain }

// bug returns the row for finding k of the property. Its state is that of a failure which no earlier
// report has.
func (p *Property) bug(k int) Bug {
	f := &p.Findings[k]
	b := Bug{Property: p.Name, Signature: f.Signature, State: Fresh, Headline: f.Headline(), Cause: f.Brief(), Share: f.Share(), Runs: f.Run, Case: f.Path, saved: f.Known}
	if f.Path != "" {
		b.Again = f.Again(f.Path)
	}
	if f.Known {
		b.State = Known
	}
	return b
}

// track sets r.Bugs and the state of each finding, with the help of the last report, which may be
// nil.
func (r *Report) track(last *Report) {
	earlier := []Bug{}
	if last != nil {
		earlier = last.Bugs
	}
	find := func(list []Bug, property, signature string) int {
		return slices.IndexFunc(list, func(b Bug) bool { return b.Property == property && b.Signature == signature })
	}
	r.Bugs = []Bug{}
	for i := range r.Properties {
		p := &r.Properties[i]
		for k := range p.Findings {
			b := p.bug(k)
			if at := find(earlier, b.Property, b.Signature); at >= 0 && earlier[at].failing() {
				b.State = Known
			} else if at >= 0 {
				b.State = BackAgain
			}
			p.Findings[k].State = b.State
			r.Bugs = append(r.Bugs, b)
		}
	}
	now := len(r.Bugs)
	for _, b := range earlier {
		p := r.property(b.Property)
		if p == nil || len(r.Bugs) == now+mostGone || find(r.Bugs, b.Property, b.Signature) >= 0 {
			continue
		}
		if slices.Contains(p.Mended, b.Case) {
			b.State = Mended
		} else if b.failing() {
			b.State = NotFound
		}
		r.Bugs = append(r.Bugs, b)
	}
}

// found says in how many runs the search found the bug.
func (b *Bug) found() string {
	switch {
	case b.Runs > 0:
		return words.Grouped(b.Runs)
	case b.saved:
		return "saved case"
	}
	return ""
}

// sentence summarizes the bugs that fail now: "3 bugs in 2 of 5 properties, 1 new since the last report".
func (r *Report) sentence() string {
	bugs, fresh, failing := 0, 0, 0
	for i := range r.Bugs {
		if b := &r.Bugs[i]; b.failing() {
			if bugs++; b.State == Fresh {
				fresh++
			}
		}
	}
	for i := range r.Properties {
		if len(r.Properties[i].Findings) > 0 {
			failing++
		}
	}
	text := fmt.Sprintf("%s in %d of %s", words.Count(bugs, "bug"), failing, words.Count(len(r.Properties), "property"))
	if bugs == 0 {
		text = "no bugs in " + words.Count(len(r.Properties), "property")
	}
	if r.Changes != nil {
		text += fmt.Sprintf(", %s new since the last report", words.Grouped(fresh))
	}
	return text
}
