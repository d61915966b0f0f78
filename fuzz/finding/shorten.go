package finding

import (
	"sort"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// longRecord: cases with at most so many deliveries are not shortened.
const longRecord = 1000

// Shorten cuts from the end of a long record the deliveries that plain order makes anyway, so
// that an endless run does not fill a repository. The run stays the same.
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
	// If plain order does the rest after n deliveries, it does so after more.
	if n := sort.Search(len(all), same); n < len(all) {
		f.Case.Record.Deliveries, f.Case.Record.Plain = all[:n:n], true
	}
}
