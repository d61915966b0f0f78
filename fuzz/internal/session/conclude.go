package session

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

// Conclude shrinks, explains and saves a confirmed finding. where describes its run.
func (s *Session) Conclude(ctx context.Context, r *props.Runner, f *finding.Finding, where string) record.Record {
	return s.conclude(ctx, &Reply{}, r, f, where, end{keep: true})[0]
}

// ConcludeNew shrinks, explains and saves the cases in the folder that are not listed in
// before, smallest first, if they fail as saved. Other processes have saved these cases
// unshrunk. ConcludeNew calls take with each record.
func (s *Session) ConcludeNew(ctx context.Context, r *props.Runner, before []corpus.Case, take func(record.Record)) {
	now, _ := s.Folder.Load()
	for i := range now {
		c := &now[i]
		if slices.ContainsFunc(before, func(old corpus.Case) bool { return old.Path == c.Path }) {
			continue
		}
		p := finding.Replay(r, c)
		if failure := p.Result.Failure; p.Exact && failure != nil && failure.Matches(c.Signature) {
			s.early = map[string]bool{c.Path: true}
			where := "found by go test -fuzz as " + filepath.Base(c.Path)
			take(s.conclude(ctx, &Reply{}, r, p.Finding(r, s.origin(c), c), where, end{keep: true, first: c.Path})[0])
		}
	}
}

// An end says what conclude does with a finding.
type end struct {
	keep  bool   // save the finding
	first string // the file in which the finding is already saved, "" for none
	runs  int    // the maximum number of runs for shrinking; zero means no limit
}

// conclude shrinks, explains and saves a finding, and returns its record. If s.Later is set, it
// also returns the records of other failures met while shrinking, and adds the receive pairs of
// all these runs to the reply. Otherwise it saves the other failures.
func (s *Session) conclude(ctx context.Context, reply *Reply, r *props.Runner, f *finding.Finding, where string, e end) []record.Record {
	out, kept, err := s.finish(ctx, r, f, e)
	if !s.Later {
		s.keepOthers(ctx, r, &out)
		return []record.Record{recordOf(out.Finding, where, kept, err)}
	}
	if out.Finding.Seen == nil {
		out.Finding.Look(r) // record the lines of code that send and handle messages
	}
	list := []record.Record{recordOf(out.Finding, where, kept, err)}
	reply.shown.add(out.Finding.Trace)
	for _, other := range out.Others {
		reply.shown.add(other.Trace)
		list = append(list, other.Record("met while another failure was shrunk"))
	}
	return list
}

// finish saves a finding as it was found, shrinks it, and replaces the saved case by the shrunk
// one. If shrinking ends the process, the first case remains.
func (s *Session) finish(ctx context.Context, r *props.Runner, f *finding.Finding, e end) (out finding.Shrunk, kept record.Kept, err error) {
	if e.keep = e.keep && f.Worth(); e.keep && e.first == "" && s.Shrink > 0 {
		e.first = s.saveEarly(f)
	}
	out = s.shrunk(ctx, s.Shrink, e.runs, r, f)
	out.Finding.Shorten(r)
	if !e.keep {
		return out, kept, nil
	}
	kept, err = s.save(r, out.Finding, e.first)
	return out, kept, err
}

// recordOf returns the record of a finding, with the result of saving it.
func recordOf(f *finding.Finding, where string, kept record.Kept, err error) record.Record {
	rec := f.Record(where)
	if rec.Kept = kept; err != nil {
		rec.Problem = err.Error()
	}
	return rec
}

// saveEarly saves the case of a finding before it is shrunk, and returns the path. It ignores
// errors, because saving the shrunk finding will report them.
func (s *Session) saveEarly(f *finding.Finding) string {
	if !f.Worth() {
		return ""
	}
	path, fresh, err := s.Folder.Save(f.Case)
	if err != nil {
		return ""
	}
	if fresh {
		if s.early == nil {
			s.early = map[string]bool{}
		}
		s.early[path] = true
	}
	return path
}

// save saves a finding. If saveEarly made the file early for this finding, save removes that
// file.
func (s *Session) save(r *props.Runner, f *finding.Finding, early string) (kept record.Kept, err error) {
	if kept.Path = s.shorter(f); kept.Path == "" {
		if kept, err = f.Keep(s.Folder, r); err == nil {
			err = s.keepShortest(f, &kept)
		}
		if err == nil {
			err = s.addPages(r, f, &kept)
		}
	}
	if kept.Path == "" {
		return kept, err
	}
	mine := s.early[early]
	delete(s.early, kept.Path)
	delete(s.early, early)
	if mine && isBeside(early, kept.Path) { // jostle does not remove a file in another folder
		err = errors.Join(err, f.Discard(early))
	}
	return kept, err
}

// isBeside reports whether file and path are different files in the same folder, after
// following links.
func isBeside(file, path string) bool {
	same := func(a, b string) bool {
		x, errX := os.Stat(a)
		y, errY := os.Stat(b)
		return errX == nil && errY == nil && os.SameFile(x, y)
	}
	return same(filepath.Dir(file), filepath.Dir(path)) && !same(file, path)
}

// clearEarly removes cases that saveEarly has saved and that do not belong to a reported
// finding.
func (s *Session) clearEarly() {
	for path, mine := range s.early {
		if mine {
			os.Remove(path)
		}
	}
	s.early = nil
}

