package guide

import "slices"

// An Order is a partial schedule: a run begins with the given steps, in this order. The
// order of all later steps is free.
type Order struct {
	// Goal is the goal for which the order was made. It is zero if the order has no goal.
	Goal Goal
	// Steps are the identities of the steps.
	Steps []uint64
}

// A Generator makes orders from a base that achieve the goals of a criterion.
type Generator struct {
	base     *Base
	by       Criterion
	achieved Achieved
	whole    []int32
	i, j     int  // the pair of steps to check next
	turned   bool // set if the pair must be checked in reversed order
}

// NewGenerator returns a generator of orders for the goals of base b that are not in
// achieved. It adds the goals that b itself achieves to achieved. Next adds the goals of
// its orders.
func NewGenerator(b *Base, by Criterion, achieved Achieved) *Generator {
	whole := b.whole()
	b.achieves(by, whole, achieved.Add)
	return &Generator{base: b, by: by, achieved: achieved, whole: whole, j: 1}
}

// Next returns an order for a goal that is not achieved yet, and adds all goals of the
// order to the achieved goals. ok is false if no goal is left (algorithm 1 of the Bitá
// paper).
func (g *Generator) Next() (order Order, ok bool) {
	for n := int32(len(g.whole)); g.i < len(g.whole); {
		x, y, turned := int32(g.i), int32(g.j), g.turned
		if y >= n {
			g.i, g.j = g.i+1, g.i+2
			continue
		}
		if g.turned = !g.turned; turned {
			g.j++
		}
		if goal, open := g.open(x, y, turned); open {
			list := g.schedule(x, y, turned)
			g.base.achieves(g.by, list, g.achieved.Add)
			return Order{goal, g.base.identities(list)}, true
		}
	}
	return Order{}, false
}

// open returns the goal of the steps x and y; if turned is set, the reversed goal. It also
// reports whether the goal is possible and not achieved yet.
func (g *Generator) open(x, y int32, turned bool) (Goal, bool) {
	if !g.base.related(g.by, x, y) || g.base.MustPrecede(int(x), int(y)) {
		return Goal{}, false
	}
	goal := g.base.goal(g.by, x, y)
	if turned {
		goal = goal.Turned()
	}
	return goal, !g.achieved.Has(goal)
}

// schedule returns an order of steps that achieves the goal of x and y, or the reversed
// goal if turned is set. If possible, the order achieves further goals (algorithms 2 and 3
// of the Bitá paper).
func (g *Generator) schedule(x, y int32, turned bool) []int32 {
	list := g.whole
	for {
		prefix, tail := g.base.bring(list, x, y, turned, g.by)
		var more bool
		if x, y, turned, more = g.pair(tail); !more {
			return prefix
		}
		if g.by == PR {
			prefix = prefix[:len(prefix)-1] // the tail begins with the removed step
		}
		list = append(prefix, tail...)
	}
}

// pair returns two steps of the tail with a goal that is possible and not achieved yet.
// turned is set if this is the reversed goal. ok is false if there are no such steps.
func (g *Generator) pair(tail []int32) (x, y int32, turned, ok bool) {
	for i, x := range tail {
		for _, y := range tail[i+1:] {
			if _, open := g.open(x, y, false); open {
				return x, y, false, true
			}
			if _, open := g.open(x, y, true); open {
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
// step of the tail, because further steps may come directly before it.
func (b *Base) bring(list []int32, x, y int32, turned bool, by Criterion) (prefix, tail []int32) {
	i := slices.Index(list, x)
	prefix, tail = make([]int32, i, len(list)+1), make([]int32, 0, len(list))
	copy(prefix, list)
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

// identities returns the identities of the steps in list, except steps that the strategy
// does not choose.
func (b *Base) identities(list []int32) []uint64 {
	ids := make([]uint64, 0, len(list))
	for _, i := range list {
		if s := &b.steps[i]; !s.given {
			ids = append(ids, s.id)
		}
	}
	return ids
}
