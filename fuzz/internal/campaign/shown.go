package campaign

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// Some runs do not belong to the search: runs of saved cases, of every order before the search, and
// of shrinking. A report must not call a receive pair unseen if one of these runs contains the
// pair. But the search must not depend on these runs, because how many of them have finished at any
// moment depends on time.

// readShown moves the receive pairs of runs that do not belong to the search, such as saved cases,
// from reply r to job j.
func (j *job) readShown(r *session.Reply) error {
	if r.Shown == nil {
		return nil
	}
	shown := &coverage.Orders{}
	err := shown.UnmarshalBinary(r.Shown)
	if r.Shown = nil; err == nil {
		j.shown = append(j.shown, shown)
	}
	return err
}

// show moves the receive pairs of runs that do not belong to the search, such as saved cases, from
// job j to property t.
func (t *target) show(j *job) {
	for _, shown := range j.shown {
		t.shown.Append(shown)
	}
	j.shown = nil
}

// reported returns the receive pairs of all runs. The number of runs in the result counts only the
// runs of the search.
func (t *target) reported() *coverage.Orders {
	all := &coverage.Orders{}
	all.Merge(t.all())
	all.AddSeen(t.shown)
	return all
}
