package explore

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A descent is a strategy that makes all decisions at random, to estimate the number of
// orders.
//
// A descent draws a channel, and takes the next message of the channel. The probability
// of a channel is proportional to the expected number of steps that the channel's waiting
// messages cause. A message causes its receipt and all steps that follow from the
// receipt. The expected number is the average over earlier descents.
//
// If the consequences of different messages are independent, the orders are the linear
// extensions of a forest. Then each order is drawn with the same probability, and every
// descent gives the exact number of orders.
type descent struct {
	random uint64
	paths  float64           // the number of paths of the tree that the run stands for
	led    map[[2]int32]mean // maps sender and receiver to the mean number of steps that a message between the two causes
	chance []float64         // scratch memory
	below  []float64         // scratch memory
}

// run performs one run, and returns the number of runs that it stands for.
func (d *descent) run(w Worker) float64 {
	d.paths = 1
	if run := w.Run(d); run.System != nil {
		d.learn(run.System.Trace())
	}
	return d.paths
}

// A mean is the average number of steps that messages from one actor to another have
// caused.
type mean struct{ sum, number float64 }

// Begin begins a run.
func (d *descent) Begin(uint64) {}

// Pick draws a message.
func (d *descent) Pick(e *pulse.Enabled) int {
	d.chance = grown(d.chance, e.Len())
	all := 0.0
	for i := range d.chance {
		d.chance[i] = 0
		e.Behind(i, func(m *trace.Send) bool {
			d.chance[i] += d.expected(m)
			return true
		})
		all += d.chance[i]
	}
	at := float64(hash.Splitmix(&d.random)>>11) / (1 << 53) * all
	i := 0
	for ; i < e.Len()-1 && at >= d.chance[i]; i++ {
		at -= d.chance[i]
	}
	d.paths = min(d.paths*all/d.chance[i], hugeTree)
	return i
}

// expected returns the expected number of steps that a message causes, including its
// receipt.
func (d *descent) expected(m *trace.Send) float64 {
	k := d.led[[2]int32{m.From, m.To}]
	return (k.sum + 4) / (k.number + 4)
}

// Choose draws an answer.
func (d *descent) Choose(_ choice.Kind, n int) int {
	d.paths = min(d.paths*float64(n), hugeTree)
	return int(hash.Splitmix(&d.random) % uint64(n))
}

// learn adds to d.led the number of steps that each message of a run has caused.
func (d *descent) learn(t *trace.Trace) {
	if d.led == nil {
		d.led = map[[2]int32]mean{}
	}
	d.below = grown(d.below, len(t.Steps))
	clear(d.below)
	for k := len(t.Steps) - 1; k >= 0; k-- {
		d.below[k]++
		if t.Steps[k].Send == trace.None {
			continue
		}
		m := &t.Sends[t.Steps[k].Send]
		if m.Step >= 0 {
			d.below[m.Step] += d.below[k]
		}
		key := [2]int32{m.From, m.To}
		old := d.led[key]
		d.led[key] = mean{old.sum + d.below[k], old.number + 1}
	}
}

// hugeTree bounds estimated numbers of runs, which would overflow for large trees.
const hugeTree = 1e100

// Needs asks for a recorded run, because learn reads the trace.
func (*descent) Needs() pulse.Needs { return pulse.Needs{Record: true} }
