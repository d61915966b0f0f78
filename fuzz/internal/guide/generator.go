package guide

import "slices"

// An Order is a partial schedule: these steps come first, in this order. It leaves the
// order of all later steps open.
type Order struct {
	// Goal is the goal for which the order was made. It may be zero.
	Goal  Goal
	Steps []uint64
}

// A Generator makes orders from a base that achieve the goals of a criterion.
type Generator struct {
	base     *Base
	by       Criterion
	achieved Achieved
	whole    []int32
	i, j     int // the pair to check next
	turned   bool
}

// NewGenerator returns a generator for the goals not in achieved. It adds to achieved the
// goals of the base and, later, those of its orders.
func NewGenerator(b *Base, by Criterion, achieved Achieved) *Generator {
	whole := b.whole()
	b.achieves(by, whole, achieved.Add)
	return &Generator{base: b, by: by, achieved: achieved, whole: whole, j: 1}
}

// Next returns an order for a goal that is not achieved yet, and marks it as achieved. ok
// is false when no pair is left (algorithm 1).
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

// open returns the goal of the steps x and y, or the reversed goal if turned, and reports
// whether it is possible and not achieved yet.
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

// schedule returns an order of steps that achieves a goal, and further goals if possible
// (algorithm 2 with algorithm 3).
func (g *Generator) schedule(x, y int32, turned bool) []int32 {
	list := g.whole
	for {
		prefix, tail := g.base.bring(list, x, y, turned, g.by)
		var more bool
		if x, y, turned, more = g.pair(tail); !more {
			return prefix
		}
		if g.by == PR {
			prefix = prefix[:len(prefix)-1] // the tail begins with it
		}
		list = append(prefix, tail...)
	}
}

// pair returns two steps of a tail whose order, or reversed order, is an open goal.
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

// bring returns a prefix and a tail. The prefix is the list up to x, the steps that must
// come before y, and then x and y, or y and x if turned. The tail has the other steps,
// without those that must come after x or y: these may be different now. For PR the last
// step of the prefix is also the first of the tail, since others may come between it and
// the step before it.
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

// identities returns the identities of steps that a strategy chooses.
func (b *Base) identities(list []int32) []uint64 {
	ids := make([]uint64, 0, len(list))
	for _, i := range list {
		if s := &b.steps[i]; !s.given {
			ids = append(ids, s.id)
		}
	}
	return ids
}
