package finding

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
)

// AlsoLine describes, in one line, a finding that was met while another was shrunk, and where
// it was saved. Shown formats paths.
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

// knownBy describes, in one line, a finding that the saved case at path shows.
func (f *Finding) knownBy(path string, shown func(string) string) string {
	return fmt.Sprintf("%s (shown by %s)", f.Headline(), shown(path))
}

// Known describes, in one line, the finding and the saved case that shows it: one with its
// signature, or that names it as another face of its bug, and that still fails. It returns ""
// if there is none.
func (f *Finding) Known(folder corpus.Folder, r *props.Runner, shown func(string) string) string {
	cases, _ := folder.Load() // cases that cannot be read show nothing
	for i := range cases {
		c := &cases[i]
		is := slices.ContainsFunc(append([]string{c.Signature}, c.Faces...), f.Failure.Matches)
		if is && shows(r, c, f.Case.OfLiteral()) == same {
			return f.knownBy(c.Path, shown)
		}
	}
	return ""
}
