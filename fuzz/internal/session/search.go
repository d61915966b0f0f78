package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
)

// Few is the largest number of distinct orders that are all run before the random search. If
// there are so few orders, random runs would only repeat them.
const Few = 1000

// found adds a failing run of a search to the reply. If s.Later is not set, it first shrinks,
// explains and saves the run.
func (s *Session) found(ctx context.Context, r *Reply, f search.Found) {
	if s.Later {
		r.shown.add(f.Trace)
		rec := f.Record(f.Run)
		rec.Run = f.Number
		r.addFinding(rec)
		return
	}
	runner := s.Property.NewRunner()
	defer runner.Close()
	rec := s.Conclude(ctx, runner, f.Finding, f.Run)
	rec.Run = f.Number
	r.Findings = append(r.Findings, rec)
}

// foundIn adds the failing run of a random search, which began at start.
func (s *Session) foundIn(ctx context.Context, r *Reply, res *search.Result, start time.Time) {
	where := res.FoundAt(words.Elapsed(time.Since(start)))
	if s.Later {
		where = fmt.Sprintf("run %d (%s)", res.Index+1, res.Finding.Case.Strategy)
	}
	s.found(ctx, r, search.Found{Finding: res.Finding, Run: where, Number: res.Index + 1})
}

// begin runs the saved cases. Then it runs every order, if there are few and no case fails.
func (s *Session) begin(ctx context.Context, q *Request, r *Reply) error {
	if err := s.saved(ctx, q, r); err != nil || s.Portfolio != nil {
		return err
	}
	if len(r.Findings) == 0 {
		if left, err := s.few(ctx, ctx, q, r); err != nil || !left {
			return err
		}
	}
	s.say(Event{At: &At{}}) // the runs made to look for hints are runs of the first batch
	h := s.hints(ctx, q)
	if r.Hinted = h.Given; h.Failed != nil && len(r.Findings) == 0 {
		s.foundIn(ctx, r, &search.Result{Finding: h.Failed, Index: h.Run}, time.Now())
	}
	return nil
}

// hints finds out whether the property gives hints. It does nothing if a strategy is set or the
// property can give none.
func (s *Session) hints(ctx context.Context, q *Request) (h search.Hints) {
	if s.Portfolio == nil && !s.Property.Existing {
		h = search.LookForHints(ctx, s.Property, search.Options{Seed: q.Seed, Runs: q.Runs})
	}
	return h
}

// few runs every order if there are few orders. left reports whether orders may remain for a
// search. The context searching limits the search, and ctx limits shrinking its findings.
func (s *Session) few(ctx, searching context.Context, q *Request, r *Reply) (left bool, err error) {
	if s.FewFor <= 0 {
		return true, nil
	}
	s.say(Event{At: &At{What: "the runs of every order before the search"}})
	start := time.Now()
	most := s.FewFor
	if end, ok := searching.Deadline(); ok {
		most = min(most, time.Until(end)/2)
	}
	part, cancel := context.WithTimeout(searching, most)
	defer cancel()
	x := search.Exhaust(part, s.Property, q.Seed, Few)
	r.shown.addAll(x.Orders)
	for _, f := range x.Found {
		s.found(ctx, r, f)
	}
	s.doubt(r, x.Doubts...)
	if len(x.Found) > 0 || !x.All {
		return len(x.Found) == 0 || s.Later, nil
	}
	res, same := x.Confirm(searching, s.Property, s.options(q))
	switch {
	case res.Finding != nil:
		s.late(r, &res)
		s.foundIn(ctx, r, &res, start)
		s.doubt(r, x.Doubts...)
	case same:
		err = r.complete(&x, &res, q.Seed)
		r.Text = fmt.Sprintf("%s, and %s more at random showed no other order, in %s; %s", r.Complete, words.Grouped(res.Runs), words.Elapsed(time.Since(start)),
			x.Orders.Count()) + labels(&res)
	}
	return res.Finding == nil && !same, err
}

// late adds a problem for each failure caused by a goroutine that outlived the last run.
func (s *Session) late(r *Reply, res *search.Result) {
	for _, f := range res.Late {
		s.doubt(r, f.Error())
	}
}

