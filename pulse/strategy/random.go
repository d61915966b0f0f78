package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// Random returns a strategy that picks each deliverable message with equal
// probability, like PULSE's scheduler (Claessen et al., ICFP 2009). If at most w
// messages are deliverable at a time, an order of n steps has probability at least
// 1/w^n.
func Random() pulse.Strategy { return &random{} }

type random struct{ source }

func (r *random) Begin(seed uint64) { r.seed(seed) }

func (r *random) Pick(e *pulse.Enabled) int { return r.below(e.Len()) }

func (r *random) Choose(k choice.Kind, n int) int { return r.choose(k, n) }
