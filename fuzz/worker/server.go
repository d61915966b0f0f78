package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/distill"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/page"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

// A server does what a command asks of one property.
type server struct {
	*worker
	*Call
	dog    *search.Watchdog // of the request that is being done
	enough context.Context  // done when the command has enough of it
}

// do does what is asked for.
func (s *server) do(q *Request) *Reply {
	do, known := map[string]func(*Request) (*Reply, error){
		Begin: s.begin, Run: s.run, Again: s.again, Shrink: s.shrink, Replay: s.replay, Walk: s.walk, Repair: s.repair, Explore: s.explore,
		Import: s.importGo, Export: s.exportGo, Tidy: s.tidy,
	}[q.Do]
	if !known {
		return &Reply{Error: fmt.Sprintf("the worker does not know what %q is", q.Do)}
	}
	s.dog = &search.Watchdog{Limit: s.Stall, Tell: func(headline, lines string) {
		s.say(Message{Stall: headline + "\n" + lines})
	}}
	s.Property.Made = s.dog.Look
	s.dog.Start()
	defer s.dog.Stop()
	r, err := do(q)
	if err == nil {
		err = r.writeShown()
	}
	if err != nil {
		return &Reply{Error: err.Error()}
	}
	return r
}

// context returns that of a request, which ends when the command asks for the end.
func (s *server) context(q *Request) (context.Context, context.CancelFunc) {
	if q.Milliseconds <= 0 {
		return context.WithCancel(s.asked)
	}
	return context.WithTimeout(s.asked, time.Duration(q.Milliseconds)*time.Millisecond)
}

// options returns those of a search at random.
func (s *server) options(q *Request) (o search.Options, err error) {
	o = search.Options{Seed: q.Seed, CountAll: true, Hinted: q.Hinted}
	if s.Strategies != nil {
		o.Portfolio, err = search.Strategies(s.Strategies...)
	}
	return o, err
}

// orderBytes bounds the memory for what one request for runs has shown.
const orderBytes = 4 << 20

