package bench

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// delays is the random scheduler with which Bitá is compared (its section VI-B): it
// adds to the delivery of each message a random delay, from zero up to a bound, and
// lets none of a channel arrive before those that were sent earlier. Here steps take no
// time of their own, so all times grow with the bound, and its size does not matter: the
// paper's three bounds are one strategy. What the test sends, and timers that fire,
// count as messages that are sent at that time.
//
// A message arrives after a chain of k others that were sent at the same time by chance
// 1/(k+1)!: the sum of k delays must be below one. With Random it is 1/2^k.
type delays struct {
	pulse.Strategy // answers all other questions
	state          uint64
	now            float64
	due            []float64 // by slot: when the message arrives, in units of the bound
}

func newDelays() pulse.Strategy { return &delays{Strategy: strategy.Random()} }

// Begin forgets the run before.
func (d *delays) Begin(seed uint64) {
	d.Strategy.Begin(seed)
	d.state, d.now, d.due = hash.Seed(seed, 1), 0, d.due[:0]
}

// Needs has it asked for each message, since each takes its time, and has no slot used
// for two.
func (d *delays) Needs() pulse.Needs { return pulse.Needs{Single: true, Record: true} }

// Pick picks the message that arrives first. One whose time has passed while it waited
// behind another of its channel arrives at once.
func (d *delays) Pick(e *pulse.Enabled) int {
	for range len(e.Trace().Sends) - len(d.due) {
		d.due = append(d.due, d.now+unit(hash.Splitmix(&d.state)))
	}
	first := 0
	for i := range e.Len() {
		if d.due[e.Slot(i)] < d.due[e.Slot(first)] {
			first = i
		}
	}
	d.now = max(d.now, d.due[e.Slot(first)])
	return first
}

// jitterPlaces is how far jitter moves a message back.
const jitterPlaces = 4

// jitter is plain order with noise, as the default scheduler of an actor library has
// it: each message is moved back by a random part of jitterPlaces places. So none is
// overtaken by those that were sent jitterPlaces places after it or later.
type jitter struct {
	pulse.Strategy // answers all other questions
	key            uint64
}

func newJitter() pulse.Strategy { return &jitter{Strategy: strategy.Random()} }

// Begin draws the noise of a run.
func (j *jitter) Begin(seed uint64) {
	j.Strategy.Begin(seed)
	j.key = hash.Seed(seed, 2)
}

// Pick picks the message with the lowest place.
func (j *jitter) Pick(e *pulse.Enabled) int {
	first, lowest := 0, j.place(e.Seq(0))
	for i := 1; i < e.Len(); i++ {
		if p := j.place(e.Seq(i)); p < lowest {
			first, lowest = i, p
		}
	}
	return first
}

func (j *jitter) place(seq int32) float64 {
	return float64(seq) + jitterPlaces*unit(hash.Nth(j.key, uint64(seq)))
}

// unit turns a random word into a number from 0 to below 1.
func unit(word uint64) float64 { return float64(word>>11) / (1 << 53) }
