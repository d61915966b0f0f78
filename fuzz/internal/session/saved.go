package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
)

// saved runs the saved cases, up to the first one that still fails. It runs all of them if
// s.Later or s.Repair is set.
func (s *Session) saved(ctx context.Context, q *Request, r *Reply) error {
	runner := s.Property.NewRunner()
	defer runner.Close()
	if s.Repair {
		for _, path := range finding.Tidy(s.Folder, runner) {
			r.note("removed case %s: another case shows the same failure and is no larger", filepath.Base(path))
		}
	}
	cases, problems := s.Folder.Load()
	if old, is := s.old(); is {
		older, more := old.LoadOld()
		cases, problems = append(cases, older...), append(problems, more...)
	}
	for _, p := range problems {
		r.Problems = append(r.Problems, p.Error())
	}
	for i := range cases {
		s.Property.Recorder.Slot(0).Begin(flight.Saved, i)
		s.say(Event{At: &At{Saved: cases[i].Path}})
		if _, err := s.play(ctx, runner, &cases[i], q, r); err != nil {
			r.Problems = append(r.Problems, err.Error())
		}
		if len(r.Findings) > 0 && !s.Later && !s.Repair {
			break
		}
	}
	return nil
}

// play runs a saved case and adds the result to the reply.
func (s *Session) play(ctx context.Context, runner *props.Runner, c *corpus.Case, q *Request, r *Reply) (finding.Replayed, error) {
	start := time.Now()
	played := finding.Replay(runner, c)
	r.Exact, r.Mended = played.Exact, played.Mended
	if sys := played.Result.System; sys != nil {
		if r.shown.add(sys.Trace()); q.Do == Replay {
			r.Trace = sys.Trace().TextIn(q.Columns)
		}
	}
	if s.Repair || q.Do == Repair {
		if done, err := s.repaired(ctx, runner, c, &played, q, r); done || err != nil || q.Do == Repair {
			return played, err
		}
		if !played.Exact {
			played = finding.Replay(runner, c) // replayed again, because the first result was valid only until the next run
		}
	}
	where := ranAs(c, &played)
	switch {
	case played.Result.Failure == nil:
		if played.Mended && !c.Doubtful && c.Signature != "" {
			r.Fixed = append(r.Fixed, c.Path)
		}
		r.note("%s", s.held(c, &played))
	case s.Later:
		f := played.Finding(runner, s.origin(c), c)
		f.Look(runner) // record the lines of code that send and handle messages
		kept := record.Kept{Path: c.Path}
		rec := recordOf(f, where, kept, s.addPages(runner, f, &kept))
		rec.Known = true
		r.Findings = append(r.Findings, rec)
	default:
		where += ", " + words.Elapsed(time.Since(start))
		f, kept, err := s.retell(ctx, runner, played.Finding(runner, s.origin(c), c), c)
		rec := recordOf(f, where, kept, err)
		rec.Known = true
		r.Findings = append(r.Findings, rec)
	}
	return played, nil
}

// ranAs describes the run of a case. A case without a file is not saved, such as a fork.
func ranAs(c *corpus.Case, played *finding.Replayed) string {
	switch {
	case c.Path != "":
		return fmt.Sprintf("saved case %s (%s)", filepath.Base(c.Path), played.How)
	case played.Exact:
		return "an unsaved run"
	}
	return fmt.Sprintf("an unsaved run (%s)", played.How)
}

// held returns the message for a case that passes.
func (s *Session) held(c *corpus.Case, played *finding.Replayed) string {
	if c.Path == "" {
		return ranAs(c, played) + " passes"
	}
	return played.Held(filepath.Base(c.Path), s.isLiteral())
}

