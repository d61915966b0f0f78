package search

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A Tally has the counts of a search.
type Tally struct {
	Runs       int
	Steps      int    // the number of steps of all runs
	Skipped    int    // the number of runs that the property skipped
	SkipReason string // the reason given for the last skip
	// Rejected is the number of runs that ended because a draw found no value, by the
	// label of the draw.
	Rejected map[string]int
	// TooLarge has the labels of draws that needed more numbers than a draw may read.
	TooLarge map[string]bool
	Timed    int // the number of runs that had timers
	Early    int // the number of runs whose timers could fire early
	// By is the number of runs of each arm.
	By map[string]int
	// The keys of Crowded are messages about names or hints that were too numerous to
	// keep, such as hints of T.Feature.
	Crowded map[string]bool `json:",omitempty"`
	// Fresh is the number of new receive pairs in the runs of each arm. A pair is new
	// if no earlier run of the same worker contains it.
	Fresh map[string]int
	// Uncounted is the number of runs of each arm whose receive pairs were not counted.
	Uncounted map[string]int `json:",omitempty"`
	// Reached is the number of runs that reached each situation of T.Sometimes. It has at most
	// mostReached names.
	Reached map[string]int `json:",omitempty"`
	// Labels is the number of runs with each value of T.Label, by name and value. It has at most
	// mostLabels names, and as many values of each. Further values are counted as otherValues. If
	// tallies are added, this number is an upper bound, because a run counts for each of them.
	Labels map[string]map[string]int `json:",omitempty"`
}

const (
	mostReached = 1000
	mostLabels  = 100
	otherValues = "other values"
)

// NewTally returns a tally of no runs.
func NewTally() Tally {
	return Tally{Rejected: map[string]int{}, TooLarge: map[string]bool{}, By: map[string]int{}, Fresh: map[string]int{}}
}

// Count counts a run.
func (t *Tally) Count(arm string, res *props.Result) {
	t.Runs++
	t.By[arm]++
	if res.System != nil {
		t.Steps += res.System.Steps()
		if res.System.Timers() > 0 {
			t.Timed++
			if res.System.Options().EarlyTimers != 0 {
				t.Early++
			}
		}
	}
	if res.Rejected != "" {
		t.Rejected[res.Rejected]++
		if res.TooLarge {
			t.TooLarge[res.Rejected] = true
		}
	} else if res.Skipped {
		t.Skipped++
		if res.Reason != "" {
			t.SkipReason = res.Reason
		}
	}
	for i := range res.Hints {
		if h := &res.Hints[i]; h.Kind == props.HintReached {
			t.reach(h.Name, 1)
		}
	}
	t.countLabels(res.Labels)
}

// reach adds runs that reached a situation.
func (t *Tally) reach(name string, runs int) {
	if t.Reached == nil {
		t.Reached = map[string]int{}
	}
	if t.Reached[name] > 0 || len(t.Reached) < mostReached {
		t.Reached[name] += runs
	}
}

// countLabels counts the labels of a run. If the tally has no room for several values of a name, it
// counts the run once for all of them.
func (t *Tally) countLabels(list []props.Label) {
	var others []string // the names for which the run gave a value that the tally has no room for
	for _, l := range list {
		if !t.hasRoom(l.Name, l.Value) {
			if slices.Contains(others, l.Name) {
				continue
			}
			others = append(others, l.Name)
		}
		t.label(l.Name, l.Value, 1)
	}
}

// hasRoom reports whether a value of a label is counted by itself.
func (t *Tally) hasRoom(name, value string) bool {
	values := t.Labels[name]
	return values[value] > 0 || len(values) < mostLabels
}

// label adds runs with a value of a label.
func (t *Tally) label(name, value string, runs int) {
	values := t.Labels[name]
	if values == nil && len(t.Labels) == mostLabels {
		return
	}
	if values == nil {
		values = map[string]int{}
		if t.Labels == nil {
			t.Labels = map[string]map[string]int{}
		}
		t.Labels[name] = values
	}
	if !t.hasRoom(name, value) {
		value = otherValues
	}
	values[value] += runs
}

// A Distribution says in how many runs a label had each value. Runs of an exploration do not count.
type Distribution struct {
	Name   string       `json:"name"`
	Values []ValueCount `json:"values"` // the most frequent value first
}

// A ValueCount is the number of runs with a value of a label.
type ValueCount struct {
	Value string  `json:"value"`
	Runs  int     `json:"runs"`
	Share float64 `json:"share"` // of all runs that count
}

