// Package report writes the results of a campaign for people and programs: as one HTML file that
// needs neither a network nor a script, and as JUnit XML, SARIF, JSON and Markdown.
//
//	r := report.New(done, root)       // done is a *campaign.Report
//	last, err := report.Read(folder)  // the report of the previous campaign, if there is one
//	r.Compare(last)
//	err = r.Write(folder)
//
// The JSON has the fields of Report; report.schema.json is its JSON Schema. New fields may be added without notice. If a field is removed
// or changes its meaning, Format changes. Programs must check Format before they read other fields.
package report

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/search"
)

// Format is the version of the JSON. It changes when a name changes its meaning or is removed.
const Format = 3

// A Report is the result of a campaign.
type Report struct {
	Format     int          `json:"format"`
	Ended      campaign.End `json:"ended"` // why the campaign has ended, "" if it is still running
	Seconds    float64      `json:"seconds"`
	Runs       int          `json:"runs"`
	Deaths     int          `json:"deaths"` // number of worker processes that died
	Properties []Property   `json:"properties"`
	// Version is the version of jostle that wrote the report.
	Version string `json:"version"`
	// Bugs has one entry for each failure of this report, and then one for each failure of earlier
	// reports.
	Bugs []Bug `json:"bugs"`
	// Changes lists the differences from the last report; nil if there was no earlier report.
	Changes *Changes `json:"changes,omitempty"`
}

// A Property is the result of the search in one property.
type Property struct {
	Name       string    `json:"name"` // the property's name with its package and test (see campaign.Subject.String)
	Package    string    `json:"package"`
	Test       string    `json:"test"`
	Passed     bool      `json:"passed"` // set if there are neither findings nor complaints
	Runs       int       `json:"runs"`
	Steps      int       `json:"steps"`
	Seconds    float64   `json:"seconds"`    // processor time of the runs
	Ran        string    `json:"ran"`        // what was run, in words
	Complete   string    `json:"complete"`   // says that every order was run, "" if some were not run
	Complaints []string  `json:"complaints"` // why the property was not tested sufficiently
	Notes      []string  `json:"notes"`
	Findings   []Finding `json:"findings"`
	Arms       []Arm     `json:"arms"` // the results of each strategy, sorted by number of new receive pairs, largest first
	Coverage   Coverage  `json:"coverage"`
	Sometimes  []Reached `json:"sometimes"` // the situations that the property gave to Sometimes, sorted by number of runs
	// Labels has the values that the property gave to Label.
	Labels []search.Distribution `json:"labels"`
	Mended []string              `json:"mended"` // files of saved cases whose failure is mended
}

// A Finding is a failure, or the death of a process. Its paths are relative to the parameter root
// of New.
type Finding struct {
	record.Record
	Times int `json:"times"` // number of runs with this failure
	// Source is the path of the source file with the line that failed, relative to the parameter
	// root of New; "" if unknown.
	Source string `json:"source"`
	// State says whether earlier reports had the failure.
	State State `json:"state"`

	place func(file string) string // returns the URI of a source file of the package, "" if there is no such file
}

// A Reached is a situation that a property gave to Sometimes, with the number of runs that reached it.
type Reached struct {
	Name string `json:"name"`
	Runs int    `json:"runs"`
}

// reached returns the situations of a property.
func reached(out *campaign.Outcome) []Reached {
	list := []Reached{}
	for _, name := range out.Missed {
		list = append(list, Reached{name, 0})
	}
	for name, runs := range out.Reached {
		if !slices.Contains(out.Missed, name) {
			list = append(list, Reached{name, runs})
		}
	}
	slices.SortFunc(list, func(a, b Reached) int { return cmp.Or(cmp.Compare(a.Runs, b.Runs), cmp.Compare(a.Name, b.Name)) })
	return list
}

// An Arm is the number of runs of one strategy, and its approximate number of new receive pairs
// (see campaign.Arm).
type Arm struct {
	Name  string  `json:"name"`
	Runs  int     `json:"runs"`
	Fresh float64 `json:"fresh"`
}

