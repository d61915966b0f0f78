package campaign

import (
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// Besides the runs of the search there are others: those of saved cases, of every order before
// the search, and what failing runs are made smaller to. A report must not say of an order that
// it was never seen if one of them shows it. But the search must not go by them, since how
// many there are by when depends on time.

// readShown reads what runs besides those of the search have shown.
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

// show adds what runs besides those of the search have shown.
func (t *target) show(j *job) {
	for _, shown := range j.shown {
		t.shown.Append(shown)
	}
	j.shown = nil
}

// reported returns what all runs have shown. Only those of the search are counted.
func (t *target) reported() *coverage.Orders {
	all := &coverage.Orders{}
	all.Merge(t.all())
	all.AddSeen(t.shown)
	return all
}
