package finding

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A namer numbers the messages of a run in progress by the names that namesOf would give them
// at its end. A message that is sent in every order has one number but many identities: a
// constraint on numbers means the same in all orders.
type namer struct {
	enabled *pulse.Enabled // nil before the first pick
	actors  []uint64
	ranks   map[string]uint64         // how many actors have a label
	alike   map[uint64]uint64         // how many messages, or questions, look alike
	read    int                       // how many messages are numbered
	numbers map[uint64]uint64         // of messages, by identity
	sent    map[uint64]trace.SendKind // by number
	latest  uint64                    // the message that was sent last
	step    uint64                    // the message that was received last
}

func (n *namer) begin() {
	*n = namer{actors: n.actors[:0], ranks: map[string]uint64{}, alike: map[uint64]uint64{}, numbers: map[uint64]uint64{}, sent: map[uint64]trace.SendKind{}}
}

// Needs asks for a Pick in every step, and for identities.
func (n *namer) Needs() pulse.Needs { return pulse.Needs{Single: true, Record: true} }

// catchUp numbers what was sent since its last call.
func (n *namer) catchUp() {
	if n.enabled == nil {
		return
	}
	t := n.enabled.Trace()
	for i := len(n.actors); i < len(t.Actors); i++ {
		label := t.Actors[i].Label
		n.ranks[label]++
		n.actors = append(n.actors, hash.Fold(hash.String(label), n.ranks[label]))
	}
	for ; n.read < len(t.Sends); n.read++ {
		d := &t.Sends[n.read]
		n.latest = n.next(hash.Fold(hash.Fold(hash.String(trace.Label(d.Body)), n.actor(d.From)), n.actor(d.To)))
		n.numbers[n.enabled.IDOf(d)], n.sent[n.latest] = n.latest, d.Kind
	}
}

// actor returns a number for an actor, from its label and how many actors had it before.
func (n *namer) actor(i int32) uint64 {
	if i < 0 || int(i) >= len(n.actors) {
		return 0
	}
	return n.actors[i]
}

// next returns a number for the next of several that look alike.
func (n *namer) next(look uint64) uint64 {
	n.alike[look]++
	return hash.Fold(look, n.alike[look])
}

// message returns the number of message i.
func (n *namer) message(i int) uint64 {
	id := n.enabled.ID(i)
	if number, ok := n.numbers[id]; ok {
		return number
	}
	return id
}

// question returns a number for a question. A fault of a message is about the message sent
// last, a question of an actor about the message received last, and all others about
// nothing.
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

// A noted follows a schedule, and notes its decisions by numbers.
type noted struct {
	namer
	by      *strategy.Orderer
	order   []uint64 // the messages, in the order of receipt
	answers map[uint64]int
}

// Begin forgets the previous run.
func (n *noted) Begin(seed uint64) {
	n.begin()
	n.by.Begin(seed)
	n.order, n.answers = nil, map[uint64]int{}
}

// Pick picks what the schedule says.
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

// Choose answers as the schedule does.
func (n *noted) Choose(k choice.Kind, of int) int {
	v, about := n.by.Choose(k, of), n.question(k)
	if v != 0 {
		n.answers[about] = v
	}
	return v
}

// A wait is a constraint on the numbers of two messages, with its state.
type wait struct {
	first, second uint64
	came          bool // the first was received, and the second was not before it
	late          bool // the second was received first
}

// A steered makes random orders in which waits hold, or follows a given order as far as
// possible, with the answers of a noted run. If all deliverable messages must wait and no
// timer may fire early, one of them is received anyway.
type steered struct {
	namer
	answers map[uint64]int
	waits   []wait
	seed    uint64 // of random orders
	// order, unless nil, is the preferred order of messages; the oldest come after it. Its
	// first `exact` messages must come one after the other, or lost is set.
	order []uint64
	exact int
	lost  bool

	places map[uint64]int
	taken  map[uint64]bool
	at     int // how many messages have come
	held   int // how often all messages were held back
}

// timePasses is how rarely a random order fires a timer early if it may: once in this many
// questions.
const timePasses = 4

// mostHeld bounds how often all messages are held back in a run.
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

// Choose repeats the answer of the noted run, or answers with zero. In random orders it
// decides at random whether time passes.
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

// Pick picks a message that need not wait.
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

// inTurn returns a message that need not wait, -1 if there is none.
func (s *steered) inTurn(e *pulse.Enabled) int {
	if s.untimely(e) {
		return -1
	}
	return s.any(e, func(i int) bool {
		number := s.message(i)
		if !s.lost && s.at < s.exact {
			return number == s.order[s.at]
		}
		for k := range s.waits {
			if w := &s.waits[k]; w.second == number && !w.came {
				return false
			}
		}
		return true
	})
}

// untimely reports whether the next message of the order is from a timer that has not fired.
func (s *steered) untimely(e *pulse.Enabled) bool {
	for _, number := range s.order {
		if kind, sent := s.sent[number]; sent && !s.taken[number] {
			return kind.IsTimer() && s.any(e, func(i int) bool { return s.message(i) == number }) < 0
		}
	}
	return false
}

// any returns one of the messages that may come: the first of the order, or a random one.
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

// before reports whether message i comes before another in the order, or is older.
func (s *steered) before(e *pulse.Enabled, i, other int) bool {
	a, first := s.places[s.message(i)]
	b, second := s.places[s.message(other)]
	if first && second {
		return a < b
	}
	return first || !second && e.Seq(i) < e.Seq(other)
}

// take notes the receipt of a message.
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

// kept reports whether all waits held.
func (s *steered) kept() bool {
	for i := range s.waits {
		if !s.waits[i].came {
			return false
		}
	}
	return true
}
