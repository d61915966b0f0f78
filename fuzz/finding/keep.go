package finding

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
)

// Keep saves a finding like Save, but leaves one case for each failure. It replays the other
// cases of the folder that show the same failure (see corpus.Case.Alike). If one of them still
// fails as it was saved and is no larger, the finding is not saved. Otherwise larger cases, and
// cases that can no longer be run as they were saved, are removed after the finding is saved.
// A case that passes as it was saved, or fails with another failure, stays: it shows something
// else. So does one that may belong to another function literal of the test.
//
// Two failures with one cause (see corpus.Case.OneCause) are one bug: only the smallest of
// their cases stays, and names the other failure.
func (f *Finding) Keep(folder corpus.Folder, r *props.Runner) (record.Kept, error) {
	cases, _ := folder.Load() // cases that cannot be read show nothing
	var worse []corpus.Case
	k := record.Kept{}
	for i := range cases {
		c := &cases[i]
		is := f.relation(c)
		if is == unrelated {
			continue
		}
		switch shows(r, c, f.Case.OfLiteral()) {
		case other:
		case same:
			if by := cmp.Or(c.Compare(&f.Case), cmp.Compare(c.Signature, f.Case.Signature)); by < 0 || by == 0 && is == alike && (c.Condition != "" || f.Case.Condition == "") {
				return f.yield(folder, c, is)
			}
			worse = append(worse, *c)
		case stale:
			if is == alike {
				worse = append(worse, *c)
			}
		}
	}
	for i := range worse {
		if k.OneCause = k.OneCause || f.relation(&worse[i]) == oneCause; k.OneCause || len(worse[i].Faces) > 0 {
			f.Case.AddFaces(&worse[i])
		}
	}
	path, err := f.Save(folder)
	if k.Path = path; err != nil {
		return k, err
	}
	for _, c := range worse {
		if folder.Remove(c) == nil {
			f.detach(c.Path)
			k.Alike, k.Fewer = append(k.Alike, c.Path), true
		}
	}
	err = f.explainKept(&k, folder, cases)
	return k, err
}

// yield does not save the finding, because the case c shows its bug and is no larger. If the
// finding is another failure with the same cause, the case is rewritten to name it.
func (f *Finding) yield(folder corpus.Folder, c *corpus.Case, is relation) (k record.Kept, err error) {
	now, path := *c, c.Path
	if is == oneCause {
		now.AddFaces(&f.Case)
	}
	if len(now.Faces) > len(c.Faces) {
		if path, err = folder.Rewrite(now); err == nil {
			f.moveBeside(c.Path, path)
		}
	}
	return record.Kept{Path: path, Alike: []string{path}, OneCause: is == oneCause}, err
}

// A relation is how a saved case is related to a finding, without running it.
type relation int

const (
	unrelated relation = iota
	alike              // it has the same failure
	oneCause           // it has another failure with the same cause
)

// relation returns how a saved case is related to the finding. It also accepts signatures of
// older versions.
func (f *Finding) relation(c *corpus.Case) relation {
	now := *c
	if f.Failure.Matches(c.Signature) {
		now.Signature = f.Case.Signature
	}
	switch same := now.Same(&f.Case); {
	case same && c.Signature != now.Signature, !same && now.Alike(&f.Case):
		return alike
	case !same && now.OneCause(&f.Case):
		return oneCause
	}
	return unrelated
}

// shown is what a saved case shows when it is replayed.
type shown int

const (
	other shown = iota // something else, perhaps
	same               // its failure, as it was saved
	stale              // nothing: it cannot be run as it was saved
)

// shows replays a case. Shared reports whether function literals of one test share its folder:
// then a case that cannot be run here may belong to another one.
func shows(r *props.Runner, c *corpus.Case, shared bool) shown {
	switch p := Play(r, c); {
	case p.Result.Failure != nil && !p.Result.Failure.Matches(c.Signature):
	case p.Result.Skipped || p.Result.Failure == nil && p.Exact:
	case p.Exact:
		return same
	case !shared:
		return stale
	}
	return other
}

