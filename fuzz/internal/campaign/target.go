package campaign

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
)

// A target is a subject and how far the search in it is. What a checkpoint keeps of it
// has exported names.
type target struct {
	subject Subject

	// Begun reports that the saved cases were run, and every order if they are few.
	Begun bool
	// Hinted reports that the property gives hints: half of its runs are guided.
	Hinted bool `json:",omitempty"`
	// Done is how many batches are over, Size how many the last share had.
	Done, Size int
	// Batch is how many runs a batch has, 0 until it is known.
	Batch int
	Tally search.Tally
	// Cut are the runs of batches that had not come to their end when the time was over, and
	// of those after them. A campaign that goes on makes them again.
	Cut      *search.Tally `json:",omitempty"`
	Missed   []string
	Late     []string
	Complete string
	// Distinct is what Complete will be when a quarter of the search has shown no failure:
	// it holds only if actors share nothing but messages.
	Distinct string `json:",omitempty"`
	Notes    []string
	GivenUp  string // why nothing more is searched
	Findings []*Finding
	// Deaths is how many batches had a death.
	Deaths int
	// Early are deaths before the first share, of which no case is known. The search may
	// come to them again, and then to their cases.
	Early []record.Record
	// Met are failures that were met while others were made smaller. They are kept as
	// cases; the search may come to them by itself.
	Met []*Finding

	// Gained is how many orders of two receives that no run before had shown each arm has,
	// as gain has it.
	Gained map[string]float64 `json:",omitempty"`

	// Saturated is the bound below which the chance has come that the next run shows more,
	// zero if it has not. Then nothing more is searched.
	Saturated float64

	noted   []string         // what was told of its workers
	waiting []*job           // what is done before shares
	waits   bool             // its last job was idle at its end
	rest    []*job           // shares whose turn was over before they were
	next    int              // the first batch that no share has
	planned int              // shares
	settled int              // shares, in their order
	yields  [window]yield    // of the last shares, by their numbers
	seen    *coverage.Orders // what this campaign has shown
	known   *coverage.Orders // what those before it have
	shown   *coverage.Orders // what runs besides those of searches have shown, which no search goes by
	told    Progress         // as it was told last
	early   map[int]*job     // shares that were over before earlier ones, by their first batch
}

// window is how many shares of a property may be on at a time. Each follows from the share
// that is so many before it.
const window = 8

// A yield is what a share has come to.
type yield struct {
	Steps, Batches int
	Seconds        float64 // that it has cost
	Fresh          int     // orders of two receives that no run before has shown
	Chance         float64 // at most, that the next run shows more; 0 is unknown
}

func newTarget(s Subject) *target {
	return &target{subject: s, Tally: search.NewTally(), early: map[int]*job{}, seen: &coverage.Orders{}, known: &coverage.Orders{}, shown: &coverage.Orders{}}
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

// confirmingPart is which part of a search goes to random orders before what holds only if
// actors share nothing but messages ends it.
const confirmingPart = 4

// confirm ends the search in a target whose distinct orders were all run, once enough random
// ones have shown no failure.
func (c *campaign) confirm(t *target) {
	switch {
	case t.Distinct == "" || t.Complete != "":
	case len(t.Findings) > 0:
		t.Distinct = ""
	case c.For > 0 && c.elapsed() >= c.For/confirmingPart, c.Runs > 0 && t.next*t.Batch >= c.Runs/confirmingPart:
		c.complete(t, t.Distinct)
	}
}

// complete ends the search in a target.
func (c *campaign) complete(t *target, text string) {
	t.Complete = text
	c.tell(Event{Kind: Finished, Subject: t.subject.String(), Text: text})
}

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

// isClosed reports whether nothing more is made, also of shares that were begun.
func (t *target) isClosed(o *Options) bool { return t.GivenUp != "" || o.First && len(t.Findings) > 0 }

// share returns the next share, as a job. It has about so many steps.
func (t *target) share(o *Options, steps int) *job {
	y, size := t.yieldOf(t.planned), 1
	if y.Batches > 0 {
		size = max(1, min(mostBatches, growth*max(1, t.Size), steps*y.Batches/max(1, y.Steps)))
	}
	*y = yield{}
	t.Size = size
	j := &job{target: t, number: t.planned, first: t.next, count: size,
		request: session.Request{Do: session.Run, Seed: o.Seed, First: t.next, Count: size, Runs: o.Runs, Time: turn, Hinted: t.Hinted}}
	t.next += size
	t.planned++
	return j
}

// yieldOf returns the place for what a share has come to. Until that is planned it has the
// share that it goes by.
func (t *target) yieldOf(number int) *yield { return &t.yields[number%window] }

// pace returns what the last shares have cost and shown.
func (t *target) pace(o *Options) (p pace) {
	p.open = t.open(o)
	for i := range t.yields {
		y := &t.yields[i]
		p.seconds, p.steps, p.fresh, p.batches = p.seconds+y.Seconds, p.steps+y.Steps, p.fresh+y.Fresh, p.batches+y.Batches
	}
	return p
}

// dropRest has what is left of shares not made.
func (t *target) dropRest() {
	for _, j := range t.rest {
		t.early[j.first] = j
	}
	t.rest = nil
}

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
	y := t.yieldOf(j.number)
	y.Steps += r.Tally.Steps
	y.Batches += j.count
	fresh := t.learn(j.seen...)
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
func (t *target) learn(parts ...*coverage.Orders) int {
	before := t.seen.Seen()
	for _, seen := range parts {
		t.seen.Append(seen)
	}
	return t.seen.Seen() - before
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
		if f.Exact == signature {
			return f
		}
	}
	return nil
}

