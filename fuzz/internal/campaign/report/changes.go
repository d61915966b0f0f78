package report

import "slices"

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

// Compare sets r.Changes to the differences between last, an earlier report, and r. If last is nil,
// Changes is nil.
func (r *Report) Compare(last *Report) {
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
