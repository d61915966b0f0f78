package session

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
)

// A keptRun is a run saved with Session.Shortest. To minimize a failing input, the engine of go
// test -fuzz tries other inputs that fail too. Only the shortest of these runs stays saved.
type keptRun struct {
	*finding.Finding
	path string
}

func failureOf(f *finding.Finding) string { return f.Case.Signature + "\x00" + f.Case.Condition }

// shorter returns the file of a saved run with the same failure that is no longer, "" if there
// is none.
func (s *Session) shorter(f *finding.Finding) string {
	if old := s.kept[failureOf(f)]; old.Finding != nil && old.Steps() <= f.Steps() {
		return old.path
	}
	return ""
}

// keepShortest remembers a run that was saved, and removes the longer run with the same
// failure.
func (s *Session) keepShortest(f *finding.Finding, kept *record.Kept) error {
	if !s.Shortest || !kept.Saved() {
		return nil
	}
	if s.kept == nil {
		s.kept = map[string]keptRun{}
	}
	old := s.kept[failureOf(f)]
	s.kept[failureOf(f)] = keptRun{f, kept.Path}
	if old.Finding != nil && old.path != kept.Path {
		return old.Discard(old.path)
	}
	return nil
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
