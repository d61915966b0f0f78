package guide

import (
	"math/bits"
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// An Order is a partial schedule: a run begins with the given steps, in this order. The
// order of all later steps is free.
type Order struct {
	// Goal is the goal for which the order was made. It is zero if the order has no goal.
	Goal Goal
	// Steps are the identities of the steps.
	Steps []uint64
}

// A Generator makes orders from a base that achieve the goals of a criterion. Begin must be
// called first. A Generator can be reused for further bases, which saves memory.
type Generator struct {
	base     *Base
	by       Criterion
	achieved Achieved
	// known has a row of bits for each step of the base. In row y, bit x is set if the goal
	// "x before y" is known to be achieved: by the base, by an order or by achieved.
	known []uint64
	whole []int32
	after []int32 // for each step, the next receive at its place, None if there is none or if the step does not count

	// The two receives that the method following returns next. x is -1 at first.
	x, y   int32
	turned bool

	// The fields from here on are memory for achieve and schedule.
	earlier []uint64 // has a row of bits for each place: the receives so far, for PR
	last    []int32  // for each place, the last receive so far, for the other criteria
	before  []int32  // for each step, the previous receive at its place, for the other criteria
	lists   [2][]int32
	tail    []int32
}

// NewGenerator returns a generator for which Begin was called.
func NewGenerator(b *Base, by Criterion, achieved Achieved) *Generator {
	g := &Generator{}
	g.Begin(b, by, achieved)
	return g
}

// Begin makes g a generator of orders for the goals of base b that are not in achieved and
// that b itself does not achieve. Save adds the goals of b and of all orders to achieved.
func (g *Generator) Begin(b *Base, by Criterion, achieved Achieved) {
	g.base, g.by, g.achieved = b, by, achieved
	g.x, g.y, g.turned = -1, trace.None, false
	n, places := len(b.steps), 0
	g.after = g.after[:0]
	for i := range b.steps {
		s := &b.steps[i]
		places = max(places, int(s.place)+1)
		g.after = append(g.after, trace.None)
		if s.before != trace.None {
			g.after[s.before] = int32(i)
		}
	}
	g.known = slices.Grow(g.known[:0], n*b.words)[:n*b.words]
	clear(g.known)
	g.earlier = slices.Grow(g.earlier[:0], places*b.words)[:places*b.words]
	g.last = slices.Grow(g.last[:0], places)[:places]
	g.before = slices.Grow(g.before[:0], n)[:n]
	g.whole = b.appendWhole(g.whole[:0])
	g.achieve(g.whole)
}

// knownOf returns row y of known: the steps x for which the goal "x before y" is known to
// be achieved.
func (g *Generator) knownOf(y int32) []uint64 { return g.known[int(y)*g.base.words:][:g.base.words] }

// achieve records the goals that a run with the given order of steps achieves.
func (g *Generator) achieve(order []int32) {
	if g.by == PR {
		g.achieveAll(order)
		return
	}
	b := g.base
	for i := range g.last {
		g.last[i] = trace.None
	}
	for _, y := range order {
		s := &b.steps[y]
		if !s.counts {
			continue
		}
		last := &g.last[s.place]
		for x := *last; x != trace.None; x = g.before[x] {
			if b.related(g.by, x, y) {
				set(g.knownOf(y), int(x))
			}
			if g.by == PCR || b.steps[x].changes {
				break
			}
		}
		g.before[y], *last = *last, y
	}
}

// achieveAll does what achieve does, for PR: each receive forms a goal with each earlier
// receive of its actor.
func (g *Generator) achieveAll(order []int32) {
	words := g.base.words
	clear(g.earlier)
	for _, y := range order {
		if s := &g.base.steps[y]; s.counts {
			earlier := g.earlier[int(s.place)*words:][:words]
			add(g.knownOf(y), earlier)
			set(earlier, int(y))
		}
	}
}

// Save adds the goals that the base and all orders so far achieve to the set of achieved
// goals that Begin was given. Next calls Save if no goal is left.
func (g *Generator) Save() {
	for y := range int32(len(g.base.steps)) {
		for w, word := range g.knownOf(y) {
			for ; word != 0; word &= word - 1 {
				g.achieved.Add(g.base.goal(g.by, int32(64*w+bits.TrailingZeros64(word)), y))
			}
		}
	}
}

// Next returns an order for a goal that is not achieved yet. All goals of the order then
// count as achieved. ok is false if no goal is left (algorithm 1 of the Bitá paper).
func (g *Generator) Next() (order Order, ok bool) {
	for x, y, turned := g.following(); y != trace.None; x, y, turned = g.following() {
		if g.isPossible(x, y) && g.isNew(x, y, turned) {
			goal := g.base.goal(g.by, x, y)
			if turned {
				goal = goal.Turned()
			}
			list := g.schedule(x, y, turned)
			g.achieve(list)
			return Order{goal, g.base.identities(list)}, true
		}
	}
	g.Save()
	return Order{}, false
}

// following returns the two receives to check next, and whether to check them in reversed
// order. It goes through all pairs of receives of one actor. After them y is None.
func (g *Generator) following() (x, y int32, turned bool) {
	for g.y == trace.None && int(g.x)+1 < len(g.after) {
		g.x++
		g.y = g.after[g.x]
	}
	x, y, turned = g.x, g.y, g.turned
	if g.turned = y != trace.None && !turned; turned {
		g.y = g.after[y]
	}
	return x, y, turned
}

// isPossible reports whether the goal of the steps x and y and the reversed goal are
// possible.
func (g *Generator) isPossible(x, y int32) bool {
	return g.base.related(g.by, x, y) && !g.base.MustPrecede(int(x), int(y))
}

// isNew reports whether the goal of the steps x and y, or the reversed goal if turned is
// set, is not achieved yet.
func (g *Generator) isNew(x, y int32, turned bool) bool {
	if turned {
		x, y = y, x
	}
	known := &g.knownOf(y)[x>>6]
	if *known&(1<<(x&63)) == 0 && g.achieved.Has(g.base.goal(g.by, x, y)) {
		*known |= 1 << (x & 63)
	}
	return *known&(1<<(x&63)) == 0
}

// schedule returns an order of steps that achieves the goal of x and y, or the reversed
// goal if turned is set. If possible, the order achieves further goals (algorithms 2 and 3
// of the Bitá paper). The result is valid until the next call.
func (g *Generator) schedule(x, y int32, turned bool) []int32 {
	list := g.whole
	for i := 0; ; i = 1 - i {
		prefix, tail := g.base.bring(g.lists[i], g.tail, list, x, y, turned, g.by)
		g.lists[i], g.tail = prefix, tail
		var more bool
		if x, y, turned, more = g.pair(tail); !more {
			return prefix
		}
		if g.by == PR {
			prefix = prefix[:len(prefix)-1] // removes the last step of the prefix, which becomes the first step of the tail
		}
		list = append(prefix, tail...)
	}
}

// pair returns two steps of the tail whose goal is possible and not achieved yet.
// turned is set if the reversed goal is meant. ok is false if there are no such steps.
func (g *Generator) pair(tail []int32) (x, y int32, turned, ok bool) {
	for i, x := range tail {
		if !g.base.steps[x].counts {
			continue
		}
		for _, y := range tail[i+1:] {
			switch {
			case !g.isPossible(x, y):
			case g.isNew(x, y, false):
				return x, y, false, true
			case g.isNew(x, y, true):
				return x, y, true, true
			}
		}
	}
	return 0, 0, false, false
}

// bring makes a prefix and a tail from a list of steps. The prefix has the steps before x,
// the steps that must come before y, and then x and y, or y and x if turned is set. The
// tail has the remaining steps, except the steps that must come after x or y, because they
// may be different in this order. For PR the last step of the prefix is also the first
// step of the tail, because further steps may come directly before it. The results reuse
// the memory of the first two arguments, which may be nil.
func (b *Base) bring(prefix, tail, list []int32, x, y int32, turned bool, by Criterion) (_, _ []int32) {
	i := slices.Index(list, x)
	prefix, tail = slices.Grow(prefix[:0], len(list)+1), slices.Grow(tail[:0], len(list))
	prefix = append(prefix, list[:i]...)
	first, second := x, y
	if turned {
		first, second = y, x
	}
	if by == PR {
		tail = append(tail, second)
	}
	after := false
	for _, k := range list[i+1:] {
		switch after = after || k == y; {
		case k == y:
		case !after && b.MustPrecede(int(k), int(y)):
			prefix = append(prefix, k)
		case !b.MustPrecede(int(x), int(k)) && !b.MustPrecede(int(y), int(k)):
			tail = append(tail, k)
		}
	}
	return append(prefix, first, second), tail
}
