package campaign

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// A campaign is the state of one call to Run. Only the goroutine that called Run uses it. Other
// goroutines use only the jobs that they do.
type campaign struct {
	Options
	targets []*target
	began   time.Time
	lanes   *lanes // the queue of each property for turns at workers, in the order of targets
	flying  []*job // the jobs at workers
	deaths  int
	recount time.Time // the coverage is not recomputed before this time
	hands   []*hand
	room    int           // memory for the receive pairs of a property, in bytes
	before  time.Duration // time of this campaign before it was resumed
	first   int           // number of unfinished jobs of the kind session.Begin
	ready   chan struct{} // closed when the field first becomes 0

	over    bool  // set when no more chunks begin
	resting bool  // set at the end of the campaign, when findings are recorded although earlier batches are unfinished
	ended   End   // why the campaign is over
	broken  error // the first error of writing a checkpoint
}

// Intervals and time limits of a campaign.
const (
	sayEvery   = 5 * time.Second  // the interval between reports of progress in the first minute
	sayLater   = time.Minute      // the interval between reports of progress after the first minute
	noteEvery  = time.Minute      // the interval between writes of the state file
	watchEvery = time.Second / 10 // the interval between checks of the workers
	grace      = 2 * time.Second  // the time for which chunks may continue after the time limit
	mostLate   = time.Minute      // the additional time for which a chunk may complete its current run
)

// mostIdle is the number of hands in addition to Options.Workers. A hand is a goroutine that does
// jobs in worker processes. The additional hands do jobs while the processes of other hands are
// idle.
const mostIdle = 8

// run runs the campaign and returns its report.
func (c *campaign) run(ctx context.Context) (*Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	searching, stop := context.WithCancel(ctx) // the context of the chunks of the search
	defer stop()
	enough, late := context.WithCancel(searching)
	defer late()
	results := make(chan *job)
	var workers sync.WaitGroup
	for range c.Workers + mostIdle {
		w := &hand{Options: &c.Options, jobs: make(chan *job, 1), enough: enough, searching: searching, all: ctx}
		c.hands = append(c.hands, w)
		workers.Go(func() { w.work(results) })
	}
	c.prepare()
	c.loop(ctx, stops{late, stop}, results)
	for _, h := range c.hands {
		close(h.jobs)
	}
	cancel()
	workers.Wait()
	c.checkpoint()
	c.tellRest()
	c.tell(Event{Kind: Ended, Text: string(c.ended)})
	r := &Report{Ended: c.ended, Elapsed: c.elapsed(), Deaths: c.deaths, Seed: c.Seed}
	for _, t := range c.targets {
		r.Outcomes = append(r.Outcomes, t.outcome(c.ended == EndInterrupted))
	}
	return r, nil
}

// stops has two functions that end all chunks of the search. The function enough lets each chunk
// complete its current run. The function now ends the chunks at once.
type stops struct{ enough, now func() }

// after starts two timers and does not wait. It calls s.enough
// after the time grace, and s.now after grace plus mostLate.
func (s stops) after() {
	time.AfterFunc(grace, s.enough)
	time.AfterFunc(grace+mostLate, s.now)
}

// prepare queues the jobs that come before the search.
func (c *campaign) prepare() {
	c.lanes = newLanes(len(c.targets))
	for i, t := range c.targets {
		c.lanes.list[i].spent = t.Spent
	}
	for _, t := range c.targets {
		t.next = t.Done
		if !t.Begun {
			t.waiting = append(t.waiting, &job{target: t, request: session.Request{Do: session.Begin, Seed: c.Seed, Pages: c.Pages}})
			c.first++
		}
		for _, f := range t.Findings {
			if !f.Told {
				c.shrink(t, f)
			}
		}
	}
	if c.first == 0 {
		close(c.ready)
	}
}

// nothingLeft returns the End of a campaign in which the searches of all properties have ended.
func (c *campaign) nothingLeft() End {
	why := []End{EndComplete, EndSaturated, EndFailures, EndGivenUp, EndRuns}
	last := 0
	for _, t := range c.targets {
		last = max(last, slices.Index(why, t.ended(&c.Options)))
	}
	return why[last]
}

// loop starts jobs and processes their results until no job is left.
func (c *campaign) loop(ctx context.Context, s stops, results chan *job) {
	say, note, watch := time.NewTicker(c.Say), time.NewTicker(c.Every), time.NewTicker(watchEvery)
	defer say.Stop()
	defer note.Stop()
	defer watch.Stop()
	var end <-chan time.Time
	if c.For > 0 {
		end = time.After(max(0, c.For-c.before))
	}
	done := ctx.Done()
	for {
		if c.handOut(); len(c.flying) == 0 {
			if c.foundRest(); c.ended == EndInterrupted || c.next(false) < 0 {
				c.end(c.nothingLeft())
				return
			}
			continue
		}
		select {
		case j := <-results:
			c.land(j)
			c.settle(j)
		case <-watch.C:
			c.watch()
		case <-say.C:
			c.went()
		case <-note.C:
			c.checkpoint()
		case <-end:
			end = nil
			c.end(EndTime)
			s.after()
		case <-done:
			done = nil
			c.end(EndInterrupted)
		}
	}
}

