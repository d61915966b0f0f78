package strategy

import (
	"math"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// DelayBoundedOptions are the options of DelayBounded.
type DelayBoundedOptions struct {
	// Delays bounds how many messages are delayed in a run; with zero every run
	// is in plain order.
	Delays int
	// Steps is how many steps of a run have several messages to pick from. Zero
	// means as many as in the run before, 100 in the first run.
	Steps int
}

// DelayBounded picks the oldest message, but at a few random steps it puts that
// message behind all others that wait (Emmi, Qadeer and Rakamarić,
// "Delay-bounded scheduling", POPL 2011, where delays are enumerated and not
// drawn). In a run in which k steps have several messages to pick from, an order
// that takes at most d delays comes with chance at least 1/(k+1)^d; other orders
// never come. Messages behind a delayed one in its channel wait with it.
func DelayBounded(o DelayBoundedOptions) pulse.Strategy {
	return &delay{picks: length{fixed: o.Steps}, points: make([]int, max(o.Delays, 0))}
}

type delay struct {
	source
	picks  length
	points []int // the picks, from 1, at which a message is delayed; zero means none
	late   []lateness
	order  pulse.Order
}

// A lateness is the new place of a delayed message, among the places that other
// messages have by their age.
type lateness struct {
	seq   int32
	place int64
}

// perSeq is how many delayed messages fit between two messages that were sent one
// after the other.
const perSeq = 1 << 16

func (d *delay) Begin(seed uint64) {
	d.seed(seed)
	n := d.picks.begin()
	for i := range d.points {
		d.points[i] = d.below(n + 1)
	}
	d.late = d.late[:0]
	d.order.Renew()
}

func (d *delay) Pick(e *pulse.Enabled) int {
	d.picks.counted++
	first := d.first(e)
	for _, point := range d.points {
		if point == d.picks.counted {
			d.delay(e, first)
			first = d.first(e)
		}
	}
	return first
}

// first returns the message with the lowest place.
func (d *delay) first(e *pulse.Enabled) int {
	if len(d.late) == 0 {
		return e.Oldest()
	}
	return d.order.First(e, func(i int) uint64 { return math.MaxInt64 - uint64(d.place(e.Seq(i))) })
}

func (d *delay) place(seq int32) int64 {
	for i := len(d.late) - 1; i >= 0; i-- {
		if l := d.late[i]; l.seq == seq {
			return l.place
		}
	}
	return int64(seq) * perSeq
}

// delay puts message i behind all that wait and before all that will be sent.
func (d *delay) delay(e *pulse.Enabled, i int) {
	d.late = append(d.late, lateness{e.Seq(i), d.last(e) + 1})
	d.order.Renew()
}

// last returns the highest place of all that wait.
func (d *delay) last(e *pulse.Enabled) (last int64) {
	unordered := e.Trace().Unordered
	for i := range e.Len() {
		last = max(last, d.place(e.Seq(i)))
		if unordered {
			continue // nothing is behind anything
		}
		e.Behind(i, func(s *trace.Send) bool {
			last = max(last, d.place(s.Seq))
			return true
		})
	}
	return last
}

func (d *delay) Choose(k choice.Kind, n int) int { return d.choose(k, n) }
