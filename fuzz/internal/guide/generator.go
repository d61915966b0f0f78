package guide

import "slices"

// An Order is a partial schedule: the steps that come first, and in which order.
// Of all others it says nothing but that they come later.
type Order struct {
	// Goal is what the order was made for. It may be the zero Goal.
	Goal  Goal
	Steps []uint64
}

// A Generator makes orders from a base that achieve the goals of a criterion.
type Generator struct {
	base     *Base
	by       Criterion
	achieved Achieved
	whole    []int32
	i, j     int // the pair that is looked at next
	turned   bool
}

// NewGenerator returns a generator for goals that are not achieved. It adds to achieved
// what the base achieves, and later what its orders do.
func NewGenerator(b *Base, by Criterion, achieved Achieved) *Generator {
	whole := b.whole()
	b.achieves(by, whole, achieved.Add)
	return &Generator{base: b, by: by, achieved: achieved, whole: whole, j: 1}
}

// Next returns an order that achieves a goal which is not achieved yet, and after
// which it is; ok is false when there is no pair left (algorithm 1).
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

// open returns the goal that two steps come in the order in which they are, or are
// turned round, and reports whether it can be achieved and is not.
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

// schedule returns an order of steps that achieves a goal, and others if it can
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
			prefix = prefix[:len(prefix)-1] // it is the first of the tail
		}
		list = append(prefix, tail...)
	}
}

// pair returns two steps of a tail whose order, or opposite order, is an open goal.
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

// bring returns the beginning of a list up to x, then what must come before y, and
// then x and y, or y and x; and a tail of those of the other steps that must not
// come after x or y: what these bring about may be different now. By PR the last
// step of the beginning is the first of the tail too, since others may come
// between it and the step before.
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

// identities returns the identities of steps, without those that come by themselves.
func (b *Base) identities(list []int32) []uint64 {
	ids := make([]uint64, 0, len(list))
	for _, i := range list {
		if s := &b.steps[i]; !s.given {
			ids = append(ids, s.id)
		}
	}
	return ids
}
