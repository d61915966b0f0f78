package campaign

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// Some runs are outside the search: saved cases, every order before the search, and shrunk runs.
// A report must not say that a receive pair was never seen if one of them shows it. But the
// search must not depend on them, because their number at any moment depends on time.

// readShown takes the receive pairs of runs outside the search from a reply.
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

// show adds the receive pairs of runs outside the search.
func (t *target) show(j *job) {
	for _, shown := range j.shown {
		t.shown.Append(shown)
	}
	j.shown = nil
}

// reported returns the receive pairs of all runs. Only runs of the search are counted.
func (t *target) reported() *coverage.Orders {
	all := &coverage.Orders{}
	all.Merge(t.all())
	all.AddSeen(t.shown)
	return all
}
