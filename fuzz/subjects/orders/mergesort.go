package orders

import (
	"fmt"
	"slices"
)

// Mergesort is mergesort of the thesis on Basset (tables 3.1 and 3.2): an
// actor has two new actors sort the halves of its list and merges them.
//
// As with Quicksort, the two answers race at each actor that divides its list, so there are 2^(n-1)
// distinct orders. The number of all orders differs, because the tree of actors differs. The thesis
// has 8 distinct orders for its list, the number for 4 numbers.
func Mergesort(size int) Program {
	return sorting(fmt.Sprintf("mergesort(%d)", size), false, shuffled(size))
}

func halves(list []int) [2][]int {
	half := len(list) / 2
	return [2][]int{slices.Clone(list[:half]), slices.Clone(list[half:])}
}

func merge(a, b []int) []int {
	list := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		from := &a
		if b[0] < a[0] {
			from = &b
		}
		list = append(list, (*from)[0])
		*from = (*from)[1:]
	}
	return slices.Concat(list, a, b)
}
