package search

import (
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/props"
)

// One run in repeatEvery is repeated, to check that the program is deterministic. If a
// program is nondeterministic, its failures cannot be replayed and its passing runs prove
// nothing.
const repeatEvery = 64

// repeats repeats some of the passing runs, chosen by index alone. It returns false and
// stores a finding if the repeated run differs from the run. Otherwise it returns true.
// The result res is invalid after a repeated run.
func (w *worker) repeats(index int, arm string, seed uint64, res *props.Result) bool {
	if index%repeatEvery != repeatEvery-1 || res.Skipped || res.Rejected != "" || res.System == nil {
		return true
	}
	p := &w.property
	f := finding.Rerun(w.runner, finding.Origin{Property: p.Name, Test: p.Test, Strategy: arm, Seed: seed}, res)
	if f == nil {
		return true
	}
	w.keep(index, f)
	return false
}
