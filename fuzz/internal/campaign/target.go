package campaign

import (
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
)

// A target is a property with the state of its search. The state file stores the exported fields.
type target struct {
	subject Subject

	// Begun is set after the runs that come before the search: the saved cases, and every order if
	// there are few orders.
	Begun bool
	// Hinted is set if the property describes its progress with hints, such as props.T.Feature.
	// Then half of its runs are guided by the hints.
	Hinted bool `json:",omitempty"`
	// Done is the number of the first unfinished batch. Batches are numbered from 0.
	Done int
	// Size is the number of batches in the last chunk.
	Size int
	// Batch is the number of runs in a batch, 0 while unknown.
	Batch int
	// Tally counts the runs of the finished batches.
	Tally search.Tally
	// Cut counts the runs that the time limit cut off: runs of the first unfinished batch and of
	// all batches after it. A resumed campaign reruns these batches.
	Cut      *search.Tally `json:",omitempty"`
	Missed   []string      // situations that no run has reached
	Late     []string      // complaints, for example of a run that did not end
	Complete string        // says that every order was run, "" if some were not run
	// Distinct says that every order was run, if actors share nothing but messages. If random runs
	// find no failure for a quarter of the search, Complete is set to Distinct.
	Distinct string `json:",omitempty"`
	Notes    []string
	Mended   []string `json:",omitempty"` // files of saved cases whose failure is mended
	Spent    float64  `json:",omitempty"` // processor time in seconds
	GivenUp  string   // why the search was given up, "" if it was not
	Findings []*Finding
	// Deaths is the number of batches in which a process died.
	Deaths int
	// Early are deaths of processes before the search, without a case. The search may see the same
	// deaths again, with a case.
	Early []record.Record
	// Met are failures that occurred while a different failure was shrunk. Their cases are saved.
	// The search may also find these failures.
	Met []*Finding

	// Gained maps the name of each strategy to its number of new receive pairs (see gain).
	Gained map[string]float64 `json:",omitempty"`

	// Saturated is the value of Options.Saturated that has ended the search, zero if the search has
	// not ended for this reason.
	Saturated float64

	noted   []string         // the notes about the workers of this property
	waiting []*job           // the jobs that must be done before the chunks of the search
	waits   bool             // set if the process of the last job was idle when the job ended
	rest    []*job           // chunks that wait for their next turn
	next    int              // the number of the first batch that is not in a chunk yet
	planned int              // number of chunks so far
	settled int              // number of chunks whose results were processed, in order
	yields  [window]yield    // the results of the last chunks (see yieldOf)
	seen    *coverage.Orders // receive pairs of this campaign
	known   *coverage.Orders // receive pairs of earlier campaigns
	shown   *coverage.Orders // receive pairs of runs that do not belong to the search, such as saved cases
	told    Progress         // the progress that was last reported
	early   map[int]*job     // chunks whose results wait for an earlier chunk, by the number of their first batch
}

// window is the maximum number of chunks of a property in progress at the same time. The size of
// chunk n depends on the yield of chunk n-window.
const window = 8

// A yield says what a chunk of the search has cost and how many receive pairs it has found.
type yield struct {
	Steps, Batches int
	Seconds        float64 // the processor time of the chunk
	Fresh          int     // number of new receive pairs
	Chance         float64 // coverage.Chance.High after the chunk; 0 if unknown
}

func newTarget(s Subject) *target {
	return &target{subject: s, Tally: search.NewTally(), early: map[int]*job{}, seen: &coverage.Orders{}, known: &coverage.Orders{}, shown: &coverage.Orders{}}
}

// The size of a chunk.
const (
	chunkSteps  = 1 << 20          // a chunk has about this many steps
	leastSteps  = 1 << 12          // a chunk has about this many steps if the time is short
	usualSpeed  = 2                // the assumed number of steps in a microsecond, a low estimate
	turns       = 8                // the least number of turns of a property if the time is limited
	leastTurn   = time.Second / 10 // the minimum length of a turn
	mostBatches = 1 << 12          // the maximum number of batches in a chunk
	growth      = 4                // a chunk has at most growth times the batches of the previous chunk
)

// confirmingPart determines how long random runs must confirm target.Distinct: for 1/confirmingPart
// of the time or of the runs of the search.
const confirmingPart = 4

// confirm ends the search in a property whose Distinct is set, once enough random runs have
// confirmed Distinct. If the property has failed, confirm clears Distinct.
func (c *campaign) confirm(t *target) {
	switch {
	case t.Distinct == "" || t.Complete != "":
	case len(t.Findings) > 0:
		t.Distinct = ""
	case c.For > 0 && c.elapsed() >= c.For/confirmingPart, c.Runs > 0 && t.next*t.Batch >= c.Runs/confirmingPart:
		c.complete(t, t.Distinct)
	}
}

// complete ends the search in a property because every order was run. The parameter text says so.
func (c *campaign) complete(t *target, text string) {
	t.Complete = text
	c.tell(Event{Kind: Finished, Subject: t.subject.String(), Text: text})
}

// chunkSteps returns the approximate number of steps of a chunk. If the time is limited, each
// property gets about turns chunks, assuming usualSpeed steps in a microsecond. With larger chunks
// a property that is ready late might get no turn before the time limit. With smaller ones the
// fixed cost of each chunk would be too large a part of its time.
func (c *campaign) chunkSteps() int {
	if c.For == 0 {
		return chunkSteps
	}
	return max(leastSteps, min(chunkSteps, usualSpeed*int(c.each().Microseconds())/turns))
}

