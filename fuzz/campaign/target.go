package campaign

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/fuzz/worker"
)

// A target is a subject and how far the search in it is. What a checkpoint keeps of it
// has exported names.
type target struct {
	subject Subject

	// Begun reports that the saved cases were run, and every order if they are few.
	Begun bool
	// Done is how many batches are over, Size how many the last share had.
	Done, Size int
	// Batch is how many runs a batch has, 0 until it is known.
	Batch    int
	Tally    search.Tally
	Missed   []string
	Late     []string
	Complete string
	Notes    []string
	GivenUp  string // why nothing more is searched
	Findings []*Finding
	// Deaths is how many batches had a death.
	Deaths int
	// Early are deaths before the first share, of which no case is known. The search may
	// come to them again, and then to their cases.
	Early []worker.Finding
	// Met are failures that were met while others were made smaller. They are kept as
	// cases; the search may come to them by itself.
	Met []*Finding

	// Gained is how many orders of two receives that no run before had shown each arm has,
	// as gain has it.
	Gained map[string]float64 `json:",omitempty"`

	// Saturated is the bound below which the chance has come that the next run shows more,
	// zero if it has not. Then nothing more is searched.
	Saturated float64

	noted  []string         // what was told of its workers
	next   int              // the first batch that no share has
	yields [3]yield         // of the last three rounds, by the round's number
	seen   *coverage.Orders // what this campaign has shown
	known  *coverage.Orders // what those before it have
	told   Progress         // as it was told last
	early  map[int]*job     // shares that were over before earlier ones, by their first batch
}

// A yield is what the shares of a round have come to.
type yield struct {
	Steps, Batches int
	Fresh          int     // orders of two receives that no run before has shown
	Chance         float64 // at most, that the next run shows more; 0 is unknown
}

func newTarget(s Subject) *target {
	return &target{subject: s, Tally: search.NewTally(), early: map[int]*job{}, seen: &coverage.Orders{}, known: &coverage.Orders{}}
}

// A share takes about shareSteps steps, and at least leastSteps where time bounds the
// search, but no more batches than mostBatches and no more than growth times as many as
// the share before.
const (
	shareSteps  = 1 << 20
	leastSteps  = 1 << 12
	mostBatches = 1 << 12
	growth      = 4
)

// shareSteps returns about how many steps a share takes. Where the time is short it is so
// few that each property comes to some 32 shares, with a step of a microsecond: a property
// that is ready a little after the others would else wait for their shares until the time
// is over.
func (c *campaign) shareSteps() int {
	if c.For == 0 {
		return shareSteps
	}
	each := int(c.For.Microseconds()) / len(c.targets) * max(1, c.Workers)
	return max(leastSteps, min(shareSteps, each/32))
}

// open reports whether there is more to search for.
func (t *target) open(o *Options) bool {
	return t.Begun && t.Complete == "" && t.GivenUp == "" && t.Saturated == 0 && !(o.First && len(t.Findings) > 0) &&
		!(o.Runs > 0 && t.Batch > 0 && t.next*t.Batch >= o.Runs)
}

// share returns the next share of a round, as a request. It has about so many steps.
func (t *target) share(o *Options, round, steps int) worker.Request {
	size := 1
	if y := t.yieldBefore(round); y.Batches > 0 {
		size = max(1, min(mostBatches, growth*max(1, t.Size), steps*y.Batches/max(1, y.Steps)))
	}
	t.Size = size
	q := worker.Request{Do: worker.Run, Seed: o.Seed, First: t.next, Count: size, Runs: o.Runs}
	t.next += size
	return q
}

// yieldBefore returns what a round goes by: what the round before the last came to.
func (t *target) yieldBefore(round int) *yield { return &t.yields[(round+1)%len(t.yields)] }

// take adds what came of a share.
func (t *target) take(o *Options, j *job) {
	r := j.reply
	first := t.Tally.Runs == 0
	t.Batch = r.Batch
	t.Tally.Add(&r.Tally)
	if first {
		t.Missed = r.Missed
	} else {
		t.Missed = slices.DeleteFunc(t.Missed, func(name string) bool { return !slices.Contains(r.Missed, name) })
	}
	for _, text := range r.Late {
		if !slices.Contains(t.Late, text) && len(t.Late) < mostTexts {
			t.Late = append(t.Late, text)
		}
	}
	y := &t.yields[j.round%len(t.yields)]
	y.Steps += r.Tally.Steps
	y.Batches += j.request.Count
	fresh := t.learn(j.seen)
	y.Fresh += fresh
	t.gain(&r.Tally, fresh)
	if o.Saturated > 0 {
		y.Chance = t.all().Chance().High
	}
}

// enoughRuns is how many runs there are before it counts that none tells a chance: the
// first runs may be skipped by chance.
const enoughRuns = 1000

// endless reports whether nothing but its saturation would end the search, of which no run
// tells.
func (t *target) endless(o *Options) bool {
	return o.Saturated > 0 && o.For == 0 && o.Runs == 0 && t.Tally.Runs >= enoughRuns && t.seen.Chance().Runs == 0
}

