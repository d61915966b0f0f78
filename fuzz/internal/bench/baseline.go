package bench

import (
	"cmp"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// bounded picks the oldest message, except that at a few random steps it puts the oldest
// message behind all other messages (Emmi, Qadeer and Rakamarić, "Delay-bounded
// scheduling", POPL 2011). The paper enumerates the delays; bounded chooses them at
// random. If k steps of a run have several deliverable messages, each order with at most d
// delays has probability at least 1/(k+1)^d, and other orders never occur. A delayed
// message also delays the later messages of its channel.
type bounded struct {
	pulse.Strategy       // makes all decisions except Pick, and chooses the delays
	steps          int   // the expected number of steps with several deliverable messages; 0 means the number in the previous run
	counted        int   // the number of steps with several deliverable messages so far in the current run
	points         []int // a message is delayed when the field counted reaches one of these numbers; zero means no delay
	late           []lateness
}

// A lateness is the new place of a delayed message. A place is a number: the message with
// the lowest place is delivered first. The place of a message that was not delayed depends
// on its age.
type lateness struct {
	seq   int32
	place int64
}

const (
	delaysPerRun = 2
	firstLength  = 100     // the assumed number of steps of the first run
	perSeq       = 1 << 16 // the difference between the places of two messages sent in succession
)

func newBounded() pulse.Strategy { return boundedBy(delaysPerRun, 0) }

func boundedBy(delays, steps int) pulse.Strategy {
	return &bounded{Strategy: strategy.Random(), steps: steps, points: make([]int, delays)}
}

// Begin chooses the delays of a run at random.
func (b *bounded) Begin(seed uint64) {
	b.Strategy.Begin(seed)
	n := cmp.Or(b.steps, b.counted, firstLength)
	for i := range b.points {
		b.points[i] = b.Choose(choice.Program, n+1)
	}
	b.counted, b.late = 0, b.late[:0]
}

// Pick picks the message with the lowest place.
func (b *bounded) Pick(e *pulse.Enabled) int {
	b.counted++
	first := b.first(e)
	for _, point := range b.points {
		if point == b.counted {
			b.late = append(b.late, lateness{e.Seq(first), b.last(e) + 1})
			first = b.first(e)
		}
	}
	return first
}

func (b *bounded) first(e *pulse.Enabled) (first int) {
	if len(b.late) == 0 {
		return e.Oldest()
	}
	for i := range e.Len() {
		if b.place(e.Seq(i)) < b.place(e.Seq(first)) {
			first = i
		}
	}
	return first
}

func (b *bounded) place(seq int32) int64 {
	for i := len(b.late) - 1; i >= 0; i-- {
		if l := b.late[i]; l.seq == seq {
			return l.place
		}
	}
	return int64(seq) * perSeq
}

// last returns the highest place of all undelivered messages.
func (b *bounded) last(e *pulse.Enabled) (last int64) {
	for i := range e.Len() {
		e.Behind(i, func(s *trace.Send) bool {
			last = max(last, b.place(s.Seq))
			return true
		})
	}
	return last
}

// delays is the random scheduler with which the Bitá paper compares Bitá (section VI-B).
// It adds a random delay to the delivery of each message, and keeps the order of channels.
// The delay is between zero and a maximum. The paper has three maximums, but they give the
// same strategy here: steps take no time, so all times scale with the maximum. A message
// from the test and a timer count as sent when they become deliverable.
//
// Consider a chain of k messages, each sent when the previous message is received, and a
// single message sent at the same time as the first message of the chain. The whole chain
// overtakes the single message with probability 1/(k+1)!. This is the probability that the
// sum of k delays is less than the delay of the single message. With the strategy Random
// the probability is 1/2^k.
type delays struct {
	pulse.Strategy // makes all other choices
	state          uint64
	now            float64
	due            []float64 // maps a message's slot to its arrival time, as a multiple of the maximum delay
}

func newDelays() pulse.Strategy { return &delays{Strategy: strategy.Random()} }

// Begin resets the state for a run.
func (d *delays) Begin(seed uint64) {
	d.Strategy.Begin(seed)
	d.state, d.now, d.due = hash.Seed(seed, 1), 0, d.due[:0]
}

// Needs asks for a call to Pick for each message, because each message takes time. It also
// asks for recording, because the index of a message in the recorded trace is its slot.
func (d *delays) Needs() pulse.Needs { return pulse.Needs{Single: true, Record: true} }

// Pick picks the message that arrives first. If the arrival time of a message passed while
// it waited behind a message of the same channel, the message arrives at once.
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

// jitter moves a message back by less than jitterPlaces places.
const jitterPlaces = 4

// jitter delivers the oldest message first, with some noise, like the default scheduler of
// an actor library. In the order of sending, it moves each message back by a random
// distance less than jitterPlaces. So a message never overtakes a message that is
// jitterPlaces or more places before it.
type jitter struct {
	pulse.Strategy // makes all other choices
	key            uint64
}

func newJitter() pulse.Strategy { return &jitter{Strategy: strategy.Random()} }

// Begin chooses the noise of a run at random.
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

func unit(word uint64) float64 { return float64(word>>11) / (1 << 53) }
