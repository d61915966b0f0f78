package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/worker"
)

// A campaign is one call of Run. One goroutine, the caller's, has all of it but the jobs
// that workers are at.
type campaign struct {
	Options
	targets []*target
	began   time.Time
	round   int // of the next shares
	queue   []*job
	flying  int         // jobs that workers are at
	shares  map[int]int // by their round, how many are not over
	deaths  int
	recount time.Time     // before it nothing is counted anew
	hands   []*hand       // in the order in which they were begun
	room    int           // for what the runs of a target have shown, in bytes
	before  time.Duration // that earlier processes of this campaign took
	first   int           // requests for saved cases that are not over
	ready   chan struct{} // closed when none is left

	over    bool   // no more shares are begun
	resting bool   // what is found now is out of turn
	ended   string // why
	broken  error  // what kept a checkpoint from being written, told once
}

// How often a campaign says how far it is, in its first minute and later, how often it
// notes that, and how long a share may go on when the time is over.
const (
	sayEvery  = 5 * time.Second
	sayLater  = time.Minute
	noteEvery = time.Minute
	grace     = 2 * time.Second
)

// run makes all rounds.
func (c *campaign) run(ctx context.Context) (*Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	searching, stop := context.WithCancel(ctx) // of shares
	defer stop()
	jobs, results := make(chan *job), make(chan *job)
	var workers sync.WaitGroup
	for range c.Workers {
		w := &hand{Options: &c.Options, searching: searching, all: ctx}
		c.hands = append(c.hands, w)
		workers.Go(func() { w.work(jobs, results) })
	}
	c.shares = map[int]int{}
	c.prepare()
	c.loop(ctx, stop, jobs, results)
	close(jobs)
	cancel()
	workers.Wait()
	c.checkpoint()
	c.tellRest()
	c.tell(Event{Kind: Ended, Text: c.ended})
	r := &Report{Ended: c.ended, Elapsed: c.elapsed(), Deaths: c.deaths, Seed: c.Seed}
	for _, t := range c.targets {
		r.Outcomes = append(r.Outcomes, t.outcome(c.ended == interrupted))
	}
	return r, nil
}

