package guide

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A follow demands of two receives of one actor that the second comes right after
// the first or, if it is negated, that it does not. A set of them is an abstract
// schedule, as those of reads-from fuzzing: it says nothing of all other receives.
type follow struct {
	first, second int32 // steps of a base
	not           bool
}

// realize returns an order that begins as the base and follows as many of the
// demands as can be known to be feasible, those first that come first in the base:
// what comes after a receive that is turned round may never come.
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

// between reports whether a step of the list is a receive of the same actor as x.
func (b *Base) between(list []int32, x int32) bool {
	return slices.ContainsFunc(list, func(k int32) bool { return b.related(PR, k, x) })
}

// A dice gives random numbers that follow from a seed.
type dice uint64

func (d *dice) below(n int) int {
	return int(hash.Splitmix((*uint64)(d)) % uint64(n))
}

// oneIn returns true with chance 1/n.
func (d *dice) oneIn(n int) bool { return d.below(n) == 0 }
