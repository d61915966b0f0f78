package orders

import "fmt"

// Quicksort is quicksort of the thesis on Basset: an actor divides its list into the smaller
// and the larger numbers, has two new actors sort these parts, and joins the results.
//
// At each actor that divides its list, the two answers race with each other, and
// nothing else races. A list of n different numbers is always divided n-1 times,
// so there are 2^(n-1) distinct orders: 32 for 6 numbers, as in the thesis. The
// list is a bad case, in which each division splits off one number. So 4 numbers
// have 11,088 orders in all, as in table 3.2.
func Quicksort(size int) Program {
	return sorting(fmt.Sprintf("quicksort(%d)", size), true, shuffled(size))
}

// partition divides different numbers by the larger of the first two, so that
// neither part is empty.
func partition(list []int) (parts [2][]int) {
	pivot := max(list[0], list[1])
	for _, v := range list {
		side := 0
		if v >= pivot {
			side = 1
		}
		parts[side] = append(parts[side], v)
	}
	return parts
}
