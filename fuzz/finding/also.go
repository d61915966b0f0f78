package finding

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
)

// AlsoLine says in a line of a finding that was met on the way to another what it is, and what
// became of it. Paths are shown as a function shows them.
func (f *Finding) AlsoLine(kept record.Kept, err error, shown func(string) string) string {
	switch {
	case !f.Worth():
		return f.Headline()
	case kept.Path == "":
		return fmt.Sprintf("%s (not saved: %v)", f.Headline(), err)
	case err != nil:
		return fmt.Sprintf("%s (saved: %s, but: %v)", f.Headline(), shown(kept.Path), err)
	case !kept.Saved():
		return f.knownBy(kept.Path, shown)
	}
	places := "saved: " + shown(kept.Path)
	if kept.Page != "" {
		places += ", page: " + shown(kept.Page)
	}
	return fmt.Sprintf("%s (%s)", f.Headline(), places)
}

// knownBy says in a line what a finding is that a saved case shows.
func (f *Finding) knownBy(path string, shown func(string) string) string {
	return fmt.Sprintf("%s (shown by %s)", f.Headline(), shown(path))
}

// Known says in a line what a finding is and which saved case shows it, if one has its
// signature, or names it as another face of its bug, and still fails; else it returns "".
func (f *Finding) Known(folder corpus.Folder, r *props.Runner, shown func(string) string) string {
	cases, _ := folder.Load() // those with problems show nothing
	for i := range cases {
		c := &cases[i]
		is := slices.ContainsFunc(append([]string{c.Signature}, c.Faces...), f.Failure.Matches)
		if is && shows(r, c, f.Case.OfLiteral()) == same {
			return f.knownBy(c.Path, shown)
		}
	}
	return ""
}