// run makes the runs of some batches. After one that fails it goes on with the next
// batch: another may fail otherwise.
func (s *server) run(q *Request) (*Reply, error) {
	o, err := s.options(q)
	if err != nil {
		return nil, err
	}
	o.OrderBytes = orderBytes
	if q.Milliseconds > 0 {
		o.Until = time.Now().Add(time.Duration(q.Milliseconds) * time.Millisecond)
	}
	r := &Reply{Tally: search.NewTally(), Batch: o.BatchSize()}
	var parts []*coverage.Orders
	last := q.First + q.Count
	b := q.First
	for b < last && !r.Cut {
		if b > q.First && (s.enough.Err() != nil || !o.Until.IsZero() && !time.Now().Before(o.Until)) {
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
		next, seen := s.some(o, end, r)
		b, parts = next, append(parts, seen)
	}
	r.Over = b - q.First
	r.Orders, err = joined(parts, q.Seed).MarshalBinary()
	return r, err
}

// joined returns what the parts of a search have shown. That of one part, which most have,
// needs no copy.
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

// some makes the runs of batches up to an end, to one that fails or to where there is enough,
// and returns which batch is next, and what the runs have shown.
func (s *server) some(o search.Options, end int, r *Reply) (next int, seen *coverage.Orders) {
	size := o.BatchSize()
	o.Planned = func(index int, _ *props.Plan) {
		s.waitTurn()
		if index%size == 0 {
			s.say(Message{At: &At{Batch: index / size}})
		}
	}
	first := r.Tally.Runs == 0
	res := search.Sample(s.enough, s.Property, o)
	r.Tally.Add(&res.Tally)
	if first {
		r.Missed = res.Missed
	} else {
		r.Missed = slices.DeleteFunc(r.Missed, func(name string) bool { return !slices.Contains(res.Missed, name) })
	}
	for _, f := range res.Late {
		r.Late = append(r.Late, f.Text)
	}
	if res.Finding == nil {
		next = min(end, o.First+res.Batches)
		r.Cut = next < end && s.enough.Err() != nil
		return next, res.Orders
	}
	r.Failed++
	if !slices.ContainsFunc(r.Findings, func(old Finding) bool { return old.Signature == res.Finding.Failure.Signature() }) {
		f := report(res.Finding, fmt.Sprintf("run %d (%s)", res.Index+1, res.Finding.Case.Strategy))
		f.Run = res.Index
		r.Findings = append(r.Findings, f)
	}
	return res.Index/size + 1, res.Orders
}

// report returns what a command is to know of a finding.
func report(f *finding.Finding, where string) Finding {
	return Finding{Case: f.Whole(), Signature: f.Failure.Signature(), Lasting: f.Case.Signature, Headline: f.Headline(), Text: f.Text(where), Where: where,
		Worth: f.Worth(), Confirmed: f.Replays == finding.Tried, Condition: f.Case.Condition, Cause: f.Case.Cause(), Faces: f.Case.Faces, trace: f.Trace}
}

// paged returns a finding as a page.
func paged(runner *props.Runner, f *finding.Finding) *page.Page {
	if f.Seen == nil {
		f.Look(runner)
	}
	return f.Page()
}

// mostExhausted is how many orders are run at most before others at random, and
// exhaustFor how long.
const (
	mostExhausted = 1000
	exhaustFor    = 2 * time.Second
)

// begin runs the saved cases, and then every order, if there are few. If a saved case
// fails no order is run.
func (s *server) begin(q *Request) (*Reply, error) {
	r := &Reply{Tally: search.NewTally()}
	cases, problems := s.Folder.Load()
	for _, p := range problems {
		r.Problems = append(r.Problems, p.Error())
	}
	runner := s.Property.NewRunner()
	defer runner.Close()
	for i := range cases {
		s.say(Message{At: &At{What: SavedCase + cases[i].Path}})
		s.play(runner, &cases[i], r, q.Pages)
	}
	if s.Strategies != nil || q.Runs < 0 {
		return r, nil
	}
	if len(r.Findings) > 0 {
		s.lookForHints(q, r)
		return r, nil
	}
	s.say(Message{At: &At{What: "the runs of every order with which the search begins"}})
	ctx, cancel := context.WithTimeout(s.asked, exhaustFor)
	defer cancel()
	x := search.Exhaust(ctx, s.Property, q.Seed, mostExhausted)
	r.allShown().AddSeen(x.Orders)
	for _, f := range x.Found {
		r.Findings = append(r.Findings, report(f.Finding, f.Run))
	}
	if len(x.Found) == 0 && x.All {
		err := s.confirm(q, &x, r)
		return r, err
	}
	r.Problems = append(r.Problems, x.Doubts...)
	s.lookForHints(q, r)
	return r, nil
}

// lookForHints makes runs of the first batch, which show whether the property gives hints.
func (s *server) lookForHints(q *Request, r *Reply) {
	s.say(Message{At: &At{}})
	h := search.LookForHints(s.asked, s.Property, search.Options{Seed: q.Seed})
	if r.Hinted = h.Given; h.Failed != nil && len(r.Findings) == 0 {
		r.Findings = append(r.Findings, report(h.Failed, fmt.Sprintf("run %d (%s)", h.Run+1, h.Failed.Case.Strategy)))
	}
}

// confirm makes runs at random after every order was run. Where the result depends on a
// reduction, the command makes more of them.
func (s *server) confirm(q *Request, x *search.Exhaustion, r *Reply) (err error) {
	res, same := x.Confirm(context.Background(), s.Property, search.Options{Seed: q.Seed, CountAll: true})
	r.Problems = append(r.Problems, x.Doubts...)
	switch {
	case res.Finding != nil:
		r.Findings = append(r.Findings, report(res.Finding, fmt.Sprintf("run %d (%s)", res.Index+1, res.Finding.Case.Strategy)))
	case same:
		r.Complete, r.Conditional = x.Whole(), x.Conditional()
		r.Tally.Add(&res.Tally)
		r.Tally.Runs += x.Verdict.Runs
		r.Tally.Steps += x.Verdict.Steps
		seen := &coverage.Orders{Source: q.Seed}
		seen.Append(res.Orders)
		r.Orders, err = seen.MarshalBinary()
	}
	return err
}

// play runs a saved case, adds what came of it, with pages if they are asked for, and returns
// that.
func (s *server) play(runner *props.Runner, c *corpus.Case, r *Reply, pages bool) *finding.Played {
	played := finding.Play(runner, c)
	file := filepath.Base(c.Path)
	r.Exact, r.Mended = played.Exact, played.Mended
	if res := &played.Result; res.System != nil {
		r.Trace = res.System.Trace().Text()
		r.shows(res.System.Trace())
	}
	if played.Result.Failure == nil {
		r.Notes = append(r.Notes, played.Held(file, s.Property.Name == s.Property.Test))
		return &played
	}
	f := played.Finding(runner, s.origin(c), c)
	f.Look(runner) // which knows the lines of code
	told := report(f, fmt.Sprintf("saved case %s (%s)", file, played.How))
	told.Path, told.Page = c.Path, paged(runner, f)
	if pages {
		if err := f.WritePages(runner, c.Path); err != nil {
			r.Problems = append(r.Problems, err.Error())
		}
	}
	r.Findings = append(r.Findings, told)
	return &played
}

func (s *server) origin(c *corpus.Case) finding.Origin {
	return finding.Origin{Property: s.Property.Name, Test: s.Property.Test, Strategy: c.Strategy, Seed: c.Seed}
}

// decoded returns the case of a request, by its text or by its name.
func (s *server) decoded(q *Request) (c corpus.Case, err error) {
	if q.Case == "" {
		return s.Folder.Find(q.Path)
	}
	if c, err = corpus.Decode(q.Path, []byte(q.Case)); err == nil {
		err = c.Of(s.Property.Name)
	}
	return c, err
}

// replay runs a case.
func (s *server) replay(q *Request) (*Reply, error) {
	c, err := s.decoded(q)
	if err != nil {
		return nil, err
	}
	runner := s.Property.NewRunner()
	defer runner.Close()
	r := &Reply{Tally: search.NewTally()}
	res := &s.play(runner, &c, r, q.Pages).Result
	if q.Pairs && !c.OfLiteral() && len(r.Findings) == 0 && r.Exact && !res.Skipped && res.Rejected == "" && res.System != nil {
		r.Pairs = distill.PairsOf(res.System.Trace())
	}
	return r, nil
}

// walk runs a case and tells of some of its steps.
func (s *server) walk(q *Request) (*Reply, error) {
	c, err := s.decoded(q)
	if err != nil {
		return nil, err
	}
	runner := s.Property.NewRunner()
	defer runner.Close()
	return &Reply{Tally: search.NewTally(), Walk: finding.Walk(runner, &c, q.First, q.Count)}, nil
}

// tidy removes cases that show the failure of another.
func (s *server) tidy(*Request) (*Reply, error) {
	runner := s.Property.NewRunner()
	defer runner.Close()
	s.say(Message{At: &At{What: "the cases that look alike"}})
	return &Reply{Tally: search.NewTally(), Gone: finding.Tidy(s.Folder, runner)}, nil
}

// mostShrinkRuns bounds how many runs it may take to make a case smaller: a number and
// not a time, so that the same search comes to the same case.
const mostShrinkRuns = 20_000

// shrink makes a case that fails smaller, says in which orders it fails and keeps it.
func (s *server) shrink(q *Request) (*Reply, error) {
	c, err := s.decoded(q)
	if err != nil {
		return nil, err
	}
	runner := s.Property.NewRunner()
	defer runner.Close()
	played := finding.Play(runner, &c)
	if played.Result.Failure == nil {
		return nil, errors.New(played.Held(filepath.Base(c.Path), s.Property.Name == s.Property.Test))
	}
	f := played.Finding(runner, s.origin(&c), &c)
	r := &Reply{Tally: search.NewTally()}
	if f.Worth() && f.Replays == finding.Tried {
		f = s.smaller(runner, f, q, r)
	}
	var kept finding.Kept
	if q.Keep {
		kept, err = s.keep(runner, f, q.Fresh, c.Path, q.Pages)
	}
	small := reportKept(f, q.Where, &kept)
	small.Page = paged(runner, f)
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
	}
	r.Findings = append([]Finding{small}, r.Findings...)
	return r, nil
}

