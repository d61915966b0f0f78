package finding

import (
	"sort"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// longRecord is the largest number of deliveries that Shorten leaves unchanged.
const longRecord = 1000

// Shorten cuts deliveries from the end of a long record, if delivering the oldest message first
// leads to the same run. So an endless run does not fill a repository.
func (f *Finding) Shorten(r *props.Runner) {
	all := f.Case.Record.Deliveries
	if len(all) <= longRecord || f.Trace == nil || f.Replays < Tried {
		return
	}
	same := func(n int) bool {
		c := f.Case
		c.Record.Deliveries, c.Record.Plain = all[:n], true
		replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{})
		res := r.Run(planOf(&c, replayer))
		return firstDifference(&res, replayer, &c) == "" && res.Failure != nil && res.Failure.Signature() == f.Failure.Signature()
	}
	// a binary search suffices, because if n deliveries suffice, more deliveries suffice too
	if n := sort.Search(len(all), same); n < len(all) {
		f.Case.Record.Deliveries, f.Case.Record.Plain = all[:n:n], true
	}
}
