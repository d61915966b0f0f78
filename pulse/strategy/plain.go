package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// Plain picks the oldest message: plain order, the one that every other order
// is compared with. The seed matters to choices only, which are random; a
// system that is given no strategy answers them by zero.
func Plain() pulse.Strategy { return &plain{} }

type plain struct{ source }

func (p *plain) Begin(seed uint64) { p.seed(seed) }

func (p *plain) Pick(e *pulse.Enabled) int { return e.Oldest() }

func (p *plain) Choose(k choice.Kind, n int) int { return p.choose(k, n) }