// shrunk shrinks and explains a finding within a time limit and a number of runs. If the
// finding is not worth saving, or there is no time, it returns the finding unchanged.
func (s *Session) shrunk(ctx context.Context, most time.Duration, runs int, r *props.Runner, f *finding.Finding) finding.Shrunk {
	if most <= 0 || !f.Worth() {
		return finding.Shrunk{Finding: f, Cut: true}
	}
	o := shrink.Options{Runs: runs}
	if s.Shrinking != nil {
		tell, over := s.Shrinking()
		defer over()
		o.Progress = tell
	}
	start := time.Now()
	ctx, cancel := context.WithDeadline(ctx, s.Limit.Before(start.Add(most)))
	defer cancel()
	out := finding.Shrink(ctx, r, f, o)
	if s.Shrink -= time.Since(start); out.Finding == nil {
		out.Finding, out.Cut = f, true
		return out
	}
	out.Finding.Unfinished = !out.Done && !s.Later
	return out
}

// keepOthers lists the other failures met while out.Finding was shrunk. In the remaining time
// it shrinks and saves the failures that no saved case shows. It ignores any failure met in
// this second shrinking, because the next search can find it.
func (s *Session) keepOthers(ctx context.Context, r *props.Runner, out *finding.Shrunk) {
	also := func(text string) { out.Finding.Also = append(out.Finding.Also, text) }
	for _, other := range out.Others {
		if s.alone[other.Failure.Signature()] > 0 { // the exploration reports this failure itself
			continue
		}
		if known := other.Known(s.Folder, r, s.shown); known != "" {
			also(known)
			continue
		}
		o, kept, err := s.finish(ctx, r, other, end{keep: true})
		also(o.Finding.AlsoLine(kept, err, s.shown))
	}
}

// addPages writes the pages of a saved case if the session asks for pages.
func (s *Session) addPages(r *props.Runner, f *finding.Finding, kept *record.Kept) error {
	if !s.Pages {
		return nil
	}
	return f.AddPages(r, kept)
}

// A saved case whose failing orders are known is shrunk and explained for at most 1/knownPart
// of the time that a new failure gets.
const knownPart = 10

// retell returns the finding to report for a saved case that failed again, in the run of f. It
// shrinks and explains f like a new failure. If there is not enough time, it returns f with the
// explanation of the case's file. The file changes only if the shrunk finding is better.
func (s *Session) retell(ctx context.Context, r *props.Runner, f *finding.Finding, c *corpus.Case) (*finding.Finding, record.Kept, error) {
	most := s.Shrink
	if c.Condition != "" {
		most /= knownPart
	}
	out := s.shrunk(ctx, most, 0, r, f)
	small, kept, err := s.retold(r, f, &out, c)
	out.Finding = small
	if err == nil && kept.Path == c.Path {
		paged := f // the pages must show the run that the file has
		if small.Case.Same(&f.Case) {
			paged = small
		}
		err = s.addPages(r, paged, &kept)
	}
	s.keepOthers(ctx, r, &out)
	return small, kept, err
}

// retold returns the shrunk finding, or f if shrinking was not finished and the case's file has an
// explanation. If the shrunk finding is smaller than the case, it takes the place of the case. If
// s.Repair is set, it also takes that place if it has a condition and the case has none.
func (s *Session) retold(r *props.Runner, f *finding.Finding, out *finding.Shrunk, c *corpus.Case) (*finding.Finding, record.Kept, error) {
	small, kept := out.Finding, record.Kept{Path: c.Path}
	same := small.Failure.Matches(c.Signature)
	if same {
		small.Case.Faces = c.Faces
	}
	if (out.Cut || !out.Done) && f.Case.Explanation != nil {
		return f, kept, nil
	}
	if !same || !out.Smaller && (!s.Repair || c.Condition != "" || small.Case.Condition == "") {
		return small, kept, nil
	}
	kept, err := small.Keep(s.Folder, r)
	if err == nil {
		err = errors.Join(small.Replace(&kept, c), s.addPages(r, small, &kept))
	}
	return small, kept, err
}

// mostShrinkRuns is the default for the maximum number of runs of a Shrink request. It limits
// runs and not time, so that the same search always has the same result.
const mostShrinkRuns = 20_000

// shrink shrinks and explains a case that fails, and saves the result.
func (s *Session) shrink(ctx context.Context, q *Request, r *Reply) error {
	return s.withCase(q, func(c *corpus.Case, runner *props.Runner) error {
		played := finding.Replay(runner, c)
		if played.Result.Failure == nil {
			return errors.New(s.held(c, &played))
		}
		s.early = map[string]bool{c.Path: q.Fresh}
		defer func() { s.early = nil }()
		s.Shrink = orForever(q.Time)
		r.Findings = s.conclude(ctx, r, runner, played.Finding(runner, s.origin(c), c), q.Where, end{q.Keep, c.Path, s.mostRuns(q)})
		return nil
	})
}

// mostRuns returns the maximum number of runs for shrinking a finding, zero for no limit.
func (s *Session) mostRuns(q *Request) int {
	if !s.Later { // here s.Shrink limits the time for shrinking
		return 0
	}
	return cmp.Or(q.Runs, mostShrinkRuns)
}

// orForever returns d if it is positive, else a year.
func orForever(d time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return 365 * 24 * time.Hour
}
