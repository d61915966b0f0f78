package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A Tally counts runs and what they showed.
type Tally struct {
	Runs, Steps int
	// Skipped is how many runs the property skipped, and SkipReason the last reason.
	// Rejected is how many runs ended because a draw found no value, by the draw's label.
	// TooLarge has the labels of draws that needed more numbers than a draw may read.
	Skipped    int
	SkipReason string
	Rejected   map[string]int
	TooLarge   map[string]bool
	// Timed is how many runs had timers, and Early is in how many of these timers could
	// fire early.
	Timed, Early int
	// By is how many runs each arm made.
	By map[string]int
	// Crowded describes hints, such as those of T.Feature, that were too many for a guided
	// search to keep.
	Crowded map[string]bool `json:",omitempty"`
	// Fresh is how many receive pairs the runs of each arm were the first to show, among
	// the runs of the same worker.
	Fresh map[string]int
	// Uncounted is how many runs of each arm did not have their receive pairs counted.
	Uncounted map[string]int `json:",omitempty"`
}

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
}

// skipCount notes a run whose receive pairs are not counted.
func (t *Tally) skipCount(arm string) {
	if t.Uncounted == nil {
		t.Uncounted = map[string]int{}
	}
	t.Uncounted[arm]++
}

// Counted returns how many runs had their receive pairs counted. Fresh and other statements
// about pairs are about these runs alone.
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
	for k, n := range o.Rejected {
		t.Rejected[k] += n
	}
	maps.Copy(t.TooLarge, o.TooLarge)
	for what := range o.Crowded {
		t.crowd(what)
	}
	if o.SkipReason != "" {
		t.SkipReason = o.SkipReason
	}
}

// crowd notes that there was too much of something to keep.
func (t *Tally) crowd(what string) {
	if t.Crowded == nil {
		t.Crowded = map[string]bool{}
	}
	t.Crowded[what] = true
}

// manySituations says that some situations are not judged: see Runner.Crowded.
const manySituations = "Sometimes is given more than 1,000 names"

// areNotJudged is the consequence of manySituations.
const areNotJudged = ": those that come later are not judged; give it few, the same in each run"

// isCrowded reports whether a runner does not know some situations.
func isCrowded(runners []*props.Runner) bool {
	return slices.ContainsFunc(runners, (*props.Runner).Crowded)
}

// Crowds says of what there was too much for a search to keep, mostly for a guided one.
func (t *Tally) Crowds() (list []string) {
	for _, what := range slices.Sorted(maps.Keys(t.Crowded)) {
		if what == manySituations {
			list = append(list, what+areNotJudged)
			continue
		}
		list = append(list, what+": a guided search keeps those that it sees first; fewer, such as ranges of numbers, lead it farther")
	}
	return list
}

// Tested returns how many runs tested the property: all but those that were skipped or whose
// draws found no value.
func (t *Tally) Tested() int {
	n := t.Runs - t.Skipped
	for rejected := range maps.Values(t.Rejected) {
		n -= rejected
	}
	return n
}

// byRuns returns the names of the arms, those with the most runs first.
func (t *Tally) byRuns() []string {
	return slices.SortedFunc(maps.Keys(t.By), func(a, b string) int {
		if d := t.By[b] - t.By[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// Yields has a line for each arm: how many runs it made, how many receive pairs they were the
// first to show, and how many per hundred counted runs.
func (t *Tally) Yields() string {
	var lines []string
	for _, n := range t.byRuns() {
		runs, counted := words.Count(t.By[n], "run"), t.By[n]-t.Uncounted[n]
		if counted < t.By[n] {
			runs += fmt.Sprintf(" (%s counted)", words.Grouped(counted))
		}
		line := fmt.Sprintf("%s: %s, nothing new", n, runs)
		if fresh := t.Fresh[n]; fresh > 0 {
			line = fmt.Sprintf("%s: %s, %s, %.3g in 100 runs", n, runs,
				words.Count(fresh, "new receive pair"), 100*float64(fresh)/float64(counted))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Arms lists how many runs each arm made, most first.
func (t *Tally) Arms() string {
	names := t.byRuns()
	for i, n := range names {
		names[i] = n + " " + words.Grouped(t.By[n])
	}
	return strings.Join(names, ", ")
}

// FoundAt says which run of a search was the finding, and how long it took.
func (r *Result) FoundAt(elapsed string) string {
	return fmt.Sprintf("run %d of %d (%s), %s", r.Index+1, r.Runs, r.Finding.Case.Strategy, elapsed)
}

// mostNamed is how many unseen receive pairs Coverage names.
const mostNamed = 3

// Coverage says how many of the receive pairs were seen, how likely the next run is to show a
// new one, and which possible ones were not seen.
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

// Complaints returns why a search that found nothing proves less than it seems to: draws that
// hardly ever give a value, too many skipped runs, situations that were never reached. A test
// should fail for each.
func (r *Result) Complaints() (list []string) {
	list = rejections(r.Rejected, r.TooLarge, r.Runs)
	if len(list) == 0 {
		list = skips(r.Tested(), r.Runs, r.SkipReason)
	}
	return append(list, neverReached(r.Missed, r.Runs)...)
}

// oneIn is how many runs there may be per tested one: a search with more skipped runs fails.
const oneIn = 10

// skips complains about skipped runs, if too many were.
func skips(tested, runs int, reason string) []string {
	switch {
	case tested == 0:
		return []string{fmt.Sprintf("all of %s were skipped: nothing was tested (%s)", words.Count(runs, "run"), reason)}
	case oneIn*tested < runs:
		return []string{fmt.Sprintf("%s of %s were skipped: fewer than one in %d tests anything (%s): "+
			"draw what is wanted instead of skipping the rest, or return instead of Skip from a run that is worth its while",
			words.Grouped(runs-tested), words.Count(runs, "run"), oneIn, reason)}
	}
	return nil
}

// rejections complains about draws that hardly ever gave a value.
func rejections(byLabel map[string]int, tooLarge map[string]bool, runs int) (list []string) {
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		switch n := byLabel[label]; {
		case 10*n < 9*runs:
		case tooLarge[label]:
			list = append(list, fmt.Sprintf("draw %q found no value in %s of %s: it needs more than 65,536 numbers, which is all that a draw may read; "+
				"draw something smaller, or draw what it is made from and make it by code", label, words.Grouped(n), words.Count(runs, "run")))
		default:
			list = append(list, fmt.Sprintf("draw %q found no value in %s of %s: its generator rejects too much; "+
				"make what is wanted instead of filtering", label, words.Grouped(n), words.Count(runs, "run")))
		}
	}
	return list
}

// mostMissed is how many missed situations a complaint names. A name that is new in each run
// gives as many situations as there are runs.
const mostMissed = 20

// neverReached complains about situations that no run reached.
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

// late returns what goroutines that outlived the last run did wrong.
func late(runners []*props.Runner) (list []*pulse.Failure) {
	for _, r := range runners {
		if f := r.Late(); f != nil {
			list = append(list, f)
		}
	}
	return list
}
