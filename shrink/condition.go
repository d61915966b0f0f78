package shrink

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/jostle-go/jostle/pulse/choice"
)

// An Order says for each actor in which order it received its messages in a run. It also says
// whether the run failed.
type Order struct {
	Failed bool
	// Received has one element for each actor, sorted by Actor.
	Received []Received
	// Shared has, for each object that is no actor, such as a Go channel, the steps that used it,
	// in order. If there are any, Steps has all steps of the run, in order.
	Shared [][]uint64
	Steps  []uint64
}

// Received lists the messages that one actor has received.
type Received struct {
	Actor uint64
	Steps []uint64 // the identities of the steps in which the actor received messages, in order
}

// A Condition describes the orders that fail. It holds in an order if all constraints of one of its
// terms hold. A constraint is about two messages to one actor, or two steps that use one object. It
// holds if First was received, and Second was received later or not at all.
type Condition struct {
	Terms [][]choice.Constraint
}

// The limits of a condition. A longer condition does not help users.
const (
	mostTerms    = 4
	mostTogether = 4  // the maximum number of constraints in a term
	mostLiterals = 60 // the maximum number of constraints whose combinations are tried
)

// ConditionOf returns a condition that holds in exactly the failed orders. The condition is the
// shortest conjunction of constraints if a conjunction suffices, else it has a few terms. Of two
// constraints that hold in the same orders, a constraint in the list like is preferred. ok is false
// if the condition would be too long, or if no constraints separate the failed orders from the
// passed orders.
//
// In runs of goroutines, a constraint is used only if some orders have its two steps in one order
// and some in the other. Otherwise the constraint says only that its first step occurs. Such a step
// is usually a result of the failure: the test waits longer for a goroutine that is stuck.
func ConditionOf(orders []Order, like []choice.Constraint) (c Condition, ok bool) {
	s := newSorter(orders, like)
	left := s.failed.clone()
	for len(c.Terms) < mostTerms && left.any() {
		term, covered := s.term(left)
		if term == nil {
			return Condition{}, false
		}
		c.Terms = append(c.Terms, term)
		left.remove(covered)
	}
	return c, len(c.Terms) > 0 && !left.any()
}

// A set is a set of orders. It has a bit for each index in the list of orders.
type set []uint64

func newSet(n int) set         { return make(set, (n+63)/64) }
func (s set) add(i int)        { s[i>>6] |= 1 << (i & 63) }
func (s set) has(i int) bool   { return s[i>>6]&(1<<(i&63)) != 0 }
func (s set) clone() set       { return slices.Clone(s) }
func (s set) any() bool        { return slices.ContainsFunc(s, func(w uint64) bool { return w != 0 }) }
func (s set) equal(o set) bool { return slices.Equal(s, o) }

func (s set) remove(o set) {
	for i := range s {
		s[i] &^= o[i]
	}
}

func (s set) keep(o set) {
	for i := range s {
		s[i] &= o[i]
	}
}

// within reports whether s is a subset of o.
func (s set) within(o set) bool {
	for i := range s {
		if s[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

func (s set) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// A literal is a constraint with the set of the orders in which it holds.
type literal struct {
	choice.Constraint
	in    set
	turns bool // set if some order receives Second before First
	rank  int  // decides between literals that hold in the same orders: the lowest rank is used
}

// A sorter finds constraints that separate the failed orders from the passed orders.
type sorter struct {
	failed, passed set
	literals       []literal // each literal holds in a different set of orders
}

func newSorter(orders []Order, like []choice.Constraint) *sorter {
	n := len(orders)
	s := &sorter{failed: newSet(n), passed: newSet(n)}
	for i := range orders {
		if orders[i].Failed {
			s.failed.add(i)
		} else {
			s.passed.add(i)
		}
	}
	for actor := range actorsOf(orders) {
		s.learn(orders, actor, like)
	}
	s.learnShared(orders, like)
	if slices.ContainsFunc(orders, func(o Order) bool { return len(o.Shared) > 0 }) {
		s.literals = slices.DeleteFunc(s.literals, func(l literal) bool { return !l.turns })
	}
	slices.SortFunc(s.literals, func(a, b literal) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.First, b.First), cmp.Compare(a.Second, b.Second))
	})
	var list []literal
	for _, l := range s.literals {
		if !slices.ContainsFunc(list, func(o literal) bool { return o.in.equal(l.in) }) {
			list = append(list, l)
		}
	}
	s.literals = list
	return s
}

func actorsOf(orders []Order) map[uint64]bool {
	actors := map[uint64]bool{}
	for i := range orders {
		for _, r := range orders[i].Received {
			actors[r.Actor] = true
		}
	}
	return actors
}

// learn adds a literal for each constraint on two messages to the actor that holds in some orders,
// but not in all.
func (s *sorter) learn(orders []Order, actor uint64, like []choice.Constraint) {
	places := make([]map[uint64]int, len(orders)) // has an element for each order: maps a step of the actor to its position, from 1
	all := map[uint64]bool{}
	for i := range orders {
		places[i] = map[uint64]int{}
		for _, r := range orders[i].Received {
			if r.Actor == actor {
				for k, id := range r.Steps {
					places[i][id], all[id] = k+1, true
				}
			}
		}
	}
	for first := range all {
		for second := range all {
			if first != second {
				s.learnPair(places, choice.Constraint{First: first, Second: second}, like)
			}
		}
	}
}