// end ends the search of the campaign, with the reason why. If the search is already over, only
// EndInterrupted has an effect. After other reasons findings are still shrunk. After EndTime each
// property still runs its saved cases and its first chunk. Without these runs a property might be
// reported as not tested because other properties took long.
func (c *campaign) end(why End) {
	if c.over && why != EndInterrupted {
		return
	}
	c.over, c.ended = true, why
	for _, t := range c.targets {
		c.confirm(t)
		t.waiting = slices.DeleteFunc(t.waiting, func(j *job) bool {
			return why == EndInterrupted || j.request.Do == session.Begin && why != EndTime
		})
		t.dropRest()
	}
	for _, j := range c.flying {
		if j.paused {
			c.resume(j)
		}
	}
}

// settle processes the result of a job.
func (c *campaign) settle(j *job) {
	t := j.target
	c.deaths += j.deaths
	for _, text := range j.notes {
		if slices.Contains(t.noted, text) || len(t.noted) == mostTexts {
			continue
		}
		t.noted = append(t.noted, text)
		c.tell(Event{Kind: Noted, Subject: t.subject.String(), Text: text})
	}
	switch {
	case j.request.Do == session.Shrink:
		c.shrunk(j)
	case j.request.Do == session.Begin:
		c.begun(j)
		if c.first--; c.first == 0 {
			close(c.ready)
		}
	case j.goesOn() && !c.over:
		t.rest = append(t.rest, j)
	default:
		c.noteLate(j)
		t.early[j.first] = j
		for {
			next := t.early[t.Done]
			if next == nil || next.lost() {
				return
			}
			delete(t.early, t.Done)
			c.settleChunk(next)
		}
	}
}

// noteLate adds a complaint if the job was stopped because its current run did not end.
func (c *campaign) noteLate(j *job) {
	if t := j.target; j.late != "" && len(j.died) == 0 && c.ended == EndTime && len(t.Late) < mostTexts {
		t.Late = append(t.Late, j.late)
	}
}

// settleChunk processes the result of a chunk. The caller must pass the chunks of a property in
// order. If the search of the property was given up, settleChunk records only the findings.
func (c *campaign) settleChunk(j *job) {
	t := j.target
	t.Done = j.first + j.count
	t.settled++
	y := t.yieldOf(j.number)
	y.Seconds += j.spent.Seconds()
	if c.First && len(t.Findings) > 0 {
		return
	}
	if c.foundIn(j); t.GivenUp != "" {
		return
	}
	if t.Deaths += len(j.died); t.Deaths >= mostDeaths {
		t.giveUp("the search was given up after a process died in each of %d batches of runs", t.Deaths)
		return
	} else if j.err != nil {
		text, _, _ := strings.Cut(j.err.Error(), "\n")
		t.giveUp("the search was given up: %s", text)
		return
	}
	t.take(&c.Options, j)
	if n := j.reply.Failed - len(j.reply.Findings); n > 0 && len(j.reply.Findings) > 0 {
		if f := t.find(j.reply.Findings[0].Exact); f != nil {
			f.Times += n
		}
	}
	if t.endless(&c.Options) {
		t.giveUp("the search was given up: saturation is measured on runs in random order, and there were none; also set a time or a number of runs")
	}
}

// begun processes the result of a job of the kind session.Begin, which runs the saved cases.
func (c *campaign) begun(j *job) {
	t := j.target
	if j.lost() {
		return
	}
	t.Begun = true
	t.show(j)
	for i := range j.died {
		if f := &j.died[i]; f.Path != "" || f.Case != "" {
			c.found(t, f, true)
		} else {
			t.Early = append(t.Early, *f)
		}
	}
	if j.err != nil {
		var refused *worker.Refusal
		if len(j.died) == 0 || errors.As(j.err, &refused) {
			t.giveUp("nothing was searched: %v", j.err)
		}
		return
	}
	r := j.reply
	t.Notes, t.Hinted, t.Mended = r.Notes, r.Hinted, r.Fixed
	for _, p := range r.Doubts {
		t.uncontrolled(p)
	}
	t.Late = append(t.Late, r.Problems[:min(len(r.Problems), mostTexts-len(t.Late))]...)
	for i := range r.Findings {
		c.found(t, &r.Findings[i], false)
	}
	if r.Complete != "" {
		t.Tally = r.Tally
		t.gain(&t.Tally, t.learn(j.seen...))
		if r.Conditional && c.For+time.Duration(c.Runs) > 0 {
			t.Distinct = r.Complete
		} else {
			c.complete(t, r.Complete)
		}
	}
}

func (c *campaign) elapsed() time.Duration { return c.before + time.Since(c.began) }
