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

// Keep saves a finding as Save does, but keeps one case of each failure. Other cases
// of the folder that show the same failure, as corpus.Case.Alike tells, are run again.
// If one of them fails alike as it was saved and is no larger, the finding is not
// saved. Those that are larger, and those that can no longer be run as they were
// saved, are removed when the finding is a file. A case that passes as it was saved, or
// fails with another failure, stays beside it: it shows something else. So does one that
// may be of another function literal of the test.
//
// Two failures with one cause, as corpus.Case.OneCause tells, are one bug: of their cases the
// smallest stays, too, and names the other.
func (f *Finding) Keep(folder corpus.Folder, r *props.Runner) (record.Kept, error) {
	cases, _ := folder.Load() // those with problems show nothing
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

// yield leaves a finding to a case that shows its bug as well, and is no larger. If it is
// another failure with one cause the case names it from then on.
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

// A relation is what a saved case has to do with a finding, as far as can be told from them.
type relation int

const (
	unrelated relation = iota
	alike              // it is of the same failure
	oneCause           // it is of another failure with the same cause
)

// relation returns what a saved case has to do with a finding. Older versions made signatures
// otherwise.
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

// shown is what a case shows that was saved for a failure.
type shown int

const (
	other shown = iota // it may be something else
	same               // it fails so, as it was saved
	stale              // nothing: it can no longer be run as it was saved
)

// shows runs a case again. Shared reports whether function literals of one test share
// its folder: then a case that cannot be run may be of another one, and apply there.
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

// Replace removes a saved case in whose place a finding was kept. If it may be of another
// function literal of the test it stays.
func (f *Finding) Replace(k *record.Kept, c *corpus.Case) error {
	if k.Path == "" || c.Path == k.Path || f.Case.OfLiteral() {
		return nil
	}
	return f.Discard(c.Path)
}

// Renew saves a mended case anew, with the decisions of the run that has shown that: a
// regression test that runs as it was saved. The old file is removed. It does nothing if the
// case runs as it was saved already, or may be of another function literal of its test.
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

// explainKept rewrites a case that was kept before it was known in which orders it
// fails. If people have changed its comment that stays as it is.
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

// Tidy removes the cases of a folder that are there twice since two branches have come
// together. Of cases of the very same run it keeps one, if there is one that says in
// which orders it fails; of those that show the same failure, as corpus.Case.Alike tells,
// the smallest that fails alike as it was saved. Those of which none does all stay. It
// returns the paths of those that are gone; what lies beside them stays.
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

// moveBeside gives what lies beside a case the name of its new file.
func (f *Finding) moveBeside(from, to string) {
	now := f.besides(to)
	for i, attached := range f.besides(from) {
		os.Rename(attached, now[i]) // there may be none
	}
	movePages(from, to)
}

// Discard removes the file of another case that shows the same failure, and what lies beside it.
func (f *Finding) Discard(path string) error {
	f.detach(path)
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) { // Keep has removed it
		return err
	}
	return nil
}

// detach removes what lies beside another case of the same failure.
func (f *Finding) detach(path string) {
	for _, attached := range f.besides(path) {
		os.Remove(attached)
	}
	removePages(path)
}
