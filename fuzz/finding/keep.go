package finding

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
)

// Keep saves a finding like Save, but leaves only one case of each failure. It replays the
// other cases of the folder with the same failure (see corpus.Case.Alike). If one of them still
// fails as saved and is no larger, Keep does not save the finding. Otherwise it saves the
// finding, and removes larger cases and cases that can no longer be replayed as saved.
//
// A case stays if it passes as saved or fails differently, because it shows something else. It
// also stays if it may belong to another function literal of the test.
//
// Two failures with the same cause (see corpus.Case.OneCause) are one bug. Keep leaves only the
// smallest of their cases, and lists the other signatures in its Faces.
func (f *Finding) Keep(folder corpus.Folder, r *props.Runner) (record.Kept, error) {
	cases, _ := folder.Load() // cases that cannot be read are ignored
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

// yield is called instead of saving the finding, because case c shows the same bug and is no
// larger than the finding. If c and the finding have different signatures with the same cause,
// yield adds the finding's signature to c.
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

// A relation says how a saved case is related to a finding, judged without running the case.
type relation int

const (
	unrelated relation = iota
	alike              // the case has the same failure
	oneCause           // the case has another failure with the same cause
)

// relation returns how a saved case is related to the finding. It also understands signatures
// of older versions.
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

// shown is the result of replaying a saved case.
type shown int

const (
	other shown = iota // the case passes or fails differently, or may belong to another function literal
	same               // the case fails as saved
	stale              // the case cannot be replayed as saved
)

// shows replays a case and returns the result. shared reports whether function literals of one
// test share the folder of the case. If they do, a case that cannot be replayed is not stale,
// because it may belong to another function literal.
func shows(r *props.Runner, c *corpus.Case, shared bool) shown {
	switch p := Replay(r, c); {
	case p.Result.Failure != nil && !p.Result.Failure.Matches(c.Signature):
	case p.Result.Skipped || p.Result.Failure == nil && p.Exact:
	case p.Exact:
		return same
	case !shared:
		return stale
	}
	return other
}

// Replace removes the saved case c after the finding was saved in its place in another file. It
// does nothing if c may belong to another function literal of the test.
func (f *Finding) Replace(k *record.Kept, c *corpus.Case) error {
	if k.Path == "" || c.Path == k.Path || f.Case.OfLiteral() {
		return nil
	}
	return f.Discard(c.Path)
}

// Renew replaces the file of a mended case by the run in which its property held. This run is a
// regression test that can be replayed as saved. Renew returns the new file. It returns "" and
// does nothing if the case already replays as saved, or may belong to another function literal
// of its test.
func (p *Replayed) Renew(folder corpus.Folder, c *corpus.Case) (path string, err error) {
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

// explainKept rewrites the saved case if its file was written before the condition or all Faces
// (the signatures of other failures with the same cause) were known. It keeps a comment that
// somebody has changed.
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

// Tidy removes duplicate cases of a folder, which may exist after two branches were merged. If
// several cases have the same run, it keeps one of them, if possible one with a condition. If
// several cases have the same failure (see corpus.Case.Alike), it keeps the smallest that still
// fails as saved. If none of them still fails, all stay. Tidy returns the paths of the removed
// cases. Other files of a removed case stay.
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

// moveBeside renames the attachments and pages of a case whose file was renamed.
func (f *Finding) moveBeside(from, to string) {
	now := f.besides(to)
	for i, attached := range f.besides(from) {
		os.Rename(attached, now[i]) // the file may not exist
	}
	movePages(from, to)
}

// Discard removes the case at path with its attachments and pages. The case must show the
// failure of f, because Discard finds the attachments by the names that f gives them.
func (f *Finding) Discard(path string) error {
	f.detach(path)
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) { // Keep may have removed the file already
		return err
	}
	return nil
}

// detach removes the attachments and pages of the case at path. The case must show the failure
// of f, because detach finds the attachments by the names that f gives them.
func (f *Finding) detach(path string) {
	for _, attached := range f.besides(path) {
		os.Remove(attached)
	}
	removePages(path)
}

// Join merges two cases in a folder that show one bug. Keep prevents such cases, except if two
// processes save them at the same time. The smaller case stays. If the other case has a
// different signature, the smaller case is rewritten to list that signature in Faces. Then the
// larger case and its pages are removed; other files next to it stay. If the process is killed
// during Join, at least one case of the bug remains.
//
// Join returns the zero Kept if both cases stay, because they are not known to show one bug,
// one no longer exists, or somebody has changed or renamed one.
func Join(folder corpus.Folder, one, two string) (k record.Kept, err error) {
	small, errOne := folder.Find(one)
	large, errTwo := folder.Find(two)
	if errOne != nil || errTwo != nil || !small.OneCause(&large) && !small.Alike(&large) ||
		!folder.IsAsSaved(small) || !folder.IsAsSaved(large) {
		return k, nil
	}
	if cmp.Or(small.Compare(&large), cmp.Compare(small.Signature, large.Signature), cmp.Compare(one, two)) > 0 {
		small, large = large, small
	}
	both := small
	if both.AddFaces(&large); len(both.Faces) > len(small.Faces) {
		if both.Path, err = folder.Rewrite(both); err != nil {
			return k, err
		}
		moveAllBeside(small.Path, both.Path)
	}
	if err = folder.Remove(large); err == nil {
		removePages(large.Path)
		k.Alike, k.Fewer = []string{large.Path}, true
	}
	k.Path, k.OneCause = both.Path, small.Signature != large.Signature
	return k, err
}

// moveAllBeside renames the attachments and pages of a case whose file was renamed.
func moveAllBeside(from, to string) {
	dir, name := filepath.Split(beside(from, "-"))
	files, _ := os.ReadDir(dir) // after an error the list is empty
	for _, file := range files {
		if rest, is := strings.CutPrefix(file.Name(), name); is {
			os.Rename(filepath.Join(dir, file.Name()), beside(to, "-"+rest))
		}
	}
	movePages(from, to)
}