// prepare queues what comes before the first round.
func (c *campaign) prepare() {
	for _, t := range c.targets {
		t.next = t.Done
		if !t.Begun {
			c.queue = append(c.queue, &job{target: t, request: worker.Request{Do: worker.Begin, Seed: c.Seed, Pages: c.Pages}, round: noRound})
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

// Why a campaign ends, by time or because nothing is left to search for. If that is so of
// its properties for several reasons, it is the one that comes last here.
const (
	interrupted = "interrupted"
	complete    = "complete"
	saturated   = "saturated"
	failures    = "failures"
	givenUp     = "given up"
	runs        = "runs"
	timeOver    = "time"
)

// nothingLeft says why nothing is left to search for.
func (c *campaign) nothingLeft() string {
	why := []string{complete, saturated, failures, givenUp, runs}
	last := 0
	for _, t := range c.targets {
		last = max(last, slices.Index(why, t.ended(&c.Options)))
	}
	return why[last]
}

// loop hands out jobs and takes what came of them until nothing is left.
func (c *campaign) loop(ctx context.Context, stop func(), jobs, results chan *job) {
	say, note := time.NewTicker(cmp.Or(c.Say, sayEvery)), time.NewTicker(c.Every)
	defer say.Stop()
	defer note.Stop()
	var end <-chan time.Time
	if c.For > 0 {
		end = time.After(max(0, c.For-c.before))
	}
	done := ctx.Done()
	for {
		c.refill()
		if len(c.queue) == 0 && c.flying == 0 {
			if c.foundRest(); len(c.queue) > 0 && c.ended != interrupted {
				continue
			}
			c.end(c.nothingLeft())
			return
		}
		var hand chan *job
		var next *job
		if len(c.queue) > 0 {
			hand, next = jobs, c.queue[0]
			next.known, next.size = next.target.signatures(), next.target.Batch
		}
		select {
		case hand <- next:
			c.queue[0] = nil // else what comes of it would stay as long as the queue
			c.queue = c.queue[1:]
			c.flying++
		case j := <-results:
			c.flying--
			c.settle(j)
		case <-say.C:
			c.went()
			if c.Say == 0 && time.Since(c.began) > sayLater {
				say.Reset(sayLater)
			}
		case <-note.C:
			c.checkpoint()
		case <-end:
			end = nil
			c.end(timeOver)
			time.AfterFunc(grace, stop)
		case <-done:
			done = nil
			c.end(interrupted)
			c.queue = nil
		}
	}
}

// end ends the search, for a reason if there was none before. What was found is still
// made smaller. When the time is over each property still has its saved cases and its
// first share: else it would fail since others took long.
func (c *campaign) end(why string) {
	if c.over && why != interrupted {
		return
	}
	c.over, c.ended = true, why
	var left []*job
	for _, j := range c.queue {
		if j.request.Do == worker.Shrink || why == timeOver && (j.request.Do == worker.Begin || j.request.First == 0) {
			left = append(left, j)
		}
	}
	c.queue = left
	for _, t := range c.targets {
		c.atLeast(t)
	}
}

// atLeast queues the first share of a target that has none, once the time is over.
func (c *campaign) atLeast(t *target) {
	if c.ended == timeOver && t.next == 0 && t.open(&c.Options) {
		c.shares[c.round]++
		c.queue = append(c.queue, c.share(t))
	}
}

// refill plans a round when none is waiting and the round before the last is over.
func (c *campaign) refill() {
	if c.over || len(c.queue) > 0 {
		return
	}
	for round, left := range c.shares {
		if left == 0 {
			delete(c.shares, round)
		} else if round < c.round-1 {
			return
		}
	}
	for _, j := range c.plan() {
		c.shares[j.round]++
		c.queue = append(c.queue, j)
	}
}

// settle takes what came of a job.
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
	case j.request.Do == worker.Shrink:
		c.shrunk(j)
	case j.request.Do == worker.Begin:
		c.begun(j)
		if c.first--; c.first == 0 {
			close(c.ready)
		}
	default:
		c.shares[j.round]--
		t.early[j.request.First] = j
		for {
			next := t.early[t.Done]
			if next == nil || next.lost() {
				return
			}
			delete(t.early, t.Done)
			c.settleShare(next)
		}
	}
}

// settleShare takes what came of a share, after all shares before it: of a target that was
// given up only what was found.
func (c *campaign) settleShare(j *job) {
	t := j.target
	t.Done = j.request.First + j.request.Count
	if c.First && len(t.Findings) > 0 {
		return
	}
	if c.foundIn(j); t.GivenUp != "" {
		return
	}
	if t.Deaths += len(j.died); t.Deaths >= mostDeaths {
		t.giveUp("the search was given up after %d batches with a death", t.Deaths)
		return
	} else if j.err != nil {
		text, _, _ := strings.Cut(j.err.Error(), "\n")
		t.giveUp("the search was given up: %s", text)
		return
	}
	t.take(&c.Options, j)
	if n := j.reply.Failed - len(j.reply.Findings); n > 0 && len(j.reply.Findings) > 0 {
		if f := t.find(j.reply.Findings[0].Signature); f != nil {
			f.Times += n
		}
	}
	if t.endless(&c.Options) {
		t.giveUp("the search was given up: how much is left to be seen is known of runs in random order alone, and there was none: bound it by time or a number of runs, too")
	}
}

// begun takes what came of the saved cases.
func (c *campaign) begun(j *job) {
	t := j.target
	if j.lost() {
		return
	}
	t.Begun = true
	for i := range j.died {
		if f := &j.died[i]; f.Path != "" {
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
	t.Notes = r.Notes
	for _, p := range r.Problems {
		if len(t.Late) < mostTexts {
			t.Late = append(t.Late, p)
		}
	}
	for i := range r.Findings {
		c.found(t, &r.Findings[i], false)
	}
	if t.Complete = r.Complete; t.Complete != "" {
		t.Tally = r.Tally
		t.gain(&t.Tally, t.learn(j.seen))
		c.tell(Event{Kind: Finished, Subject: t.subject.String(), Text: t.Complete})
	}
	c.atLeast(t)
}

// tell tells of an event.
func (c *campaign) tell(e Event) {
	if c.Tell == nil {
		return
	}
	for _, t := range c.targets {
		e.Runs += t.Tally.Runs
		e.Orders += t.seen.Seen(coverage.PR)
	}
	e.Seconds = c.elapsed().Seconds()
	if e.Kind == Went || e.Kind == Ended {
		e.Memory = worker.Memory()
		for _, h := range c.hands {
			e.Workers += h.memory.Load()
		}
	}
	c.Tell(e)
}

func (c *campaign) elapsed() time.Duration { return c.before + time.Since(c.began) }

// progress says how far the campaign is.
func (c *campaign) progress() string {
	found, open := 0, 0
	for _, t := range c.targets {
		found += len(t.Findings)
		if t.open(&c.Options) || !t.Begun {
			open++
		}
	}
	return fmt.Sprintf("%d of %d properties open, %d found", open, len(c.targets), found)
}
