package explore

import (
	"math"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// How many runs a search will take is estimated in three ways:
//
//   - Of the plain tree, by random descents (Knuth 1975): a run that makes all
//     its decisions at random stands for as many runs as the product of the
//     numbers of answers that there were.
//   - Of distinct orders, by stochastic enumeration: see beam.
//   - Of every other tree as in Eta (section 4), from the part that was gone
//     through. Depth-first search sees one corner of the tree first, which is
//     why Eta's Figure 2 is wrong by a factor of 2 for long; so on the plain
//     tree this counts for as much as was gone through, and the descents for
//     the rest.

// An estimator makes runs of its own to say how many the search will take.
type estimator struct {
	options *Options
	program Program
	random  uint64
	descent descent
	began   time.Time
	// Estimates are averaged, each with the runs that it took as its weight.
	sum    float64
	runs   int
	rounds int
	width  int // of the beam in the round before
	beam   *beam
	off    bool // nothing can be said in this way
}

// The estimator makes at most one run for so many of the search; but some at
// any rate, lest a first estimate that is far too small be the last; and never
// more than is enough.
const (
	estimateShare = 100
	estimateLeast = 100
	estimateMost  = 2000
)

func newEstimator(program Program, o *Options) *estimator {
	e := &estimator{options: o, program: program, random: o.Seed, descent: descent{random: o.Seed}, began: time.Now()}
	e.off = o.bounded() || o.States != NoStates || o.Depth > 0 || o.Reduction != Everything && !o.sleeps()
	return e
}

// probe makes as many runs as the estimate is worth, given how many the search
// has made.
func (e *estimator) probe(made int) {
	for !e.off && !e.late() {
		left := e.worth(made) - e.runs
		if left <= 0 || !e.round(left) {
			return
		}
	}
}

// worth is how many runs the estimate may take. Without the made ones an
// estimate that is far too small would never be mended.
func (e *estimator) worth(made int) int {
	n := max(estimateLeast, made/estimateShare)
	if e.runs > 0 {
		n = max(n, int(min(e.total(), estimateMost*estimateShare))/estimateShare)
	}
	if e.options.Runs > 0 {
		n = min(n, e.options.Runs)
	}
	return min(n, estimateMost)
}

// late says whether a tenth of the time is over.
func (e *estimator) late() bool {
	return e.options.Time > 0 && e.rounds > 0 && time.Since(e.began) > e.options.Time/10
}

// total is the number of runs in all; 0 while nothing is known.
func (e *estimator) total() float64 {
	if e.off || e.runs == 0 {
		return 0
	}
	return e.sum / float64(e.runs)
}

// round makes one more estimate, of about as many runs as are left at most. It
// is false when that is too few.
func (e *estimator) round(left int) bool {
	e.rounds++
	if !e.options.sleeps() {
		e.sum += e.descend()
		e.runs++
		return true
	}
	if e.beam == nil {
		e.beam = newBeam(e.program)
	}
	width := e.wider(left)
	if width < e.width/2 {
		return false
	}
	e.width = width
	total, runs := e.beam.enumerate(width, &e.random)
	if e.off = e.beam.lost; e.off {
		return false
	}
	e.sum += total * float64(runs)
	e.runs += runs
	return true
}

// wider returns how many nodes of a level the next round runs. A wide round is
// worth more than several narrow ones of as many runs together, but what may
// be spent is known only after some: so each is wider than the one before, and
// none is made of a small rest.
func (e *estimator) wider(left int) int {
	if e.width == 0 {
		return firstWidth
	}
	return min(4*e.width, left/e.beam.levels)
}

const firstWidth = 8

// descend makes one run at random.
func (e *estimator) descend() float64 {
	d := &e.descent
	d.paths = 1
	if run := e.program(d); run.System != nil {
		d.learn(run.System.Trace())
	}
	return d.paths
}

// A descent is the strategy that makes all decisions at random.
//
// It draws a message with a chance in proportion to how many steps will come
// of its channel: of each message that waits there, its receipt and all that
// this leads to, as it was on average in the descents before. Where what one
// message leads to has nothing to do with what others do, the orders are the
// linear extensions of a forest, each of which is drawn with the same chance
// in this way, so that every descent tells the size exactly.
type descent struct {
	random uint64
	paths  float64 // how many its run stands for
	led    map[[2]int32]mean
	chance []float64 // scratch
	below  []float64 // scratch
}

// A mean is the average number of steps that messages from one actor to
// another have led to.
type mean struct{ sum, number float64 }

// Begin begins a run.
func (d *descent) Begin(uint64) {}

// Needs has the trace kept.
func (d *descent) Needs() pulse.Needs { return pulse.Needs{Record: true} }

// Pick draws a message.
func (d *descent) Pick(e *pulse.Enabled) int {
	d.chance = grown(d.chance, e.Len())
	all := 0.0
	for i := range d.chance {
		d.chance[i] = 0
		e.Behind(i, func(m *trace.Send) bool {
			d.chance[i] += d.leads(m)
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

// leads is how many steps a message is thought to lead to.
func (d *descent) leads(m *trace.Send) float64 {
	k := d.led[[2]int32{m.From, m.To}]
	return (k.sum + 4) / (k.number + 4)
}

// Choose draws an answer.
func (d *descent) Choose(_ choice.Kind, n int) int {
	d.paths = min(d.paths*float64(n), hugeTree)
	return int(hash.Splitmix(&d.random) % uint64(n))
}

// learn counts what each message of a run has led to.
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

// hugeTree keeps products of large trees from running over.
const hugeTree = 1e100

// guess is Eta's estimate (section 4): the size of a node is the average of
// those of its children that were seen times the number of its children. It
// is 0 while nothing is known.
func (s *stack) guess() float64 {
	size, known := 0.0, float64(0)
	for i := len(s.nodes) - 1; i >= 0; i-- {
		n := &s.nodes[i]
		if seen := float64(n.done) + known; seen > 0 {
			size = (n.leaves + size) / seen * float64(s.children(n))
			known = 1
		}
	}
	return size
}

// children is how many answers of a node are taken up, as far as is known.
func (s *stack) children(n *node) int {
	if n.kind != picks {
		return int(n.n)
	}
	number := 0
	for _, c := range s.of(n) {
		if c.mark&(todo|done) != 0 {
			number++
		}
	}
	return number
}

// estimate is how many runs the search takes in all, given how many it has
// made; 0 while nothing is known.
func (x *explorer) estimate(made int) float64 {
	probed, guessed := x.meter.estimator.total(), 0.0
	if x.team == nil && x.options.Workers < 2 {
		guessed = x.guess()
	}
	all := probed
	switch {
	case probed == 0:
		all = guessed
	case guessed > 0:
		part := min(1, float64(made)/probed)
		all = probed + part*(guessed-probed)
	}
	if all == 0 {
		return 0
	}
	return math.Round(max(all, float64(made)))
}