// open reports whether the search continues with further chunks.
func (t *target) open(o *Options) bool {
	return t.Begun && t.Complete == "" && t.GivenUp == "" && t.Saturated == 0 && !(o.First && len(t.Findings) > 0) &&
		!(o.Runs > 0 && t.Batch > 0 && t.next*t.Batch >= o.Runs)
}

// isClosed reports whether runs of the property are no longer wanted, not even the runs of
// unfinished chunks.
func (t *target) isClosed(o *Options) bool { return t.GivenUp != "" || o.First && len(t.Findings) > 0 }

// chunk returns a job that runs the next batches of the search, with about the given number of
// steps, in turns of the given length.
func (t *target) chunk(o *Options, steps int, each time.Duration) *job {
	y, size := t.yieldOf(t.planned), 1
	if y.Batches > 0 {
		size = max(1, min(mostBatches, growth*max(1, t.Size), steps*y.Batches/max(1, y.Steps)))
	}
	*y = yield{}
	t.Size = size
	j := &job{target: t, number: t.planned, first: t.next, count: size,
		request: session.Request{Do: session.Run, Seed: o.Seed, First: t.next, Count: size, Runs: o.Runs, Time: each, Hinted: t.Hinted}}
	t.next += size
	t.planned++
	return j
}

// yieldOf returns the yield of the chunk with the given number. Before chunk n is planned, it
// returns the yield of chunk n-window, which determines the size of chunk n.
func (t *target) yieldOf(number int) *yield { return &t.yields[number%window] }

// pace returns the sums of the costs and of the new receive pairs of the last chunks.
func (t *target) pace(o *Options) (p pace) {
	p.open = t.open(o)
	for i := range t.yields {
		y := &t.yields[i]
		p.seconds, p.steps, p.fresh, p.batches = p.seconds+y.Seconds, p.steps+y.Steps, p.fresh+y.Fresh, p.batches+y.Batches
	}
	return p
}

// dropRest ends all chunks that wait for their next turn. It moves them from the field rest to the
// field early.
func (t *target) dropRest() {
	for _, j := range t.rest {
		t.early[j.first] = j
	}
	t.rest = nil
}

// take adds the result of chunk j to the property.
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

// enoughRuns is the minimum number of runs for endless to return true. Fewer runs may all have been
// skipped by chance.
const enoughRuns = 1000

// endless reports whether the search could end only by saturation, but has no random runs from
// which saturation is estimated.
func (t *target) endless(o *Options) bool {
	return o.Saturated > 0 && o.For == 0 && o.Runs == 0 && t.Tally.Runs >= enoughRuns && t.seen.Chance().Runs == 0
}

// learn adds the receive pairs of a chunk to t.seen, and returns the number of pairs that are new.
func (t *target) learn(parts ...*coverage.Orders) int {
	before := t.seen.Seen()
	for _, seen := range parts {
		t.seen.Append(seen)
	}
	return t.seen.Seen() - before
}

// all returns the receive pairs of this campaign and of earlier campaigns.
func (t *target) all() *coverage.Orders {
	if t.known.Runs() == 0 {
		return t.seen
	}
	all := &coverage.Orders{}
	all.Merge(t.known)
	all.Merge(t.seen)
	return all
}

// Limits of a property.
const (
	mostTexts    = 20  // the maximum number of distinct notes, and of distinct complaints
	mostFindings = 100 // the maximum number of findings
	mostDeaths   = 20  // after this many batches with a death, the property is given up
)

// find returns the finding with the given exact signature, nil if there is none.
func (t *target) find(signature string) *Finding {
	for _, f := range t.Findings {
		if f.Exact == signature {
			return f
		}
	}
	return nil
}

// signatures returns the exact signatures of all findings.
func (t *target) signatures() (list []string) {
	for _, f := range t.Findings {
		list = append(list, f.Exact)
	}
	return list
}

// ended returns why the search in the property has ended.
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

// ran describes what was run. It counts neither the runs before the search nor the batches in which
// a process died.
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

// made returns the counts of all runs, which are the sum of Tally and Cut.
func (t *target) made() *search.Tally {
	if t.Cut == nil {
		return &t.Tally
	}
	all := search.NewTally()
	all.Add(&t.Tally)
	all.Add(t.Cut)
	return &all
}

// outcome returns the result of the property.
func (t *target) outcome(interrupted bool) Outcome {
	made := t.made()
	out := Outcome{Subject: t.subject, Findings: grouped(t.Findings), Runs: made.Runs, Steps: made.Steps, Complete: t.Complete, Ran: t.ran(),
		Notes: slices.Concat(t.Notes, t.Tally.Crowds()), Arms: t.arms(), Orders: t.reported(), Missed: t.Missed, Reached: made.Reached, Labels: made.Distributions(), Complaints: slices.Clone(t.Late),
		Mended: t.Mended, Spent: time.Duration(t.Spent * float64(time.Second))}
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
		if list := res.Complaints(); t.existing() {
			for _, text := range list {
				out.Notes = append(slices.Clone(out.Notes), "not controlled, because "+text)
			}
		} else {
			out.Complaints = append(out.Complaints, list...)
		}
	}
	return out
}

// chunk returns a job that runs the next batches of the property.
func (c *campaign) chunk(t *target) *job { return t.chunk(&c.Options, c.chunkSteps(), c.turnTime()) }

// giveUp ends the search in a property. The reason is the text that format and args make.
func (t *target) giveUp(format string, args ...any) { t.GivenUp = fmt.Sprintf(format, args...) }