// Replace removes a saved case that a saved finding replaces, unless it may belong to another
// function literal of the test.
func (f *Finding) Replace(k *record.Kept, c *corpus.Case) error {
	if k.Path == "" || c.Path == k.Path || f.Case.OfLiteral() {
		return nil
	}
	return f.Discard(c.Path)
}

// Renew replaces the file of a mended case by the run that has shown this, as a regression
// test that runs as it was saved. It does nothing if the case already runs as it was saved, or
// may belong to another function literal of its test.
func (p *Played) Renew(folder corpus.Folder, c *corpus.Case) (path string, err error) {
	if !p.Mended || p.Exact || c.OfLiteral() {
		return "", nil
	}
	now := CaseOf(Origin{Property: folder.Property, Test: c.Test, Strategy: c.Strategy, Seed: c.Seed}, &p.Result)
	now.Signature, now.Condition, now.Faces, now.Comment = c.Signature, c.Condition, c.Faces, c.Comment
	now.Explanation = c.Explanation.Elsewhere()
	if path, _, err = folder.Save(now); err != nil || path == c.Path {
		return path, err
	}
	return path, os.Remove(c.Path)
}

// explainKept rewrites a case that was saved before its failing orders were known. It keeps
// a comment that somebody has changed.
func (f *Finding) explainKept(k *record.Kept, folder corpus.Folder, cases []corpus.Case) (err error) {
	before := *f
	before.Case.Explanation = nil
	for i := range cases {
		c := &cases[i]
		if c.Path == k.Path && (f.Case.Condition != c.Condition || len(f.Case.Faces) > len(c.Faces)) {
			now := f.Case
			if now.Path = c.Path; !slices.Equal(c.Comment, corpus.Comment(before.comment())) {
				now.Comment = c.Comment
			}
			if k.Path, err = folder.Rewrite(now); err != nil {
				return err
			}
			f.detach(c.Path)
			return f.saveBeside(k.Path)
		}
	}
	return nil
}

// Tidy removes duplicate cases of a folder, such as after a merge of two branches. Among cases
// of the same run it keeps one, preferably one that says in which orders it fails. Among cases
// with the same failure (see corpus.Case.Alike) it keeps the smallest that still fails as it
// was saved. If no case of a group still fails, the whole group stays. It returns the paths of
// the removed cases; files next to them stay.
func Tidy(folder corpus.Folder, r *props.Runner) (gone []string) {
	cases, _ := folder.Load() // the smallest first
	drop := make([]bool, len(cases))
	for i := range cases {
		c := &cases[i]
		fails := other
		for k := range cases {
			o := &cases[k]
			switch {
			case i == k || drop[i] || drop[k]:
			case c.Same(o):
				drop[k] = c.Condition != "" || o.Condition == "" && i < k
			case i < k && c.Alike(o):
				if fails == other {
					fails = shows(r, c, true)
				}
				drop[k] = fails == same && shows(r, o, o.OfLiteral()) != other
			}
		}
	}
	for i, c := range cases {
		if drop[i] && folder.Remove(c) == nil {
			gone = append(gone, c.Path)
		}
	}
	return gone
}

// moveBeside renames the attachments and pages of a case after its new file.
func (f *Finding) moveBeside(from, to string) {
	now := f.besides(to)
	for i, attached := range f.besides(from) {
		os.Rename(attached, now[i]) // there may be none
	}
	movePages(from, to)
}

// Discard removes another case of the same failure, with its attachments and pages.
func (f *Finding) Discard(path string) error {
	f.detach(path)
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) { // Keep has removed it
		return err
	}
	return nil
}

// detach removes the attachments and pages of another case of the same failure.
func (f *Finding) detach(path string) {
	for _, attached := range f.besides(path) {
		os.Remove(attached)
	}
	removePages(path)
}
