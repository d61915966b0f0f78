package finding

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/shrink"
)

// A Shrunk is the result of shrinking a finding.
type Shrunk struct {
	// Finding is the smallest run, confirmed; nil if the finding stays as it is. Then the
	// Shrunk field of that finding says why, unless its Differs does. The run is legal for
	// its options: see package legal.
	Finding *Finding
	// Others are the first runs of other failures met while shrinking, confirmed.
	Others []*Finding
	shrink.Result
	// From is how many steps the original run had. Smaller reports whether the smallest
	// run is a smaller case than the original.
	From    int
	Smaller bool
	// Cut reports that the context ended before all was known.
	Cut bool
	// why says in which orders of the shrunk program it fails.
	why explanation
}

// Shrink makes a finding smaller. The result follows from the property, the finding and the
// bound on runs. Progress reports all runs, including those that determine why the smallest
// one fails.
func Shrink(ctx context.Context, r *props.Runner, f *Finding, o shrink.Options) Shrunk {
	s := &shrinking{runner: r, origin: Origin{Property: f.Case.Property, Test: f.Case.Test,
		Strategy: f.Case.Strategy, Seed: f.Case.Seed}, early: f.Case.EarlyTimers}
	out, start := Shrunk{From: f.Steps()}, time.Now()
	if f.Replays < Tried {
		return out
	}
	first, why := s.first(f)
	ctx, cancel := leaving(ctx, afterwards*time.Since(start))
	defer cancel()
	if why != "" {
		f.Shrunk = keptAs(f, why)
		return out
	}
	if o.Progress != nil {
		s.far = &far{tell: o.Progress, at: shrink.Progress{From: out.From, Steps: out.From}}
		o.Progress = func(p shrink.Progress) { s.far.at.Steps = p.Steps }
	}
	out.Result = shrink.Shrink(ctx, s, first, o)
	s.unbind(&out.Best.Case)
	out.why = s.explain(ctx, &out.Best.Case, out.Best.Signature, explained)
	if out.Finding, why = s.finding(out.Best.Case); why != "" {
		f.Shrunk = keptAs(f, fmt.Sprintf("the smallest run, of %s, %s", words.Count(out.Best.Steps, "step"), why))
		return out
	}
	out.Finding.Explain(out.inWords(time.Since(start)), s.cause(ctx, &out))
	out.Finding.Look(r) // its diagram shows why
	out.Finding.Case.Condition = out.why.condition()
	out.Cut, out.Smaller = ctx.Err() != nil, out.smaller(first)
	for i := range out.Result.Others {
		if other, why := s.finding(out.Result.Others[i].Case); why == "" {
			out.Others = append(out.Others, other)
		}
	}
	return out
}

// afterwards is how many times the duration of the first runs it takes to confirm, save and
// report the smallest run, all after the time is over.
const afterwards = 4

// leaving returns a context that ends earlier than another by some time, but by at most half
// of the remaining time.
func leaving(ctx context.Context, some time.Duration) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(some, max(0, time.Until(end)/2))))
}

// unbind removes the constraints on messages that the run of a case does not send. They
// remain if shrinking ended early, and do not affect the run.
func (s *shrinking) unbind(c *shrink.Case) {
	if len(c.Schedule.Before) == 0 {
		return
	}
	res := s.run(*c)
	if res.System == nil {
		return
	}
	sent, t := map[uint64]bool{}, res.System.Trace()
	for i := range t.Sends {
		sent[res.System.Host().StepID(&t.Sends[i])] = true
	}
	c.Schedule.Before = slices.DeleteFunc(c.Schedule.Before, func(b choice.Constraint) bool { return !sent[b.Second] })
}

// keptAs says why a finding stays as it was found.
func keptAs(f *Finding, why string) string {
	return fmt.Sprintf("%s, not shrunk: %s", words.Count(f.Steps(), "step"), why)
}

// smaller reports whether the smallest run is smaller than the first. Constraints are not
// saved, so they do not count.
func (s *Shrunk) smaller(first shrink.Outcome) bool {
	best := s.Best
	best.Case.Schedule.Before, first.Case.Schedule.Before = nil, nil
	return best.Compare(&first) < 0
}

// inWords describes the result of shrinking, "" if there was nothing to shrink.
func (s *Shrunk) inWords(took time.Duration) string {
	text := fmt.Sprintf("%s, shrunk in %s", words.Count(s.Best.Steps, "step"), words.Elapsed(took))
	switch {
	case s.Taken == 0 && s.Done:
		return ""
	case s.Best.Steps < s.From:
		text = fmt.Sprintf("shrunk from %s to %d in %s", words.Count(s.From, "step"), s.Best.Steps, words.Elapsed(took))
	}
	if !s.Done {
		text += ", not fully"
	}
	return text
}

// explained is how many runs an explanation may take.
const explained = 2000
