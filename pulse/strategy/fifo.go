package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// FIFO picks the oldest message: plain order, the one that every other order
// is compared with. The seed matters to choices only.
func Plain() pulse.Strategy { return &fifo{} }

type fifo struct{ source }

func (f *fifo) Begin(seed uint64) { f.seed(seed) }

func (f *fifo) Pick(e *pulse.Enabled) int { return e.Oldest() }

func (f *fifo) Choose(k choice.Kind, n int) int { return f.choose(k, n) }