// repaired replaces a saved case that can no longer be replayed as saved. If the failure is
// mended, the passing run replaces the case. Otherwise a similar run with the same failure
// replaces it. done reports whether the case was replaced.
func (s *Session) repaired(ctx context.Context, runner *props.Runner, c *corpus.Case, played *finding.Replayed, q *Request, r *Reply) (done bool, err error) {
	file := filepath.Base(c.Path)
	if r.Renewed, err = played.Renew(s.Folder, c); r.Renewed != "" {
		r.note("case %s: its failure is mended; saved as a regression test: %s", file, filepath.Base(r.Renewed))
	}
	if r.Renewed != "" || err != nil || played.Exact {
		return r.Renewed != "", err
	}
	near, cancel := s.within(ctx, q.Time)
	defer cancel()
	f, ok := finding.Repair(near, runner, c)
	if !ok {
		r.note("%s", played.Unrepaired(file))
		return false, nil
	}
	list := s.conclude(ctx, r, runner, f, fmt.Sprintf("similar to case %s (%s)", file, played.How), end{keep: true, runs: s.mostRuns(q)})
	if path := list[0].Path; path != "" && path != c.Path && !f.Case.OfLiteral() { // a case of a function literal stays, because it may belong to another literal of the test
		os.Remove(c.Path)
	}
	r.Findings = append(r.Findings, list...)
	return true, nil
}

func (s *Session) origin(c *corpus.Case) finding.Origin {
	return finding.Origin{Property: s.Property.Name, Test: s.Property.Test, Strategy: c.Strategy, Seed: c.Seed}
}

// replay runs a case.
func (s *Session) replay(ctx context.Context, q *Request, r *Reply) error {
	return s.withCase(q, func(c *corpus.Case, runner *props.Runner) error {
		played, err := s.play(ctx, runner, c, q, r)
		res := &played.Result
		if q.Pairs && !c.OfLiteral() && len(r.Findings) == 0 && r.Exact && !res.Skipped && res.Rejected == "" && res.System != nil {
			r.Pairs = distill.PairsOf(res.System.Trace())
		}
		return err
	})
}

// withCase calls do with the case of a request and a new runner.
func (s *Session) withCase(q *Request, do func(*corpus.Case, *props.Runner) error) error {
	c, err := s.find(q)
	if err != nil {
		return err
	}
	runner := s.Property.NewRunner()
	defer runner.Close()
	return do(&c, runner)
}

// walk runs a case and reports some of its steps.
func (s *Session) walk(_ context.Context, q *Request, r *Reply) error {
	return s.withCase(q, func(c *corpus.Case, runner *props.Runner) error {
		r.Walk = finding.ReplaySteps(runner, c, q.First, q.Count)
		return nil
	})
}

// fork runs a case with another message in one of its steps.
func (s *Session) fork(_ context.Context, q *Request, r *Reply) error {
	return s.withCase(q, func(c *corpus.Case, runner *props.Runner) error {
		forked, err := finding.Fork(runner, c, q.First, q.Other)
		if err != nil {
			return err
		}
		text, err := corpus.Encode(*forked)
		r.Case = string(text)
		return err
	})
}

// endings counts how random continuations of a case end.
func (s *Session) endings(ctx context.Context, q *Request, r *Reply) error {
	return s.withCase(q, func(c *corpus.Case, runner *props.Runner) (err error) {
		ctx, cancel := s.within(ctx, q.Time)
		defer cancel()
		r.Endings, err = finding.Continuations(ctx, runner, c, q.First, q.Count)
		return err
	})
}

// tidy removes cases that show the same failure as another case.
func (s *Session) tidy(_ context.Context, _ *Request, r *Reply) error {
	runner := s.Property.NewRunner()
	defer runner.Close()
	s.say(Event{At: &At{What: "similar cases"}})
	r.Gone = finding.Tidy(s.Folder, runner)
	return nil
}

// repair replaces a case that can no longer be replayed as saved by a run with the same
// failure.
func (s *Session) repair(ctx context.Context, q *Request, r *Reply) error {
	return s.withCase(q, func(c *corpus.Case, runner *props.Runner) error {
		s.Shrink = orForever(q.Time)
		_, err := s.play(ctx, runner, c, q, r)
		return err
	})
}
