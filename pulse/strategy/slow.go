package strategy

import (
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
)

// Slow holds some messages back, as a slow link or a busy receiver would. Each run draws
// the fraction of messages to hold: none, or 1/4 to 1/64. A held message stays away for 2
// to 256 steps after it was sent, each power of two with equal probability. With FIFO
// delivery a held message also holds back the later messages of its channel. Slow picks
// among the messages that are not held. In three of four runs it picks by a priority that
// each message draws once. In the other runs it picks each message with equal probability.
//
// If all deliverable messages are held, Slow fires a timer early, at most twice in a run
// and only if Options.EarlyTimers allows that. Otherwise it picks a held message at
// random. So Random can make every run that Slow makes.
//
// Let k other messages be received one after the other while a message waits, each sent in
// the step before. Then the message comes after all of them with probability at least 1/7
// for k = 4, 1/30 for k = 16 and 1/250 for k = 64. Random needs 2^k runs for that. Slow is
// no better than Random at bugs for which each of many pairs of messages must come in a
// certain order.
func Slow() pulse.Strategy { return &slow{} }

type slow struct {
	source
	key    uint64 // a random number; together with a message's Seq it determines whether and how long the message is held
	rate   uint8  // a message is held with probability 1/2^rate; zero means never
	ranked bool   // messages have priorities
	early  uint8  // the number of timers that may still fire early
}

// slowRates are the rates of which each run of Slow draws one. With rate r, the fraction
// of held messages is 1/2^r. With rate 0 no message is held.
var slowRates = [8]uint8{0, 2, 3, 3, 4, 4, 5, 6}

// mostSlowEarly is the maximum number of timers that Slow fires early in a run.
const mostSlowEarly = 2

func (s *slow) Begin(seed uint64) {
	s.seed(seed)
	s.key = s.next()
	w := s.next()
	s.rate, s.ranked, s.early = slowRates[w%8], w>>3%4 != 0, mostSlowEarly
}

// Needs requests a call to Pick even if only one message is deliverable,
// because Slow may hold that message.
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

// lot returns the random number of message i. It depends on the Seq of the message, so
// Slow needs no memory for messages.
func (s *slow) lot(e *pulse.Enabled, i int) uint64 { return hash.Mix(s.key ^ uint64(e.Seq(i))) }

// isHeld reports whether message i is held now. lot is the message's random number. A
// message is held if the first bits of its lot are zero. It is held for a number of steps
// after its sending step, which the last bits of the lot determine.
func (s *slow) isHeld(e *pulse.Enabled, i int, lot uint64) bool {
	return lot>>(64-s.rate) == 0 && s.rate > 0 && e.Step() <= int(e.Send(i).Step)+2<<(lot%8)
}

// rankOf returns the priority of a message, which does not depend on the bits that say
// whether the message is held.
func rankOf(lot uint64) uint64 { return lot<<8 | 1 }

// allHeld is the result of the methods first and any if all deliverable messages are held.
const allHeld = -1

// If many messages are deliverable (more than the constant few), Slow considers
// only slowSample of them, chosen at random.
const slowSample = 8

// first returns the message with the highest priority that is not held, or
// allHeld. If n is greater than the constant few, it considers only a random
// sample of the messages.
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

// any returns a message that is not held, or allHeld. First it tries some
// messages at random. Most of these tries succeed, because only a small part of
// the messages is held (see slowRates). Then it checks all messages, beginning
// with a random one.
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
