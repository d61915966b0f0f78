package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// Plain picks the oldest message. This is plain order, the reference for all
// other orders. Its choices are random and depend on the seed. A system without
// a strategy also uses plain order, but answers each choice with zero.
func Plain() pulse.Strategy { return &plain{} }

type plain struct{ source }

func (p *plain) Begin(seed uint64) { p.seed(seed) }

func (p *plain) Pick(e *pulse.Enabled) int { return e.Oldest() }

func (p *plain) Choose(k choice.Kind, n int) int { return p.choose(k, n) }