// Distributions returns the values of all labels, sorted by name.
func (t *Tally) Distributions() (list []Distribution) {
	all := 0 // t.Runs may also have the runs of an exploration
	for _, runs := range t.By {
		all += runs
	}
	for _, name := range slices.Sorted(maps.Keys(t.Labels)) {
		d := Distribution{Name: name}
		for value, runs := range t.Labels[name] {
			runs = min(runs, all)
			d.Values = append(d.Values, ValueCount{value, runs, float64(runs) / float64(all)})
		}
		slices.SortFunc(d.Values, func(a, b ValueCount) int { return cmp.Or(b.Runs-a.Runs, strings.Compare(a.Value, b.Value)) })
		list = append(list, d)
	}
	return list
}

// mostShown is the maximum number of values that Distribution.String shows.
const mostShown = 10

// String lists the most frequent values: "size: 2 in 60 runs (60%), 1 in 40 runs (40%)".
func (d *Distribution) String() string {
	var list []string
	for i, v := range d.Values {
		if i == mostShown {
			list = append(list, fmt.Sprintf("and %d more", len(d.Values)-i))
			break
		}
		share := "under 1%"
		if v.Share >= .01 {
			share = fmt.Sprintf("%.0f%%", 100*v.Share)
		}
		list = append(list, fmt.Sprintf("%s in %s (%s)", v.Value, words.Count(v.Runs, "run"), share))
	}
	return d.Name + ": " + strings.Join(list, ", ")
}

func (t *Tally) skipCount(arm string) {
	if t.Uncounted == nil {
		t.Uncounted = map[string]int{}
	}
	t.Uncounted[arm]++
}

// Counted returns the number of runs whose receive pairs were counted. Fresh and all other
// numbers of pairs are about these runs alone.
func (t *Tally) Counted() int {
	n := t.Runs
	for _, uncounted := range t.Uncounted {
		n -= uncounted
	}
	return n
}

// Add adds the counts of another worker.
func (t *Tally) Add(o *Tally) {
	t.Runs += o.Runs
	t.Steps += o.Steps
	t.Skipped += o.Skipped
	t.Timed += o.Timed
	t.Early += o.Early
	for k, n := range o.By {
		t.By[k] += n
	}
	for k, n := range o.Fresh {
		t.Fresh[k] += n
	}
	for k, n := range o.Uncounted {
		if t.Uncounted == nil {
			t.Uncounted = map[string]int{}
		}
		t.Uncounted[k] += n
	}
	for _, name := range slices.Sorted(maps.Keys(o.Reached)) { // in a fixed order, because a tally has room for some names only
		t.reach(name, o.Reached[name])
	}
	for _, name := range slices.Sorted(maps.Keys(o.Labels)) {
		for _, value := range slices.Sorted(maps.Keys(o.Labels[name])) {
			t.label(name, value, o.Labels[name][value])
		}
	}
	for k, n := range o.Rejected {
		t.Rejected[k] += n
	}
	maps.Copy(t.TooLarge, o.TooLarge)
	for message := range o.Crowded {
		t.crowd(message)
	}
	if o.SkipReason != "" {
		t.SkipReason = o.SkipReason
	}
}

func (t *Tally) crowd(message string) {
	if t.Crowded == nil {
		t.Crowded = map[string]bool{}
	}
	t.Crowded[message] = true
}

// manySituations says that Sometimes was given more names than are kept: see Runner.Crowded
// of package props.
const manySituations = "Sometimes is given more than 1,000 names: later names are not checked; use few names, the same in each run"

// isCrowded reports whether Sometimes was given too many names in the runs of some runner.
func isCrowded(runners []*props.Runner) bool {
	return slices.ContainsFunc(runners, (*props.Runner).Crowded)
}

// Crowds returns the messages in Crowded.
func (t *Tally) Crowds() []string { return slices.Sorted(maps.Keys(t.Crowded)) }

// Tested returns the number of runs that tested the property. Runs that were skipped, or
// with a draw that found no value, do not count.
func (t *Tally) Tested() int {
	n := t.Runs - t.Skipped
	for rejected := range maps.Values(t.Rejected) {
		n -= rejected
	}
	return n
}

