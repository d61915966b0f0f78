package finding

import (
	"reflect"
	"slices"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A namer gives a number to each message of a run in progress. The number is a hash of the
// label, the sender, the receiver, and the count of earlier messages with the same three. The
// ID of a message differs between orders, but its number does not. So a constraint on numbers
// means the same in all orders.
type namer struct {
	naming
	enabled *pulse.Enabled            // nil before the first Pick
	actors  []uint64                  // the numbers of the actors
	ranks   map[string]uint64         // maps a label to the number of actors that have it
	alike   map[uint64]uint64         // counts messages, or questions, with the same hash
	read    int                       // the number of messages that have been numbered so far
	numbers map[uint64]uint64         // maps the ID of a message to its number
	sent    map[uint64]trace.SendKind // the kind of each sent message; the key is the message's number
	latest  uint64                    // the message that was sent last, by number
	step    uint64                    // the message that was received last, by number
}

// A naming says how a namer numbers messages. The zero value is for runs of the same inputs.
type naming struct {
	types bool // set if messages are numbered by their types; otherwise by their labels
	// without is set in a run of inputs that lead to fewer actors than other inputs. It has, for each
	// label, the actors that are left out, in increasing order: 1 for the first actor of the label.
	// The remaining actors are numbered as in a run of the other inputs.
	without map[string][]uint64
}

// rank returns the number that an actor would have among the actors of its label if none were left
// out. The argument rank is its number among the actors that are not left out. Both count from 1.
func (n *naming) rank(label string, rank uint64) uint64 {
	for _, gone := range n.without[label] {
		if gone <= rank {
			rank++
		}
	}
	return rank
}

// text returns a hash of the label of a message, or of its type.
func (n *naming) text(body any) uint64 {
	if of := reflect.TypeOf(body); n.types && of != nil {
		return hash.String(of.String())
	}
	return hash.String(trace.Label(body))
}

func (n *namer) begin() {
	*n = namer{naming: n.naming, actors: n.actors[:0], ranks: map[string]uint64{}, alike: map[uint64]uint64{}, numbers: map[uint64]uint64{}, sent: map[uint64]trace.SendKind{}}
}

// Needs asks for a call to Pick in every step, and for IDs.
func (n *namer) Needs() pulse.Needs { return pulse.Needs{Single: true, Record: true} }

// catchUp numbers the messages that were sent since its last call.
func (n *namer) catchUp() {
	if n.enabled == nil {
		return
	}
	t := n.enabled.Trace()
	for i := len(n.actors); i < len(t.Actors); i++ {
		label := t.Actors[i].Label
		n.ranks[label]++
		n.actors = append(n.actors, hash.Fold(hash.String(label), n.rank(label, n.ranks[label])))
	}
	for ; n.read < len(t.Sends); n.read++ {
		d := &t.Sends[n.read]
		n.latest = n.next(hash.Fold(hash.Fold(n.text(d.Body), n.actor(d.From)), n.actor(d.To)))
		n.numbers[n.enabled.IDOf(d)], n.sent[n.latest] = n.latest, d.Kind
	}
}

// actor returns the number of the actor with index i, 0 if there is no such actor.
func (n *namer) actor(i int32) uint64 {
	if i < 0 || int(i) >= len(n.actors) {
		return 0
	}
	return n.actors[i]
}

// next returns a different number in each call with the same hash. The number depends only on
// the hash and on the count of earlier calls with this hash.
func (n *namer) next(sum uint64) uint64 {
	n.alike[sum]++
	return hash.Fold(sum, n.alike[sum])
}

// message returns the number of a deliverable message. The parameter i is its index in n.enabled.
func (n *namer) message(i int) uint64 {
	id := n.enabled.ID(i)
	if number, ok := n.numbers[id]; ok {
		return number
	}
	return id
}

// question returns a number that identifies a choice of kind k in other runs. The number depends
// on the message sent last if the choice is about a fault of a message, and on the message
// received last if the choice is about an actor.
func (n *namer) question(k choice.Kind) uint64 {
	n.catchUp()
	about := uint64(0)
	switch k {
	case choice.Drop, choice.Duplicate, choice.Delay:
		about = n.latest
	case choice.Program, choice.Crash, choice.Loss:
		about = n.step
	}
	return n.next(hash.Fold(uint64(k)+1, about))
}

// A noted is a strategy that follows a schedule and stores each decision under a number that is
// the same in all orders: see namer.
type noted struct {
	namer
	by      *strategy.Orderer
	order   []uint64       // the received messages, in order
	answers map[uint64]int // the nonzero answers, by question
}

// Begin forgets the previous run.
func (n *noted) Begin(seed uint64) {
	n.begin()
	n.by.Begin(seed)
	n.order, n.answers = nil, map[uint64]int{}
}

// Pick makes the decision of the schedule and stores it.
func (n *noted) Pick(e *pulse.Enabled) int {
	n.enabled = e
	n.catchUp()
	i := n.by.Pick(e)
	if i >= 0 {
		n.step = n.message(i)
		n.order = append(n.order, n.step)
	}
	return i
}

// Choose gives the answer of the schedule and stores it.
func (n *noted) Choose(k choice.Kind, of int) int {
	v, about := n.by.Choose(k, of), n.question(k)
	if v != 0 {
		n.answers[about] = v
	}
	return v
}

// A wait makes one message wait until another one is received. The fields first and second are the
// numbers of these messages: see namer.
type wait struct {
	first, second uint64
	came          bool // set if the message first was received before the message second
	late          bool // set if the message second was received before the message first
}

// A steered is a strategy that makes random orders in which all waits hold, or follows a given
// order as far as possible. It answers the questions of the program (choices, such as faults)
// like a noted run. If all deliverable messages must wait and no timer may fire early, it picks
// one of these messages anyway.
type steered struct {
	namer
	answers map[uint64]int
	waits   []wait
	seed    uint64 // for random orders
	// order is the preferred order of messages, by number; nil means random orders. All other
	// messages come later, oldest first.
	order []uint64
	// exact is the number of messages at the start of the field order that must be received in
	// exactly this order.
	exact int
	lost  bool // set if the messages that exact counts were not received in exactly this order

	places map[uint64]int  // maps the number of a message to its index in the field order
	taken  map[uint64]bool // the received messages
	at     int             // the number of received messages
	held   int             // the number of times that Pick returned pulse.Hold
}

// A random order fires a timer early at one in timePasses opportunities, on average.
const timePasses = 4

// mostHeld is the maximum number of times in a run that Pick returns pulse.Hold, which lets a
// timer fire early.
const mostHeld = 1000

// Begin forgets the previous run.
func (s *steered) Begin(uint64) {
	s.begin()
	s.lost, s.at, s.held, s.places, s.taken = false, 0, 0, map[uint64]int{}, map[uint64]bool{}
	for i := range s.waits {
		s.waits[i].came, s.waits[i].late = false, false
	}
	for i, number := range s.order {
		s.places[number] = i
	}
}

// Choose returns the answer that the noted run gave to the same question, or zero if it gave
// none. In random orders it decides at random whether a timer fires early.
func (s *steered) Choose(k choice.Kind, of int) int {
	about := s.question(k)
	if k == choice.Clock && s.order == nil {
		if hash.Splitmix(&s.seed)%timePasses == 0 {
			return 1
		}
		return 0
	}
	return min(s.answers[about], of-1)
}

// Pick picks a message that need not wait. If there is none, it lets a timer fire early, or
// else picks any message.
func (s *steered) Pick(e *pulse.Enabled) int {
	s.enabled = e
	s.catchUp()
	i := s.inTurn(e)
	if i < 0 && s.held < mostHeld && e.CanHold() {
		s.held++
		return pulse.Hold
	}
	if i < 0 {
		s.lost = s.lost || s.at < s.exact
		i = s.any(e, func(int) bool { return true })
	}
	s.take(s.message(i))
	return i
}

// inTurn returns the index of a message that need not wait, -1 if there is none.
func (s *steered) inTurn(e *pulse.Enabled) int {
	if s.untimely(e) {
		return -1
	}
	return s.any(e, func(i int) bool {
		number := s.message(i)
		if !s.lost && s.at < s.exact {
			return number == s.order[s.at]
		}
		return !slices.ContainsFunc(s.waits, func(w wait) bool { return w.second == number && !w.came })
	})
}

// untimely reports whether the next message in s.order is from a timer that has not fired yet.
func (s *steered) untimely(e *pulse.Enabled) bool {
	for _, number := range s.order {
		if kind, sent := s.sent[number]; sent && !s.taken[number] {
			return kind.IsTimer() && s.any(e, func(i int) bool { return s.message(i) == number }) < 0
		}
	}
	return false
}

// any returns the index of a deliverable message for which may returns true, -1 if there is
// none. It returns the first such message in s.order, or a random one if s.order is nil.
func (s *steered) any(e *pulse.Enabled, may func(i int) bool) int {
	best, n := -1, uint64(0)
	for i := range e.Len() {
		switch {
		case !may(i):
		case s.order == nil:
			if n++; hash.Splitmix(&s.seed)%n == 0 {
				best = i
			}
		case best < 0 || s.before(e, i, best):
			best = i
		}
	}
	return best
}

// before reports whether message i comes before message `other`. Messages in s.order come
// first, in that order. All other messages come last, oldest first.
func (s *steered) before(e *pulse.Enabled, i, other int) bool {
	a, first := s.places[s.message(i)]
	b, second := s.places[s.message(other)]
	if first && second {
		return a < b
	}
	return first || !second && e.Seq(i) < e.Seq(other)
}

// take records that the message with the given number was picked.
func (s *steered) take(number uint64) {
	s.at++
	s.step, s.taken[number] = number, true
	for i := range s.waits {
		switch w := &s.waits[i]; {
		case w.first == number:
			w.came = !w.late
		case w.second == number:
			w.late = !w.came
		}
	}
}

// kept reports whether the run has met all waits (see wait).
func (s *steered) kept() bool {
	return !slices.ContainsFunc(s.waits, func(w wait) bool { return !w.came })
}
