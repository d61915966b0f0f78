package orders

import (
	"fmt"
	"slices"
)

// shuffled returns the numbers from 1 to n in a fixed order that is far from
// sorted.
func shuffled(n int) []int {
	list := make([]int, 0, n)
	for low, high := 1, n; low <= high; low, high = low+1, high-1 {
		list = append(list, high)
		if low < high {
			list = append(list, low)
		}
	}
	return list
}

// expectSorted returns an error unless got is list in sorted order.
func expectSorted(got, list []int) error {
	want := slices.Sorted(slices.Values(list))
	if !slices.Equal(got, want) {
		return fmt.Errorf("the list is %v, want %v", got, want)
	}
	return nil
}