// learn adds what the runs of a share have shown, and returns how many orders of two
// receives none before had.
func (t *target) learn(seen *coverage.Orders) int {
	before := t.seen.Seen(coverage.PR)
	t.seen.Append(seen)
	return t.seen.Seen(coverage.PR) - before
}

// all returns what this campaign and those before it have shown.
func (t *target) all() *coverage.Orders {
	if t.known.Runs() == 0 {
		return t.seen
	}
	all := &coverage.Orders{}
	all.Merge(t.known)
	all.Merge(t.seen)
	return all
}

// mostTexts bounds how many different texts of a property are kept, mostFindings how
// many of its findings, and mostDeaths after how many deaths it is given up.
const (
	mostTexts    = 20
	mostFindings = 100
	mostDeaths   = 20
)

// find returns the finding with a signature, nil when there is none.
func (t *target) find(signature string) *Finding {
	for _, f := range t.Findings {
		if f.Signature == signature {
			return f
		}
	}
	return nil
}

// signatures returns those of all findings.
func (t *target) signatures() (list []string) {
	for _, f := range t.Findings {
		list = append(list, f.Signature)
	}
	return list
}

// ended says why nothing more is searched for.
func (t *target) ended(o *Options) string {
	switch {
	case t.Complete != "":
		return complete
	case t.Saturated > 0:
		return saturated
	case o.First && len(t.Findings) > 0:
		return failures
	case t.GivenUp != "":
		return givenUp
	}
	return runs
}

// ran says what was run. A run that fails before the search is none of those that are
// counted, nor is one of a batch in which a process has ended.
func (t *target) ran() string {
	switch {
	case t.Complete != "":
		return t.Complete
	case t.Tally.Runs > 0 || len(t.Findings) == 0:
		return words.Count(t.Tally.Runs, "run") + ", " + words.Count(t.Tally.Steps, "step")
	case t.next == 0 && t.Done == 0:
		return "no more than what comes before the search"
	}
	return "no runs that were counted"
}

// outcome returns what came of the target.
func (t *target) outcome(interrupted bool) Outcome {
	out := Outcome{Subject: t.subject, Findings: grouped(t.Findings), Runs: t.Tally.Runs, Steps: t.Tally.Steps, Complete: t.Complete, Ran: t.ran(),
		Notes: slices.Concat(t.Notes, t.Tally.Crowds()), Arms: t.arms(), Orders: t.all(), Missed: t.Missed, Complaints: slices.Clone(t.Late)}
	if t.Saturated > 0 {
		out.Notes = append(slices.Clone(out.Notes), "saturated: "+out.Orders.Summary())
	}
	if t.GivenUp != "" {
		out.Complaints = append(out.Complaints, t.GivenUp)
	}
	if len(t.Findings) > 0 || t.Complete != "" || interrupted && t.Tally.Runs == 0 {
		return out
	}
	if t.Tally.Runs == 0 && t.GivenUp == "" {
		out.Complaints = append(out.Complaints, "nothing was run: give the search more time")
		return out
	}
	if t.Tally.Runs > 0 && !t.subject.Binary.Race { // with the race detector few runs are enough
		res := search.Result{Tally: t.Tally, Missed: t.Missed}
		out.Complaints = append(out.Complaints, res.Complaints()...)
	}
	return out
}

// plan returns the shares of the next round: one for each open target, and as many more
// by yield.
func (c *campaign) plan() (jobs []*job) {
	var open []*target
	total := 0
	for _, t := range c.targets {
		if y := t.yieldBefore(c.round); y.Chance > 0 && y.Chance < c.Saturated && t.Saturated == 0 {
			t.Saturated = c.Saturated
			c.tell(Event{Kind: Finished, Subject: t.subject.String(), Text: "saturated: " + t.all().Summary()})
		}
		if t.open(&c.Options) {
			open = append(open, t)
			total += t.yieldBefore(c.round).Fresh
		}
	}
	for i, t := range open {
		for n := 1 + c.extra(open, i, total); n > 0 && t.open(&c.Options); n-- {
			jobs = append(jobs, c.share(t))
		}
	}
	for _, t := range open {
		t.yields[c.round%len(t.yields)] = yield{}
	}
	c.round++
	return jobs
}

// share returns the next share of a target, in the round that is planned.
func (c *campaign) share(t *target) *job {
	return &job{target: t, request: t.share(&c.Options, c.round, c.shareSteps()), round: c.round}
}

// extra returns how many shares a target is given beside its first: its part, by pairs,
// of as many as there are targets, rounded down so that the sums before it are. A search
// that ends at the first failure of each target has as much time for one as for another.
func (c *campaign) extra(open []*target, i, total int) int {
	if total == 0 || c.First {
		return 1
	}
	before := 0
	for _, t := range open[:i] {
		before += t.yieldBefore(c.round).Fresh
	}
	n := len(open)
	return n*(before+open[i].yieldBefore(c.round).Fresh)/total - n*before/total
}

// giveUp ends the search in a target.
func (t *target) giveUp(format string, args ...any) { t.GivenUp = fmt.Sprintf(format, args...) }
