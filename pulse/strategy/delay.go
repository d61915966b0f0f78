package strategy

import (
	"math"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// DelayOptions say how much Delay changes plain order.
type DelayBoundedOptions struct {
	// Delays is how many messages are delayed in a run, at most; with zero
	// every run is in plain order.
	Delays int
	// Steps is how many steps of a run have several messages to pick from.
	// Zero learns it from the run before, and takes 100 in the first.
	Steps int
}

// Delay picks the oldest message, but at a few random steps puts that one
// behind all that wait (Emmi, Qadeer and Rakamarić, "Delay-bounded
// scheduling", POPL 2011, with the delays drawn in place of enumerated). An
// order that takes at most d delays, in a run with k steps at which there are
// several messages to pick from, comes with chance at least 1/(k+1)^d; others
// never come. Messages that are queued in the channel of a delayed one wait
// with it.
func DelayBounded(o DelayBoundedOptions) pulse.Strategy {
	return &delay{picks: length{fixed: o.Steps}, points: make([]int, max(o.Delays, 0))}
}

type delay struct {
	source
	picks  length
	points []int // the picks, from 1, at which a message is delayed; zero is none
	late   []lateness
}

// A lateness is the new place of a message that was delayed, among the places
// that others have by their age.
type lateness struct {
	seq   int32
	place int64
}

// perSeq is how many delayed messages fit between two that were sent one
// after the other.
const perSeq = 1 << 16

func (d *delay) Begin(seed uint64) {
	d.seed(seed)
	n := d.picks.begin()
	for i := range d.points {
		d.points[i] = d.below(n + 1)
	}
	d.late = d.late[:0]
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
	first, lowest := 0, int64(math.MaxInt64)
	for i := range e.Len() {
		if place := d.place(e.Seq(i)); place < lowest {
			first, lowest = i, place
		}
	}
	return first
}

func (d *delay) place(seq int32) int64 {
	for i := len(d.late) - 1; i >= 0; i-- {
		if l := d.late[i]; l.seq == seq {
			return l.place
		}
	}
	return int64(seq) * perSeq
}

// delay puts message i behind all that wait, but before all that will be sent.
func (d *delay) delay(e *pulse.Enabled, i int) {
	d.late = append(d.late, lateness{e.Seq(i), d.last(e) + 1})
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