// learnShared adds a literal for each constraint on two steps that use the same object, such as a Go
// channel, in some run.
func (s *sorter) learnShared(orders []Order, like []choice.Constraint) {
	places := make([]map[uint64]int, len(orders))
	pairs := map[choice.Constraint]bool{}
	for i := range orders {
		places[i] = map[uint64]int{}
		for k, id := range orders[i].Steps {
			places[i][id] = k + 1
		}
		for _, steps := range orders[i].Shared {
			for k, first := range steps {
				for _, second := range steps[k+1:] {
					c := choice.Constraint{First: first, Second: second}
					pairs[c], pairs[c.Turned()] = true, true
				}
			}
		}
	}
	for c := range pairs {
		s.learnPair(places, c, like)
	}
}

func (s *sorter) learnPair(places []map[uint64]int, c choice.Constraint, like []choice.Constraint) {
	in, apart, turns := newSet(len(places)), 0, false
	for i := range places {
		first, second := places[i][c.First], places[i][c.Second]
		if first > 0 && (second == 0 || first < second) {
			in.add(i)
			if second > 0 && (apart == 0 || second-first < apart) {
				apart = second - first
			}
		}
		turns = turns || second > 0 && second < first
	}
	if n := in.count(); n == 0 || n == len(places) {
		return
	}
	rank := 2 + apart
	if apart == 0 { // in no order was Second received after First
		rank = 1000
	}
	if slices.Contains(like, c) {
		rank = 0
	}
	s.literals = append(s.literals, literal{c, in, turns, rank})
}

// term returns a conjunction of constraints that holds in no passed order, but in as many orders of
// the set left as possible. It also returns the orders in which the conjunction holds. It returns
// nil if too many constraints would be needed.
func (s *sorter) term(left set) (term []choice.Constraint, covered set) {
	if list := s.literalsOf(left); s.excludesPassed(list[:min(len(list), mostLiterals)]) { // one conjunction may hold in all orders of left
		term, covered = s.shortest(list[:min(len(list), mostLiterals)])
		if term != nil {
			return term, covered
		}
	}
	best := 0
	for i := range 64 * len(left) {
		if !left.has(i) {
			continue
		}
		one := newSet(64 * len(left))
		one.add(i)
		t, in := s.widest(one, left)
		if t == nil {
			continue
		}
		now := in.clone()
		now.keep(left)
		if n := now.count(); n > best || n == best && len(t) < len(term) {
			best, term, covered = n, t, in
		}
	}
	return term, covered
}

// literalsOf returns the literals that hold in all of the given orders.
func (s *sorter) literalsOf(orders set) (list []literal) {
	for _, l := range s.literals {
		if orders.within(l.in) {
			list = append(list, l)
		}
	}
	if len(list) > mostLiterals { // prefer those that hold in the fewest passed orders
		passed := func(l literal) int {
			in := l.in.clone()
			in.keep(s.passed)
			return in.count()
		}
		slices.SortStableFunc(list, func(a, b literal) int { return cmp.Compare(passed(a), passed(b)) })
	}
	return list
}

// excludesPassed reports whether no passed order meets all literals in list.
func (s *sorter) excludesPassed(list []literal) bool { return !s.both(list).any() }

// both returns the passed orders that meet all literals in list.
func (s *sorter) both(list []literal) set {
	in := s.passed.clone()
	for _, l := range list {
		in.keep(l.in)
	}
	return in
}

// shortest returns the smallest subset of the literals' constraints such that no passed order meets
// the whole subset. It also returns the orders in which the subset holds. It returns nil if the
// subset would be too large.
func (s *sorter) shortest(list []literal) ([]choice.Constraint, set) {
	for n := 1; n <= mostTogether; n++ {
		if chosen := s.choose(list, nil, s.passed, n); chosen != nil {
			return s.named(chosen)
		}
	}
	return nil, nil
}

// choose returns the literals in chosen and at most n further literals from list, such that no
// order in passed meets all further literals. It returns nil if that is impossible.
func (s *sorter) choose(list, chosen []literal, passed set, n int) []literal {
	for i, l := range list {
		rest := passed.clone()
		rest.keep(l.in)
		now := append(slices.Clip(chosen), l)
		switch {
		case !rest.any():
			return now
		case n > 1 && rest.count() < passed.count():
			if found := s.choose(list[i+1:], now, rest, n-1); found != nil {
				return found
			}
		}
	}
	return nil
}

// widest returns a conjunction of constraints that holds in no passed order, but in the only order
// of the set one. It also returns the orders in which the conjunction holds. The algorithm is
// greedy. A constraint excludes some passed orders, and keeps some orders of the set left. widest
// adds the constraint for which the product of these two numbers is largest.
func (s *sorter) widest(one, left set) ([]choice.Constraint, set) {
	list, passed := s.literalsOf(one), s.passed.clone()
	var chosen []literal
	for passed.any() {
		best, bestOut, bestIn := -1, 0, 0
		for i, l := range list {
			rest, in := passed.clone(), left.clone()
			rest.keep(l.in)
			in.keep(l.in)
			if out, held := passed.count()-rest.count(), in.count(); out*held > bestOut*bestIn {
				best, bestOut, bestIn = i, out, held
			}
		}
		if best < 0 || len(chosen) == mostTogether {
			return nil, nil
		}
		chosen = append(chosen, list[best])
		passed.keep(list[best].in)
	}
	for i := 0; i < len(chosen); { // remove the constraints that became redundant when later ones were added
		if rest := slices.Delete(slices.Clone(chosen), i, i+1); len(rest) > 0 && s.excludesPassed(rest) {
			chosen = rest
		} else {
			i++
		}
	}
	return s.named(chosen)
}

// named returns the constraints of the literals, and the orders in which all these constraints
// hold.
func (s *sorter) named(list []literal) (term []choice.Constraint, in set) {
	for i, l := range list {
		if i == 0 {
			in = l.in.clone()
		}
		in.keep(l.in)
		term = append(term, l.Constraint)
	}
	return term, in
}