// byRuns returns the names of the arms, sorted by their number of runs, largest first.
func (t *Tally) byRuns() []string {
	return slices.SortedFunc(maps.Keys(t.By), func(a, b string) int {
		if d := t.By[b] - t.By[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// Yields returns a line for each arm: the number of its runs, the number of new receive
// pairs, and the number of new pairs per hundred counted runs.
func (t *Tally) Yields() string {
	var lines []string
	for _, n := range t.byRuns() {
		runs, counted := words.Count(t.By[n], "run"), t.By[n]-t.Uncounted[n]
		if counted < t.By[n] {
			runs += fmt.Sprintf(" (%s counted)", words.Grouped(counted))
		}
		line := fmt.Sprintf("%s: %s, nothing new", n, runs)
		if fresh := t.Fresh[n]; fresh > 0 {
			each := fmt.Sprintf("%.3g", 100*float64(fresh)/float64(counted))
			if many := 100 * fresh / counted; many >= 1000 {
				each = words.Grouped(many)
			}
			line = fmt.Sprintf("%s: %s, %s, %s in 100 runs", n, runs, words.Count(fresh, "new receive pair"), each)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Arms lists the number of runs of each arm, largest first.
func (t *Tally) Arms() string {
	names := t.byRuns()
	for i, n := range names {
		names[i] = n + " " + words.Grouped(t.By[n])
	}
	return strings.Join(names, ", ")
}

// FoundAt describes the failing run, such as "run 12 of 12 (pct), 0.2ms". elapsed is the
// last part of this text.
func (r *Result) FoundAt(elapsed string) string {
	return fmt.Sprintf("run %d of %d (%s), %s", r.Index+1, r.Runs, r.Finding.Case.Strategy, elapsed)
}

// mostNamed is the maximum number of unseen receive pairs that Coverage names.
const mostNamed = 3

// Coverage describes the receive pairs: how many were seen, how likely the next run is to
// contain a new one, and which possible pairs were not seen.
func (r *Result) Coverage() string {
	text := r.Orders.Summary()
	if n := r.Counted(); n < r.Runs {
		text += fmt.Sprintf(" (counted in %s of the runs)", words.Grouped(n))
	}
	var named []string
	for _, n := range r.Orders.OpenNames() {
		if named = append(named, n.Name); len(named) > mostNamed {
			named[mostNamed] = "…"
			break
		}
	}
	if len(named) > 0 {
		text += "\nnot seen so far: " + strings.Join(named, "; ")
	}
	return text
}

// Complaints returns reasons why a search without a failure proves less than it seems to:
// draws that hardly ever give a value, too many skipped runs, and situations that no run
// reached. A test should fail for each.
func (r *Result) Complaints() (list []string) {
	list = rejections(r.Rejected, r.TooLarge, r.Runs)
	if len(list) == 0 {
		list = skips(r.Tested(), r.Runs, r.SkipReason)
	}
	return append(list, neverReached(r.Missed, r.Runs)...)
}

// A search fails if fewer than one run in oneIn tests the property.
const oneIn = 10

// skips returns a complaint if too many runs were skipped.
func skips(tested, runs int, reason string) []string {
	switch {
	case tested == 0:
		return []string{fmt.Sprintf("all of %s were skipped: nothing was tested (%s)", words.Count(runs, "run"), reason)}
	case oneIn*tested < runs:
		return []string{fmt.Sprintf("%s of %s were skipped (%s), so fewer than one in %d tests anything: "+
			"draw only values that the property accepts, or return instead of skipping if the run has tested something",
			words.Grouped(runs-tested), words.Count(runs, "run"), reason, oneIn)}
	}
	return nil
}

// rejections returns a complaint for each draw that hardly ever gave a value.
func rejections(byLabel map[string]int, tooLarge map[string]bool, runs int) (list []string) {
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		switch n := byLabel[label]; {
		case 10*n < 9*runs:
		case tooLarge[label]:
			list = append(list, fmt.Sprintf("draw %q found no value in %s of %s: it needs more than 65,536 numbers, which is all that a draw may read; "+
				"draw a smaller value, or draw its parts and build it in code", label, words.Grouped(n), words.Count(runs, "run")))
		default:
			list = append(list, fmt.Sprintf("draw %q found no value in %s of %s: its generator rejects too much; "+
				"generate only wanted values instead of filtering", label, words.Grouped(n), words.Count(runs, "run")))
		}
	}
	return list
}

// mostMissed is the maximum number of unreached situations that complaints name. There are
// very many if the program makes a new name in each run.
const mostMissed = 20

// neverReached returns a complaint for each situation that no run reached.
func neverReached(missed []string, runs int) (list []string) {
	for i, name := range missed {
		if i == mostMissed {
			return append(list, fmt.Sprintf("sometimes: %s more reached in none of %s: are their names the same in each run?",
				words.Count(len(missed)-i, "situation"), words.Count(runs, "run")))
		}
		list = append(list, fmt.Sprintf("sometimes %q: reached in none of %s: the test covers less than it seems to", name, words.Count(runs, "run")))
	}
	return list
}

// missed returns the situations that no worker reached.
func missed(runners []*props.Runner) []string {
	list := runners[0].Missed()
	for _, r := range runners[1:] {
		other := r.Missed()
		list = slices.DeleteFunc(list, func(name string) bool { return !slices.Contains(other, name) })
	}
	return list
}

// late returns the failures caused by goroutines that outlived the last run.
func late(runners []*props.Runner) (list []*pulse.Failure) {
	for _, r := range runners {
		if f := r.Late(); f != nil {
			list = append(list, f)
		}
	}
	return list
}
