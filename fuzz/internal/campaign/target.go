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

// A target is a subject with the state of its search. Exported fields are in the state file.
type target struct {
	subject Subject

	// Begun reports that the saved cases were run, and every order if there are few.
	Begun bool
	// Hinted reports that the property gives hints: half of its runs are guided.
	Hinted bool `json:",omitempty"`
	// Done is the number of finished batches, Size the number in the last share.
	Done, Size int
	// Batch is the number of runs in a batch, 0 while unknown.
	Batch int
	Tally search.Tally
	// Cut counts the runs of batches that were unfinished when the time was over, and of those
	// after them. A resumed campaign reruns them.
	Cut      *search.Tally `json:",omitempty"`
	Missed   []string
	Late     []string
	Complete string
	// Distinct becomes Complete if a quarter of the search shows no failure: it holds only if
	// actors share nothing but messages.
	Distinct string `json:",omitempty"`
	Notes    []string
	GivenUp  string // why nothing more is searched
	Findings []*Finding
	// Deaths is the number of batches with a death.
	Deaths int
	// Early are deaths before the first share, without cases. The search may find them again,
	// and then their cases.
	Early []record.Record
	// Met are failures that were met while others were shrunk, saved as cases. The search may
	// find them by itself.
	Met []*Finding

	// Gained is the number of new receive pairs of each arm (see gain).
	Gained map[string]float64 `json:",omitempty"`

	// Saturated is Options.Saturated once the chance of a new receive pair has dropped below
	// it, which ends the search; else zero.
	Saturated float64

	noted   []string         // the notes about its workers
	waiting []*job           // jobs to do before shares
	waits   bool             // its last job ended idle
	rest    []*job           // unfinished shares
	next    int              // the first batch not yet in a share
	planned int              // number of shares
	settled int              // shares with results taken, in order
	yields  [window]yield    // of the last shares, by number
	seen    *coverage.Orders // receive pairs of this campaign
	known   *coverage.Orders // of earlier campaigns
	shown   *coverage.Orders // of runs outside the search
	told    Progress         // the last one reported
	early   map[int]*job     // shares finished before earlier ones, by first batch
}

// window limits the shares of a property in progress. The size of a share follows from the share
// that is window before it.
const window = 8

// A yield is the result of a share.
type yield struct {
	Steps, Batches int
	Seconds        float64 // its cost
	Fresh          int     // new receive pairs
	Chance         float64 // upper bound that the next run shows a new pair; 0 is unknown
}

func newTarget(s Subject) *target {
	return &target{subject: s, Tally: search.NewTally(), early: map[int]*job{}, seen: &coverage.Orders{}, known: &coverage.Orders{}, shown: &coverage.Orders{}}
}

// A share takes about shareSteps steps, fewer (at least leastSteps) if the time is limited. It has
// at most mostBatches batches, and at most growth times as many as the share before.
const (
	shareSteps  = 1 << 20
	leastSteps  = 1 << 12
	mostBatches = 1 << 12
	growth      = 4
)

// confirmingPart: 1/confirmingPart of a search makes random runs before a result that holds only if
// actors share nothing but messages ends it.
const confirmingPart = 4

// confirm ends the search in a target whose distinct orders were all run, once enough random runs
// have passed.
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

// shareSteps returns the approximate number of steps of a share. If the time is short, each
// property gets about 32 shares (at a microsecond a step). Otherwise a property that is ready
// later than the others would wait for their shares until the time is over.
func (c *campaign) shareSteps() int {
	if c.For == 0 {
		return shareSteps
	}
	each := int(c.For.Microseconds()) / len(c.targets) * max(1, c.Workers)
	return max(leastSteps, min(shareSteps, each/32))
}

// open reports whether the search continues.
func (t *target) open(o *Options) bool {
	return t.Begun && t.Complete == "" && t.GivenUp == "" && t.Saturated == 0 && !(o.First && len(t.Findings) > 0) &&
		!(o.Runs > 0 && t.Batch > 0 && t.next*t.Batch >= o.Runs)
}

// isClosed reports whether the target makes no more runs, not even of unfinished shares.
func (t *target) isClosed(o *Options) bool { return t.GivenUp != "" || o.First && len(t.Findings) > 0 }

// share returns the next share, of about so many steps, as a job.
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

// yieldOf returns the yield of a share. Until the share is planned, that is the yield of the share
// that determines its size.
func (t *target) yieldOf(number int) *yield { return &t.yields[number%window] }

// pace returns the cost and the yield of the last shares.
func (t *target) pace(o *Options) (p pace) {
	p.open = t.open(o)
	for i := range t.yields {
		y := &t.yields[i]
		p.seconds, p.steps, p.fresh, p.batches = p.seconds+y.Seconds, p.steps+y.Steps, p.fresh+y.Fresh, p.batches+y.Batches
	}
	return p
}

// dropRest drops the rest of unfinished shares.
func (t *target) dropRest() {
	for _, j := range t.rest {
		t.early[j.first] = j
	}
	t.rest = nil
}

// take adds the result of a share.
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

// enoughRuns: endless does not judge before so many runs, since the first may be skipped by chance.
const enoughRuns = 1000

// endless reports whether only saturation would end the search, and no run can show it.
func (t *target) endless(o *Options) bool {
	return o.Saturated > 0 && o.For == 0 && o.Runs == 0 && t.Tally.Runs >= enoughRuns && t.seen.Chance().Runs == 0
}

// learn adds the receive pairs of a share, and returns the number of new ones.
func (t *target) learn(parts ...*coverage.Orders) int {
	before := t.seen.Seen()
	for _, seen := range parts {
		t.seen.Append(seen)
	}
	return t.seen.Seen() - before
}

// all returns the receive pairs of this campaign and earlier ones.
func (t *target) all() *coverage.Orders {
	if t.known.Runs() == 0 {
		return t.seen
	}
	all := &coverage.Orders{}
	all.Merge(t.known)
	all.Merge(t.seen)
	return all
}

// mostTexts limits the different notes of a property, mostFindings its findings. After mostDeaths
// deaths it is given up.
const (
	mostTexts    = 20
	mostFindings = 100
	mostDeaths   = 20
)

// find returns the finding with a signature, nil if there is none.
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

// ended returns why the search has ended.
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

// ran describes what was run. Runs before the search are not counted, nor are batches in which a
// process has died.
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

// made returns the tally of all runs.
func (t *target) made() *search.Tally {
	if t.Cut == nil {
		return &t.Tally
	}
	all := search.NewTally()
	all.Add(&t.Tally)
	all.Add(t.Cut)
	return &all
}

// outcome returns the result of the target.
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

// plans reports whether a target gets another share. Saturation is judged by the share that
// determines the size of the next one, so that it does not depend on the number of workers.
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