// smaller makes a finding smaller, and adds what else failed on the way.
func (s *server) smaller(runner *props.Runner, f *finding.Finding, q *Request, r *Reply) *finding.Finding {
	ctx, cancel := s.context(q)
	defer cancel()
	o := shrink.Options{Runs: mostShrinkRuns}
	if q.Runs > 0 {
		o.Runs = q.Runs
	}
	out := search.Shrink(ctx, runner, f, o)
	for _, other := range out.Others {
		r.Findings = append(r.Findings, report(other, "met while another failure was shrunk"))
	}
	if out.Finding == nil {
		return f
	}
	out.Finding.Shorten(runner)
	return out.Finding
}

// keep keeps a finding in place of the file that it comes from, if that was fresh.
func (s *server) keep(runner *props.Runner, f *finding.Finding, fresh bool, first string, pages bool) (kept finding.Kept, err error) {
	if !f.Worth() {
		return kept, nil
	}
	if kept, err = f.Keep(s.Folder, runner); err != nil {
		return kept, err
	}
	if fresh && isBeside(first, kept.Path) { // a file from elsewhere is its owner's
		os.Remove(first)
	}
	if pages && kept.Fresh() {
		err = f.WritePages(runner, kept.Path)
	}
	return kept, err
}

// reportKept is report of a finding that was kept, if it was.
func reportKept(f *finding.Finding, where string, kept *finding.Kept) Finding {
	told := report(f, where)
	if told.Path = kept.Path; kept.Path != "" {
		told.Saved = kept.Line(func(path string) string { return path })
		told.Yields = kept.OneCause && !kept.Fresh()
	}
	return told
}

