package finding

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
)

// A Shortest keeps the shortest run of each failure that one process meets. An engine
// makes a failing input smaller by trying others that fail alike: they are not kept
// beside it.
type Shortest struct {
	Folder corpus.Folder
	Runner *props.Runner
	kept   map[string]keptRun // by signature and condition
}

// A keptRun is a case that this process has kept.
type keptRun struct {
	*Finding
	path string
}

// Keep keeps a finding as Finding.Keep does, in place of a longer one of the same
// failure that it has kept before.
func (s *Shortest) Keep(f *Finding) (kept Kept, err error) {
	if !f.Worth() {
		return kept, nil
	}
	failure := f.Case.Signature + "\x00" + f.Case.Condition
	old := s.kept[failure]
	if old.Finding != nil && old.Steps() <= f.Steps() {
		return Kept{Path: old.path}, nil
	}
	kept, err = f.Keep(s.Folder, s.Runner)
	if err != nil || !kept.Fresh() {
		return kept, err
	}
	if s.kept == nil {
		s.kept = map[string]keptRun{}
	}
	s.kept[failure] = keptRun{f, kept.Path}
	if old.Finding != nil && old.path != kept.Path {
		old.Case.Path = old.path
		old.detach(old.path)
		if err = s.Folder.Remove(old.Case); errors.Is(err, fs.ErrNotExist) { // Keep has removed it
			err = nil
		}
	}
	return kept, err
}

// Conclude looks at the cases that are in the folder now and were not before, the smallest
// first, and has each that fails as it was saved shrunk and saved anew, by a function that
// returns the path, "" if that could not be done. What is shrunk stays in place of the case.
func (s *Shortest) Conclude(before []corpus.Case, shrink func(f *Finding, file string) string) {
	now, _ := s.Folder.Load()
	for i := range now {
		c := &now[i]
		if slices.ContainsFunc(before, func(old corpus.Case) bool { return old.Path == c.Path }) {
			continue
		}
		p := Play(s.Runner, c)
		if failure := p.Result.Failure; p.Exact && failure != nil && failure.Matches(c.Signature) {
			f := p.Finding(s.Runner, Origin{Property: c.Property, Test: c.Test, Strategy: c.Strategy, Seed: c.Seed}, c)
			if path := shrink(f, filepath.Base(c.Path)); path != "" && path != c.Path && s.Folder.Remove(*c) == nil {
				f.detach(c.Path)
			}
		}
	}
}
