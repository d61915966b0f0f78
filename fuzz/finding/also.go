package finding

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
)

// AlsoLine returns one line that describes a finding met while another one was shrunk. The line
// also says where the finding was saved. shown formats paths.
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

// knownBy returns one line that describes a finding and names the saved case at path, which
// shows the same bug.
func (f *Finding) knownBy(path string, shown func(string) string) string {
	return fmt.Sprintf("%s (shown by %s)", f.Headline(), shown(path))
}

// Known returns one line that describes the finding and names a saved case of the same bug, ""
// if there is none. The case must still fail as saved, and have the finding's signature or list
// it in Faces (the signatures of other failures with the same cause).
func (f *Finding) Known(folder corpus.Folder, r *props.Runner, shown func(string) string) string {
	cases, _ := folder.Load() // cases that cannot be read are ignored
	for i := range cases {
		c := &cases[i]
		is := slices.ContainsFunc(append([]string{c.Signature}, c.Faces...), f.Failure.Matches)
		if is && shows(r, c, f.Case.OfLiteral()) == same {
			return f.knownBy(c.Path, shown)
		}
	}
	return ""
}