// isBeside reports whether a file is another one than a case, in the same folder. Links may
// lead to both.
func isBeside(file, path string) bool {
	same := func(a, b string) bool {
		x, errX := os.Stat(a)
		y, errY := os.Stat(b)
		return errX == nil && errY == nil && os.SameFile(x, y)
	}
	return same(filepath.Dir(file), filepath.Dir(path)) && !same(file, path)
}

// repair finds a run near a stale case.
func (s *server) repair(q *Request) (*Reply, error) {
	c, err := s.decoded(q)
	if err != nil {
		return nil, err
	}
	runner := s.Property.NewRunner()
	defer runner.Close()
	ctx, cancel := s.context(q)
	defer cancel()
	r := &Reply{Tally: search.NewTally()}
	played := s.play(runner, &c, r, false)
	if path, err := played.Renew(s.Folder, &c); path != "" || err != nil {
		r.Renewed, r.Notes = path, nil
		return r, err
	}
	if r.Exact {
		return r, nil
	}
	f, ok := search.Repair(ctx, runner, &c)
	if r.Findings = nil; !ok {
		r.Notes = []string{played.Unrepaired(filepath.Base(c.Path))}
		return r, nil
	}
	f = s.smaller(runner, f, q, r)
	kept, err := s.keep(runner, f, !f.Case.OfLiteral(), c.Path, q.Pages)
	told := reportKept(f, "near case "+filepath.Base(c.Path), &kept)
	r.Findings = append([]Finding{told}, r.Findings...)
	return r, err
}

// explore runs every order.
func (s *server) explore(q *Request) (*Reply, error) {
	ctx, cancel := s.context(q)
	defer cancel()
	o := s.Call.Explore
	o.Runs, o.Seed, o.KeepOn, o.Progress = q.Runs, q.Seed, true, nil
	s.say(Message{At: &At{What: "the runs of every order"}})
	x, err := search.Explore(ctx, s.Property, o)
	if err != nil {
		return nil, err
	}
	r := &Reply{Tally: search.NewTally(), Text: x.Verdict.String(), Problems: slices.Concat(x.Complaints, x.Lost)}
	r.Tally.Runs, r.Tally.Steps = x.Verdict.Runs, x.Verdict.Steps
	if advice := x.Verdict.Advice(); advice != "" {
		r.Text += "\n" + advice
	}
	if x.Verdict.Clash != "" {
		r.Problems = append(r.Problems, x.Verdict.Clash)
	}
	switch v := &x.Verdict; {
	case !v.Complete:
	case v.Distinct < 0: // it was not counted
		r.Complete = words.Count(v.Runs, "run")
	default:
		r.Complete = words.Count(v.Distinct, "order")
	}
	if x.Divergence != nil {
		x.Found = append(x.Found, *x.Divergence)
	}
	for _, f := range x.Found {
		r.Findings = append(r.Findings, report(f.Finding, f.Run))
	}
	return r, nil
}