// A Coverage describes the receive pairs of a property, including those of earlier campaigns. A
// pair consists of two messages that one actor receives, and can occur in two orders.
type Coverage struct {
	Runs     int                `json:"runs"`
	Seen     int                `json:"seen"`     // orders that occurred
	Covered  int                `json:"covered"`  // pairs that occurred in both orders
	Possible int                `json:"possible"` // pairs that seem possible in both orders
	Unknown  int                `json:"unknown"`  // pairs seen in one order, whose reverse order may be impossible
	Summary  string             `json:"summary"`  // a summary of the coverage as text
	Chance   coverage.Chance    `json:"chance"`   // the probability that the next random run contains a new receive pair
	Open     []string           `json:"open"`     // orders that seem possible but have not occurred
	Curves   [][]coverage.Point `json:"curves"`   // for each campaign, a curve of Seen against the number of runs
	// Types has the pairs by the types of their messages.
	Types []coverage.TypePair `json:"types"`
}

// mostOpen limits the length of Coverage.Open, and of TypePair.Unseen.
const mostOpen = 100

// Version returns the version of jostle that runs, "unknown" if it was not recorded.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// New returns the report of a campaign, with paths relative to root. The URIs in SARIF and the files
// in annotations are relative to repository, as code hosts expect.
func New(done *campaign.Report, root, repository string) *Report {
	r := &Report{Format: Format, Version: Version(), Ended: done.Ended, Seconds: done.Elapsed.Seconds(), Deaths: done.Deaths, Properties: []Property{}}
	for i := range done.Outcomes {
		p := newProperty(&done.Outcomes[i], root, repository)
		r.Runs += p.Runs
		r.Properties = append(r.Properties, p)
	}
	r.track(nil)
	return r
}

func newProperty(out *campaign.Outcome, root, repository string) Property {
	p := Property{Name: out.Subject.String(), Package: out.Subject.Binary.Package, Test: out.Subject.Property.Test,
		Passed: len(out.Findings)+len(out.Complaints) == 0, Runs: out.Runs, Steps: out.Steps, Ran: out.Ran, Complete: out.Complete,
		Complaints: listed(out.Complaints), Notes: listed(out.Notes), Findings: []Finding{}, Arms: []Arm{}, Sometimes: reached(out), Labels: listed(out.Labels),
		Seconds: out.Spent.Seconds(), Mended: []string{}}
	for _, path := range out.Mended {
		p.Mended = append(p.Mended, fromRoot(path, root))
	}
	for _, f := range out.Findings {
		p.Findings = append(p.Findings, newFinding(f, out.Subject.Binary.Dir, root, repository))
	}
	for _, a := range out.Arms {
		p.Arms = append(p.Arms, Arm(a))
	}
	slices.SortStableFunc(p.Arms, func(a, b Arm) int { return cmp.Compare(b.Fresh, a.Fresh) })
	o := out.Orders
	if o == nil {
		o = &coverage.Orders{}
	}
	c := o.Count()
	p.Coverage = Coverage{Runs: o.Runs(), Seen: c.Seen, Covered: c.Covered, Possible: c.Covered + c.Open, Unknown: c.Unknown,
		Summary: o.Summary(), Chance: o.Chance(), Open: []string{}, Curves: listed(o.Curves()), Types: listed(o.Types())}
	for _, n := range o.OpenNames() {
		if len(p.Coverage.Open) < mostOpen {
			p.Coverage.Open = append(p.Coverage.Open, n.Name)
		}
	}
	for i := range p.Coverage.Types {
		c := &p.Coverage.Types[i]
		c.Unseen = c.Unseen[:min(len(c.Unseen), mostOpen)]
	}
	return p
}

// listed returns a copy of list that is not nil, because nil would be null in JSON.
func listed[T any](list []T) []T { return append([]T{}, list...) }

func newFinding(f *campaign.Finding, dir, root, repository string) Finding {
	out := Finding{Record: f.Record, Times: f.Times}
	out.Path, out.Case = fromRoot(f.Path, root), ""
	if f.Line > 0 && isFile(dir, f.File) {
		out.Source = fromRoot(filepath.Join(dir, f.File), root)
	}
	out.place = func(file string) string {
		if !isFile(dir, file) {
			return ""
		}
		return fromRoot(filepath.Join(dir, file), repository)
	}
	return out
}

// isFile reports whether a folder has a regular file with the given name.
func isFile(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// fromRoot returns path with slashes. A path below root is made relative to root.
func fromRoot(path, root string) string {
	if path == "" {
		return ""
	}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return filepath.ToSlash(path)
}

// Failures returns the number of findings of all properties.
func (r *Report) Failures() (n int) {
	for i := range r.Properties {
		n += len(r.Properties[i].Findings)
	}
	return n
}
