package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// Plain returns a strategy that picks the oldest message. It makes all other
// choices at random, depending on the seed. A system without a strategy also
// picks the oldest message, but every other choice is zero.
func Plain() pulse.Strategy { return &plain{} }

type plain struct{ source }

func (p *plain) Begin(seed uint64) { p.seed(seed) }

func (p *plain) Pick(e *pulse.Enabled) int { return e.Oldest() }

func (p *plain) Choose(k choice.Kind, n int) int { return p.choose(k, n) }
