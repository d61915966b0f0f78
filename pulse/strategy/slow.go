package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// Slow holds some messages back, as a slow link or a busy receiver would. Each run
// draws the rate of held messages: none, or 1/4 to 1/64. A held message stays away for
// 2 to 256 steps after it was sent, each power of two with equal probability; with FIFO
// delivery it holds back its channel. Slow picks among the other messages: in three
// runs of four by a priority that each message draws once, else each with equal
// probability.
//
// If all deliverable messages are held, Slow fires a timer early, at most twice in a run
// and only if Options.EarlyTimers allows that. Otherwise it picks a held message at
// random. So it makes no run that Random cannot make.
//
// Let k other messages be received one after the other while a message waits, each sent
// in the step before. Then the message comes after all of them with probability at least
// 1/7 for k = 4, 1/30 for k = 16 and 1/250 for k = 64. Random needs 2^k runs for that.
// Slow is no better than Random at bugs that need many pairs of messages in a certain
// order each.
func Slow() pulse.Strategy { return &slow{} }

type slow struct {
	source
	key    uint64 // with its Seq it determines the lot of a message
	rate   uint8  // a message is held with probability 1/2^rate; zero means never
	ranked bool   // messages have priorities
	early  uint8  // how many more timers may fire early
}

// slowRates are the rates of Slow, one of which each run draws.
var slowRates = [8]uint8{0, 2, 3, 3, 4, 4, 5, 6}

// mostSlowEarly is how many timers Slow fires early in a run.
const mostSlowEarly = 2

func (s *slow) Begin(seed uint64) {
	s.seed(seed)
	s.key = s.next()
	w := s.next()
	s.rate, s.ranked, s.early = slowRates[w%8], w>>3%4 != 0, mostSlowEarly
}

// Needs requests a Pick for a single message, which may be held.
func (s *slow) Needs() pulse.Needs { return pulse.Needs{Single: true} }

func (s *slow) Pick(e *pulse.Enabled) int {
	n, best := e.Len(), allHeld
	switch {
	case n == 1 && (s.early == 0 || s.rate == 0):
		return 0
	case s.ranked:
		best = s.first(e, n)
	default:
		best = s.any(e, n)
	}
	switch {
	case best != allHeld:
		return best
	case s.early > 0 && e.CanHold():
		s.early--
		return pulse.Hold
	}
	return s.below(n)
}

// lot returns the random number that belongs to message i. It follows from the Seq of the
// message, so Slow has no memory of messages.
func (s *slow) lot(e *pulse.Enabled, i int) uint64 { return hash.Mix(s.key ^ uint64(e.Seq(i))) }

// isHeld reports whether message i, which has a lot, is held: if the first bits of the lot
// are zero, for as many steps after it was sent as the last bits say.
func (s *slow) isHeld(e *pulse.Enabled, i int, lot uint64) bool {
	return lot>>(64-s.rate) == 0 && s.rate > 0 && e.Step() <= int(e.Send(i).Step)+2<<(lot%8)
}

// rankOf returns the priority of a message, which does not depend on the bits that say
// whether the message is held.
func rankOf(lot uint64) uint64 { return lot<<8 | 1 }

// allHeld is the answer of first and any if all deliverable messages are held.
const allHeld = -1

// slowSample is the number of messages of a crowd that Slow considers.
const slowSample = 8

// first returns the message with the highest priority that is not held, or allHeld. Among
// more than few messages it considers a sample.
func (s *slow) first(e *pulse.Enabled, n int) int {
	if n > few {
		return s.firstOfSample(e, n)
	}
	best, top := allHeld, uint64(0)
	for i := range n {
		lot := s.lot(e, i)
		if v := rankOf(lot); v > top && !s.isHeld(e, i, lot) {
			best, top = i, v
		}
	}
	return best
}

func (s *slow) firstOfSample(e *pulse.Enabled, n int) int {
	best, top := allHeld, uint64(0)
	for range slowSample {
		i := s.below(n)
		lot := s.lot(e, i)
		if v := rankOf(lot); v > top && !s.isHeld(e, i, lot) {
			best, top = i, v
		}
	}
	if best == allHeld {
		return s.any(e, n)
	}
	return best
}

// any returns a message that is not held, or allHeld. It tries some at random, and then
// all, beginning with a random one. Of many messages few are held: see slowRates.
func (s *slow) any(e *pulse.Enabled, n int) int {
	for range slowSample {
		if i := s.below(n); !s.isHeld(e, i, s.lot(e, i)) {
			return i
		}
	}
	from := s.below(n)
	for k := range n {
		if i := (from + k) % n; !s.isHeld(e, i, s.lot(e, i)) {
			return i
		}
	}
	return allHeld
}

func (s *slow) Choose(k choice.Kind, n int) int { return s.choose(k, n) }