// doubt adds reasons why the results may mean nothing.
func (s *Session) doubt(r *Reply, texts ...string) {
	if s.Property.Existing {
		r.Doubts = append(r.Doubts, texts...)
		return
	}
	r.Problems = append(r.Problems, texts...)
}

// Search makes random runs until one fails or the limits of the request are reached. The search
// is guided if the property gives hints and no strategy is set.
func (s *Session) Search(ctx context.Context, q *Request) search.Result {
	ctx, cancel := s.within(ctx, q.Time)
	defer cancel()
	h, o := s.hints(ctx, q), s.options(q)
	o.Hinted = h.Given
	res := search.Sample(ctx, s.Property, o)
	h.AddTo(&res)
	return res
}

// Rerun reruns the run in which a process died while it carried out the request q. It also
// reruns earlier runs that this run depends on. f is the first failing run, nil if none fails.
// reached reports whether the run in which the process died was reached.
func (s *Session) Rerun(q *Request, run flight.Run) (f *finding.Finding, reached bool) {
	ctx, cancel := s.within(context.Background(), q.Time)
	defer cancel()
	h, o := s.hints(ctx, q), s.options(q)
	o.Hinted, o.Workers, o.Passed = h.Given, 0, nil
	f, reached = search.Rerun(ctx, s.Property, o, Few, run)
	return cmp.Or(f, h.Failed), reached
}

// share returns the time that a Check request may search, and a function to call when the search
// ends.
func (s *Session) share(q *Request) (most time.Duration, over func()) {
	if s.Share == nil {
		return q.Time, func() {}
	}
	return s.Share()
}

// check runs the saved cases and, if there are few, every order. Then it makes random runs
// until one fails.
func (s *Session) check(ctx context.Context, q *Request, r *Reply) error {
	if err := s.saved(ctx, q, r); err != nil || r.Fails() {
		return err
	}
	start := time.Now()
	most, over := s.share(q)
	defer over()
	left := most
	if most > 0 {
		left = max(1, most-s.Spent)
	}
	searching, cancel := s.within(ctx, left)
	defer cancel()
	if left, err := s.few(ctx, searching, q, r); err != nil || !left {
		return err
	}
	res := s.Search(searching, q)
	if most < q.Time {
		if r.Share = most; res.Finding == nil && len(res.Complaints()) > 0 {
			start = time.Now()
			r.Share, res = 0, s.Search(ctx, q)
		}
	}
	s.late(r, &res)
	if c := res.Cached.String(); c != "" {
		r.note("%s", c)
	}
	if res.Finding != nil {
		s.foundIn(ctx, r, &res, start)
		return nil
	}
	s.doubt(r, res.Complaints()...)
	r.Notes = append(r.Notes, res.Crowds()...)
	if n := res.Tested(); n > 0 && 2*n < res.Runs {
		r.note("%s of %s were skipped (%s)", words.Grouped(res.Runs-n), words.Count(res.Runs, "run"), res.SkipReason)
	}
	if res.Timed > 0 && res.Early == 0 {
		r.Notes = append(r.Notes, s.notEarly())
	}
	r.Text = fmt.Sprintf("%s in %s, %s; %s\n%s", words.Count(res.Runs, "run"), words.Elapsed(time.Since(start)), words.Count(res.Steps, "step"), res.Coverage(), res.Yields()) + labels(&res)
	return nil
}

// labels returns a line end and a line for each label of the runs.
func labels(res *search.Result) (text string) {
	for _, d := range res.Distributions() {
		text += "\n" + d.String()
	}
	return text
}

// notEarly says that no timer fired early in a search, and why.
func (s *Session) notEarly() string {
	if s.Property.Existing {
		return "no timer fired early (see jostle test -early): code that is slower than a timer was not tested"
	}
	return "no timer fired while a message waited: pulse.Options.EarlyTimers is NeverEarly, or there were too few runs; " +
		"a timer that races with a message was not tested"
}

// orderBytes limits the memory for the receive pairs of one request, in bytes.
const orderBytes = 4 << 20

