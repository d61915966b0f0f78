package session

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

// Conclude shrinks, explains and saves a confirmed finding.
// Where says which run it was.
func (s *Session) Conclude(ctx context.Context, r *props.Runner, f *finding.Finding, where string) record.Record {
	return s.conclude(ctx, &Reply{}, r, f, where, end{keep: true})[0]
}

// An end says how a finding is concluded.
type end struct {
	keep bool
	// first is the file in which it is already saved, "" for none.
	first string
	runs  int // limit for shrinking; zero is no limit
}

// conclude shrinks, explains and saves a finding. It returns its record, and after it those of
// other failures that were met on the way, unless it saves them. The reply notes which orders
// these runs show.
func (s *Session) conclude(ctx context.Context, reply *Reply, r *props.Runner, f *finding.Finding, where string, e end) []record.Record {
	out, kept, err := s.finish(ctx, r, f, e)
	if !s.Later {
		s.keepOthers(ctx, r, &out)
		return []record.Record{recordOf(out.Finding, where, kept, err)}
	}
	if out.Finding.Seen == nil {
		out.Finding.Look(r) // which knows the lines of code
	}
	list := []record.Record{recordOf(out.Finding, where, kept, err)}
	reply.shown.add(out.Finding.Trace)
	for _, other := range out.Others {
		reply.shown.add(other.Trace)
		list = append(list, other.Record("met while another failure was shrunk"))
	}
	return list
}

// finish saves a finding as it was found, then replaces it by the shrunk one: if shrinking
// ends the process, the finding must not be lost.
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

// recordOf returns a finding as a value, with what became of its file.
func recordOf(f *finding.Finding, where string, kept record.Kept, err error) record.Record {
	rec := f.Record(where)
	if rec.Kept = kept; err != nil {
		rec.Problem = err.Error()
	}
	return rec
}

// saveEarly saves the case of a finding before it is shrunk, and returns the path. It ignores
// errors, since saving the result will show them again.
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

// save saves a finding. It removes the file of first, if that was made for this finding.
func (s *Session) save(r *props.Runner, f *finding.Finding, first string) (kept record.Kept, err error) {
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
	mine := s.early[first]
	delete(s.early, kept.Path)
	delete(s.early, first)
	if mine && isBeside(first, kept.Path) { // a file from elsewhere is its owner's
		err = errors.Join(err, f.Discard(first))
	}
	return kept, err
}

// isBeside reports whether file and path are different files in one folder, links followed.
func isBeside(file, path string) bool {
	same := func(a, b string) bool {
		x, errX := os.Stat(a)
		y, errY := os.Stat(b)
		return errX == nil && errY == nil && os.SameFile(x, y)
	}
	return same(filepath.Dir(file), filepath.Dir(path)) && !same(file, path)
}

// clearEarly removes cases saved early that have no finding in the end.
func (s *Session) clearEarly() {
	for path, mine := range s.early {
		if mine {
			os.Remove(path)
		}
	}
	s.early = nil
}

// shrunk returns the finding shrunk within some time and runs, with the orders in which it
// fails. A finding that does not repeat is not shrunk.
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

// keepOthers shrinks (in the time that is left), saves and lists the other failures that were
// met while out.Finding was shrunk, if their bugs are new. Failures met while shrinking these
// are left for the next search.
func (s *Session) keepOthers(ctx context.Context, r *props.Runner, out *finding.Shrunk) {
	also := func(text string) { out.Finding.Also = append(out.Finding.Also, text) }
	for _, other := range out.Others {
		if s.alone[other.Failure.Signature()] > 0 { // it is reported by itself
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

// addPages writes pages next to a case that was saved, if they are asked for.
func (s *Session) addPages(r *props.Runner, f *finding.Finding, kept *record.Kept) error {
	if !s.Pages {
		return nil
	}
	return f.AddPages(r, kept)
}

// knownPart: a saved case whose failing orders are known gets 1/knownPart of the time of a new
// failure.
const knownPart = 10

// retell returns the finding to report for a saved case that failed again, as f. It shrinks
// and explains f like a new failure. If there is no time for that, it reports what the file
// says, which Played.Finding has set. The file does not change, unless the session repairs and
// the result is better.
func (s *Session) retell(ctx context.Context, r *props.Runner, f *finding.Finding, c *corpus.Case) (*finding.Finding, record.Kept, error) {
	most := s.Shrink
	if c.Condition != "" {
		most /= knownPart
	}
	out := s.shrunk(ctx, most, 0, r, f)
	small, kept, err := s.retold(r, f, &out, c)
	out.Finding = small
	if err == nil && kept.Path == c.Path {
		paged := f // the pages show the run of the file
		if small.Case.Same(&f.Case) {
			paged = small
		}
		err = s.addPages(r, paged, &kept)
	}
	s.keepOthers(ctx, r, &out)
	return small, kept, err
}

// retold decides between the shrunk case and what the file says.
func (s *Session) retold(r *props.Runner, f *finding.Finding, out *finding.Shrunk, c *corpus.Case) (*finding.Finding, record.Kept, error) {
	small, kept := out.Finding, record.Kept{Path: c.Path}
	if small.Failure.Matches(c.Signature) {
		small.Case.Faces = c.Faces
	}
	switch {
	case (out.Cut || !out.Done) && f.Case.Explanation != nil:
		return f, kept, nil
	case !small.Failure.Matches(c.Signature):
	case s.Repair && (out.Smaller || c.Condition == "" && small.Case.Condition != ""):
		again, err := small.Keep(s.Folder, r)
		if err == nil {
			err = errors.Join(small.Replace(&again, c), s.addPages(r, small, &again))
		}
		return small, again, err
	default:
		small.Unsaved = out.Smaller
	}
	return small, kept, nil
}

// mostShrinkRuns limits the runs of Shrink. A number and not a time, so that the same search has
// the same result.
const mostShrinkRuns = 20_000

// shrink shrinks a case that fails, explains it and saves the result.
func (s *Session) shrink(ctx context.Context, q *Request, r *Reply) error {
	c, err := s.find(q)
	if err != nil {
		return err
	}
	runner := s.Property.NewRunner()
	defer runner.Close()
	played := finding.Play(runner, &c)
	if played.Result.Failure == nil {
		return errors.New(played.Held(filepath.Base(c.Path), s.isLiteral()))
	}
	s.early = map[string]bool{c.Path: q.Fresh}
	defer func() { s.early = nil }()
	s.Shrink = orForever(q.Time)
	r.Findings = s.conclude(ctx, r, runner, played.Finding(runner, s.origin(&c), &c), q.Where, end{q.Keep, c.Path, s.mostRuns(q)})
	return nil
}

// mostRuns returns the limit of runs for shrinking a finding, zero for none.
func (s *Session) mostRuns(q *Request) int {
	if !s.Later { // Shrink bounds it
		return 0
	}
	return cmp.Or(q.Runs, mostShrinkRuns)
}

// orForever returns d if it is set, else more than any request takes.
func orForever(d time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return 365 * 24 * time.Hour
}
