package session

import (
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/record"
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