// run makes the runs of some batches. After a failing run it continues with the next batch, in
// which another failure may occur.
func (s *Session) run(ctx context.Context, q *Request, r *Reply) error {
	o := s.options(q)
	o.OrderBytes = orderBytes
	if q.Time > 0 {
		o.Until = time.Now().Add(q.Time)
	}
	if q.Enough != nil {
		ctx = q.Enough
	}
	r.Batch = o.BatchSize()
	var parts []*coverage.Orders
	last := q.First + q.Count
	b := q.First
	for b < last && !r.Cut {
		if b > q.First && (ctx.Err() != nil || !o.Until.IsZero() && !time.Now().Before(o.Until)) {
			break
		}
		if slices.Contains(q.Without, b) {
			b++
			continue
		}
		end := last
		for _, without := range q.Without {
			if without > b {
				end = min(end, without)
			}
		}
		o.First, o.Runs = b, end*r.Batch
		if q.Runs > 0 {
			o.Runs = min(o.Runs, q.Runs)
		}
		if o.First*r.Batch >= o.Runs {
			b = last
			break
		}
		next, seen := s.some(ctx, o, end, r)
		b, parts = next, append(parts, seen)
	}
	r.Over = b - q.First
	var err error
	r.Orders, err = joined(parts, q.Seed).MarshalBinary()
	return err
}

// joined returns the receive pairs of all parts of a search. If there is only one part, joined
// returns that part itself, not a copy.
func joined(parts []*coverage.Orders, seed uint64) *coverage.Orders {
	if len(parts) == 1 {
		return parts[0]
	}
	seen := &coverage.Orders{Source: seed}
	for _, part := range parts {
		seen.Append(part)
	}
	return seen
}

// some makes the runs of the batches before batch `end`, until a run fails or ctx is done. It
// returns the next batch and the receive pairs of the runs.
func (s *Session) some(ctx context.Context, o search.Options, end int, r *Reply) (next int, seen *coverage.Orders) {
	size := o.BatchSize()
	o.Planned = func(index int, _ *props.Plan) {
		if s.Turn != nil {
			s.Turn()
		}
		if index%size == 0 {
			s.say(Event{At: &At{Batch: index / size}})
		}
	}
	res := search.Sample(ctx, s.Property, o)
	r.addRuns(&res.Tally, res.Missed)
	for _, f := range res.Late {
		r.Late = append(r.Late, f.Text)
	}
	if res.Finding == nil {
		next = min(end, o.First+res.Batches)
		r.Cut = next < end && ctx.Err() != nil
		return next, res.Orders
	}
	r.Failed++
	r.shown.add(res.Finding.Trace)
	f := res.Finding.Record(fmt.Sprintf("run %d (%s)", res.Index+1, res.Finding.Case.Strategy))
	f.Run = res.Index + 1
	r.addFinding(f)
	return res.Index/size + 1, res.Orders
}

// explore runs every order.
func (s *Session) explore(ctx context.Context, q *Request, r *Reply) error {
	searching, cancel := s.within(ctx, q.Time)
	defer cancel()
	o := s.Explore
	o.Runs, o.Seed, o.Workers, o.Passed = q.Runs, q.Seed, s.Workers, s.Passed
	switch {
	case s.Later:
		o.KeepOn = true
	case o.KeepOn: // save findings at once, because the process may be killed before it shrinks them
		o.Met = func(f *finding.Finding) { s.saveEarly(f) }
	}
	s.say(Event{At: &At{What: "the runs of every order"}})
	x, err := search.Explore(searching, s.Property, o)
	if err != nil {
		return err
	}
	v := &x.Verdict
	if o.Progress != nil {
		o.Progress(v.Progress())
	}
	r.Verdict, s.alone = v, v.Failures
	if x.Divergence != nil {
		x.Found = append(x.Found, *x.Divergence)
	}
	for _, f := range x.Found {
		s.found(ctx, r, f)
	}
	s.clearEarly()
	r.Problems = slices.Concat(r.Problems, x.Complaints, x.Lost)
	if v.Clash != "" {
		r.Problems = append(r.Problems, v.Clash)
	}
	r.Tally.Runs, r.Tally.Steps = v.Runs, v.Steps
	if r.Text = v.String(); v.Advice() != "" {
		r.Text += "\n" + v.Advice()
	}
	switch {
	case !v.Complete:
	case v.Distinct < 0: // negative: the distinct orders were not counted
		r.Complete = words.Count(v.Runs, "run")
	default:
		r.Complete = words.Count(v.Distinct, "order")
	}
	return nil
}
