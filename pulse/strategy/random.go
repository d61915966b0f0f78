package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// Random picks each deliverable message with equal probability, like PULSE's
// scheduler (Claessen et al., ICFP 2009). A given order of n steps with at most
// w deliverable messages at a time has probability at least 1/w^n.
func Random() pulse.Strategy { return &random{} }

type random struct{ source }

func (r *random) Begin(seed uint64) { r.seed(seed) }

func (r *random) Pick(e *pulse.Enabled) int { return r.below(e.Len()) }

func (r *random) Choose(k choice.Kind, n int) int { return r.choose(k, n) }
