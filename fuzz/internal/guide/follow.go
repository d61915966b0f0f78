package guide

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A follow is a demand on two receives of one actor: the second comes right after the first
// or, if the follow is negated, does not. A list of follows is an abstract schedule, as in
// reads-from fuzzing. It leaves the order of all other receives free.
type follow struct {
	first, second int32 // steps of a base
	not           bool  // set if the condition is negated
}

// realize returns an order that begins like the base and meets as many demands as are known
// to be feasible. It treats demands on early steps of the base first, because steps after a
// reversed receive may never come.
func (b *Base) realize(demands []follow) []int32 {
	demands = slices.Clone(demands)
	slices.SortStableFunc(demands, func(x, y follow) int { return int(min(x.first, x.second) - min(y.first, y.second)) })
	list, length := b.whole(), 0
	for _, d := range demands {
		i, j := slices.Index(list, d.first), slices.Index(list, d.second)
		if i < 0 || j < 0 {
			continue
		}
		x, y, turned := list[min(i, j)], list[max(i, j)], j < i
		if d.not {
			if turned || b.between(list[i+1:j], d.first) {
				continue
			}
			turned = true
		}
		if b.MustPrecede(int(x), int(y)) {
			continue
		}
		prefix, tail := b.bring(list, x, y, turned, PCR)
		list, length = append(prefix, tail...), len(prefix)
	}
	return list[:length]
}

// between reports whether the list contains a receive that counts, of the same actor as x.
func (b *Base) between(list []int32, x int32) bool {
	return slices.ContainsFunc(list, func(k int32) bool { return b.related(PR, k, x) })
}

// A dice is a pseudo-random number generator. Its first value is the seed.
type dice uint64

func (d *dice) below(n int) int {
	return int(hash.Splitmix((*uint64)(d)) % uint64(n))
}

func (d *dice) oneIn(n int) bool { return d.below(n) == 0 }
