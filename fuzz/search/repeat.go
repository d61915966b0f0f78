package search

import (
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/props"
)

// repeatEvery is how many runs there are for each repeated one, which checks that the program
// is deterministic. A nondeterministic program can neither be replayed nor trusted when it
// passes.
const repeatEvery = 64

// repeats repeats some of the passing runs, chosen by their indices alone. It reports whether
// the run was the same; if not, that is reported as a failure. The result is no longer valid
// then.
func (w *worker) repeats(index int, arm string, seed uint64, res *props.Result) bool {
	if index%repeatEvery != repeatEvery-1 || res.Skipped || res.Rejected != "" || res.System == nil {
		return true
	}
	p := &w.property
	f := finding.Repeat(w.runner, finding.Origin{Property: p.Name, Test: p.Test, Strategy: arm, Seed: seed}, res)
	if f == nil {
		return true
	}
	w.keep(index, f)
	return false
}
