package guide

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A follow is a demand that receive second comes right after receive first at an actor, or
// that it does not. A list of follows is called an abstract schedule, as in reads-from
// fuzzing (Wolff et al., ASPLOS 2024). The order of all receives that have no follow is
// free.
type follow struct {
	first, second int32 // two steps of a Base
	not           bool  // set if second must not come right after first
}

// realize returns an order of the steps of b that meets all demands that are known to be
// feasible together. It starts with the demands on early steps, because steps after a
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
		prefix, tail := b.bring(nil, nil, list, x, y, turned, PCR)
		list, length = append(prefix, tail...), len(prefix)
	}
	return list[:length]
}

// between reports whether list has a step that counts (see Criterion) at the place of step x.
func (b *Base) between(list []int32, x int32) bool {
	return slices.ContainsFunc(list, func(k int32) bool { return b.related(PR, k, x) })
}

// A dice is a pseudo-random number generator. Its initial value is the seed.
type dice uint64

func (d *dice) below(n int) int {
	return int(hash.Splitmix((*uint64)(d)) % uint64(n))
}

func (d *dice) oneIn(n int) bool { return d.below(n) == 0 }
