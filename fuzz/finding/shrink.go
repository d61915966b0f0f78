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
	// Finding is the smallest run, confirmed and legal for its options (see package legal). It
	// is nil if the original finding was not replaced. In that case Shrunk or Differs of the
	// original finding says why.
	Finding *Finding
	// Others has one confirmed finding for each other failure met while shrinking.
	Others []*Finding
	shrink.Result
	// From is the number of steps of the original run.
	From int
	// Smaller reports whether the smallest run is smaller than the original run.
	Smaller bool
	// Cut is set if the context ended before shrinking and explaining were complete.
	Cut bool
	// why says in which orders the smallest run's draws fail.
	why explanation
}

// Shrink makes a finding smaller and explains it. If ctx does not end it, the result depends
// only on the property, the finding and o.Runs. o.Progress is called for all runs, including
// those for the explanation.
func Shrink(ctx context.Context, r *props.Runner, f *Finding, o shrink.Options) Shrunk {
	s := &shrinking{runner: r, origin: Origin{Property: f.Case.Property, Test: f.Case.Test,
		Strategy: f.Case.Strategy, Seed: f.Case.Seed}, early: f.Case.EarlyTimers}
	out, start := Shrunk{From: f.Steps()}, time.Now()
	if f.Replays < Tried {
		return out
	}
	first, why := s.first(f)
	whole := ctx
	ctx, cancel := leaving(ctx, max(leastLeft, afterwards*time.Since(start)))
	defer cancel()
	if why != "" {
		f.Shrunk = keptAs(f, why)
		return out
	}
	if o.Progress != nil {
		s.far = &far{tell: o.Progress, at: shrink.Progress{From: out.From, Steps: out.From}}
		o.Progress = func(p shrink.Progress) { s.far.at.Steps = p.Steps }
	}
	part, over := within(ctx, 3, 4) // the last quarter of the time is for the explanation
	out.Result = shrink.Shrink(part, s, first, o)
	over()
	s.unbind(&out.Best.Case)
	out.why = s.explain(ctx, &out.Best.Case, out.Best.Signature, explained)
	if out.Finding, why = s.finding(out.Best.Case); why != "" {
		f.Shrunk = keptAs(f, fmt.Sprintf("the smallest run, of %s, %s", words.Count(out.Best.Steps, "step"), why))
		return out
	}
	out.Finding.Explain(out.inWords(time.Since(start)), s.cause(ctx, &out))
	out.Finding.Look(r) // Look comes after Explain, because the diagram shows the explanation
	out.Finding.Case.Condition = out.why.condition()
	out.Cut, out.Smaller = ctx.Err() != nil, out.smaller(first)
	for i := 0; i < len(out.Result.Others) && whole.Err() == nil; i++ {
		if other, why := s.finding(out.Result.Others[i].Case); why == "" {
			out.Others = append(out.Others, other)
		}
	}
	return out
}

// The time that Shrink reserves to confirm, save and report the smallest run is afterwards times as
// long as its first two runs took, but at least leastLeft.
const (
	afterwards = 4
	leastLeft  = 50 * time.Millisecond
)

// leaving returns a context that ends earlier than ctx by the given time, but by at most half
// of the remaining time.
func leaving(ctx context.Context, some time.Duration) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(some, max(0, time.Until(end)/2))))
}

// within returns a context that ends after the fraction n/of of the remaining time of ctx.
func within(ctx context.Context, n, of int) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)*time.Duration(n)/time.Duration(of))
}

// unbind removes each constraint whose second message is not sent by the run of the case. Such
// a constraint does not affect the run. These constraints remain if shrinking ends early.
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

// keptAs returns the text for Finding.Shrunk that says why a finding was not shrunk.
func keptAs(f *Finding, why string) string {
	return fmt.Sprintf("%s, not shrunk: %s", words.Count(f.Steps(), "step"), why)
}

// smaller reports whether the smallest run is smaller than the run before shrinking.
// Constraints do not count, because they are not saved.
func (s *Shrunk) smaller(first shrink.Outcome) bool {
	best := s.Best
	best.Case.Schedule.Before, first.Case.Schedule.Before = nil, nil
	return best.Compare(&first) < 0
}

// inWords describes the result of shrinking. It returns "" if nothing could be made smaller.
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

// explained is the maximum number of runs of an exploration for an explanation.
const explained = 2000