// signatures returns those of all findings.
func (t *target) signatures() (list []string) {
	for _, f := range t.Findings {
		list = append(list, f.Exact)
	}
	return list
}

// ended says why nothing more is searched for.
func (t *target) ended(o *Options) End {
	switch {
	case t.Complete != "":
		return EndComplete
	case t.Saturated > 0:
		return EndSaturated
	case o.First && len(t.Findings) > 0:
		return EndFailures
	case t.GivenUp != "":
		return EndGivenUp
	}
	return EndRuns
}

// ran says what was run. A run that fails before the search is none of those that are
// counted, nor is one of a batch in which a process has ended.
func (t *target) ran() string {
	switch {
	case t.Complete != "":
		return t.Complete
	case t.made().Runs > 0 || len(t.Findings) == 0:
		return words.Count(t.made().Runs, "run") + ", " + words.Count(t.made().Steps, "step")
	case t.next == 0 && t.Done == 0:
		return "search skipped"
	}
	return "no completed runs"
}

// made returns what all runs have come to.
func (t *target) made() *search.Tally {
	if t.Cut == nil {
		return &t.Tally
	}
	all := search.NewTally()
	all.Add(&t.Tally)
	all.Add(t.Cut)
	return &all
}

// outcome returns what came of the target.
func (t *target) outcome(interrupted bool) Outcome {
	made := t.made()
	out := Outcome{Subject: t.subject, Findings: grouped(t.Findings), Runs: made.Runs, Steps: made.Steps, Complete: t.Complete, Ran: t.ran(),
		Notes: slices.Concat(t.Notes, t.Tally.Crowds()), Arms: t.arms(), Orders: t.reported(), Missed: t.Missed, Complaints: slices.Clone(t.Late)}
	if t.Saturated > 0 {
		out.Notes = append(slices.Clone(out.Notes), "saturated: "+out.Orders.Summary())
	}
	if t.GivenUp != "" {
		out.Complaints = append(out.Complaints, t.GivenUp)
	}
	if len(t.Findings) > 0 || t.Complete != "" || interrupted && made.Runs == 0 {
		return out
	}
	if made.Runs == 0 && t.GivenUp == "" {
		out.Complaints = append(out.Complaints, "nothing was run: give the search more time")
		return out
	}
	if made.Runs > 0 && !t.subject.Binary.Race { // with the race detector few runs are enough
		res := search.Result{Tally: *made, Missed: t.Missed}
		out.Complaints = append(out.Complaints, res.Complaints()...)
	}
	return out
}

// plans reports whether a target is to have another share. Whether all is seen it is told
// by the share that the next one goes by: so that this is the same with any number of workers.
func (c *campaign) plans(t *target) bool {
	if t.planned-t.settled >= window {
		return false
	}
	if y := t.yieldOf(t.planned); y.Chance > 0 && y.Chance < c.Saturated && t.Saturated == 0 {
		t.Saturated = c.Saturated
		c.tell(Event{Kind: Finished, Subject: t.subject.String(), Text: "saturated: " + t.all().Summary()})
	}
	c.confirm(t)
	return t.open(&c.Options)
}

// share returns the next share of a target.
func (c *campaign) share(t *target) *job { return t.share(&c.Options, c.shareSteps()) }

// giveUp ends the search in a target.
func (t *target) giveUp(format string, args ...any) { t.GivenUp = fmt.Sprintf(format, args...) }
